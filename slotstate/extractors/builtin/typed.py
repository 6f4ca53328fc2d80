"""Kinds with a finder: numbers, dates, times, datetimes, durations, money, phones, emails.

A kind is added as a row of `FINDERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from slotstate.errors import InvalidValue
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.profile import NUMERIC, Profile
from slotstate.extractors.builtin.words import Words
from slotstate.parsing import (
    Span,
    find_dates,
    find_datetimes,
    find_durations,
    find_emails,
    find_money,
    find_numbers,
    find_phones,
    find_times,
    find_weeks,
)
from slotstate.slots import Json, Kind
from slotstate.values import canonical, check, jsonable


@dataclass(frozen=True, slots=True)
class Sighting:
    """A typed value in a text, before it is any slot's: its folded span and its readings as the finder gives them."""

    span: Span
    values: tuple[Any, ...]


Finder = Callable[[Words, Context, bool], Iterable[Any]]

FINDERS: Final[Mapping[str, Finder]] = {
    "number": lambda words, turn, past: find_numbers(words.folded),
    "money": lambda words, turn, past: find_money(words.folded),
    "date": lambda words, turn, past: [
        *find_dates(words.folded, turn.request.now, "past" if past else "future"),
        *find_weeks(words.folded, turn.request.now),
    ],
    "time": lambda words, turn, past: find_times(words.folded),
    "datetime": lambda words, turn, past: find_datetimes(words.folded, turn.request.now, "past" if past else "future"),
    "duration": lambda words, turn, past: find_durations(words.folded),
    "phone": lambda words, turn, past: find_phones(words.folded),
    "email": lambda words, turn, past: find_emails(words.folded),
}
"""Finders by family of kinds."""


def family(kind: Kind) -> str | None:
    """The family of finders that serves a kind, None for kinds without one."""
    name = "number" if kind in NUMERIC else kind
    return name if name in FINDERS else None


class Sightings:
    """The typed values of one text; each finder runs at most once."""

    def __init__(self, words: Words, turn: Context) -> None:
        self.words = words
        self._turn = turn
        self._found: dict[tuple[str, bool], list[Sighting]] = {}

    def of(self, kind: str, *, past: bool = False) -> list[Sighting]:
        """What the finder of a family sees."""
        key = (kind, past and kind in {"date", "datetime"})
        if key not in self._found:
            founds = FINDERS[kind](self.words, self._turn, key[1])
            self._found[key] = [Sighting(self.words.inner(found.span), found.values) for found in founds]
        return self._found[key]

    def spans(self) -> list[Span]:
        """Where values stand that no name holds."""
        return [one.span for kind in ("date", "time", "number", "money") for one in self.of(kind)]

    def calendar(self) -> list[Span]:
        """Where dates and times stand, when a slot is after them."""
        kinds = {one.kind for one in self._turn.profiles} & {"date", "time", "datetime"}
        return [one.span for kind in ("date", "time") if kinds for one in self.of(kind)]


_HUGE: Final = Decimal(10) ** 30
"""Beyond this a run of digits is no number that anybody means."""


def accepted(one: Profile, values: Iterable[Any], turn: Context) -> tuple[Json, ...]:
    """The readings that the slot's type takes, canonical."""
    kept: list[Json] = []
    for value in values:
        if isinstance(value, Decimal) and abs(value) >= _HUGE:
            continue
        try:
            read = canonical(check(one.spec, _shaped(one.kind, value)), turn.reading(one))
        except InvalidValue:
            continue
        if read not in kept:
            kept.append(read)
    return tuple(kept)


def _shaped(kind: Kind, value: Any) -> Any:
    if kind == "integer":
        return int(value) if value == value.to_integral_value() else float(value)
    if kind == "number":
        return float(value)
    return {"value": value.value, "currency": value.currency} if kind == "money" else value


def given(kind: Kind, value: Any) -> Json:
    """A value as it was said, for a slot that refuses it; None where it is no number that anybody means."""
    if isinstance(value, Decimal) and abs(value) >= _HUGE:
        return None
    return jsonable(_shaped(kind, value))


def looks_back(one: Profile, turn: Context) -> bool:
    """Whether dates of the slot lie in the past."""
    return turn.reading(one).prefer == "past"
