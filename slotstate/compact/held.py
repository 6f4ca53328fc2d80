"""What slots hold, found in the words of a text: what they tell anyway, and what they no longer hold."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence, Set
from functools import cache, lru_cache
from typing import Final, NamedTuple

from slotstate.compact.cues import moved, negations, signs, small
from slotstate.compact.items import Span
from slotstate.compact.phrases import MARK, Match, Sayings, alone, amount, content, words
from slotstate.events import ItemKind
from slotstate.parsing.languages import LANGUAGES
from slotstate.slots import Json

_MEASURED: Final = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d|P[\dT]|-?\d+(?:\.\d+)?\Z")
"""Values that are seldom said as they are written: dates, times, durations, numbers."""
_DATE: Final = re.compile(r"\d{4}-(\d\d)-(\d\d)(?!\d)")
_ENDINGS: Final = {"1": "st", "21": "st", "31": "st", "2": "nd", "22": "nd", "3": "rd", "23": "rd"}
_NEAR: Final = 5
"""Words in front of a value in which a negation denies it."""


_BEYOND: Final[dict[ItemKind, float]] = {"constraint": 1, "refusal": 1, "decision": 2, "open": 2}
"""Words beside a slot's value that make an item of its own; of other kinds none does."""


class _Value(NamedTuple):
    path: str
    held: bool
    named: bool
    """Whether the value is a name: a text that seldom stands somewhere by chance."""


class Values:
    """The values of a span's slots, present ones and others."""

    __slots__ = ("_index", "_measured", "_named", "_span")

    def __init__(self, span: Span) -> None:
        self._span = span
        self._index: Sayings[tuple[_Value, ...]] = Sayings()
        self._measured: dict[str, frozenset[str]] = {}
        self._named: dict[str, tuple[str, ...]] = {}
        spelt: dict[tuple[str, ...], list[_Value]] = {}
        for path, value, held in _all(span):
            for leaf in _leaves(value):
                sayings, named = _said_as(leaf)
                for said in sayings:
                    spelt.setdefault(said, []).append(_Value(path, held, named))
        for said, values in spelt.items():
            self._index.add(said, tuple(values))
        for path, ids in span.told.items():
            for ident in ids:
                self._named[ident] = (*self._named.get(ident, ()), *words(path.replace(".", " ").replace("_", " ")))
                if any(_MEASURED.match(leaf) for leaf in _leaves(span.slots.get(path))):
                    self._measured[ident] = _counting()

    def tell(self, said: Sequence[str], ident: str) -> bool:
        """Whether slots, as they are or were, tell all that these words of message `ident` say."""
        covered = self._told(said, ident)
        if not covered or _own(said, self._covered(said)):
            return False
        for match in moved(said, "setting"):
            covered.update(range(match.start, match.end))
        return amount(_content(said, covered)) < 2

    def _told(self, said: Sequence[str], ident: str) -> set[int]:
        """The places of words that slots tell; of those that message `ident` set, also words of their names."""
        covered = self._covered(said)
        measures = self._measured.get(ident, frozenset[str]())
        named = self._named.get(ident, ())
        for at, word in enumerate(said):
            if word in named or word in measures or (measures and word[0].isdigit()):
                covered.add(at)
        return covered

    def names_none(self, said: Sequence[str], ident: str) -> bool:
        """Whether these words of message `ident` are all beside the slots."""
        return not self._covered(said) and all(said[at] in small() for at in self._told(said, ident))

    def goes_beyond(self, said: Sequence[str], kind: ItemKind, path: str | None = None) -> bool:
        """Whether an item of this kind, with these words, says something of its own beside the values of slots (and the
        name of slot `path`), so that it holds on when they change.
        """
        covered = self._covered(said)
        if _own(said, covered):
            return True
        named = frozenset(words((path or "").replace(".", " ").replace("_", " "))) | _counting()
        covered.update(at for at, word in enumerate(said) if word in named or word[0].isdigit())
        places = [(match.start, match.end) for match in moved(said, "setting")]
        places += [(match.start, match.end) for match in signs(said)]
        covered.update(at for start, end in places for at in range(start, end))
        return amount(_content(said, covered)) >= _BEYOND.get(kind, math.inf)

    def rest(self, said: Sequence[str]) -> frozenset[str]:
        """The content of words beside the values in them."""
        return _content(said, self._covered(said))

    def set_by(self, ident: str) -> bool:
        """Whether a slot's present value came from the message."""
        return ident in self._named

    def path(self, said: Sequence[str]) -> str | None:
        """The one slot whose present value, a name, stands in the words and is not denied there."""
        found = {value.path for match in self._affirmed(said) for value in match.meaning if value.held and value.named}
        return found.pop() if len(found) == 1 else None

    def outdated(self, said: Sequence[str]) -> str | None:
        """A slot of which the words name a value that no slot holds any more, not to deny it."""
        for match in self._affirmed(said):
            if not any(value.held for value in match.meaning):
                for value in match.meaning:
                    if value.named:
                        return value.path
        return None

    def contradicted(self, said: Sequence[str], path: str) -> bool:
        """Whether the words name another value of `path` than the present one, and not the present one."""
        values = [value for match in self._index.matches(said) for value in match.meaning if value.path == path]
        return bool(values) and not any(value.held for value in values)

    def reason(self, path: str) -> str:
        """What became of a slot, in words."""
        if path in self._span.slots:
            return f"{path} holds another value now"
        return f"{path} is empty now"

    def _covered(self, said: Sequence[str]) -> set[int]:
        """The places of words that are part of a value."""
        return {at for match in self._index.matches(said) for at in range(match.start, match.end)}

    def _affirmed(self, said: Sequence[str]) -> Iterator[Match[tuple[_Value, ...]]]:
        for match in self._index.matches(said):
            if negations().isdisjoint(said[max(0, match.start - _NEAR) : match.start]):
                yield match


