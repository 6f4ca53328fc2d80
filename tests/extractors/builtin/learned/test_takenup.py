"""Dates, times and numbers that only the assistant has said: what takes one up, and what leaves it alone."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from slotstate import Chat, Slot, Tracker
from slotstate.values import jsonable

NOW = datetime(2025, 3, 4, 10, tzinfo=UTC)  # a Tuesday


class Haircut(BaseModel):
    """Book a haircut at the hairdresser's."""

    stylist: Annotated[str | None, Slot(ask="With which stylist?", cues=["stylist"])] = None
    day: Annotated[date, Slot(ask="Which day suits you?")]
    time: Annotated[time, Slot(ask="At what time?")]
    washing: Annotated[bool | None, Slot(ask="Do you want your hair washed?", aliases={"true": ["a wash"]})] = None


def heard(assistant: str, offers: dict[str, Any] | None = None, first: str = "a haircut on Thursday, please") -> Chat:
    chat = Tracker(Haircut, extractor="builtin", clock=lambda: NOW).open("s")
    chat.user(first)
    chat.assistant(assistant, offers=offers or {})
    return chat


def at(chat: Chat) -> Any:
    return jsonable(chat.state["haircut"]["time"].value)


TWO = "There are appointments at 10 am and 3 pm."
ONE = "How about 3 pm?"
IDLE = (
    "give me a second",
    "umbrella",
    "my sister will laugh at me",
    "I must look at my calendar",
    "a little early for me",
    "much too late",
    "perhaps",
    "hm",
    "good question",
)


@pytest.mark.parametrize("text", IDLE)
@pytest.mark.parametrize(
    ("assistant", "offers"), [(ONE, None), (TWO, None), (TWO, {"haircut.time": ["10:00", "15:00"]})]
)
def test_words_that_neither_accept_nor_choose_take_up_no_time(text: str, assistant: str, offers: Any) -> None:
    chat = heard(assistant, offers)
    chat.user(text)
    assert at(chat) is None


@pytest.mark.parametrize(
    "text",
    [
        "yes please",
        "that suits me",
        "a good time",
        "we can make that",
        "that would work",
        "you got it",
        "great, with a wash",
        "3 pm it is",
    ],
)
def test_a_time_is_taken_up_by_words_that_accept_it(text: str) -> None:
    chat = heard(ONE)
    chat.user(text)
    assert at(chat) == "15:00"


@pytest.mark.parametrize("offers", [None, {"haircut.time": ["10:00", "15:00"]}])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the second one", "15:00"),
        ("the earlier one please", "10:00"),
        ("3 pm", "15:00"),
        ("sure", None),
        ("fine by me", None),
        ("lovely, and a wash", None),
    ],
)
def test_of_several_times_one_is_chosen_or_none(text: str, expected: str | None, offers: Any) -> None:
    chat = heard(TWO, offers)
    chat.user(text)
    assert at(chat) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("close the window", None),
        ("umbrella", None),
        ("no clue", None),
        ("ok", None),
        ("in the evening", "19:00"),
        ("the first", "07:00"),
        ("7 pm", "19:00"),
    ],
)
def test_an_hour_that_may_be_either_is_settled_by_words_about_it(text: str, expected: str | None) -> None:
    chat = heard("At what time? 07:00 or 19:00?", first="a haircut on Thursday at 7")
    assert chat.state["haircut"]["time"].pending is not None
    chat.user(text)
    assert at(chat) == expected


class Party(BaseModel):
    """Plan a dinner party."""

    guests: Annotated[int | None, Slot(ask="How many guests?", cues=["guests"])] = None
    starts: Annotated[time | None, Slot(ask="When does it start?")] = None


@pytest.mark.parametrize(
    ("assistant", "text", "guests"),
    [
        ("It could start at 6 pm or 9 pm.", "9", 4),
        ("It could start at 6 pm or 9 pm.", "9 guests", 9),
        ("It could start at 6 pm or 9 pm.", "8", 8),
        ("It starts at 9 pm. How many guests?", "9", 9),
    ],
)
def test_the_hour_of_an_offered_time_counts_nothing_else(assistant: str, text: str, guests: int) -> None:
    chat = Tracker(Party, extractor="builtin", clock=lambda: NOW).open("s")
    chat.set("party.guests", 4)
    chat.assistant(assistant)
    chat.user(text)
    assert chat.state["party"]["guests"].value == guests


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the 20th", "2025-03-20"),
        ("the 12th", "2025-03-12"),
        ("Wednesday", "2025-03-12"),
        ("on Fri", "2025-03-14"),
        ("March 27", "2025-03-27"),
    ],
)
def test_a_day_outside_the_open_ones_stands_for_itself(text: str, expected: str) -> None:
    chat = heard("Which day suits you?", first="some time next week")
    assert chat.state["haircut"]["day"].pending is not None
    chat.user(text)
    assert jsonable(chat.state["haircut"]["day"].value) == expected
