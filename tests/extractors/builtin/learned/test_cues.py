"""What the user's words say outright, and where a number is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from slotstate import Chat, Slot, Tracker
from slotstate.domains import compile_domain
from slotstate.extractors.builtin.learned.cues import pointed
from slotstate.extractors.builtin.learned.sense import is_pronoun, looks_otherwise


class Film(BaseModel):
    """Rent a film to watch at home."""

    title: Annotated[str | None, Field(description="Title of the film"), Slot()] = None
    subtitle_language: Annotated[
        Literal["None", "English", "Spanish"] | None, Field(description="Language of the subtitles"), Slot()
    ] = None


class Flat(BaseModel):
    """Find a flat to rent and look at it."""

    area: Annotated[str | None, Field(description="City where the flat is"), Slot()] = None
    visit_date: Annotated[str | None, Field(description="Date of the visit"), Slot()] = None


class Diner(BaseModel):
    """Find a restaurant and book a table."""

    location: Annotated[str | None, Field(description="City of the restaurant"), Slot()] = None
    food: Annotated[str | None, Field(description="Kind of food"), Slot()] = None
    outdoor_seating: Annotated[bool | None, Field(description="Whether it has outdoor seating"), Slot()] = None


class Transfer(BaseModel):
    """Send money."""

    amount: Annotated[str | None, Field(description="Amount of money to send"), Slot()] = None
    recipient_name: Annotated[str | None, Field(description="Who gets it"), Slot()] = None


def played(lines: Sequence[str], *domains: type[BaseModel]) -> Chat:
    chat = Tracker(list(domains)).open("s")
    for line in lines:
        chat.assistant(line[2:].strip()) if line.startswith("A:") else chat.user(line)
    return chat


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("Yes, rent it with no subtitles please.", "None"),
        ("Yes, without subtitles.", "None"),
        ("Yes, I have no idea what the subtitles are.", None),
        ("Yes, with Spanish subtitles.", "Spanish"),
    ],
)
def test_none_of_something_is_an_option(said: str, language: str | None) -> None:
    chat = played(["I want to watch a film", "A: Shall I rent Pale Harbour for you?", said], Film)
    assert chat.state["film"]["subtitle_language"].value == language


def test_there_is_where_the_other_domain_is() -> None:
    lines = [
        "I want to rent a flat in Leeds",
        "A: It is booked.",
        "Thanks. I need a restaurant in that area that serves Thai food.",
    ]
    assert played(lines, Flat, Diner).state["diner"]["location"].value == "Leeds"


@pytest.mark.parametrize(
    ("text", "sorts"),
    [
        ("Is there anything else?", set()),
        ("there's nothing I like", set()),
        ("find a hotel there", {"place"}),
        ("something nearby on the same day", {"place", "date"}),
        ("at the same time, please", {"time"}),
    ],
)
def test_what_a_turn_points_back_to(text: str, sorts: set[str]) -> None:
    assert pointed(text) == sorts


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("Find me a one way flight.", True),
        ("I need one in Leeds", True),
        ("I like this one", True),
        ("A table for one on the 12th", False),
        ("one ticket please", False),
        ("this one, for 1 person", False),
        ("nothing of the kind", False),
    ],
)
def test_one_may_count_nothing(text: str, alone: bool) -> None:
    assert is_pronoun(text) == alone


@pytest.mark.parametrize(
    ("slot", "value", "otherwise"),
    [
        ("amount", "seventy dollars", False),
        ("amount", "a hundred", False),
        ("amount", "all of it", False),
        ("amount", "Send it", True),
        ("amount", "Maria", True),
        ("recipient_name", "Maria", False),
    ],
)
def test_a_name_is_no_amount(slot: str, value: str, otherwise: bool) -> None:
    assert looks_otherwise(compile_domain(Transfer).slots[slot], value) == otherwise


DAYS = Literal["monday", "tuesday", "friday", "saturday"]


class Ferry(BaseModel):
    """Find a ferry between two harbours."""

    leaving_from: Annotated[str | None, Field(description="harbour that the ferry leaves from"), Slot()] = None
    day: Annotated[DAYS | None, Field(description="day of the crossing"), Slot()] = None


class Cabin(BaseModel):
    """Find a cabin by the water to stay in."""

    kind: Annotated[
        Literal["cabin", "tree house", "boat house"] | None, Field(description="what sort it is"), Slot()
    ] = None
    arrival_day: Annotated[DAYS | None, Field(description="first day of the stay"), Slot()] = None
    shore: Annotated[Literal["north", "south"] | None, Field(description="shore of the lake"), Slot()] = None


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ("I need a treehouse with a view .", "cabin.kind", "tree house"),
        ("Something on the north shore , please .", "cabin.shore", "north"),
        ("We need a ferry from Lerwick on friday .", "ferry.day", "friday"),
        ("I am looking for a cabin , from friday on .", "cabin.arrival_day", "friday"),
        ("I am looking for a cabin .", "cabin.kind", None),
        ("We need a ferry from Lerwick on friday .", "cabin.arrival_day", None),
    ],
)
def test_an_option_said_in_words_is_for_the_slot_that_the_turn_is_about(
    text: str, path: str, value: str | None
) -> None:
    domain, slot = path.split(".")
    assert played([text], Ferry, Cabin).state[domain][slot].value == value


def test_an_option_called_like_its_domain_answers_a_question_for_it() -> None:
    chat = Tracker([Ferry, Cabin]).open("s")
    chat.assistant("What sort of place do you want?", asks="cabin.kind")
    chat.user("A cabin, please.")
    assert chat.state["cabin"]["kind"].value == "cabin"


class Outing(BaseModel):
    """Find something to visit."""

    sort: Annotated[
        Literal["park", "museum", "boating"] | None, Field(description="what sort of place it is"), Slot()
    ] = None


def test_another_form_of_the_word_is_no_option() -> None:
    assert played(["Is there free parking ? I need parking ."], Outing).state["outing"]["sort"].value is None
    assert played(["I want to go to a park ."], Outing).state["outing"]["sort"].value == "park"


class Crossing(BaseModel):
    """Book a ferry."""

    cabin_class: Annotated[Literal["second", "first"] | None, Field(description="class of the cabin"), Slot()] = None


@pytest.mark.parametrize(
    "text", ["Let me check the weather first .", "The second one , I think .", "At first I was not sure ."]
)
def test_an_ordinal_is_no_option_by_itself(text: str) -> None:
    assert played([text], Crossing).state["crossing"]["cabin_class"].value is None
