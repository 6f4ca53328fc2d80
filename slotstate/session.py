"""A session's log in memory, folded as it grows: the state, and the look-ups by message that a conversation needs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from itertools import takewhile
from threading import Lock, RLock
from typing import Final, Protocol
from weakref import WeakSet, WeakValueDictionary

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
    Undone,
    UserTurn,
)
from slotstate.evolution import Reader
from slotstate.log import Entry, Opened, Snapshot, Store, fingerprint
from slotstate.prompt import Transcript, window_place
from slotstate.snapshots import NEEDED, Carried, Loaded, Told, dump, fits, head_of, load
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


class Member(Protocol):
    """Who holds a session in memory."""

    def look_again(self) -> None:
        """See whether it was erased, and let go of it then."""
        ...


class Line:
    """Where the writers of one session in this process wait for each other: each decides on the newest state, and none
    has to try again because of another one here. It keeps its store, so that no other one is taken for it.
    """

    def __init__(self, store: Store, session: str) -> None:
        self.store = store
        self.session = session
        self.lock = RLock()
        self._members: WeakSet[Member] = WeakSet()
        self._guard = Lock()

    def join(self, member: Member) -> None:
        """Be told when the session may have been erased."""
        with self._guard:
            self._members.add(member)

    def look_again(self) -> None:
        """Let all who hold the session see whether it was erased. Raises the first error once all have."""
        with self._guard:
            members = list(self._members)
        errors: list[Exception] = []
        for member in members:
            try:
                member.look_again()
            except Exception as error:  # the others must let go of it all the same
                errors.append(error)
        if errors:
            raise errors[0]


HEADS: Final = 10
"""Entries between two snapshots of what is tracked, at least; fewer where one of them is long, so that it need not be
read, and nearly twice as many where little is tracked (see `_spacing`).
"""
WINDOWS: Final = 64
"""Entries between two snapshots of what a prompt needs, at least."""
RESULTS: Final = 64
"""Places of tool results that are carried along."""

Telling = Callable[[], Callable[[Entry], bool]]
"""Makes what says, entry by entry, whether it tells a secret that none before told."""

_LINES: Final[WeakValueDictionary[tuple[int, str], Line]] = WeakValueDictionary()
_LINES_LOCK: Final = Lock()


def line_of(store: Store, session: str) -> Line:
    """The line of this session in this store; as long as somebody holds it, it is the same one."""
    with _LINES_LOCK:
        line = _LINES.get((id(store), session))
        if line is None:
            line = _LINES[id(store), session] = Line(store, session)
        return line


def lines_of(store: Store) -> list[Line]:
    """The lines of all sessions of this store that somebody holds."""
    with _LINES_LOCK:
        return [line for line in _LINES.values() if line.store is store]


class Depth(IntEnum):
    """How far back a session in memory goes: what is tracked, what a prompt needs, all of the log."""

    HEAD = 0
    WINDOW = 1
    ALL = 2


class Session:
    """Entries absorbed in order, from the beginning of the log or from a snapshot on. Absorbing the same entry twice,
    from a write and from a reload, is harmless.
    """

    def __init__(
        self,
        name: str,
        schema: str = "",
        telling: Telling | None = None,
        sensitive: frozenset[str] = frozenset(),
        reader: Reader | None = None,
    ) -> None:
        self.name = name
        self._reader = reader
        self.user: str | None = None
        self.lock = RLock()
        self.generation = -1
        """How often it was begun anew: what was learned of its entries before is void."""
        self.erasures = 0
        """How often it was erased: what was said of its entries before must not be said again."""
        self._schema = schema
        self._telling = telling
        self._sensitive = sensitive
        self._origin = ""
        self._heads = 0
        self._windows = 0
        self._begin(Depth.ALL)

    def _begin(self, depth: Depth, base: int = 0, loaded: Loaded | None = None) -> None:
        """Hold nothing but the state that entry number `base` finds."""
        self.generation += 1
        self.depth = depth
        self.base = base
        self.state = State() if loaded is None else loaded.state
        self.entries: list[Entry] = []
        """From number `base` on."""
        self.messages: list[MessageEvent] = []
        self.earlier: tuple[Entry, ...] = ()
        """Entries before `base` that tell secrets."""
        self.is_short = False
        """Whether more of the log is needed: an undo came close to the end of what is held of a slot's past, or a
        message before was pinned.
        """
        self._cut = frozenset[str]() if loaded is None else loaded.cut
        self._dumped: Told = {}
        self._long = False
        self._transcript = Transcript(base=self.state.turns if base else 0)
        self._transcript.erased = self.erasures > 0
        self._by_id: dict[str, MessageEvent] = {}
        self._places: dict[str, int] = {}
        self._pinned: dict[str, int] = {}
        self._compacting = -1
        self._read: dict[int, int] = {}
        self._before: tuple[int, State] = (-1, self.state)
        self._mark = base, self.state
        self._last: Entry | None = None
        self._tells = None if self._telling is None else self._telling()
        self._told: list[int] = []
        self._widened: tuple[Loaded, int, Sequence[Entry]] | None = None

    def open(self, opened: Opened) -> bool:
        """Take in what a store knows of the session; False when its snapshot is not of this log, and the whole log is
        needed.
        """
        with self.lock:
            self.user, self._origin = opened.user, opened.origin
            if opened.snapshot is None:
                self.rebuild(opened.entries)
                return True
            loaded = load(opened.snapshot.content) if fits(opened.snapshot, opened.entries) else None
            if loaded is None:
                return False
            self._begin(Depth.HEAD, opened.snapshot.seq, loaded)
            self._heads, self._last = opened.snapshot.seq, opened.entries[0]
            self.absorb(opened.entries[1:])
            return True

    def rebuild(self, entries: Sequence[Entry]) -> None:
        """Hold the whole log."""
        with self.lock:
            self._begin(Depth.ALL)
            self.absorb(entries)

    def widen(self, loaded: Loaded, base: int, earlier: Sequence[Entry], entries: Sequence[Entry]) -> None:
        """Hold what a prompt needs: the `entries` from number `base` - 1 on, and what is carried of those before."""
        with self.lock:
            carried = loaded.carried
            earlier = tuple(map(self._read_entry, earlier))
            self._begin(Depth.WINDOW, base, loaded)
            self._widened, self._windows, self._last = (loaded, base, earlier), base, entries[0]
            self.earlier = tuple(one for one in earlier if one.seq in carried.secrets)
            for entry in self.earlier:
                self._tell(entry)
            for entry in earlier:
                if entry.seq in carried.entries:
                    self._place(entry)
                    self._transcript.feed(entry, self.state)
            self._transcript.results[:] = carried.results
            self._transcript.forgot = carried.more
            self.absorb(entries[1:])

    @property
    def count(self) -> int:
        """The number of entries in the log."""
        return self.base + len(self.entries)

    @property
    def origin(self) -> str:
        """The fingerprint of the log's first entry; "" while there is none."""
        if not self._origin and not self.base and self.entries:
            self._origin = fingerprint(self.entries[0])
        return self._origin

    @property
    def transcript(self) -> Transcript:
        """The log as a prompt sees it."""
        if self.depth is Depth.HEAD:
            raise RuntimeError("a session was opened without what a prompt needs: deepen it first")
        return self._transcript

    def snapshot(self) -> tuple[State, int]:
        """The state together with the number of entries that it is the fold of."""
        with self.lock:
            return self.state, self.base + len(self.entries)

    def continues(self, entries: Sequence[Entry]) -> bool:
        """Whether entries that go back to the last known one, or further, are those of this log. They are not after an
        erasure.
        """
        last = self._last
        if last is None:
            return True
        at = last.seq - entries[0].seq if entries else -1
        return 0 <= at < len(entries) and (entries[at] is last or entries[at] == last)

    def is_last(self, entries: Sequence[Entry]) -> bool:
        """Whether entries from the last known one on hold nothing else, so that nothing new was written."""
        return len(entries) == 1 and (entries[0] is self._last or entries[0] == self._last)

    def restart(self, entries: Sequence[Entry], user: str | None = None) -> None:
        """The log was erased: hold what there is now, and whose it is."""
        with self.lock:
            self.erasures += self._last is not None
            self.user, self._origin, self._heads, self._windows = user, "", 0, 0
            self.rebuild(entries)

    def absorb(self, entries: Iterable[Entry]) -> None:
        """Fold entries that are new here."""
        with self.lock:
            for logged in entries:
                if logged.seq != self.base + len(self.entries):
                    continue
                entry = self._read_entry(logged)
                self._index(entry)
                self.entries.append(entry)
                self._last = logged
                self._long |= _is_long(logged)
                self.state = apply(self.state, entry.event)
                if self.depth is not Depth.HEAD:
                    self._transcript.feed(entry, self.state)

    def _read_entry(self, entry: Entry) -> Entry:
        """The entry as the present schema has it."""
        return entry if self._reader is None else self._reader.read(entry)

    def _index(self, entry: Entry) -> None:
        event = entry.event
        self._place(entry)
        self._tell(entry)
        if isinstance(event, Extracted):
            self._read[event.turn] = entry.seq
        elif isinstance(event, UserTurn | AssistantTurn | ToolTurn | SystemTurn):
            self.messages.append(event)
            self._by_id[event.id] = event
            if isinstance(event, UserTurn):
                self._before = (event.turn, self.state)  # only the newest is asked for in the ordinary course
        elif isinstance(event, Pinned) and self.depth is Depth.WINDOW:
            self.is_short |= event.pinned and not self._transcript.places((event.id,))
        elif isinstance(event, Undone) and event.path in self._cut:
            needed = NEEDED["head" if self.depth is Depth.HEAD else "window"]
            self.is_short |= len(self.state.slot(event.path).history) - 1 <= needed

    def _place(self, entry: Entry) -> None:
        """Remember where in the log what a later snapshot may have to carry stands."""
        match entry.event:
            case UserTurn(id=ident) | AssistantTurn(id=ident) | ToolTurn(id=ident) | SystemTurn(id=ident):
                self._places[ident] = entry.seq
            case Pinned(id=ident):
                self._pinned[ident] = entry.seq
            case Compacting():
                self._compacting = entry.seq
            case _:
                pass

    def message(self, ident: str) -> MessageEvent | None:
        """The message with this id, if it stands in what is held."""
        return self._by_id.get(ident)

    def extraction(self, turn: int) -> tuple[Extracted, Sequence[AnyEvent]] | None:
        """The last reading of a user turn, and the events that came of it; None if it was never read."""
        seq = self._read.get(turn)
        if seq is None:
            return None
        at = seq - self.base
        extracted = self.entries[at].event
        if not isinstance(extracted, Extracted):
            raise TypeError(f"entry {seq} is no extraction")
        following = self.entries[at + 1 : at + 1 + extracted.decided]
        return extracted, [entry.event for entry in following]

    def knows_before(self, turn: int) -> bool:
        """Whether the state can be told that user turn `turn` found."""
        return self.depth is Depth.ALL or turn == self._before[0]

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
            or (isinstance(entry.event, Reset) and (entry.event.domain == domain or path in (entry.event.slots or ())))
        )

    def copy(self) -> Session:
        """The same session, which may go on otherwise. It is not one to be kept."""
        with self.lock:
            other = Session(self.name)
            other.erasures = self.erasures
            if self._widened is None:
                other.rebuild(self.entries)
            else:
                loaded, base, earlier = self._widened
                before = earlier[-1] if earlier else self.entries[0]
                other.widen(loaded, base, earlier, (before, *self.entries))
            return other

    def due(self) -> list[Snapshot]:
        """Snapshots that are worth keeping by now."""
        with self.lock:
            last = self._last
            due = self.count - self._heads >= _spacing(self.state)
            if last is None or not (due or (self._long and not _is_long(last))):
                return []
            self._heads, self._long = self.count, False
            made = [head_of(self.state, last, self._schema, cut=self._cut, whole=self._sensitive, told=self._dumped)]
            if self.depth is not Depth.HEAD and (window := self._window()) is not None:
                made.append(window)
            return made

    def _window(self) -> Snapshot | None:
        """The snapshot from which the next prompts can be made, if it would save much beside the last one."""
        place = window_place(self._transcript, self.state)
        if place is None:
            return None
        seq = self._places[self._transcript.units[place].events[0].id]
        if seq - self._windows < WINDOWS or seq <= self.base:
            return None
        at, state = self._mark
        state = replay((entry.event for entry in self.entries[at - self.base : seq - self.base]), state)
        self._mark, self._windows = (seq, state), seq
        last = fingerprint(self.entries[seq - self.base - 1])
        content = dump("window", state, self._cut, self._carried(place, seq), whole=self._sensitive)
        return Snapshot("window", seq, last, self._schema, content)

    def _carried(self, place: int, seq: int) -> Carried:
        """What a prompt needs of what stands before a unit, which begins with entry `seq`."""
        transcript, units = self._transcript, self._transcript.units
        events = [event for at in transcript.places(transcript.pins) if at < place for event in units[at].events]
        numbers = {self._places[event.id] for event in (*events, *transcript.system)}
        numbers |= {self._read[event.turn] for event in events if event.turn in self._read}
        numbers |= {self._pinned[ident] for ident in transcript.pins}
        if transcript.compacting is not None:
            numbers.add(self._compacting)
        earlier = [at for at in transcript.results if at < units[place].index]
        return Carried(
            entries=tuple(sorted(number for number in numbers if number < seq)),
            secrets=tuple(self._told[: bisect_left(self._told, seq)]),
            results=tuple(earlier[-RESULTS:]),
            more=transcript.forgot or len(earlier) > RESULTS,
        )

    def _tell(self, entry: Entry) -> None:
        if self._tells is not None and self._tells(entry):
            self._told.append(entry.seq)


def _spacing(state: State) -> int:
    """Entries between two snapshots of it. Two slots, or two items of a summary, take as long to read as an entry, so
    that a small snapshot with many entries behind it is read as fast as a large one with few.
    """
    saved = 14 - (len(state.slots) + len(state.summary.items)) // 2
    return HEADS + min(max(saved, 0), HEADS - 1)


def _is_long(entry: Entry) -> bool:
    """Whether it takes as long to read as some twenty others: it holds a summary, or rendered sections."""
    return isinstance(entry.event, Epoch | Compacted | RolledBack)


def decisions(events: Iterable[AnyEvent]) -> list[SlotEvent | Reset]:
    """The decisions among events."""
    return [event for event in events if not isinstance(event, _NO_DECISION)]
