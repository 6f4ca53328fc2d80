"""Typed values given to slots: by the words beside them, by what was asked, else by what is left."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache
from typing import Final

from slotstate.extractors.builtin.beside import NEAR, cue_distance, unit_after
from slotstate.extractors.builtin.choose import Candidate, Reason
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.lexicon import FAMILIES, HIGH, LOW
from slotstate.extractors.builtin.pairs import paired
from slotstate.extractors.builtin.profile import Profile
from slotstate.extractors.builtin.quantities import quantity
from slotstate.extractors.builtin.refine import day_of_known_month, narrowed
from slotstate.extractors.builtin.restraint import other_sense
from slotstate.extractors.builtin.typed import Sighting, Sightings, accepted, family, given, looks_back
from slotstate.extractors.builtin.words import Words, inside, is_correction, is_spread, is_swapped
from slotstate.parsing import Span, corrects, find_times
from slotstate.parsing.cues import given_up_at, negated_at
from slotstate.parsing.languages import LANGUAGES
from slotstate.slots import Json
from slotstate.values import jsonable

_compiled = cache(re.compile)
_DAY_ALONE = re.compile(r"(?:the )?(?P<day>[0-9]{1,2})(?:st|nd|rd|th|日|号)")
_HOURS: Final = 24
"""A larger number is no hour."""
_LITTLE: Final = 16
"""Characters beside a week that is an answer by itself."""
MANY: Final = 32
"""More values of one kind than this in a turn are a list or noise: none of them is a slot's."""


def typed_candidates(turn: Context, sightings: Sightings, taken: Sequence[Span]) -> Iterator[Candidate]:
    """Candidates for every slot with a finder; stretches in `taken` mean something else."""
    families: dict[str, list[Profile]] = {}
    for one in turn.profiles:
        name = family(one.kind)
        if name is not None:
            families.setdefault(name, []).append(one)
    for name, profiles in families.items():
        seen = sightings.of(name)
        found = [sighting for sighting in seen if _free(sighting, turn, taken)] if len(seen) <= MANY else []
        if found:
            yield from _Assignment(turn, sightings, name, profiles, found).candidates()


def _free(sighting: Sighting, turn: Context, taken: Sequence[Span]) -> bool:
    if inside(sighting.span, taken) or not turn.fills(sighting.span) or points(sighting, turn.words.text):
        return False
    if other_sense(turn.words.text, sighting.span) or is_swapped(turn.words, sighting.span):
        return False
    return not negated_at(turn.words.text, sighting.span[0]) and not given_up_at(turn.words.text, sighting.span[1])


def _year_before(day: date) -> date | None:
    """The same day a year earlier: of a birthday without a year the year is open."""
    try:
        return day.replace(year=day.year - 1)
    except ValueError:
        return None


def points(sighting: Sighting, text: str) -> bool:
    """Whether the words point at something instead of counting or timing it ("that one")."""
    word, before = text[slice(*sighting.span)], text[max(0, sighting.span[0] - 24) : sighting.span[0]]
    return any(
        word in language.numerals.lone and _compiled(language.numerals.lone_not_before).search(before) is not None
        for language in LANGUAGES
    )


