"""Plays annotated dialogues turn by turn on a state of the extractor's own, to see what it is shown there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from slotstate.decide import asked_slots
from slotstate.domains import Domain, Domains
from slotstate.extract import Request, shown_domains
from slotstate.extractors.builtin.combined import proposals
from slotstate.extractors.builtin.extractor import RulesExtractor
from slotstate.extractors.builtin.learned.known import ANY, Candidate
from slotstate.extractors.builtin.learned.models import Models
from slotstate.extractors.builtin.learned.view import View
from slotstate.extractors.builtin.learned.words import TYPED, plain
from slotstate.extractors.builtin.learned.words import items_of as items_held
from slotstate.slots import SlotSpec
from slotstate.state import MAX_EARLIER, MAX_EARLIER_CHARS, Heard, Held, SlotState, State
from training.golds import Gold, is_right, items_of, value_of

NOW: Final = datetime(2019, 3, 1, 9, tzinfo=UTC)
RULES: Final = RulesExtractor()


@dataclass(frozen=True)
class Played:
    """A dialogue ready to be played: for every user turn the words before it and in it, the gold state after it, and
    the domains that it is about (none where nobody says). `unknown` are, turn by turn, the slots of which nobody says
    what they hold: nothing is learned of them there. Empty where all is said.
    """

    domains: Domains
    turns: Sequence[tuple[str, str, Gold, frozenset[str]]]
    now: datetime = NOW
    unknown: Sequence[frozenset[str]] = ()

    def unknown_in(self, index: int) -> frozenset[str]:
        """The slots of which nobody says what they hold after a user turn."""
        return self.unknown[index] if self.unknown else frozenset()


@dataclass
class Player:
    """One run through a dialogue; `put` moves the state on."""

    dialogue: Played
    given: bool = False
    slots: dict[str, SlotState] = field(default_factory=dict)
    turn: int = 0

    def views(self, models: Models) -> Iterator[tuple[View, list[Candidate], Any, Gold]]:
        """Every user turn as the scorer sees it, with the gold state after it."""
        earlier: list[str] = []
        for index, (assistant, user, gold, about) in enumerate(self.dialogue.turns):
            self.turn = 2 * index + 1
            request = self._request(assistant, user, about if self.given else frozenset(), earlier)
            view = View(request, models, proposals(RULES.extract(request).changes))
            candidates, rows = view.rows()
            yield view, candidates, rows, gold
            if assistant:
                earlier.append(assistant[-MAX_EARLIER_CHARS:])

    def _request(self, assistant: str, user: str, about: frozenset[str], earlier: Sequence[str]) -> Request:
        heard = Heard(self.turn - 1, assistant) if assistant else None
        before = tuple(earlier[-MAX_EARLIER:])
        state = State(
            MappingProxyType(dict(self.slots)), self.turn + 1, heard=heard, user_turn=self.turn, earlier=before
        )
        asked = asked_slots(self.dialogue.domains, heard)
        domains = shown_domains(self.dialogue.domains, state, asked, about)
        return Request(
            domains, state, (), assistant, user, self.dialogue.now, "UTC", asked, turn=self.turn, earlier=before
        )  # fmt: skip

    def put(self, spec: SlotSpec, value: str) -> None:
        """Let a slot hold a value, given in words; words that are no value of a date, a number and their like are not
        held, as in no tracker.
        """
        held: Any = None if value == ANY else value == "True" if spec.kind == "boolean" else value
        if value != ANY and spec.kind in TYPED:
            held = value_of(spec, value, self.dialogue.now)
            if held is None:
                return
        if value != ANY and spec.kind == "list":
            slot = self.slots.get(spec.path)
            before = items_held(slot.held.value) if slot is not None and not slot.held.dontcare else []
            held = [*before, value]
        self.slots[spec.path] = SlotState(
            Held("filled", held, value == ANY, raw=None if value == ANY else value), changed=self.turn
        )

    def teach(self, gold: Gold, view: View, candidates: Sequence[Candidate]) -> None:
        """Let every slot hold its gold value, in the wording that was met."""
        for path, values in gold.items():
            spec = self.dialogue.domains.specs[path]
            value = ANY if values[0] == "dontcare" else values[0]
            slot = self.slots.get(path)
            if spec.kind == "list" and value != ANY:
                known = set(map(plain, items_held(slot.held.value))) if slot is not None else set()
                for item in items_of(value):
                    if plain(item) not in known:
                        self.put(spec, item)
                continue
            now = self.dialogue.now
            if slot is not None and (slot.held.dontcare if value == ANY else is_right(spec, _words(slot), gold, now)):
                continue
            met = [one.value for one in candidates if view.every[one.slot] is spec and one.value in values]
            self.put(spec, met[0] if met and spec.kind == "text" else value)

    def follow(self, view: View, candidates: Sequence[Candidate], scores: Any) -> None:
        """Let every slot hold what the scores are for."""
        best: dict[int, int] = {}
        for place, one in enumerate(candidates):
            if view.every[one.slot].kind == "list":
                if scores[place] > 0 and not view.is_held(one):
                    self.put(view.every[one.slot], one.value)
                continue
            if one.slot not in best or scores[place] > scores[best[one.slot]]:
                best[one.slot] = place
        for slot, place in best.items():
            if scores[place] > 0 and not view.is_held(candidates[place]):
                self.put(view.every[slot], candidates[place].value)


def _words(slot: SlotState) -> str:
    value = slot.held.value
    return ("True" if value else "False") if isinstance(value, bool) else slot.held.raw or str(value)


def is_known(view: View, candidates: Sequence[Candidate], unknown: frozenset[str]) -> Any:
    """For every candidate whether somebody says what its slot holds."""
    return np.array([view.every[one.slot].path not in unknown for one in candidates], bool)


def labels(view: View, candidates: Sequence[Candidate], gold: Gold) -> Any:
    """For every candidate whether it is right."""
    now = view.request.now
    return np.array([is_right(view.every[one.slot], one.value, gold, now, one.canonical) for one in candidates], bool)


def domains_of(domains: Sequence[Domain]) -> Domains:
    """Domains as a tracker holds them."""
    return Domains(domains)
