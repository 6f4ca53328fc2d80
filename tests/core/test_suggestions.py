"""What an extractor reads in the assistant's turn stays an open offer; it never changes what a slot holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from slotstate import DONTCARE, Chat, Slot, Tracker
from slotstate.extract import Change, Extraction, Request, Suggestion
from slotstate.extractors.chained import ChainedExtractor


class Stay(BaseModel):
    """Book a place to stay."""

    place: str | None = None
    view: Annotated[Literal["sea", "garden"] | None, Slot()] = None
    guest: Annotated[str | None, Slot(evidence="user")] = None
    nights: int | None = None


@dataclass
class Reader:
    """Finds what it is told to."""

    next: Extraction = field(default_factory=Extraction)

    def extract(self, request: Request) -> Extraction:
        return self.next

    async def aextract(self, request: Request) -> Extraction:
        return self.next


@dataclass
class Talk:
    reader: Reader = field(default_factory=Reader)
    chat: Chat = field(init=False)

    def __post_init__(self) -> None:
        self.chat = Tracker(Stay, extractor=self.reader).open("s")

    def user(self, text: str, *changes: Change, suggests: tuple[tuple[str, Any], ...] = ()) -> Any:
        self.reader.next = Extraction(changes, suggestions=tuple(Suggestion(*one) for one in suggests))
        return self.chat.user(text)

    def offers(self, name: str = "place") -> list[Any]:
        return [offer.value for offer in self.chat.state["stay"][name].offers]


INN = (("stay.place", "Harbour Inn"),)


def asked_about() -> Talk:
    """An offer that the user asks about before taking it up."""
    talk = Talk()
    talk.chat.assistant("How about the Harbour Inn?")
    talk.user("Does it have a car park?", suggests=INN)
    talk.chat.assistant("It does, behind the house.")
    return talk


def test_a_value_that_the_user_asked_about_first_can_be_taken_up_later() -> None:
    talk = asked_about()
    assert talk.offers() == ["Harbour Inn"]
    talk.user("That's fine.", Change("set", "stay.place", "Harbour Inn", "That's fine"))
    place = talk.chat.state["stay"]["place"]
    assert (place.status, place.value, place.source, place.grade) == ("filled", "Harbour Inn", "offer", "accepted")
    assert talk.offers() == []


def test_without_it_a_bare_yes_takes_up_nothing() -> None:
    talk = Talk()
    talk.chat.assistant("How about the Harbour Inn?")
    talk.user("Does it have a car park?")
    talk.chat.assistant("It does, behind the house.")
    turn = talk.user("That's fine.", Change("set", "stay.place", "Harbour Inn", "That's fine"))
    assert [one.reason for one in turn.rejected] == ["unknown_offer"]


@pytest.mark.parametrize("status", ["filled", "confirmed"])
def test_a_held_value_is_asked_about(status: str) -> None:
    talk = asked_about()
    talk.chat.set("stay.place", "Mill House", confirmed=status == "confirmed")
    talk.chat.assistant("How about the Harbour Inn?")
    talk.user("Is it far?", suggests=INN)
    talk.chat.assistant("Two minutes.")
    talk.user("That's fine.", Change("set", "stay.place", "Harbour Inn", "That's fine"))
    place = talk.chat.state["stay"]["place"]
    assert (place.value, place.status) == ("Mill House", status)
    assert place.pending is not None
    assert place.pending.why == "conflict"


@pytest.mark.parametrize(
    ("said", "suggests"),
    [
        ("No, something else.", INN),
        ("Is it far?", (("stay.place", "Mill House"),)),
        ("Is it far?", (("stay.cellar", "Harbour Inn"),)),
        ("Is it far?", (("stay.place", None),)),
        ("Is it far?", (("stay.place", DONTCARE),)),
        ("Is it far?", (("stay.place", ["Harbour Inn"]),)),
        ("Is it far?", (("stay.guest", "Harbour Inn"),)),
        ("Is it far?", (("stay.nights", "Harbour Inn"),)),
    ],
)
def test_what_was_refused_not_said_or_does_not_fit_is_no_offer(
    said: str, suggests: tuple[tuple[str, Any], ...]
) -> None:
    talk = Talk()
    talk.chat.assistant("How about the Harbour Inn?")
    talk.user(said, suggests=suggests)
    assert [talk.offers(name) for name in ("place", "view", "guest", "nights")] == [[], [], [], []]


def test_what_the_turn_settles_needs_no_offer() -> None:
    talk = Talk()
    talk.chat.assistant("How about the Harbour Inn?")
    talk.user("The Mill House.", Change("set", "stay.place", "Mill House", "The Mill House"), suggests=INN)
    assert talk.offers() == []
    talk.chat.assistant("The Mill House or the Harbour Inn?")
    talk.user("Hm.", suggests=(("stay.place", "Mill House"), *INN, *INN))
    assert talk.offers() == ["Harbour Inn"]


def test_a_denied_slot_and_an_excluded_value_get_none() -> None:
    talk = Talk()
    talk.chat.assistant("How about the Harbour Inn, with a view of the sea?")
    talk.user(
        "Not the sea. Is it far?",
        Change("exclude", "stay.view", "sea", "Not the sea"),
        Change("deny", "stay.place", None, "Not the sea"),
        suggests=(*INN, ("stay.view", "sea")),
    )
    assert (talk.offers("view"), talk.offers()) == ([], [])


def test_only_the_first_answer_to_an_assistant_turn_counts() -> None:
    talk = Talk()
    talk.user("Hello.", suggests=INN)
    talk.chat.assistant("How about the Harbour Inn?")
    talk.user("Let me think.")
    talk.user("And so?", suggests=INN)
    assert talk.offers() == []


def test_what_is_no_suggestion_is_left_out() -> None:
    talk = Talk()
    talk.chat.assistant("How about the Harbour Inn?")
    odd: Any = ("stay.place", Suggestion(3, "Harbour Inn"), Suggestion("stay.place", "Harbour Inn"))  # type: ignore[arg-type]
    talk.reader.next = Extraction(suggestions=odd)
    talk.chat.user("Is it far?")
    assert talk.offers() == ["Harbour Inn"]
    talk.reader.next = Extraction(suggestions=[*odd])  # type: ignore[arg-type]
    talk.chat.assistant("The Harbour Inn is near.")
    assert talk.chat.user("Good to know.").extraction == "ok"


def test_the_chain_keeps_what_both_read() -> None:
    first = Reader(Extraction(suggestions=(Suggestion("stay.place", "Harbour Inn"),), confidence=0.1))
    second = Reader(Extraction(suggestions=(Suggestion("stay.view", "sea"),)))
    chat = Tracker(Stay, extractor=ChainedExtractor(first, second)).open("s")
    chat.assistant("How about the Harbour Inn, with the sea before you?")
    chat.user("Is it far?")
    state = chat.state["stay"]
    assert [[one.value for one in state[name].offers] for name in ("place", "view")] == [["Harbour Inn"], ["sea"]]


WORDS = st.sampled_from(["Harbour Inn", "Mill House", "sea", "garden", "2"])
SLOTS = st.sampled_from(["stay.place", "stay.view", "stay.guest", "stay.nights", "stay"])
SUGGESTED = st.lists(st.tuples(SLOTS, WORDS | st.integers() | st.none() | st.booleans()), max_size=6).map(tuple)
TURN = st.tuples(
    st.lists(WORDS, max_size=3).map(lambda words: f"There is {' and '.join(words) or 'nothing'}."),
    st.sampled_from(["Hm.", "No.", "How far is it?", "The Mill House, with the sea."]),
    st.booleans(),
    SUGGESTED,
)


@given(st.lists(TURN, min_size=1, max_size=6))
def test_suggestions_alone_change_no_value(turns: list[Any]) -> None:
    with_them, without = Talk(), Talk()
    for heard, said, confirms, suggests in turns:
        changes = [Change("set", "stay.place", "Mill House", "The Mill House")] if "Mill" in said else []
        for talk, given_ in ((with_them, suggests), (without, ())):
            talk.chat.assistant(heard)
            talk.user(said, *changes, suggests=given_)
            if confirms and talk.chat.state["stay"]["place"].status == "filled":
                talk.chat.confirm("stay.place")
    for name in Stay.model_fields:
        mine, theirs = with_them.chat.state["stay"][name], without.chat.state["stay"][name]
        assert (mine.value, mine.status, mine.pending) == (theirs.value, theirs.status, theirs.pending)
        assert set(map(str, with_them.offers(name))) <= {"Harbour Inn", "Mill House", "sea", "garden", "2"}
