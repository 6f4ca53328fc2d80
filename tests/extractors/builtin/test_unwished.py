"""Over values that are held: the past, refusals, questions and counts of others are no wish to change them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from slotstate import Chat, Money, Slot, Tracker
from slotstate.extract import Extractor
from slotstate.extractors.builtin import BuiltinExtractor, RulesExtractor
from slotstate.values import jsonable

WEDNESDAY = datetime(2026, 12, 2, 10, tzinfo=UTC)


class Gym(BaseModel):
    """Join a gym."""

    tariff: Annotated[Literal["basic", "gold", "family"], Slot(ask="Which tariff: basic, gold or family?")]
    weeks: Annotated[int, Field(ge=1, le=52), Slot(ask="For how many weeks?", cues=["weeks"])]
    fee: Annotated[Money | None, Slot(ask="How much may it cost, in euros?")] = None
    trainer: Annotated[str | None, Slot(ask="Which trainer would you like?", cues=["trainer"])] = None
    starts_on: Annotated[date, Slot(ask="On which day do you start?")]


class Tour(BaseModel):
    """Book a guided tour."""

    people: Annotated[int, Field(ge=1, le=30), Slot(ask="How many people are you?", cues=["guests"])]
    day: Annotated[date, Slot(ask="On which day?")]
    at: Annotated[time, Slot(ask="At what time?")]
    payment: Annotated[
        Literal["debit", "credit"] | None, Slot(ask="Which card?", aliases={"debit": ["debit card"]})
    ] = None
    note: Annotated[str | None, Slot(ask="Any note for the guide?", cues=["note"])] = None
    diets: Annotated[list[Literal["kosher", "vegan"]], Slot(ask="Any diets?")] = []


HELD: dict[str, Any] = {
    "gym.tariff": "basic",
    "gym.weeks": 20,
    "gym.fee": "60 EUR",
    "gym.trainer": "Kate Moss",
    "gym.starts_on": "2026-12-14",
    "tour.people": 5,
    "tour.day": "2026-12-15",
    "tour.at": "14:00",
    "tour.payment": "credit",
    "tour.note": "we speak French",
}
EXTRACTORS: dict[str, Extractor] = {"rules": RulesExtractor(), "builtin": BuiltinExtractor()}


@pytest.fixture(params=EXTRACTORS)
def extractor(request: pytest.FixtureRequest) -> Extractor:
    return EXTRACTORS[str(request.param)]


def after(extractor: Extractor, path: str, lines: Sequence[str], *, confirmed: bool = True) -> Chat:
    """The conversation after `lines` on the domain of `path`, whose slots are held; "A: …" is the assistant's."""
    domain = path.partition(".")[0]
    chat = Tracker([Gym if domain == "gym" else Tour], extractor=extractor, clock=lambda: WEDNESDAY).open("test")
    for name, value in HELD.items():
        if name.startswith(f"{domain}."):
            chat.set(name, value, confirmed=confirmed)
    for line in lines:
        if line.startswith("A: "):
            chat.assistant(line.removeprefix("A: "), asks=[path])
        else:
            chat.user(line)
    return chat


def value(chat: Chat, path: str) -> Any:
    domain, slot = path.split(".")
    return jsonable(chat.state[domain][slot].value)


def start(path: str) -> Any:
    money = {"60 EUR": {"value": "60", "currency": "EUR"}}
    return money.get(str(HELD[path]), HELD[path])


UNWISHED = [
    ("gym.tariff", "we had the tariff gold before"),
    ("gym.tariff", "my former tariff was family"),
    ("gym.tariff", "the gold tariff was too dear for us"),
    ("gym.weeks", "my first course ran for 8 weeks"),
    ("gym.weeks", "in 2 weeks I start a new job"),
    ("gym.fee", "the fee used to be 40 euros"),
    ("gym.fee", "my fee last year was 45 euros"),
    ("gym.fee", "is there an extra charge of 10 euros?"),
    ("gym.fee", "are there discounts of 5 euros?"),
    ("gym.trainer", "my previous trainer was Paul Smith"),
    ("gym.starts_on", "please don't move it to Friday"),
    ("gym.starts_on", "don't start it on Friday"),
    ("gym.starts_on", "I thought the day was Friday"),
    ("gym.starts_on", "I couldn't make Friday"),
    ("gym.starts_on", "we are not in town on Friday"),
    ("tour.at", "oh dear, it's already 10 pm"),
    ("tour.people", "last month our group was for nine"),
    ("tour.people", "we have three children with us"),
    ("tour.people", "we will be on the bus for two hours"),
    ("tour.people", "and one guest is kosher"),
    ("tour.people", "two guests have a wheelchair"),
    ("tour.payment", "how much money is on my debit card?"),
    ("tour.payment", "do you accept debit cards?"),
    ("tour.payment", "my debit card is empty"),
    ("tour.payment", "the debit card is new by the way"),
    ("tour.note", "make it 7"),
]


