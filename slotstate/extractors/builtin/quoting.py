"""Quotes: the shortest stretch of the user's words from which a value follows."""

from __future__ import annotations

from collections.abc import Iterator

from slotstate.extractors.builtin.choose import Candidate
from slotstate.extractors.builtin.context import Context
from slotstate.parsing import Span
from slotstate.values import follows

_WORDS_BEFORE = 4


def quote(turn: Context, candidate: Candidate) -> str:
    """The original words to quote for a candidate: the shortest from which its value follows, else its clause."""
    value = candidate.values[0]
    for span in _widening(turn, candidate):
        words = turn.words.original(span)
        if words and follows(candidate.profile.spec, value, words, turn.reading(candidate.profile)):
            return words
    wide = candidate.quote or turn.words.clause(candidate.span[0])
    return turn.words.original(wide) or turn.words.original(candidate.span)


def _widening(turn: Context, candidate: Candidate) -> Iterator[Span]:
    start, end = candidate.span
    if candidate.quote is not None:
        yield candidate.quote
    yield start, end
    clause = turn.words.clause(start)
    before = turn.words.text[clause[0] : start]
    at = len(before.rstrip())
    for _ in range(_WORDS_BEFORE):
        at = before.rfind(" ", 0, at) if at > 0 else -1
        yield clause[0] + at + 1, end
        if at < 0:
            break
    yield clause[0], max(clause[1], end)
    yield turn.words.sentence(start)[0], max(turn.words.sentence(start)[1], end)
    yield 0, len(turn.words.text)
