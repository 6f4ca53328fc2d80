"""Dates: calendar dates, weekdays, and days counted from today."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from slotstate.parsing.folding import Folded
from slotstate.parsing.found import Found
from slotstate.parsing.language import Language
from slotstate.parsing.languages import LANGUAGES, languages_of
from slotstate.parsing.matching import Forms, Hit, Ranges, compiled, distinct, edged, longest, publish, scan
from slotstate.parsing.numerals import read_count

Prefer = Literal["future", "past"]
Groups = dict[str, str | None]

_LEAP_CYCLE = 9
_SOON = 62
"""Days within which a weekday said with a day of the month lies."""
_NEARLY = 183
"""Days within which a weekday said with a month lies."""
_NUMERIC = (
    (r"(?<![\w/.:-])(?P<year>[12][0-9]{3})(?P<mark>[-/.])(?P<month>[0-9]{1,2})(?P=mark)(?P<day>[0-9]{1,2})"
                r"(?![0-9]|[-/.][0-9])(?=t[0-9]|[^a-z_]|\Z)", "ymd"),
    (r"(?<![\w/.:-])(?P<day>[0-9]{1,2})(?P<mark>[-/.])(?P<month>[0-9]{1,2})(?P=mark)(?P<year>[12][0-9]{3}|[0-9]{2})"
                r"(?![0-9a-z_]|[-/.:,][0-9])", "dmy"),
    (r"\A ?(?P<day>0?[1-9]|1[0-2])(?P<mark>/)(?P<month>1[3-9]|2[0-9]|3[01])(?=[ .!]{0,4}\Z)", "dm"),
    (r"\A ?(?P<day>1[3-9]|2[0-9]|3[01])(?P<mark>/)(?P<month>0?[1-9]|1[0-2])(?=[ .!]{0,4}\Z)", "dm"),
    (r"(?:(?<=on )|(?<=by )|(?<=until )|(?<=before )|(?<=after )|(?<=from )|(?<=to ))"
                r"(?P<day>[0-9]{1,2})(?P<mark>/)(?P<month>[0-9]{1,2})(?![0-9a-z_]|[-/.:,][0-9])", "dm"),
)  # fmt: skip


class _Today(NamedTuple):
    day: date
    prefer: Prefer

    @property
    def sign(self) -> int:
        return 1 if self.prefer == "future" else -1


def find_dates(text: Folded, now: datetime, prefer: Prefer = "future") -> list[Found[date]]:
    """Dates in the text; `now` is in the user's zone, `prefer` says where a date without a year or a weekday lies."""
    return publish(text, date_hits(text.text, now.date(), prefer))


@lru_cache(maxsize=256)
def date_hits(text: str, today: date, prefer: Prefer = "future") -> tuple[Hit[date], ...]:
    """Dates of the folded text, in folded offsets."""
    context = _Today(today, prefer)
    hits = [*_numeric(text, context)]
    for language in languages_of(text):
        for kind, match in _forms(language).scan(text):
            values = _values(kind, match.groupdict(), language, context)
            if values or kind == "open":
                hits.append(Hit(match.start(), match.end(), values))
    return tuple(hit for hit in longest(hits) if hit.values)


@cache
def _forms(language: Language) -> Forms:
    return Forms(language.calendar.forms, language, language.calendar.traps)


@cache
def _calendar_forms(language: Language) -> Forms:
    return Forms([(kind, form) for kind, form in language.calendar.forms if kind == "calendar"], language)


def find_weeks(text: Folded, now: datetime) -> list[Found[date]]:
    """Weeks that are named without a day in them ("some time next week"): their days, as far as they are to come."""
    hits: list[Hit[date]] = []
    taken = Ranges((hit.start, hit.end) for hit in date_hits(text.text, now.date()))
    for language in languages_of(text.text):
        for match in scan("{week}" + language.calendar.week_noun, language, text.text):
            shift = language.calendar.week_shift[match["week"]]
            days = [_in_week(day, shift, _Today(now.date(), "future")) for day in range(7)]
            left = distinct(day for day in days if day is not None and (day >= now.date() or shift < 0))
            if len(left) > 1 and not taken.touches(*match.span()):
                hits.append(Hit(match.start(), match.end(), left))
    return publish(text, longest(hits))


