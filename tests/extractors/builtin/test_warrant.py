"""What changes a confirmed value, and what only speaks of something else."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from slotstate import Chat, Money, Phone, Slot, Tracker
from slotstate.extract import Extractor
from slotstate.extractors.builtin import BuiltinExtractor, RulesExtractor
from slotstate.values import jsonable

WEDNESDAY = datetime(2026, 12, 2, 10, tzinfo=UTC)


class Visit(BaseModel):
    """Make an appointment with a doctor at a clinic."""

    doctor: Annotated[str, Slot(ask="Which doctor would you like to see?", cues=["Dr", "doctor"])]
    day: Annotated[date, Slot(ask="On which day?")]
    at: Annotated[time, Slot(ask="At what time?")]
    phone: Annotated[Phone | None, Slot(ask="What is your phone number?")] = None


class Catering(BaseModel):
    """Order catering for a party."""

    dish: Annotated[Literal["italian", "thai", "mexican"], Slot(ask="Which cuisine?")]
    guests: Annotated[int, Field(ge=1, le=200), Slot(ask="How many guests?")]
    party_on: Annotated[date, Slot(ask="When is the party?")]
    starts_at: Annotated[time, Slot(ask="When does it start?")]
    lasts: Annotated[timedelta | None, Slot(ask="How long will it last?")] = None
    budget: Annotated[Money, Slot(ask="What is your budget?")]
    waiters: Annotated[bool, Slot(ask="Do you need waiters?")]
    extras: Annotated[list[Literal["cake", "flowers", "music"]], Slot(ask="Any extras?")] = []


VISIT: dict[str, Any] = {"visit.doctor": "Dr Smith", "visit.day": "2026-12-08", "visit.at": "14:00"}
CATERING: dict[str, Any] = {
    "catering.dish": "thai",
    "catering.guests": 40,
    "catering.party_on": "2026-12-19",
    "catering.starts_at": "18:00",
    "catering.lasts": "PT3H",
    "catering.budget": "1500 GBP",
    "catering.waiters": True,
    "catering.extras": ["cake"],
}
HELD = VISIT | CATERING
EXTRACTORS: dict[str, Extractor] = {"rules": RulesExtractor(), "builtin": BuiltinExtractor()}


@pytest.fixture(params=EXTRACTORS)
def extractor(request: pytest.FixtureRequest) -> Extractor:
    return EXTRACTORS[str(request.param)]


def opened(extractor: Extractor, domains: Sequence[type[BaseModel]], holding: dict[str, Any]) -> Chat:
    """A conversation in which values are confirmed."""
    chat = Tracker(list(domains), extractor=extractor, clock=lambda: WEDNESDAY).open("test")
    for path, value in holding.items():
        chat.set(path, value, confirmed=True)
    return chat


def told(extractor: Extractor, path: str, *lines: str, holding: dict[str, Any] | None = None) -> Chat:
    """The conversation after `lines` on the domain of `path`, all of whose slots are confirmed unless `holding` says
    otherwise; a line "A path: …" is the assistant's, asking for that slot.
    """
    domain, start = (Visit, VISIT) if path.startswith("visit") else (Catering, CATERING)
    chat = opened(extractor, [domain], start if holding is None else holding)
    for line in lines:
        if line.startswith("A "):
            asked, _, words = line.removeprefix("A ").partition(": ")
            chat.assistant(words, asks=[asked])
        else:
            chat.user(line)
    return chat


def view(chat: Chat, path: str) -> Any:
    domain, slot = path.split(".")
    return chat.state[domain][slot]


REMARKS = [
    ("visit.day", "I had an appointment on Monday but missed it"),
    ("visit.day", "The weather on Friday will be awful"),
    ("visit.day", "my daughter was born on 5 May 2019"),
    ("visit.day", "My mother comes on Friday"),
    ("visit.day", "It has been hurting since Friday"),
    ("visit.day", "is the clinic open on Friday?"),
    ("visit.at", "My train leaves at 16:20"),
    ("visit.at", "I have to be at work by 5pm"),
    ("visit.at", "I take the bus at 3pm"),
    ("visit.day", "please call me on Friday"),
    ("visit.day", "I also have a meeting on Friday"),
    ("visit.doctor", "any other doctor is fine"),
    ("visit.doctor", "another doctor would be better"),
    ("visit.doctor", "the doctor was rude last time"),
    ("visit.doctor", "does Dr Smith speak French?"),
    ("visit.doctor", "Dr Patel treated my sister"),
    ("catering.budget", "My phone bill is £60"),
    ("catering.budget", "Do you take a £100 deposit?"),
    ("catering.lasts", "It might rain for two hours"),
    ("catering.lasts", "call me in 10 minutes"),
    ("catering.dish", "My italian neighbour will come too"),
    ("catering.dish", "The mexican place next door charges 900 pounds"),
    ("catering.waiters", "no waiters were there last time"),
    ("catering.guests", "I'm 50 on that day"),
    ("catering.guests", "The cake should be for 20 people"),
    ("catering.guests", "5 guests are vegan"),
    ("catering.extras", "I have my own flowers"),
]


@pytest.mark.parametrize(("path", "text"), REMARKS)
def test_a_remark_leaves_a_confirmed_value_as_it_is(extractor: Extractor, path: str, text: str) -> None:
    found = view(told(extractor, path, text), path)
    before = view(opened(extractor, [Visit, Catering], HELD), path)
    assert (found.value, found.status, found.pending) == (before.value, "confirmed", None)


CHANGES = [
    ("visit.day", "Friday", "2026-12-04"),
    ("visit.day", "on Friday then", "2026-12-04"),
    ("visit.day", "could we do Friday?", "2026-12-04"),
    ("visit.day", "Friday would suit me better", "2026-12-04"),
    ("visit.day", "the day is Friday", "2026-12-04"),
    ("visit.day", "it's on Friday", "2026-12-04"),
    ("visit.day", "Any slots on Friday?", "2026-12-04"),
    ("visit.day", "move it from Tuesday to Friday", "2026-12-04"),
    ("visit.at", "I'll be there at 4pm", "16:00"),
    ("visit.at", "Change the appointment to Friday at 4pm", "16:00"),
    ("visit.doctor", "Dr Patel would be better", "Patel"),
    ("visit.doctor", "my doctor is Dr Patel", "Patel"),
    ("visit.doctor", "can I see Dr Patel", "Patel"),
    ("catering.guests", "50 people", 50),
    ("catering.guests", "there will be 50 of us", 50),
    ("catering.guests", "We expect 50 guests", 50),
    ("catering.dish", "swap thai for mexican", "mexican"),
    ("catering.dish", "replace the thai food with mexican", "mexican"),
    ("catering.budget", "we can spend £2000", {"value": "2000", "currency": "GBP"}),
    ("catering.lasts", "it will last 4 hours", "PT4H"),
    ("catering.party_on", "the party is on the 20th", "2026-12-20"),
    ("catering.waiters", "we don't need waiters", False),
    ("catering.guests", "60 people will come", 60),
    ("catering.extras", "and flowers", ["cake", "flowers"]),
    ("catering.extras", "cake and music", ["cake", "music"]),
]


@pytest.mark.parametrize(("path", "text", "value"), CHANGES)
def test_words_of_change_a_wish_or_the_value_alone_change_it(
    extractor: Extractor, path: str, text: str, value: Any
) -> None:
    found = jsonable(view(told(extractor, path, text), path).value)
    assert found.removeprefix("Dr ") == value if path == "visit.doctor" else found == value


def test_the_same_remark_fills_a_slot_that_is_empty(extractor: Extractor) -> None:
    chat = opened(extractor, [Visit], {})
    chat.user("My train leaves at 16:20")
    assert view(chat, "visit.at").value == time(16, 20)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("catering.guests", "Add 5 more people"),
        ("catering.guests", "2 fewer people"),
        ("catering.guests", "10 of them are children"),
        ("catering.budget", "raise the budget by £200"),
        ("catering.lasts", "an hour longer"),
    ],
)
def test_what_is_added_or_counted_among_them_is_no_new_total(extractor: Extractor, path: str, text: str) -> None:
    before = view(opened(extractor, [Catering], CATERING), path)
    assert view(told(extractor, path, text), path).value == before.value


@pytest.mark.parametrize(
    "text",
    [
        "that's right, and my number is 07700 900123",
        "yes, my name is Tom Reed",
        "yes, and my sister is Anna",
        "Dr Smith, yes",
        "yes, correct, but make it 4pm",
    ],
)
def test_a_yes_to_a_value_answers_the_question(extractor: Extractor, text: str) -> None:
    lines = ("I'd like to see Dr Smith", "A visit.doctor: Dr Smith. Is that right?", text)
    found = view(told(extractor, "visit.doctor", *lines, holding={"visit.at": "14:00"}), "visit.doctor")
    assert (found.value.removeprefix("Dr "), found.status) == ("Smith", "confirmed")


def test_a_remark_beside_a_yes_is_no_answer(extractor: Extractor) -> None:
    question = "A visit.at: Tuesday 8 December at 14:00. Is that right?"
    found = view(told(extractor, "visit.at", question, "yes, I finish work at 1pm"), "visit.at")
    assert (found.value, found.status) == (time(14), "confirmed")


@pytest.mark.parametrize("text", ["no, it's fine", "no, earlier", "the former", "whoever is free first", "the cheaper"])
def test_what_only_judges_or_points_is_no_name(extractor: Extractor, text: str) -> None:
    found = view(told(extractor, "visit.doctor", "A visit.doctor: Dr Smith. Is that right?", text), "visit.doctor")
    assert found.value == "Dr Smith"


@pytest.mark.parametrize("text", ["no, Dr Jones", "yes, but make it Dr Jones", "right, Dr Jones", "ok, Jones then"])
def test_another_name_is_a_correction_all_the_same(extractor: Extractor, text: str) -> None:
    found = view(told(extractor, "visit.doctor", "A visit.doctor: Dr Smith. Is that right?", text), "visit.doctor")
    assert found.value.removeprefix("Dr ") == "Jones"


@pytest.mark.parametrize(
    ("asks", "text", "values"),
    [
        ("visit.at", "between 2 and 4pm", ["14:00", "16:00"]),
        ("catering.guests", "we'll be 35 to 45 people", ["35", "45"]),
        ("catering.party_on", "the 20th or 21st", ["2026-12-20", "2026-12-21"]),
    ],
)
def test_the_ends_of_a_range_are_asked_about(extractor: Extractor, asks: str, text: str, values: list[str]) -> None:
    chat = opened(extractor, [Visit, Catering], {})
    chat.assistant("Which?", asks=[asks])
    chat.user(text)
    found = view(chat, asks)
    assert (found.status, found.pending.why) == ("empty", "ambiguous")
    assert [str(jsonable(value)) for value in found.pending.values] == values


def test_a_range_of_money_is_asked_about(extractor: Extractor) -> None:
    chat = opened(extractor, [Catering], {})
    chat.assistant("What is your budget?", asks=["catering.budget"])
    chat.user("between 500 and 800 euros")
    found = view(chat, "catering.budget")
    assert found.value is None
    assert [value.value for value in found.pending.values] == [500, 800]


@pytest.mark.parametrize("text", ["in the evening instead", "no, in the morning"])
def test_the_other_half_of_the_day_has_to_be_in_that_part(extractor: Extractor, text: str) -> None:
    for said, hour in (("10am", 10), ("3pm", 15)):
        chat = opened(extractor, [Visit], {})
        chat.user(f"Thursday at {said}")
        chat.user(text)
        assert view(chat, "visit.at").value == time(hour)
        assert view(chat, "visit.doctor").value is None


def test_the_other_half_of_the_day_is_taken_where_it_is(extractor: Extractor) -> None:
    for said, text, hour in (("7am", "in the evening instead", 19), ("8pm", "no, in the morning", 8)):
        chat = opened(extractor, [Visit], {})
        chat.user(f"Thursday at {said}")
        chat.user(text)
        assert view(chat, "visit.at").value == time(hour)


OFFERED = [
    ("the half past ten one", ["10:30"]),
    ("could I take the 10.30?", ["10:30"]),
    ("nine", ["09:00"]),
    ("the middle one", ["10:30"]),
    ("the afternoon one", ["15:00"]),
    ("the morning one", ["09:00", "10:30"]),
    ("not the morning one", []),
    ("either of the first two", []),
    ("in the evening", []),
]


@pytest.mark.parametrize(("text", "values"), OFFERED)
def test_offered_times_are_told_apart(extractor: Extractor, text: str, values: list[str]) -> None:
    chat = opened(extractor, [Visit], {})
    chat.assistant(
        "We have 9:00, 10:30 and 15:00.", asks=["visit.at"], offers={"visit.at": ["09:00", "10:30", "15:00"]}
    )
    chat.user(text)
    found = view(chat, "visit.at")
    if len(values) == 1:
        assert jsonable(found.value) == values[0]
    else:
        assert found.value is None
        assert [jsonable(value) for value in (found.pending.values if found.pending else ())] == values


def test_an_offered_name_that_is_negated_is_ruled_out(extractor: Extractor) -> None:
    chat = opened(extractor, [Visit], {})
    chat.assistant("Dr Patel or Dr Jones?", asks=["visit.doctor"], offers={"visit.doctor": ["Dr Patel", "Dr Jones"]})
    chat.user("anyone but Dr Jones")
    assert (view(chat, "visit.doctor").value, list(view(chat, "visit.doctor").excluded)) == (None, ["Dr Jones"])


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("Dr Smith on 9 December at 3pm", {"visit.day": "2026-12-09", "visit.at": "15:00"}),
        ("I want to see Dr Smith tomorrow at 3pm", {"visit.day": "2026-12-03", "visit.at": "15:00"}),
        ("book a doctor's appointment for Friday at 4pm", {"visit.day": "2026-12-04", "visit.at": "16:00"}),
        ("20 December at 6pm, 25 guests", {"catering.party_on": "2026-12-20", "catering.starts_at": "18:00"}),
        ("Now the catering: 20 December at 6pm", {"catering.party_on": "2026-12-20", "catering.starts_at": "18:00"}),
    ],
)
def test_values_go_to_the_domain_that_the_turn_speaks_of(
    extractor: Extractor, text: str, filled: dict[str, str]
) -> None:
    chat = opened(extractor, [Visit, Catering], {})
    chat.user(text)
    dated = {
        path: view(chat, path) for path in HELD if path.rpartition(".")[2] in {"day", "at", "party_on", "starts_at"}
    }
    assert {path: jsonable(one.value) for path, one in dated.items() if one.status != "empty"} == filled
    assert view(chat, "visit.doctor").value in {None, "Smith", "Dr Smith"}


def test_the_other_domain_keeps_what_is_confirmed(extractor: Extractor) -> None:
    chat = opened(extractor, [Visit, Catering], VISIT)
    chat.user("Now the catering: 20 December at 6pm, 25 guests")
    assert {path: jsonable(view(chat, path).value) for path in VISIT} == VISIT
    chat.user("And please move the doctor to 4pm")
    assert (view(chat, "visit.doctor").value, view(chat, "visit.at").value) == ("Dr Smith", time(16))
