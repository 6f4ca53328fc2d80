"""Counting tokens: the protocol, what a chat adds to its texts, and an estimator that needs no dependency.

The exact counters are plug-ins, see slotstate.counters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Protocol, runtime_checkable

from slotstate.errors import InputError

IMAGE: Final = 1_600
"""Tokens that an image in a message is taken to cost, whatever its size: its payload is never counted as text."""

_REMEMBERED: Final = 4_000
"""Characters of the longest text that CachedCounter keeps."""

_REMEMBERED_PIECES: Final = 16_384
"""Pieces of texts whose counts the estimator keeps; the longest has 64 characters."""

_IMAGES: Final = frozenset({"image", "image_url", "input_image"})


@runtime_checkable
class Counter(Protocol):
    """Counts the tokens of a text, as `name` does it. It may have an attribute `overhead`, an Overhead, and one named
    `parts_at_tags`: whether a line that begins with `<` or `-`, and what begins with a space behind a character that is
    none, is always counted apart from what stands before it.
    """

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
    assistant: int = 0
    """Each message of the assistant, beside `message`: some vocabularies write that role as two tokens."""
    name: int = 1
    """Each name of a participant, beside its text."""
    closing: int = 1
    """Of these, what closes a message behind its words."""
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

TEMPLATED: Final = Overhead(message=5, closing=2, reply=8, call=16, tools=96, spaced=True)
"""What the usual chat templates of models with open weights (ChatML, Llama, Gemma, DeepSeek) add at most."""


def overhead_of(counter: Counter) -> Overhead:
    """What this counter's model adds to the texts of a chat: its attribute `overhead`, or the default."""
    overhead: Overhead = getattr(counter, "overhead", _OVERHEAD)
    return overhead


_SPLIT: Final = re.compile(
    r" ?[A-Z]?[a-z\u00c0-\u06ff]{1,32}"  # also Greek, Cyrillic, Hebrew and Arabic
    r"| ?[A-Z]{1,32}"
    r"| ?[!-/:-@\[-`{-~]{1,32}\n{0,8}"
    r"|[0-9]{1,32}"
    r"| {1,64}(?= )|\n{1,64}|\t{1,64}"  # the last of many spaces belongs to what follows
    r"| ?[^\x00-\u06ff]{1,32}|.",
    re.DOTALL,
)
"""Cuts a text where the usual tokenizers do, or more finely."""

_SHORT: Final = 4
"""Characters of the longest piece that a word is cut into when it has no space in front."""

_WORD: Final = re.compile("[A-Za-z\u00c0-\u06ff]")


@lru_cache(maxsize=1)
def _known() -> tuple[frozenset[str], dict[str, int], frozenset[str]]:
    """Pieces that are one token, the length of the longest one that starts with two characters, and characters."""
    from slotstate.pieces import MARKS, PIECES, SINGLES  # a table of some size, for those who estimate

    known = set(MARKS)
    for forms, listed in PIECES.items():
        for piece in listed.split():
            title = piece[0].upper() + piece[1:]
            spelt = {"b": piece, "B": title, "s": f" {piece}", "S": f" {title}"}
            known.update(spelt[form] for form in forms)
    longest: dict[str, int] = {}
    for piece in known:
        longest[piece[:2]] = max(len(piece), longest.get(piece[:2], 0))
    return frozenset(known), longest, frozenset(SINGLES.replace("\n", ""))


def _piece_tokens(piece: str) -> int:
    """Tokens of a piece: of those that are listed, the longest first from the left on; else of its characters."""
    pieces, longest, _ = _known()
    if piece in pieces:
        return 1
    # Without a space in front a word is cut less luckily: what merges first in it is often a short piece.
    most = _SHORT if piece[0].isalpha() else len(piece)
    tokens = at = 0
    while at < len(piece):
        end = at + min(longest.get(piece[at : at + 2], 1), most)
        while end > at + 1 and piece[at:end] not in pieces:
            end -= 1
        tokens += 1 if end > at + 1 else _character_tokens(piece[at])
        at = end
    return tokens


