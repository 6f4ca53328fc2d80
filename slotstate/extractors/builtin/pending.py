"""Values left open in an earlier turn, settled by what the user adds: the year of a date, the half of the day."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, time

from slotstate.extract import Change
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.profile import Profile, has_word
from slotstate.parsing import find_dates, find_times
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
    years = _YEAR.findall(turn.words.text)
    if (
        len(years) != 1
        or len({(day.month, day.day) for day in days}) != 1
        or find_dates(turn.words.folded, turn.request.now)
    ):
        return None
    try:
        return days[0].replace(year=int(years[0])).isoformat()
    except ValueError:
        return None


def _in_half(times: Sequence[time], turn: Context) -> str | None:
    """The time in the half of the day that the turn names."""
    if find_times(turn.words.folded):
        return None
    named = {
        part for language in LANGUAGES for word, part in language.clock.parts.items() if has_word(word, turn.words.text)
    }
    late, early = bool(named & _LATE), bool(named & _EARLY)
    fitting = [at for at in times if (late and at.hour >= 12) or (early and at.hour < 12)]
    return fitting[0].isoformat("minutes") if late != early and len(fitting) == 1 else None
