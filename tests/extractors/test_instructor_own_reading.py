"""What the built-in extractor reads beside a model: what the user takes up, what it doubts, what it hints at."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from slotstate import Chat, Tracker, Turn
from slotstate.extractors.instructor import InstructorExtractor
from slotstate.extractors.instructor.examples import EXAMPLES
from slotstate.extractors.instructor.own_reading import OwnReading
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
    real = OwnReading.added

    def added(self: OwnReading, *given: Any) -> Any:
        where.append(threading.current_thread().name)
        return real(self, *given)

    monkeypatch.setattr(OwnReading, "added", added)
    turns = [("How about the Harbour Inn?", "Fine.")]
    talk(lambda chat, text: chat.user(text), NOTHING, turns=turns)
    talk(lambda chat, text: asyncio.run(chat.auser(text)), NOTHING, turns=turns)
    assert where[0] == threading.current_thread().name
    assert where[1] != where[0]
    assert not where[1].startswith("slotstate-providers")


class Journey(BaseModel):
    """Book a train."""

    departure: str
    destination: str | None = None
    seat: Literal["window", "aisle"] | None = None
    day: Literal["Friday", "Saturday", "Sunday"] | None = None
    bicycle: bool | None = None


def ride(*answers: Action, user: str, assistant: str = "", **options: Any) -> tuple[Turn, list[Any]]:
    """What becomes of a model's answers to one turn, and what the model was asked."""
    with serving(*answers) as server:
        extractor = InstructorExtractor("openai/fake", extra={"base_url": server.url}, **{"retries": 0, **options})
        chat = Tracker(Journey, extractor=extractor).open("s")
        if assistant:
            chat.assistant(assistant)
        turn = chat.user(user)
        extractor.close()
        return turn, server.bodies


FROM_ELMSTED = "I want to take a train from Elmsted to Norbury."
FILLED = {"journey.departure": "Elmsted", "journey.destination": "Norbury"}
DOUBTFUL = [
    pytest.param(item("take a train", "journey.day", "Friday"), id="an option that no words tell"),
    pytest.param(item("I want to take", "journey.bicycle", "true"), id="a yes that no words tell"),
    pytest.param(item("from Elmsted", "journey.seat", "aisle"), id="an option of other words"),
]


@pytest.mark.parametrize("doubtful", DOUBTFUL)
def test_what_its_models_speak_against_is_left_out(doubtful: Any) -> None:
    answer = changes(item("from Elmsted", "journey.departure", "Elmsted"), doubtful)
    turn, _ = ride(answer, user=FROM_ELMSTED, checked=True)
    assert {one.path for one in (*turn.changes, *turn.rejected)} == {"journey.departure"}
    turn, _ = ride(answer, user=FROM_ELMSTED)
    assert doubtful["slot"] in {one.path for one in turn.changes}


def test_one_name_for_two_slots() -> None:
    answer = changes(
        item("from Elmsted", "journey.departure", "Elmsted"), item("from Elmsted", "journey.destination", "Elmsted")
    )
    turn, _ = ride(answer, user="I need a train from Elmsted.", checked=True)
    assert [(one.path, one.value) for one in turn.changes] == [("journey.departure", "Elmsted")]


def test_what_the_words_tell_counts() -> None:
    answer = changes(
        item("from Elmsted", "journey.departure", "Elmsted"),
        item("to Norbury", "journey.destination", "Norbury"),
        item("on Friday", "journey.day", "Friday"),
        item("window seat", "journey.seat", "window"),
    )
    user = "I want to take a train from Elmsted to Norbury on Friday, with a window seat."
    turn, _ = ride(answer, user=user, checked=True)
    assert {one.path: one.value for one in turn.changes} == FILLED | {"journey.day": "Friday", "journey.seat": "window"}


def test_what_is_ruled_out_or_taken_back_is_not_doubted() -> None:
    answer = changes(
        item("not the window", "journey.seat", "window", op="exclude"),
        item("forget about the bicycle", "journey.bicycle", op="clear"),
    )
    turn, _ = ride(answer, user="Please, not the window, and forget about the bicycle.", checked=True)
    assert {one.op for one in (*turn.changes, *turn.rejected)} == {"exclude", "clear"}


def test_a_yes_to_a_question_counts() -> None:
    answer = changes(item("Yes", "journey.bicycle", "true"))
    turn, _ = ride(answer, user="Yes, I do.", assistant="Do you take a bicycle with you?", checked=True)
    assert {one.path: one.value for one in turn.changes} == {"journey.bicycle": True}


def test_words_are_looked_up_where_a_model_misquotes_them() -> None:
    """At once, without asking it again."""
    answer = changes(item("journey.departure", "journey.departure", "Elmsted"))
    turn, bodies = ride(answer, user=FROM_ELMSTED, checked=True, retries=1)
    assert [(one.path, one.value) for one in turn.changes] == [("journey.departure", "Elmsted")]
    assert turn.changes[0].quote
    assert turn.changes[0].quote in FROM_ELMSTED
    assert len(bodies) == 1


def test_a_misquoted_value_that_nobody_said_is_no_value() -> None:
    answer = changes(item("journey.departure", "journey.departure", "Paris"))
    turn, bodies = ride(answer, answer, user=FROM_ELMSTED, checked=True, retries=1)
    assert turn.changes == []
    assert len(bodies) == 2


def test_hints_are_shown() -> None:
    turn, bodies = ride(NOTHING, user=FROM_ELMSTED, hints=True)
    shown = bodies[0]["messages"][1]["content"]
    hinted = shown.split("<candidates>\n")[1].split("\n</candidates>")[0].splitlines()
    assert set(hinted) == {f'{path} = "{value}"' for path, value in FILLED.items()}
    assert shown.index("</candidates>") < shown.index("<user>")
    assert turn.changes == []  # they are hints: what the model leaves out stays out


def test_without_anything_to_hint_at_the_prompt_is_as_without_hints() -> None:
    user = "Good morning!"
    assert ride(NOTHING, user=user, hints=True)[1] == ride(NOTHING, user=user)[1]


def test_chinese_turns_are_read_by_the_model_alone() -> None:
    """The models learned from English: what they say of other languages is nothing."""
    answer = changes(item("从上海出发", "journey.departure", "上海"), item("靠窗", "journey.seat", "window"))
    turn, _ = ride(answer, user="我从上海出发，要靠窗的座位。", checked=True, hints=True)
    assert {one.path: one.value for one in turn.changes} == {"journey.departure": "上海", "journey.seat": "window"}


def test_small_models_lead_to_examples_that_change_something() -> None:
    plain = ride(NOTHING, user=FROM_ELMSTED)[1][0]["messages"][0]["content"]
    small = ride(NOTHING, user=FROM_ELMSTED, checked=True)[1][0]["messages"][0]["content"]
    own = ride(NOTHING, user=FROM_ELMSTED, checked=True, examples=EXAMPLES)[1][0]["messages"][0]["content"]
    assert '{"changes": []}' in plain
    assert '{"changes": []}' not in small
    assert own == plain