def calendar_ranges(text: Folded) -> list[tuple[int, int]]:
    """Folded offsets of the dates that name a day of the calendar, so that their digits are no numbers."""
    context = _Today(date(2024, 1, 1), "future")
    ranges = [(hit.start, hit.end) for hit in _numeric(text.text, context)]
    for language in LANGUAGES:
        matches = (match for _, match in _calendar_forms(language).scan(text.text))
        ranges += [match.span() for match in matches if _calendar(match.groupdict(), language, context)]
    return ranges


def _numeric(text: str, context: _Today) -> Iterator[Hit[date]]:
    for pattern, order in _NUMERIC if compiled("[0-9]").search(text) else ():
        for match in edged(pattern).finditer(text):
            first, second, mark = int(match["day"]), int(match["month"]), match["mark"]
            pairs = [(second, first)]
            if order != "ymd" and mark != ".":
                pairs = [(second, first), (first, second)]
            if order == "dm":
                values = [day for month, at in pairs for day in _yearless(month, at, context)]
            else:
                year = _full_year(match["year"], context)
                values = [day for month, at in pairs if (day := _date(year, month, at))]
            if values:
                yield Hit(match.start(), match.end(), distinct(values))


def _full_year(written: str, context: _Today) -> int:
    year = int(written.strip("'"))
    if year >= 100:
        return year
    century = context.day.year // 100 * 100
    return min((century - 100 + year, century + year, century + 100 + year), key=lambda at: abs(at - context.day.year))


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def shift_days(day: date, days: int) -> date | None:
    """`day` moved by `days`, or None beyond the calendar."""
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return None