def _between(words: Words, text: str) -> bool:
    """Whether a text is no more than what may stand between a word and the value that it introduces."""
    return any(_compiled(lexicon.between).fullmatch(text) is not None for lexicon in words.languages)


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
        self._read: dict[tuple[str, Span], tuple[Json, ...]] = {}

    def candidates(self) -> Iterator[Candidate]:
        """Every reason that speaks for a slot to take a value."""
        loose: list[Sighting] = []
        for sighting in self.found:
            if self._is_beside_the_point(sighting):
                continue
            pointed = [candidate for one in self.profiles if (candidate := self._pointed(sighting, one)) is not None]
            yield from pointed
            refused = None if pointed else self._refused(sighting)
            if refused is not None:
                yield refused
            elif not pointed and not self._foreign(sighting) and not self._is_small_talk(sighting):
                loose.append(sighting)
                yield from self._spoken_of(sighting)
        if self.name == "number":
            yield from paired(self.turn, self.profiles, [one for one in self.found if not self._is_measured(one)])
        if loose:
            yield from self._unsaid(loose)

    def _is_beside_the_point(self, sighting: Sighting) -> bool:
        """Whether an amount is no total: it is added to a known one or taken off it, it is a part of it, or it is the
        price of something else.
        """
        if self.name not in {"number", "money", "duration"}:
            return False
        start, end = sighting.span
        before = self.text[self.turn.words.clause(start)[0] : start]
        for lexicon in self.turn.words.languages:
            extra = _compiled(lexicon.extra).search(before)
            if extra is not None and extra.groupdict().get("less"):
                return True
            if any(self.turn.held(one) is not None for one in self.profiles):
                part = _compiled(lexicon.part_of).search(before) and _compiled(lexicon.part_does).match(self.text, end)
                if part or extra is not None:
                    return True
            other = _compiled(lexicon.other_cost).search(before) if self.name == "money" else None
            if other is not None and not any(one.is_named_in(other[0]) for one in self.profiles):
                return True
        return False

    def _is_small_talk(self, sighting: Sighting) -> bool:
        """Whether a date stands in a remark on the weather and the like ("nice weather today")."""
        if self.name not in {"date", "time", "datetime"}:
            return False
        clause = self.turn.words.clause(sighting.span[0])
        said = [span for span in self.turn.small_talk if clause[0] <= span[0] < clause[1]]
        return bool(said) and (len(self.found) > 1 or not any(self.turn.is_asked(one) for one in self.profiles))

    def _pointed(self, sighting: Sighting, one: Profile) -> Candidate | None:
        """The slot as the words beside the value point at it."""
        values = self._values(sighting, one)
        if not values:
            return None
        unit_end = self._after(sighting, one)
        if unit_end is None and not one.concepts & (LOW | HIGH):
            unit_end = self._after_range(sighting, one)
        if unit_end is not None:
            bounded = one.concepts & (LOW | HIGH) and self._before(sighting, one) is None
            return Candidate(one, sighting.span, values, Reason.UNIT, int(bool(bounded)), unit_end=unit_end)
        distance = None if self._is_grammar(one) else self._before(sighting, one)
        if distance is not None and not self._foreign(sighting, distance):
            return Candidate(one, sighting.span, values, Reason.CUED, distance)
        return None

    def _is_grammar(self, one: Profile) -> bool:
        """Whether a slot's only words are those that stand before any date or time ("at", "on")."""
        if self.name not in {"date", "time", "datetime"} or one.concepts:
            return False
        return any(lexicon.timing.issuperset(one.words) for lexicon in self.turn.words.languages)

    def _refused(self, sighting: Sighting) -> Candidate | None:
        """A value that is meant for a slot, by its unit or the question, and that its type refuses: it is proposed
        nevertheless, so that the refusal is on record and the bot can say why.
        """
        if len(sighting.values) != 1 or inside(sighting.span, self.turn.ages):
            return None
        meant = [one for one in self.profiles if self._after(sighting, one) is not None]
        if not meant and not self._foreign(sighting):
            meant = [one for one in self.profiles if self.turn.is_asked(one)]
        if any(self._values(sighting, one) for one in meant):
            return None
        value = given(meant[0].kind, sighting.values[0]) if len(meant) == 1 else None
        if value is None:
            return None
        end = self._after(sighting, meant[0]) or sighting.span[1]
        return Candidate(meant[0], sighting.span, (value,), Reason.UNIT, quote=(sighting.span[0], end), unit_end=end)

    def _values(self, sighting: Sighting, one: Profile) -> tuple[Json, ...]:
        key = one.path, sighting.span
        if self.name == "number" and "age" not in one.concepts and inside(sighting.span, self.turn.ages):
            return ()
        if key not in self._read:
            if looks_back(one, self.turn):
                again = [other for other in self.sightings.of(self.name, past=True) if other.span == sighting.span]
                sighting = again[0] if again else sighting
            values = sighting.values
            month = _DAY_ALONE.fullmatch(self.text[slice(*sighting.span)]) if self.name == "date" else None
            if month is not None and self.turn.is_asked(one):
                known = day_of_known_month(self.turn, int(month["day"]))
                values = values if known is None else (known,)
            if (
                "birth" in one.concepts
                and self.name == "date"
                and not re.search("[0-9]{4}|'[0-9]{2}", self.text[slice(*sighting.span)])
            ):
                values = tuple(day for value in values for day in (value, _year_before(value)) if day is not None)
            read = accepted(one, values, self.turn)
            pending = self.turn.slot(one).pending
            if pending is not None and pending.why == "ambiguous":
                read = narrowed(read, pending.values, self.name, self.text[slice(*sighting.span)])
            if len(read) > 1:
                made = [offer.value for offer in self.turn.slot(one).offers]
                read = tuple(value for value in read if value in made) or read
            if self.name == "time" and len(read) > 1:
                offered = {jsonable(time) for found in find_times(self.turn.assistant.folded) for time in found.values}
                read = tuple(value for value in read if value in offered) or read
            self._read[key] = read
        return self._read[key]

    def _after(self, sighting: Sighting, one: Profile) -> int | None:
        """Where the slot's unit ends after the value. What introduces the next value is no unit of this one; what is
        measured in time counts for slots that count time.
        """
        end = unit_after(one, self.text, sighting.span[1])
        if end is None:
            return None
        if self.name == "number":
            timed = inside(sighting.span, [other.span for other in self.sightings.of("duration")])
            return None if timed and not any(FAMILIES[name] == "count" for name in one.concepts) else end
        joined = any(
            other.span[0] >= end and _between(self.turn.words, self.text[end : other.span[0]]) for other in self.found
        )
        return None if joined else end

    def _after_range(self, sighting: Sighting, one: Profile) -> int | None:
        """Where the value ends, if it opens a range that closes with the slot's unit ("35 to 45 people")."""
        index = self.found.index(sighting)
        closer = self.found[index + 1] if index + 1 < len(self.found) else None
        if closer is None or not is_spread(self.turn.words, sighting.span, closer.span):
            return None
        return sighting.span[1] if self._after(closer, one) is not None else None

    def _before(self, sighting: Sighting, one: Profile) -> int | None:
        """How far before the value a cue of the slot ends; None without one. A range passes its opening cue on."""
        start = sighting.span[0]
        partner, opener = self._in_range(sighting)
        if opener is not None and not self._is_alone(one, opener, sighting):
            if one.concepts & HIGH:
                return 0
            return self._before(opener, one) if not one.concepts & LOW else None
        if opener is not None:
            return self._before(opener, one)
        if partner is not None and one.concepts & LOW and not self._is_alone(one, sighting, partner):
            return 0
        earlier = [other.span[1] for other in self.found if other.span[1] <= start]
        window = max(self.turn.words.sentence(start)[0], start - NEAR, *earlier, 0)
        return cue_distance(one, self.text[window:start])

    def _is_alone(self, one: Profile, opener: Sighting, closer: Sighting) -> bool:
        """Whether no other slot takes the other end of a range: which end is meant is then open."""
        side = HIGH if one.concepts & LOW else LOW
        takers = [other for other in self.profiles if other.domain == one.domain and other.concepts & side]
        return not takers and is_spread(self.turn.words, opener.span, closer.span)

    def _in_range(self, sighting: Sighting) -> tuple[Sighting | None, Sighting | None]:
        """The value that closes a range which this one opens, and the one that opens a range which this one closes."""
        index = self.found.index(sighting)
        following = self.found[index + 1] if index + 1 < len(self.found) else None
        previous = self.found[index - 1] if index else None
        closer = following if following is not None and self._joined(sighting, following) else None
        return closer, previous if previous is not None and self._joined(previous, sighting) else None

    def _joined(self, one: Sighting, other: Sighting) -> bool:
        between = self.text[one.span[1] : other.span[0]]
        return any(
            _compiled(join).fullmatch(between) is not None
            for lexicon in self.turn.words.languages
            for join in lexicon.range_joins
        )

    def _foreign(self, sighting: Sighting, distance: int | None = None) -> bool:
        """Whether a number stands beside words that make it something else than a bare number."""
        if self.name != "number":
            return False
        start, end = sighting.span
        if self._is_measured(sighting) or self._is_amount(sighting, distance):
            return True
        if inside(
            sighting.span, [other.span for kind in ("money", "duration", "phone") for other in self.sightings.of(kind)]
        ):
            return True
        if self._corrects_another(sighting):
            return True
        languages = self.turn.words.languages
        if any(
            _compiled(lexicon.lone_not_before).search(self.text[max(0, start - 24) : start]) for lexicon in languages
        ):
            return True
        return languages != () and not any(_compiled(lexicon.lone_after).match(self.text, end) for lexicon in languages)

    def _corrects_another(self, sighting: Sighting) -> bool:
        """Whether the value that a number corrects is none: then this one is of its kind ("20 euros a day, no 30")."""
        start = sighting.span[0]
        others = [other.span for kind in ("money", "date", "time") for other in self.sightings.of(kind)]
        before = [span for span in others if span[1] <= start]
        numbers = [other for other in self.found if other.span[1] <= start and not self._is_hour(other)]
        last = max((other.span[1] for other in numbers), default=-1)
        return bool(before) and max(before)[1] > last and is_correction(self.turn.words, max(before), sighting.span, 4)

    def _is_measured(self, sighting: Sighting) -> bool:
        """Whether a number opens a range that is measured in time ("from 3 to 5 hours")."""
        closer = self._in_range(sighting)[0]
        timed = [other.span for other in self.sightings.of("duration")]
        return closer is not None and (inside(closer.span, timed) or inside(sighting.span, timed))

    def _is_amount(self, sighting: Sighting, distance: int | None) -> bool:
        """Whether a bare number answers for a money slot: that was asked for, or its cue stands nearer."""
        amounts = [one for one in self.turn.profiles if one.kind == "money"]
        if not amounts or (distance is None and any(self.turn.is_asked(one) for one in self.profiles)):
            return False
        start = sighting.span[0]
        earlier = [other.span[1] for other in self.found if other.span[1] <= start]
        window = max(self.turn.words.sentence(start)[0], start - NEAR, *earlier, 0)
        cues = [cue_distance(one, self.text[window:start]) for one in amounts]
        if any(cue is not None and (distance is None or cue < distance) for cue in cues):
            return True
        return distance is None and any(self.turn.is_asked(one) for one in amounts)

    def _spoken_of(self, sighting: Sighting) -> Iterator[Candidate]:
        """The slots that were asked for, or that a correction must mean."""
        for one in self.profiles:
            values = self._values(sighting, one)
            if values and self.turn.is_asked(one):
                yield Candidate(one, sighting.span, values, Reason.ASKED)
        if corrects(self.turn.words.folded) is not None:
            held = [one for one in self.profiles if self.turn.held(one) is not None and self._values(sighting, one)]
            latest = max(map(self._moment, held), default=None)
            for one in held:
                if self._moment(one) == latest:
                    yield Candidate(one, sighting.span, self._values(sighting, one), Reason.CORRECTED)

    def _moment(self, one: Profile) -> tuple[int, int]:
        """When the slot got its value, within a turn by where it was said."""
        held = self.turn.slot(one).held
        return held.step, held.span[0] if held.span else -1

    def _unsaid(self, loose: Sequence[Sighting]) -> Iterator[Candidate]:
        """Values that no word assigns, in the first domain in focus that takes such: to the only slot, to the one
        meant by default, or in order.
        """
        if self.name == "number" and self._answers_another(loose):
            return
        domains = self.turn.focus or tuple(dict.fromkeys(one.domain for one in self.profiles))
        if not self.turn.focus and len(domains) > 1:
            return
        for domain in domains:
            profiles = [one for one in self.profiles if one.domain == domain]
            if profiles:
                yield from self._in_domain(
                    loose, [one for one in profiles if not looks_back(one, self.turn)] or profiles
                )
                return

    def _answers_another(self, loose: Sequence[Sighting]) -> bool:
        """Whether the turn is a number, or how many of a list, and the question was for something that is none."""
        bare = quantity(self.turn) is not None or (len(loose) == 1 and self._is_all(loose[0]))
        return bare and self.turn.asked != () and not any(self.turn.is_asked(one) for one in self.profiles)

    def _is_all(self, sighting: Sighting) -> bool:
        """Whether the turn is the value and nothing else."""
        return self.text.strip(" .,!").removeprefix("the ") == self.text[slice(*sighting.span)].removeprefix("the ")

    def _in_domain(self, loose: Sequence[Sighting], profiles: Sequence[Profile]) -> Iterator[Candidate]:
        ordered = [one for one in profiles if one.concepts & (LOW | HIGH)]
        if len(loose) == len(ordered) == 2:
            for sighting, one in zip(loose, sorted(ordered, key=lambda one: not one.concepts & LOW), strict=True):
                values = self._values(sighting, one)
                if values:
                    yield Candidate(one, sighting.span, values, Reason.ORDER)
        for sighting in loose:
            if self.name == "number" and self._is_hour(sighting):
                continue
            if len(sighting.values) > 2 and not self._says_little_else(sighting):
                continue
            takers = [one for one in profiles if self._values(sighting, one)]
            if len(takers) == 1:
                yield Candidate(takers[0], sighting.span, self._values(sighting, takers[0]), Reason.ONLY)
            elif len(loose) == 1 and self.name in {"date", "time", "datetime"}:
                meant = self._by_default(sighting, takers)
                if meant is not None and not (self._is_all(sighting) and self.turn.held(meant) is not None):
                    yield Candidate(meant, sighting.span, self._values(sighting, meant), Reason.DEFAULT)

    def _is_hour(self, sighting: Sighting) -> bool:
        """Whether a number rather tells the hour ("the meeting is at 3", not "at 96")."""
        digits = self.text[slice(*sighting.span)]
        if digits.isdecimal() and int(digits[:9]) > _HOURS:
            return False
        if self._repeats_hour(sighting):
            return True
        before = self.text[max(0, sighting.span[0] - 24) : sighting.span[0]]
        return any(_compiled(lexicon.hour_before).search(before) for lexicon in self.turn.words.languages)

    def _repeats_hour(self, sighting: Sighting) -> bool:
        """Whether a number that is about all that is said is the hour of a time that the assistant closed on ("8")."""
        assistant = self.turn.assistant
        if not assistant.sentences or not self._says_little_else(sighting):
            return False
        if any(self.turn.is_asked(one) for one in self.profiles):
            return False
        heard = find_times(assistant.part(assistant.sentences[-1]))
        hours = {time.hour % 12 for found in heard for time in found.values}
        return any(value % 12 in hours for value in sighting.values)

    def _says_little_else(self, sighting: Sighting) -> bool:
        """Whether a value is about all that is said."""
        return len(self.text) - (sighting.span[1] - sighting.span[0]) <= _LITTLE

    def _telling(self, one: Profile, sentence: str) -> bool:
        """Whether a sentence speaks of a slot by more than a small word."""
        return any(
            sentence[start:end] not in lexicon.name_stop
            for lexicon in self.turn.words.languages
            for start, end in one.cues(sentence, lexicon)
        )

    def _by_default(self, sighting: Sighting, takers: Sequence[Profile]) -> Profile | None:
        """The one of two that comes first (leaving, before returning), unless the sentence speaks of the other only."""
        first = [one for one in takers if one.concepts & LOW]
        others = [one for one in takers if one not in first]
        if len(first) != 1 or not all(one.concepts & HIGH for one in others):
            return None
        start, end = self.turn.words.sentence(sighting.span[0])
        sentence = self.text[start:end]
        spoken_of = [one for one in takers if self._telling(one, sentence)]
        return first[0] if not spoken_of or first[0] in spoken_of else spoken_of[0] if len(spoken_of) == 1 else None
