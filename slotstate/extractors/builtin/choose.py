"""Candidates and the choice among them: each stretch of text fills one slot, each slot gets one value.

Candidates are ranked by the one reason that speaks most strongly for them. Where two slots have an equal claim to a
stretch, the focus decides; where it does not, nobody gets it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import groupby
from typing import Final

from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.profile import Profile
from slotstate.extractors.builtin.words import Words, is_correction, is_spread, overlaps
from slotstate.parsing import Span, alternatives, corrects
from slotstate.slots import Json

_FAR: Final = 400
"""Characters beyond which a value neither corrects another one nor is its alternative."""


_NEAR: Final = 8
"""Characters within which a value is the alternative of the one before, nothing but "or" and the like between."""


class Reason(IntEnum):
    """Why a stretch of text should fill a slot, the weakest first."""

    ORDER = 1
    """As many values as slots that come in an order."""
    DEFAULT = 2
    """The slot that such a value is about when nothing else is said (leaving, before returning)."""
    ONLY = 3
    """No other slot takes a value of this kind."""
    CORRECTED = 4
    """A correction, and the slot is what was last spoken of."""
    ASKED = 5
    """The slot was asked for."""
    CUED = 6
    """Words beside the value point at the slot."""
    UNIT = 7
    """The value's unit is the slot's."""
    NAMED = 8
    """The words are a value of the slot by declaration."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A possible value: where it stands, its readings (several when the words leave it open), for which slot and why.

    `nearness` breaks ties between equal reasons: the characters between cue and value. `quote` are words to be quoted
    with the value, `unit_end` is where its unit ends.
    """

    profile: Profile
    span: Span
    values: tuple[Json, ...]
    reason: Reason
    nearness: int = 0
    quote: Span | None = None
    unit_end: int = 0

    @property
    def cover(self) -> Span:
        """The stretch that the value takes up, its unit included."""
        return self.span[0], max(self.span[1], self.unit_end)


def choose(candidates: Iterable[Candidate], turn: Context) -> list[Candidate]:
    """The candidates that hold, by place in the text."""
    chosen: list[Candidate] = []
    words = turn.words
    ranked = sorted(candidates, key=lambda one: (-one.reason, one.nearness, one.span))
    for (reason, _), group in groupby(ranked, key=lambda one: (one.reason, one.nearness)):
        free = [one for one in group if not _taken(one, chosen, words)]
        for one in free:
            if not _taken(one, chosen, words) and _wins(one, free, reason, turn):
                chosen.append(one)
    return sorted(chosen, key=lambda one: one.span)


def _taken(one: Candidate, chosen: Sequence[Candidate], words: Words) -> bool:
    """Whether the stretch has filled a slot already, or the slot has its value already."""
    return any(
        overlaps(one.span, other.span)
        or (one.profile is other.profile and not _shares(one, other, words) and _is_weaker(one, other, words))
        for other in chosen
    )


def _is_weaker(one: Candidate, other: Candidate, words: Words) -> bool:
    return not _rivals(one, other, words) or one.reason < other.reason


def _shares(one: Candidate, other: Candidate, words: Words) -> bool:
    """Whether a value corrects the one right before it, or is its alternative ("for 4 or 5"): it needs no cue or unit
    of its own.
    """
    if is_correction(words, other.span, one.span):
        return True
    near = 0 <= one.span[0] - other.cover[1] <= _NEAR
    return near and alternatives(words.plain, other.cover, one.span)


def _wins(one: Candidate, free: Sequence[Candidate], reason: Reason, turn: Context) -> bool:
    rivals = [other for other in free if other is not one]
    same_stretch = [other for other in rivals if overlaps(one.span, other.span) and other.profile is not one.profile]
    if any(_before(other, one, turn) is not False for other in same_stretch):
        return False
    same_slot = [other for other in rivals if other.profile is one.profile and not overlaps(other.span, one.span)]
    if all(_rivals(one, other, turn.words) for other in same_slot):
        return True
    return reason >= Reason.ASKED and one.span == min(other.span for other in (one, *same_slot))


def _before(one: Candidate, other: Candidate, turn: Context) -> bool | None:
    """Whether `one` has the better claim to a stretch: the slot asked for, the longer match, the domain in focus; None
    when it is open.
    """
    asked = turn.is_asked(one.profile) - turn.is_asked(other.profile)
    if asked:
        return asked > 0
    longer = (one.span[1] - one.span[0]) - (other.span[1] - other.span[0])
    if longer:
        return longer > 0
    focus = turn.focus
    ranks = [focus.index(item.profile.domain) if item.profile.domain in focus else len(focus) for item in (one, other)]
    return None if ranks[0] == ranks[1] else ranks[0] < ranks[1]


def _rivals(one: Candidate, other: Candidate, words: Words) -> bool:
    """Whether two values for one slot are alternatives, ends of a range or a correction, for `decide` to sort out."""
    if one.span == other.span:
        return False
    first, second = sorted((one.span, other.span))
    if second[0] - first[1] > _FAR:
        return False
    if is_spread(words, first, second):
        return True
    cue = corrects(words.part((first[1], second[1])))  # with the value behind it: a cue may need a word after it
    return (cue is not None and first[1] + cue[0] < second[0]) or alternatives(words.plain, first, second)
