"""Counting tokens: the protocol, what a chat adds to its texts, and an estimator that needs no dependency.

The exact counters are plug-ins, see slotstate.counters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Protocol, runtime_checkable

from slotstate.errors import InputError

IMAGE: Final = 1_600
"""Tokens that an image in a message is taken to cost, whatever its size: its payload is never counted as text."""

_REMEMBERED: Final = 4_000
"""Characters of the longest text that CachedCounter keeps."""

_IMAGES: Final = frozenset({"image", "image_url", "input_image"})


@runtime_checkable
class Counter(Protocol):
    """Counts the tokens of a text, as `name` does it. It may have an attribute `overhead`, an Overhead."""

    @property
    def name(self) -> str:
        """What make_counter makes this counter from."""
        ...

    def count(self, text: str) -> int:
        """Tokens of `text`, special tokens' names being ordinary text. Total: any text has a count."""
        ...


@dataclass(frozen=True, slots=True)
class Overhead:
    """Tokens that a chat request adds to its texts; the defaults are those of the OpenAI models."""

    message: int = 4
    """Each message, its role included."""
    name: int = 1
    """Each name of a participant, beside its text."""
    reply: int = 3
    """Once in a request: what primes the reply."""
    call: int = 8
    """Each tool call, beside its name and arguments."""
    tool: int = 8
    """Each tool's schema."""
    tools: int = 16
    """Once in a request that has tools."""
    spaced: bool = False
    """Whether the model reads the schemas of tools with a space behind each comma and colon."""


_OVERHEAD: Final = Overhead()

TEMPLATED: Final = Overhead(message=5, reply=8, call=16, tools=96, spaced=True)
"""What the usual chat templates of models with open weights (ChatML, Llama, Gemma, DeepSeek) add at most."""


def overhead_of(counter: Counter) -> Overhead:
    """What this counter's model adds to the texts of a chat: its attribute `overhead`, or the default."""
    overhead: Overhead = getattr(counter, "overhead", _OVERHEAD)
    return overhead


_ESTIMATE: Final = re.compile(r"[A-Za-z]+|\s+|[^\x00-\x7f]|.", re.DOTALL)


class Estimator:
    """Counts tokens without any vocabulary; errs to the safe side."""

    overhead: Final = TEMPLATED

    @property
    def name(self) -> str:
        """What make_counter makes it from."""
        return "estimate"

    def count(self, text: str) -> int:
        """At least the tokens of `text` in the usual encodings, for almost all texts."""
        return sum(1 + len(found) // 5 if found.isascii() else 2 for found in _ESTIMATE.findall(text))


class CachedCounter:
    """Counts as another counter does, and remembers the counts of short texts: those of a chat come again and again."""

    def __init__(self, counter: Counter, size: int = 4_096) -> None:
        self._counter = counter
        self._remembered = lru_cache(size)(counter.count)
        self.overhead: Final = overhead_of(counter)

    @property
    def name(self) -> str:
        """The other counter's."""
        return self._counter.name

    def count(self, text: str) -> int:
        """Tokens of `text`."""
        return self._remembered(text) if len(text) <= _REMEMBERED else self._counter.count(text)


def message_tokens(counter: Counter, message: Mapping[str, Any]) -> int:
    """Tokens of one chat message in the OpenAI form, with what the chat adds to it."""
    overhead = overhead_of(counter)
    content = message.get("content")
    tokens = overhead.message
    if isinstance(content, str):
        tokens += counter.count(content)
    elif content is not None:
        tokens += _content_tokens(counter, content)
    if name := message.get("name"):
        tokens += overhead.name + counter.count(name)
    if calls := message.get("tool_calls"):
        tokens += sum(_call_tokens(counter, overhead, call) for call in calls)
    if ident := message.get("tool_call_id"):
        tokens += counter.count(ident)
    return tokens


def _content_tokens(counter: Counter, content: object) -> int:
    parts = content if isinstance(content, Sequence) else (content,)
    return sum(_part_tokens(counter, part) for part in parts)


def _part_tokens(counter: Counter, part: object) -> int:
    if isinstance(part, str):
        return counter.count(part)
    if isinstance(part, Mapping):
        if isinstance(text := part.get("text"), str):
            return counter.count(text)
        if part.get("type") in _IMAGES:
            return IMAGE
    return counter.count(canonical_json(part))


def _call_tokens(counter: Counter, overhead: Overhead, call: Mapping[str, Any]) -> int:
    function = call.get("function")
    if not isinstance(function, Mapping):  # a call of another type
        return overhead.call + counter.count(canonical_json(call))
    arguments = function.get("arguments", "")
    text = arguments if isinstance(arguments, str) else canonical_json(arguments)
    return overhead.call + counter.count(str(function.get("name", ""))) + counter.count(text)


def tools_tokens(counter: Counter, tools: Iterable[object]) -> int:
    """Tokens of the schemas of tools, each in its canonical JSON, with what a request adds to them."""
    overhead = overhead_of(counter)
    each = [overhead.tool + counter.count(canonical_json(tool, spaced=overhead.spaced)) for tool in tools]
    return overhead.tools + sum(each) if each else 0


def prompt_tokens(counter: Counter, messages: Iterable[Mapping[str, Any]], tools: Iterable[object] = ()) -> int:
    """Tokens of a whole request: messages, tools, and what primes the reply."""
    return (
        sum(message_tokens(counter, message) for message in messages)
        + overhead_of(counter).reply
        + tools_tokens(counter, tools)
    )


def canonical_json(value: object, *, spaced: bool = False) -> str:
    """`value` as JSON text that is the same whatever the order in which its keys were added: sorted, without spaces
    unless `spaced`.

    Raises InputError when it holds what JSON cannot say, such as keys that are not all text.
    """
    separators = (", ", ": ") if spaced else (",", ":")
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=separators, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"this cannot be written as JSON: {error}; give objects, lists, texts and numbers") from None


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence | frozenset | set):
        return list(value)
    raise TypeError(f"{type(value).__name__} is no JSON value")
