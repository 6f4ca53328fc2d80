"""A value of another schema as one of this: certain, or left over."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, Field, StringConstraints, WrapValidator, create_model

from slotstate import Email, Money, Phone, Slot
from slotstate.domains import compile_domain
from slotstate.evolution import fit
from slotstate.evolution.shapes import fits
from slotstate.slots import UNSET, SlotSpec
from slotstate.values import Reading

AT = datetime(2026, 11, 30, 9, tzinfo=UTC)  # a Monday
READING = Reading(AT)
Seat = Annotated[Literal["second", "first"], Slot(aliases={"second": ["second class", "二等座"]})]


class Address(BaseModel):
    street: str
    postcode: Annotated[str, Slot(was="zip")] = ""
    floor: int = 0


class Floor(Enum):
    GROUND = 0
    TOP = 9


class Euros(Money):
    currency: Literal["EUR"]  # pyright: ignore[reportIncompatibleVariableOverride]


def _spec(annotation: Any, **config: Any) -> SlotSpec:
    rules: Any = config or None
    model = create_model("M", __config__=rules, slot=(annotation, ...))
    return compile_domain(model).slots["slot"]


KEPT: list[tuple[Any, Any, Any]] = [
    # as it is
    (str, "lots", "lots"),
    (int, 4, 4),
    (Decimal, "19.90", "19.90"),
    (Money, {"value": "20", "currency": "EUR"}, {"value": "20", "currency": "EUR"}),
    (Seat, "first", "first"),
    # spellings of the same
    (int, "4", 4),
    (int, "four", 4),
    (int, 4.0, 4),
    (int, "4.0", 4),
    (float, 4, 4.0),
    (float, "98.4", 98.4),
    (Decimal, 4, "4"),
    (Decimal, 4.5, "4.5"),
    (str, 4, "4"),
    (Phone, "+44 20 7946 0000", "+442079460000"),
    (Phone, 442079460000, "442079460000"),
    (Email, "ada@example.org", "ada@example.org"),
    (Money, "20 EUR", {"value": "20", "currency": "EUR"}),
    (Money, "£20", {"value": "20", "currency": "GBP"}),
    (Euros, {"value": "20", "currency": "EUR"}, {"value": "20", "currency": "EUR"}),
    (date, "2026-12-04", "2026-12-04"),
    (date, "4 December 2026", "2026-12-04"),
    (date, "tomorrow", "2026-12-01"),
    (time, "09:15:00", "09:15"),
    (time, "7 pm", "19:00"),
    (datetime, "tomorrow at 7 pm", "2026-12-01T19:00:00+00:00"),
    (datetime, "2026-12-04T21:00:00", "2026-12-04T21:00:00+00:00"),
    (timedelta, "two hours", "PT2H"),
    (timedelta, "PT120M", "PT2H"),
    (bool, "yes", True),
    (bool, "false", False),
    (bool, "No", False),
    (Literal["yes", "no"], True, "yes"),
    (Literal["yes", "no"], False, "no"),
    (Seat, "second class", "second"),
    (Seat, "二等座", "second"),
    (Seat, "FIRST", "first"),
    (Literal["1", "2"], 2, "2"),
    (Literal[1, 2], "2", 2),
    (Floor, "9", 9),
    (Annotated[str, StringConstraints(to_upper=True)], "muc", "MUC"),
    # one and a list of one
    (list[str], "Oslo", ["Oslo"]),
    (list[int], ["1", "two"], [1, 2]),
    (list[int], ["2", 2], [2]),
    (str, ["Oslo"], "Oslo"),
    (int, ["4"], 4),
    # fields
    (Address, {"street": "High St", "zip": "80331"}, {"street": "High St", "postcode": "80331"}),
    (Address, {"street": "High St", "floor": "2"}, {"street": "High St", "floor": 2}),
    (dict[str, int], {"soup": "2"}, {"soup": 2}),
    (dict[str, str], {"street": "High St", "floor": 2}, {"street": "High St", "floor": "2"}),
    (list[Address], {"street": "High St"}, [{"street": "High St"}]),
]


@pytest.mark.parametrize(("annotation", "value", "expected"), KEPT)
def test_what_means_one_thing_only_is_converted(annotation: Any, value: Any, expected: Any) -> None:
    spec = _spec(annotation)
    found = fit(spec, value, READING)
    assert (found.value, found.why) == (expected, "")
    assert type(found.value) is type(expected)
    assert fits(spec, found.value, READING)


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (int, "lots"),
        (int, "about 4 people"),
        (int, "4 or 5"),
        (int, 4.5),
        (int, "4.5"),
        (int, True),
        (int, {"value": "4", "currency": "EUR"}),
        (Annotated[int, Field(le=6)], 9),
        (Annotated[int, Field(le=6)], "9"),
        (float, "2026-12-04"),
        (Decimal, {"value": "20", "currency": "EUR"}),
        (str, True),
        (str, {"value": "20", "currency": "EUR"}),
        (str, ["Oslo", "Bergen"]),
        (str, []),
        (str, None),
        (Annotated[str, Field(pattern="^[A-Z]{3}$")], "Munich"),
        (Annotated[str, Field(max_length=3)], "Munich"),
        (bool, 1),
        (bool, "perhaps"),
        (bool, "yes, but only on Sundays"),
        (Money, "20"),
        (Money, 20),
        (Euros, {"value": "20", "currency": "GBP"}),
        (date, 20261204),
        (date, "20"),
        (date, "2026-12-04T21:00:00+01:00"),
        (date, "4 or 5 December"),
        (datetime, "2026-12-04"),
        (datetime, "7 pm"),
        (datetime, 1),
        (time, 7),
        (time, "2026-12-04T21:00:00+01:00"),
        (timedelta, "10:00"),
        (timedelta, 90),
        (Phone, "2026-12-04"),
        (Phone, "x"),
        (Email, "ada"),
        (Seat, "third"),
        (Seat, "first or second"),
        (Literal["yes", "no"], "perhaps"),
        (Literal["a", "b"], True),
        (list[int], "lots"),
        (list[int], ["lots"]),
        (Annotated[list[str], Field(max_length=2)], ["a", "b", "c"]),
        (Address, "High St"),
        (Address, {"city": "York"}),
        (dict[str, int], "soup"),
        (dict[str, int], {"soup": "hot"}),
    ],
)
def test_what_is_open_fits_nowhere(annotation: Any, value: Any) -> None:
    spec = _spec(annotation)
    found = fit(spec, value, READING)
    assert found.value is UNSET
    assert found.rest == value
    assert spec.path in found.why
    assert str(value) not in found.why or len(str(value)) < 4
    assert "\n" not in found.why


@pytest.mark.parametrize(
    ("annotation", "value", "kept", "rest"),
    [
        (Address, {"street": "High St", "city": "York"}, {"street": "High St"}, {"city": "York"}),
        (Address, {"street": "High St", "floor": "attic"}, {"street": "High St"}, {"floor": "attic"}),
        (Address, {"postcode": "1", "zip": "2"}, {"postcode": "1"}, {"zip": "2"}),
        (list[Seat], ["first", "third"], ["first"], ["third"]),
        (list[Address], [{"street": "A", "city": "B"}], [{"street": "A"}], [{"city": "B"}]),
        (dict[str, int], {"soup": 1, "bread": "some"}, {"soup": 1}, {"bread": "some"}),
    ],
)
def test_parts_that_fit_nowhere_are_left_over(annotation: Any, value: Any, kept: Any, rest: Any) -> None:
    found = fit(_spec(annotation), value, READING)
    assert (found.value, found.rest) == (kept, rest)
    assert "slot" in found.why


def test_functions_that_look_at_the_clock_do_not_decide() -> None:
    def ahead(day: date) -> date:
        if day < date(2099, 1, 1):
            raise ValueError("lies in the past")
        return day

    found = fit(_spec(Annotated[date, AfterValidator(ahead)]), "2026-12-04", READING)
    assert (found.value, found.why) == ("2026-12-04", "")
    assert fit(_spec(Annotated[date, AfterValidator(ahead)]), "4 December 2026", READING).value == "2026-12-04"


def test_what_the_slots_own_function_lets_through_fits() -> None:
    def many(value: Any, limited: Any) -> Any:
        return 99 if value in {99, "many"} else limited(value)

    spec = _spec(Annotated[int, Field(le=9), WrapValidator(many)])
    assert fit(spec, 99, READING).value == 99
    assert fit(spec, 12, READING).value is UNSET


def test_a_date_without_a_year_looks_the_way_its_slot_does() -> None:
    past = _spec(Annotated[date, Slot(ask="When were you born?")])
    ahead = _spec(Annotated[date, Slot(ask="Which day?")])
    assert fit(ahead, "3 March", READING).value == "2027-03-03"
    assert fit(past, "3 March", Reading(AT, prefer="past")).value == "2026-03-03"


def test_the_models_rules_for_texts_count() -> None:
    spec = _spec(str, str_to_upper=True)
    assert fit(spec, "muc", READING).value == "MUC"
    assert fit(_spec(str, str_max_length=2), "muc", READING).value is UNSET


class Plain(BaseModel):
    words: str
    count: int
    share: float
    price: Decimal
    day: date
    at: time
    stamp: datetime
    took: timedelta
    fits: bool
    seat: Seat
    many: list[str]
    sizes: Annotated[list[int], Field(max_length=5)]
    parts: Address
    amounts: dict[str, Decimal]
    cost: Money


ANY = compile_domain(Plain)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-99, 99)
    | st.floats(-9, 9)
    | st.text("ab12 -:£", max_size=8)
    | st.sampled_from(["2026-12-04", "10:00", "PT2H", "yes", "first", "two", "20 EUR", "2026-12-04T10:00:00+00:00"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["street", "zip", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.sampled_from(sorted(ANY.slots)), JSON)
def test_nothing_of_any_value_is_lost(name: str, value: Any) -> None:
    spec = ANY.slots[name]
    found = fit(spec, value, READING)
    if found.value is UNSET:
        assert found.rest == value
        assert found.why
        return
    assert fits(spec, found.value, READING)
    again = fit(spec, found.value, READING)
    assert (again.value, again.why) == (found.value, "")
    assert (found.rest is not None) == bool(found.why)
