"""Anybody's words made harmless: what could close a delimiter, end a line, or turn the reading direction."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from slotstate.messages import storable
from slotstate.values import jsonable

_encode: Final = json.JSONEncoder(ensure_ascii=False).encode
_UNSAFE: Final = re.compile("[<\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_CONTROL: Final = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_BLANK: Final = r"[\s\u200b-\u200f\u2060\ufeff]*"
_NAMES: Final = r"(?:slots|summary|quotes|note)\b"
_MARKER: Final = re.compile(rf"<(?={_BLANK}/?{_BLANK}{_NAMES})", re.IGNORECASE)
"""What looks like one of the prompt's own markers."""
_TAIL: Final = re.compile(rf"<(?={_BLANK}/?{_BLANK}$)")
"""A `<` at the end: what comes behind it could make a marker of it."""
_HEAD: Final = re.compile(rf"^({_BLANK})/(?={_BLANK}{_NAMES})", re.IGNORECASE)
"""The rest of a marker, at the start: a `<` could stand before it."""


def as_data(value: Any) -> str:
    """A value as one line of JSON that cannot close a delimiter: what could is written as an escape."""
    text = _encode(storable(value) if type(value) is str else jsonable(value))
    return _UNSAFE.sub(_escape, text)


def as_text(text: str) -> str:
    """Anybody's words to be printed as they are, but for what could close a delimiter or steer what shows them."""
    if _CONTROL.search(text):
        text = _CONTROL.sub(_escape, text)
    return escape_delimiters(text)


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def escape_delimiters(text: str) -> str:
    """`text` with `&lt;` for each `<` that opens or closes one of the prompt's blocks, alone or beside other text."""
    if "<" in text:
        text = _TAIL.sub("&lt;", _MARKER.sub("&lt;", text))
    return _HEAD.sub(r"\1\\/", text) if "/" in text else text
