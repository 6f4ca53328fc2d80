"""slotstate: a chat whose slots change by a script, each change decided on the user's words, and its prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from benchmarks.assembly_peers.counting import text_of, tools_tokens
from benchmarks.assembly_peers.scenario import Message, Plan
from benchmarks.assembly_peers.systems import Prompt
from slotstate import Budget, Change, Tracker
from slotstate.domains import compile_domains
from slotstate.errors import SlotstateError
from slotstate.extract import Extraction
from slotstate.extract import Request as Asked
from slotstate.jsonschema import domain_from_json_schema
from slotstate.slots import DONTCARE

NOW: Final = datetime(2019, 3, 1, 9, tzinfo=UTC)
_BLOCKS: Final = re.compile(r"<(slots|note|quotes)>\n(.*?)\n?</\1>", re.DOTALL)


class _Told:
    """An extractor that proposes what it was told."""

    def __init__(self) -> None:
        self.changes: tuple[Change, ...] = ()

    def extract(self, request: Asked) -> Extraction:
        """The changes."""
        return Extraction(self.changes)

    async def aextract(self, request: Asked) -> Extraction:
        """The same."""
        return self.extract(request)


class Ours:
    """A conversation."""

    def __init__(self, plan: Plan, **budget: Any) -> None:
        self._told = _Told()
        domains = compile_domains([domain_from_json_schema(dict(schema)) for schema in plan.schemas])
        self._chat = Tracker(domains, extractor=self._told, store="memory://", clock=lambda: NOW).open("bench")
        given = {"counter": "o200k_base", "profile": "openai", **budget}
        self._budget = Budget(context=plan.budget, tools=plan.tools, **given)
        self._domains = domains
        self._prompt: Any = None
        self.unset = 0
        """Gold values that no slot would take."""

    def add(self, message: Message) -> None:
        """Record a message; a user's with its changes, which are the application's where no words are quoted."""
        chat = self._chat
        if message.role == "assistant" and not message.calls:
            chat.assistant(message.text, id=message.id)
            return
        if message.role != "user":
            chat.add({**message.openai(), "id": message.id})
            return
        for domain in message.ended:
            chat.reset(domain)
        self._told.changes = tuple(
            Change("set", path, value, quote) for path, value, quote in message.changes if quote and value is not None
        )
        turn = chat.user(message.text, id=message.id)
        held = {one.path for one in turn.changes if one.outcome in {"filled", "overwritten", "restated", "confirmed"}}
        for path, value, _ in message.changes:
            if path not in held:
                self._set(path, value)
        if message.pinned:
            chat.pin(message.id)

    def _set(self, path: str, value: str | None) -> None:
        try:
            if value is None:
                self._chat.clear(path)
            else:
                self._chat.set(path, DONTCARE if value == "dontcare" else value)
        except SlotstateError:
            self.unset += 1

    def prompt(self) -> Prompt:
        """The messages of the next request."""
        self._prompt = self._chat.prompt(self._budget)
        messages: Prompt = self._prompt.messages
        return messages

    def spent(self) -> tuple[int, int]:
        """No summariser."""
        return 0, 0

    def observed(self) -> dict[str, Any]:
        """What the last prompt says of itself."""
        sections: dict[str, int] = {}
        for line in self._prompt.ledger:
            if line.action != "dropped":
                sections[line.section] = sections.get(line.section, 0) + (line.tokens or 0)
        cache = self._prompt.cache or {}
        return {
            "tokens": self._prompt.tokens,
            "sections": sections,
            "epoch": cache.get("epoch"),
            "reason": cache.get("epoch_reason"),
        }

    def report(self, requests: Sequence[Any], plan: Plan) -> dict[str, Any]:
        """What is told of our system alone."""
        history = _History(plan)
        stale: dict[str, int] = {"slots": 0, "note": 0, "quotes": 0}
        missing = wrong = due = 0
        for one in requests:
            history.upto(one.turn)
            lines = list(_lines(one.messages))
            for block, line in lines:
                stale[block] += history.outdated(line)
            told = [line for block, line in lines if block != "quotes"]
            due += len(plan.gold[one.turn])
            for path, values in plan.gold[one.turn].items():
                missing += not any(_says(line, path, values) for line in told)
                wrong += history.overruled(path, values, told)
        turns, schemas = len(requests), tools_tokens(plan.tools)  # which the prompt's own count leaves out
        epochs = [one.own["epoch"] for one in requests]
        reasons: dict[str, int] = {}
        for before, now in zip([None, *requests], requests, strict=False):
            if before is None or before.own["epoch"] != now.own["epoch"]:
                reasons[str(now.own["reason"])] = reasons.get(str(now.own["reason"]), 0) + 1
        return {
            "epochs": len(set(epochs)),
            "reasons": reasons,
            "stale_lines": round((stale["slots"] + stale["note"]) / turns, 2),
            "stale_snapshot": round(stale["slots"] / turns, 2),
            "stale_notes": round(stale["note"] / turns, 2),
            "stale_quotes": round(stale["quotes"] / turns, 2),
            "slots_in_lines": round(1 - missing / due, 4) if due else 1.0,
            "overruled": wrong,
            "unset": self.unset,
            "miscounted": sum(one.own["tokens"] + schemas != one.charge.total for one in requests),
        }


def system_text(plan: Plan) -> str:
    """What the system message says, for peers to have one of the same length."""
    ours = Ours(plan)
    ours.add(Message("user", "Hello.", "first"))
    first = ours.prompt()[0]
    return str(first["content"])


class _History:
    """Which values each slot has held."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._turn = -1
        self._now: Mapping[str, frozenset[str]] = {}
        self._past: dict[str, set[str]] = {}

    def upto(self, turn: int) -> None:
        """Take in the turns up to this one."""
        for index in range(self._turn + 1, turn + 1):
            self._now = self._plan.gold[index]
            for path, values in self._now.items():
                self._past.setdefault(path, set()).update(values)
        self._turn = max(self._turn, turn)

    def outdated(self, line: str) -> int:
        """Slots for which the line states a value that they held and hold no more, and not the one that they hold."""
        return sum(
            self._names(line, path)
            and any(value.casefold() in line.casefold() for value in past - self._now.get(path, frozenset()))
            and not _says(line, path, self._now.get(path, frozenset()))
            for path, past in self._past.items()
        )

    def overruled(self, path: str, values: frozenset[str], lines: Sequence[str]) -> bool:
        """Whether the last line about a slot states another value than the one it holds."""
        about = [line for line in lines if self._names(line, path)]
        return bool(about) and not _says(about[-1], path, values)

    def _names(self, line: str, path: str) -> bool:
        return re.search(rf"(?<![\w.]){re.escape(path)}(?![\w.])", line) is not None


def _says(line: str, path: str, values: frozenset[str]) -> bool:
    return path in line and any(value.casefold() in line.casefold() for value in values)


def _lines(messages: Prompt) -> Iterator[tuple[str, str]]:
    """The lines of the blocks that speak of slots."""
    for message in messages:
        if message["role"] == "user":
            for block, text in _BLOCKS.findall(text_of(message)):
                for line in text.splitlines():
                    yield block, line
