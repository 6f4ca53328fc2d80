"""Values left open in an earlier turn, settled by what the user adds: the year of a date, the half of the day."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, time

from slotstate.extract import Change
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.profile import Profile, word_spans
from slotstate.parsing import Span, find_dates, find_times
from slotstate.parsing.languages import LANGUAGES
from slotstate.slots import Json

_YEAR = re.compile(r"(?<![0-9/.-])(?:18|19|20)[0-9]{2}(?![0-9/.-])")
_LATE = frozenset({"pm", "night"})
_EARLY = frozenset({"am", "morning"})


def settled(turn: Context, changes: Sequence[Change]) -> Iterator[Change]:
    """Changes that settle slots which are pending because several values were possible."""
    for one in turn.profiles:
        pending = turn.slot(one).pending
        if pending is None or pending.why != "ambiguous" or any(change.path == one.path for change in changes):
            continue
        value = _settle(one, pending.values, turn)
        if value is not None:
            yield Change("set", one.path, value, turn.words.original((0, len(turn.words.text))))


def _settle(one: Profile, values: Sequence[Json], turn: Context) -> Json:
    if one.kind == "date":
        return _in_year([date.fromisoformat(value) for value in values if isinstance(value, str)], turn)
    if one.kind == "time":
        return _in_half([time.fromisoformat(value) for value in values if isinstance(value, str)], turn)
    return None


def _in_year(days: Sequence[date], turn: Context) -> str | None:
    """The day of the year that the turn names, when only the year was open."""
    found = years(turn.words.text)
    if (
        len(found) != 1
        or len({(day.month, day.day) for day in days}) != 1
        or find_dates(turn.words.folded, turn.request.now)
    ):
        return None
    try:
        return days[0].replace(year=found[0][1]).isoformat()
    except ValueError:
        return None


def years(text: str) -> list[tuple[Span, int]]:
    """Years that stand alone."""
    return [(match.span(), int(match[0])) for match in _YEAR.finditer(text)]


def _in_half(times: Sequence[time], turn: Context) -> str | None:
    """The time in the half of the day that the turn names."""
    return next((value for _, value in halves(times, turn)), None)


def in_part(values: Sequence[Json], turn: Context) -> list[Json]:
    """The times that lie in the part of the day that the turn names."""
    parts = [
        (part, language.clock.hours.get(word, (0, 23)))
        for language in LANGUAGES
        for word, part in language.clock.parts.items()
        if any(True for _ in word_spans(word, turn.words.text))
    ]
    return [value for value in values if parts and all(_lies_in(str(value), *part) for part in parts)]


def _lies_in(value: str, part: str, hours: tuple[int, int]) -> bool:
    hour = time.fromisoformat(value).hour
    early = part in _EARLY
    return hours[0] <= hour <= hours[1] and (hour < 12 if early else hour >= 12 or part not in _LATE)


def halves(times: Sequence[time], turn: Context) -> Iterator[tuple[Span, str]]:
    """The one of the times that lies in the half of the day that the turn names, with the words for that."""
    if find_times(turn.words.folded):
        return
    named = [
        (span, part)
        for language in LANGUAGES
        for word, part in language.clock.parts.items()
        for span in word_spans(word, turn.words.text)
    ]
    parts = {part for _, part in named}
    late, early = bool(parts & _LATE), bool(parts & _EARLY)
    fitting = [at for at in times if (late and at.hour >= 12) or (early and at.hour < 12)]
    if late != early and len(fitting) == 1:
        yield max(named)[0], fitting[0].isoformat("minutes")
