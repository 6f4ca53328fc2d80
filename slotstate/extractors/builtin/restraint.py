"""What looks like a value and is none: code and addresses of pages, idle answers, words in another sense."""

from __future__ import annotations

import re
from typing import Final

from slotstate.extractors.builtin.lexicons import LEXICONS
from slotstate.parsing import Span
from slotstate.parsing.matching import compiled

_CODE: Final = re.compile(
    r"(?:https?://|www\.)[^ ]+|\bdef [a-z_]\w*\(.{0,200}|\bselect .{1,80}? from .{0,200}|\binsert into .{0,200}"
    r"|\b[a-z_]\w*\([^()]{0,80}[\"'=][^()]{0,80}\)"
)
_NO_WORDS: Final = r"[0-9]+|\w+\(.*|(?:https?://|www\.).*|(?:asdf|qwer|zxcv|hjkl)\w*"
_IDLE: Final = "|".join([_NO_WORDS, *(lexicon.idle for lexicon in LEXICONS)])
_VERDICT: Final = "|".join(lexicon.verdict for lexicon in LEXICONS)
_TURNED_DOWN: Final = "|".join(lexicon.turned_down for lexicon in LEXICONS)
_NO_WAY: Final = "|".join(lexicon.no_way for lexicon in LEXICONS)
_NO_PLACE: Final = "|".join(lexicon.no_place for lexicon in LEXICONS)
_AGE: Final = "|".join(lexicon.age for lexicon in LEXICONS)
_OTHER_SENSE: Final = "|".join(lexicon.other_sense for lexicon in LEXICONS)


def code_spans(text: str) -> list[Span]:
    """Where code and addresses of pages stand in a folded text: nothing is read there."""
    return [match.span() for match in _CODE.finditer(text)]


def is_idle(text: str) -> bool:
    """Whether an answer names no place or person: laughter, scolding, numbers, code, putting off, a refusal."""
    return compiled(_IDLE).fullmatch(text) is not None or is_turned_down(text)


def is_verdict(text: str) -> bool:
    """Whether folded words judge or point at something instead of naming it ("fine", "the former")."""
    return compiled(_VERDICT).fullmatch(text) is not None


def is_turned_down(text: str) -> bool:
    """Whether a folded text starts by refusing what it names."""
    return compiled(_TURNED_DOWN).match(text) is not None


def leads_nowhere(text: str, cue: Span, at: int) -> bool:
    """Whether a cue of direction is none ("thanks to Mary"), or leads to no place ("go to bed")."""
    before = text[max(0, cue[0] - 24) : cue[0]]
    return compiled(_NO_WAY).search(before) is not None or compiled(_NO_PLACE).match(text, at) is not None


def before_age(text: str, span: Span) -> Span:
    """A name without what tells the age behind it ("Anna Schmidt and I'm")."""
    match = compiled(_AGE).search(text, *span)
    return (span[0], match.start()) if match is not None and match.start() > span[0] else span


def other_sense(text: str, span: Span) -> bool:
    """Whether an option's word means something else, or is only judged ("the economy is bad")."""
    return compiled(_OTHER_SENSE).match(text, span[1]) is not None
