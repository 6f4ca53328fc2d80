"""Lengths of time, and points in time counted from now in hours or minutes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache

from slotstate.parsing.folding import Folded
from slotstate.parsing.found import Found
from slotstate.parsing.language import Language
from slotstate.parsing.languages import LANGUAGES
from slotstate.parsing.matching import Forms, Hit, longest, plain, publish
from slotstate.parsing.numerals import plus, read_count, times

Groups = dict[str, str | None]

_SECONDS = {
    "second": 1, "minute": 60, "quarter": 900, "hour": 3600, "day": 86400, "week": 7 * 86400, "fortnight": 14 * 86400,
    "h": 3600, "m": 60, "s": 1,
}  # fmt: skip
_ISO = (
    r"(?<![\w-])p(?=[0-9]|t[0-9])(?:(?P<week>[0-9]{1,5})w)?(?:(?P<day>[0-9]{1,6})d)?"
    r"(?:t(?:(?P<hour>[0-9]{1,7})h)?(?:(?P<minute>[0-9]{1,8})m)?(?:(?P<second>[0-9]{1,9}(?:\.[0-9]{1,6})?)s)?)?(?![\w])"
)
_HALF = Decimal("0.5")
_QUARTER = Decimal("0.25")
_LIMIT = 10**9


def find_durations(text: Folded) -> list[Found[timedelta]]:
    """Durations of fixed length (nights count as days; months and years have no fixed length and are not found)."""
    hits = [*_iso(text.text)]
    for language in LANGUAGES:
        hits += _sums(text.text, longest(_pieces(text.text, language)), language)
    return publish(text, longest(Hit(hit.start, hit.end, _deltas(hit.values)) for hit in hits))


def _iso(text: str) -> Iterator[Hit[Decimal]]:
    for match in plain(_ISO).finditer(text):
        parts = [(name, value) for name, value in match.groupdict().items() if value]
        if parts and not match[0].endswith("t"):
            yield Hit(match.start(), match.end(), (sum((Decimal(v) * _SECONDS[n] for n, v in parts), Decimal(0)),))


def _deltas(values: tuple[Decimal, ...]) -> tuple[timedelta, ...]:
    return tuple(timedelta(microseconds=int(times(value, 10**6))) for value in values if value <= _LIMIT * 86400)


def _pieces(text: str, language: Language) -> Iterator[Hit[Decimal]]:
    for kind, match in _forms(language).scan(text):
        seconds = _seconds(kind, match.groupdict(), language)
        if seconds is not None and not _vague(match[0], language):
            yield Hit(match.start(), match.end(), (seconds,))


@cache
def _forms(language: Language) -> Forms:
    return Forms(language.spans.forms, language)


@cache
def _shift_forms(language: Language) -> Forms:
    """Forms of a stretch from now on, and of one that is over; the kinds are the signs."""
    return Forms(
        [*(("+", form) for form in language.spans.ahead), *(("-", form) for form in language.spans.back)], language
    )


def _vague(written: str, language: Language) -> bool:
    """Whether it is said without meaning it ("wait a second")."""
    return written in language.spans.vague


def _seconds(kind: str, groups: Groups, language: Language) -> Decimal | None:
    """The length in seconds; None for units of no fixed length."""
    if kind == "compact":
        return Decimal(int(str(groups["h"])) * 3600 + int(str(groups["m"])) * 60)
    name = groups.get("unit")
    unit = _SECONDS.get(language.spans.units[name]) if name else _SECONDS.get(str(groups.get("abbreviation")))
    if unit is None:
        return None
    count = _count(groups, language)
    if count is None or count > _LIMIT:
        return None
    if kind == "half":
        count = plus(count, _HALF)
    return times(count, unit)


def _count(groups: Groups, language: Language) -> Decimal | None:
    """How many units, with the fraction that is named beside."""
    written, quarters = groups.get("count"), groups.get("quarters")
    count = read_count(written, language) if written else Decimal(0)
    if quarters is None or count is None:
        return count
    return plus(count, language.spans.fractions.get(quarters, _QUARTER))


def _sums(text: str, pieces: list[Hit[Decimal]], language: Language) -> Iterator[Hit[Decimal]]:
    """ "2 hours and 30 minutes" is one duration: each part shorter than a unit of the one before."""
    joiner, blocked = _joiner(language), re.compile(language.spans.not_after)
    run: list[Hit[Decimal]] = []
    for piece in pieces:
        if run and not _continues(text, run[-1], piece, joiner):
            yield from _total(text, run, blocked)
            run = []
        run.append(piece)
    yield from _total(text, run, blocked)


def _continues(text: str, last: Hit[Decimal], piece: Hit[Decimal], joiner: re.Pattern[str]) -> bool:
    smaller = any(piece.values[0] < size <= last.values[0] for size in _SECONDS.values())
    return smaller and piece.start - last.end < 8 and joiner.fullmatch(text, last.end, piece.start) is not None


def _total(text: str, run: list[Hit[Decimal]], blocked: re.Pattern[str]) -> Iterator[Hit[Decimal]]:
    if run and not blocked.match(text, run[-1].end):
        yield Hit(run[0].start, run[-1].end, (sum((hit.values[0] for hit in run), Decimal(0)),))


@cache
def _joiner(language: Language) -> re.Pattern[str]:
    return re.compile(language.spans.joiner)


def shift_hits(text: str, now: datetime) -> Iterator[Hit[datetime]]:
    """Hours, minutes or seconds from now ("in 2 hours"), in folded offsets; days are for the calendar."""
    for language in LANGUAGES:
        for sign, match in _shift_forms(language).scan(text):
            groups = match.groupdict()
            if _SECONDS.get(language.spans.units[groups["unit"]], 86400) >= 86400:
                continue
            seconds = _seconds("plain", groups, language)
            moved = _moved(now, seconds, 1 if sign == "+" else -1) if seconds is not None else None
            if moved is not None:
                yield Hit(match.start(), match.end(), (moved,))


def _moved(now: datetime, seconds: Decimal, sign: int) -> datetime | None:
    """`now` moved by real time, across changes of the clocks."""
    delta = sign * timedelta(microseconds=int(times(seconds, 10**6)))
    try:
        return now + delta if now.tzinfo is None else (now.astimezone(UTC) + delta).astimezone(now.tzinfo)
    except (OverflowError, ValueError):
        return None
