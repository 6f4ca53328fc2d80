"""Counting texts that come again with a little changed: only what is new in them is counted."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from slotstate.tokens import CachedCounter, Counter

_REMEMBERED: Final = 1_024
"""Lines, and last words of messages, whose tokens are kept."""


class Gauge:
    """Counts as a counter does. `once` is for texts whose tokens whoever asks will keep."""

    def __init__(self, counter: Counter) -> None:
        once = counter.once if isinstance(counter, CachedCounter) else counter.count
        remembered = lru_cache(_REMEMBERED)
        self.once = once
        self.count = counter.count
        self.in_parts = bool(getattr(counter, "parts_at_tags", False))
        """Whether lines that begin with `<` or `-`, and words behind a space, are counted apart from what is before."""
        self._head = remembered(lambda head: once(f"{head}\n"))
        self._line = remembered(lambda line: once(f"-{line}\n"))
        self._end = remembered(lambda end: once(f"<{end}"))
        self._break = remembered(lambda words: once(f"{words}\n") - once(words))

    def block(self, text: str) -> int:
        """Tokens of a text that is a list, between its markers: line by line, if that makes no difference."""
        head, *lines = text.split("\n-")
        if not (self.in_parts and lines):
            return self.count(text)
        last, tag, end = lines.pop().rpartition("\n<")
        tokens = self._head(head) + sum(map(self._line, lines))
        return tokens + (self._line(last) + self._end(end) if tag else self.once(f"-{end}"))

    def line_break(self, words: str) -> int:
        """Tokens that a line break behind some words adds, if words are counted apart."""
        at = words.rfind(" ")
        return self._break(words[at:] if at > 0 and not words[at - 1].isspace() else words)
