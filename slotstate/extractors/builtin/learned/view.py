"""A turn as the scorer sees it: candidates for every slot, each with its features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np

from slotstate.errors import InvalidValue
from slotstate.extract import Request
from slotstate.extractors.builtin.learned.columns import AT, NAMES
from slotstate.extractors.builtin.learned.lefts import (
    domain_features,
    numbers,
    option_features,
    slot_features,
    turn_features,
)
from slotstate.extractors.builtin.learned.linear import Side
from slotstate.extractors.builtin.learned.looking import (
    done,
    fits,
    options_of,
    path_features,
    rights_of,
    stretches,
    value_features,
    with_acts,
)
from slotstate.extractors.builtin.learned.models import SYSTEM_ACTS, Models
from slotstate.extractors.builtin.learned.standing import Standing
from slotstate.extractors.builtin.learned.tagger import KINDS, Stretch
from slotstate.extractors.builtin.learned.tokens import content, tokenize
from slotstate.extractors.builtin.learned.words import (
    READ,
    TYPED,
    held_words,
    option_match,
    option_words,
    options_for,
    plain,
    stems_of,
    told,
)
from slotstate.parsing import dont_care, fold
from slotstate.slots import DONTCARE, SlotSpec
from slotstate.values import Reading, direction, normalise

MAX_EARLIER: Final = 10
ANY: Final = "\0any"
"""The candidate for no preference."""


@dataclass(slots=True)
class Mention:
    """A stretch of a text (0 the user's turn, 1 the assistant's last, 2 and on the ones before) and its words."""

    text: int
    stretch: Stretch
    words: str
    key: str


@dataclass(slots=True)
class Candidate:
    """A value for a slot in words, with where it comes from; `canonical` is its JSON form where the slot is typed."""

    slot: int
    value: str
    canonical: Any = None
    mentions: list[int] = field(default_factory=list)
    held: list[str] = field(default_factory=list)


class View:
    """One turn: everything that the scorer is told, worked out once."""

    def __init__(self, request: Request, models: Models, rules: Mapping[str, Sequence[Any]]) -> None:
        self.request = request
        self.models = models
        self.rules = rules
        self.domains = list(request.domains.values())
        self.every: list[SlotSpec] = [spec for domain in self.domains for spec in domain.slots.values()]
        self.fillable = [
            index
            for index, spec in enumerate(self.every)
            if spec.slot.evidence != "tool" and (spec.kind in READ or spec.kind in TYPED)
        ]
        self.texts = [request.user, request.assistant, *reversed(request.earlier[-MAX_EARLIER:])]
        self.rights = rights_of(tuple(self.every))

    @cached_property
    def _options_known(self) -> tuple[tuple[str, ...], ...]:
        return options_of(tuple(self.every[index] for index in self.fillable))

    @cached_property
    def mentions(self) -> list[Mention]:
        """Every stretch that may be a value, in all texts."""
        options = self._options_known
        return [
            Mention(index, one, words := text[one.start : one.end], plain(words))
            for index, text in enumerate(self.texts)
            if text
            for one in stretches(self.models.tagger, text, "u" if index == 0 else "s", options)
        ]

    @cached_property
    def _by_stems(self) -> dict[str, list[int]]:
        """Mentions by the stems of their words, number words as digits."""
        found: dict[str, list[int]] = {}
        for index, mention in enumerate(self.mentions):
            found.setdefault(" ".join(stems_of(mention.words)), []).append(index)
        return found

    @cached_property
    def fits(self) -> Any:
        """The logit of every mention for every slot."""
        options = self._options_known
        rows = [
            fits(self.models, text, "u" if index == 0 else "s", self.rights, options)
            for index, text in enumerate(self.texts)
            if text
        ]
        return np.vstack([row for row in rows if len(row)]) if self.mentions else np.zeros((0, len(self.every)))

    def held_value(self, index: int) -> str | None:
        """What a slot holds, as words; ANY for no preference."""
        return self.held[index]

    @cached_property
    def held(self) -> list[str | None]:
        """What each slot holds, as words."""
        found: list[str | None] = []
        for spec in self.every:
            slot = self.request.state.slots.get(spec.path)
            if slot is None or not slot.is_held:
                found.append(None)
            else:
                found.append(ANY if slot.held.dontcare else held_words(spec, slot.held))
        return found

    def is_held(self, one: Candidate) -> bool:
        """Whether the slot of a candidate holds its value already."""
        held = self.held[one.slot]
        if held is None or ANY in (one.value, held):
            return held == one.value
        spec = self.every[one.slot]
        if spec.kind in TYPED:
            return bool(self.request.state.slots[spec.path].held.value == one.canonical)
        return plain(held) == plain(one.value)

    @cached_property
    def others(self) -> list[tuple[str, str, int]]:
        """What is held anywhere: path, words, turns since."""
        known = {spec.path: spec for spec in self.every}
        return [
            (path, held_words(known.get(path), slot.held), max(0, self.request.turn - slot.changed))
            for path, slot in self.request.state.slots.items()
            if slot.is_held and not slot.held.dontcare and isinstance(slot.held.value, str | int)
            and not isinstance(slot.held.value, bool)
        ]  # fmt: skip

    @cached_property
    def acts(self) -> Any:
        """What the assistant and the user do in their turns, as probabilities: users' first."""
        system = np.zeros(len(SYSTEM_ACTS))
        if self.request.assistant:
            system = self.models.system_acts.probabilities(numbers(turn_features(self.request.assistant, "s")))
        return np.concatenate([self.models.user_acts.probabilities(numbers(self.user_words)), system])

    @cached_property
    def user_words(self) -> tuple[str, ...]:
        """The user's turn, with what the assistant did before."""
        return with_acts(self.models, self.request.user, self.request.assistant)

    @cached_property
    def slot_logits(self) -> tuple[Any, Any, Any]:
        """For every slot: whether the assistant asks for it, the user tells of it, and any value will do."""
        user = self._user_side
        asked = np.full(len(self.every), -6.0)
        if self.request.assistant:
            asked = self.models.asks.scores(Side([numbers(turn_features(self.request.assistant, "s"))]), self.rights)[0]
        told = self.models.tells.scores(user, self.rights)[0]
        free = self.models.open.scores(user, self.rights)[0]
        return asked, told, free

    @cached_property
    def routes(self) -> Any:
        """For every domain, whether the turn is about it."""
        rights = Side([numbers(domain_features(domain)) for domain in self.domains])
        return self.models.routes.scores(self._user_side, rights)[0]

    @cached_property
    def _user_side(self) -> Side:
        return Side([numbers(self.user_words)])

    @cached_property
    def _option_logits(self) -> dict[int, Any]:
        """For every slot with options, the logit of each."""
        slots = [(index, options) for index in self.fillable if (options := options_for(self.every[index])) is not None]
        rights = Side([numbers(option_features(self.every[index], one)) for index, some in slots for one in some])
        logits = self.models.option.scores(self._user_side, rights)[0]
        found: dict[int, Any] = {}
        at = 0
        for index, options in slots:
            found[index] = logits[at : at + len(options)].tolist()
            at += len(options)
        return found

    @cached_property
    def user_stems(self) -> tuple[tuple[str, ...], frozenset[str]]:
        """The user's words."""
        stems = stems_of(self.request.user)
        return stems, frozenset(stems)

    # -- rows --

    def rows(self) -> tuple[list[Candidate], Any]:
        """The candidates of all slots and their features, a row each."""
        candidates: list[Candidate] = []
        parts: list[Any] = []
        general = self._general()
        for index in self.fillable:
            spec = self.every[index]
            options = options_for(spec)
            found = self._text_values(index) if options is None else self._options(index, options)
            if not found:
                continue
            slot = self._slot_row(index)
            for candidate, row in found:
                row[: len(general)] = general
                row[_SLOT : _SLOT + len(slot)] = slot
                candidates.append(candidate)
                parts.append(row)
        if not parts:
            return [], np.zeros((0, len(NAMES)))
        return candidates, np.round(np.vstack(parts), 4)

    def _general(self) -> list[float]:
        tokens = tokenize(self.request.user)
        keys = {token.key for token in tokens}
        return [
            *self.acts,
            min(len(tokens), 30),
            sum(mention.text == 0 for mention in self.mentions),
            float(bool(keys & _REFERS)),
            float("?" in keys),
            float(not self.request.assistant),
            float(dont_care(fold(self.request.user[:1000])) is not None),
            len(self.domains),
        ]

    @cached_property
    def _domain_facts(self) -> dict[str, tuple[int, int, int]]:
        """For each domain: slots held, turns since its last change, its rank by that."""
        state = self.request.state.slots
        ages: dict[str, tuple[int, int]] = {}
        for domain in self.domains:
            paths = [spec.path for spec in domain.slots.values() if spec.path in state and state[spec.path].is_held]
            last = max((state[path].changed for path in paths), default=-99)
            ages[domain.name] = (len(paths), min(40, self.request.turn - last))
        order = sorted(ages, key=lambda name: ages[name][1])
        return {name: (*ages[name], order.index(name)) for name in ages}

    @cached_property
    def _ranks(self) -> dict[str, Any]:
        asked, told, _ = self.slot_logits
        homes = np.array([spec.domain for spec in self.every])
        found = {}
        for name, values in (("asked", asked), ("told", told)):
            ranks = np.zeros(len(values))
            for home in dict.fromkeys(homes.tolist()):
                at = np.flatnonzero(homes == home)
                ranks[at[np.argsort(-values[at], kind="stable")]] = np.arange(len(at))
            found[name] = ranks
        return found

    def _slot_row(self, index: int) -> list[float]:
        spec = self.every[index]
        slot = self.request.state.slots.get(spec.path)
        asked, told, free = self.slot_logits
        held = self.held[index]
        count, age, rank = self._domain_facts[spec.domain]
        home = next(i for i, domain in enumerate(self.domains) if domain.name == spec.domain)
        routes = self.routes
        words = content(spec.label)
        stems = self.user_stems[1]
        system = frozenset(stems_of(self.request.assistant))
        shown = plain(held) if held and held != ANY else ""
        return [
            float(spec.kind != "boolean" and options_for(spec) is None),
            float(spec.kind != "boolean" and options_for(spec) is not None),
            float(spec.kind == "boolean"),
            0.0,
            float(spec.required),
            float(spec.path in self.request.asked),
            float(self.request.asked[0] == spec.path) if self.request.asked else 0.0,
            float(any(offer.path == spec.path for offer in self.request.offers)),
            asked[index],
            self._ranks["asked"][index],
            told[index],
            self._ranks["told"][index],
            float(held is not None),
            float(held == ANY),
            min(40, self.request.turn - slot.changed) if slot is not None and held is not None else -1.0,
            float(bool(shown) and f" {shown} " in f" {plain(self.request.assistant)} "),
            float(bool(shown) and f" {shown} " in f" {plain(self.request.user)} "),
            sum(word in stems for word in words) / max(1, len(words)),
            sum(word in system for word in words) / max(1, len(words)),
            routes[home],
            float((routes > routes[home]).sum()),
            rank,
            count,
            age,
            float(any(word in stems for word in content(spec.domain.replace("_", " ")))),
            float(asked.max()) if len(asked) else -6.0,
            free[index],
            float(len(self.every)),
        ]

    @cached_property
    def _values(self) -> dict[str, list[int]]:
        """Mentions by what they say."""
        found: dict[str, list[int]] = {}
        for index, mention in enumerate(self.mentions):
            if mention.key:
                found.setdefault(mention.key, []).append(index)
        return found

    def _column(self, index: int) -> list[float]:
        return [row[index] for row in self._standing.fit] if self.mentions else []

    def _text_values(self, index: int) -> list[tuple[Candidate, Any]]:
        """Values for a free slot: what was mentioned and is not far from fitting, and what other slots hold."""
        found: dict[str, Candidate] = {}
        fits = self._column(index)
        for key, mentions in self._values.items():
            best = max(fits[one] + (LENIENT if self.mentions[one].text == 0 else 0.0) for one in mentions)
            if best < FLOOR:
                continue
            newest = min(mentions, key=lambda one: (self.mentions[one].text, self.mentions[one].stretch.lax))
            found[key] = Candidate(index, self.mentions[newest].words, mentions=mentions)
        spec = self.every[index]
        for path, words, _ in self.others:
            key = plain(words)
            if key not in found:
                if path != spec.path and self._carry(path, index) < FLOOR:
                    continue
                found[key] = Candidate(index, words)
            found[key].held.append(path)
        held = self.held[index]
        rows = []
        for key, one in found.items():
            if spec.kind in TYPED and not self._typed(spec, one):
                continue
            row = np.zeros(len(NAMES))
            self._mention_features(row, one, index)
            self._held_features(row, one, index)
            self._common(row, key, one, held)
            rows.append((one, row))
        if held == ANY or self._any_is_meant(index):
            rows.append((Candidate(index, ANY), self._any_row(index, held)))
        _rank(rows, ("best_fit", "fit_rank"))
        return rows

    def _typed(self, spec: SlotSpec, one: Candidate) -> bool:
        """Whether the words of a candidate are a value of the slot's type; its canonical form is noted."""
        try:
            one.canonical = normalise(spec, one.value, self._reading(spec))
        except InvalidValue:
            return False
        return True

    def _reading(self, spec: SlotSpec) -> Reading:
        prefer = direction(spec, self.request.assistant, self.request.user)
        return Reading(self.request.now, prefer=prefer, asked=spec.path in self.request.asked)

    def _any_is_meant(self, index: int) -> bool:
        if not self.every[index].slot.dont_care:
            return False
        return bool(self._any_places) or float(self.slot_logits[2][index]) > FLOOR

    @cached_property
    def _any_places(self) -> list[int]:
        """Where the user's words may say that any value will do."""
        return [i for i, token in enumerate(tokenize(self.request.user)) if token.key in _ANY_WORDS]

    def _any_row(self, index: int, held: str | None) -> Any:
        row = np.zeros(len(NAMES))
        stems, places = self.user_stems[0], self._any_places
        near = {word for place in places for word in stems[max(0, place - 4) : place + 6]}
        words = slot_features(self.every[index])
        row[AT["any_near"]] = sum(word in near for word in words)
        row[AT["any"]] = 1.0
        row[AT["same_held"]] = float(held == ANY)
        row[AT["rule"]] = float(ANY in self._ruled(index))
        return row

    def _ruled(self, index: int) -> list[str]:
        return [ANY if value is DONTCARE else told(value) for value in self.rules.get(self.every[index].path, ())]

    @cached_property
    def _standing(self) -> Standing:
        return Standing(self.fits, [one.text for one in self.mentions], [spec.domain for spec in self.every])

    def _mention_features(self, row: Any, candidate: Candidate, index: int) -> None:
        standing = self._standing
        for place in candidate.mentions:
            mention, fit = self.mentions[place], standing.fit[place][index]
            if mention.text == 0 and (not row[_U] or fit > row[_U + 2]):
                self._said(row, place, index, mention, fit)
            elif mention.text == 1 and (not row[_A] or fit > row[_A + 1]):
                self._heard(row, place, index, mention, fit)
            elif mention.text > 1 and (not row[_E] or fit > row[_E + 1] + 1):
                self._heard_before(row, place, index, mention, fit)

    def _said(self, row: Any, place: int, index: int, mention: Mention, fit: float) -> None:
        standing, stretch = self._standing, mention.stretch
        row[_U : _U + 10] = (
            1.0,
            stretch.lax,
            fit,
            fit - standing.rival[place][index],
            standing.rank[place][index],
            standing.outside[place][index],
            standing.user[place][index],
            stretch.last - stretch.first,
            stretch.start / max(1, len(self.texts[0])),
            row[_U + 9] + 1,
        )
        row[AT["u_date"] : AT["u_date"] + len(KINDS)] = [stretch.kind == kind for kind in KINDS]

    def _heard(self, row: Any, place: int, index: int, mention: Mention, fit: float) -> None:
        standing, stretch, text = self._standing, mention.stretch, self.texts[1]
        asks = text.rfind("?")
        row[_A : _A + 10] = (
            1.0,
            fit,
            fit - standing.rival[place][index],
            standing.rank[place][index],
            asks > stretch.end and "." not in text[stretch.end : asks],
            stretch.lax,
            row[_A + 6] + 1,
            standing.heard[place][index],
            stretch.kind == "place",
            stretch.kind == "name",
        )

    def _heard_before(self, row: Any, place: int, index: int, mention: Mention, fit: float) -> None:
        standing = self._standing
        newer = {
            one.key
            for other, one in enumerate(self.mentions)
            if 0 < one.text < mention.text and standing.fit[other][index] > max(0.0, fit - 2)
        }
        did = done(self.models, self.texts[mention.text])
        row[_E : _E + 11] = (
            1.0,
            fit,
            fit - standing.rival[place][index],
            mention.text - 1,
            len(newer - {mention.key}),
            mention.stretch.lax,
            did[0],
            did[2],
            did[3],
            mention.stretch.kind == "place",
            mention.stretch.kind == "name",
        )

    @cached_property
    def _carries(self) -> dict[str, list[float]]:
        """For the slot of every held value, how likely it goes over to each slot."""
        lefts = Side([numbers(path_features(path)) for path, _, _ in self.others])
        scores = self.models.carries.scores(lefts, self.rights).tolist()
        return {path: scores[i] for i, (path, _, _) in enumerate(self.others)}

    @cached_property
    def _held_fits(self) -> dict[str, list[float]]:
        """For what is held, by itself, how well it fits each slot."""
        values = list(dict.fromkeys(words for _, words, _ in self.others))
        lefts = Side([numbers(value_features(self.models.tagger, value)) for value in values])
        return dict(zip(values, self.models.fits.scores(lefts, self.rights).tolist(), strict=True))

    def _held_fit(self, value: str) -> list[float]:
        """How well a value by itself fits each slot."""
        if value not in self._held_fits:
            left = Side([numbers(value_features(self.models.tagger, value))])
            self._held_fits[value] = self.models.fits.scores(left, self.rights)[0].tolist()
        return self._held_fits[value]

    def _carry(self, path: str, index: int) -> float:
        return self._carries[path][index]

    def _held_features(self, row: Any, candidate: Candidate, index: int) -> None:
        spec = self.every[index]
        ages = {path: age for path, _, age in self.others}
        best = -9.0
        at = AT["h"]
        for path in candidate.held:
            if path == spec.path:
                continue
            logit = self._carry(path, index)
            if logit > best:
                best = logit
                row[at : at + 5] = [
                    1.0, logit, float(path.split(".")[-1] == spec.name), float(path.split(".")[0] == spec.domain),
                    min(40, ages[path]),
                ]  # fmt: skip
        row[at + 5] = len(candidate.held)
        others = [self._carry(path, index) for path, words, _ in self.others if path != spec.path and words]
        if best > -9:
            row[at + 8] = self._held_fit(candidate.value)[index]
            row[at + 9] = row[at + 8] - max(self._held_fit(words)[index] for _, words, _ in self.others)
        if best > -9 and others:
            row[at + 6] = best - max(others)
            row[at + 7] = sum(other > best for other in others)

    def _common(self, row: Any, key: str, one: Candidate, held: str | None) -> None:
        index, value = one.slot, one.value
        shown = plain(held) if held and held != ANY else ""
        ruled = [plain(one) for one in self._ruled(index)]
        elsewhere = {
            plain(told(one))
            for path, values in self.rules.items()
            if path != self.every[index].path
            for one in values
            if one is not DONTCARE
        }
        at = AT["rule"]
        if one.canonical is not None:
            ruled = [key if value == one.canonical else "" for value in self.rules.get(self.every[index].path, ())]
        row[at : at + 6] = [
            key in ruled,
            bool(ruled) and key not in ruled,
            key in elsewhere,
            self.is_held(one),
            bool(shown) and key != shown and key in shown,
            bool(shown) and key != shown and shown in key,
        ]
        row[AT["digits"]] = float(any(char.isdigit() for char in value))
        row[AT["words"]] = min(8, value.count(" ") + 1)
        row[AT["value_seen"]] = sum(plain(words) == key for _, words, _ in self.others)
        row[AT["offered"]] = float(
            any(
                offer.path == self.every[index].path and plain(told(offer.value)) == key
                for offer in self.request.offers
            )
        )

    def _options(self, index: int, options: Sequence[str]) -> list[tuple[Candidate, Any]]:
        """Options of a slot that something speaks for."""
        spec = self.every[index]
        stems, known = self.user_stems
        logits = self._option_logits[index]
        order = sorted(range(len(options)), key=lambda place: -logits[place])
        system = stems_of(self.request.assistant)
        heard = frozenset(system)
        past = [(stems_of(text), frozenset(stems_of(text))) for text in self.texts[2:]]
        users = [option_match(option, stems, known) for option in options]
        held = self.held[index]
        ruled = {plain(one) for one in self._ruled(index)}
        rows: list[tuple[Candidate, Any]] = []
        for place, option in enumerate(options):
            row = np.zeros(len(NAMES))
            earlier, ago = 0.0, 0
            if spec.kind != "boolean":
                for back, (words, theirs) in enumerate(past):
                    if (match := option_match(option, words, theirs)) > earlier:
                        earlier, ago = match, back + 1
            said = option_match(option, system, heard) if spec.kind != "boolean" else 0.0
            candidate = Candidate(index, option, int(option) if spec.kind == "integer" else None)
            key = plain(option)
            if spec.kind != "boolean":
                candidate.held = [path for path, words, _ in self.others if plain(words) == key]
            rank = order.index(place)
            speaks = users[place] or said or earlier or candidate.held or key in ruled or held == option
            if not speaks and not (rank < 2 and logits[place] > FLOOR):
                continue
            rival = max((logits[other] for other in range(len(options)) if other != place), default=-8.0)
            row[AT["o_user"] : AT["o_user"] + 9] = [
                users[place], said, logits[place], rank, logits[place] - rival, earlier, len(options),
                users[place] - max((users[other] for other in range(len(options)) if other != place), default=0.0), ago,
            ]  # fmt: skip
            candidate.mentions = (
                self._by_stems.get(" ".join(option_words(option)), []) if spec.kind != "boolean" else []
            )
            self._mention_features(row, candidate, index)
            self._held_features(row, candidate, index)
            self._common(row, key, candidate, held)
            rows.append((candidate, row))
        if held == ANY or self._any_is_meant(index):
            rows.append((Candidate(index, ANY), self._any_row(index, held)))
        _rank(rows, ("best_fit", "fit_rank"))
        return rows


