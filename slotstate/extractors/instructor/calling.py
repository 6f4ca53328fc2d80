"""One extraction's calls to the model: counted, retried and read, for sync and async clients alike."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, cast

from slotstate.caching import read_usage
from slotstate.events import Usage
from slotstate.extract import Extraction
from slotstate.extractors.instructor.failures import describe, passing, redact, retry_after, status_of
from slotstate.extractors.instructor.response import Reader, Reply, is_list, salvage

TRANSPORT_RETRIES: Final = 2
"""How often a call is repeated after a rate limit, a server error or a lost connection."""
PAUSE: Final = 0.25
"""Seconds before the first repetition; twice as long before each next."""

_DISPENSABLE: Final = ("temperature", "max_tokens", "max_completion_tokens", "timeout")
"""Parameters that a call can do without."""

Calls: TypeAlias = Generator[dict[str, Any], Any, Extraction]
"""Yields the arguments of a call, is sent its answer or thrown its error, and returns what was extracted."""


@dataclass(slots=True)
class Record:
    """What is known of the calls made so far. Hooks fill it, so that it is there when a call is given up."""

    model: str
    ends: float | None
    retries: int
    own_retries: bool = True
    started: float = field(default_factory=time.monotonic)
    attempts: int = 0
    mistakes: int = 0
    outages: int = 0
    answers: int = 0
    tokens: dict[str, int] = field(default_factory=dict[str, int])
    text: str = ""
    finish: str | None = None
    refusal: str | None = None
    secrets: frozenset[str] = frozenset()

    @property
    def remaining(self) -> float | None:
        """Seconds until the deadline, None for no limit."""
        return None if self.ends is None else max(0.0, self.ends - time.monotonic())

    @property
    def usage(self) -> Usage | None:
        """Tokens of all attempts; None when no call was made."""
        return Usage(**self.tokens, attempts=self.attempts) if self.attempts else None

    def on_kwargs(self, *_: Any, **__: Any) -> None:
        """Count an attempt."""
        self.attempts += 1

    def on_response(self, response: Any) -> None:
        """Add an answer's tokens, and keep its text: it may be all there is to read."""
        self.answers += 1
        told = read_usage(response)
        for name, count in told.model_dump(exclude_none=True, exclude={"attempts"}).items() if told else ():
            self.tokens[name] = self.tokens.get(name, 0) + count
        self.text, self.finish, self.refusal = text_of(response)

    def again(self, state: Any) -> bool:
        """Whether to call once more: a mistake is told to the model, an outage is waited for."""
        error = state.outcome.exception()
        if error is None or self.refusal is not None or self.finish == "content_filter":
            return False
        if isinstance(error, ValueError):  # what validation and parsing raise
            self.mistakes += 1
            return self.mistakes <= self.retries
        if not self.own_retries or not passing(error):
            return False
        self.outages += 1
        remaining = self.remaining
        return self.outages <= TRANSPORT_RETRIES and (remaining is None or self._wait(error) < remaining)

    def pause(self, state: Any) -> float:
        """Seconds to wait before the next call."""
        error = state.outcome.exception()
        return 0.0 if isinstance(error, ValueError) else self._wait(error)

    def _wait(self, error: BaseException) -> float:
        asked = retry_after(error)
        return PAUSE * 2 ** max(0, self.outages - 1) * random.uniform(0.8, 1.2) if asked is None else asked

    def failed(self, line: str) -> Extraction:
        """The extraction when nothing can be read."""
        return Extraction(usage=self.usage, model=self.model, error=line)

    def late(self, limit: float | None) -> Extraction:
        """The extraction when the deadline has passed."""
        return self.failed(f"{self.model}: no answer before the deadline of {limit or 0:.3g} s")


def retrying(record: Record, *, asynchronous: bool) -> Any:
    """The policy of `record` as instructor takes it."""
    from tenacity import AsyncRetrying, Retrying

    kind = AsyncRetrying if asynchronous else Retrying
    return kind(retry=record.again, wait=record.pause, reraise=True)


