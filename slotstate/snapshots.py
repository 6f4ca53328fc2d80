"""States as text, for the snapshots that a store keeps: whatever the age of a conversation, of bounded size."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from datetime import datetime
from functools import cache
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from pydantic import TypeAdapter
from pydantic_core import from_json, to_json

from slotstate.domains import Domains
from slotstate.events import Item, Offer
from slotstate.evolution import reading_digest
from slotstate.frozen import frozen
from slotstate.log import Entry, Snapshot, fingerprint
from slotstate.prompt import digest
from slotstate.slots import SlotSpec
from slotstate.state import Heard, Held, Pending, SetAside, SlotState, State, Summary

FORMAT: Final = 3
"""Of the text. A snapshot of another format is not read: the log has it all."""
PAST: Final = 16
"""How much of what a slot held before goes into a window's snapshot; more is in the log. Into a head's goes only that
there was something: who takes back reads the log, or the window. Of what is masked all is kept.
"""
NEEDED: Final[Mapping[Literal["head", "window"], int]] = MappingProxyType({"head": 0, "window": 12})
"""How much of it prompts look at: with less left of it, the log has to be read."""


class Carried(NamedTuple):
    """What a prompt needs of the entries before a window: the numbers of those to be read (`entries`), of those that
    tell secrets, and the places of the last tool results in the conversation, with whether there were more.
    """

    entries: tuple[int, ...] = ()
    secrets: tuple[int, ...] = ()
    results: tuple[int, ...] = ()
    more: bool = False


class Loaded(NamedTuple):
    """A snapshot's content. `cut` are the slots whose past goes further back than their history here."""

    state: State
    cut: frozenset[str]
    carried: Carried


def schema_key(domains: Domains) -> str:
    """A digest of all of a schema that a state depends on. Every process that has the schema comes to the same."""
    return digest(reading_digest(domains), *(part for spec in domains.specs.values() for part in _declared(spec)))


def _declared(spec: SlotSpec) -> Iterator[str]:
    yield f"{spec.path}\n{spec.kind}\n{spec.required}\n{spec.options}"
    yield json.dumps(spec.slot.declared(), default=str, sort_keys=True)
    yield re.sub(r" at 0x[0-9a-f]+", "", repr(spec.model.model_fields))  # with its constraints


def fits(snapshot: Snapshot, entries: Iterable[Entry]) -> bool:
    """Whether a snapshot is one of this log: the first of `entries` is the last one that it covers."""
    last = next(iter(entries), None)
    return last is not None and last.seq == snapshot.seq - 1 and fingerprint(last) == snapshot.last


Told: TypeAlias = dict[str, tuple[SlotState, int, bool, str]]
"""What was last written of slots, by path: of which state, how much of its past, whether that was cut, the text."""


def head_of(
    state: State,
    last: Entry,
    schema: str,
    *,
    cut: Container[str] = (),
    whole: Container[str] = (),
    told: Told | None = None,
) -> Snapshot:
    """The head snapshot of a log that ends with entry `last`; `cut`, `whole` and `told` as in `dump`."""
    return Snapshot("head", last.seq + 1, fingerprint(last), schema, dump("head", state, cut, whole=whole, told=told))


def dump(
    kind: Literal["head", "window"],
    state: State,
    cut: Container[str],
    carried: Carried | None = None,
    *,
    whole: Container[str] = (),
    told: Told | None = None,
) -> str:
    """A state as a snapshot's content. `cut` are the slots of which the past was cut before, `whole` those of which it
    must not be. What stands in `told` is not written anew, and it is brought up to date: between two snapshots few
    slots change.
    """
    most = PAST if kind == "window" else 0
    known: Told = {} if told is None else told
    slots = []
    for path, slot in state.slots.items():
        past = len(slot.history) if path in whole or path in state.secret else most
        was, is_cut = known.get(path), path in cut
        if was is None or was[0] is not slot or was[1] != past or was[2] != is_cut:
            text = to_json({path: _slot(slot, past, cut=is_cut)})[1:-1].decode()
            known[path] = was = (slot, past, is_cut, text)
        slots.append(was[3])
    rest = to_json(_beside_slots(state, cut, carried or Carried(), whole, most)).decode()
    return f'{{"slots":{{{",".join(slots)}}},{rest[1:]}'


def _beside_slots(
    state: State, cut: Container[str], carried: Carried, whole: Container[str], most: int
) -> dict[str, Any]:
    removed = {
        path: _slot(slot, len(slot.history) if path in whole or path in state.secret else most, cut=path in cut)
        for path, slot in state.removed.items()
    }
    content: dict[str, Any] = {
        "format": FORMAT,
        "removed": removed,
        "secret": sorted(state.secret),
        "turns": state.turns,
        "step": state.step,
        "user_turn": state.user_turn,
        "resets": dict(state.resets),
        "summary": {**_told(state.summary), "items": [_model(one) for one in state.summary.items]},
        "carried": carried._asdict(),
    }
    if state.earlier:
        content["earlier"] = list(state.earlier)
    if state.heard is not None:
        content["heard"] = {**_told(state.heard), "offers": [_model(one) for one in state.heard.offers]}
    return content


