"""Which turns stand in a fresh prompt: the newest that fit, whole turns only, cut to the low mark once they do not."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final

from slotstate.prompt.transcript import Transcript, Unit
from slotstate.state import State

Measure = Callable[[Unit], int]
SPARE: Final = 32
"""Messages before a window that are kept at hand, at least."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Where the window begins, and the tokens that it takes with all that is fixed; `cut` when turns had to go."""

    start: int
    tokens: int
    cut: bool


def unit_at(transcript: Transcript, message: int) -> int:
    """The unit that begins with message number `message`, or the next one behind it."""
    return bisect_left(transcript.units, message, key=lambda unit: unit.index)


def last_turn(transcript: Transcript) -> int:
    """The unit of the last user message: it and all since must be kept. Without one, all there is."""
    return transcript.turns[-1] if transcript.turns else 0


def window_place(transcript: Transcript, state: State) -> int | None:
    """The unit of a user message from which on the next prompts can be made, with room to spare for turns that come
    back; None while that is the beginning.
    """
    epoch = transcript.epoch
    if epoch is None or not transcript.turns:
        return None
    needed = min(epoch.window, state.summary.covered, transcript.units[transcript.turns[-1]].index)
    needed = min((needed, *transcript.open_units()))
    spare = max(SPARE, state.turns - needed)
    place = bisect_right(transcript.turns, needed - spare, key=lambda at: transcript.units[at].index) - 1
    return transcript.turns[place] if place > 0 else None


def choose(
    transcript: Transcript,
    tokens: Measure,
    *,
    first: int,
    fixed: int,
    kept: Collection[int],
    full: float | None,
    mark: float,
    min_turns: int,
    forced: bool,
) -> Cut:
    """Where the window begins: at unit `first` if all from there takes at most `full` tokens, else where it reaches
    `mark`, with `min_turns` user turns at least.

    `fixed` are the tokens of what stands there in any case, the units `kept` included. What must be kept may be more
    than there is room for: the caller has to look. With `forced` the window is cut to the mark in any case.
    """

    def size(begin: int, end: int) -> int:
        return sum(tokens(transcript.units[at]) for at in range(begin, end) if at not in kept)

    last = last_turn(transcript)
    bounds = _bounds(transcript.turns, first, last)
    used = fixed + size(last, len(transcript.units))
    low_at, low_used = last, used
    for turns, (begin, end) in enumerate(bounds, 1):
        more = size(begin, end)
        if full is not None and used + more > full:
            return Cut(low_at, low_used, cut=True)
        used += more
        if used <= mark or turns < min_turns:
            low_at, low_used = begin, used
    if first <= unit_at(transcript, transcript.base):
        transcript.reaches(0)  # with what is not here, it might have gone on
    if forced:
        return Cut(low_at, low_used, cut=low_at > first)
    return Cut(min(first, last), used, cut=False)


def _bounds(turns: Sequence[int], first: int, last: int) -> list[tuple[int, int]]:
    """The turns before the last one, from the newest back to `first`: the units that each begins and ends with."""
    starts = list(turns[bisect_right(turns, first) : bisect_left(turns, last)])
    if first < last:
        starts.insert(0, first)
    ends = [*starts[1:], last]
    return list(zip(reversed(starts), reversed(ends), strict=True)) if starts else []