def calls(record: Record, reader: Reader, arguments: dict[str, Any], dropped: set[str]) -> Calls:
    """The course of an extraction. No error of a model or a provider leaves it.

    `dropped` are parameters that the provider does not know; it learns.
    """
    while True:
        arguments = {name: value for name, value in arguments.items() if name not in dropped}
        try:
            reply = yield arguments
        except Exception as error:
            cause = _cause(error)
            name = _unknown_parameter(cause, arguments)
            if name is not None:
                dropped.add(name)
                record.attempts -= isinstance(cause, TypeError)  # no call was made
                continue
            return _after_failure(record, reader, cause)
        return Extraction(tuple(reply.changes), record.usage, record.model)


def _cause(error: Exception) -> BaseException:
    """What went wrong, out of instructor's wrapping."""
    while type(error).__name__ == "InstructorRetryException" and isinstance(error.__cause__, Exception):
        error = error.__cause__
    return error


def _unknown_parameter(error: BaseException, arguments: Mapping[str, Any]) -> str | None:
    """The parameter that a provider, or its package, does not know, where the error names it."""
    told = str(error)
    if not (isinstance(error, TypeError) and "unexpected keyword" in told) and status_of(error) not in {400, 422}:
        return None
    named = [name for name in _DISPENSABLE if name in arguments]
    return next((name for name in named if f"'{name}'" in told or f"`{name}`" in told), None)


def _after_failure(record: Record, reader: Reader, error: BaseException) -> Extraction:
    """What can be kept of the answers when none was right: changes that hold, and the others to be recorded."""
    if record.text:
        items = salvage(record.text)
        if items:
            reader.read(items)
    best = reader.best
    line = _line(record, best, error)
    return Extraction(best.changes, record.usage, record.model, line)


def _line(record: Record, best: Reply, error: BaseException) -> str:
    if record.refusal is not None or record.finish == "content_filter":
        return redact(f"{record.model}: the model refused to answer: {record.refusal or record.finish}", record.secrets)
    if type(error).__name__ == "IncompleteOutputException":
        return f"{record.model}: the answer was cut off at the token limit: raise max_tokens"
    if not isinstance(error, ValueError) and record.answers < max(record.attempts, 1):
        return describe(error, record.model, record.secrets)
    if best.problems:
        count = f"{record.answers} answers" if record.answers > 1 else "an answer"
        return redact(f"{record.model}: {count} with mistakes: {best.problems[0]}", record.secrets)
    said = " ".join(record.text.split())
    what = f"was no list of changes: {said[:80]!r}" if said else "was empty"
    saved = f" ({best.valid} could be read all the same)" if best.valid else ""
    return redact(f"{record.model}: the answer {what}{saved}", record.secrets)


def text_of(response: Any) -> tuple[str, str | None, str | None]:
    """The text of an answer (of a tool call, its arguments), why it ended, and the refusal if it is one."""
    choices = _first(response, "choices")
    if is_list(choices) and choices:
        choice = choices[0]
        message = _first(choice, "message")
        tools = _first(message, "tool_calls") or ()
        arguments = _first(_first(tools[0], "function"), "arguments") if tools else None
        refusal = _first(message, "refusal")
        return _text(arguments or _first(message, "content")), _first(choice, "finish_reason"), refusal
    content = _first(response, "content")
    if is_list(content):
        texts = [_text(_first(block, "input") or _first(block, "text")) for block in content]
        return "".join(texts), _first(response, "stop_reason"), None
    return response if isinstance(response, str) else "", None, None


def _text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, default=str)


def _first(holder: Any, *names: str) -> Any:
    """The first of these attributes, or keys, that is there."""
    for name in names:
        value = (
            cast(Mapping[str, Any], holder).get(name) if isinstance(holder, Mapping) else getattr(holder, name, None)
        )
        if value is not None:
            return value
    return None
