"""Points in time: a date and a time beside each other, a time alone, or a stretch from now."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import cache

from slotstate.parsing.dates import Prefer, date_hits
from slotstate.parsing.durations import shift_hits
from slotstate.parsing.folding import Folded
from slotstate.parsing.found import Found
from slotstate.parsing.languages import LANGUAGES
from slotstate.parsing.matching import Hit, Ranges, distinct, longest, plain, publish
from slotstate.parsing.times import time_hits

_ISO = (
    r"(?<![\w.:/-])(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})[t ](?P<hour>[01][0-9]|2[0-3]):(?P<minute>[0-5][0-9])"
    r"(?::(?P<second>[0-5][0-9])(?:[.,](?P<fraction>[0-9]{1,6}))?)?"
    r" ?(?P<offset>z|[+-](?:0[0-9]|1[0-4]):?[0-5][0-9])(?![\w:])"
)
_GAP = 24


def find_datetimes(text: Folded, now: datetime, prefer: Prefer = "future") -> list[Found[datetime]]:
    """Points in time in the zone of `now`; an offset that is written out is kept as written."""
    exact = [*_iso(text.text), *shift_hits(text.text, now)]
    taken = Ranges((hit.start, hit.end) for hit in exact)
    dates = [hit for hit in date_hits(text.text, now.date(), prefer) if not taken.touches(hit.start, hit.end)]
    times = [hit for hit in time_hits(text.text) if not taken.touches(hit.start, hit.end)]
    return publish(text, longest([*exact, *_combined(text.text, dates, times, now, prefer)]))


def _iso(text: str) -> Iterator[Hit[datetime]]:
    for match in plain(_ISO).finditer(text):
        fraction = int((match["fraction"] or "0").ljust(6, "0"))
        try:
            day = date.fromisoformat(match["date"])
        except ValueError:
            continue
        at = time(int(match["hour"]), int(match["minute"]), int(match["second"] or 0), fraction)
        yield Hit(match.start(), match.end(), (datetime.combine(day, at, _offset(match["offset"])),))


def _offset(written: str) -> timezone:
    if written == "z":
        return UTC
    minutes = int(written[1:3]) * 60 + int(written[-2:])
    return timezone(timedelta(minutes=-minutes if written[0] == "-" else minutes))


def _combined(
    text: str, dates: list[Hit[date]], times: list[Hit[time]], now: datetime, prefer: Prefer
) -> Iterator[Hit[datetime]]:
    """Each time with the date beside it, the one before it first; a time without a date by itself."""
    used: set[int] = set()
    at = 0
    for hit in times:
        while at < len(dates) and dates[at].end < hit.start and _beside(text, dates[at].end, hit.start) is None:
            at += 1
        for index in (at - 1, at, at + 1):
            if 0 <= index < len(dates) and index not in used and _touching(text, dates[index], hit):
                used.add(index)
                yield _joined(dates[index], hit, now)
                break
        else:
            values = [value for value in (_occurrence(at_time, now, prefer) for at_time in hit.values) if value]
            if values:
                yield Hit(hit.start, hit.end, distinct(sorted(values, key=lambda value: abs(value - now))))


def _touching(text: str, day: Hit[date], at: Hit[time]) -> bool:
    if day.start < at.end and at.start < day.end:
        return True
    first, second = (day, at) if day.start < at.start else (at, day)
    return _beside(text, first.end, second.start) is not None


def _beside(text: str, end: int, start: int) -> re.Match[str] | None:
    return _joiner().fullmatch(text, end, start) if 0 <= start - end <= _GAP else None


@cache
def _joiner() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{language.clock.date_joiner})" for language in LANGUAGES))


def _joined(day: Hit[date], at: Hit[time], now: datetime) -> Hit[datetime]:
    values = distinct(
        value for one in day.values for other in at.values if (value := local(one, other, now)) is not None
    )
    return Hit(min(day.start, at.start), max(day.end, at.end), values)


def local(day: date, at: time, now: datetime) -> datetime | None:
    """That wall time in the zone of `now`: moved forward where clocks skip it, the earlier one where they repeat it."""
    wall = datetime.combine(day, at, now.tzinfo)
    if now.tzinfo is None:
        return wall
    try:
        real = wall.astimezone(UTC).astimezone(now.tzinfo)
    except (OverflowError, ValueError):
        return None
    return wall if real.replace(tzinfo=None) == wall.replace(tzinfo=None) else real


def _occurrence(at: time, now: datetime, prefer: Prefer) -> datetime | None:
    """The next (last) time that clocks show `at`."""
    for days in (-1, 0, 1) if prefer == "future" else (1, 0, -1):
        try:
            found = local(now.date() + timedelta(days=days), at, now)
        except OverflowError:
            continue
        if found and (found > now if prefer == "future" else found < now):
            return found
    return None
