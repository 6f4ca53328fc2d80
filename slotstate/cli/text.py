"""What others wrote, made fit for a terminal: control characters visible, long texts shortened, no markup read."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from rich.text import Text

_JOINERS: Final = "\u200c\u200d"
"""Invisible, and part of Persian words and of emoji: left as they are."""
_CONTROLS: Final = {"Cc", "Cf", "Cs", "Zl", "Zp"}


class Mark(NamedTuple):
    """A span of a text, what to put in its place (None: its own words), and its style."""

    start: int
    end: int
    style: str
    instead: str | None = None


def visible(text: str) -> str:
    """`text` in one line, with line breaks as ⏎ and characters that control a terminal or the direction by name."""
    return "".join(map(_shown, text.replace("\r\n", "\n")))


def _shown(character: str) -> str:
    if character in "\n\r":
        return "⏎"
    if character == "\t":
        return " "
    if character in _JOINERS or unicodedata.category(character) not in _CONTROLS:
        return character
    return f"<U+{ord(character):04X}>"


def one_line(text: str) -> str:
    """A message of ours, whatever it quotes, as one line."""
    return visible(" ".join(text.split("\n")).strip())


def marked(text: str, marks: Sequence[Mark] = (), *, limit: int = 0, around: int = 24) -> Text:
    """`text` with its marks, made visible. Beyond `limit` characters only its start and what is near its marks stay."""
    pieces = _pieces(text, sorted(marks), limit, around)
    shown = Text()
    at = 0
    for start, end in pieces:
        if start > at:
            shown.append(" … ")
        _append(shown, text, start, end, marks)
        at = end
    if at < len(text):
        shown.append(" … ")
    return shown


def _pieces(text: str, marks: Sequence[Mark], limit: int, around: int) -> list[tuple[int, int]]:
    if not limit or len(text) <= limit:
        return [(0, len(text))]
    share = limit // 2 if marks else limit
    wanted = [(0, share), *((mark.start - around, min(mark.end, mark.start + share) + around) for mark in marks[:8])]
    pieces: list[tuple[int, int]] = []
    for first, last in wanted:
        start, end = max(first, 0), min(last, len(text))
        if pieces and start <= pieces[-1][1] + 3:
            pieces[-1] = (pieces[-1][0], max(end, pieces[-1][1]))
        else:
            pieces.append((start, end))
    return pieces


def _append(shown: Text, text: str, start: int, end: int, marks: Sequence[Mark]) -> None:
    """Add text[start:end], replaced and styled as the marks say; marks inside of what is replaced do not matter."""
    edges = sorted({start, end, *(edge for mark in marks for edge in mark[:2] if start < edge < end)})
    for left, right in pairwise(edges):
        over = [mark for mark in marks if mark.start <= left and right <= mark.end]
        hidden = next((mark for mark in over if mark.instead is not None), None)
        styles = " ".join(dict.fromkeys(mark.style for mark in over if mark.style))
        if hidden is None:
            shown.append(visible(text[left:right]), styles or None)
        elif left == max(hidden.start, start):
            shown.append(hidden.instead or "", styles or None)
