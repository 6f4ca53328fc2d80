"""Asking a model: client, deadline and the course of the calls put together, once for sync and async callers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotDone
from contextlib import contextmanager
from typing import Any, Final, Generic, TypeVar

from pydantic import BaseModel

from slotstate.errors import InputError, SlotstateError
from slotstate.providers.calling import Call, Calls, Record, judging, late, retrying
from slotstate.providers.clients import Client, Given, Made, Source, imported, load
from slotstate.providers.failures import describe, keys_of
from slotstate.providers.keeping import kept
from slotstate.providers.known import PROVIDERS, Provider, check_mode, sampling
from slotstate.providers.portal import in_thread, submit

GRACE: Final = 0.25
"""Seconds that a cancelled call may take to end before it is left behind."""

T = TypeVar("T")


class Asker(Generic[T]):
    """Asks a model, and gives what came of it, a T.

    client: a provider string as `instructor.from_provider` takes it ("openai/gpt-5-mini", "anthropic/…"), or a ready
    client: instructor's, or openai's (then with `model`). failed: makes a T of the record and one line, where nothing
    came of it. mode: instructor's mode by name. retries: how often the model is told what was wrong with its answer.
    deadline: seconds for all calls together. max_tokens: the longest answer, by default `usual` (8,192 for models that
    think). extra: passed to the provider as it is.

    Raises InputError, MissingExtra, ExtractorError when it cannot work, as far as that shows without network.
    """

    def __init__(
        self,
        client: Any,
        failed: Callable[[Record, str], T],
        *,
        model: str | None = None,
        mode: Any = None,
        retries: int = 2,
        deadline: float | None = None,
        temperature: float | None = 0,
        max_tokens: int | None = None,
        usual: int = 1_024,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        if retries < 0 or (deadline is not None and deadline <= 0):
            raise InputError("retries cannot be negative, and a deadline is a number of seconds above 0")
        self.extra = dict(extra or {})
        self._source = _source(client, model, check_mode(mode), self.extra)
        self._failed = failed
        self.retries = retries
        self._deadline = deadline
        self._sampling = sampling(self._source.provider, _model(self._source), temperature, max_tokens, usual)
        named = client.strip() if isinstance(client, str) else model
        self.name: str = named or self._source.provider
        """How the model is called in errors and records."""
        self.dropped: set[str] = set()
        """Parameters that the provider has turned out not to know."""

    @property
    def longest(self) -> int:
        """Tokens that an answer may have."""
        most: int = self._sampling.get("max_completion_tokens") or self._sampling["max_tokens"]
        return most

    def ask(self, course: Callable[[Record], Calls[T]], deadline: float | None = None) -> T:
        """What comes of the course, within `deadline` seconds (a first import comes before them)."""
        load()
        record = self._record(deadline)
        limit = record.remaining
        future = self._begin(course, record, deadline)
        try:
            return future.result(None if limit is None else limit + self._grace)
        except (NotDone, TimeoutError):
            return self._late(record, deadline)
        finally:
            future.cancel()

    async def aask(self, course: Callable[[Record], Calls[T]], deadline: float | None = None) -> T:
        """The same, for callers on an event loop."""
        if not imported():
            await asyncio.to_thread(load)
        record = self._record(deadline)
        if self._source.ready == "async":  # its connections belong to this loop
            return await self._on_loop(course, record, deadline)
        limit = record.remaining
        future = asyncio.wrap_future(self._begin(course, record, deadline))
        try:
            return await asyncio.wait_for(future, None if limit is None else limit + self._grace)
        except TimeoutError:
            return self._late(record, deadline)

    def arguments(
        self, record: Record, response_model: type[BaseModel], messages: list[dict[str, Any]]
    ) -> dict[str, Any]:
        """The arguments of a call: to be made within a course, when instructor has been imported."""
        from instructor.core.hooks import Hooks

        hooks = Hooks()
        hooks.on("completion:kwargs", record.on_kwargs)
        hooks.on("completion:response", record.on_response)
        return {
            "response_model": response_model,
            "messages": _cacheable(messages, self._source.provider),
            "max_retries": retrying(record),
            "hooks": hooks,
            **self._options(record),
        }

    def close(self) -> None:
        """Close the connections of a client that was made here; a ready one is left to its owner."""
        self._source.close()

    @property
    def _grace(self) -> float:
        return 0.0 if self._source.ready == "sync" else GRACE

    def _limit(self, deadline: float | None) -> float | None:
        return min((limit for limit in (deadline, self._deadline) if limit is not None), default=None)

    def _late(self, record: Record, deadline: float | None) -> T:
        return self._failed(record, late(record, self._limit(deadline)))

    def _record(self, deadline: float | None) -> Record:
        """A fresh record. It ends a little before the caller's own deadline, who would throw away what was counted."""
        limit = self._limit(deadline)
        ends = None if limit is None else time.monotonic() + max(0.0, limit - min(0.1, limit * 0.1))
        return Record(self.name, ends, self.retries, self._source.ready is None, self._source.ready != "sync")

    def _begin(self, course: Callable[[Record], Calls[T]], record: Record, deadline: float | None) -> Future[T]:
        if self._source.ready == "sync":
            return in_thread(lambda: self._in_thread(course, record))
        return submit(self._on_loop(course, record, deadline))

    def _in_thread(self, course: Callable[[Record], Calls[T]], record: Record) -> T:
        """The course with a client that blocks."""
        try:
            client = kept(self._source.client())
            going = self._started(course, record, client)
            call = next(going)
            while True:
                try:
                    with _judged(call):
                        answer = client.create(**call.arguments)
                except Exception as error:
                    call = going.throw(error)
                else:
                    call = going.send(answer)
        except StopIteration as done:
            found: T = done.value
            return found
        except Exception as error:
            return self._cannot(record, error)

    async def _on_loop(self, course: Callable[[Record], Calls[T]], record: Record, deadline: float | None) -> T:
        """The same with an async client, ended at the deadline."""
        try:
            async with asyncio.timeout(record.remaining):
                return await self._awaited(course, record)
        except TimeoutError:
            return self._late(record, deadline)

    async def _awaited(self, course: Callable[[Record], Calls[T]], record: Record) -> T:
        try:
            client = kept(await asyncio.to_thread(self._source.client))
            going = self._started(course, record, client)
            call = next(going)
            while True:
                try:
                    with _judged(call):
                        answer = await client.create(**call.arguments)
                except Exception as error:
                    call = going.throw(error)
                else:
                    call = going.send(answer)
        except StopIteration as done:
            found: T = done.value
            return found
        except Exception as error:
            return self._cannot(record, error)

    def _started(self, course: Callable[[Record], Calls[T]], record: Record, client: Client) -> Calls[T]:
        record.secrets = frozenset(keys_of(self.extra, client))
        return course(record)

    def _cannot(self, record: Record, error: Exception) -> T:
        if isinstance(error, SlotstateError):
            return self._failed(record, str(error))
        return self._failed(record, describe(error, record.model, record.secrets))

    def _options(self, record: Record) -> dict[str, Any]:
        """The arguments that say how to answer."""
        options = dict(self._sampling)
        if record.remaining is not None and PROVIDERS.get(self._source.provider, Provider()).timeout:
            options["timeout"] = max(0.05, record.remaining)
        model = _model(self._source)
        if model is not None and (self._source.ready is not None or self._source.provider == "litellm"):
            options["model"] = model
        return options | (self.extra if self._source.ready is not None else {})


@contextmanager
def _judged(call: Call) -> Iterator[None]:
    """The call's judge is in place, while its answers are validated."""
    token = judging.set(call.judge)
    try:
        yield
    finally:
        judging.reset(token)


def _source(client: Any, model: str | None, mode: Any, extra: Mapping[str, Any]) -> Source:
    if isinstance(client, str):
        if model is not None:
            raise InputError("the model is part of the provider string: PROVIDER/MODEL, without model=")
        return Made(client, mode, extra)
    return Given(client, model, mode)


def _model(source: Source) -> str | None:
    model: str | None = getattr(source, "model", None)
    return model


def _cacheable(messages: list[dict[str, Any]], provider: str) -> list[dict[str, Any]]:
    """Mark the stable prefix where the provider caches only what is marked."""
    if provider != "anthropic":
        return messages
    system, *rest = messages
    block = {"type": "text", "text": system["content"], "cache_control": {"type": "ephemeral"}}
    return [{**system, "content": [block]}, *rest]
