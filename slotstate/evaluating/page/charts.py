"""Charts as geometry: where the parts of a drawing stand, in its own units, for a template to draw as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log10
from typing import Final

from slotstate.measuring.evaluation import Figure, Part

WIDTH: Final = 460
HEIGHT: Final = 230
LEFT, RIGHT, TOP, BOTTOM = 46, 6, 12, 44
MOST_COLUMNS: Final = 18


@dataclass(frozen=True, slots=True)
class Column:
    """A number on the axis below, with both figures over it, and how many units it stands for."""

    name: str
    x: float
    width: float
    jga: float
    jga_top: float
    exact: float
    exact_top: float
    n: int
    faint: bool


@dataclass(frozen=True, slots=True)
class Columns:
    """A chart of columns; `ticks` are (y, label) of the lines behind it."""

    columns: tuple[Column, ...]
    ticks: tuple[tuple[float, str], ...]
    title: str
    axis: str
    left: int = LEFT
    right: int = WIDTH - RIGHT
    base: int = HEIGHT - BOTTOM
    width: int = WIDTH
    height: int = HEIGHT


def columns(parts: Mapping[int, Part], title: str, axis: str) -> Columns | None:
    """Joint goal accuracy by a number. Past so many columns the rest is one, by weight; few units are drawn faintly."""
    rows = _gathered(sorted(parts.items()))
    if not rows:
        return None
    step = (WIDTH - LEFT - RIGHT) / len(rows)
    made = [
        Column(
            name,
            LEFT + index * step + step / 2,
            min(step * 0.7, 40),
            part.jga,
            _height(part.jga),
            part.jga_exact,
            _height(part.jga_exact),
            part.n,
            part.n < 10,
        )
        for index, (name, part) in enumerate(rows)
    ]
    ticks = tuple((_height(share / 100), f"{share} %") for share in (0, 25, 50, 75, 100))
    return Columns(tuple(made), ticks, title, axis)


def _gathered(rows: Sequence[tuple[int, Part]]) -> list[tuple[str, Part]]:
    if len(rows) <= MOST_COLUMNS:
        return [(str(number), part) for number, part in rows]
    first, rest = rows[: MOST_COLUMNS - 1], [part for _, part in rows[MOST_COLUMNS - 1 :]]
    units = sum(part.n for part in rest)
    jga = sum(part.jga * part.n for part in rest) / units
    exact = sum(part.jga_exact * part.n for part in rest) / units
    last = f"{rows[MOST_COLUMNS - 1][0]}+", Part(n=units, jga=round(jga, 4), jga_exact=round(exact, 4))
    return [*((str(number), part) for number, part in first), last]


def _height(value: float) -> float:
    """The y of a share."""
    return round(TOP + (1 - min(max(value, 0.0), 1.0)) * (HEIGHT - TOP - BOTTOM), 2)


@dataclass(frozen=True, slots=True)
class Whisker:
    """A figure on a line from 0 to 1: its place and its interval's ends, in percent of the line."""

    at: float
    low: float
    high: float


def whisker(figure: Figure) -> Whisker:
    """Where a figure and its interval stand."""
    low = figure.value if figure.low is None else figure.low
    high = figure.value if figure.high is None else figure.high
    return Whisker(*(round(100 * min(max(one, 0.0), 1.0), 2) for one in (figure.value, low, high)))


@dataclass(frozen=True, slots=True)
class Bar:
    """A named count, as long as its share of the longest one, in percent."""

    name: str
    count: int
    length: float


def bars(counts: Mapping[str, int]) -> list[Bar]:
    """Counts as bars, the longest first."""
    most = max(counts.values(), default=1)
    rows = sorted(counts.items(), key=lambda row: -row[1])
    return [Bar(name, count, round(100 * count / most, 1)) for name, count in rows]


def milliseconds(value: float | None) -> str:
    """A time as people read it."""
    if value is None:
        return "–"
    if value >= 1000:
        return f"{value / 1000:.2f} s"
    digits = 0 if value >= 100 else 1 if value >= 10 or value <= 0 else 1 - int(log10(value) // 1)
    return f"{value:.{min(digits, 2)}f} ms"


__all__ = ["Bar", "Column", "Columns", "Whisker", "bars", "columns", "milliseconds", "whisker"]
