"""The log as a prompt sees it: messages in units that stand or fall together, and what changed slots behind them.

Fed entry by entry as the log grows, so that a prompt costs the same at turn 100,000 as at turn 400.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, assert_never

from slotstate.errors import SlotstateError
from slotstate.events import (
    AssistantTurn,
    Compacted,
    Compacting,
    CompactionFailed,
    Confirmed,
    Denied,
    Emptied,
    Epoch,
    Excluded,
    Extracted,
    Filled,
    MessageEvent,
    Offered,
    Overwritten,
    Pended,
    Pinned,
    Rejected,
    Reset,
    Restated,
    RolledBack,
    SlotEvent,
    Superseded,
    SystemTurn,
    ToolTurn,
    Unchanged,
    Undone,
    UserTurn,
)
from slotstate.log import Entry
from slotstate.state import State, archived


@dataclass(slots=True)
class Batch:
    """What one turn or one call changed: the paths of the slots, the state after it, and its last entry in the log."""

    step: int
    paths: dict[str, None]
    state: State
    seen: int


@dataclass(slots=True, eq=False)
class Unit:
    """Messages that stand or fall together.

    user: what the user said. assistant: a text. tools: calls with their results, `open` holding the ids that have none
    yet. stray: a result that no call waits for. change: no message; what the application changed behind a message that
    is not the user's. `index` is the first message's place in the conversation, or the place of the next message.
    `seen` is the entry of the log behind which a prompt may have shown it: what became secret later stood there.
    """

    kind: Literal["user", "assistant", "tools", "stray", "change"]
    index: int
    events: list[MessageEvent] = field(default_factory=list)
    batches: list[Batch] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    seen: int | None = None
    noted: int = 0
    """How often a change was noted here."""


class Truncated(SlotstateError):
    """A prompt needs more of the conversation than is held of it: read the whole log, and ask again."""


class Transcript:
    """The units of a conversation, its pins, its system messages, and its present epoch. With `base`, of the messages
    before that number only those that were carried along.
    """

    def __init__(self, base: int = 0) -> None:
        self.base = base
        self.forgot = False
        """Whether there were more results of tools than `results` tells."""
        self.units: list[Unit] = []
        self.turns: list[int] = []
        """Where in `units` each user message stands."""
        self.system: list[SystemTurn] = []
        self.pins: dict[str, None] = {}
        self.epoch: Epoch | None = None
        self.erased = False
        """Whether there were other messages before, of which prompts were made, and they were erased."""
        self.begun = -1
        """The entry of the log that began the epoch."""
        self.fresh: set[Literal["task_end", "system", "rollback"]] = set()
        """What happened since the epoch began that asks for a new one."""
        self.emptied: set[str] = set()
        """The slots that were emptied since the epoch began."""
        self.changed: dict[str, None] = {}
        """The slots that changed since the epoch's slots were frozen, the last one last."""
        self.stale: dict[str, int] = {}
        """By slot, the lines of the prompt that state a value which it no longer holds."""
        self.compacting: Compacting | None = None
        """The compaction that was begun and has not ended."""
        self.results: list[int] = []
        """Where in the conversation the results of tools stand."""
        self.asked = 0
        """How often the user spoke in this epoch."""
        self.replies = 0
        """How often the assistant spoke."""
        self.replied: tuple[int, datetime] | None = None
        """The unit of the last thing that the assistant said in this epoch, and when."""
        self.pinned_outside = False
        """Whether a pinned message stands neither in the epoch's window nor among its pins."""
        self._places: dict[str, int] = {}
        self.waiting: dict[str, list[Unit]] = {}
        """By id, the units of calls that have no result yet."""

    def feed(self, entry: Entry, state: State) -> None:
        """Take in the next entry of the log; `state` is the state after it."""
        event = entry.event
        match event:
            case UserTurn() | AssistantTurn() | ToolTurn():
                self._read(entry.seq)
                self._message(event, entry)
            case SystemTurn():
                self.system.append(event)
                self.fresh.add("system")
            case Pinned():
                self.pins.pop(event.id, None)
                if event.pinned:
                    self.pins[event.id] = None
                self._look_outside()
            case Epoch():
                self._begin(event)
                self.begun = entry.seq
            case RolledBack():
                self.fresh.add("rollback")
            case Compacting():
                self.compacting = event
            case Compacted() | CompactionFailed():
                if self.compacting is not None and self.compacting.model == event.model:
                    self.compacting = None  # else the model-free one went ahead, and the other is still at it
            case Extracted():
                self._read(entry.seq + event.decided, event.turn)
            case Offered():
                pass
            case _:
                self._decided(event, state, entry.seq)

    def _decided(self, event: SlotEvent | Reset, state: State, seq: int) -> None:
        match event:
            case Reset():
                paths = [path for path in archived(state, event) if path in state.slots]
                self._note(event.step, paths, state, seq)
                if paths:
                    self.fresh.add("task_end")
            case Filled() | Overwritten() | Emptied() | Confirmed() | Excluded() | Denied() | Pended() | Undone():
                if event.aside is not None and event.aside.removed:
                    return  # no prompt speaks of it
                self._note(event.step, [event.path], state, seq)
                if isinstance(event, Overwritten | Emptied | Undone) and event.old is not None:
                    self.stale[event.path] = self.stale.get(event.path, 0) + 1
                if isinstance(event, Emptied):
                    self.emptied.add(event.path)
            case Restated() | Unchanged() | Superseded() | Rejected():
                pass
            case _:
                assert_never(event)

    def reaches(self, message: int) -> None:
        """Raises Truncated when messages from that number on are not all here."""
        if message < self.base:
            raise Truncated(f"message {message} is not in memory, only those from {self.base} on: read the whole log")

    def places(self, idents: Iterable[str]) -> list[int]:
        """Where those of the messages stand that are there, each unit once, in order."""
        return sorted({place for ident in idents if (place := self._places.get(ident)) is not None})

    def _look_outside(self) -> None:
        epoch = self.epoch
        shown = () if epoch is None else self.places(epoch.pins)  # a unit may be pinned by any of its messages
        places = () if epoch is None else self.places(self.pins)
        self.pinned_outside = epoch is not None and any(
            self.units[place].index < epoch.window for place in places if place not in shown
        )

    def tool_of(self, call: str) -> str:
        """The name of the tool that an open call is for; "" when no such call is open."""
        events = (event for unit in self.waiting.get(call, ()) for event in unit.events)
        calls = (one for event in events if isinstance(event, AssistantTurn) for one in event.tool_calls)
        return next((one.name for one in calls if one.id == call), "")

    @property
    def pending(self) -> tuple[str, ...]:
        """The ids of calls that have no result yet, oldest first."""
        return tuple(call for call, units in self.waiting.items() for _ in units)

    def open_units(self) -> Iterable[int]:
        """The places in the conversation where calls without a result stand."""
        return (unit.index for units in self.waiting.values() for unit in units)

    def _read(self, seq: int, turn: int | None = None) -> None:
        """The user's message number `turn`, or the last unit, can be seen from entry `seq` on, if it was not before."""
        at = len(self.units) - 1
        while turn is not None and at >= 0 and self.units[at].index > turn:
            at -= 1
        if at >= 0 and self.units[at].seen is None:
            self.units[at].seen = seq

    def _message(self, event: UserTurn | AssistantTurn | ToolTurn, entry: Entry) -> None:
        if isinstance(event, UserTurn):
            self.turns.append(len(self.units))
            self.asked += 1
            self._add(Unit("user", event.turn), event)  # seen once it was read
        elif isinstance(event, AssistantTurn):
            place = self._called(event)
            self.units[place].seen = entry.seq
            self.replied = (place, entry.at)
            self.replies += 1
        else:
            self.results.append(event.turn)
            self._returned(event).seen = entry.seq

    def _returned(self, event: ToolTurn) -> Unit:
        """Put a result with its call."""
        waiting = self.waiting.get(event.call_id)
        if not waiting:
            return self._add(Unit("stray", event.turn), event)
        unit = waiting.pop(0)
        if not waiting:
            del self.waiting[event.call_id]
        unit.open.remove(event.call_id)
        unit.events.append(event)
        self._places[event.id] = self._places[unit.events[0].id]
        return unit

    def _called(self, event: AssistantTurn) -> int:
        """Put an assistant's message in its place; calls made one after the other are one group."""
        last = self.units[-1] if self.units else None
        parallel = (
            last is not None
            and last.kind == "tools"
            and event.tool_calls
            and not event.text
            and not any(isinstance(one, ToolTurn) for one in last.events)
        )
        if last is not None and parallel:
            last.events.append(event)
            self._places[event.id] = len(self.units) - 1
            unit = last
        else:
            unit = self._add(Unit("tools" if event.tool_calls else "assistant", event.turn), event)
        for call in event.tool_calls:
            unit.open.append(call.id)
            self.waiting.setdefault(call.id, []).append(unit)
        return len(self.units) - 1

    def _add(self, unit: Unit, event: MessageEvent) -> Unit:
        unit.events.append(event)
        self._places[event.id] = len(self.units)
        self.units.append(unit)
        return unit

    def _begin(self, epoch: Epoch) -> None:
        for unit in reversed(self.units):
            if unit.index < (self.epoch.window if self.epoch else 0):
                break
            unit.batches.clear()
        self.epoch = epoch
        self._look_outside()
        self.fresh.clear()
        self.emptied.clear()
        self.stale.clear()
        self.changed.clear()
        self.replied = None
        self.asked = 0

    def _note(self, step: int, paths: list[str], state: State, seq: int) -> None:
        """Remember what changed, where the epoch's slots are frozen."""
        if not paths or self.epoch is None or not self.epoch.frozen:
            return
        for path in paths:
            self.changed.pop(path, None)
            self.changed[path] = None
        if not self.units or self.units[-1].kind not in ("user", "change"):
            self.units.append(Unit("change", state.turns, seen=seq))
        self.units[-1].noted += len(paths)
        batches = self.units[-1].batches
        if not batches or batches[-1].step != step:
            batches.append(Batch(step, {}, state, seq))
        batches[-1].state, batches[-1].seen = state, seq
        batches[-1].paths.update(dict.fromkeys(paths))
