"""Flows: one implementation for sync and async callers.

A flow is a generator that yields effects and is sent their results; an effect that fails is thrown into it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager
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


@dataclass(frozen=True, slots=True)
class Alone:
    """Run a flow of reads and writes while nobody else holds the lock; its result is the answer."""

    flow: Generator[Read | Write, Any, Any]
    lock: AbstractContextManager[Any]


Effect: TypeAlias = Ask | Write | Read | Alone
Flow: TypeAlias = Generator[Effect, Any, T]


def drive(flow: Flow[T], extractor: Extractor, store: Store) -> T:
    """Run a flow to its end, in this thread."""
    return _run(flow, lambda effect: _done(effect, extractor, store))


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
                answer = await asyncio.to_thread(_done, effect, extractor, store)
        except Exception as problem:  # whatever it is, the flow decides what it means
            error = problem


def _done(effect: Effect, extractor: Extractor, store: Store) -> Any:
    """An effect's answer. A lock is held within one call only: no task waits for another that holds it."""
    match effect:
        case Ask():
            return extractor.extract(effect.request)
        case Read():
            return store.load(effect.session, effect.after)
        case Write():
            return store.append(effect.session, effect.entries, effect.expected)
        case Alone():
            with effect.lock:
                return _run(effect.flow, lambda inner: _done(inner, extractor, store))


def _run(flow: Generator[Any, Any, T], do: Callable[[Any], Any]) -> T:
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
            answer = do(effect)
        except Exception as problem:  # whatever it is, the flow decides what it means
            error = problem
