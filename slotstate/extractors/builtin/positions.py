"""Whole numbers said as ordinals ("the 21st floor", 第五排) for slots that number things."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from slotstate.extractors.builtin.asking import counts
from slotstate.extractors.builtin.beside import NEAR, cue_distance, unit_after
from slotstate.extractors.builtin.choose import Candidate, Reason
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.profile import Profile
from slotstate.extractors.builtin.remains import answer_span
from slotstate.extractors.builtin.typed import Sightings, accepted
from slotstate.extractors.builtin.words import inside
from slotstate.parsing import Span, find, find_ordinals, find_positions
from slotstate.parsing.matching import compiled


def positions(turn: Context, taken: Sequence[Span]) -> Iterator[Candidate]:
    """Ordinals beside a slot's name, or that are all of the answer to its question."""
    slots = [one for one in turn.profiles if one.kind == "integer" and not one.counts]
    if not slots:
        return
    for found in find_positions(turn.words.folded):
        span = turn.words.inner(found.span)
        if inside(span, taken) or not turn.fills(span):
            continue
        for one in slots:
            reason, end = _reason(turn, one, span)
            values = accepted(one, [Decimal(found.value)], turn) if reason is not None else ()
            if reason is not None and values:
                yield Candidate(one, span, values, reason, quote=(span[0], max(end, span[1])), unit_end=end)


def _picks(turn: Context, span: Span) -> bool:
    """Whether the ordinal picks one of several things ("the second one", 第二个)."""
    return any(compiled(lexicon.picked).match(turn.words.text, span[1]) for lexicon in turn.words.languages)


def _is_numbered(turn: Context, one: Profile) -> bool:
    """Whether the question is for a slot that numbers a thing, instead of counting things, and names it."""
    if not turn.is_asked(one) or counts(turn.assistant.text):
        return False
    ask = (one.spec.slot.ask or "").rstrip("?？ ")
    return one.named_by(turn.assistant.text) > 0 or (ask != "" and find(ask, turn.assistant.folded) is not None)


def _reason(turn: Context, one: Profile, span: Span) -> tuple[Reason | None, int]:
    end = unit_after(one, turn.words.text, span[1])
    if end is not None:
        return Reason.UNIT, end
    left = answer_span(turn, ())
    choosing = len(Sightings(turn.assistant, turn).of("number")) > 1 and find_ordinals(turn.words.folded) != []
    if (
        _is_numbered(turn, one)
        and not choosing
        and not _picks(turn, span)
        and left is not None
        and left[0] <= span[1]
        and span[0] <= left[1]
        and _is_all(turn, span)
    ):
        return Reason.ASKED, 0
    before = turn.words.text[max(0, span[0] - NEAR) : span[0]]
    return (Reason.CUED, 0) if one.names and cue_distance(one, before) is not None else (None, 0)


def _is_all(turn: Context, span: Span) -> bool:
    return len(turn.words.text) - (span[1] - span[0]) <= _REST


_REST = 12
"""Characters beside an ordinal that is the answer: politeness, a preposition."""
