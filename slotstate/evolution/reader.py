"""Reading the log under the present schema: events as they are folded, whatever schema they were written under.

Nothing is written for a change of schema, and no event is altered in the log. So workers with the old and the new
schema may run side by side, each reads what the other wrote, and going back to the old schema brings everything back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, TypeAlias, TypeVar

from slotstate.domains import Domains
from slotstate.events import (
    AnyEvent,
    Aside,
    AssistantTurn,
    Compacted,
    Confirmed,
    Decided,
    Denied,
    Emptied,
    Excluded,
    Extracted,
    Filled,
    Item,
    Offer,
    Offered,
    Overwritten,
    Pended,
    Rejected,
    Reset,
    Restated,
    RolledBack,
    SlotEvent,
    Superseded,
    Unchanged,
    Undone,
)
from slotstate.evolution.fitting import Fit, fit
from slotstate.evolution.shapes import fits, plain_type
from slotstate.frozen import frozen
from slotstate.log import Entry
from slotstate.slots import UNSET, Json, SlotSpec
from slotstate.values import Reading, direction

E = TypeVar("E", bound=Decided)
_Read: TypeAlias = Callable[[Any, datetime], AnyEvent]
_DECISIONS: Final = (Emptied, Denied, Restated, Unchanged, Superseded, Undone)


class Reader:
    """Reads entries under a schema; entries that mean the same under it come back as they are. It keeps nothing of what
    it reads: one serves all sessions and threads of a tracker.
    """

    def __init__(self, domains: Domains) -> None:
        self._domains = domains
        self._specs = domains.specs
        self._renamed = domains.renamed
        self._moved = _moved(domains)
        self._reads: Mapping[type[Any], _Read] = {
            Filled: self._held,
            Overwritten: self._held,
            Confirmed: self._held,
            Excluded: self._excluded,
            Pended: self._pended,
            Rejected: self._rejected,
            **dict.fromkeys(_DECISIONS, self._decided),
            AssistantTurn: self._assistant,
            Offered: self._offered,
            Extracted: self._extracted,
            Compacted: self._compacted,
            RolledBack: self._rolled_back,
            Reset: self._reset,
        }

    def read(self, entry: Entry) -> Entry:
        """The entry as the present schema has it: paths by their present names, values converted where that is certain.
        What has no place any more is marked with `aside`. To read an entry again changes nothing.
        """
        read = self._reads.get(type(entry.event))
        if read is None or entry.logged is not None:
            return entry
        event = read(entry.event, entry.at)
        return entry if event is entry.event else replace(entry, event=event, logged=entry.event)

    # One slot's decisions

    def _held(self, event: Filled | Overwritten | Confirmed, _: datetime) -> AnyEvent:
        spec = self._specs.get(event.path)
        if spec is not None and not event.dontcare and _is_at_home(spec, event):
            return event
        named = self._named(event)
        spec = self._specs.get(named.path)
        if spec is None:
            return named
        if not event.dontcare:
            return _aside(named, event.path, self._fit(spec, event.value, event.at))
        taken = spec.slot.dont_care
        return (
            named
            if taken
            else _aside(named, event.path, Fit(UNSET, why=f"{spec.path}: no preference is no answer any more"))
        )

    def _excluded(self, event: Excluded, _: datetime) -> AnyEvent:
        named = self._named(event)
        spec = self._specs.get(named.path)
        if spec is None:
            return named
        of = spec.element if spec.kind == "list" else spec
        return _aside(named, event.path, self._fit(of, event.value, event.at))

    def _pended(self, event: Pended, _: datetime) -> AnyEvent:
        named = self._named(event)
        spec = self._specs.get(named.path)
        if spec is None or not named.values:
            return named
        kept = tuple(value for one in named.values for value in self._candidate(spec, one, named.at))
        same = list(map(id, kept)) == list(map(id, named.values))
        return named if same else named.model_copy(update={"values": kept})

    def _candidate(self, spec: SlotSpec, value: Json, at: datetime) -> Sequence[Json]:
        """A value that waits for an answer; of a list it may be one item."""
        if value == "dontcare":
            return [value] if spec.slot.dont_care else []
        of = spec.element if spec.kind == "list" and not isinstance(value, list) else spec
        found = self._fit(of, value, at)
        if found.value is UNSET:
            return []
        return [value if found.value is value else frozen(found.value)]

    def _rejected(self, event: Rejected, _: datetime) -> AnyEvent:
        return self._renamed_only(event)

    def _decided(self, event: SlotEvent, _: datetime) -> AnyEvent:
        return event if event.path in self._specs else self._named(event)

    def _named(self, event: E) -> E:
        """The event under the slot's present name; marked where there is no such slot."""
        if event.path in self._specs:
            return event
        renamed = self._renamed_only(event)
        if renamed is not event:
            return renamed
        gone = Aside(
            path=event.path,
            value=event.value,
            rest=event.value,
            whole=True,
            removed=True,
            why=f"{event.path}: no such slot any more",
        )
        return event.model_copy(update={"aside": gone})

    def _renamed_only(self, event: E) -> E:
        present = self._renamed.get(event.path)
        return event if present is None else event.model_copy(update={"path": present})

    def _fit(self, spec: SlotSpec, value: Json, at: datetime) -> Fit:
        return fit(spec, value, _reading(spec, at))

    # What speaks of several slots

    def _assistant(self, event: AssistantTurn, at: datetime) -> AnyEvent:
        if not event.asks and not event.offers:
            return event
        asks = tuple(path for path in map(self._path, event.asks) if path in self._specs)
        offers = tuple(self._offer(offer, at) for offer in event.offers)
        if (asks, offers) == (event.asks, event.offers):
            return event
        return event.model_copy(update={"asks": asks, "offers": offers})

    def _offered(self, event: Offered, at: datetime) -> AnyEvent:
        offer = self._offer(event.offer, at)
        return event if offer is event.offer else event.model_copy(update={"offer": offer})

    def _offer(self, offer: Offer, at: datetime) -> Offer:
        path = self._path(offer.path)
        spec = self._specs.get(path)
        found = Fit(UNSET) if spec is None else self._fit(spec, offer.value, at)
        if found.value is UNSET:
            return offer.model_copy(update={"path": path, "fits": False})
        if path == offer.path and found.value == offer.value:
            return offer
        return offer.model_copy(update={"path": path, "value": frozen(found.value)})

    def _extracted(self, event: Extracted, _: datetime) -> AnyEvent:
        requested = tuple(map(self._path, event.requested))
        return event if requested == event.requested else event.model_copy(update={"requested": requested})

    def _compacted(self, event: Compacted, _: datetime) -> AnyEvent:
        add, amend = self._items(event.add), self._items(event.amend)
        if add is event.add and amend is event.amend:
            return event
        return event.model_copy(update={"add": add, "amend": amend})

    def _rolled_back(self, event: RolledBack, _: datetime) -> AnyEvent:
        items = self._items(event.items)
        return event if items is event.items else event.model_copy(update={"items": items})

    def _items(self, items: tuple[Item, ...]) -> tuple[Item, ...]:
        """Items of a summary, of slots by their present names; one of a removed slot is of none."""
        if all(item.path is None or item.path in self._specs for item in items):
            return items
        named = ((item, None if item.path is None else self._path(item.path)) for item in items)
        return tuple(item.model_copy(update={"path": path if path in self._specs else None}) for item, path in named)

    def _reset(self, event: Reset, _: datetime) -> AnyEvent:
        domain, moved = event.domain, self._moved.get(event.domain, ())
        homes = {path.split(".", 1)[0] for path in moved}
        if domain not in self._domains and len(homes) == 1:
            domain = homes.pop()
        if event.slots is None:
            update: dict[str, Any] = {"domain": domain, "moved": moved}
        else:
            update = {"domain": domain, "slots": tuple(dict.fromkeys(map(self._path, event.slots)))}
        same = all(getattr(event, name) == value for name, value in update.items())
        return event if same else event.model_copy(update=update)

    def _path(self, path: str) -> str:
        return path if path in self._specs else self._renamed.get(path, path)


def _moved(domains: Domains) -> Mapping[str, tuple[str, ...]]:
    """By domain, the slots of others that belonged to it once."""
    moved: dict[str, tuple[str, ...]] = {}
    for earlier, present in domains.renamed.items():
        home = earlier.split(".", 1)[0]
        if not present.startswith(f"{home}."):
            moved[home] = (*moved.get(home, ()), present)
    return moved


def _is_at_home(spec: SlotSpec, event: Decided) -> bool:
    return plain_type(spec) is type(event.value) or fits(spec, event.value, Reading(event.at))


def _reading(spec: SlotSpec, at: datetime) -> Reading:
    return Reading(at, prefer=direction(spec))


def _aside(event: E, logged: str, found: Fit) -> E:
    """The event with what its slot can hold of the value, and the rest marked; `logged` is the path in the log."""
    whole = found.value is UNSET
    if not found.why:
        return event if found.value is event.value else event.model_copy(update={"value": frozen(found.value)})
    rest = frozen(found.rest)
    marked = Aside(path=logged, value=event.value, rest=rest, whole=whole, removed=False, why=found.why)
    value = event.value if whole else frozen(found.value)
    return event.model_copy(update={"value": value, "aside": marked})
