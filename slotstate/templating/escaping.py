"""Anybody's words made harmless: what could close a delimiter, end a line, or turn the reading direction."""

from __future__ import annotations

import json
import re
from json.encoder import encode_basestring
from typing import Any, Final

from slotstate.messages import storable
from slotstate.values import jsonable

_encode: Final = json.JSONEncoder(ensure_ascii=False).encode
_UNSAFE: Final = re.compile("[<\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_UNSAFE_TEXT: Final = re.compile("[<\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_CONTROL: Final = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_BLANK: Final = r"[\s\u200b-\u200f\u2060\ufeff]*"
MARKERS: Final = ("slots", "summary", "quotes", "note")
"""The names of the prompt's own markers."""
_MARKER: Final = re.compile(rf"<(?={_BLANK}/?{_BLANK}(?:{'|'.join(MARKERS)})\b)", re.IGNORECASE)
"""What looks like one of them."""
_STARTS: Final = sorted({name[:size] for name in MARKERS for size in range(len(name) + 1)})
_TAIL: Final = re.compile(rf"<(?={_BLANK}/?{_BLANK}(?:{'|'.join(_STARTS)})$)", re.IGNORECASE)
"""The start of a marker at the end of a text: what comes behind it could complete it."""
_HEAD: Final = re.compile(rf"{_BLANK}/?{_BLANK}([a-z]*)", re.IGNORECASE)


def as_data(value: Any) -> str:
    """A value as one line of JSON that cannot close a delimiter: what could is written as an escape."""
    if type(value) is str:
        text = encode_basestring(value if value.isascii() else storable(value))
    else:
        text = _encode(jsonable(value))
    if text.isascii() and "<" not in text and "\x7f" not in text:
        return text
    return _UNSAFE.sub(_escape, text)


def as_text(text: str) -> str:
    """Anybody's words to be printed as they are, but for what could close a delimiter or steer what shows them."""
    if (text.isascii() and text.isprintable() and "<" not in text) or not _UNSAFE_TEXT.search(text):
        return text
    return escape_delimiters(_CONTROL.sub(_escape, text))


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def escape_delimiters(text: str) -> str:
    """`text` with `&lt;` for each `<` that opens or closes a block of the prompt, or could with what follows it."""
    if "<" not in text:
        return text
    return ends_open(_MARKER.sub("&lt;", text))


def ends_open(text: str) -> str:
    """`text` with `&lt;` where it ends with the start of a marker."""
    return _TAIL.sub("&lt;", text)


def is_open(text: str) -> bool:
    """Whether a text ends with the start of a marker."""
    return _TAIL.search(text) is not None


def behind_open(text: str) -> str:
    """`text` as it can stand right behind a `<`: with a backslash in front where it would make a marker of it."""
    found = _HEAD.match(text)
    word = found[1].casefold() if found else ""
    makes = word and any(word.startswith(name) or name.startswith(word) for name in MARKERS)
    return f"\\{text}" if makes else text
