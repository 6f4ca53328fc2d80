"""Kinds with a finder: numbers, dates, times, durations, money, phones, emails, and codes that a pattern describes.

Finders say where values stand; here each is given to the slots that could mean it. A kind is added as a row of `FINDERS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from slotstate.errors import InvalidValue
from slotstate.extractors.builtin.choose import Candidate, Reason
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.lexicon import HIGH, LOW
from slotstate.extractors.builtin.profile import NUMERIC, Profile
from slotstate.extractors.builtin.words import Words, inside
from slotstate.parsing import (
    Span,
    corrects,
    find_dates,
    find_datetimes,
    find_durations,
    find_emails,
    find_money,
    find_numbers,
    find_phones,
    find_times,
    negated,
)
from slotstate.parsing.languages import LANGUAGES
from slotstate.slots import Json, Kind
from slotstate.values import canonical, check

_NEAR = 48
"""Characters before a value within which a cue is looked for."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A typed value in a text, before it is any slot's: its folded span and its readings as the finder gives them."""

    span: Span
    values: tuple[Any, ...]


Finder = Callable[[Words, Context, bool], Iterable[Any]]

FINDERS: Final[Mapping[str, Finder]] = {
    "number": lambda words, turn, past: find_numbers(words.folded),
    "money": lambda words, turn, past: find_money(words.folded),
    "date": lambda words, turn, past: find_dates(words.folded, turn.request.now, "past" if past else "future"),
    "time": lambda words, turn, past: find_times(words.folded),
    "datetime": lambda words, turn, past: find_datetimes(words.folded, turn.request.now, "past" if past else "future"),
    "duration": lambda words, turn, past: find_durations(words.folded),
    "phone": lambda words, turn, past: find_phones(words.folded),
    "email": lambda words, turn, past: find_emails(words.folded),
}
"""Finders by family of kinds."""


def family(kind: Kind) -> str | None:
    """The family of finders that serves a kind, None for kinds without one."""
    name = "number" if kind in NUMERIC else kind
    return name if name in FINDERS else None


class Sightings:
    """The typed values of one text; each finder runs at most once."""

    def __init__(self, words: Words, turn: Context) -> None:
        self.words = words
        self._turn = turn
        self._found: dict[tuple[str, bool], list[Sighting]] = {}

    def of(self, kind: str, *, past: bool = False) -> list[Sighting]:
        """What the finder of a family sees."""
        key = (kind, past and kind in {"date", "datetime"})
        if key not in self._found:
            founds = FINDERS[kind](self.words, self._turn, key[1])
            self._found[key] = [Sighting(self.words.inner(found.span), found.values) for found in founds]
        return self._found[key]

    def spans(self) -> list[Span]:
        """Where values stand that no name holds."""
        return [one.span for kind in ("date", "time", "number", "money") for one in self.of(kind)]

    def calendar(self) -> list[Span]:
        """Where dates and times stand, when a slot is after them."""
        kinds = {one.kind for one in self._turn.profiles} & {"date", "time", "datetime"}
        return [one.span for kind in ("date", "time") if kinds for one in self.of(kind)]


def accepted(one: Profile, values: Iterable[Any], turn: Context) -> tuple[Json, ...]:
    """The readings that the slot's type takes, canonical."""
    kept: list[Json] = []
    for value in values:
        try:
            value = canonical(check(one.spec, _shaped(one.kind, value)), turn.reading(one))
        except InvalidValue:
            continue
        if value not in kept:
            kept.append(value)
    return tuple(kept)


def _shaped(kind: Kind, value: Any) -> Any:
    if kind == "integer":
        return int(value) if value == value.to_integral_value() else float(value)
    if kind == "number":
        return float(value)
    return {"value": value.value, "currency": value.currency} if kind == "money" else value


def looks_back(one: Profile, turn: Context) -> bool:
    """Whether dates of the slot lie in the past."""
    return bool(one.concepts & {"past", "birth"})


