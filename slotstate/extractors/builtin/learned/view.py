"""A turn as the scorer sees it: candidates for every slot, each with its features."""

from __future__ import annotations

import operator
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np

from slotstate.errors import InvalidValue
from slotstate.extractors.builtin.learned.columns import AT, NAMES
from slotstate.extractors.builtin.learned.known import ANY, Candidate, Known, Mention
from slotstate.extractors.builtin.learned.lefts import (
    slot_features,
)
from slotstate.extractors.builtin.learned.looking import (
    done,
)
from slotstate.extractors.builtin.learned.nearness import are_alike, sorts_at, spec_sorts, told_of
from slotstate.extractors.builtin.learned.tagger import KINDS
from slotstate.extractors.builtin.learned.tokens import content, tokenize
from slotstate.extractors.builtin.learned.words import (
    NOTHING,
    TYPED,
    is_without,
    met_in,
    might_match,
    option_match,
    option_words,
    options_for,
    plain,
    singles_of,
    stands_exactly,
    stems_of,
)
from slotstate.parsing import dont_care, fold
from slotstate.slots import SlotSpec
from slotstate.values import Reading, direction, normalise


class View(Known):
    """One turn as a table: a row for each candidate of each slot."""

    def rows(self) -> tuple[list[Candidate], Any]:
        """The candidates of all slots and their features, a row each."""
        candidates: list[Candidate] = []
        parts: list[Any] = []
        slots: list[list[float]] = []
        counts: list[int] = []
        for index in self.fillable:
            options = options_for(self.every[index])
            found = self._text_values(index) if options is None else self._options(index, options)
            if found:
                slots.append(self._slot_row(index))
                counts.append(len(found))
                candidates += [candidate for candidate, _ in found]
                parts += [row for _, row in found]
        if not parts:
            return [], np.zeros((0, len(NAMES)))
        table = np.empty((len(parts), len(NAMES)))
        table[:, :_SLOT] = self._general()
        table[:, _SLOT:_FIRST] = np.repeat(np.array(slots, np.float64), counts, axis=0)
        table[:, _FIRST:] = np.array(parts, np.float64)
        _rank(table, np.array(counts))
        return candidates, np.round(table, 4)

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

    def _slot_row(self, index: int) -> list[float]:
        spec = self.every[index]
        slot = self.request.state.slots.get(spec.path)
        asked, told, free = self._slot_lists
        held = self.held[index]
        by_route, named, topic = self._domain_rows[spec.domain]
        words = content(spec.label)
        stems, system, most = self.user_stems[1], self._system_stems, self._most_asked
        shown = plain(held) if held and held != ANY else ""
        few = options_for(spec) is not None
        return [
            float(spec.kind != "boolean" and not few),
            float(spec.kind != "boolean" and few),
            float(spec.kind == "boolean"),
            0.0,
            float(spec.required),
            float(spec.path in self.request.asked),
            float(self.request.asked[0] == spec.path) if self.request.asked else 0.0,
            float(spec.path in self._offered),
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
            *by_route,
            named,
            most,
            free[index],
            float(len(self.every)),
            *spec_sorts(spec),
            told_of(spec, self.request.user),
            told_of(spec, self.request.assistant),
            *topic,
        ]

    @cached_property
    def _system_stems(self) -> frozenset[str]:
        return frozenset(stems_of(self.request.assistant))

    @cached_property
    def _most_asked(self) -> float:
        return max(self._slot_lists[0], default=-6.0)

    @cached_property
    def _domain_rows(self) -> dict[str, tuple[tuple[float, ...], float, tuple[float, ...]]]:
        """What the slots of a domain have in common: its route and use, whether it is named, what the turn is about."""
        stems = self.user_stems[1]
        found: dict[str, tuple[tuple[float, ...], float, tuple[float, ...]]] = {}
        for name in (domain.name for domain in self.domains):
            count, age, rank = self._domain_facts[name]
            named = float(any(word in stems for word in content(name.replace("_", " "))))
            found[name] = (*self._routed[name], rank, count, age), named, self.topical[name]
        return found

    @cached_property
    def _fitting(self) -> list[list[str]]:
        """For each slot what was mentioned and is not far from fitting."""
        found: list[list[str]] = [[] for _ in self.every]
        if self._values:
            keys, groups = list(self._values), list(self._values.values())
            user = np.array([LENIENT if one.text == 0 else 0.0 for one in self.mentions])
            lenient = (self.fits + user[:, None])[np.concatenate(groups)]
            starts = np.cumsum([0, *map(len, groups[:-1])])
            best = np.maximum.reduceat(lenient, starts, axis=0)
            floor = FLOOR
            if best.size > MAX_PAIRS:  # in a usual turn there are some tens
                floor = max(FLOOR, float(np.partition(best, best.size - MAX_PAIRS, axis=None)[-MAX_PAIRS]))
            for key, slot in np.argwhere(best >= floor).tolist():
                found[slot].append(keys[key])
        return found

    @cached_property
    def _newest(self) -> dict[str, str]:
        """What was mentioned, in the words in which it was mentioned last."""
        return {
            key: self.mentions[
                min(places, key=lambda one: (self.mentions[one].text, self.mentions[one].stretch.lax))
            ].words
            for key, places in self._values.items()
        }

    def _text_values(self, index: int) -> list[tuple[Candidate, Any]]:
        """Values for a free slot: what was mentioned and is not far from fitting, and what other slots hold."""
        found: dict[str, Candidate] = {}
        for key in self._fitting[index]:
            found[key] = Candidate(index, self._newest[key], mentions=self._values[key])
        spec = self.every[index]
        for path, words, key in self._held_keys:
            if key not in found:
                logit = 0.0 if path == spec.path else self._carry(path, index)
                if logit < FAR or (logit < FLOOR and not are_alike(path, spec)):
                    continue
                found[key] = Candidate(index, words)
            found[key].held.append(path)
        held = self.held[index]
        rows = []
        for key, one in found.items():
            if spec.kind in TYPED and not self._typed(spec, one):
                continue
            row = [0.0] * _WIDTH
            self._mention_features(row, one, index)
            self._held_features(row, one, index)
            self._common(row, key, one, held)
            rows.append((one, row))
        if held == ANY or self._any_is_meant(index):
            rows.append((Candidate(index, ANY), self._any_row(index, held)))
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

    def _any_row(self, index: int, held: str | None) -> Any:
        row = [0.0] * _WIDTH
        stems, places = self.user_stems[0], self._any_places
        near = {word for place in places for word in stems[max(0, place - 4) : place + 6]}
        words = slot_features(self.every[index])
        row[_OWN["any_near"]] = sum(word in near for word in words)
        row[_OWN["any"]] = 1.0
        row[_OWN["same_held"]] = float(held == ANY)
        row[_OWN["rule"]] = float(ANY in self._ruled(index))
        return row

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
        row[_U : _U + 14] = (
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
            near := self._near[place][index],
            near - self._near_rivals[place][index],
            near - self._near_best[index],
            self._insides[place][index],
        )
        row[_OWN["u_date"] : _OWN["u_date"] + len(KINDS)] = [stretch.kind == kind for kind in KINDS]

    def _heard(self, row: Any, place: int, index: int, mention: Mention, fit: float) -> None:
        standing, stretch, text = self._standing, mention.stretch, self.texts[1]
        asks = text.rfind("?")
        row[_A : _A + 12] = (
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
            near := self._near[place][index],
            near - self._near_rivals[place][index],
        )

    def _heard_before(self, row: Any, place: int, index: int, mention: Mention, fit: float) -> None:
        standing = self._standing
        newer = {key for text, key, other in self._strong[index] if text < mention.text and other > max(0.0, fit - 2)}
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

    def _held_features(self, row: Any, candidate: Candidate, index: int) -> None:
        at = _OWN["h"]
        row[at + 5] = len(candidate.held)
        if not candidate.held:
            return
        spec, ages, best = self.every[index], self._ages, -9.0
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
        sources = [path for path in candidate.held if path != spec.path]
        named = [near for path in sources if (near := self._homes_named.get(path.split(".")[0])) is not None]
        row[at + 10 : at + 15] = [
            any(are_alike(path, spec) for path in sources),
            any("origin" in sorts_at(path) for path in sources),
            any("destination" in sorts_at(path) for path in sources),
            bool(named),
            max((near[index] for near in named), default=0.0),
        ]
        others = self._carried_to(index)
        if best > -9:
            row[at + 8] = self._held_fit(candidate.value)[index]
            row[at + 9] = row[at + 8] - self._best_held_fit[index]
        if best > -9 and others:
            row[at + 6] = best - others[0]
            row[at + 7] = bisect_left(others, -best, key=operator.neg)

    def _common(self, row: Any, key: str, one: Candidate, held: str | None) -> None:
        index, value = one.slot, one.value
        shown = plain(held) if held and held != ANY else ""
        path = self.every[index].path
        ruled = [plain(one) for one in self._ruled(index)]
        at = _OWN["rule"]
        if one.canonical is not None:
            ruled = [key if value == one.canonical else "" for value in self.rules.get(path, ())]
        row[at : at + 6] = [
            key in ruled,
            bool(ruled) and key not in ruled,
            bool(self._ruled_for.get(key, _NOWHERE) - {path}),
            self.is_held(one),
            bool(shown) and key != shown and key in shown,
            bool(shown) and key != shown and shown in key,
        ]
        row[_OWN["digits"]] = float(any(map(str.isdigit, value)))
        row[_OWN["words"]] = min(8, value.count(" ") + 1)
        row[_OWN["value_seen"]] = self._times_held.get(key, 0)
        row[_OWN["offered"]] = float((path, key) in self._offers)

    @cached_property
    def _held_keys(self) -> list[tuple[str, str, str]]:
        """What is held anywhere, of very much the newest: path, words, and what they say."""
        others = self.others
        if len(others) > MAX_HELD:
            others = sorted(others, key=lambda one: one[2])[:MAX_HELD]
        return [(path, words, plain(words)) for path, words, _ in others]

    @cached_property
    def _words_before(self) -> frozenset[str]:
        """The words of the assistant's turns before its last, as those of options are compared with them."""
        return frozenset(word for text in self.texts[2:] for word in met_in(text))

    def _told_options(self, options: Sequence[str]) -> tuple[list[bool], list[float]]:
        """For each option whether the user says it word for word, and how much of it the user says."""
        words = met_in(self.request.user)
        known = frozenset(words)
        singles = singles_of(self.request.user)
        doing = {one for word, one in zip(singles, words, strict=True) if word.endswith("ing")}
        exact = [stands_exactly(option, singles) for option in options]
        users = [1.0 if option in self._years else option_match(option, words, known) for option in options]
        return exact, [
            0.0 if not literal and match and _is_another_form(option, doing) else match
            for option, match, literal in zip(options, users, exact, strict=True)
        ]

    def _options(self, index: int, options: Sequence[str]) -> list[tuple[Candidate, Any]]:
        """Options of a slot that something speaks for."""
        spec = self.every[index]
        stems = self.user_stems[0]
        logits = self._option_logits[index]
        flagged = spec.kind == "boolean"
        system = stems_of(self.request.assistant)
        spoken = met_in(self.request.assistant)
        heard = frozenset(spoken)
        past = [(words := met_in(text), frozenset(words)) for text in self.texts[2:]]
        spoken_of = self._words_before
        exact, users = self._told_options(options)
        ranks, rivals, others = _ranks(logits), _rivals(logits, -8.0), _rivals(users, 0.0)
        held = self.held[index]
        ruled = {plain(one) for one in self._ruled(index)}
        about = content(spec.label)
        without = 1.0 if is_without(stems, about) else 0.5 if is_without(system, about) else 0.0
        meant = flagged and told_of(spec, self.request.user) >= HALF
        rows: list[tuple[Candidate, Any]] = []
        for place, option in enumerate(options):
            earlier, ago = 0.0, 0
            if not flagged and might_match(option, spoken_of):
                for back, (words, theirs) in enumerate(past):
                    if (match := option_match(option, words, theirs)) > earlier:
                        earlier, ago = match, back + 1
            said = 0.0 if flagged else option_match(option, spoken, heard)
            key = plain(option)
            holding = [] if flagged else [path for path, _, other in self._held_keys if other == key]
            flag = 0.0 if not flagged else 1.0 if option == "True" else -1.0
            none = without if key in NOTHING or flag else 0.0
            spoken_for = users[place] or said or earlier or (none and not flag) or meant
            speaks = spoken_for or holding or key in ruled or held == option
            if not speaks and not (ranks[place] < 2 and logits[place] > FLOOR):
                continue
            candidate = Candidate(index, option, int(option) if spec.kind == "integer" else None, held=holding)
            row = [0.0] * _WIDTH
            row[_OWN["o_user"] : _OWN["o_user"] + 13] = [
                users[place], said, logits[place], ranks[place], logits[place] - rivals[place], earlier, len(options),
                users[place] - others[place], ago, exact[place], none, flag,
                self._sharers[spec.domain, option_words(option)],
            ]  # fmt: skip
            candidate.mentions = [] if flagged else self._by_stems.get(" ".join(option_words(option)), [])
            self._mention_features(row, candidate, index)
            self._held_features(row, candidate, index)
            self._common(row, key, candidate, held)
            rows.append((candidate, row))
        if held == ANY or self._any_is_meant(index):
            rows.append((Candidate(index, ANY), self._any_row(index, held)))
        return rows


