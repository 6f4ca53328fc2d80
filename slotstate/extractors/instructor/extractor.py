"""The extractor itself: puts prompt, response model, client and deadline together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotDone
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from slotstate.domains import Domain, Domains
from slotstate.errors import InputError, SlotstateError
from slotstate.events import Op
from slotstate.extract import Extraction, Request
from slotstate.extractors.instructor.calling import Calls, Record, calls, retrying
from slotstate.extractors.instructor.clients import Client, Given, Made, Source
from slotstate.extractors.instructor.examples import EXAMPLES, Example
from slotstate.extractors.instructor.failures import describe, keys_of
from slotstate.extractors.instructor.portal import in_thread, submit
from slotstate.extractors.instructor.prompting import make_prompting
from slotstate.extractors.instructor.providers import PROVIDERS, Provider, check_mode, sampling
from slotstate.extractors.instructor.response import Reader, Shape, reading, response_model, shape_of

GRACE: Final = 0.25
"""Seconds that a cancelled call may take to end before it is left behind."""


class InstructorExtractor:
    """Reads changes with a language model.

    client: a provider string as `instructor.from_provider` takes it ("openai/gpt-5-mini", "anthropic/…"), or a ready
    client: instructor's, or openai's (then with `model`). mode: instructor's mode by name, where the usual one for the
    provider is not wanted. retries: how often the model is told what was wrong with its answer. deadline: seconds for
    all attempts together; the request's own counts as well. max_tokens: the longest answer, by default 1,024 (8,192 for
    models that think). extra: passed to the provider as it is (`base_url`, `api_key`, `reasoning_effort`, …). examples,
    template: in place of the bundled ones. ops: operations to be offered, by default all that the schema can use.

    What a model or a provider does wrong is in the Extraction, not raised: with what could be saved, one line that says
    what happened, and the tokens of all attempts.

    Raises InputError, MissingExtra, ExtractorError when it cannot work, as far as that shows without network.
    """

    def __init__(  # noqa: PLR0913  # options by keyword, each of use to someone
        self,
        client: Any,
        *,
        model: str | None = None,
        mode: Any = None,
        retries: int = 2,
        deadline: float | None = None,
        temperature: float | None = 0,
        max_tokens: int | None = None,
        extra: Mapping[str, Any] | None = None,
        examples: Sequence[Example] = EXAMPLES,
        template: str | Path | None = None,
        ops: Sequence[Op] | None = None,
    ) -> None:
        if retries < 0 or (deadline is not None and deadline <= 0):
            raise InputError("retries cannot be negative, and a deadline is a number of seconds above 0")
        self._extra = dict(extra or {})
        self._source = _source(client, model, check_mode(mode), self._extra)
        self._name = client.strip() if isinstance(client, str) else model
        self._retries = retries
        self._deadline = deadline
        self._sampling = sampling(self._source.provider, _model(self._source), temperature, max_tokens)
        self._prompting = make_prompting(template, examples)
        self._ops = None if ops is None else tuple(ops)
        self._dropped: set[str] = set()

    def extract(self, request: Request) -> Extraction:
        """The changes that the user's turn asks for."""
        record = self._record(request)
        limit = record.remaining
        future = self._begin(request, record)
        try:
            return future.result(None if limit is None else limit + self._grace)
        except (NotDone, TimeoutError):
            return record.late(self._limit(request))
        finally:
            future.cancel()

    async def aextract(self, request: Request) -> Extraction:
        """The same, for callers on an event loop."""
        record = self._record(request)
        if self._source.ready == "async":  # its connections belong to this loop
            return await self._on_loop(request, record)
        limit = record.remaining
        future = asyncio.wrap_future(self._begin(request, record))
        try:
            return await asyncio.wait_for(future, None if limit is None else limit + self._grace)
        except TimeoutError:
            return record.late(self._limit(request))

    def close(self) -> None:
        """Close the connections of a client that was made here; a ready one is left to its owner."""
        self._source.close()

    @property
    def _grace(self) -> float:
        return 0.0 if self._source.ready == "sync" else GRACE

    def _limit(self, request: Request) -> float | None:
        return min((limit for limit in (request.deadline, self._deadline) if limit is not None), default=None)

    def _record(self, request: Request) -> Record:
        """A fresh record. It ends a little before the caller's own deadline, who would throw away what was counted."""
        limit = self._limit(request)
        ends = None if limit is None else time.monotonic() + max(0.0, limit - min(0.1, limit * 0.1))
        name = self._name or self._source.provider
        return Record(name, ends, self._retries, self._source.ready is None)

    def _begin(self, request: Request, record: Record) -> Future[Extraction]:
        if self._source.ready == "sync":
            return in_thread(lambda: self._in_thread(request, record))
        return submit(self._on_loop(request, record))

    def _in_thread(self, request: Request, record: Record) -> Extraction:
        """The course of an extraction with a client that blocks."""
        try:
            client = self._source.client()
            course, reader = self._course(request, record, client, asynchronous=False)
        except Exception as error:
            return _cannot(record, error)
        token = reading.set(reader)
        try:
            arguments = next(course)
            while True:
                try:
                    answer = client.create(**arguments)
                except Exception as error:
                    arguments = course.throw(error)
                else:
                    arguments = course.send(answer)
        except StopIteration as done:
            extraction: Extraction = done.value
            return extraction
        finally:
            reading.reset(token)

    async def _on_loop(self, request: Request, record: Record) -> Extraction:
        """The same with an async client, ended at the deadline."""
        try:
            async with asyncio.timeout(record.remaining):
                return await self._awaited(request, record)
        except TimeoutError:
            return record.late(self._limit(request))

    async def _awaited(self, request: Request, record: Record) -> Extraction:
        try:
            client = await asyncio.to_thread(self._source.client)  # the first time it imports for a second
            course, reader = self._course(request, record, client, asynchronous=True)
        except Exception as error:
            return _cannot(record, error)
        token = reading.set(reader)
        try:
            arguments = next(course)
            while True:
                try:
                    answer = await client.create(**arguments)
                except Exception as error:
                    arguments = course.throw(error)
                else:
                    arguments = course.send(answer)
        except StopIteration as done:
            extraction: Extraction = done.value
            return extraction
        finally:
            reading.reset(token)

    def _course(self, request: Request, record: Record, client: Client, *, asynchronous: bool) -> tuple[Calls, Reader]:
        """What is to be called, and who reads the answers."""
        from instructor.core.hooks import Hooks

        domains = tuple(sorted(request.domains.values(), key=lambda domain: domain.name))
        compiled, shape = _compiled(domains, self._ops)
        reader = Reader(request, compiled, shape)
        record.secrets = frozenset(keys_of(self._extra, client))
        if not shape.paths:
            return _nothing(record), reader
        hooks = Hooks()
        hooks.on("completion:kwargs", record.on_kwargs)
        hooks.on("completion:response", record.on_response)
        messages = self._prompting.messages(request, domains, shape)
        arguments = {
            "response_model": response_model(shape),
            "messages": _cacheable(messages, self._source.provider),
            "max_retries": retrying(record, asynchronous=asynchronous),
            "hooks": hooks,
            **self._options(record),
        }
        return calls(record, reader, arguments, self._dropped), reader

    def _options(self, record: Record) -> dict[str, Any]:
        """The arguments that say how to answer."""
        options = dict(self._sampling)
        if record.remaining is not None and PROVIDERS.get(self._source.provider, Provider()).timeout:
            options["timeout"] = max(0.05, record.remaining)
        model = _model(self._source)
        if model is not None and (self._source.ready is not None or self._source.provider == "litellm"):
            options["model"] = model
        return options | (self._extra if self._source.ready is not None else {})