def shift_months(day: date, months: int) -> date | None:
    """`day` moved by `months`, at the end of the month when that is shorter."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return next((found for at in range(day.day, 27, -1) if (found := _date(year, month + 1, at))), None) or _date(
        year, month + 1, min(day.day, 28)
    )


def _values(kind: str, groups: Groups, language: Language, context: _Today) -> tuple[date, ...]:
    return distinct(day for day in _KINDS[kind](groups, language, context) if day is not None)


def _weekday(groups: Groups, language: Language) -> int | None:
    return _named_weekday(groups, language) if groups.get("weekday") or groups.get("weekday_short") else None


def _named_weekday(groups: Groups, language: Language) -> int:
    """The weekday of a form that always names one."""
    long = groups.get("weekday")
    return language.calendar.weekdays[long] if long else language.calendar.weekdays_short[str(groups["weekday_short"])]


def _number(words: str, language: Language) -> int | None:
    digits = re.sub(rf"(?<=[0-9])(?:{language.choices.suffixes})\Z", "", words)
    if digits in language.choices.ordinals:
        return language.choices.ordinals[digits]
    value = read_count(digits, language)
    return int(value) if value is not None else None


def _month(groups: Groups, language: Language) -> int | None:
    if groups.get("month"):
        return language.calendar.months[str(groups["month"])]
    return _number(str(groups["month_number"]), language) if groups.get("month_number") else None


def _year(groups: Groups, language: Language, context: _Today) -> int | None:
    if groups.get("year_shift"):
        return context.day.year + language.calendar.year_shift[str(groups["year_shift"])]
    if not groups.get("year"):
        return None
    written = str(groups["year"])
    if written.strip("'").isascii():
        return _full_year(written, context)
    return _number(written, language)


def _calendar(groups: Groups, language: Language, context: _Today) -> list[date]:
    day = _number(str(groups["day"]), language)
    month, year, weekday = _month(groups, language), _year(groups, language, context), _weekday(groups, language)
    if day is None or not 1 <= day <= 31:
        return []
    if month is None:
        return _day_of_month(day, weekday, groups.get("month_shift"), language, context)
    if year is not None:
        found = _date(year, month, day)
        days = [found] if found else []
    else:
        days = _yearless(month, day, context)
    if days and weekday is not None and days[0].weekday() != weekday:
        # The words contradict each other: both readings stay, the written day first.
        nearest = shift_days(days[0], (weekday - days[0].weekday() + 3) % 7 - 3)
        days += [nearest] if nearest else []
    return days


def _yearless(month: int, day: int, context: _Today) -> list[date]:
    """The next (or last) such day, today included."""
    for years in range(_LEAP_CYCLE):
        found = _date(context.day.year + years * context.sign, month, day)
        if found and (found - context.day).days * context.sign >= 0:
            return [found]
    return []


def _day_of_month(day: int, weekday: int | None, shift: str | None, language: Language, context: _Today) -> list[date]:
    if shift is not None:
        start = shift_months(context.day.replace(day=1), language.calendar.month_shift[shift])
        named = _date(start.year, start.month, day) if start else None
        return [named] if named else []
    coming = _in_coming_months(day, None, context)
    if weekday is None or not coming or coming[0].weekday() == weekday:
        return coming
    found = _in_coming_months(day, weekday, context)
    near = shift_days(coming[0], (weekday - coming[0].weekday() + 3) % 7 - 3)
    if found and abs((found[0] - context.day).days) <= _SOON:
        return found
    return [*coming, *([near] if near else []), *found]  # a slip, or a day that is far off


def _in_coming_months(day: int, weekday: int | None, context: _Today) -> list[date]:
    """The next (or last) such day of a month that falls on the weekday."""
    for month in range(12 * 12 if weekday is not None else 12):
        start = shift_months(context.day.replace(day=1), month * context.sign)
        found = _date(start.year, start.month, day) if start else None
        if found and (found - context.day).days * context.sign >= 0 and weekday in (None, found.weekday()):
            return [found]
    return []


def _next_weekday(weekday: int, day: date, sign: int) -> date | None:
    """The nearest such weekday strictly after (before) `day`."""
    distance = ((weekday - day.weekday()) * sign - 1) % 7 + 1
    return shift_days(day, distance * sign)


def _plain_weekday(groups: Groups, language: Language, context: _Today) -> list[date | None]:
    return [_next_weekday(_named_weekday(groups, language), context.day, context.sign)]


def _in_week(weekday: int, shift: int, context: _Today) -> date | None:
    return shift_days(context.day, weekday - context.day.weekday() + 7 * shift)


def _week(groups: Groups, language: Language, context: _Today) -> list[date | None]:
    return [_in_week(_named_weekday(groups, language), language.calendar.week_shift[str(groups["week"])], context)]


def _coming(groups: Groups, language: Language, context: _Today) -> list[date | None]:
    """ "next Friday": of next week, or the coming one."""
    weekday = _named_weekday(groups, language)
    return [_in_week(weekday, 1, context), _next_weekday(weekday, context.day, 1)]


def _coming_only(groups: Groups, language: Language, context: _Today) -> list[date | None]:
    return [_next_weekday(_named_weekday(groups, language), context.day, 1)]


def _this(groups: Groups, language: Language, context: _Today) -> list[date | None]:
    """ "this Friday": of this week, unless it is over and the future is meant."""
    weekday = _named_weekday(groups, language)
    found = _in_week(weekday, 0, context)
    if found and found < context.day and context.prefer == "future":
        return [_next_weekday(weekday, context.day, 1)]
    return [found]


def _previous(groups: Groups, language: Language, context: _Today) -> list[date | None]:
    """ "last Friday": the most recent one, or that of last week."""
    weekday = _named_weekday(groups, language)
    return [_next_weekday(weekday, context.day, -1), _in_week(weekday, -1, context)]


def _previous_only(groups: Groups, language: Language, context: _Today) -> list[date | None]:
    return [_next_weekday(_named_weekday(groups, language), context.day, -1)]


def _relative(groups: Groups, language: Language, context: _Today) -> list[date | None]:
    return [shift_days(context.day, language.calendar.relative[str(groups["relative"])])]


def _moved(groups: Groups, language: Language, context: _Today, sign: int) -> list[date | None]:
    """So many days, weeks, months or years from today or the day named."""
    start: date | None = context.day
    if groups.get("relative"):
        start = _relative(groups, language, context)[0]
    elif (weekday := _weekday(groups, language)) is not None:
        start = _next_weekday(weekday, context.day, context.sign)
    count = read_count(str(groups["count"]), language)
    unit = language.spans.units[str(groups["unit"])]
    if start is None or count is None or count != int(count) or count > 10**6:
        return []
    days = {"day": 1, "week": 7, "fortnight": 14}.get(unit)
    months = {"month": 1, "year": 12}.get(unit)
    if days:
        return [shift_days(start, sign * int(count) * days)]
    return [shift_months(start, sign * int(count) * months)] if months else []


def _ahead(groups: Groups, language: Language, context: _Today) -> list[date | None]:
    return _moved(groups, language, context, 1)


def _back(groups: Groups, language: Language, context: _Today) -> list[date | None]:
    return _moved(groups, language, context, -1)


def _calendar_kind(groups: Groups, language: Language, context: _Today) -> list[date | None]:
    return [*_calendar(groups, language, context)]


def _nth_weekday(groups: Groups, language: Language, context: _Today) -> list[date | None]:
    """ "the first Monday in January", "the last Friday of the month"."""
    nth = str(groups["nth"])
    place = -1 if nth.startswith("last") else _number(nth, language)
    months = _months_meant(groups, language, context)
    weekday = _named_weekday(groups, language)
    days = [found for year, month in months if (found := _at_place(year, month, weekday, place or 0)) is not None]
    ahead = [day for day in days if (day - context.day).days * context.sign >= 0]
    return [*(ahead or days)[:1]]


def _months_meant(groups: Groups, language: Language, context: _Today) -> list[tuple[int, int]]:
    """The year and month that a form names; where it names no year, those of two years."""
    month, year = _month(groups, language), _year(groups, language, context)
    if month is None:
        shift = language.calendar.month_shift.get(str(groups.get("month_shift")), 0)
        start = shift_months(context.day.replace(day=1), shift)
        return [(start.year, start.month)] if start else []
    return [(year, month)] if year else [(context.day.year, month), (context.day.year + context.sign, month)]


def _at_place(year: int, month: int, weekday: int, place: int) -> date | None:
    days = [day for at in range(1, 32) if (day := _date(year, month, at)) and day.weekday() == weekday]
    index = place - 1 if place > 0 else place
    return days[index] if place and -len(days) <= index < len(days) else None


def _last_day(groups: Groups, language: Language, context: _Today) -> list[date | None]:
    """ "the last day of the month"."""
    ends = [
        next(day for at in (31, 30, 29, 28) if (day := _date(year, month, at)))
        for year, month in _months_meant(groups, language, context)
    ]
    ahead = [day for day in ends if (day - context.day).days * context.sign >= 0]
    return [*(ahead or ends)[:1]]


def _weeks_on(groups: Groups, language: Language, context: _Today) -> list[date | None]:
    """ "Friday week": a week, or a fortnight, after that day."""
    return _moved({**groups, "count": groups.get("count") or "1"}, language, context, 1)


def _after_next(groups: Groups, language: Language, context: _Today) -> list[date | None]:
    """ "the Friday after next": a week after either of what "next Friday" may be."""
    return [shift_days(day, 7) if day else None for day in reversed(_coming(groups, language, context))]


def _numbered(groups: Groups, language: Language, context: _Today) -> list[date | None]:
    """ "Friday 11/12": of the two readings those on that weekday, the near one before one that is far off."""
    first, second = int(str(groups["first"])), int(str(groups["second"]))
    year = _full_year(str(groups["year"]), context) if groups.get("year") else None
    weekday = _named_weekday(groups, language)
    days: list[date] = []
    for month, day in ((second, first), (first, second)):
        found = [_date(year, month, day)] if year is not None else _yearless(month, day, context)
        days += [one for one in found if one is not None]
    meant = [day for day in days if day.weekday() == weekday]
    near = [day for day in meant if abs((day - context.day).days) <= _NEARLY]
    return [*(near or meant or days)]


def _holiday(groups: Groups, language: Language, context: _Today) -> list[date | None]:
    month, day = language.calendar.holidays[str(groups["holiday"])]
    year = _year(groups, language, context)
    return [_date(year, month, day)] if year is not None else [*_yearless(month, day, context)]


def _nothing(groups: Groups, language: Language, context: _Today) -> list[date | None]:
    return []


_KINDS: dict[str, Callable[[Groups, Language, _Today], list[date | None]]] = {
    "calendar": _calendar_kind,
    "weekday": _plain_weekday,
    "week": _week,
    "coming": _coming,
    "coming_only": _coming_only,
    "this": _this,
    "previous": _previous,
    "previous_only": _previous_only,
    "relative": _relative,
    "ahead": _ahead,
    "back": _back,
    "nth_weekday": _nth_weekday,
    "last_day": _last_day,
    "weeks_on": _weeks_on,
    "after_next": _after_next,
    "numbered": _numbered,
    "holiday": _holiday,
    "open": _nothing,
}
