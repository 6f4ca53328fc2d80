"""Turns whose extraction failed, read when their messages come again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel

from slotstate import Change, Slot, Tracker
from slotstate.testing import ScriptedExtractor, change

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)


class Travel(BaseModel):
    """Plan a trip."""

    origin: str
    seat: Literal["second", "first"] | None = None
    people: Annotated[int | None, Slot(confirm="explicit", ttl=timedelta(days=30))] = None


def tracker(script: list[list[Change] | Exception], hours: list[int] | None = None) -> Tracker:
    passed = iter(hours or ())
    now = [NOW]

    def clock() -> datetime:
        now[0] += timedelta(hours=next(passed, 0))
        return now[0]

    return Tracker(Travel, extractor=ScriptedExtractor(script), clock=clock)


def test_what_was_said_since_is_not_undone() -> None:
    late = [change("travel.people", "set", 2, "two"), change("travel.origin", "set", "Oslo", "Oslo")]
    chat = tracker([RuntimeError(), [change("travel.people", "set", 5, "five")], late]).open("s")
    assert chat.user("two from Oslo", id="a").error == "RuntimeError"
    chat.user("five")
    turn = chat.user("two from Oslo", id="a")
    assert [one.outcome for one in turn.changes] == ["superseded", "filled"]
    assert chat.state["travel"]["people"].value == 5


def test_it_is_judged_by_what_the_assistant_had_said_then() -> None:
    late = [change("travel.seat", "set", "first", "yes")]
    chat = tracker([RuntimeError("x"), [], late]).open("s")
    chat.assistant("First class?", offers={"travel.seat": "first"})
    chat.user("yes", id="a")
    chat.assistant("Anything else?")
    chat.user("no")
    turn = chat.user("yes", id="a")
    assert [(one.outcome, one.grade) for one in turn.changes] == [("filled", "accepted")]


@pytest.mark.parametrize("failing", ["", "b", "ab"])
def test_a_confirmation_read_late_is_what_it_would_have_been_in_time(failing: str) -> None:
    words = {"a": "It is the three of us.", "b": "As my cousin said.", "c": "People: three, as I said."}
    proposed: dict[str, list[Change] | Exception] = {
        "a": [change("travel.people", "set", 3, "the three of us")],
        "b": [change("travel.people", "confirm", quote="As my cousin said")],
        "c": [change("travel.people", "set", 3, "three")],
    }
    down: dict[str, list[Change] | Exception] = {ident: RuntimeError("down") for ident in failing}
    answers = [(proposed | down)[ident] for ident in "ab"]
    late = [proposed["a"]] if "a" in failing else []
    last = [proposed["b"]] if "b" in failing else []
    chat = tracker([*answers, *late, proposed["c"], *last]).open("s")
    chat.user(words["a"], id="a")
    chat.assistant("For how many?" if "a" in failing else "For 3?", asks="travel.people")
    chat.user(words["b"], id="b")
    for ident in ("a", "c", "b"):
        assert chat.user(words[ident], id=ident).extraction == "ok"
    people = chat.state["travel"]["people"]
    assert (people.value, people.status, people.pending) == (3, "confirmed", None)
