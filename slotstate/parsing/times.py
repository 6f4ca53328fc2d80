"""Times of day."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import time
from functools import cache, lru_cache

from slotstate.parsing.folding import Folded
from slotstate.parsing.found import Found
from slotstate.parsing.language import Language
from slotstate.parsing.languages import languages_of
from slotstate.parsing.matching import Forms, Hit, Ranges, distinct, longest, plain, publish
from slotstate.parsing.numerals import read_count

Groups = dict[str, str | None]

_AFTER_DATE = r"(?<=[0-9]{4}-[0-9]{2}-[0-9]{2}[t ])"
_REST = r"(?:\.(?P<fraction>[0-9]{1,6})[0-9]{0,12})?(?=z|[^\w:.]|\.(?![0-9])|[\u3400-\u9fff]|\Z)"
_HOUR_MINUTE = r"(?P<hour>[01][0-9]|2[0-3]):(?P<minute>[0-5][0-9])"
_ISO = (
    rf"(?:{_AFTER_DATE}|(?<![a-z0-9_:.])){_HOUR_MINUTE}:(?P<second>[0-5][0-9]){_REST}",
    rf"{_AFTER_DATE}{_HOUR_MINUTE}(?P<second>(?!:)){_REST}(?! ?(?:am|pm|[ap]\.m))",
)
_SPOKEN = {"oh five": 5, "oh-five": 5}


def find_times(text: Folded) -> list[Found[time]]:
    """Times of day; "at 7" and "9:15" have two readings, as written first, then twelve hours later."""
    return publish(text, time_hits(text.text))


def time_hits(text: str) -> list[Hit[time]]:
    """Times of the folded text, in folded offsets."""
    hits = _all_hits(text)
    exact = Ranges((hit.start, hit.end) for kind, hit in hits if kind == "iso")
    return longest(hit for kind, hit in hits if kind == "iso" or not exact.touches(hit.start, hit.end))


def clock_ranges(text: Folded) -> list[tuple[int, int]]:
    """Folded offsets of what can only be a time ("at 7" may be a number as well)."""
    return [(hit.start, hit.end) for kind, hit in _all_hits(text.text) if kind != "hour"]


@lru_cache(maxsize=256)
def _all_hits(text: str) -> tuple[tuple[str, Hit[time]], ...]:
    """Every hit with the kind of its form. Times are looked for, and numbers that are no times."""
    return tuple(_scanned(text))


def _scanned(text: str) -> Iterator[tuple[str, Hit[time]]]:
    for pattern in _ISO:
        for match in plain(pattern).finditer(text):
            fraction = int((match["fraction"] or "0").ljust(6, "0"))
            value = time(int(match["hour"]), int(match["minute"]), int(match["second"] or 0), fraction)
            yield "iso", Hit(match.start(), match.end(), (value,))
    for language in languages_of(text):
        before: dict[int, tuple[str, time]] = {}
        for kind, match in sorted(_forms(language).scan(text), key=lambda found: found[1].span()):
            groups = match.groupdict()
            part, values = _in_its_part(kind, groups, language, _carried(text, match.start(), before, language))
            if values:
                before |= {match.end(): (part, values[-1])} if part else {}
                yield kind, Hit(match.start(), match.end(), values)


def _in_its_part(
    kind: str, groups: Groups, language: Language, carried: tuple[str, time] | None
) -> tuple[str | None, tuple[time, ...]]:
    """A time in the part of the day that is named, or that goes on from an earlier time, with that part."""
    named = groups.get("ampm") or groups.get("part")
    if named is None and carried is not None:
        values = _values(kind, groups, carried[0], language)
        if values and values[0] > carried[1]:
            return carried[0], values
    return named, _values(kind, groups, named, language)


def _carried(text: str, at: int, before: Mapping[int, tuple[str, time]], language: Language) -> tuple[str, time] | None:
    """The part of the day of the time before, and that time, where the words between carry it on."""
    joined = (end for end in before if end < at and plain(language.clock.carries).fullmatch(text[end:at]) is not None)
    return before[end] if (end := next(joined, None)) is not None else None


@cache
def _forms(language: Language) -> Forms:
    return Forms(language.clock.forms, language, language.clock.traps)


def _values(kind: str, groups: Groups, named_part: str | None, language: Language) -> tuple[time, ...]:
    if kind == "named":
        return (time(*language.clock.named[str(groups["named"])]),)
    written = str(groups.get("hour") or groups.get("hour_word"))
    hour = _number(written, language)
    minute = _minute(groups, language)
    if hour is None or minute is None or not 0 <= minute < 60:
        return ()
    part = language.clock.parts.get(named_part or "")
    hours = _hours(hour, part, exact=written.startswith(("0", "零")))
    if kind == "either":
        more = _next_hours(hour, str(groups["hour2"]), part, language)
        hours = tuple(sorted((*hours, *more))) if more else ()
    second = int(groups.get("second") or 0)
    if kind == "until":
        return _until(hour, _number(str(groups["last"]), language) or 0, part)
    if kind == "to":
        return distinct(_before(at, minute) for at in hours)
    return distinct(time(at, minute, second) for at in hours)


def _next_hours(hour: int, written: str, part: str | None, language: Language) -> tuple[int, ...]:
    """The hours that the second of two neighbours may mean (六七点)."""
    other = _number(written, language)
    if other is not None and hour > 10:
        other += 10
    return _hours(hour + 1, part, exact=False) if other == hour + 1 else ()


def _until(hour: int, last: int, part: str | None) -> tuple[time, ...]:
    """The first hour of a range of which only the last one has its half of the day ("between 2 and 4pm")."""
    ends = _in_part(last, part) if part is not None else None
    starts = [at for at in (hour % 12 + 12, hour % 12) if ends is not None and at < ends]
    return (time(starts[0]),) if starts else ()


def _before(hour: int, minutes: int) -> time:
    at = (hour * 60 - minutes) % (24 * 60)
    return time(at // 60, at % 60)


def _number(words: str, language: Language) -> int | None:
    value = read_count(words, language)
    return int(value) if value is not None else None


def _minute(groups: Groups, language: Language) -> int | None:
    for name in ("minute", "minute_spoken", "to_minute", "minute_word"):
        words = groups.get(name)
        if words:
            known = language.clock.minutes.get(words, _SPOKEN.get(words))
            return known if known is not None else _number(words.lstrip("零〇") or "0", language)
    return 0


def _hours(hour: int, part: str | None, *, exact: bool) -> tuple[int, ...]:
    """The hours of the day that a spoken hour may mean, given the part of the day."""
    if part is not None:
        at = _in_part(hour, part)
        return () if at is None else (at,)
    if exact or hour == 0 or hour >= 12:
        return (hour % 24,)
    return hour, hour + 12


def _in_part(hour: int, part: str) -> int | None:
    if hour > 12:
        return None if part in ("am", "morning") else hour % 24
    match part:
        case "am":
            return hour % 12
        case "morning":
            return hour
        case "pm":
            return hour % 12 + 12
        case "noon":
            return hour if hour >= 10 else hour + 12
        case _:  # night: the small hours belong to the night before
            return hour % 12 + (12 if 5 <= hour < 12 else 0)
