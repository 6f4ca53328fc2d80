"""Prompts of a conversation of which not all is in memory say so instead of guessing."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from slotstate import Budget, Chat, Compaction, Tracker
from slotstate.events import Filled
from slotstate.log import Entry
from slotstate.prompt import Truncated
from slotstate.prompter import Prompter
from slotstate.session import Session
from slotstate.stores import MemoryStore
from slotstate.templating.bounds import CHARACTERS, Run, TooMuch
from slotstate.testing import ScriptedExtractor
from tests.prompt.reading import CharCounter


class Trip(BaseModel):
    city: str | None = None


def talk(**options: Any) -> tuple[Chat, Budget]:
    chat = Tracker(Trip, extractor=ScriptedExtractor([]), store=MemoryStore(), **options).open("s")
    budget = Budget(2_000, counter=CharCounter(), profile="anthropic")
    for at in range(12):
        chat.user(f"words {at} " * 20)
        chat.prompt(budget)
        chat.assistant("fine")
    return chat, budget


def test_a_window_that_begins_before_what_is_in_memory() -> None:
    chat, budget = talk()
    chat._session.transcript.base = chat._session.state.turns
    with pytest.raises(Truncated, match="read the whole log"):
        chat._prompter_for(reveal=True).prompt(budget)


def test_results_of_which_too_few_places_are_known() -> None:
    chat, budget = talk(compaction=Compaction(recent=5))
    chat._session.transcript.base, chat._session.transcript.forgot = 1, True
    with pytest.raises(Truncated):
        chat._prompter_for(reveal=True).prompt(budget)


def test_slots_of_another_schema_are_not_shown() -> None:
    chat, budget = talk()
    session = Session("s")
    session.absorb(chat.entries[:-1])
    now, count = chat.entries[0].at, session.count
    made = Prompter(chat._tracker.prompt_settings, session, reveal=False)
    before = made.prompt(budget)[0]
    event = Filled(turn=23, step=99, at=now, op="set", path="other.slot", value="secret thing")
    session.absorb([Entry(count, now, event)])
    after = made.prompt(budget)[0]
    assert "secret thing" not in str(after.messages)
    assert after.messages[-1]["content"] == before.messages[-1]["content"]


def test_a_rendering_pays_for_what_it_reads_and_writes() -> None:
    run = Run("en", None)
    run.write(10)
    run.read(10)
    assert run.written == 10
    with pytest.raises(TooMuch):
        run.read(CHARACTERS + 1)
    with pytest.raises(TooMuch):
        run.write(CHARACTERS)
