"""Values counted from one that is known: "the day after", 第二天, the year of a date, another half of the day."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta

from slotstate.extractors.builtin.choose import Candidate, Reason
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.pending import halves, in_part, years
from slotstate.extractors.builtin.profile import Profile, word_spans
from slotstate.extractors.builtin.typed import accepted
from slotstate.extractors.builtin.words import Words, inside
from slotstate.parsing import Span, corrects, find_dates, fold
from slotstate.parsing.languages import LANGUAGES
from slotstate.parsing.matching import words_pattern
from slotstate.slots import Json

_SHORT = 40
"""Characters of a turn that can do no more than name the other half of the day."""


def refined(turn: Context, taken: Sequence[Span]) -> Iterator[Candidate]:
    """Candidates for dates and times that the turn moves or completes."""
    if turn.closed:
        return
    yield from _moved(turn, taken)
    yield from _with_year(turn)
    yield from _other_half(turn, taken)


def _moved(turn: Context, taken: Sequence[Span]) -> Iterator[Candidate]:
    shifts = [(span, days) for span, days in _shifts(turn) if not inside(span, taken)]
    one = _latest(turn, {"date", "datetime"}) if len(shifts) == 1 else None
    if one is None:
        return
    span, days = shifts[0]
    value = _shifted(turn.held(one) if turn.held(one) is not None else _spoken(turn), days)
    values = accepted(one, [value], turn) if value is not None else ()
    if values:
        yield Candidate(one, span, values, Reason.CORRECTED)


def _shifts(turn: Context) -> Iterator[tuple[Span, int]]:
    """Where words move a known date, and by how many days."""
    for lexicon in turn.words.languages:
        for pattern, days in lexicon.shifts.items():
            for match in words_pattern(pattern, spaced=lexicon.spaced).finditer(turn.words.text):
                yield match.span(), days


def _spoken(turn: Context) -> str | None:
    """The only date of the assistant's last words."""
    found = find_dates(turn.assistant.folded, turn.request.now)
    return found[0].value.isoformat() if len(found) == 1 and not found[0].ambiguous else None


def _shifted(value: object, days: int) -> date | datetime | None:
    if not isinstance(value, str):
        return None
    try:
        known = date.fromisoformat(value) if len(value) == 10 else datetime.fromisoformat(value)
        return known + timedelta(days=days)
    except (ValueError, OverflowError):
        return None


def _latest(turn: Context, kinds: set[str]) -> Profile | None:
    """The slot of these kinds that was asked for, was changed last, or is the only one."""
    able = [one for one in turn.profiles if one.kind in kinds]
    asked = [one for one in able if turn.is_asked(one) and turn.held(one) is not None]
    if len(asked) == 1:
        return asked[0]
    held = [one for one in able if turn.held(one) is not None]
    latest = max((turn.slot(one).held.step for one in held), default=None)
    last = [one for one in held if turn.slot(one).held.step == latest]
    if held:
        return last[0] if len(last) == 1 else None
    return able[0] if len(able) == 1 else None


def _with_year(turn: Context) -> Iterator[Candidate]:
    """A year alone, where the assistant asked for the year of a date that is known."""
    asks_year = any(
        words_pattern(lexicon.year_question, spaced=lexicon.spaced).search(turn.assistant.text) is not None
        for lexicon in turn.assistant.languages
    )
    one = _latest(turn, {"date"}) if asks_year else None
    if one is None:
        return
    held = turn.held(one)
    found = years(turn.words.text)
    if len(found) == 1 and isinstance(held, str):
        span, year = found[0]
        values = accepted(one, _in_year(date.fromisoformat(held), year), turn)
        if values:
            yield Candidate(one, span, values, Reason.NAMED)


def _in_year(day: date, year: int) -> list[date]:
    try:
        return [day.replace(year=year)]
    except ValueError:
        return []


def _other_half(turn: Context, taken: Sequence[Span]) -> Iterator[Candidate]:
    """ "make it the evening": the same hour in the other half of the day, where that is a usual one of that part."""
    if len(turn.words.text) > _SHORT or corrects(turn.words.folded) is None:
        return
    one = _latest(turn, {"time"})
    held = turn.held(one) if one is not None else None
    if one is None or not isinstance(held, str):
        return
    known = time.fromisoformat(held)
    if not 1 <= known.hour % 12 <= 11:
        return
    options = [known.replace(hour=known.hour % 12), known.replace(hour=known.hour % 12 + 12)]
    for span, value in halves(options, turn):
        if not inside(span, taken) and value != held and in_part([value], turn):
            yield Candidate(one, span, (value,), Reason.CORRECTED)


def day_of_known_month(turn: Context, day: int) -> date | None:
    """The day in the month that the assistant's question names ("On which day of November?")."""
    for month in _months(turn.assistant):
        now = turn.request.now.date()
        for year in (now.year, now.year + 1):
            try:
                found = date(year, month, day)
            except ValueError:
                continue
            if found >= now:
                return found
    return None


def _months(words: Words) -> list[int]:
    folded = fold(words.text).text
    return [
        number
        for language in LANGUAGES
        for word, number in language.calendar.months.items()
        if len(word) > 3 and words_pattern(word, spaced=language.spaced).search(folded)
    ]


def narrowed(values: Sequence[Json], waiting: Sequence[Json], kind: str, said: str) -> tuple[Json, ...]:
    """Values among those that wait for an answer; a weekday that is `said` means the one of the days that wait."""
    if kind != "date":
        return tuple(values)
    same = tuple(value for value in values if value in waiting)
    if same or not values or len(waiting) < 2 or not _names_weekday(said):
        return same or tuple(values)
    weekdays = {date.fromisoformat(str(value)).weekday() for value in values}
    meant = tuple(value for value in waiting if date.fromisoformat(str(value)).weekday() in weekdays)
    return meant if len(weekdays) == 1 and len(meant) == 1 else tuple(values)


def _names_weekday(said: str) -> bool:
    calendars = [language.calendar for language in LANGUAGES]
    return any(
        word in said and any(True for _ in word_spans(word, said))
        for calendar in calendars
        for word in (*calendar.weekdays, *calendar.weekdays_short)
    )