def _all(span: Span) -> Iterator[tuple[str, Json, bool]]:
    for path, value in span.slots.items():
        yield path, value, True
    for path, values in span.others.items():
        for value in values:
            yield path, value, False


def _leaves(value: Json) -> Iterator[str]:
    """The texts and numbers in a value, as texts; a yes or no stands for itself in no text."""
    match value:
        case None | bool():
            return
        case str():
            yield value
        case float() if value.is_integer():
            yield str(int(value))
        case int() | float():
            yield str(value)
        case dict():
            for part in value.values():
                yield from _leaves(part)
        case _:
            for part in value:
                yield from _leaves(part)


def _own(said: Sequence[str], covered: set[int]) -> bool:
    """Whether words outside of the places `covered` say something whatever slots tell, such as an illness."""
    return any(not covered.issuperset(range(match.start, match.end)) for match in moved(said, "own"))


def _content(said: Sequence[str], covered: Set[int]) -> frozenset[str]:
    return content((MARK if at in covered else word for at, word in enumerate(said)), small())


@lru_cache(maxsize=2048)
def _said_as(leaf: str) -> tuple[tuple[tuple[str, ...], ...], bool]:
    """The words that a value is said with, in each way to say it, and whether it is a name. The slots of a conversation
    hold the same values in one compaction after the other.
    """
    ways = (said for said in (words(leaf), *_spellings(leaf)) if said and said[0] != MARK and said[-1] != MARK)
    return tuple(ways), _is_name(leaf)


def _spellings(leaf: str) -> Iterator[tuple[str, ...]]:
    """How people write a date: with the month's name or number, and the day."""
    written = _DATE.match(leaf)
    if written is None:
        return
    month, day = str(int(written[1])), str(int(written[2]))
    yield from ((month, "月", day, sign) for sign in "号日")
    ending = _ENDINGS.get(day, "th")
    for name in _months().get(int(month), ()):
        for said in (day, f"{day}{ending}"):
            yield from ((name, said), (said, name), (said, "of", name))


@cache
def _months() -> dict[int, tuple[str, ...]]:
    """The names of the months in the languages that have any."""
    found: dict[int, tuple[str, ...]] = {}
    for language in LANGUAGES:
        for name, number in language.calendar.months.items() if language.spaced else ():
            found[number] = (*found.get(number, ()), name)
    return found


def _is_name(leaf: str) -> bool:
    """Whether a value is a text of some length that says something."""
    if _MEASURED.match(leaf):
        return False
    said = words(leaf)
    letters = sum(len(word) for word in said)
    return bool(content(said, small())) and letters >= (2 if any(alone(word[0]) for word in said) else 3)


@cache
def _counting() -> frozenset[str]:
    """Words of numbers, dates and times."""
    found: set[str] = set()
    for language in LANGUAGES:
        calendar, clock = language.calendar, language.clock
        tables = (
            language.numerals.small,
            calendar.months,
            calendar.weekdays,
            calendar.weekdays_short,
            calendar.relative,
        )
        for table in (*tables, clock.parts, clock.named, language.spans.units):
            found.update(word for phrase in table for word in words(phrase))
    return frozenset(found - {MARK})
