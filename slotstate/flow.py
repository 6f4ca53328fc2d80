"""Flows: one implementation for sync and async callers.

A flow is a generator that yields effects and is sent their results; an effect that fails is thrown into it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, TypeVar

from slotstate.compact import Summariser, SummaryRequest
from slotstate.extract import Extractor, Request
from slotstate.log import Store

T = TypeVar("T")


class Plugins(NamedTuple):
    """Who does what flows ask for."""

    extractor: Extractor
    store: Store
    summariser: Summariser | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask the extractor; its answer is an Extraction."""

    request: Request


@dataclass(frozen=True, slots=True)
class Summarise:
    """Ask the summariser; its answer is a SummaryReply."""

    request: SummaryRequest


@dataclass(frozen=True, slots=True)
class Stored:
    """Let the store do something; its result is the answer."""

    call: Callable[[Store], Any]


@dataclass(frozen=True, slots=True)
class Alone:
    """Run a flow of reads and writes while nobody else holds the lock; its result is the answer."""

    flow: Flow[Any]
    lock: AbstractContextManager[Any]


Effect: TypeAlias = Ask | Summarise | Stored | Alone
Flow: TypeAlias = Generator[Effect, Any, T]


def drive(flow: Flow[T], plugins: Plugins) -> T:
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
            answer = _done(effect, plugins)
        except Exception as problem:  # whatever it is, the flow decides what it means
            error = problem


async def adrive(flow: Flow[T], plugins: Plugins) -> T:
    """The same on an event loop: extractor and summariser are awaited, the store works in a thread."""
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
            match effect:
                case Ask(request):
                    answer = await asyncio.wait_for(plugins.extractor.aextract(request), request.deadline)
                case Summarise(asked) if plugins.summariser is not None:
                    answer = await asyncio.wait_for(plugins.summariser.asummarise(asked), asked.deadline)
                case _:
                    answer = await asyncio.to_thread(_done, effect, plugins)
        except Exception as problem:  # whatever it is, the flow decides what it means
            error = problem


def _done(effect: Effect, plugins: Plugins) -> Any:
    """An effect's answer. A lock is held within one call only: no task waits for another that holds it."""
    match effect:
        case Alone(flow, lock):
            with lock:
                return drive(flow, plugins)
        case Ask(request):
            return plugins.extractor.extract(request)
        case Summarise(asked):
            return None if plugins.summariser is None else plugins.summariser.summarise(asked)
        case Stored(call):
            return call(plugins.store)
