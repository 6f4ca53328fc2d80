"""Remarks in scripts without spaces: values beside words that ask for no change leave what was confirmed alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from slotstate.extractors.builtin.choose import Candidate, Reason
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.lexicon import Lexicon
from slotstate.extractors.builtin.words import cue_spans, inside
from slotstate.parsing import Span, corrects, unspaced
from slotstate.parsing.matching import compiled

_POINTED: Final = frozenset({Reason.CORRECTED, Reason.ASKED, Reason.CUED})
"""Reasons that rest on words about the slot, or on its question."""

_NEAR: Final = 32
"""Characters before a value within which words refuse a change to it."""


def is_aside(turn: Context, one: Candidate, chosen: Sequence[Candidate]) -> bool:
    """Whether a new value for a confirmed slot stands in a remark: its clause holds no word of change or of a wish,
    does not name the slot, and says more than the values in it.
    """
    slot = turn.slot(one.profile)
    if slot.held.status != "confirmed" or one.reason in _POINTED or one.profile.kind in {"text", "boolean"}:
        return False
    if slot.pending is not None or turn.is_asked(one.profile) or turn.held(one.profile) in one.values:
        return False
    clause = turn.words.clause(one.span[0])
    words = turn.words.text[slice(*clause)]
    if not any(map(unspaced, words)) or corrects(turn.words.folded) is not None or _names_slot(turn, one, clause):
        return False
    if inside(clause, cue_spans(turn.words, lambda lexicon: lexicon.wishes)):
        return False
    covers = [other.cover for other in chosen]
    return any(_says_more(turn, clause, covers, lexicon) for lexicon in turn.words.languages if not lexicon.spaced)


def _names_slot(turn: Context, one: Candidate, clause: Span) -> bool:
    """Whether a clause names the slot beside the value and its unit (师傅 in 五个师傅 only says what is counted)."""
    (start, end), (first, last) = clause, one.cover
    text = turn.words.text
    return one.profile.is_named_in(text[start:first]) or one.profile.is_named_in(text[last:end])


def keeps(turn: Context, one: Candidate) -> bool:
    """Whether the user does not want a change to this value (别改到周日): it sets nothing, and rules nothing out."""
    at = one.span[0]
    if inside(one.span, turn.questions):
        return False
    before = turn.words.text[max(turn.words.clause(at)[0], at - _NEAR) : at]
    return any(compiled(lexicon.unchanging).search(before) is not None for lexicon in turn.words.languages)


def _says_more(turn: Context, clause: Span, covers: Sequence[Span], lexicon: Lexicon) -> bool:
    """Whether something is left of a clause beside values and small words."""
    at, end = clause
    small = compiled(f"(?:{lexicon.small})")
    while at < end:
        cover = next((span for span in covers if span[0] <= at < span[1]), None)
        found = small.match(turn.words.text, at, end) if cover is None else None
        if cover is None and found is None:
            return True
        at = cover[1] if cover is not None else found.end() if found is not None else end
    return False