_SLOT: Final = AT["text"]
_U: Final = AT["u"]
_A: Final = AT["a"]
_E: Final = AT["e"]
FLOOR: Final = -4.0
"""Logits below this are not worth a row."""
LENIENT: Final = 2.5
"""What the user has just said may fit less well."""
_ANY_WORDS: Final = frozenset(
    "any anything anywhere anytime whatever whichever whenever care matter matters mind prefer preference flexible "
    "open".split()
)
_REFERS: Final = frozenset("there that it same those them this one".split())


def _rank(rows: list[tuple[Candidate, Any]], names: tuple[str, str]) -> None:
    """How each row of a slot stands among the others by its best evidence."""
    worth = [_evidence(row) for _, row in rows]
    for (_, row), mine in zip(rows, worth, strict=True):
        row[AT["rivals"]] = len(rows)
        row[AT[names[0]]] = mine - max(worth)
        row[AT[names[1]]] = sum(other > mine for other in worth)


def _evidence(row: Any) -> float:
    """The best that speaks for a candidate: said by the user, else by the assistant, else earlier or elsewhere."""
    return max(
        row[AT["u_fit"]] if row[_U] else -9,
        row[AT["a_fit"]] - 1 if row[_A] else -9,
        row[AT["e_fit"]] - 2 if row[_E] else -9,
        row[AT["h_logit"]] - 2 if row[AT["h"]] else -9,
        4 * row[AT["o_user"]] + row[AT["o_logit"]] if row[AT["o_count"]] else -9,
    )