@pytest.mark.parametrize(("path", "text"), UNWISHED)
def test_what_is_told_refused_or_asked_changes_nothing(extractor: Extractor, path: str, text: str) -> None:
    assert value(after(extractor, path, [text]), path) == start(path)


WISHED = [
    ("gym.tariff", "gold instead", "gold"),
    ("gym.tariff", "it used to be fine, but now I need the tariff gold", "gold"),
    ("gym.tariff", "I have the gold tariff", "gold"),
    ("gym.tariff", "could I have the tariff gold?", "gold"),
    ("gym.weeks", "12 weeks is enough", 12),
    ("gym.weeks", "no, 12 weeks", 12),
    ("gym.fee", "I was wrong, make the fee 80 euros", {"value": "80", "currency": "EUR"}),
    ("gym.starts_on", "can we make it Friday instead?", "2026-12-04"),
    ("gym.starts_on", "I can't make the 14th, so make it Friday", "2026-12-04"),
    ("gym.starts_on", "why don't we move it to Friday?", "2026-12-04"),
    ("gym.starts_on", "is Friday possible?", "2026-12-04"),
    ("gym.starts_on", "how about Friday?", "2026-12-04"),
    ("gym.starts_on", "I was thinking of Friday instead", "2026-12-04"),
    ("tour.at", "it's at 10 pm", "22:00"),
    ("tour.people", "we are nine", 9),
    ("tour.people", "nine people are coming", 9),
    ("tour.people", "nine guests is enough", 9),
    ("tour.payment", "use my debit card", "debit"),
    ("tour.payment", "the money should come from the debit card", "debit"),
    ("tour.payment", "can you take it from my debit card?", "debit"),
]


@pytest.mark.parametrize(("path", "text", "wanted"), WISHED)
def test_a_wish_near_it_changes_the_value(extractor: Extractor, path: str, text: str, wanted: Any) -> None:
    assert value(after(extractor, path, [text]), path) == wanted


@pytest.mark.parametrize("confirmed", [True, False])
def test_what_was_last_month_answers_no_check(extractor: Extractor, confirmed: bool) -> None:
    lines = ("A: 60 euros for the gym. Is that right?", "Yes, I paid 45 euros last month too")
    assert value(after(extractor, "gym.fee", lines, confirmed=confirmed), "gym.fee") == start("gym.fee")


@pytest.mark.parametrize("text", ["none of us is vegan", "nobody here eats kosher", "not one of the guests is vegan"])
def test_what_nobody_is_fills_nothing(extractor: Extractor, text: str) -> None:
    assert value(after(extractor, "tour.diets", [text]), "tour.diets") in (None, [])


@pytest.mark.parametrize("text", ["one of us is vegan", "we are all vegan"])
def test_what_somebody_is_fills_it(extractor: Extractor, text: str) -> None:
    assert value(after(extractor, "tour.diets", [text]), "tour.diets") == ["vegan"]


class Lesson(BaseModel):
    """Take a lesson."""

    previous_day: Annotated[date | None, Slot(ask="When was your previous lesson?")] = None


def test_a_slot_for_the_past_is_told_of_in_the_past(extractor: Extractor) -> None:
    chat = Tracker([Lesson], extractor=extractor, clock=lambda: WEDNESDAY).open("test")
    chat.set("lesson.previous_day", "2026-11-02", confirmed=True)
    chat.assistant("When was your previous lesson?", asks=["lesson.previous_day"])
    chat.user("my previous day was 5 November 2026")
    assert value(chat, "lesson.previous_day") == "2026-11-05"
