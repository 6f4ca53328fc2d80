"""Calls to a model: counted, retried and read, for sync and async clients alike."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeAlias, TypeGuard, TypeVar, cast

from slotstate.caching import read_usage
from slotstate.events import Usage
from slotstate.providers.failures import describe, passing, redact, retry_after, status_of

TRANSPORT_RETRIES: Final = 2
"""How often a call is repeated after a rate limit, a server error or a lost connection."""
PAUSE: Final = 0.25
"""Seconds before the first repetition; twice as long before each next."""

MAX_PROBLEMS: Final = 8
"""Problems told in one retry: the conversation with the model must not grow with its mistakes."""
MAX_WORDS: Final = 300
"""Characters of one problem."""

_DISPENSABLE: Final = ("temperature", "max_tokens", "max_completion_tokens", "timeout")
"""Parameters that a call can do without."""

LONGEST: Final = 60.0
"""Seconds that are waited at most where a provider says when to call again."""
_CUT_OFF: Final = frozenset({"length", "max_tokens", "error", "incomplete", "failed", "cancelled"})
"""How responses say that their answer did not come to its end."""

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Judge: TypeAlias = Callable[[Any], Any]
"""Gives back what a model wrote as it is to be read; raises ValueError that says what is wrong with it."""

judging: ContextVar[Judge] = ContextVar("judging")
"""The judge of the answer that is being validated, for the validators of response models, which are shared by many
calls. Not instructor's `context=`: that would render the words of users as a Jinja template.
"""


@dataclass(frozen=True, slots=True)
class Call:
    """What a model is called with, and who judges its answer."""

    arguments: dict[str, Any]
    judge: Judge


Calls: TypeAlias = Generator[Call, Any, T]
"""Yields calls, is sent the answer of each or thrown its error, and returns what came of them."""


class Reader(Protocol[T_co]):
    """Reads the answers to one call."""

    def judge(self, written: Any) -> Any:
        """What the model wrote, as it is to be read. Raises ValueError that says what is wrong with it."""
        ...

    def done(self, reply: Any) -> T_co:
        """What a good answer, as instance of the response model, comes to."""
        ...

    def failed(self, error: BaseException) -> T_co:
        """What can be kept when no answer was good."""
        ...


@dataclass(slots=True)
class Record:
    """What is known of the calls made so far. Hooks fill it, so that it is there when a call is given up.

    `attempts` and `tokens` are of all calls; the rest is of the one that `begin` was told of last.
    """

    model: str
    ends: float | None
    retries: int
    own_retries: bool = True
    asynchronous: bool = False
    attempts: int = 0
    tries: int = 0
    mistakes: int = 0
    outages: int = 0
    answers: int = 0
    tokens: dict[str, int] = field(default_factory=dict[str, int])
    text: str = ""
    repeated: bool = False
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

    def begin(self) -> None:
        """Another call: forget the answers to the last one, not what they cost."""
        self.tries = self.mistakes = self.outages = self.answers = 0
        self.text, self.repeated, self.finish, self.refusal = "", False, None, None

    def on_kwargs(self, *_: Any, **__: Any) -> None:
        """Count an attempt."""
        self.attempts += 1
        self.tries += 1

    def uncount(self) -> None:
        """The last attempt never was one."""
        self.attempts -= 1
        self.tries -= 1

    def on_response(self, response: Any) -> None:
        """Add an answer's tokens, and keep its text: it may be all there is to read."""
        self.answers += 1
        told = read_usage(response)
        for name, count in told.model_dump(exclude_none=True, exclude={"attempts"}).items() if told else ():
            self.tokens[name] = self.tokens.get(name, 0) + count
        before = self.text
        self.text, self.finish, self.refusal = text_of(response)
        self.repeated = self.answers > 1 and self.text == before

    def again(self, state: Any) -> bool:
        """Whether to call once more: a mistake is told to the model, an outage is waited for. A model that was told and
        answers the same will do so again.
        """
        error = state.outcome.exception()
        if error is None or self.refusal is not None or self.finish == "content_filter":
            return False
        if isinstance(error, ValueError):  # what validation and parsing raise
            self.mistakes += 1
            return self.mistakes <= self.retries and not self.repeated
        if not self.own_retries or not passing(error):
            return False
        self.outages += 1
        remaining, wait = self.remaining, self._wait(error)
        return self.outages <= TRANSPORT_RETRIES and wait <= LONGEST and (remaining is None or wait < remaining)

    def pause(self, state: Any) -> float:
        """Seconds to wait before the next call."""
        error = state.outcome.exception()
        return 0.0 if isinstance(error, ValueError) else self._wait(error)

    def _wait(self, error: BaseException) -> float:
        asked = retry_after(error)
        return PAUSE * 2 ** max(0, self.outages - 1) * random.uniform(0.8, 1.2) if asked is None else asked


