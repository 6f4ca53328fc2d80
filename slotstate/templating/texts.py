"""Filters on texts: quotations, names as words, and texts cut to a number of tokens."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any, Final

from slotstate.templating.bounds import Run
from slotstate.templating.escaping import as_data

ELLIPSIS: Final = "…"
_MARKS: Final[Mapping[str, str]] = {
    "cs": "„“",
    "da": "“”",
    "de": "„“",
    "es": "«»",
    "fr": "«»",
    "it": "«»",
    "ja": "「」",
    "pl": "„”",
    "pt": "“”",
    "ru": "«»",
    "sv": "””",
    "uk": "«»",
    "zh": "“”",
    "zh-hant": "「」",
    "zh-tw": "「」",
    "zh-hk": "「」",
}
_JOINERS: Final = "\u200d\ufe0e\ufe0f"
"""Characters that belong to the one before."""


def label(value: Any) -> str:
    """A name as words: `travel.outbound_on` is "outbound on"."""
    return str(value).rsplit(".", 1)[-1].replace("_", " ").strip()


def quote(run: Run, value: Any, max: int = 200) -> str:
    """A text in quotation marks, in one line; of one longer than `max` characters the middle is left out."""
    if value is None:
        return ""
    text = " ".join((value if isinstance(value, str) else as_data(value)).split())
    if len(text) > max:
        room = max - 1 if max > 1 else 0
        head, tail = _back(text, room - room // 2), _on(text, len(text) - room // 2)
        text = f"{text[:head]}{ELLIPSIS}{text[tail:]}"
    marks = _marks(run.locale)
    inner = as_data(text)[1:-1].replace('\\"', '"')
    return f"{marks[0]}{inner.replace(marks[0], chr(34)).replace(marks[1], chr(34))}{marks[1]}"


def _marks(locale: str) -> str:
    tag = locale.replace("_", "-").casefold()
    return _MARKS.get(tag) or _MARKS.get(tag.partition("-")[0], "“”")


def truncate_tokens(run: Run, value: Any, n: int) -> str:
    """The start of a text, of `n` tokens at most by the prompt's counter, cut behind a word where there is one."""
    text = value if isinstance(value, str) else "" if value is None else as_data(value)
    count = run.counter.count
    if len(text) <= 200 * max(n, 0) and count(text) <= n:
        return text
    low, high = 0, min(len(text), 40 * max(n, 0))
    while low < high:
        middle = (low + high + 1) // 2
        if count(_cut(text, middle)) <= n:
            low = middle
        else:
            high = middle - 1
    if low:
        return _cut(text, low)
    return ELLIPSIS if count(ELLIPSIS) <= n else ""


def _cut(text: str, size: int) -> str:
    """The first `size` characters, back to the end of a word if one ends in the last third, and "…"."""
    head = text[: _back(text, size)]
    if text[size : size + 1].strip() and head[-1:].isascii() and len(words := head.rsplit(None, 1)) > 1:
        head = words[0] if len(words[0]) * 3 >= len(head) * 2 else head
    return f"{head.rstrip()}{ELLIPSIS}"


def _back(text: str, at: int) -> int:
    """The nearest place before `at` where a text can be cut: not in front of what belongs to the character before."""
    while 0 < at < len(text) and _joined(text, at):
        at -= 1
    return at


def _on(text: str, at: int) -> int:
    """The nearest place after `at` where a text can be cut."""
    while at < len(text) and _joined(text, at):
        at += 1
    return at


def _joined(text: str, at: int) -> bool:
    return text[at] in _JOINERS or unicodedata.combining(text[at]) > 0 or text[at - 1] == "\u200d"
