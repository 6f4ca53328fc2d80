"""A text cut into sentences, and long ones at the ends of their clauses; every piece stands in the text as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from slotstate.parsing import Span

LONGEST: Final = 200
"""Characters of the longest piece."""
_CLOSERS: Final = "\"'”’」』）)】]*"
_SUBJECT: Final = r"(?:it|it's|he|he's|she|she's|they|they're|this|that|these|those|which|who)\b|[它他她这那其]"
"""What a clause begins with whose subject stands before it."""
_REFERS: Final = re.compile(rf"\W*(?:and\s+|but\s+|so\s+|而且|但是?|所以)?(?:{_SUBJECT})", re.IGNORECASE)
_END: Final = re.compile(
    rf"[.!?…]{{1,8}}[{_CLOSERS}]{{0,3}}(?=\s|\Z)|[。！？…][。！？；…]{{0,7}}[{_CLOSERS}]{{0,3}}"
    rf"|(?:;(?=\s)|；)(?!\s*(?:{_SUBJECT}))|\n",
    re.IGNORECASE,
)
_STOP: Final = re.compile(r"[.!?…。！？;；\n]")
"""What an end begins with: looked for alone, it is found many times faster."""
_SHORTENED: Final = (
    "mr mrs ms dr prof st no nr vs approx etc e.g i.e a.m p.m jr sr inc ltd co dept tel ext min max".split()
)
_BEFORE: Final = re.compile(
    rf"\.(?:(?:{'|'.join(re.escape(word[::-1]) for word in _SHORTENED)})\b|[a-z](?=\s|\Z)|\d{{1,3}}\s*(?:\n|\Z))",
    re.IGNORECASE,
)
"""A point and, read backwards, what it need not end a sentence after; of most it does where a capital follows."""
_CERTAIN: Final = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|vs|e\.g|i\.e)|(?:\A|(?<=\s))[a-z]|(?:\A|\n)\s*\d{1,3})\.\Z", re.IGNORECASE
)
"""Of these, what it does not end a sentence after even then."""
_EARLY: Final = 16
"""Characters before a point that are looked at."""
_CLAUSE: Final = re.compile(r"[,;:](?=\s)|[，、；：]|\s[-–—]+(?=\s)|——?")
_BULLET: Final = re.compile(r"(?:[-*•·–]+|\(?\d{1,3}[.)、]|[（(]?[一二三四五六七八九十]{1,2}[)）、])\s*(?=\S)")


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence, or as many clauses of one as have room, with its offsets in the text. `begins` says
    whether a sentence starts here.
    """

    start: int
    end: int
    text: str
    begins: bool = True


def pieces(text: str) -> Iterator[Piece]:
    """The sentences of a text, in order, without white space and list marks around them. A sentence of more than
    `LONGEST` characters comes as several pieces.
    """
    at = 0
    for end in _ends(text):
        start, stop = _trimmed(text, at, end)
        at = end
        begins = True
        while start < stop:
            cut = stop if stop - start <= LONGEST else _cut(text, start)
            yield Piece(start, cut, text[start:cut], begins)
            start, begins = _spaced(text, cut, stop), False


def _ends(text: str) -> Iterator[int]:
    at = 0
    while (stop := _STOP.search(text, at)) is not None:
        match = _END.match(text, stop.start())
        at = stop.end() if match is None else match.end()
        if match is not None and not (stop[0] == "." and _goes_on(text, match.start(), match.end())):
            yield match.end()
    yield len(text)


def _goes_on(text: str, point: int, end: int) -> bool:
    """Whether the point at `point` belongs to an abbreviation or numbers an entry of a list."""
    before = text[max(0, point - _EARLY) : point + 1]
    if _BEFORE.match(before[::-1]) is None:
        return False
    following = text[end : end + 4].strip()[:1]
    return _CERTAIN.search(before) is not None or not following.isupper()


def refers(text: str, at: int = 0) -> bool:
    """Whether what stands at this place begins with a pronoun, whose meaning is told before it."""
    return _REFERS.match(text, at) is not None


def _trimmed(text: str, start: int, end: int) -> Span:
    start = _spaced(text, start, end)
    while end > start and text[end - 1].isspace():
        end -= 1
    bullet = _BULLET.match(text, start, end)
    return (bullet.end() if bullet else start), end


def _spaced(text: str, at: int, end: int) -> int:
    """The first place from `at` on that is no white space."""
    while at < end and text[at].isspace():
        at += 1
    return at


def _cut(text: str, start: int) -> int:
    """Where to cut what begins at `start` and is too long: behind a clause, else between words, else anywhere."""
    last = start + LONGEST
    ends = [match.end() for match in _CLAUSE.finditer(text, start + LONGEST // 3, last + 1) if match.end() <= last]
    if ends:
        return next((end for end in reversed(ends) if not refers(text, end)), ends[-1])
    space = text.rfind(" ", start + LONGEST // 3, last)
    return space if space > 0 else last


def head(text: str, most: int) -> str:
    """The beginning of a text, at most `most` characters, cut where a line, an entry or a word ends."""
    text = text.strip()
    if len(text) <= most:
        return text
    for mark in ("\n", "},", ",", "。", " "):
        at = text.rfind(mark, most // 2, most)
        if at > 0:
            return text[: at + len(mark)].rstrip(" ,\n")
    return text[:most]
