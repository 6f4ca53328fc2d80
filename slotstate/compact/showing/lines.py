"""Whole lines: the first, the last, and those that matter between; what lies between them is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from slotstate.compact.showing.cuts import Unit, before, left_out
from slotstate.compact.showing.kinds import parsed
from slotstate.compact.showing.tables import Table
from slotstate.compact.showing.troubles import Place, troubled

_GAP: Final = 36
_GAP_AGAIN: Final = 48
"""Characters that a mark between lines takes at most, its line end with it, and where it adds up what marks say."""
_LONG: Final = 200
"""A line up to here is never too long to be shown."""
_BEGUN: Final = 120
"""Characters that are shown of a line that is."""

Shrink = Callable[[str, int], str | None]
"""A line in at most so many characters, None where that cannot be."""


@dataclass(frozen=True, slots=True)
class Way:
    """How lines are shown: what a unit is called, how a gap is said, how a long one is made to fit. `cues` are lines
    that are shown before others, most telling first.
    """

    unit: Unit
    gap: str
    shrink: Shrink
    header: int = 0
    quoted: bool = False
    cues: tuple[Place, ...] = ()


def of_log(text: str) -> Way:
    """Lines of a log, those with errors too."""
    return Way("lines", "[… {}]", _named("line"), cues=tuple(troubled(text)))


def of_table(table: Table) -> Way:
    """Rows of a table below its header. Where one may go over several lines, lines are what is counted."""
    return Way("lines" if table.quoted else "rows", "[… {}]", _named("row"), header=table.header, quoted=table.quoted)


def of_records(text: str, shrink: Callable[[object, int], str | None]) -> Way:
    """JSON Lines, each shown as JSON again."""
    return Way("lines", '{{"…":"{}"}}', lambda line, room: shrink(parsed(line), room), cues=tuple(troubled(text)))


def _named(what: str) -> Shrink:
    def named(line: str, room: int) -> str | None:
        """A line that is too long, as a mark that says how it begins."""
        mark = f"[… a {what} of {len(line):,} characters: "
        left = min(room - len(mark) - 1, _BEGUN)
        return mark + line[: before(line, left)].replace("[", "(").replace("]", ")") + "]" if left > 0 else None

    return named


def some_lines(text: str, room: int, way: Way, *, again: bool = False) -> str:
    """At most `room` characters of the lines of a text that is longer; `room` has to hold a mark at least."""
    gap = _GAP_AGAIN if again else _GAP
    choice = _Choice(text, way, max(_LONG, room // 3), gap)
    left = room - gap
    left -= choice.take(islice(_first(text, way), way.header or 1), left if way.header else left // 2)
    left -= choice.take(way.cues, left // 2, apart=True)
    left -= choice.take(_last(text, way), left // 2)
    choice.take(_first(text, way), left)
    return choice.told(again=again)


class _Choice:
    """The lines that are shown, by their places."""

    def __init__(self, text: str, way: Way, longest: int, gap: int) -> None:
        self._text = text
        self._way = way
        self._longest = longest
        self._gap = gap
        self._shown: dict[Place, str] = {}

    def take(self, places: Iterable[Place], room: int, *, apart: bool = False) -> int:
        """Show these lines as long as there is room, and say how much they take. `apart`: each may need a mark in front
        of it, and one that does not fit is passed over.
        """
        used = 0
        extra = 1 + self._gap * apart
        for place in places:
            if place in self._shown:
                continue
            line = self._line(place, room - used - extra)
            if line is not None:
                self._shown[place] = line
                used += len(line) + extra
            elif not apart:
                break
        return used

    def _line(self, place: Place, room: int) -> str | None:
        size = place[1] - place[0]
        if size <= min(room, self._longest):
            return self._text[slice(*place)].removesuffix("\r")
        if self._shown and (size <= self._longest or room < self._longest // 2):
            return None
        return self._way.shrink(self._text[slice(*place)], min(room, self._longest))

    def told(self, *, again: bool) -> str:
        """The lines in their order, with marks for what is not shown."""
        parts: list[str] = []
        at = 0
        for place in [*sorted(self._shown), (len(self._text), len(self._text))]:
            if at < place[0]:
                skipped = left_out(self._text, at, place[0], self._way.unit, again=again)
                parts.append(self._way.gap.format(skipped))
            parts += [self._shown[place]] if place in self._shown else []
            at = place[1] + 1
        return "\n".join(parts)


def _first(text: str, way: Way) -> Iterator[Place]:
    """Units from the beginning."""
    start = at = 0
    quotes = 0
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        quotes += text.count('"', at, end) if way.quoted else 0
        if quotes % 2 == 0:
            yield start, end
            start = end + 1
        at = end + 1


def _last(text: str, way: Way) -> Iterator[Place]:
    """Units from the end."""
    end = at = len(text) - text.endswith("\n")
    quotes = 0
    while at >= 0:
        start = text.rfind("\n", 0, at) + 1
        quotes += text.count('"', start, at) if way.quoted else 0
        at = start - 1
        if quotes % 2 == 0:
            yield start, end
            end = at
