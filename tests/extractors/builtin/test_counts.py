"""Numbers that correct each other within a turn, and how many of a list are meant."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from slotstate import Chat, Money, Slot, Tracker
from slotstate.extractors.builtin.lexicon_en import ENGLISH
from slotstate.parsing import corrects, fold
from slotstate.parsing.cues import negated_at
from slotstate.values import jsonable

NOW = datetime(2025, 3, 4, 10, tzinfo=UTC)


class Picnic(BaseModel):
    """Order a picnic basket."""

    guests: Annotated[int, Field(ge=1, le=40), Slot(ask="How many guests are coming?", cues=["guests", "basket for"])]
    fillings: Annotated[list[Literal["cheese", "ham", "egg", "hummus"]], Slot(ask="Which fillings?")] = []
    drink: Annotated[Literal["water", "juice", "wine"] | None, Slot(ask="Water, juice or wine?")] = None
    tip: Annotated[Money | None, Slot(ask="How much is the tip, in euros?")] = None


def opened(assistant: str, asks: str | None, guests: int | None = None) -> Chat:
    chat = Tracker(Picnic, extractor="builtin", clock=lambda: NOW).open("s")
    if guests is not None:
        chat.set("picnic.guests", guests, confirmed=True)
    chat.assistant(assistant, asks=[asks] if asks else [])
    return chat


def held(chat: Chat, name: str) -> Any:
    return jsonable(chat.state["picnic"][name].value)


@pytest.mark.parametrize("guests", [None, 30])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8, no 9", 9),
        ("eight guests, no nine", 9),
        ("a basket for eight, no nine guests", 9),
        ("10 guests, no wait, 12", 12),
        ("make it 8, no 9", 9),
        ("ten, sorry, twelve", 12),
        ("8 guests, no children", 8),
        ("a basket for 8, no 3 star hotel", 8),
        ("nine, not eight", 9),
    ],
)
def test_a_number_that_corrects_the_one_before_counts(text: str, expected: int, guests: int | None) -> None:
    chat = opened("How many guests are coming?", "picnic.guests", guests)
    chat.user(text)
    assert held(chat, "guests") == expected


@pytest.mark.parametrize(("text", "expected"), [("5 euros a head, no 6", None), ("5, no 6", None)])
def test_what_corrects_an_amount_is_no_count(text: str, expected: int | None) -> None:
    chat = opened("How much is the tip, in euros?", "picnic.tip")
    chat.user(text)
    assert held(chat, "guests") == expected


def test_a_no_before_a_last_number_corrects_and_negates_nothing() -> None:
    for text in ("seven, no eight", "7, no 8 guests", "no nine"):
        assert corrects(fold(text)) is not None, text
        assert not negated_at(text, text.index("no ") + 3), text
    for text in ("seven, no eight year old", "7, no nuts", "without eight"):
        assert corrects(fold(text)) is None, text
    assert negated_at("there are no eight", len("there are no "))
    assert negated_at("no nuts", 3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a basket for 8 or 9", [8, 9]),
        ("a basket for eight or nine guests", [8, 9]),
        ("a basket for 8 or a bottle of wine", []),
        ("a basket for 8 and 3 bottles", []),
    ],
)
def test_alternatives_stay_open_where_only_the_first_has_a_cue(text: str, expected: list[int]) -> None:
    chat = opened("What can I do for you?", None)
    chat.user(text)
    pending = chat.state["picnic"]["guests"].pending
    assert (list(pending.values) if pending is not None else []) == expected
    assert held(chat, "guests") == (None if expected else 8)


LISTED = "Which fillings? Cheese, egg or hummus?"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("all of them", ["cheese", "egg", "hummus"]),
        ("I'd like all three please", ["cheese", "egg", "hummus"]),
        ("everything", ["cheese", "egg", "hummus"]),
        ("the first two", ["cheese", "egg"]),
        ("the last two please", ["egg", "hummus"]),
        ("the first and the last", ["cheese", "hummus"]),
        ("the second one", ["egg"]),
        ("all five", None),
        ("the first four", None),
        ("both", None),
        ("just one", None),
        ("only two of them", None),
        ("one or two", None),
        ("the first and the fifth", None),
        ("not the first", None),
        ("the first one looks dry", None),
        ("the first two weeks were hot and I am not sure yet", None),
        ("ham", ["ham"]),
    ],
)
def test_how_many_of_a_list_that_was_asked_for(text: str, expected: list[str] | None) -> None:
    chat = opened(LISTED, "picnic.fillings", 12)
    chat.user(text)
    assert held(chat, "fillings") == expected
    assert held(chat, "guests") == 12


def test_both_are_two_and_need_two() -> None:
    chat = opened("Ham or cheese?", "picnic.fillings")
    chat.user("both please")
    assert held(chat, "fillings") == ["ham", "cheese"]
    chat = opened("Which fillings would you like?", "picnic.fillings")
    chat.user("all of them")
    assert held(chat, "fillings") is None


@pytest.mark.parametrize("text", ["just one", "both", "all three"])
def test_how_many_chooses_none_of_several_options(text: str) -> None:
    chat = opened("Water, juice or wine?", "picnic.drink")
    chat.user(text)
    assert (held(chat, "drink"), held(chat, "guests")) == (None, None)


@pytest.mark.parametrize(("text", "expected"), [("just one", 1), ("all four", 4), ("only two", 2)])
def test_how_many_answers_a_question_for_a_number(text: str, expected: int) -> None:
    chat = opened("How many guests are coming?", "picnic.guests")
    chat.user(text)
    assert held(chat, "guests") == expected


def test_english_tells_every_part_of_a_list() -> None:
    assert set(ENGLISH.quantities) == {"all", "first", "last", "some"}
