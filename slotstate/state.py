"""State: the fold of the log. `apply` is total and pure; nothing else may change what a slot holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import reduce
from types import MappingProxyType
from typing import Final, Literal, TypeAlias, assert_never

from slotstate.events import (
    AnyEvent,
    Aside,
    AssistantTurn,
    Compacted,
    Compacting,
    CompactionFailed,
    Confirmed,
    Decided,
    Denied,
    Emptied,
    Epoch,
    Excluded,
    Extracted,
    Filled,
    Grade,
    Item,
    Offer,
    Offered,
    Overwritten,
    Pended,
    Pinned,
    Rejected,
    Reset,
    Restated,
    RolledBack,
    SlotEvent,
    Source,
    Span,
    Superseded,
    SystemTurn,
    ToolTurn,
    Unchanged,
    Undone,
    UserTurn,
    Why,
)
from slotstate.slots import Json

Status: TypeAlias = Literal["empty", "filled", "confirmed"]
MAX_OFFERS: Final = 8
"""Open offers kept for one slot; older ones close."""
MAX_EARLIER: Final = 10
"""Earlier assistant turns whose words are kept; an extractor finds in them what was put forward."""
MAX_EARLIER_CHARS: Final = 500
"""Characters of such a turn that are kept: its end, where offers and questions stand."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a slot holds and where it came from: what undo brings back."""

    status: Status = "empty"
    value: Json = None
    dontcare: bool = False
    raw: str | None = None
    grade: Grade | None = None
    source: Source | None = None
    quote: str | None = None
    span: Span | None = None
    turn: int | None = None
    excluded: tuple[Json, ...] = ()
    step: int = 0
    """The step that made it so."""
    aside: SetAside | None = None
    """What the present schema has no place for; with status empty that is all that the slot held."""


@dataclass(frozen=True, slots=True)
class SetAside:
    """What a slot held (`held`, under its `path` in the log) and cannot hold in the present schema: the `rest` of the
    value, for the reason `why`, one line.
    """

    path: str
    held: Held
    rest: Json
    why: str


@dataclass(frozen=True, slots=True)
class Pending:
    """Why a slot must be asked about, with the candidate values and the words that raised it; `step` is the step that
    they are, 0 where they are none to be taken back.
    """

    why: Why
    values: tuple[Json, ...] = ()
    quote: str | None = None
    turn: int | None = None
    step: int = 0


@dataclass(frozen=True, slots=True)
class SlotState:
    """One slot at a moment. `history` holds what it held before, oldest first; `changed` is the turn of its last
    change, `since` the time from which its time to live counts.
    """

    held: Held = Held()
    offers: tuple[Offer, ...] = ()
    pending: Pending | None = None
    history: tuple[Held, ...] = ()
    changed: int = -1
    since: datetime | None = None

    @property
    def is_held(self) -> bool:
        """Whether the slot is filled or confirmed; no preference counts as a value."""
        return self.held.status != "empty"

    @property
    def is_asked_since(self) -> bool:
        """Whether words after those that filled the slot raised a question and changed no value: that is then the last
        step, the one that undo takes back. Age (stale) is nobody's step.
        """
        return self.pending is not None and self.pending.why != "stale" and self.pending.step > self.held.step

    @property
    def last_step(self) -> int | None:
        """The step that undo takes back; None where there is none."""
        if self.pending is not None and self.is_asked_since:
            return self.pending.step
        return self.held.step if self.history else None

    @property
    def can_undo(self) -> bool:
        """Whether there is a question or a change to take back that the present schema can show: neither takes it away
        what is set aside, nor does it put that in place of what is held.
        """
        if self.is_asked_since:
            return True
        return bool(self.history) and not _is_hidden(self.held) and not (self.is_held and _is_hidden(self.history[-1]))


