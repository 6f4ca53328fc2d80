"""Anybody's words made harmless: what could close a delimiter, end a line, or turn the reading direction."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from json.encoder import encode_basestring
from typing import Any, Final

from slotstate.messages import storable
from slotstate.values import jsonable

_encode: Final = json.JSONEncoder(ensure_ascii=False).encode
_UNSAFE: Final = re.compile("[<＜﹤\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_UNSAFE_TEXT: Final = re.compile("[<＜﹤\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_CONTROL: Final = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
MARKERS: Final = ("slots", "summary", "quotes", "note", "result", "record")
"""The names of the prompt's own markers."""
_UNSEEN: Final = (
    *range(0x80, 0xA0), 0xAD, *range(0x300, 0x370), 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810),
    *range(0x1AB0, 0x1B00), *range(0x1DC0, 0x1E00), *range(0x200B, 0x2010), *range(0x202A, 0x202F),
    *range(0x2060, 0x2070), *range(0x20D0, 0x2100), 0x2800, 0x3164, *range(0xFE00, 0xFE10), *range(0xFE20, 0xFE30),
    0xFEFF, 0xFFA0, *range(0xFFF0, 0xFFFC), *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B),
    *range(0xE0000, 0xE1000),
)  # fmt: skip
"""Characters that nobody sees: controls, format characters, fillers, variation selectors, combining marks."""
_LETTERS: Final = (
    *range(0xAA, 0x250), *range(0x1D00, 0x1DC0), *range(0x1E00, 0x1F00), *range(0x2070, 0x20A0), *range(0x2100, 0x2190),
    *range(0x2460, 0x2500), *range(0xFF00, 0xFF60), *range(0x1D400, 0x1D800), *range(0x1F100, 0x1F1A0),
)  # fmt: skip
"""Where the forms of Latin letters stand: with marks, raised, in circles, wide, as mathematicians write them."""
_LOOKALIKES: Final = str.maketrans(
    "＜﹤／⁄∕аαɑᴀсᴄϲԁᴅеεᴇӏιıɩʟǀмᴍпηոɴоοօᴏσгᴦʀԛգѕꜱтτᴛυսᴜуүγʏАМОСЕТΥЅΟΤΕΑΝΜ",
    "<<///aaaacccddeeellllllmmnnnnooooorrrqqsstttuuuyyyyamocetysoteanm",
)
"""Brackets, and letters of other scripts, that look like those of the markers."""


@lru_cache(maxsize=1)
def _plainly() -> Mapping[int, int | str]:
    """What each character looks like, as a character of ASCII; NUL for what nobody sees."""
    looks: dict[int, int | str] = dict.fromkeys(_UNSEEN, 0)
    for code in _LETTERS:
        base = unicodedata.normalize("NFKD", chr(code))
        if base[:1].isascii() and base[:1].isalpha() and all(map(unicodedata.combining, base[1:])):
            looks[code] = base[0]
    return looks | _LOOKALIKES


def _seen(text: str) -> str:
    """The text as it looks, each character in its place."""
    return text if text.isascii() else text.translate(_plainly())


_BETWEEN: Final = r"[\0-\x08\x0e-\x1f\x7f]*+"
_LEAD: Final = r"[\s\0-\x08\x0e-\x1f\x7f]*+(?:/[\s\0-\x08\x0e-\x1f\x7f]*+)?+"
_WHOLE: Final = "|".join(map(_BETWEEN.join, MARKERS))
_STARTS: Final = sorted({name[:size] for name in MARKERS for size in range(1, len(name) + 1)}, reverse=True)
_PART: Final = f"(?:{'|'.join(map(_BETWEEN.join, _STARTS))}){_BETWEEN}"
_MARKER: Final = re.compile(f"<(?={_LEAD}(?:{_WHOLE}))", re.IGNORECASE)
"""What looks like a marker."""
_TAIL: Final = re.compile(rf"<(?={_LEAD}(?:{_PART})?\Z)", re.IGNORECASE)
"""The start of a marker at the end of a text: what comes behind it could complete it."""
_HEAD: Final = re.compile(rf"{_LEAD}(?:{_WHOLE}|{_PART}\Z)", re.IGNORECASE)
"""What makes a marker of a `<` in front of it."""


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


def escape_markers(text: str) -> str:
    """`text` with `&lt;` for each `<` that opens or closes a block of the prompt, or looks as if."""
    if "<" not in text and (text.isascii() or ("＜" not in text and "﹤" not in text)):
        return text
    return _escaped(text, _MARKER)


def escape_delimiters(text: str) -> str:
    """The same, also for a `<` that could with what follows it."""
    return ends_open(escape_markers(text))


def ends_open(text: str) -> str:
    """`text` with `&lt;` where it ends with the start of a marker."""
    return _escaped(text, _TAIL)


def _escaped(text: str, opens: re.Pattern[str]) -> str:
    if text.isascii():
        return opens.sub("&lt;", text)
    places = [found.start() for found in opens.finditer(_seen(text))]
    starts = (0, *(at + 1 for at in places))
    return "&lt;".join(text[start:end] for start, end in zip(starts, (*places, len(text)), strict=True))


def is_open(text: str) -> bool:
    """Whether a text ends with the start of a marker."""
    return _TAIL.search(_seen(text)) is not None


def behind_open(text: str) -> str:
    """`text` as it can stand right behind a `<`: with a backslash in front where it would make a marker of it."""
    return f"\\{text}" if _HEAD.match(_seen(text)) else text
