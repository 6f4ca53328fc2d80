"""What of a conversation may be shown: the values of sensitive slots are masked wherever they stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final, cast

from slotstate.contract import MASK
from slotstate.domains import Domains
from slotstate.errors import UnknownPath
from slotstate.events import AssistantTurn, Decided, Filled, Offer, Offered, Overwritten, Pended, Rejected
from slotstate.log import Entry
from slotstate.parsing import Folded, Span, find_all, fold
from slotstate.slots import Json, SlotSpec
from slotstate.state import State
from slotstate.values import Reading, find, same

_LONG: Final = 6
"""A secret of this many characters is masked inside longer words too."""


class Secrets:
    """What the sensitive slots of a log hold, held, were offered or refused, and the words that it came from."""

    def __init__(self, domains: Domains, entries: Iterable[Entry] = (), *, now: datetime, reveal: bool = False) -> None:
        self._domains = domains
        self._reading = Reading(now, negated=True)
        self._values: dict[str, list[Json]] = {}
        self._words: dict[str, None] = {}
        self._sensitive = {path: spec for path, spec in domains.specs.items() if spec.slot.sensitive and not reveal}
        if self._sensitive:
            self.learn(entries)

    @property
    def version(self) -> int:
        """How many secrets are known."""
        if not self._sensitive:
            return 0
        return len(self._words) + sum(len(values) for values in self._values.values())

    def learn(self, entries: Iterable[Entry]) -> None:
        """Take in more of the log."""
        for entry in entries if self._sensitive else ():
            match entry.event:
                case Decided() as event if self.hides(event.path):
                    self._learn_decision(event, self._domains.resolve(event.path)[0].path)
                case AssistantTurn(offers=offers):
                    self._learn_offers(offers)
                case Offered(offer=offer):
                    self._learn_offers([offer])
                case _:
                    pass

    def hides(self, path: str) -> bool:
        """Whether the slot that `path` names, or goes into, is sensitive."""
        try:
            return self._domains.resolve(path)[0].path in self._sensitive
        except UnknownPath:
            return False

    def spans(self, text: str) -> list[Span]:
        """Where secrets stand in `text`, sorted, none inside or across another."""
        if not self._words or not text:
            return []
        folded = fold(text)
        found = [span for word in self._words for span in _places(word, folded)]
        found += [
            span for path, values in self._values.items() for span in self._written(self._sensitive[path], values, text)
        ]
        return _merged(found)

    def mask(self, text: str) -> str:
        """`text` with its secrets replaced."""
        for start, end in reversed(self.spans(text)):
            text = text[:start] + MASK + text[end:]
        return text

    def learn_state(self, state: State) -> None:
        """Take in what the slots of a state hold, held, wait for or were offered."""
        for path in self._sensitive:
            slot = state.slot(path)
            pending = slot.pending.values if slot.pending is not None else ()
            helds = (*slot.history, slot.held)
            self._learn_values(path, [*(held.value for held in helds), *pending])
            self._words.update(dict.fromkeys(held.raw for held in helds if held.raw and held.source != "offer"))
            self._learn_offers(slot.offers)

    def _learn_decision(self, event: Decided, path: str) -> None:
        values = [event.value, event.old]
        if isinstance(event, Pended):
            values += event.values
        self._learn_values(path, values)
        raw = event.raw if isinstance(event, Filled | Overwritten) and event.source != "offer" else None
        refused = event.quote if isinstance(event, Rejected) and event.reason == "invalid_value" else None
        self._words.update(
            dict.fromkeys(word for word in (raw, refused) if word and word.strip() and not event.dontcare)
        )

    def _learn_offers(self, offers: Sequence[Offer]) -> None:
        for offer in offers:
            if offer.path in self._sensitive:
                self._learn_values(offer.path, [offer.value])

    def _learn_values(self, path: str, values: Iterable[Json]) -> None:
        known = self._values.setdefault(path, [])
        for value in values:
            if value is not None and value != "dontcare" and value not in known:
                known.append(value)
                self._words.update(dict.fromkeys(word for word in _texts(value) if word.strip()))

    def _written(self, spec: SlotSpec, values: Sequence[Json], text: str) -> Iterator[Span]:
        """Where the values stand in another spelling, such as a phone number with spaces."""
        if spec.kind in {"list", "composite", "map", "boolean", "text"}:
            return
        for found in find(spec, text, self._reading):
            if any(same(spec, one, value) for one in found.values for value in values):
                yield found.span


def _places(word: str, folded: Folded) -> Iterator[Span]:
    yield from find_all(word, folded)
    if len(word) >= _LONG:
        at = folded.original.find(word)
        while at >= 0:
            yield at, at + len(word)
            at = folded.original.find(word, at + len(word))


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _texts(value: Json) -> Iterator[str]:
    match value:
        case dict():
            for part in cast(dict[str, Json], value).values():
                yield from _texts(part)
        case list():
            for part in cast(Sequence[Json], value):
                yield from _texts(part)
        case None | bool():
            return
        case _:
            yield str(value)