def retrying(record: Record) -> Any:
    """The policy of `record` as instructor takes it."""
    from tenacity import AsyncRetrying, Retrying

    kind = AsyncRetrying if record.asynchronous else Retrying
    return kind(retry=record.again, wait=record.pause, reraise=True)


def calls(record: Record, reader: Reader[T], arguments: dict[str, Any], dropped: set[str]) -> Calls[T]:
    """The course of one call, with as many attempts as it takes. No error of a model or a provider leaves it.

    `dropped` are parameters that the provider does not know; it learns.
    """
    record.begin()
    while True:
        arguments = {name: value for name, value in arguments.items() if name not in dropped}
        try:
            reply = yield Call(arguments, reader.judge)
        except Exception as error:
            cause = _cause(error)
            name = _unknown_parameter(cause, arguments)
            if name is not None:
                dropped.add(name)
                if isinstance(cause, TypeError):
                    record.uncount()  # no call was made
                continue
            return reader.failed(cause)
        return reader.done(reply)


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


def why(record: Record, error: BaseException, wanted: str, problem: str | None = None, saved: str = "") -> str:
    """One line that says why no answer was good: `wanted` is what it should have been, `problem` what was wrong with
    the one that came nearest, `saved` what could be used all the same.
    """
    if record.refusal is not None or record.finish == "content_filter":
        return redact(f"{record.model}: the model refused to answer: {record.refusal or record.finish}", record.secrets)
    if type(error).__name__ == "IncompleteOutputException":
        return f"{record.model}: the answer was cut off at the token limit: raise max_tokens"
    if not isinstance(error, ValueError) and record.answers < max(record.tries, 1):
        return describe(error, record.model, record.secrets)
    if problem:
        count = f"{record.answers} answers" if record.answers > 1 else "an answer"
        return redact(f"{record.model}: {count} with mistakes: {problem}", record.secrets)
    said = " ".join(record.text.split())
    what = f"was no {wanted}: {said[:80]!r}" if said else "was empty"
    return redact(f"{record.model}: the answer {what}{saved}", record.secrets)


def late(record: Record, limit: float | None) -> str:
    """One line that says that the deadline has passed."""
    return f"{record.model}: no answer before the deadline of {limit or 0:.3g} s"


def told(problems: Sequence[str]) -> str:
    """Problems with an answer as the model is told of them, one a line, not too many."""
    lines = list(problems[:MAX_PROBLEMS])
    if len(problems) > MAX_PROBLEMS:
        lines.append(f"and {len(problems) - MAX_PROBLEMS} more")
    return "\n".join(lines)


def short(text: str) -> str:
    """A problem on one line, cut where it is long."""
    text = " ".join(text.split())
    return text if len(text) <= MAX_WORDS else f"{text[: MAX_WORDS - 1]}…"


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


def is_answered(response: Any) -> bool:
    """Whether a provider's response holds an answer that came to its end, or a refusal: not where it tells of an error,
    is empty or was cut off. Of a response of a form that is not known, nothing is said against it.
    """
    choices = _first(response, "choices")
    text, finish, refusal = text_of(response)
    if _first(response, "error") or {str(finish), str(_first(response, "status"))} & _CUT_OFF:
        return False
    known = is_list(choices) or is_list(_first(response, "content"))
    return not known or bool(text.strip() or refusal)


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


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether JSON is a list."""
    return isinstance(value, list)


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether JSON is an object."""
    return isinstance(value, dict)