def typed_candidates(turn: Context, sightings: Sightings, taken: Sequence[Span]) -> Iterator[Candidate]:
    """Candidates for every slot with a finder; stretches in `taken` mean something else."""
    families: dict[str, list[Profile]] = {}
    for one in turn.profiles:
        name = family(one.kind)
        if name is not None:
            families.setdefault(name, []).append(one)
    for name, profiles in families.items():
        found = [sighting for sighting in sightings.of(name) if _free(sighting, turn, taken)]
        if found:
            yield from _Assignment(turn, sightings, name, profiles, found).candidates()


def _free(sighting: Sighting, turn: Context, taken: Sequence[Span]) -> bool:
    if inside(sighting.span, list(taken)) or not turn.fills(sighting.span) or _points(sighting, turn):
        return False
    return not negated(turn.words.folded, turn.words.folded.span(*sighting.span)[0])


def _points(sighting: Sighting, turn: Context) -> bool:
    """Whether the words point at something instead of counting or timing it ("that one")."""
    text = turn.words.text
    word, before = text[slice(*sighting.span)], text[max(0, sighting.span[0] - 24) : sighting.span[0]]
    return any(
        word in language.numerals.lone and re.search(language.numerals.lone_not_before, before) is not None
        for language in LANGUAGES
    )


