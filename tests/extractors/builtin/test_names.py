"""Names with periods in them, and adverbs, which are none."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from slotstate import Chat, Money, Slot, Tracker
from slotstate.extractors.builtin import BuiltinExtractor
from slotstate.extractors.builtin.words import Words
from slotstate.values import jsonable
from tests.extractors.builtin.scene import NOW


class Parcel(BaseModel):
    """Send a parcel to somebody."""

    recipient: Annotated[str, Slot(ask="Who shall get the parcel?", cues=["to", "recipient"])]
    insured: Annotated[Money | None, Slot(ask="For how much, in pounds, is it insured?")] = None
    due_on: Annotated[date | None, Slot(ask="On which day?")] = None
    contents: Annotated[str | None, Slot(ask="What is in it?")] = None


def opened(asks: str, **values: Any) -> Chat:
    chat = Tracker(Parcel, extractor=BuiltinExtractor(), clock=lambda: NOW).open("s")
    for name, value in values.items():
        chat.set(f"parcel.{name}", value, confirmed=True)
    chat.assistant("", asks=[f"parcel.{asks}"]) if asks else None
    return chat


def held(chat: Chat, name: str) -> Any:
    view = chat.state["parcel"][name]
    return jsonable(view.value) if view.status != "empty" else None


NAMES = [
    ("Mr. Jan Novak", "Mr. Jan Novak"),
    ("Mrs. Vera Novak, please", "Mrs. Vera Novak"),
    ("Prof. Ines Prado. Thanks", "Prof. Ines Prado"),
    ("St. Luke's School", "St. Luke's School"),
    ("Olga B. Winter", "Olga B. Winter"),
    ("T. S. Garner", "T. S. Garner"),
    ("Team B. Thanks", "Team B"),
    ("Vera. Thanks", "Vera"),
]


@pytest.mark.parametrize(("text", "name"), NAMES)
def test_a_name_is_not_cut_at_an_abbreviation(text: str, name: str) -> None:
    chat = opened("recipient")
    chat.user(text)
    assert held(chat, "recipient") == name


def test_the_next_sentence_is_no_part_of_it() -> None:
    chat = opened("recipient")
    chat.user("Dr. Vera Novak. On Friday please.")
    assert (held(chat, "recipient"), held(chat, "due_on")) == ("Dr. Vera Novak", "2024-05-17")
    chat = opened("", recipient="Jan Novak")
    chat.user("send it to Dr. Olga B. Winter instead. Thanks.")
    assert held(chat, "recipient") == "Dr. Olga B. Winter"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("I see Dr. Hall on Friday. Can he call?", 2),
        ("Call J. Hall. He knows.", 2),
        ("I took line b. Then we walked.", 2),
        ("We live on Mill St. Please ring.", 2),
        ("I am in room B. See you.", 2),
        ("It weighs 2 kg. Jan packed it.", 2),
        ("It was I. Jan knew.", 2),
        ("Ask dr. novak. Or me.", 3),
        ("It is for a Mr. Is that clear?", 2),
        ("Dr.", 1),
        ("Who? Dr. Hall.", 2),
    ],
)
def test_sentences_end_where_they_end(text: str, count: int) -> None:
    assert len(Words(text).sentences) == count


@pytest.mark.parametrize(
    "text", ["almost", "Nearly there", "mostly", "almost: 90 pounds", "exactly", "guess", "no, hardly"]
)
def test_an_adverb_is_no_name(text: str) -> None:
    chat = opened("recipient")
    chat.user(text)
    assert held(chat, "recipient") is None
    chat = opened("recipient", recipient="Jan Novak")
    chat.user(text)
    assert held(chat, "recipient") == "Jan Novak"


@pytest.mark.parametrize(
    ("asks", "text", "expected"),
    [("recipient", "Almost Home", "Almost Home"), ("contents", "mostly books", "mostly books")],
)
def test_an_adverb_beside_other_words_may_be(asks: str, text: str, expected: str) -> None:
    chat = opened(asks)
    chat.user(text)
    assert held(chat, asks) == expected
