"""Texts as they read once what JSON and our own prompts write as escapes is read, mapped back to what was written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from slotstate.parsing.folding import Span

_HIGH, _LOW, _ANY = r"[dD][89abAB][\da-fA-F]{2}", r"[dD][c-fC-F][\da-fA-F]{2}", r"[\da-fA-F]{4}"
_ESCAPE: Final = re.compile(rf'\\u({_HIGH})\\u({_LOW})|\\u({_ANY})|\\(["\\/bfnrt])|(&lt;)')
_PLAIN: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_DEEPEST: Final = 6
"""JSON inside of JSON that is read: at each level the backslashes double."""


@dataclass(frozen=True, slots=True)
class Unescaped:
    """A text whose escapes are read. `starts[i]` and `ends[i]` are the original offsets of its character i."""

    text: str
    starts: list[int]
    ends: list[int]

    def span(self, start: int, end: int) -> Span:
        """The original [start, end) of a range that is not empty."""
        return self.starts[start], self.ends[end - 1]


def unescaped(text: str) -> Iterator[Unescaped]:
    """The text with its escapes read, once for each level of JSON inside of JSON; nothing where there are none."""
    known: Unescaped | None = None
    for _ in range(_DEEPEST):
        read = _read(text)
        if read is None:
            return
        if known is not None:
            before = known
            read = Unescaped(
                read.text, [before.starts[at] for at in read.starts], [before.ends[at - 1] for at in read.ends]
            )
        known, text = read, read.text
        yield read


def _read(text: str) -> Unescaped | None:
    """One level; None where nothing is escaped."""
    if "\\" not in text and "&lt;" not in text:
        return None
    chars: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    for found in _ESCAPE.finditer(text):
        start, end = found.span()
        chars += text[at:start], _character(found)
        starts += range(at, start + 1)
        ends += range(at + 1, start + 1)
        ends.append(end)
        at = end
    if not chars:
        return None
    starts += range(at, len(text))
    ends += range(at + 1, len(text) + 1)
    return Unescaped("".join((*chars, text[at:])), starts, ends)


def _character(found: re.Match[str]) -> str:
    high, low, single, plain, _ = found.groups()
    if high is not None:
        return chr(0x10000 + ((int(high, 16) & 0x3FF) << 10) + (int(low, 16) & 0x3FF))
    if single is not None:
        code = int(single, 16)
        return "\ufffd" if 0xD800 <= code < 0xE000 else chr(code)
    return "<" if plain is None else _PLAIN.get(plain, plain)
