"""What the sources of an item say, taken together, and what of an item's figures they do not say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import lru_cache
from itertools import chain
from typing import Final, Literal, NamedTuple

from slotstate.compact.figures import figures
from slotstate.compact.units import Day, Figures, Quantity, Time, Weekday
from slotstate.parsing import fold

FigureCode = Literal["number", "unit", "date"]
_COUNTABLE: Final = Decimal(1)
_LONG: Final = 10**5
"""Numbers from here on may be told in groups of digits."""
_GROUPS: Final = re.compile(r"[^\W\d_]+|\d+")
_SHOWN: Final = 6
_PARTS: Final = {
    "am": range(720), "morning": range(240, 780), "noon": range(630, 900), "afternoon": range(690, 1141),
    "night": range(960, 1440),
}  # fmt: skip
_WEEKDAYS: Final = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


class Missing(NamedTuple):
    """A figure of an item that its sources do not say, and what they say instead."""

    code: FigureCode
    written: str
    instead: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """The figures of texts. `numbers` are all of them, those of dates and times included; `folded` are the texts
    themselves; `written`, `dates` and `times` are how the sources write them.
    """

    folded: tuple[str, ...] = ()
    quantities: tuple[Quantity, ...] = ()
    numbers: frozenset[Decimal] = frozenset()
    days: frozenset[tuple[int | None, int]] = frozenset()
    months: frozenset[int] = frozenset()
    weekdays: tuple[Weekday, ...] = ()
    relatives: frozenset[int] = frozenset()
    minutes: frozenset[int] = frozenset()
    parts: frozenset[str] = frozenset()
    units: frozenset[str] = frozenset()
    codes: frozenset[str] = frozenset()
    rates: tuple[tuple[str, str], ...] = ()
    written: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    times: tuple[str, ...] = ()


def evidence(texts: Sequence[str], known: Sequence[str] = ()) -> Evidence:
    """What `texts` say; `known` are texts that count but are no sources (held values)."""
    said = [_evidence(text) for text in texts]
    parts = [*said, *(replace(_evidence(text), written=(), dates=(), times=()) for text in known)]
    if len(parts) == 1:
        return parts[0]
    return Evidence(
        tuple(chain.from_iterable(part.folded for part in parts)),
        tuple(chain.from_iterable(part.quantities for part in parts)),
        frozenset(chain.from_iterable(part.numbers for part in parts)),
        frozenset(chain.from_iterable(part.days for part in parts)),
        frozenset(chain.from_iterable(part.months for part in parts)),
        tuple(chain.from_iterable(part.weekdays for part in parts)),
        frozenset(chain.from_iterable(part.relatives for part in parts)),
        frozenset(chain.from_iterable(part.minutes for part in parts)),
        frozenset(chain.from_iterable(part.parts for part in parts)),
        frozenset(chain.from_iterable(part.units for part in parts)),
        frozenset(chain.from_iterable(part.codes for part in parts)),
        tuple(chain.from_iterable(part.rates for part in parts)),
        tuple(chain.from_iterable(part.written for part in parts)),
        tuple(chain.from_iterable(part.dates for part in parts)),
        tuple(chain.from_iterable(part.times for part in parts)),
    )


@lru_cache(maxsize=1024)
def _evidence(text: str) -> Evidence:
    """What one text says."""
    one = figures(text)
    written = [quantity.written for quantity in one.quantities]
    dates = [*(day.written for day in one.days), *(weekday.written for weekday in one.weekdays)]
    dates += [told for _, told in (*one.relatives, *one.months)]
    return Evidence(
        (fold(text).text,),
        tuple(one.quantities),
        frozenset(_numbers(one)),
        frozenset(pair for day in one.days for pair in day.pairs),
        frozenset({month for day in one.days for month, _ in day.pairs if month} | {month for month, _ in one.months}),
        (*one.weekdays, *(weekday for day in one.days if day.year for weekday in _weekday(day))),
        frozenset(shift for shift, _ in one.relatives),
        frozenset(minute for time in one.times for minute in time.minutes),
        frozenset(part for part, _ in one.parts),
        frozenset(one.units | {unit.kind for quantity in one.quantities for unit in quantity.units}),
        frozenset(one.codes),
        tuple(one.rates.items()),
        (*written, *one.codes),
        tuple(dates),
        tuple(time.written for time in one.times),
    )


def _numbers(one: Figures) -> Iterator[Decimal]:
    """Every number that a text tells in any way."""
    for quantity in one.quantities:
        yield from quantity.values
    for day in one.days:
        yield from (Decimal(number) for _, number in day.pairs)
        if day.year:
            yield Decimal(day.year)
    for time in one.times:
        yield from (Decimal(minute // 60) for minute in time.minutes if not minute % 60)
    yield from map(Decimal, one.ordinals)
    for code in one.codes:
        yield from _digits(code)


def _digits(code: str) -> Iterator[Decimal]:
    """The runs of digits in a code."""
    run = ""
    for char in f"{code} ":
        if char in "0123456789":
            run += char
        elif run:
            yield Decimal(run)
            run = ""


def _weekday(day: Day) -> Iterator[Weekday]:
    for month, number in day.pairs:
        try:
            yield Weekday(date(day.year or 1, month or 1, number).weekday(), None, day.written)
        except ValueError:
            continue


def missing(item: Figures, said: Evidence) -> Iterator[Missing]:
    """The figures of an item that its evidence does not say."""
    yield from _missing_counts(item, said)
    dates = _shown(said.dates)
    for written in _missing_dates(item, said):
        yield Missing("date", written, dates)
    for part, written in item.parts:
        if not _said_part(part, said):
            yield Missing("date", written, _shown((*said.times, *said.parts)))


def _missing_counts(item: Figures, said: Evidence) -> Iterator[Missing]:
    """Numbers and times; what reads as both need be said as one of them."""
    told = {time.at for time in item.times if _said_time(time, said)}
    checked = [(quantity.at, _quantity(quantity, said)) for quantity in item.quantities]
    counted = {at for at, fault in checked if fault is None}
    yield from (fault for at, fault in checked if fault and at not in told)
    for time in item.times:
        if time.at not in told and time.at not in counted:
            yield Missing("date", time.written, _shown(said.times))
    for rate, written in item.rates.items():
        if said.rates and rate not in dict(said.rates):
            yield Missing("unit", written, _shown(one for _, one in said.rates))
    for code in item.codes:
        if not _said_code(code, said):
            yield Missing("number", code, _shown(said.written))


def _missing_dates(item: Figures, said: Evidence) -> Iterator[str]:
    yield from (day.written for day in item.days if not _said_day(day, said))
    yield from (written for month, written in item.months if month not in said.months)
    yield from (weekday.written for weekday in item.weekdays if not _said_weekday(weekday, said))
    yield from (written for shift, written in item.relatives if shift and shift not in said.relatives)


def _shown(written: Iterable[str]) -> str:
    """Some of what the sources say instead."""
    return ", ".join(f"'{one}'" for one in list(dict.fromkeys(written))[:_SHOWN])


def _quantity(quantity: Quantity, said: Evidence) -> Missing | None:
    values, units = quantity.values, quantity.units
    if not units:
        if _COUNTABLE in values or not said.numbers.isdisjoint(values):
            return None
        if values[0] >= _LONG and _said_code(quantity.written, said):
            return None
        return Missing("number", quantity.written, _shown(said.written))
    kinds = frozenset(unit.kind for unit in units)
    if _COUNTABLE in values and any(
        kind in ("time", "month", "night") or kind in said.units or f"1 {kind}" in said.units for kind in kinds
    ):
        return None
    bare = False
    for other in said.quantities:
        if _same_amount(quantity, other):
            return None
        bare = bare or (not other.units and bool(set(values) & set(other.values)))
    if said.numbers.isdisjoint(values):
        return Missing("number", quantity.written, _shown(said.written))
    if (bare or not _with_value(values, said)) and _implied(kinds, said):
        return None
    return Missing("unit", quantity.written, _shown(one.written for one in _with_value(values, said)))


def _same_amount(one: Quantity, other: Quantity) -> bool:
    """Whether two quantities are equal, one unit told in another included."""
    for unit in one.units:
        for another in other.units:
            if unit.kind == another.kind:
                amounts = {value * another.factor for value in other.values}
                if any(value * unit.factor in amounts for value in one.values):
                    return True
    return False


def _with_value(values: Sequence[Decimal], said: Evidence) -> list[Quantity]:
    return [other for other in said.quantities if other.units and set(values) & set(other.values)]


def _implied(kinds: frozenset[str], said: Evidence) -> bool:
    """Whether a bare number may be of this unit: the sources name it elsewhere, or name no money at all and it is the
    one that prices in Chinese are told in.
    """
    if kinds & said.units:
        return True
    return "CNY" in kinds and not any(kind.isupper() for kind in said.units)


def _said_code(code: str, said: Evidence) -> bool:
    if code in said.codes or any(code in text for text in said.folded):
        return True
    spaced = r"[\s./-]?".join(map(re.escape, _GROUPS.findall(code)))
    if any(re.search(rf"(?<!\w){spaced}(?!\w)", text) for text in said.folded):
        return True
    squeezed = _squeezed(code)
    return len(squeezed) > 3 and any(squeezed in _squeezed(text) for text in said.folded)


def _squeezed(text: str) -> str:
    return "".join(char for char in text if char.isalnum())


def _said_day(day: Day, said: Evidence) -> bool:
    for month, number in day.pairs:
        if (month, number) in said.days:
            return True
        if month is None:
            if Decimal(number) in said.numbers:
                return True
        elif month in said.months and ((None, number) in said.days or _bare(number, said)):
            return True
    return False


def _bare(number: int, said: Evidence) -> bool:
    return any(Decimal(number) in quantity.values and not quantity.units for quantity in said.quantities)


def _said_weekday(weekday: Weekday, said: Evidence) -> bool:
    same = [other for other in said.weekdays if other.day == weekday.day]
    if weekday.shift is None:
        return bool(same)
    return any(other.shift in (None, weekday.shift) for other in same)


def _said_time(time: Time, said: Evidence) -> bool:
    if not said.minutes.isdisjoint(time.minutes):
        return True
    hours = {minute // 60 for minute in time.minutes if not minute % 60}
    return any(_bare(hour, said) or (hour > 12 and _bare(hour - 12, said)) for hour in hours)


def _said_part(part: str, said: Evidence) -> bool:
    """Whether a part of the day agrees with the times and parts that the sources tell, if they tell any."""
    if part in said.parts or not (said.parts or said.minutes):
        return True
    if any(minute in _PARTS[part] for minute in said.minutes):
        return True
    return any(set(_PARTS[part]) & set(_PARTS[other]) for other in said.parts if "noon" in (part, other))
