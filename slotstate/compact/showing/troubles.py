"""Lines of a log that tell of trouble, found without reading the rest line by line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final, TypeAlias

Place: TypeAlias = tuple[int, int]
"""Where a line starts and ends, without its line end."""

_STRONG: Final = (
    *("traceback", "error", "fatal", "critical", "panic", "exception", "fail"),
    *("错误", "失败", "异常", "出错", "崩溃"),
)
_WEAK: Final = (
    *("warn", "denied", "refused", "timeout", "timed out", "killed"),
    *("警告", "告警", "超时", "拒绝"),
)
_CALM: Final = re.compile(
    r"\b(?:0|no|without) (?:new )?(?:errors?|failures?|warnings?|failed)\b"
    r"|\b(?:errors?|failed|failures?|warnings?)\"?\s{0,9}[=:]\s{0,9}(?:0\b|null\b|none\b|false\b|\"\")"
    r"|(?:没有|无|0 ?[个条次])(?:错误|失败|异常|警告)",
    re.IGNORECASE,
)
_WIDE: Final = 200
"""Characters around a word that are looked at."""
_MOST: Final = 40
"""Lines that one word finds from either end."""
_TRIES: Final = 400
_SEEN: Final = 300
"""Characters by which lines are told apart."""
_NUMBERS: Final = re.compile(r"[\dA-Fa-f]*\d[\dA-Fa-f]*")

_Found: TypeAlias = tuple[int, Place]
"""Where a word stands, and its line."""


def troubled(text: str) -> Iterator[Place]:
    """Lines with errors, then lines with warnings, each from both ends in turn: how it began, and how it ended. No two
    differ in numbers alone.
    """
    seen: set[str] = set()
    for words in (_STRONG, _WEAK):
        found: set[Place] = set()
        for word in words:
            for form in dict.fromkeys((word, word.capitalize(), word.upper())):
                found.update(islice(_lines(text, form, _forwards), _MOST))
                found.update(islice(_lines(text, form, _backwards), _MOST))
        for start, end in _from_both_ends(sorted(found)):
            shape = _NUMBERS.sub("0", text[start : min(end, start + _SEEN)].strip())
            if shape not in seen:
                seen.add(shape)
                yield start, end


def _from_both_ends(places: list[Place]) -> Iterator[Place]:
    for at in range((len(places) + 1) // 2):
        yield places[at]
        if at != len(places) - 1 - at:
            yield places[-1 - at]


def _lines(text: str, word: str, search: Callable[[str, str], Iterator[_Found]]) -> Iterator[Place]:
    """The lines that mean it."""
    for at, (start, end) in islice(search(text, word), _TRIES):
        if _begins(text, at, word) and not _CALM.search(text[max(start, at - _WIDE) : min(end, at + _WIDE)]):
            yield start, end


def _begins(text: str, at: int, word: str) -> bool:
    """Whether a word begins here: "error" does not in "terror", "Error" does in "ValueError"."""
    return not (at and word[0].islower() and text[at - 1].isalpha() and text[at - 1].isascii())


def _forwards(text: str, word: str) -> Iterator[_Found]:
    """Each line with the word, where it first stands there."""
    at = text.find(word)
    while at >= 0:
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        yield at, (text.rfind("\n", 0, at) + 1, end)
        at = text.find(word, end)


def _backwards(text: str, word: str) -> Iterator[_Found]:
    """Each line with the word, where it last stands there, from the end."""
    at = text.rfind(word)
    while at >= 0:
        end = text.find("\n", at)
        start = text.rfind("\n", 0, at) + 1
        yield at, (start, len(text) if end < 0 else end)
        at = text.rfind(word, 0, start)
