"""One value against one slot: canonical forms, equality, and what follows from which words."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from slotstate import Email, InvalidValue, Money, Phone, Slot, Tracker
from slotstate.domains import compile_domain
from slotstate.parsing import fold
from slotstate.slots import DONTCARE, SlotSpec
from slotstate.values import (
    Reading,
    check,
    find,
    follows,
    identity,
    jsonable,
    normalise,
    normalising,
    place,
    same,
    stands_in,
    to_python,
)

NOW = datetime(2026, 11, 29, 12, tzinfo=ZoneInfo("Europe/Berlin"))  # a Sunday
READING = Reading(NOW)


class Size(Enum):
    SMALL = "small"
    LARGE = "extra_large"


class Place(BaseModel):
    street: str | None = None
    city: str | None = None
    opens: time | None = None


class Case(BaseModel):
    text: str
    alias: Annotated[str, Slot(aliases={"New York": ["NYC", "纽约"]})]
    option: Annotated[Literal["second", "first"], Slot(aliases={"second": ["2nd class", "二等座"]})]
    level: Literal[1, 2, 3]
    size: Size
    flag: bool
    wifi: Annotated[bool, Slot(aliases={"true": ["wifi"], "false": ["offline"]})]
    count: Annotated[int, Field(ge=1, le=99)]
    ratio: float
    amount: Decimal
    price: Money
    day: date
    at: time
    moment: datetime
    length: timedelta
    phone: Phone
    mail: Email
    tags: list[str]
    days: list[date]
    address: Place
    prices: dict[str, Decimal]
    avoid: list[str]


SLOTS = compile_domain(Case).slots


@pytest.mark.parametrize(
    ("slot", "value", "kept"),
    [
        ("text", "C++", "C++"),
        ("text", "007", "007"),
        ("text", "20%", "20%"),
        ("text", "null", "null"),
        ("text", "None", "None"),
        ("text", "无", "无"),
        ("text", 7, "7"),
        ("alias", "nyc", "New York"),
        ("alias", "纽约", "New York"),
        ("option", "SECOND", "second"),
        ("option", "2nd Class", "second"),
        ("option", "二等座", "second"),
        ("level", 2, 2),
        ("level", "2", 2),
        ("size", "extra large", "extra_large"),
        ("size", Size.SMALL, "small"),
        ("flag", True, True),
        ("flag", "yes", True),
        ("flag", "不是", False),
        ("wifi", "offline", False),
        ("count", "2", 2),
        ("count", "twelve", 12),
        ("count", "３", 3),
        ("count", 2.0, 2),
        ("ratio", "1.5", 1.5),
        ("ratio", 2, 2.0),
        ("amount", "19.90", "19.90"),
        ("amount", Decimal("19.90"), "19.90"),
        ("price", "40 pounds", {"value": "40", "currency": "GBP"}),
        ("price", {"value": 40, "currency": "GBP"}, {"value": "40", "currency": "GBP"}),
        ("price", Money(value=Decimal("2.50"), currency="EUR"), {"value": "2.50", "currency": "EUR"}),
        ("day", "2026-12-04", "2026-12-04"),
        ("day", "December 4th", "2026-12-04"),
        ("day", date(2026, 12, 4), "2026-12-04"),
        ("day", "明天", "2026-11-30"),
        ("at", "09:15", "09:15"),
        ("at", "3 pm", "15:00"),
        ("at", "09:15:30", "09:15:30"),
        ("moment", "2026-12-04T21:00", "2026-12-04T21:00:00+01:00"),
        ("moment", "2026-12-04T21:00Z", "2026-12-04T21:00:00+00:00"),
        ("length", "2 hours", "PT2H"),
        ("length", "PT90M", "PT1H30M"),
        ("phone", "+44 (20) 7946-0000", "+442079460000"),
        ("mail", "jo@example.org", "jo@example.org"),
        ("tags", ["a", "b", "A"], ["a", "b"]),
        ("tags", "a", ["a"]),
        ("days", ["明天", "2026-12-04"], ["2026-11-30", "2026-12-04"]),
        ("address", {"city": "York", "street": None}, {"city": "York"}),
        ("address", {"opens": "9 am"}, {"opens": "09:00"}),
        ("address", Place(city="York"), {"city": "York"}),
        ("prices", {"soup": "4.50"}, {"soup": "4.50"}),
    ],
)
def test_values_take_their_canonical_form(slot: str, value: Any, kept: Any) -> None:
    spec = SLOTS[slot]
    canonical = normalise(spec, value, READING)
    assert canonical == kept
    assert type(canonical) is type(kept)
    assert normalise(spec, canonical, READING) == kept, "a canonical value must stay as it is"


@pytest.mark.parametrize(
    ("slot", "value"),
    [
        ("text", None),
        ("text", True),
        ("text", ["a"]),
        ("option", "third"),
        ("option", "the second or the first"),
        ("flag", "perhaps"),
        ("flag", 7),
        ("count", 0),
        ("count", 100),
        ("count", 2.5),
        ("count", True),
        ("count", "many"),
        ("ratio", "NaN"),
        ("ratio", float("inf")),
        ("price", "40"),
        ("price", {"value": 40, "currency": "pounds"}),
        ("day", "soonest"),
        ("day", "20261204"),
        ("day", "2026-02-30"),
        ("day", 5),
        ("at", "at 7"),
        ("at", "25:00"),
        ("length", "soon"),
        ("phone", "123"),
        ("mail", "jo at example"),
        ("tags", []),
        ("tags", [None]),
        ("address", "York"),
        ("address", {"planet": "Mars"}),
        ("address", {"city": None}),
        ("prices", {1: "2"}),
    ],
)
def test_what_is_no_value_is_refused_by_name(slot: str, value: Any) -> None:
    with pytest.raises(InvalidValue) as refused:
        normalise(SLOTS[slot], value, READING)
    assert refused.value.path.startswith(f"case.{slot}")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("slot", "one", "other"),
    [
        ("text", "Oslo", " oslo "),
        ("amount", "19.9", "19.90"),
        ("price", {"value": "40", "currency": "GBP"}, {"value": "40.00", "currency": "GBP"}),
        ("moment", "2026-12-04T21:00:00+01:00", "2026-12-04T20:00:00+00:00"),
        ("tags", ["A", "b"], ["a", "B"]),
        ("address", {"city": "York"}, {"city": "YORK"}),
        ("prices", {"soup": "4.5"}, {"soup": "4.50"}),
    ],
)
def test_values_that_mean_the_same(slot: str, one: Any, other: Any) -> None:
    assert same(SLOTS[slot], one, other)
    assert same(SLOTS[slot], other, one)


@pytest.mark.parametrize(
    ("slot", "one", "other"),
    [
        ("text", "Oslo", "Bergen"),
        ("count", 1, True),
        ("count", 1, 2),
        ("amount", "1", "x"),
        ("price", {"value": "40", "currency": "GBP"}, {"value": "40", "currency": "USD"}),
        ("tags", ["a"], ["a", "b"]),
        ("tags", ["a", "b"], ["b", "a"]),
        ("address", {"city": "York"}, {"city": "York", "street": "Elm Road"}),
        ("prices", {"soup": "4"}, {"tea": "4"}),
        ("day", "2026-12-04", "2026-12-05"),
    ],
)
def test_values_that_differ(slot: str, one: Any, other: Any) -> None:
    assert not same(SLOTS[slot], one, other)


@pytest.mark.parametrize(
    ("slot", "value", "words"),
    [
        ("text", "Oslo", "to oslo please"),
        ("text", "C++", "I write C++ mostly"),
        ("text", "上海", "我要去上海"),
        ("alias", "New York", "NYC"),
        ("option", "second", "二等座就行"),
        ("level", 3, "level 3"),
        ("size", "extra_large", "extra large"),
        ("wifi", True, "with wifi"),
        ("wifi", False, "no wifi"),
        ("wifi", True, "without offline"),
        ("count", 6, "for six people"),
        ("count", 3, "三个人"),
        ("ratio", 98.4, "98.4 degrees"),
        ("amount", "19.90", "refund 19.90"),
        ("price", {"value": "40", "currency": "GBP"}, "for 40 pounds"),
        ("day", "2026-12-04", "on Friday"),
        ("at", "15:00", "at 3 pm"),
        ("moment", "2026-11-30T15:00:00+01:00", "tomorrow at 3 pm"),
        ("length", "PT2H", "two hours"),
        ("phone", "+442079460000", "call +44 20 7946 0000"),
        ("mail", "jo@example.org", "it is jo@example.org"),
        ("tags", ["nuts", "milk"], "nuts and milk"),
        ("address", {"city": "York", "street": "3 Mill Lane"}, "3 Mill Lane, York"),
        ("prices", {"soup": "4"}, "4 for the soup"),
        ("avoid", ["London"], "avoid London"),
    ],
)
def test_what_follows_from_words(slot: str, value: Any, words: str) -> None:
    spec = SLOTS[slot]
    assert follows(spec, value, words, READING)
    assert stands_in(spec, value, words, READING)
    span = place(spec, value, words, READING)
    assert span is not None
    assert 0 <= span[0] < span[1] <= len(words)


@pytest.mark.parametrize(
    ("slot", "value", "words"),
    [
        ("text", "Oslo", "to Oslofjord"),
        ("text", "C", "I write C++"),
        ("text", "20", "20% off"),
        ("text", "Oslo", "not Oslo"),
        ("alias", "New York", "Boston"),
        ("option", "first", "not first"),
        ("option", "first", "second"),
        ("flag", True, "yes"),
        ("wifi", True, "no wifi"),
        ("count", 5, "for six people"),
        ("count", 5, "12.5"),
        ("at", "07:00", "at 7"),
        ("at", "19:00", "at 7"),
        ("tags", ["nuts", "milk"], "nuts"),
        ("tags", ["nuts", "milk"], "nuts, no milk"),
        ("address", {"city": "York", "street": "Elm Road"}, "York"),
    ],
)
def test_what_does_not_follow(slot: str, value: Any, words: str) -> None:
    assert not follows(SLOTS[slot], value, words, READING)


def test_an_open_reading_stands_in_the_words_without_following_from_them() -> None:
    assert stands_in(SLOTS["at"], "19:00", "at 7", READING)


def test_yes_answers_only_the_slot_that_was_asked() -> None:
    asked = Reading(NOW, asked=True)
    assert follows(SLOTS["flag"], True, "yes please", asked)
    assert follows(SLOTS["flag"], False, "不用", asked)
    assert not follows(SLOTS["flag"], True, "no", asked)


def test_negated_words_can_be_asked_for() -> None:
    assert follows(SLOTS["text"], "pizza", "no pizza", Reading(NOW, negated=True))
    assert follows(SLOTS["option"], "first", "not first", Reading(NOW, negated=True))


def test_every_value_in_the_words_is_found_in_order() -> None:
    assert [found.value for found in find(SLOTS["count"], "two adults and 3 kids", READING)] == [2, 3]
    assert [found.value for found in find(SLOTS["option"], "first, or 2nd class", READING)] == ["first", "second"]
    assert find(SLOTS["count"], "0 or 500", READING) == [], "what the slot refuses is not there"


def test_a_naive_datetime_is_in_the_users_zone_across_a_switch() -> None:
    summer = normalise(SLOTS["moment"], "2026-07-01T12:00", READING)
    assert summer == "2026-07-01T12:00:00+02:00"


@pytest.mark.parametrize(("slot", "value"), [("day", "2026-12-04"), ("address", {"city": "York", "opens": "09:00"})])
def test_python_values_come_back(slot: str, value: Any) -> None:
    python = to_python(SLOTS[slot], value)
    assert python == {"day": date(2026, 12, 4), "address": {"city": "York", "opens": time(9)}}[slot]
    assert jsonable(python) == value


def test_a_stored_value_that_the_schema_no_longer_takes_is_shown_as_it_is() -> None:
    assert to_python(SLOTS["count"], 1000) == 1000
    assert to_python(SLOTS["tags"], ["a"]) == ["a"]
    assert to_python(SLOTS["prices"], {"soup": "4"}) == {"soup": Decimal(4)}


def test_a_validator_that_raises_anything_does_not_escape() -> None:
    from pydantic import AfterValidator

    def fail(value: str) -> str:
        raise RuntimeError("database is down")

    def vanish(value: str) -> None:
        return None

    class Odd(BaseModel):
        broken: Annotated[str, AfterValidator(fail)]
        nothing: Annotated[str | None, AfterValidator(vanish)] = None

    slots = compile_domain(Odd).slots
    with pytest.raises(InvalidValue, match="RuntimeError: database is down"):
        check(slots["broken"], "x")
    with pytest.raises(InvalidValue, match="null is not a value"):
        check(slots["nothing"], "x")


def test_json_forms() -> None:
    assert jsonable(
        {"zone": datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=-8))), "none": None, "care": DONTCARE}
    ) == {"zone": "2026-01-01T00:00:00-08:00", "none": None, "care": "dontcare"}
    assert jsonable((1, {"x"}, time(9, 5, 1))) == [1, ["x"], "09:05:01"]
    assert jsonable(datetime(2026, 1, 1, tzinfo=UTC)) == "2026-01-01T00:00:00+00:00"


SIMPLE: dict[str, st.SearchStrategy[Any]] = {
    "count": st.integers(1, 99),
    "ratio": st.floats(-1e6, 1e6).map(lambda number: round(number, 3)),
    "amount": st.decimals(-10_000, 10_000, places=2),
    "day": st.dates(date(1990, 1, 1), date(2090, 1, 1)),
    "at": st.times().map(lambda at: at.replace(microsecond=0)),
    "length": st.timedeltas(timedelta(0), timedelta(days=400)),
}


@given(st.sampled_from(sorted(SIMPLE)), st.data())
def test_python_and_canonical_values_are_two_ways_to_write_one(slot: str, data: st.DataObject) -> None:
    spec: SlotSpec = SLOTS[slot]
    value = data.draw(SIMPLE[slot])
    canonical = normalise(spec, value, READING)
    assert to_python(spec, canonical) == value
    assert normalise(spec, to_python(spec, canonical), READING) == canonical
    assert same(spec, canonical, normalise(spec, canonical, READING))


@given(st.text(st.characters(codec="utf-8"), min_size=1).filter(lambda text: fold(text).text.strip()))
def test_any_text_is_kept_and_follows_from_itself(text: str) -> None:
    spec = SLOTS["text"]
    assert normalise(spec, text, READING) == text
    assert stands_in(spec, text, text, Reading(NOW, negated=True))


ALIKE: dict[str, list[Any]] = {
    "text": ["Oslo", " oslo ", "Straße", "strasse", "Os lo", "os  lo"],
    "count": [1, 1, 2, 2],
    "amount": ["19.9", "19.90", "19", "19.0", "-1", "-1.00"],
    "price": [
        *({"value": value, "currency": "GBP"} for value in ("40", "40.0")),
        *({"value": value, "currency": "EUR"} for value in ("40", "40.0")),
    ],
    "moment": [
        *("2026-12-04T21:00:00+01:00", "2026-12-04T20:00:00+00:00"),
        *("2026-12-04T21:00:00+00:00", "2026-12-04T22:00:00+01:00"),
    ],
    "tags": [["A", "b"], ["a", "B"], ["b", "A"], ["B", "a"], ["a"], ["A"]],
    "address": [{"city": "York"}, {"city": "YORK"}, {"street": "York"}, {"street": "YORK"}],
    "prices": [{"soup": "4.5"}, {"soup": "4.50"}, {"tea": "4.5"}, {"tea": "4.50"}],
}
"""Values of slots, two by two the same."""


@given(st.sampled_from(sorted(ALIKE)), st.data())
def test_what_is_the_same_has_one_identity_and_nothing_else_has_it(slot: str, data: st.DataObject) -> None:
    spec: SlotSpec = SLOTS[slot]
    first, second = (data.draw(st.integers(0, len(ALIKE[slot]) - 1)) for _ in range(2))
    one, other = ALIKE[slot][first], ALIKE[slot][second]
    assert same(spec, one, other) == (first // 2 == second // 2)
    assert (identity(spec, one) == identity(spec, other)) == (first // 2 == second // 2)


def test_the_items_of_a_long_list_are_not_compared_each_with_each(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0

    def counted(one: str, other: str) -> bool:
        nonlocal compared
        compared += 1
        return fold(one).text == fold(other).text

    monkeypatch.setattr(normalising, "same_text", counted)
    items = [f"town {at}" for at in range(100)]
    assert normalise(SLOTS["tags"], [*items, *(item.upper() for item in items)], READING) == items
    assert compared <= 200


class Visit(BaseModel):
    at: time
    budget: Money
    on: date
    insured: bool
    guests: Annotated[int, Field(ge=1)]


@pytest.mark.parametrize(
    ("slot", "value", "told"),
    [
        ("at", "some time", "is not a time (got 'some time'); write it as HH:MM"),
        ("at", "half past three", "may be 03:30 or 15:30 (got 'half past three'); write it as HH:MM"),
        (
            "budget",
            "200",
            "is not an amount of money (got '200'); write it as an amount and its currency, like 120 EUR",
        ),
        ("on", "some day", "is not a date (got 'some day'); write it as YYYY-MM-DD"),
        ("insured", "perhaps", "is not a boolean (got 'perhaps'); write it as true or false"),
        ("guests", "many", "is not a whole number (got 'many'); write it as digits"),
    ],
)
def test_of_what_is_not_of_the_kind_at_all_it_is_said_how_the_kind_is_written(slot: str, value: str, told: str) -> None:
    with pytest.raises(InvalidValue) as caught:
        Tracker(Visit).open("s").set(f"visit.{slot}", value)
    assert told in str(caught.value)


def test_a_limit_is_told_as_it_was() -> None:
    with pytest.raises(InvalidValue, match="greater than or equal to 1"):
        Tracker(Visit).open("s").set("visit.guests", 0)


class Call(BaseModel):
    at: time | None = None
    pay: Money | None = None
    pin: Annotated[time | None, Slot(sensitive=True)] = None
    extras: list[Literal["cake", "music"]] = []


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("call.at", "quarter past 3", "call.at: may be 03:15 or 15:15 (got 'quarter past 3'); write it as HH:MM"),
        ("call.at", "at 3 or at 5", "call.at: is not a time"),
        (
            "call.pay",
            "¥300",
            "call.pay: may be 300 CNY or 300 JPY (got '¥300'); write it as an amount and its currency",
        ),
        ("call.pin", "quarter past 3", "call.pin: may be 03:15 or 15:15; write it as HH:MM"),
        ("call.extras", "cake and music", "give several items as a list of them"),
    ],
)
def test_what_says_several_things_is_refused_with_what_it_may_be(path: str, value: str, said: str) -> None:
    chat = Tracker(Call, clock=lambda: NOW).open("s")
    with pytest.raises(InvalidValue) as refused:
        chat.set(path, value)
    assert said in str(refused.value)
    assert chat.state["call"][path.partition(".")[2]].status == "empty"


def test_a_lone_item_is_a_list_of_it() -> None:
    chat = Tracker(Call, clock=lambda: NOW).open("s")
    chat.set("call.extras", "cake")
    assert chat.state["call"]["extras"].value == ["cake"]
