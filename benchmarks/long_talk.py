"""A conversation of thousands of turns held with a chat: the talk of summary_talk, with long results of tools in it."""

from __future__ import annotations

import gc
import json
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Final, Literal

from pydantic import BaseModel

from benchmarks.summary_talk import Conversation
from benchmarks.task_outputs import search
from slotstate import Budget, Change, Chat, Extraction, Request, Tracker
from slotstate.compact import Spoken

NOW: Final = datetime(2025, 5, 1, 9, tzinfo=UTC)
BUDGET: Final = 4_000
LONG: Final = 0.04
"""The share of turns on which a tool gives back some 12 kB."""


class Travel(BaseModel):
    """A journey."""

    destination: str | None = None
    depart_on: date | None = None
    party_size: int | None = None
    seat: str | None = None


class Hotel(BaseModel):
    """A hotel."""

    name: str | None = None
    nights: int | None = None
    budget: int | None = None


class Told:
    """An extractor that proposes what it was told."""

    def __init__(self) -> None:
        self.changes: tuple[Change, ...] = ()

    def extract(self, request: Request) -> Extraction:
        """The changes."""
        return Extraction(self.changes)

    async def aextract(self, request: Request) -> Extraction:
        """The same."""
        return self.extract(request)


@dataclass(frozen=True, slots=True)
class Turn:
    """Figures of a turn: processor time of all that the chat did, tokens of its last prompt, the summary's version."""

    ms: float
    tokens: int
    version: int


def hold(language: Literal["en", "zh"], turns: int, seed: int) -> list[Turn]:
    """Hold the conversation."""
    rng, long, told = random.Random(f"{language} {seed}"), random.Random(seed), Told()
    template = "zh" if language == "zh" else "default"
    chat = Tracker([Travel, Hotel], extractor=told, template=template, clock=lambda: NOW).open("long")
    talk, budget, held = Conversation(rng, language), Budget(BUDGET), list[Turn]()
    gc.collect()
    gc.disable()
    for turn in range(turns):
        start, before = len(talk.messages), dict(talk.slots)
        talk.turn(None)
        said = list(talk.messages[start:])
        told.changes = tuple(_changes(talk, before))
        results = [search("hotel", 12_000)(long).text] if long.random() < LONG else []
        ready = time.process_time()
        tokens = _play(chat, said, results, turn, budget)
        held.append(Turn(1e3 * (time.process_time() - ready), tokens, chat.summary.version))
        if turn % 50 == 0:
            gc.collect()
    gc.enable()
    return held


def _changes(talk: Conversation, before: dict[str, Any]) -> Iterator[Change]:
    for path, value in talk.slots.items():
        if before.get(path) != value:
            yield Change("set", path, value, talk.spelt(path, value))


def _play(chat: Chat, said: list[Spoken], results: list[str], turn: int, budget: Budget) -> int:
    """One turn: a prompt for each call of the model. The tokens of the last one."""
    tokens = 0
    for message in said:
        if message.role == "user":
            chat.user(message.text, id=message.id)
            tokens = chat.prompt(budget).tokens or 0
            for at, text in enumerate(results):
                tokens = _call(chat, f"long{turn}-{at}", text, budget)
        elif message.role == "tool":
            tokens = _call(chat, message.id, message.text, budget)
        else:
            chat.assistant(message.text, id=message.id)
    return tokens


def _call(chat: Chat, ident: str, text: str, budget: Budget) -> int:
    chat.tool_call(f"call-{ident}", "search_hotels", json.dumps({"near": "station"}))
    chat.tool_result(f"call-{ident}", text)
    return chat.prompt(budget).tokens or 0