def _character_tokens(character: str) -> int:
    """Tokens of one character; its bytes in UTF-8 are the bound."""
    code = ord(character)
    if code < 0x80 or character in _known()[2]:
        return 1
    if code < 0x10000:
        from slotstate.pieces import PAIRS

        return 2 if code < 0x800 or PAIRS >> (code >> 6) & 1 else 3
    return 3 if 0x1F000 <= code < 0x1FC00 else 4  # emoji


class _Costs(dict[str, int]):
    """Tokens of the pieces that _SPLIT cuts, remembered; a full memory is emptied, so that it stays small."""

    def __missing__(self, piece: str) -> int:
        if piece[-1] > "\u06ff" and len(piece) > 1:  # without spaces between words few come again
            bare = piece.removeprefix(" ")
            # A space in front can keep the bytes of a character apart.
            return sum(map(self.__getitem__, bare)) + (bare != piece) * (2 if self[bare[0]] == 1 else 1)
        if len(self) >= _REMEMBERED_PIECES:
            self.clear()
        if "0" <= piece[0] <= "9":
            tokens = len(piece)  # as Qwen and Gemma have it
        elif piece.isspace() and piece.isascii():
            tokens = 1 + len(piece) // (16 if piece[0] == " " else 6)
        else:
            tokens = _piece_tokens(piece)
        self[piece] = tokens
        return tokens


_costs: Final = _Costs()


class Estimator:
    """Counts tokens without the vocabulary of any model; errs to the safe side.

    It knows some thousand pieces that are tokens of most models, and takes all else at the worst: common words cost
    what they do in truth, rare ones more.
    """

    overhead: Final = TEMPLATED
    parts_at_tags: Final = True

    @property
    def name(self) -> str:
        """What make_counter makes it from."""
        return "estimate"

    def count(self, text: str) -> int:
        """At least the tokens of `text` in the usual vocabularies, for almost all texts; in time proportional to it."""
        pieces = _SPLIT.findall(text)
        total = sum(map(_costs.__getitem__, pieces))
        # Where a text starts with a word that is cut, no other word of a short text makes up for a cut too few.
        if pieces and len(pieces[0]) > 1 and _WORD.match(text) and _costs[pieces[0]] > 1:
            total += 1
        return total


class CachedCounter:
    """Counts as another counter does, and remembers the counts of short texts: those of a chat come again and again."""

    def __init__(self, counter: Counter, size: int = 4_096) -> None:
        self._counter = counter
        self._remembered = lru_cache(size)(counter.count)
        self.once: Final = counter.count
        """Tokens of a text that does not come again: not remembered."""
        self.overhead: Final = overhead_of(counter)
        self.parts_at_tags: Final = bool(getattr(counter, "parts_at_tags", False))

    @property
    def name(self) -> str:
        """The other counter's."""
        return self._counter.name

    def count(self, text: str) -> int:
        """Tokens of `text`."""
        return self._remembered(text) if len(text) <= _REMEMBERED else self.once(text)


def message_tokens(counter: Counter, message: Mapping[str, Any]) -> int:
    """Tokens of one chat message in the OpenAI form, with what the chat adds to it."""
    overhead = overhead_of(counter)
    content, role = message.get("content"), message.get("role")
    tokens = overhead.message + (overhead.assistant if role == "assistant" else 0)
    if isinstance(content, str):
        tokens += counter.count(content)
        if role is not None and len(message) == 2:  # as most are
            return tokens
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

    Raises InputError when it holds what JSON cannot say.
    """
    separators = (", ", ": ") if spaced else (",", ":")
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=separators, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(
            f"this cannot be written as JSON: {error}; use objects with text as keys, lists, texts and numbers"
        ) from None


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Set):
        return sorted(value, key=canonical_json)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return list(value)
    raise TypeError(f"{type(value).__name__} is no JSON value")
