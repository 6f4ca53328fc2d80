"""Figures as they are told, and the units of measure and money that they are of."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple


class Unit(NamedTuple):
    """A unit: `kind` is what it measures (of money, the currency), `factor` how much of the kind's base one is."""

    name: str
    kind: str
    factor: Decimal = Decimal(1)


def units(name: str, words: str, factor: Decimal | int, kind: str) -> dict[str, tuple[Unit, ...]]:
    """A table of one unit by its words."""
    unit = Unit(name, kind, Decimal(factor))
    return dict.fromkeys(words.split(), (unit,))


def merged(*tables: dict[str, tuple[Unit, ...]]) -> dict[str, tuple[Unit, ...]]:
    """One table of several; a word in two of them has both meanings."""
    found: dict[str, tuple[Unit, ...]] = {}
    for table in tables:
        for word, meanings in table.items():
            found[word] = (*found.get(word, ()), *meanings)
    return found


class Quantity(NamedTuple):
    """A number, in its possible readings, and its unit, where one stands beside it."""

    values: tuple[Decimal, ...]
    units: tuple[Unit, ...]
    written: str
    at: int


class Day(NamedTuple):
    """A day of the calendar, as far as it is told: two pairs of month and day for "3/4"."""

    pairs: tuple[tuple[int | None, int], ...]
    year: int | None
    written: str
    at: int


class Weekday(NamedTuple):
    """A weekday; `shift` is the week that it lies in, counted from this one, where that is told."""

    day: int
    shift: int | None
    written: str


class Time(NamedTuple):
    """A time of day in minutes, in its possible readings."""

    minutes: tuple[int, ...]
    written: str
    at: int


@dataclass(slots=True)
class Figures:
    """All figures of a text. `units` are the kinds of units that stand there without a number, `parts` the parts of the
    day; `text` is the text that the offsets are of, folded, with Chinese numerals as digits.
    """

    text: str = ""
    quantities: list[Quantity] = field(default_factory=list[Quantity])
    days: list[Day] = field(default_factory=list[Day])
    months: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    weekdays: list[Weekday] = field(default_factory=list[Weekday])
    relatives: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    times: list[Time] = field(default_factory=list[Time])
    codes: list[str] = field(default_factory=list[str])
    ordinals: list[int] = field(default_factory=list[int])
    units: set[str] = field(default_factory=set[str])
    parts: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    words: set[str] = field(default_factory=set[str])
    rates: dict[str, str] = field(default_factory=dict[str, str])
    """What things are counted or paid by ("per day"), as it is written there."""
