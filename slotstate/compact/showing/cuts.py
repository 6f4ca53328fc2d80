"""Cutting a text where it hurts least: at the end of a line, a sentence or a word, and never inside a character."""

from __future__ import annotations

import re
import unicodedata
from typing import Final, Literal

from slotstate.messages import storable

Unit = Literal["characters", "lines", "rows"]

_END: Final = re.compile(r"\n|(?<=[.!?])[)\]\"'”’»]*(?=\s)|[。！？；]+[”’」』）》]*")
"""Where a line or a sentence ends."""
_MARK: Final = re.compile(r'(?:\[… |\{"…":")(\d{1,3}(?:,\d{3}){0,3} )?(character|line|row)s? left out(?:\]|"\})')
_JOINER: Final = "\u200d"
_MARKS: Final = frozenset({"Mn", "Mc", "Me"})
_TRIES: Final = 64
"""Steps back from a place inside a character. What is longer is no character that anyone wrote to be read."""
_FLAGS: Final = "".join(map(chr, range(0x1F1E6, 0x1F200)))
"""Two of them are one flag."""
_RUN: Final = 100_000
"""Flags in a row that are counted."""
_BOTH_ENDS: Final = 120
"""Characters from which on a shortened text shows its end as well."""
_TOLD: Final = 60
"""Characters from which on it tells how much is missing."""
_WIDEST: Final = 20
"""Characters of the largest count that marks add up to."""
_OPAQUE: Final = 256
_OPAQUE_SHOWN: Final = 24
_NOT_ENCODED: Final = re.compile(r"[^A-Za-z0-9+/=_\-\s]")


def clean(text: str) -> str:
    """`text` as every provider and store takes it: no NUL, no lone surrogate; U+FFFD stands for each."""
    return storable(text).replace("\0", "\ufffd")


def before(text: str, at: int) -> int:
    """The last place up to `at` where a cut tears no character apart."""
    return next((place for place in range(at, max(at - _TRIES, 0), -1) if not _joined(text, place)), at)


def after(text: str, at: int) -> int:
    """The first place from `at` on where a cut tears no character apart."""
    return next((place for place in range(at, min(at + _TRIES, len(text))) if not _joined(text, place)), at)


def _joined(text: str, at: int) -> bool:
    """Whether the characters on both sides of `at` are seen as one."""
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    if right < "\u0300":
        return left == "\r" and right == "\n"
    if _JOINER in {left, right} or unicodedata.category(right) in _MARKS or "\U0001f3fb" <= right <= "\U0001f3ff":
        return True
    if "\u1100" <= left <= "\u11ff" and "\u1160" <= right <= "\u11ff":
        return True
    return left in _FLAGS and right in _FLAGS and _flags_before(text, at) % 2 == 1


def _flags_before(text: str, at: int) -> int:
    run = text[max(0, at - _RUN) : at]
    return len(run) - len(run.rstrip(_FLAGS))


def head(text: str, room: int) -> int:
    """Where a beginning of at most `room` characters ends best; the text is longer."""
    ends = [match.end() for match in _END.finditer(text, room * 2 // 5, room)]
    if ends:
        return ends[-1]
    space = max(text.rfind(blank, room * 4 // 5, room) for blank in " \t")
    return before(text, room if space < 0 else space)


def tail(text: str, room: int) -> int:
    """Where an end of at most `room` characters starts best; the text is longer."""
    start = len(text) - room
    match = _END.search(text, start, len(text) - room * 2 // 5)
    if match:
        return match.end()
    spaces = [at for blank in " \t" if (at := text.find(blank, start, start + room // 5)) >= 0]
    return after(text, min(spaces) + 1 if spaces else start)


def left_out(text: str, start: int, end: int, unit: Unit, *, again: bool) -> str:
    """How much text[start:end] is, for a mark that stands for it. `again`: the text was shortened before, and its marks
    are counted as what they stand for.
    """
    count = (
        end - start if unit == "characters" else text.count("\n", start, end) + (not text.endswith("\n", start, end))
    )
    for mark in _MARK.finditer(text, start, end) if again else ():
        if unit != "characters" and mark.start() and text[mark.start() - 1] != "\n":
            continue  # it stands for a part of a line
        if mark[2] != unit[:-1] or not mark[1]:
            return f"{unit} left out"
        count += int(mark[1].replace(",", "")) - (len(mark[0]) if unit == "characters" else 1)
    return f"{count:,} {unit if count != 1 else unit[:-1]} left out"


def shorten(text: str, room: int, *, again: bool = False) -> str:
    """`text` in at most `room` characters: its beginning and its end, with a mark for what is missing."""
    if len(text) <= room:
        return text
    if room < _TOLD:
        end = _outside(text, head(text, room - 1), again=again)[0] if room > 1 else 0
        return f"{text[:end].rstrip()}…"[: max(room, 0)]
    if is_opaque(text):
        end, start = _OPAQUE_SHOWN, len(text)
    else:
        left = room - len("\n[…  characters left out]\n") - (_WIDEST if again else len(f"{len(text):,}"))
        share = left * 3 // 5 if room >= _BOTH_ENDS else left
        end, start = head(text, share), tail(text, left - share) if left > share else len(text)
    begun = text[: _outside(text, end, again=again)[0]].rstrip()
    ended = text[_outside(text, start, again=again)[1] :].lstrip()
    skipped = left_out(text, len(begun), len(text) - len(ended), "characters", again=again)
    return "\n".join(filter(None, (begun, f"[… {skipped}]", ended)))


def _outside(text: str, at: int, *, again: bool) -> tuple[int, int]:
    """The places before and behind the earlier mark that a cut at `at` would go through; else `at` twice."""
    marks = _MARK.finditer(text) if again else ()
    return next((mark.span() for mark in marks if mark.start() <= at <= mark.end()), (at, at))


def is_opaque(text: str) -> bool:
    """Whether this is encoded data, such as a picture in base64: nothing of it is worth reading."""
    if len(text) < _OPAQUE or _NOT_ENCODED.search(text) or len(text[:_OPAQUE].split()) > _OPAQUE // 48:
        return False
    sample = set(text[:_OPAQUE])
    return len(sample) > 24 and all(
        any(test(char) for char in sample) for test in (str.isupper, str.islower, str.isdigit)
    )