def _source(client: Any, model: str | None, mode: Any, extra: Mapping[str, Any]) -> Source:
    if isinstance(client, str):
        if model is not None:
            raise InputError("the model is part of the provider string: PROVIDER/MODEL, without model=")
        return Made(client, mode, extra)
    return Given(client, model, mode)


def _model(source: Source) -> str | None:
    model: str | None = getattr(source, "model", None)
    return model


@lru_cache(maxsize=32)
def _compiled(domains: tuple[Domain, ...], ops: tuple[Op, ...] | None) -> tuple[Domains, Shape]:
    return Domains(domains), shape_of(domains, ops)


def _nothing(record: Record) -> Calls:
    """The course of an extraction when no slot can be filled by a user's words: no call."""
    yield from ()
    return Extraction(model=record.model)


def _cannot(record: Record, error: Exception) -> Extraction:
    if isinstance(error, SlotstateError):
        return record.failed(str(error))
    return record.failed(describe(error, record.model, record.secrets))


def _cacheable(messages: list[dict[str, Any]], provider: str) -> list[dict[str, Any]]:
    """Mark the stable prefix where the provider caches only what is marked."""
    if provider != "anthropic":
        return messages
    system, *rest = messages
    block = {"type": "text", "text": system["content"], "cache_control": {"type": "ephemeral"}}
    return [{**system, "content": [block]}, *rest]