def load(text: str) -> Loaded | None:
    """What `dump` wrote; None for what it did not write, or not in this format."""
    try:
        content: dict[str, Any] = from_json(text)
        if content["format"] != FORMAT:
            return None
        slots, removed = (
            {path: _slot_of(told) for path, told in content[name].items()} for name in ("slots", "removed")
        )
        heard, summary, carried = content.get("heard"), content["summary"], content["carried"]
        state = State(
            slots=MappingProxyType(slots),
            turns=content["turns"],
            step=content["step"],
            heard=None if heard is None else Heard(**{**heard, **_tuples(heard, "asks"), "offers": _offers(heard)}),
            user_turn=content["user_turn"],
            resets=MappingProxyType(content["resets"]),
            summary=Summary(**{**summary, "items": _items().validate_python(summary["items"])}),
            removed=MappingProxyType(removed),
            secret=frozenset(content["secret"]),
            earlier=_tuples(content, "earlier")["earlier"],
        )
        told_of = {**content["removed"], **content["slots"]}
        cut = frozenset(path for path, told in told_of.items() if told.get("cut"))
        entries, secrets, results = (tuple(carried[name]) for name in ("entries", "secrets", "results"))
        read = Carried(entries, secrets, results, carried["more"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return Loaded(state, cut, read)


@cache
def _items() -> TypeAdapter[tuple[Item, ...]]:
    return TypeAdapter(tuple[Item, ...])


def _slot(slot: SlotState, past: int, *, cut: bool) -> dict[str, Any]:
    told: dict[str, Any] = {"held": _held(slot.held), "changed": slot.changed}
    history = slot.history
    if history and past:
        told["history"] = [_held(one) for one in history[-past:]]
    if cut or len(history) > past:
        told["cut"] = True
    if slot.offers:
        told["offers"] = [_model(one) for one in slot.offers]
    if slot.pending is not None:
        told["pending"] = _told(slot.pending)
    if slot.since is not None:
        told["since"] = slot.since.isoformat()
    return told


def _slot_of(told: Mapping[str, Any]) -> SlotState:
    pending, since = told.get("pending"), told.get("since")
    history = told.get("history", _SOMETHING if told.get("cut") else ())
    return SlotState(
        held=_held_of(told["held"]),
        offers=_offers(told),
        pending=None if pending is None else Pending(**{**pending, "values": _values(pending, "values")}),
        history=tuple(map(_held_of, history)) if history else (),
        changed=told["changed"],
        since=None if since is None else datetime.fromisoformat(since),
    )


def _held(held: Held) -> Sequence[Any] | None:
    """By place, not by name: half the size, a third of the time."""
    if held == _NOTHING:
        return None
    told: tuple[Any, ...] = _HELD(held)
    if held.aside is None:
        return told
    aside = held.aside
    return [*told, [aside.path, _held(aside.held), aside.rest, aside.why]]


def _held_of(told: list[Any] | None) -> Held:
    if told is None:
        return _NOTHING
    status, value, dontcare, raw, grade, source, quote, span, turn, excluded, step, *beside = told
    return Held(
        status,
        frozen(value) if isinstance(value, list | dict) else value,
        dontcare,
        raw,
        grade,
        source,
        quote,
        None if span is None else tuple(span),
        turn,
        tuple(map(frozen, excluded)) if excluded else (),
        step,
        _aside_of(*beside[0]) if beside else None,
    )


def _aside_of(path: str, held: list[Any] | None, rest: Any, why: str) -> SetAside:
    return SetAside(path, _held_of(held), frozen(rest), why)


def _values(told: Mapping[str, Any], name: str) -> tuple[Any, ...]:
    return tuple(map(frozen, told.get(name, ())))


def _tuples(told: Mapping[str, Any], name: str) -> dict[str, tuple[Any, ...]]:
    return {name: tuple(told.get(name, ()))}


def _offers(told: Mapping[str, Any]) -> tuple[Offer, ...]:
    return tuple(Offer.model_validate(one) for one in told.get("offers", ()))


def _model(one: Offer | Item) -> dict[str, Any]:
    return one.model_dump(mode="json", exclude_defaults=True)


def _told(one: Pending | Heard | Summary) -> dict[str, Any]:
    """A record's fields, those that hold their default left out."""
    found = ((name, getattr(one, name), default) for name, default in _DEFAULTS[type(one)])
    return {name: value for name, value, default in found if value is not default and value != default}


_DEFAULTS: Final = {
    kind: tuple((field.name, None if field.default is MISSING else field.default) for field in fields(kind))
    for kind in (Pending, Heard, Summary)
}


_NOTHING: Final = Held()
_SOMETHING: Final = (None,)
_HELD: Final = attrgetter(*(field.name for field in fields(Held) if field.name != "aside"))