@dataclass(frozen=True, slots=True)
class Heard:
    """What the assistant said since the user spoke last: text, slots asked for, values offered."""

    turn: int
    text: str = ""
    asks: tuple[str, ...] = ()
    offers: tuple[Offer, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of the messages before number `covered`; version 0 is the empty one. `made` is the number that the
    last item ever made had.
    """

    version: int = 0
    covered: int = 0
    items: tuple[Item, ...] = ()
    made: int = 0


@dataclass(frozen=True, slots=True)
class State:
    """The whole tracked state. `slots` holds the slots that were ever touched, by path; `turns` counts messages; `step`
    numbers what changed slots so far; `resets` holds the turn of each domain's last reset; `removed` are slots of the
    log that no domain declares any more, `secret` those of them that were sensitive; `earlier` are the ends of the
    assistant's turns before the one in `heard`, oldest first.
    """

    slots: Mapping[str, SlotState] = field(default_factory=lambda: MappingProxyType({}))
    turns: int = 0
    step: int = 0
    heard: Heard | None = None
    user_turn: int = -1
    resets: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    summary: Summary = Summary()
    removed: Mapping[str, SlotState] = field(default_factory=lambda: MappingProxyType({}))
    secret: frozenset[str] = frozenset()
    earlier: tuple[str, ...] = ()

    def slot(self, path: str) -> SlotState:
        """The slot at `path`; an untouched one is empty."""
        return self.slots.get(path, _EMPTY)

    def touched(self, domain: str) -> tuple[str, ...]:
        """The slots of a domain that were ever touched, removed ones too: what a reset archives."""
        return tuple(path for path in (*self.slots, *self.removed) if path.startswith(f"{domain}."))


_EMPTY: Final = SlotState()
_NOTHING: Final = Held()


def replay(events: Iterable[AnyEvent], state: State | None = None) -> State:
    """Fold `events` over `state`, by default the empty one."""
    return reduce(apply, events, state or State())


def apply(state: State, event: AnyEvent) -> State:
    """The state after one more fact."""
    match event:
        case UserTurn():
            return replace(state, turns=event.turn + 1, user_turn=event.turn)
        case AssistantTurn():
            heard = replace(state, turns=event.turn + 1, heard=_hear(state, event), earlier=_remember(state))
            return _open(heard, event.offers)
        case ToolTurn() | SystemTurn():
            return replace(state, turns=event.turn + 1)
        case Extracted() | Pinned() | Epoch() | Compacting() | CompactionFailed():
            return state
        case Compacted():
            return replace(state, summary=_summarised(state.summary, event))
        case RolledBack():
            made = state.summary.made
            return replace(state, summary=Summary(event.version, event.covered, event.items, made))
        case Offered():
            return _open(state, (event.offer,))
        case Reset():
            return _reset(state, event)
        case (
            Filled()
            | Overwritten()
            | Emptied()
            | Confirmed()
            | Excluded()
            | Denied()
            | Restated()
            | Unchanged()
            | Pended()
            | Superseded()
            | Rejected()
            | Undone()
        ):
            return _changed(state, event)
        case _:
            assert_never(event)


def _changed(state: State, event: SlotEvent) -> State:
    removed = event.aside is not None and event.aside.removed
    slots = state.removed if removed else state.slots
    before = slots.get(event.path, _EMPTY)
    after = _decided(before, event)
    if after is before:
        return state
    put, step = _put(slots, {event.path: after}), max(state.step, event.step)
    if not removed:
        return replace(state, slots=put, step=step)
    return replace(
        state, removed=put, step=step, secret=state.secret | {event.path} if event.sensitive else state.secret
    )


def _decided(slot: SlotState, event: SlotEvent) -> SlotState:
    """The slot after a decision about it."""
    match event:
        case Filled() | Overwritten():
            return _hold(slot, event)
        case Emptied():
            gone = _given_up(slot.held) if event.excludes else ()
            return _settle(slot, event, Held(excluded=_joined(slot.held.excluded, gone)))
        case Confirmed():
            return _confirm(slot, event)
        case Excluded():
            excluded = _joined(slot.held.excluded, (event.value,) if _fits(event) else ())
            changed = _settle(slot, event, replace(slot.held, excluded=excluded))
            return replace(changed, pending=slot.pending, since=slot.since)
        case Denied():
            return _deny(slot, event)
        case Restated():
            return replace(slot, pending=None, offers=(), since=event.at)
        case Pended():
            return _pend(slot, event)
        case Undone():
            return _undo(slot, event)
        case Unchanged() | Superseded() | Rejected():
            return slot
        case _:
            assert_never(event)


def _hold(slot: SlotState, event: Filled | Overwritten) -> SlotState:
    lifted = event.value if isinstance(event.value, list) else [event.value]
    held = Held(
        status="confirmed" if event.confirmed else "filled",
        value=event.value,
        dontcare=event.dontcare,
        raw=event.raw,
        grade=event.grade,
        source=event.source,
        quote=event.quote,
        span=event.span,
        turn=event.turn,
        excluded=tuple(value for value in slot.held.excluded if value not in lifted),
    )
    if event.aside is not None and not event.aside.removed:
        held = _set_aside(held, event.aside)
    return _settle(slot, event, held)


def _confirm(slot: SlotState, event: Confirmed) -> SlotState:
    """The held value confirmed. Where two schemas name one slot differently, their writers may hold different values:
    then it is the one that the event names.
    """
    logged = slot.held if slot.held.aside is None else slot.held.aside.held
    said = event.value if event.aside is None else event.aside.value
    if (said is None and not event.dontcare) or (said, event.dontcare) in (
        (logged.value, logged.dontcare),
        (slot.held.value, slot.held.dontcare),
    ):
        return _settle(slot, event, _with_status(slot.held, "confirmed"))
    held = Held(
        status="confirmed",
        value=event.value,
        dontcare=event.dontcare,
        grade=event.grade,
        source=event.source,
        quote=event.quote,
        span=event.span,
        turn=event.turn,
        excluded=slot.held.excluded,
    )
    if event.aside is not None and not event.aside.removed:
        held = _set_aside(held, event.aside)
    return _settle(slot, event, held)


def _set_aside(held: Held, aside: Aside) -> Held:
    """What the present schema can hold of it, with the rest beside."""
    logged = replace(held, value=aside.value, excluded=())
    kept = SetAside(aside.path, logged, aside.rest, aside.why)
    return Held(excluded=held.excluded, aside=kept) if aside.whole else replace(held, aside=kept)


def _is_hidden(held: Held) -> bool:
    """Whether the present schema has no place for anything that is held here."""
    return held.aside is not None and held.status == "empty"


def _fits(event: Decided) -> bool:
    return event.aside is None or event.aside.removed


def _status(held: Held) -> Status:
    """The status by the log, whether or not the value fits the present schema: so every schema folds alike."""
    return held.status if held.aside is None else held.aside.held.status


def _with_status(held: Held, status: Status) -> Held:
    if held.aside is None:
        return replace(held, status=status)
    aside = replace(held.aside, held=replace(held.aside.held, status=status))
    return replace(held, status="empty" if held.status == "empty" else status, aside=aside)


def _given_up(held: Held) -> tuple[Json, ...]:
    """What is ruled out with the value that was held; of a list the items."""
    if held.dontcare or _is_hidden(held):
        return ()
    return tuple(held.value) if isinstance(held.value, list) else (held.value,)


def _settle(slot: SlotState, event: Decided, held: Held) -> SlotState:
    """The slot holding `held` from now on: the past is kept for undo, what was open is closed."""
    return replace(
        slot,
        held=replace(held, step=event.step),
        offers=(),
        pending=None,
        history=_remembered(slot, event.step),
        changed=_moment(slot, event),
        since=event.at,
    )


def _moment(slot: SlotState, event: Decided | Reset) -> int:
    """The turn from which a change of the slot counts as newer. What the application did after a turn outdates a
    reading of that turn that is still under way.
    """
    return max(slot.changed, event.turn + (event.source in {"app", "tool"}))


def _remembered(slot: SlotState, step: int) -> tuple[Held, ...]:
    """The slot's past with its present added, once a step: undo takes back a whole step."""
    return slot.history if slot.held.step == step else (*slot.history, slot.held)


def _deny(slot: SlotState, event: Denied) -> SlotState:
    if _status(slot.held) == "empty":
        return replace(slot, offers=())
    pending = Pending("denied", (), event.quote, event.turn, event.step)
    if _status(slot.held) == "filled":
        return replace(slot, offers=(), pending=pending)
    return replace(_settle(slot, event, _with_status(slot.held, "filled")), pending=pending)


def _pend(slot: SlotState, event: Pended) -> SlotState:
    asked = 0 if event.op == "undo" else event.step  # whether to undo: "undo" answers that
    pending = Pending(event.why, event.values, event.quote, event.turn, asked)
    if event.why == "stale" and _status(slot.held) == "confirmed":
        aged = _settle(slot, event, _with_status(slot.held, "filled"))
        return replace(aged, pending=pending, offers=slot.offers, changed=slot.changed)
    return replace(slot, pending=pending)


def _undo(slot: SlotState, event: Undone) -> SlotState:
    return replace(
        slot,
        held=slot.history[-1] if slot.history else _NOTHING,
        offers=(),
        pending=None,
        history=slot.history[:-1],
        changed=_moment(slot, event),
        since=event.at,
    )


def _hear(state: State, event: AssistantTurn) -> Heard:
    """Assistant messages in a row (around tool calls) are one turn to the user who answers them."""
    before = state.heard
    offers = event.offers if all(offer.fits for offer in event.offers) else tuple(o for o in event.offers if o.fits)
    if before is None or before.turn < state.user_turn:
        return Heard(event.turn, event.text, event.asks, offers)
    text = "\n".join(part for part in (before.text, event.text) if part)
    asks = tuple(dict.fromkeys((*before.asks, *event.asks)))
    return Heard(event.turn, text, asks, (*before.offers, *offers))


def _remember(state: State) -> tuple[str, ...]:
    """The earlier assistant turns, with the last one where the user has answered it."""
    last = state.heard
    if last is None or not last.text or last.turn >= state.user_turn:
        return state.earlier
    return (*state.earlier, last.text[-MAX_EARLIER_CHARS:])[-MAX_EARLIER:]


def _open(state: State, offers: tuple[Offer, ...]) -> State:
    changed: dict[str, SlotState] = {}
    for offer in offers:
        if not offer.fits:
            continue
        slot = changed.get(offer.path) or state.slot(offer.path)
        others = tuple(other for other in slot.offers if other.value != offer.value)
        changed[offer.path] = replace(slot, offers=(*others, offer)[-MAX_OFFERS:])
    return replace(state, slots=_put(state.slots, changed)) if changed else state


def _reset(state: State, event: Reset) -> State:
    paths = archived(state, event)
    resets = MappingProxyType({**state.resets, event.domain: event.turn + (event.source == "app")})
    return replace(
        state,
        slots=_put(state.slots, _archived(state.slots, paths, event)),
        removed=_put(state.removed, _archived(state.removed, paths, event)) if state.removed else state.removed,
        step=max(state.step, event.step),
        resets=resets,
    )


def archived(state: State, event: Reset) -> tuple[str, ...]:
    """The slots that a reset was of: those it names, or whatever its domain had."""
    return (*state.touched(event.domain), *event.moved) if event.slots is None else event.slots


def _archived(slots: Mapping[str, SlotState], paths: Iterable[str], event: Reset) -> dict[str, SlotState]:
    changed: dict[str, SlotState] = {}
    for path in paths:
        slot = slots.get(path)
        if slot is None:
            continue
        if replace(slot.held, step=0) == _NOTHING:
            changed[path] = SlotState(held=slot.held, history=slot.history, changed=_moment(slot, event))
        else:
            past = _remembered(slot, event.step)
            changed[path] = SlotState(Held(step=event.step), history=past, changed=_moment(slot, event))
    return changed


def _summarised(summary: Summary, event: Compacted) -> Summary:
    amended = {item.ident: item for item in event.amend}
    gone = {lost.ident for lost in event.drop}
    items = [amended.get(item.ident, item) for item in summary.items if item.ident not in gone]
    made = max((summary.made, *(item.ident for item in event.add)))
    return Summary(event.version, event.covered, (*items, *event.add), made)


def _joined(values: tuple[Json, ...], more: tuple[Json, ...]) -> tuple[Json, ...]:
    return (*values, *(value for value in more if value not in values))


def _put(slots: Mapping[str, SlotState], changed: Mapping[str, SlotState]) -> Mapping[str, SlotState]:
    return MappingProxyType({**slots, **changed})
