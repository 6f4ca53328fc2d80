"""Flows: one implementation for sync and async callers.

A flow is a generator that yields effects and is sent their results; an effect that fails is thrown into it.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from slotstate.extract import Extractor, Request
from slotstate.log import Entry, Store

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask the extractor; its answer is an Extraction."""

    request: Request


@dataclass(frozen=True, slots=True)
class Write:
    """Append to the session's log; no answer."""

    session: str
    entries: Sequence[Entry]
    expected: int


@dataclass(frozen=True, slots=True)
class Read:
    """Load the session's entries from a number on; the answer is a sequence of entries."""

    session: str
    after: int


Effect: TypeAlias = Ask | Write | Read
Flow: TypeAlias = Generator[Effect, Any, T]


def drive(flow: Flow[T], extractor: Extractor, store: Store) -> T:
    """Run a flow to its end, in this thread."""
    answer: Any = None
    error: Exception | None = None
    while True:
        try:
            effect = flow.send(answer) if error is None else flow.throw(error)
        except StopIteration as done:
            result: T = done.value
            return result
        answer, error = None, None
        try:
            answer = extractor.extract(effect.request) if isinstance(effect, Ask) else _stored(effect, store)
        except Exception as problem:  # whatever it is, the flow decides what it means
            error = problem


async def adrive(flow: Flow[T], extractor: Extractor, store: Store) -> T:
    """The same on an event loop: the extractor is awaited, the store works in a thread."""
    import asyncio  # a third of the import time of all that sync callers need

    answer: Any = None
    error: Exception | None = None
    while True:
        try:
            effect = flow.send(answer) if error is None else flow.throw(error)
        except StopIteration as done:
            result: T = done.value
            return result
        answer, error = None, None
        try:
            if isinstance(effect, Ask):
                answer = await asyncio.wait_for(extractor.aextract(effect.request), effect.request.deadline)
            else:
                answer = await asyncio.to_thread(_stored, effect, store)
        except Exception as problem:  # whatever it is, the flow decides what it means
            error = problem


def _stored(effect: Write | Read, store: Store) -> Sequence[Entry] | None:
    if isinstance(effect, Read):
        return store.load(effect.session, effect.after)
    store.append(effect.session, effect.entries, effect.expected)
    return None