def _ranks(worths: Sequence[float]) -> list[int]:
    """The place of each in order, from the greatest on."""
    ranks = [0] * len(worths)
    for rank, place in enumerate(sorted(range(len(worths)), key=lambda place: -worths[place])):
        ranks[place] = rank
    return ranks


def _rivals(worths: Sequence[float], none: float) -> list[float]:
    """For each the greatest of the others; `none` where there is no other."""
    if len(worths) < 2:
        return [none] * len(worths)
    second, first = sorted(worths)[-2:]
    found = [first] * len(worths)
    found[worths.index(first)] = second
    return found


def _is_another_form(option: str, doing: set[str]) -> bool:
    """Whether an option of one word is not what its stem stands for: "check" is not "checking", "parking" no "park"."""
    return " " not in option and (option.endswith("ing") or not doing.isdisjoint(option_words(option)))


_NOWHERE: Final[frozenset[str]] = frozenset()
_SLOT: Final = AT["text"]
_FIRST: Final = AT["u"]
"""Columns before this are the same for all candidates of a slot."""
_OWN: Final = {name: place - _FIRST for name, place in AT.items() if place >= _FIRST}
_WIDTH: Final = len(_OWN)
_U: Final = _OWN["u"]
_A: Final = _OWN["a"]
_E: Final = _OWN["e"]
FLOOR: Final = -4.0
"""Logits below this are not worth a row."""
MAX_PAIRS: Final = 2000
"""Of a value that was mentioned and a slot that it fits, the best: what is long and has many slots costs no more."""
MAX_HELD: Final = 60
HALF: Final = 0.5
"""The share of the words of a yes/no slot's name that makes it one to look at."""
FAR: Final = -9.0
"""The same where both slots are about the same sort of thing."""
LENIENT: Final = 2.5
"""What the user has just said may fit less well."""
_REFERS: Final = frozenset("there that it same those them this one".split())


def _rank(table: Any, counts: Any) -> None:
    """How each row of a slot stands among the others by its best evidence. `counts` are the rows of each slot."""
    worth = _evidence(table)
    owners = np.repeat(np.arange(len(counts)), counts)
    best = np.maximum.reduceat(worth, np.cumsum(counts) - counts)
    table[:, AT["rivals"]] = counts[owners]
    table[:, AT["best_fit"]] = worth - best[owners]
    table[:, AT["fit_rank"]] = ((owners[:, None] == owners) & (worth > worth[:, None])).sum(axis=1)


def _evidence(table: Any) -> Any:
    """The best that speaks for candidates: said by the user, else by the assistant, else earlier or elsewhere."""

    def told(name: str, worth: Any) -> Any:
        return np.where(table[:, AT[name]] != 0, worth, -9.0)

    return np.max(
        [
            told("u", table[:, AT["u_fit"]]),
            told("a", table[:, AT["a_fit"]] - 1),
            told("e", table[:, AT["e_fit"]] - 2),
            told("h", table[:, AT["h_logit"]] - 2),
            told("o_count", 4 * table[:, AT["o_user"]] + table[:, AT["o_logit"]]),
        ],
        axis=0,
    )
