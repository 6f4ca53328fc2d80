"""A session's log in memory, folded as it grows: the state, and the look-ups by message that a conversation needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile
from threading import Lock, RLock
from typing import Final
from weakref import WeakValueDictionary

from slotstate.events import (
    AnyEvent,
    AssistantTurn,
    Compacted,
    Compacting,
    CompactionFailed,
    Decided,
    Epoch,
    Extracted,
    MessageEvent,
    Offered,
    Pinned,
    Reset,
    RolledBack,
    SlotEvent,
    SystemTurn,
    ToolTurn,
    UserTurn,
)
from slotstate.log import Entry, Store
from slotstate.prompt import Transcript
from slotstate.state import State, apply, replay

_NO_DECISION = (
    UserTurn,
    AssistantTurn,
    ToolTurn,
    SystemTurn,
    Extracted,
    Offered,
    Pinned,
    Epoch,
    Compacting,
    Compacted,
    CompactionFailed,
    RolledBack,
)


class Line:
    """Where the writers of one session in this process wait for each other: each decides on the newest state, and none
    has to try again because of another one here. It keeps its store, so that no other one is taken for it.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.lock = RLock()


_LINES: Final[WeakValueDictionary[tuple[int, str], Line]] = WeakValueDictionary()
_LINES_LOCK: Final = Lock()


def line_of(store: Store, session: str) -> Line:
    """The line of this session in this store; as long as somebody holds it, it is the same one."""
    with _LINES_LOCK:
        line = _LINES.get((id(store), session))
        if line is None:
            line = _LINES[id(store), session] = Line(store)
        return line


class Session:
    """Entries absorbed in order. Absorbing the same entry twice, from a write and from a reload, is harmless."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.state = State()
        self.entries: list[Entry] = []
        self.messages: list[MessageEvent] = []
        self.transcript = Transcript()
        self._by_id: dict[str, MessageEvent] = {}
        self._read: dict[int, int] = {}
        self._before: tuple[int, State] = (-1, self.state)
        self.lock = RLock()

    def snapshot(self) -> tuple[State, int]:
        """The state together with the number of entries that it is the fold of."""
        with self.lock:
            return self.state, len(self.entries)

    def absorb(self, entries: Iterable[Entry]) -> None:
        """Fold entries that are new here."""
        with self.lock:
            for entry in entries:
                if entry.seq != len(self.entries):
                    continue
                self._index(entry)
                self.entries.append(entry)
                self.state = apply(self.state, entry.event)
                self.transcript.feed(entry, self.state)

    def _index(self, entry: Entry) -> None:
        event = entry.event
        if isinstance(event, Extracted):
            self._read[event.turn] = entry.seq
        elif isinstance(event, UserTurn | AssistantTurn | ToolTurn | SystemTurn):
            self.messages.append(event)
            self._by_id[event.id] = event
            if isinstance(event, UserTurn):
                self._before = (event.turn, self.state)  # only the newest is asked for in the ordinary course

    def message(self, ident: str) -> MessageEvent | None:
        """The message with this id."""
        return self._by_id.get(ident)

    def extraction(self, turn: int) -> tuple[Extracted, Sequence[AnyEvent]] | None:
        """The last reading of a user turn, and the events that came of it; None if it was never read."""
        seq = self._read.get(turn)
        if seq is None:
            return None
        extracted = self.entries[seq].event
        if not isinstance(extracted, Extracted):
            raise TypeError(f"entry {seq} is no extraction")
        following = self.entries[seq + 1 : seq + 1 + extracted.decided]
        return extracted, [entry.event for entry in following]

    def before(self, turn: int) -> State:
        """The state when user turn `turn` came in."""
        latest, state = self._before
        if turn == latest:
            return state
        spoken = (entry.event for entry in self.entries)
        return replay(takewhile(lambda event: not (isinstance(event, UserTurn) and event.turn == turn), spoken))

    def about(self, path: str) -> tuple[Entry, ...]:
        """Every decision about a slot, resets of its domain included, oldest first."""
        domain = path.split(".", 1)[0]
        return tuple(
            entry
            for entry in self.entries
            if (isinstance(entry.event, Decided) and entry.event.path == path)
            or (isinstance(entry.event, Reset) and entry.event.domain == domain)
        )


def decisions(events: Iterable[AnyEvent]) -> list[SlotEvent | Reset]:
    """The decisions among events."""
    return [event for event in events if not isinstance(event, _NO_DECISION)]
