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


def label(value: Any) -> str:
    """A name as words: `travel.outbound_on` is "outbound on"."""
    return str(value).rsplit(".", 1)[-1].replace("_", " ").strip()


def quote(run: Run, value: Any, max: int = 200) -> str:
    """A text in quotation marks, in one line; of one longer than `max` characters the middle is left out."""
    if value is None:
        return ""
    text = " ".join((value if isinstance(value, str) else as_data(value)).split())
    if len(text) > max:
        head = (max - 1) // 2 + (max - 1) % 2
        text = (
            f"{_whole(text[:head])}{ELLIPSIS}{_from_whole(text[len(text) - (max - 1) // 2 :])}" if max > 1 else ELLIPSIS
        )
    marks = _marks(run.locale)
    left, right = marks[0], marks[1]
    inner = as_data(text)[1:-1].replace('\\"', '"')
    return f"{left}{inner.replace(left, chr(34)).replace(right, chr(34))}{right}"


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
    while low and count(_cut(text, low)) > n:  # a counter need not grow with each character
        low -= 1
    return _cut(text, low) if low and count(_cut(text, low)) <= n else ELLIPSIS if count(ELLIPSIS) <= n else ""


def _cut(text: str, size: int) -> str:
    """The first `size` characters, back to the end of a word if one ends in the last third, and "…"."""
    head = _whole(text[:size])
    if text[size : size + 1].strip() and head[-1:].isascii():
        shorter = head.rsplit(None, 1)[0] if len(head.split()) > 1 else head
        head = shorter if len(shorter) * 3 >= len(head) * 2 else head
    return f"{head.rstrip()}{ELLIPSIS}"


def _whole(head: str) -> str:
    """Without a joiner at the end that would hang in the air."""
    return head.rstrip("\u200d")


def _from_whole(tail: str) -> str:
    """Without marks at the start that belong to a character before."""
    start = 0
    while start < len(tail) and (tail[start] in _JOINERS or unicodedata.combining(tail[start])):
        start += 1
    return tail[start:]
