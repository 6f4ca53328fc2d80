"""The words beside a value: cues before it, units after it."""

from __future__ import annotations

from slotstate.extractors.builtin.lexicons import LEXICONS
from slotstate.extractors.builtin.profile import Profile, cue_gap

NEAR = 48
"""Characters before a value within which a cue is looked for."""


def cue_distance(one: Profile, before: str) -> int | None:
    """How far from the end of `before` a cue of the slot ends, small words between allowed; None without one."""
    best: int | None = None
    for lexicon in LEXICONS:
        for _, end in one.cues(before, lexicon):
            gap = len(before) - end
            if (best is None or gap < best) and cue_gap(lexicon).fullmatch(before, end) is not None:
                best = gap
    return best


def unit_after(one: Profile, text: str, at: int) -> int | None:
    """Where the slot's unit ends that follows a value ending at `at`; None without one."""
    ends = [end for lexicon in LEXICONS if (end := one.unit_end(text, at, lexicon)) is not None]
    return max(ends, default=None)
