"""What the user takes up of the assistant's words is read by code, beside what a model reads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from slotstate import Chat, Tracker, Turn
from slotstate.extractors.instructor import InstructorExtractor
from slotstate.extractors.instructor.taking_up import TakingUp
from tests.extractors.server import Action, changes, error, item, serving

NOTHING = changes()


class Stay(BaseModel):
    """Book a hotel."""

    hotel_name: str
    check_in: str | None = None
    guests: int | None = None


Say = Callable[[Chat, str], Turn]


@pytest.fixture(params=["sync", "async"])
def say(request: pytest.FixtureRequest) -> Say:
    if request.param == "sync":
        return lambda chat, text: chat.user(text)
    return lambda chat, text: asyncio.run(chat.auser(text))


def talk(say: Say, *answers: Action, turns: list[tuple[str, str]], **options: Any) -> tuple[Chat, Turn]:
    """What is said, assistant first, with what the model answers to each user turn."""
    with serving(*answers) as server:
        extractor = InstructorExtractor("openai/fake", extra={"base_url": server.url}, retries=0, **options)
        chat = Tracker(Stay, extractor=extractor).open("s")
        said: list[Turn] = []
        for assistant, user in turns:
            chat.assistant(assistant)
            said.append(say(chat, user))
        extractor.close()
    return chat, said[-1]


def test_a_value_that_the_model_missed(say: Say) -> None:
    chat, turn = talk(say, NOTHING, turns=[("How about the Harbour Inn?", "That sounds good, book it.")])
    held = chat.state["stay"]["hotel_name"]
    assert (held.value, held.source, turn.changes[0].grade) == ("Harbour Inn", "offer", "accepted")


def test_it_can_be_left_to_the_model(say: Say) -> None:
    turns = [("How about the Harbour Inn?", "That sounds good, book it.")]
    chat, _ = talk(say, NOTHING, turns=turns, offers=False)
    assert chat.state["stay"]["hotel_name"].value is None


def test_a_value_stays_open_for_a_later_turn(say: Say) -> None:
    turns = [("How about the Harbour Inn?", "Does it have a pool?"), ("It does.", "Fine, then.")]
    chat, _ = talk(say, NOTHING, NOTHING, turns=turns)
    assert chat.state["stay"]["hotel_name"].value == "Harbour Inn"


def test_what_the_model_says_of_a_slot_counts(say: Say) -> None:
    answer = changes(item("the Lighthouse", "stay.hotel_name", "Lighthouse"))
    turns = [("How about the Harbour Inn?", "Yes, good, but rather the Lighthouse.")]
    chat, _ = talk(say, answer, turns=turns)
    assert chat.state["stay"]["hotel_name"].value == "Lighthouse"


def test_what_the_user_says_is_left_to_the_model(say: Say) -> None:
    chat, turn = talk(say, NOTHING, turns=[("For how many guests?", "Three guests at the Harbour Inn.")])
    assert (turn.changes, chat.state["stay"]["guests"].value) == ([], None)


def test_a_turn_that_the_model_could_not_read_is_read_again() -> None:
    with serving(error(400), NOTHING) as server:
        extractor = InstructorExtractor("openai/fake", extra={"base_url": server.url}, retries=0)
        chat = Tracker(Stay, extractor=extractor).open("s")
        chat.assistant("How about the Harbour Inn?")
        failed = chat.user("That sounds good, book it.", id="a")
        assert (failed.extraction, failed.changes) == ("failed", [])
        assert chat.user("That sounds good, book it.", id="a").extraction == "ok"
        extractor.close()
    assert chat.state["stay"]["hotel_name"].value == "Harbour Inn"


def test_others_are_answered_while_it_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the caller's thread, or beside the caller's loop: never on the loop that all models' answers share."""
    where: list[str] = []
    real = TakingUp.added

    def added(self: TakingUp, *given: Any) -> Any:
        where.append(threading.current_thread().name)
        return real(self, *given)

    monkeypatch.setattr(TakingUp, "added", added)
    turns = [("How about the Harbour Inn?", "Fine.")]
    talk(lambda chat, text: chat.user(text), NOTHING, turns=turns)
    talk(lambda chat, text: asyncio.run(chat.auser(text)), NOTHING, turns=turns)
    assert where[0] == threading.current_thread().name
    assert where[1] != where[0]
    assert not where[1].startswith("slotstate-providers")
