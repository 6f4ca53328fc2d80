"""The application's own calls: they need no evidence and always win."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from slotstate.decide.compound import merge, without
from slotstate.decide.deliberation import of_domain, undone
from slotstate.domains import Domains
from slotstate.errors import InvalidValue, NotHeld, ValueChanged
from slotstate.events import AnyEvent, Confirmed, Emptied, Filled, Op, Overwritten, Reset, Restated, Source, Unchanged
from slotstate.messages import storable
from slotstate.slots import DONTCARE, UNSET, Json, SlotSpec
from slotstate.state import SlotState, State
from slotstate.values import Reading, check, normalise, same


def app_set(
    state: State,
    domains: Domains,
    path: str,
    value: Any,
    *,
    now: datetime,
    confirmed: bool = False,
    source: Source = "app",
) -> tuple[AnyEvent, ...]:
    """The slot holds `value` from now on. Raises UnknownPath, InvalidValue."""
    spec, field = domains.resolve(path)
    slot = state.slot(spec.path)
    about = _stamp(state, spec, "set", now, source)
    given = _given(spec, field, value, slot, Reading(now))
    fresh: dict[str, Any] = {"value": None if given is DONTCARE else given, "dontcare": given is DONTCARE}
    if slot.is_held and (slot.held.value, slot.held.dontcare) == (fresh["value"], fresh["dontcare"]):
        if confirmed and slot.held.status != "confirmed":
            return (Confirmed(**about, **fresh, old=_old(slot)),)
        return (Restated(**about, **fresh, old=_old(slot)),)
    kind = Overwritten if slot.is_held else Filled
    return (
        kind(
            **about,
            **fresh,
            old=_old(slot),
            raw=storable(value) if isinstance(value, str) else None,
            confirmed=confirmed,
        ),
    )


def _given(spec: SlotSpec, field: str | None, value: Any, slot: SlotState, reading: Reading) -> Json:
    if value is DONTCARE:
        if not spec.slot.dont_care:
            raise InvalidValue(spec.path, "no preference is no answer here: declare dont_care=True")
        return DONTCARE
    if field is not None:
        return merge(spec, slot.held.value, normalise(spec, {field: value}, reading))
    given = normalise(spec, value, reading)
    if spec.kind == "list":
        check(spec, given)
    return given


def app_clear(state: State, domains: Domains, path: str, *, now: datetime) -> tuple[AnyEvent, ...]:
    """The slot (or one field of it) is empty from now on. Raises UnknownPath."""
    spec, field = domains.resolve(path)
    slot = state.slot(spec.path)
    about = _stamp(state, spec, "clear", now)
    if not slot.is_held and (slot.held.aside is None or field is not None):
        return (Unchanged(**about),)
    rest = without(slot.held.value, field) if field is not None else None
    if rest is None or (rest.value is UNSET and rest.reason is None):
        return (Emptied(**about, old=_old(slot)),)
    if rest.reason is not None:
        return (Unchanged(**about, old=_old(slot)),)
    kept = slot.held.status == "confirmed"
    return (Overwritten(**about, value=rest.value, old=_old(slot), confirmed=kept),)


def app_confirm(
    state: State, domains: Domains, path: str, value: Any = UNSET, *, now: datetime
) -> tuple[AnyEvent, ...]:
    """The held value is confirmed. Raises UnknownPath, NotHeld, and ValueChanged when it is not `value`."""
    spec = domains.spec(path)
    slot = state.slot(spec.path)
    if not slot.is_held:
        raise NotHeld(f"{spec.path} is empty: set it before confirming it")
    if value is not UNSET and not _is(spec, slot, value, now):
        if spec.slot.sensitive:
            raise ValueChanged(f"{spec.path} holds another value: show the user what it holds and ask again")
        raise ValueChanged(
            f"{spec.path} holds {_old(slot)!r}, not {value!r}: show the user what it holds and ask again"
        )
    about = _stamp(state, spec, "confirm", now)
    held: dict[str, Any] = {"value": slot.held.value, "dontcare": slot.held.dontcare, "old": _old(slot)}
    return (Unchanged(**about, **held) if slot.held.status == "confirmed" else Confirmed(**about, **held),)


def _is(spec: SlotSpec, slot: SlotState, value: Any, now: datetime) -> bool:
    if value is DONTCARE or slot.held.dontcare:
        return value is DONTCARE and slot.held.dontcare
    try:
        return same(spec, slot.held.value, normalise(spec, value, Reading(now)))
    except InvalidValue:
        return False


def app_undo(state: State, domains: Domains, path: str | None = None, *, now: datetime) -> tuple[AnyEvent, ...]:
    """Take back the last step of a slot, or with no path the last one of all: what it changed, and what it left open.

    Raises UnknownPath, and NotHeld when there is nothing to take back.
    """
    if path is not None:
        specs: Sequence[SlotSpec] = [domains.spec(path)]
    else:
        specs = _last_changed(state, domains)
    found = [(spec, state.slot(spec.path)) for spec in specs if state.slot(spec.path).last_step is not None]
    if not found:
        raise NotHeld(f"there is nothing to take back{f' for {path}' if path else ''}")
    fitting = [(spec, slot) for spec, slot in found if slot.can_undo]
    if not fitting:
        raise NotHeld(f"what {found[0][0].path} held before does not fit the slot any more: set it, or clear it")
    return tuple(undone(slot, **_stamp(state, spec, "undo", now)) for spec, slot in fitting)


def _last_changed(state: State, domains: Domains) -> list[SlotSpec]:
    last = ((path, slot.last_step) for path, slot in state.slots.items() if path in domains.specs)
    steps = {path: step for path, step in last if step is not None}
    latest = max(steps.values(), default=0)
    return [domains.specs[path] for path, step in steps.items() if step == latest]


def app_reset(state: State, domains: Domains, domain: str, *, now: datetime) -> tuple[AnyEvent, ...]:
    """End the task in a domain. Raises UnknownPath."""
    name = domains[domain].name
    return (Reset(turn=_turn(state), step=state.step + 1, at=now, domain=name, slots=of_domain(domains, state, name)),)


def _turn(state: State) -> int:
    """The message after which the application acts; -1 before the first one."""
    return state.turns - 1


def _stamp(state: State, spec: SlotSpec, op: Op, now: datetime, source: Source = "app") -> dict[str, Any]:
    about = {"turn": _turn(state), "step": state.step + 1, "at": now, "op": op, "path": spec.path, "source": source}
    return about | ({"sensitive": True} if spec.slot.sensitive else {})


def _old(slot: SlotState) -> Json:
    return "dontcare" if slot.held.dontcare else slot.held.value
