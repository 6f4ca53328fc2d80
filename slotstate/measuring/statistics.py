"""How sure a figure is: intervals by bootstrap over dialogues, and two runs compared on the same dialogues.

Dialogues are what is drawn, not turns: the turns of one dialogue are not independent of each other (Koehn 2004,
"Statistical Significance Tests for Machine Translation Evaluation", for the paired form). Chance comes from outside, as
samples: sequences of dialogue numbers, drawn with replacement.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor
from operator import itemgetter
from typing import Final

from slotstate.measuring.scoring import Sums, figure, total

LEVEL: Final = 0.95
"""How sure an interval is."""
FEWEST: Final = 5
"""Dialogues below which there is no interval: so few say nothing about others."""
Sample = Sequence[int]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with the interval of its bootstrap; None where there are too few dialogues. `n` values make it up."""

    value: float
    n: int
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """A figure in two runs, on the dialogues that both have. `share` is that of the samples in which the second run is
    better, halves for equal ones.
    """

    before: float
    after: float
    low: float | None
    high: float | None
    share: float | None

    @property
    def by(self) -> float:
        """How much the second run has more."""
        return self.after - self.before

    @property
    def is_sure(self) -> bool:
        """Whether the interval of the difference leaves 0 out."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


def estimates(dialogues: Sequence[Sums], samples: Iterable[Sample]) -> dict[str, Estimate]:
    """Every figure of the dialogues, with its interval."""
    whole = total(dialogues)
    drawn = _drawn([dialogues], list(whole), samples) if len(dialogues) >= FEWEST else {}
    made: dict[str, Estimate] = {}
    for name, (_, number) in whole.items():
        value = figure(whole, name)
        if value is not None:
            low, high = _interval([values[0] for values in drawn.get(name, ())])
            made[name] = Estimate(value, number, low, high)
    return made


def differences(
    before: Sequence[Sums], after: Sequence[Sums], names: Iterable[str], samples: Iterable[Sample]
) -> dict[str, Difference]:
    """Two runs compared: place i of both is the same dialogue. Figures that one of them lacks are left out."""
    one, other = total(before), total(after)
    known = [name for name in names if figure(one, name) is not None and figure(other, name) is not None]
    drawn = _drawn([before, after], known, samples) if len(before) >= FEWEST else {}
    made: dict[str, Difference] = {}
    for name in known:
        gains = [values[1] - values[0] for values in drawn.get(name, ())]
        low, high = _interval(gains)
        share = sum((gain > 0) + (gain == 0) / 2 for gain in gains) / len(gains) if gains else None
        made[name] = Difference(figure(one, name) or 0.0, figure(other, name) or 0.0, low, high, share)
    return made


def _drawn(
    runs: Sequence[Sequence[Sums]], names: Sequence[str], samples: Iterable[Sample]
) -> dict[str, list[tuple[float, ...]]]:
    """Each figure of each run in every sample in which all runs have it."""
    columns: dict[tuple[float, ...], int] = {}  # many figures are about the same units: their numbers are added up once
    places = {name: [_places(run, name, columns) for run in runs] for name in names}
    drawn: dict[str, list[tuple[float, ...]]] = {name: [] for name in names}
    for sample in samples:
        pick = itemgetter(*sample)
        sums = [sum(pick(column)) for column in columns]
        for name, parts in places.items():
            if all(sums[number] for _, number in parts):
                drawn[name].append(tuple(sums[value] / sums[number] for value, number in parts))
    return drawn


def _places(run: Sequence[Sums], name: str, columns: dict[tuple[float, ...], int]) -> tuple[int, int]:
    """Where the values of a figure by dialogue stand among the columns, and where their numbers do."""
    values, numbers = zip(*(sums.get(name, (0.0, 0)) for sums in run), strict=True)
    return columns.setdefault(values, len(columns)), columns.setdefault(numbers, len(columns))


def _interval(values: Sequence[float]) -> tuple[float, float] | tuple[None, None]:
    """The middle part of the values, by percentiles."""
    if not values:
        return None, None
    ordered = sorted(values)
    outside = (1 - LEVEL) / 2 * len(ordered)
    return ordered[floor(outside)], ordered[ceil(len(ordered) - outside) - 1]


def percentile(values: Sequence[float], share: float) -> float | None:
    """The value below which a share of the values lies (nearest rank); None for no values."""
    ordered = sorted(values)
    return ordered[max(0, ceil(share * len(ordered)) - 1)] if ordered else None
