"""Values in words that wish for no change of what is held: past, refused, or asked in order to know."""

from __future__ import annotations

from typing import Final

from slotstate.extractors.builtin.beside import unit_after
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.profile import NUMERIC, Profile
from slotstate.extractors.builtin.telling import Telling
from slotstate.parsing import Span, corrects
from slotstate.parsing.matching import compiled

_FREE: Final = frozenset({"past", "note"})
"""What a slot is about whose values are told: dates of birth, problems in the user's words."""
_OLD: Final = frozenset({"old", "former", "previous", "last", "past"})
"""Words in the name of a slot for what once was."""


def is_past(turn: Context, one: Profile, span: Span) -> bool:
    """Whether the clause of a value tells of the past by more than its verb ("I sent her 50 euros last week")."""
    if one.kind == "boolean" or _tells(one):
        return False
    return any(_finds(known.once, _clause(turn, span, known)) for known in _languages(turn))


def is_unwished(turn: Context, one: Profile, span: Span) -> bool:
    """Whether a value is refused, spoken of, or asked about, so that no other word of its sentence wishes for it."""
    if one.kind == "boolean":
        return False
    return any(
        _is_refused(turn, span, known) or _is_told(turn, one, span, known) or _is_inquired(turn, span, known)
        for known in _languages(turn)
    )


def counts_others(turn: Context, one: Profile, span: Span) -> bool:
    """Whether a number behind which something is said of a part of the people, or of other things, is not theirs."""
    if one.kind not in NUMERIC or "people" not in one.concepts:
        return False
    text, end = turn.words.text, span[1]
    for known in _languages(turn):
        if compiled(known.some).match(text, end) is not None:
            return True
        if compiled(known.else_counted).match(text, end) is not None and unit_after(one, text, end) is None:
            return True
    return False


def happens_in(turn: Context, one: Profile, span: Span) -> bool:
    """Whether a number tells when something will happen, and not how long it takes ("in 2 months we move")."""
    if one.kind not in NUMERIC:
        return False
    text, (start, end) = turn.words.text, turn.words.sentence(span[0])
    found = [compiled(known.from_now).match(text, start, end) for known in _languages(turn)]
    return any(match is not None and match.end() > span[0] for match in found)


def _languages(turn: Context) -> list[Telling]:
    return [lexicon.telling for lexicon in turn.words.languages]


def _tells(one: Profile) -> bool:
    """Whether a slot is for what users tell of: its value may well be past."""
    return bool(one.concepts & _FREE) or any(_OLD & {*name.split()} for name in one.names)


def _finds(pattern: str, text: str) -> bool:
    return compiled(pattern).search(text) is not None


def _clause(turn: Context, span: Span, known: Telling) -> str:
    """The words around a value up to where the user goes over to something else."""
    text = turn.words.text
    start, end = turn.words.clause(span[0])
    parted = compiled(known.parts)
    start = max((found.end() for found in parted.finditer(text, start, span[0])), default=start)
    after = parted.search(text, min(span[1], end), end)
    return text[start : after.start() if after is not None else max(end, span[1])]


def _is_refused(turn: Context, span: Span, known: Telling) -> bool:
    return _finds(known.refused, turn.words.text[turn.words.clause(span[0])[0] : span[0]])


def _is_told(turn: Context, one: Profile, span: Span, known: Telling) -> bool:
    """Whether a value is told of: what was, what it does, what time it is, what is said in passing."""
    text, (start, end) = turn.words.text, turn.words.sentence(span[0])
    if compiled(known.does).match(text, span[1]) is not None or _finds(known.by_the_way, text[span[1] : end]):
        return True
    if one.kind == "time" and _finds(known.already, text[start : span[0]]):
        return True
    if _tells(one) or corrects(turn.words.folded) is not None:
        return False
    return _finds(known.was, _clause(turn, span, known))


def _is_inquired(turn: Context, span: Span, known: Telling) -> bool:
    """Whether the sentence of a value asks for information."""
    sentence = turn.words.sentence(span[0])
    if sentence not in turn.questions:
        return False
    words = turn.words.text[slice(*sentence)]
    inquires = compiled(known.inquires).match(words) is not None and not _finds(known.offers, words)
    return inquires or _finds(known.costs, words)
