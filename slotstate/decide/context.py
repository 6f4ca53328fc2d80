"""What a user turn is judged by: its words, the moment, and what the assistant said before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Final

from slotstate.domains import Domains
from slotstate.events import Offer
from slotstate.extract import cut_middle
from slotstate.parsing import Folded, asks, corrects, find, fold, sentences, telling
from slotstate.slots import SlotSpec
from slotstate.state import Heard, SlotState
from slotstate.values import Reading, currency_of, direction

MAX_CUE_CHARS: Final = 4_000


@dataclass(frozen=True, slots=True)
class Said:
    """A user turn: the index of its message, its text, the time in the user's zone, what the assistant said before it,
    the slots that this asked for, whether it is the first answer to that (`fresh`), and what the slots held before.
    """

    turn: int
    text: str
    now: datetime
    heard: Heard | None
    asked: tuple[str, ...] = ()
    fresh: bool = True
    before: Mapping[str, SlotState] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def words(self) -> Folded:
        """The turn's words in which cues are looked for: all of them, or the ends of a very long text."""
        return fold(cut_middle(self.text, MAX_CUE_CHARS)[0])

    def reading(self, spec: SlotSpec) -> Reading:
        """How words about this slot are read in this turn. A bare number is an amount where one was asked for, and
        where a correction ("make it 300") changes the one that is held.
        """
        asked = spec.path in self.asked
        question = self.heard.text if asked and self.heard else ""
        slot = self.before.get(spec.path)
        held = slot.held.value if slot is not None else None
        changed = spec.kind == "money" and held is not None and corrects(self.words) is not None
        currency = currency_of(spec, question, held) if asked or changed else None
        return Reading(self.now, prefer=direction(spec, question, self.text), asked=asked, currency=currency)

    def offers(self, spec: SlotSpec, slot: SlotState) -> tuple[Offer, ...]:
        """What the last assistant turn offered for a slot, unless that was closed since (taken up, refused)."""
        made = tuple(offer for offer in (self.heard.offers if self.heard else ()) if offer.path == spec.path)
        return made if any(offer in slot.offers for offer in made) else ()


def asked_slots(domains: Domains, heard: Heard | None) -> tuple[str, ...]:
    """The slots that the assistant's last turn asks for: those the application named, else the slots whose question it
    repeats, else those whose name or cue stands in a question of it; small words ("to", 到) do not count.
    """
    if heard is None:
        return ()
    if heard.asks:
        return heard.asks
    text = cut_middle(heard.text, MAX_CUE_CHARS)[0]
    words = fold(text)
    specs = domains.specs.values()
    repeated = tuple(spec.path for spec in specs if spec.slot.ask and find(spec.slot.ask.rstrip("?？ "), words))
    if repeated or not asks(words):
        return repeated
    questions = [question for question in map(fold, sentences(text)) if asks(question)]
    named = [
        spec
        for spec in specs
        if any(find(word, one) for word in (spec.label, *spec.slot.cues) if telling(word) for one in questions)
    ]
    return tuple(spec.path for spec in named)