class _Assignment:
    """Values of one family against the slots of that family."""

    def __init__(
        self, turn: Context, sightings: Sightings, name: str, profiles: Sequence[Profile], found: Sequence[Sighting]
    ) -> None:
        self.turn = turn
        self.sightings = sightings
        self.name = name
        self.profiles = profiles
        self.found = found
        self.text = turn.words.text

    def candidates(self) -> Iterator[Candidate]:
        loose: list[Sighting] = []
        for sighting in self.found:
            pointed = [one for one in self.profiles if (candidate := self._pointed(sighting, one)) is not None for one in [candidate]]
            yield from pointed
            if not pointed and not self._foreign(sighting):
                loose.append(sighting)
                yield from self._spoken_of(sighting)
        if loose:
            yield from self._unsaid(loose)

    def _pointed(self, sighting: Sighting, one: Profile) -> Candidate | None:
        """The slot as the words beside the value point at it."""
        values = self._values(sighting, one)
        if not values:
            return None
        unit_end = self._after(sighting, one)
        if unit_end is not None:
            return Candidate(one, sighting.span, values, Reason.UNIT, unit_end=unit_end)
        distance = self._before(sighting, one)
        if distance is not None and not (self.name == "number" and self._foreign(sighting)):
            return Candidate(one, sighting.span, values, Reason.CUED, distance)
        return None

    def _values(self, sighting: Sighting, one: Profile) -> tuple[Json, ...]:
        if looks_back(one, self.turn):
            again = [other for other in self.sightings.of(self.name, past=True) if other.span == sighting.span]
            sighting = again[0] if again else sighting
        return accepted(one, sighting.values, self.turn)

    def _after(self, sighting: Sighting, one: Profile) -> int | None:
        """Where the slot's unit ends after the value; None without one. What introduces the next value is no unit of this."""
        ends = [match.end() for _, pattern in one.after if (match := pattern.match(self.text, sighting.span[1])) is not None]
        if not ends:
            return None
        end = max(ends)
        joined = any(other.span[0] >= end and not self.text[end : other.span[0]].strip(" 的在是") for other in self.found)
        return None if joined and self.name != "number" else end

    def _before(self, sighting: Sighting, one: Profile) -> int | None:
        """How far before the value a cue of the slot ends; None without one. A range passes its opening cue on."""
        start, end = sighting.span
        low, high = self._in_range(sighting)
        if high is not None:
            return 0 if one.concepts & HIGH or (not one.concepts & LOW and self._before(high, one) is not None) else None
        if low is not None and one.concepts & LOW:
            return 0
        window = max(self.turn.words.sentence(start)[0], start - _NEAR, *(other.span[1] for other in self.found if other.span[1] <= start), 0)
        before = self.text[window:start]
        best: int | None = None
        for _, pattern in one.before:
            for match in pattern.finditer(before):
                gap = len(before) - match.end("cue")
                best = gap if best is None else min(best, gap)
        return best

    def _in_range(self, sighting: Sighting) -> tuple[Sighting | None, Sighting | None]:
        """The high partner when the value opens a range, the low one when it closes it."""
        index = self.found.index(sighting)
        following = self.found[index + 1] if index + 1 < len(self.found) else None
        previous = self.found[index - 1] if index else None
        partner = following if following is not None and self._joined(sighting, following) else None
        low = previous if previous is not None and self._joined(previous, sighting) else None
        return partner, low

    def _joined(self, one: Sighting, other: Sighting) -> bool:
        between = self.text[one.span[1] : other.span[0]]
        return any(
            re.fullmatch(join, between) is not None for lexicon in self.turn.words.languages for join in lexicon.range_joins
        )

    def _foreign(self, sighting: Sighting) -> bool:
        """Whether a number stands beside words that make it something else than a bare number."""
        if self.name != "number":
            return False
        start, end = sighting.span
        if inside(sighting.span, [other.span for kind in ("money", "duration", "phone") for other in self.sightings.of(kind)]):
            return True
        languages = self.turn.words.languages
        if any(re.search(lexicon.lone_not_before, self.text[max(0, start - 24) : start]) for lexicon in languages):
            return True
        return languages != () and not any(re.compile(lexicon.lone_after).match(self.text, end) for lexicon in languages)

    def _spoken_of(self, sighting: Sighting) -> Iterator[Candidate]:
        """The slots that were asked for, or that a correction must mean."""
        for one in self.profiles:
            values = self._values(sighting, one)
            if values and self.turn.is_asked(one):
                yield Candidate(one, sighting.span, values, Reason.ASKED)
        if corrects(self.turn.words.folded) is not None:
            held = [one for one in self.profiles if self.turn.held(one) is not None and self._values(sighting, one)]
            latest = max((self.turn.slot(one).changed for one in held), default=-1)
            for one in held:
                if self.turn.slot(one).changed == latest:
                    yield Candidate(one, sighting.span, self._values(sighting, one), Reason.CORRECTED)

    def _unsaid(self, loose: Sequence[Sighting]) -> Iterator[Candidate]:
        """Values that no word assigns: to the only slot there is, to the one meant by default, or in order."""
        domains = self.turn.focus or tuple(dict.fromkeys(one.domain for one in self.profiles))
        unfocused = not self.turn.focus and len(domains) > 1
        if unfocused:
            return
        for domain in domains:
            inside_domain = [one for one in self.profiles if one.domain == domain and not looks_back(one, self.turn)] or [
                one for one in self.profiles if one.domain == domain
            ]
            yield from self._in_domain(loose, inside_domain)

    def _in_domain(self, loose: Sequence[Sighting], profiles: Sequence[Profile]) -> Iterator[Candidate]:
        ordered = [one for one in profiles if one.concepts & (LOW | HIGH)]
        if len(loose) == len(ordered) == 2:
            for sighting, one in zip(loose, sorted(ordered, key=lambda one: not one.concepts & LOW), strict=True):
                values = self._values(sighting, one)
                if values:
                    yield Candidate(one, sighting.span, values, Reason.ORDER)
        for sighting in loose:
            takers = [one for one in profiles if self._values(sighting, one)]
            if len(takers) == 1:
                yield Candidate(takers[0], sighting.span, self._values(sighting, takers[0]), Reason.ONLY)
            elif len(loose) == 1 and self.name in {"date", "time", "datetime"}:
                first = [one for one in takers if one.concepts & LOW]
                if len(first) == 1 and all(one.concepts & HIGH for one in takers if one is not first[0]):
                    yield Candidate(first[0], sighting.span, self._values(sighting, first[0]), Reason.DEFAULT)
