"""What is known of a turn, before any candidate is weighed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np

from slotstate.extract import Request
from slotstate.extractors.builtin.learned.lefts import (
    numbers,
    turn_features,
)
from slotstate.extractors.builtin.learned.linear import Side
from slotstate.extractors.builtin.learned.looking import (
    domains_side,
    done,
    fits,
    option_homes,
    options_of,
    options_side,
    path_features,
    rights_of,
    stretches,
    value_features,
    with_acts,
)
from slotstate.extractors.builtin.learned.models import SYSTEM_ACTS, Models
from slotstate.extractors.builtin.learned.nearness import inside, named_at, nearness, topical, words_of
from slotstate.extractors.builtin.learned.standing import Standing, at_home, ranks
from slotstate.extractors.builtin.learned.tagger import Stretch
from slotstate.extractors.builtin.learned.tokens import tokenize
from slotstate.extractors.builtin.learned.words import (
    READ,
    TYPED,
    held_words,
    items_of,
    met_in,
    option_words,
    options_for,
    plain,
    stems_of,
    told,
    years_told,
)
from slotstate.slots import DONTCARE, SlotSpec

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


class Known:
    """What is known of a turn: its mentions, what the slots hold, what the models say. Each is worked out once."""

    def __init__(self, request: Request, models: Models, rules: Mapping[str, Sequence[Any]]) -> None:
        self.request = request
        self.models = models
        self.rules = rules
        self.domains = sorted(
            request.domains.values(), key=lambda domain: domain.name
        )  # what is kept by slots is found
        self.every: list[SlotSpec] = [spec for domain in self.domains for spec in domain.slots.values()]
        self.fillable = [
            index
            for index, spec in enumerate(self.every)
            if spec.slot.evidence != "tool"
            and (spec.kind in READ or spec.kind in TYPED or (models.lists and spec.kind == "list"))
        ]
        self.texts = [request.user, request.assistant, *reversed(request.earlier[-MAX_EARLIER:])]
        self.rights = rights_of(tuple(self.every))
        self._to: dict[int, list[float]] = {}

    @cached_property
    def _sharers(self) -> dict[tuple[str, tuple[str, ...]], int]:
        """How many slots of a domain have an option, by its words."""
        found: dict[tuple[str, tuple[str, ...]], int] = {}
        for spec in self.every:
            for option in options_for(spec) or ():
                key = spec.domain, option_words(option)
                found[key] = found.get(key, 0) + 1
        return found

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
        """Mentions by their words as those of options are compared with them."""
        found: dict[str, list[int]] = {}
        for index, mention in enumerate(self.mentions):
            found.setdefault(" ".join(met_in(mention.words)), []).append(index)
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
        if spec.kind == "list":
            return plain(one.value) in map(plain, items_of(self.request.state.slots[spec.path].held.value))
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
            system = done(self.models, self.request.assistant)
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
        return self.models.routes.scores(self._user_side, domains_side(tuple(self.domains)))[0]

    @cached_property
    def _slot_lists(self) -> list[list[float]]:
        return [logits.tolist() for logits in self.slot_logits]

    @cached_property
    def _routed(self) -> dict[str, tuple[float, float]]:
        """For every domain the logit that the turn is about it, and how many have a higher one."""
        routes = self.routes.tolist()
        return {
            domain.name: (route, float(sum(other > route for other in routes)))
            for domain, route in zip(self.domains, routes, strict=True)
        }

    @cached_property
    def _offered(self) -> frozenset[str]:
        """The slots with open offers."""
        return frozenset(offer.path for offer in self.request.offers)

    @cached_property
    def _user_side(self) -> Side:
        return Side([numbers(self.user_words)])

    @cached_property
    def _option_logits(self) -> dict[int, Any]:
        """For every slot with options, the logit of each."""
        slots = [(index, options) for index in self.fillable if (options := options_for(self.every[index])) is not None]
        rights = options_side(tuple((self.every[index], options) for index, options in slots))
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

    @cached_property
    def _years(self) -> frozenset[str]:
        """The years that the user tells by how long ago they are."""
        return years_told(self.request.user, self.request.now.year)

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
    def option_homes(self) -> Counter[tuple[str, tuple[str, ...]]]:
        """How many slots of a domain ("" for all of them) have an option, by its words."""
        return option_homes(tuple(self.every[index] for index in self.fillable))

    @cached_property
    def topical(self) -> dict[str, tuple[float, float, float, float]]:
        """For each domain how much the user's turn and the assistant's are about it, and how much more than others."""
        domains, found = tuple(self.domains), []
        for text in (self.request.user, self.request.assistant):
            about = topical(domains, text)
            best = sorted(about, reverse=True)[:2]
            rest = [best[-1] if one == best[0] and len(best) > 1 else best[0] for one in about]
            found += [about, [one - other for one, other in zip(about, rest, strict=True)]]
        return {
            domain.name: (user, ahead, heard, before)
            for domain, user, ahead, heard, before in zip(self.domains, *found, strict=True)
        }

    @cached_property
    def _homes_named(self) -> dict[str, list[float]]:
        """The domains with values that the user names ("to the hotel"), and how near to the words of each slot."""
        text, width = self.texts[0], len(self.every)
        found: dict[str, list[float]] = {}
        for home in dict.fromkeys(path.split(".")[0] for path, _, _ in self.others):
            spots = named_at(text, home)
            if spots:
                rows = nearness([(text, one) for one in spots], words_of(tuple(self.every)), width)
                found[home] = rows.max(axis=0).tolist()
        return found

    @cached_property
    def _ranks(self) -> dict[str, Any]:
        asked, told, _ = self.slot_logits
        return {"asked": ranks(asked, self._homes).tolist(), "told": ranks(told, self._homes).tolist()}

    @cached_property
    def _homes(self) -> Any:
        """For each slot the number of its domain: those of a domain follow each other."""
        return np.repeat(np.arange(len(self.domains)), [len(domain.slots) for domain in self.domains])

    @cached_property
    def _values(self) -> dict[str, list[int]]:
        """Mentions by what they say."""
        found: dict[str, list[int]] = {}
        for index, mention in enumerate(self.mentions):
            if mention.key:
                found.setdefault(mention.key, []).append(index)
        return found

    @cached_property
    def _any_places(self) -> list[int]:
        """Where the user's words may say that any value will do."""
        return [i for i, token in enumerate(tokenize(self.request.user)) if token.key in _ANY_WORDS]

    def _ruled(self, index: int) -> list[str]:
        return [ANY if value is DONTCARE else told(value) for value in self.rules.get(self.every[index].path, ())]

    @cached_property
    def _nearness(self) -> Any:
        """How near each mention of the last two turns stands to the words of each slot."""
        words, width = words_of(tuple(self.every)), len(self.every)
        near = [place for place, one in enumerate(self.mentions) if one.text < 2]
        total = np.zeros((len(self.mentions), width), np.float32)
        spots = [(self.texts[self.mentions[place].text], self.mentions[place].stretch) for place in near]
        total[near] = nearness(spots, words, width)
        return total

    @cached_property
    def _strong(self) -> list[list[tuple[int, str, float]]]:
        """For each slot the assistant's mentions that rather fit it: the turn, what it says, the logit."""
        fit = self._standing.fit
        found: list[list[tuple[int, str, float]]] = [[] for _ in self.every]
        places, slots = np.nonzero(self.fits > 0) if self.mentions else ((), ())
        for place, slot in zip(places, slots, strict=True):
            one = self.mentions[place]
            if one.text > 0:
                found[slot].append((one.text, one.key, fit[place][slot]))
        return found

    @cached_property
    def _insides(self) -> list[list[float]]:
        """How much the words of each of the user's mentions are those of each slot."""
        words, none = words_of(tuple(self.every)), [0.0] * len(self.every)
        found: list[list[float]] = []
        for one in self.mentions:
            rows = [words[sense] for sense in inside(one.words) if sense in words] if one.text == 0 else []
            found.append(np.sum(rows, axis=0).tolist() if rows else none)
        return found

    @cached_property
    def _near(self) -> list[list[float]]:
        rows: list[list[float]] = self._nearness.tolist()
        return rows

    @cached_property
    def _near_rivals(self) -> list[list[float]]:
        """The best of the other slots of the domain."""
        rows: list[list[float]] = at_home(self._nearness, self._homes, 0.0)[1].tolist()
        return rows

    @cached_property
    def _near_best(self) -> list[float]:
        """The best of the user's stretches, for each slot."""
        rows = [row for row, one in zip(self._near, self.mentions, strict=True) if one.text == 0]
        return [max(column) for column in zip(*rows, strict=True)] if rows else [0.0] * len(self.every)

    @cached_property
    def _standing(self) -> Standing:
        return Standing(self.fits, [one.text for one in self.mentions], self._homes)

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

    @cached_property
    def _best_held_fit(self) -> list[float]:
        """The best fit of what is held, for each slot."""
        best: list[float] = np.max([self._held_fit(words) for _, words, _ in self.others], axis=0).tolist()
        return best

    @cached_property
    def _ages(self) -> dict[str, int]:
        return {path: age for path, _, age in self.others}

    @cached_property
    def _times_held(self) -> Counter[str]:
        """How many slots hold a value, by what it says."""
        return Counter(plain(words) for _, words, _ in self.others)

    @cached_property
    def _ruled_for(self) -> dict[str, set[str]]:
        """The slots for which the rules read a value, by what it says."""
        found: dict[str, set[str]] = {}
        for path, values in self.rules.items():
            for one in values:
                if one is not DONTCARE:
                    found.setdefault(plain(told(one)), set()).add(path)
        return found

    @cached_property
    def _offers(self) -> frozenset[tuple[str, str]]:
        """The open offers: path and what each says."""
        return frozenset((offer.path, plain(told(offer.value))) for offer in self.request.offers)

    def _carried_to(self, index: int) -> list[float]:
        """How likely what other slots hold goes over to a slot, the likeliest first."""
        if index not in self._to:
            own = self.every[index].path
            logits = (self._carry(path, index) for path, words, _ in self.others if path != own and words)
            self._to[index] = sorted(logits, reverse=True)
        return self._to[index]

    def _carry(self, path: str, index: int) -> float:
        return self._carries[path][index]


_ANY_WORDS: Final = frozenset(
    "any anything anywhere anytime whatever whichever whenever care matter matters mind prefer preference flexible "
    "open".split()
)
