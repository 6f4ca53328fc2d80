"""E-mail addresses and phone numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from slotstate.parsing.folding import Folded
from slotstate.parsing.found import Found
from slotstate.parsing.language import Cue
from slotstate.parsing.languages import LANGUAGES
from slotstate.parsing.matching import END, START, Hit, compiled, cue_places, edged, publish

_EMAIL = (
    r"(?<![a-z0-9._%+\-@])[a-z0-9](?:[a-z0-9._%+\-]{0,62}[a-z0-9_+\-])?@"
    r"(?:[a-z0-9](?:[a-z0-9\-]{0,61}[a-z0-9])?\.){1,8}[a-z]{2,24}(?![a-z0-9@\-])"
)
_PHONE = (
    rf"{START}(?<![/#$€£¥+-])(?<![0-9][.,:])(?<![0-9] )(?:\+ ?)?"
    r"(?:\([0-9]{1,5}\)[ -]?)?[0-9]{1,15}(?:(?:[ .-]|[ -]?\([0-9]{1,5}\)[ -]?)[0-9]{1,15}){0,7}"
    rf"{END}(?![:/%@$€£¥]|[.,-][0-9a-z]|-)"
)
_LIKE_DATE = r"[0-9]{4}[-. /][0-9]{1,2}[-. /][0-9]{1,2}|[0-9]{1,2}[-. /][0-9]{1,2}[-. /][0-9]{2,4}"
_CUE_BEFORE = r"[ :]*\Z"


def find_emails(text: Folded) -> list[Found[str]]:
    """E-mail addresses, as written (the letter case of the original is kept)."""
    return publish(text, (Hit(start, end, (_written(text, start, end),)) for start, end in email_ranges(text)))


def _written(text: Folded, start: int, end: int) -> str:
    """The original letters where folding only changed their case."""
    first, last = text.span(start, end)
    original = text.original[first:last]
    return original if original.casefold() == text.text[start:end] else text.text[start:end]


def email_ranges(text: Folded) -> list[tuple[int, int]]:
    """Folded offsets of e-mail addresses."""
    if "@" not in text.text:
        return []
    return [
        match.span() for match in compiled(_EMAIL).finditer(text.text) if ".." not in match[0] and ".@" not in match[0]
    ]


def find_phones(text: Folded) -> list[Found[str]]:
    """Phone numbers as digits, with the plus where there is one."""
    return publish(text, phone_hits(text.text))


def phone_hits(text: str) -> Iterator[Hit[str]]:
    """Phone numbers of the folded text, in folded offsets."""
    for match in edged(_PHONE).finditer(text):
        written = match[0]
        digits = re.sub("[^0-9]", "", written)
        if (
            not 5 <= len(digits) <= 15
            or compiled(_LIKE_DATE).fullmatch(written)
            or compiled(_counted()).match(text, match.end())
        ):
            continue
        if written[0] == "+" or _likely(text, match, written, digits):
            yield Hit(match.start(), match.end(), (("+" if written[0] == "+" else "") + digits,))


def _likely(text: str, match: re.Match[str], written: str, digits: str) -> bool:
    """Without a plus: long enough, grouped as phone numbers are, or announced as one."""
    if written.endswith(" 000") and written[0] != "0":
        return False
    groups = re.split("[^0-9]+", written.strip("()"))
    if len(digits) >= 7 and (len(groups) == 1 or all(len(group) > 1 for group in groups[1:])):
        return "." not in written or len(groups) > 2
    before = text[max(0, match.start() - 40) : match.start()]
    bare = not text[: match.start()].strip() and not text[match.end() :].strip(" .!。")
    return (bare and len(groups) == 1) or _announced(before)


def _announced(before: str) -> bool:
    return any(
        compiled(_CUE_BEFORE).match(before, end) is not None
        for cue, spaced in _phone_cues()
        for _, end in cue_places(cue, spaced, before)
    )


@cache
def _counted() -> str:
    """What makes the digits before it a price or a measure."""
    return f" ?(?:{'|'.join(language.currencies.counted for language in LANGUAGES)})"


@cache
def _phone_cues() -> tuple[tuple[Cue, bool], ...]:
    return tuple((language.cues.phone, language.spaced) for language in LANGUAGES)
