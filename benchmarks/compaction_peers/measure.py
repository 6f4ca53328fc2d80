"""Playing a conversation through a system, and what came of it."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from benchmarks.assembly_peers.counting import prompt_tokens, text_of
from benchmarks.compaction_peers.systems import Entry, Prompt, System
from benchmarks.compaction_peers.talk import Talk
from slotstate.errors import BudgetTooSmall

_MARK: Final = re.compile(r"q\d{4}x")


@dataclass(frozen=True)
class Covered:
    """How many user turns were ever neither in the prompt nor summarised, and what the summariser took."""

    lost: int
    calls: int
    read: int
    written: int
    tokens: float
    most: int


def coverage(entry: Entry, talk: Talk, budget: int) -> Covered:
    """Play a marked conversation to its end."""
    system = entry.factory()(talk.language, budget)
    asked = dict(zip(talk.marks, (_user(turn.messages) for turn in talk.turns), strict=True))
    lost: set[str] = set()
    read: set[str] = set()
    sizes: list[int] = []
    looked = 0
    for number, prompt in _played(system, talk):
        sizes.append(prompt_tokens(prompt))
        for text in system.canned.seen[looked:]:
            read.update(_MARK.findall(text))
        looked = len(system.canned.seen)
        shown = {mark for message in prompt for mark in _MARK.findall(text_of(message))}
        for mark in talk.marks[: number + 1]:
            if mark not in shown and mark not in read and not (entry.free and system.is_covered(asked[mark])):
                lost.add(mark)
    done = system.canned
    return Covered(len(lost), done.calls, done.read, done.written, statistics.fmean(sizes), max(sizes))


def _user(messages: Sequence[Mapping[str, Any]]) -> str:
    return next(str(message["id"]) for message in messages if message["role"] == "user")


def _played(system: System, talk: Talk) -> Iterator[tuple[int, Prompt]]:
    """The prompt of each request, with the number of its turn: after a user message and after all results of calls."""
    for number, turn in enumerate(talk.turns):
        for at, message in enumerate(turn.messages):
            system.add(message, turn)
            behind = turn.messages[at + 1]["role"] if at + 1 < len(turn.messages) else "assistant"
            if message["role"] == "user" or (message["role"] == "tool" and behind != "tool"):
                yield number, system.prompt()


def survivors(entry: Entry, talk: Talk, budget: int) -> tuple[int, int]:
    """Facts that stand in one line of the last prompt, and those that stood in it or in what was summarised."""
    system = entry.factory()(talk.language, budget)
    *_, (_, prompt) = _played(system, talk)
    lines = [line for message in prompt for line in text_of(message).splitlines()]
    seen = [line for text in system.canned.seen for line in text.splitlines()]
    kept = sum(any(all(need in line for need in fact["needs"]) for line in lines) for fact in talk.facts)
    heard = sum(any(all(need in line for need in fact["needs"]) for line in [*lines, *seen]) for fact in talk.facts)
    return kept, heard


@dataclass(frozen=True)
class Pairs:
    """Budgets at which a prompt had a call without its result or a result without its call; refused or failing ones."""

    broken: int
    budgets: int
    refused: int
    failed: tuple[str, ...]


def pairs(entry: Entry, talk: Talk, budgets: Sequence[int]) -> Pairs:
    """Play a conversation with many tool calls under each budget."""
    broken = refused = 0
    failed: list[str] = []
    for budget in budgets:
        try:
            system = entry.factory()(talk.language, budget)
            broken += any(is_broken(prompt) for _, prompt in _played(system, talk))
        except BudgetTooSmall:
            refused += 1
        except Exception as error:  # a peer may fail in its own way
            failed.append(f"{budget}: {type(error).__name__}: {error}"[:120])
    return Pairs(broken, len(budgets), refused, tuple(failed))


def is_broken(prompt: Prompt) -> bool:
    """Whether a provider would refuse the request for its tool messages."""
    pending: set[str] = set()
    for message in prompt:
        if message["role"] == "tool":
            if message["tool_call_id"] not in pending:
                return True
            pending.remove(message["tool_call_id"])
            continue
        if pending:
            return True
        pending = {call["id"] for call in message.get("tool_calls") or ()}
    return bool(pending)
