"""A session's log as one worker follows it: opened, read further where more is needed, appended to."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from logging import DEBUG, INFO, WARNING
from typing import TYPE_CHECKING, Final, TypeVar

from slotstate.domains import Domains
from slotstate.errors import InputError, SlotstateError, StaleWriter, StoreError
from slotstate.events import AnyEvent
from slotstate.evolution import completed
from slotstate.flow import Alone, Flow, Stored, adrive, drive
from slotstate.log import Entry, Opened, Snapshot, Store, of_another
from slotstate.masking import Secrets
from slotstate.prompt import Truncated
from slotstate.records import STORES, tell
from slotstate.session import Depth, Session, line_of
from slotstate.snapshots import fits, load
from slotstate.state import State
from slotstate.stores.reading import name_of
from slotstate.telling import tell_written

if TYPE_CHECKING:
    from slotstate.tracker import Tracker

T = TypeVar("T")
RETRIES: Final = 50
"""How often a call decides again because another writer was faster, before it gives up."""
OFTEN: Final = 5
"""After so many times somebody should know."""


class Following:
    """The log of one session, held as far back as it is needed and kept up with what others write."""

    def __init__(self, tracker: Tracker, session: str, user: str | None = None) -> None:
        self._tracker = tracker
        self._name = name_of(session, "session")
        self._user_name = None if user is None else name_of(user, "user")
        self._session = Session(self._name, tracker.schema, tracker.telling, tracker.sensitive, tracker.reader)
        self._line = line_of(tracker.store, self._name)
        self._about = {"session": self._name, "tenant": tracker.store.tenant}
        self._secrets: Secrets | None = None
        self._learned = (-1, 0)
        self._run(self._opened())
        if not self._is_ours(self._session.user):
            raise of_another(self._name)
        self._line.join(self)

    def _run(self, flow: Flow[T]) -> T:
        return drive(flow, self._tracker.plugins)

    async def _arun(self, flow: Flow[T]) -> T:
        return await adrive(flow, self._tracker.plugins)

    @property
    def domains(self) -> Domains:
        """The domains that are tracked."""
        return self._tracker.domains

    def _opened(self) -> Flow[None]:
        name, schema = self._name, self._tracker.schema
        opened: Opened = yield Stored(lambda store: store.open(name, schema))
        if not self._session.open(opened) or self._session.is_short:
            self._session.open((yield from self._log()))

    def _log(self) -> Flow[Opened]:
        """The whole log, and whose it is, as was told when it had been read: it may become somebody's meanwhile."""
        name, schema = self._name, self._tracker.schema
        before: Opened = yield Stored(lambda store: store.open(name, schema))
        while True:
            entries: Sequence[Entry] = yield Stored(lambda store: store.load(name))
            after: Opened = yield Stored(lambda store: store.open(name, schema))
            if after.origin == before.origin:
                return replace(after, entries=entries, snapshot=None)
            before = after  # the log was erased, or begun

    def _loaded(self, after: int = 0) -> Flow[Sequence[Entry] | None]:
        """The log's entries from number `after` on; None where it is not the one of which some are held. Raises
        InputError where it became another user's.
        """
        session, name, schema = self._session, self._name, self._tracker.schema
        entries: Sequence[Entry] = yield Stored(lambda store: store.load(name, after))
        if not session.continues(entries):
            return None
        if session.user is None and session.count and entries[-1].seq >= session.count:  # it may be somebody's by now
            opened: Opened = yield Stored(lambda store: store.open(name, schema))
            if opened.origin != session.origin:
                return None
            if not self._is_ours(opened.user):
                self._let_go((), None)
                raise of_another(name)
            session.user = opened.user
        return entries

    def _deepened(self, depth: Depth) -> Flow[None]:
        """Hold at least so much of the log."""
        session, name, schema = self._session, self._name, self._tracker.schema
        if session.depth >= depth and not session.is_short:
            return
        if depth is Depth.WINDOW:
            window: Snapshot | None = yield Stored(lambda store: store.load_snapshot(name, "window", schema))
            loaded = None if window is None else load(window.content)
            if window is not None and loaded is not None:
                base, numbers = window.seq, loaded.carried.entries + loaded.carried.secrets
                earlier: Sequence[Entry] = (yield Stored(lambda store: store.pick(name, numbers))) if numbers else ()
                behind = yield from self._loaded(base - 1)
                if behind is not None and fits(window, behind):
                    session.widen(loaded, base, earlier, behind)
                    if not session.is_short:
                        return
        entries = yield from self._loaded()
        if entries is None:
            yield from self._begun_anew()
        else:
            session.rebuild(entries)

    def _looking_back(self, make: Callable[[], Flow[T]]) -> Flow[T]:
        """Run a flow that looks at what was said before, over as much of it as it needs."""
        if self._session.depth < Depth.WINDOW:
            yield from self._deepened(Depth.WINDOW)
        try:
            return (yield from make())
        except Truncated:
            yield from self._deepened(Depth.ALL)
            return (yield from make())

    def _whole(self) -> Session:
        """The session with the whole log in memory."""
        if self._session.depth is not Depth.ALL:
            self._run(self._deepened(Depth.ALL))
        return self._session

    def _reload(self) -> Flow[bool]:
        """Take in what other writers appended; whether there was anything."""
        session = self._session
        known = session.count
        entries = yield from self._loaded(max(known - 1, 0))
        if entries is None or (entries and not known):
            yield from self._begun_anew()
            return True
        if not entries or entries[-1].seq < known:
            return False
        session.absorb(entries)
        if session.is_short:
            yield from self._deepened(Depth.ALL)
        return session.count > known

    def _begun_anew(self) -> Flow[None]:
        """The log was erased, or begun by another writer: let go of what is held of it, and go on with what there is
        now. Raises InputError where that is another user's.
        """
        before = self._session.user
        try:
            opened = yield from self._log()
        except StoreError:  # what is held may not be shown, whatever there is now
            self._let_go((), before)
            raise
        if not self._is_ours(opened.user, before):
            self._let_go((), before)
            raise of_another(self._name)
        self._let_go(opened.entries, opened.user)

    def _let_go(self, entries: Sequence[Entry], user: str | None) -> None:
        """Hold these entries, and nothing that came of those before."""
        if self._session.count:
            tell(STORES, INFO, "the log was erased: the conversation begins anew", **self._about)
        self._session.restart(entries, user)
        self._secrets = None

    def _is_ours(self, owner: str | None, before: str | None = None) -> bool:
        mine = before if self._user_name is None else self._user_name
        return None in (owner, mine) or owner == mine

    def look_again(self) -> None:
        """Bring the chat up to date with what others wrote; where the session was erased, let go of it. Raises
        StoreError.
        """
        with self._line.lock:
            try:
                self._run(self._reload())
            except StoreError:  # nobody knows: what may be gone is not shown
                self._let_go((), self._session.user)
                raise
            except InputError:  # it is another user's by now, and was let go of: the next call says so
                pass

    def _append(self, make: Callable[[State], Sequence[AnyEvent] | None]) -> Flow[Sequence[AnyEvent]]:
        """Write the events that `make` decides on the newest state; it is asked again after another writer's append.

        `make` returns None when there is nothing left to write.
        """
        written: Sequence[AnyEvent] = yield Alone(self._appending(make), self._line.lock)
        return written

    def _appending(self, make: Callable[[State], Sequence[AnyEvent] | None]) -> Flow[Sequence[AnyEvent]]:
        session, name, user = self._session, self._name, self._user_name
        for tries in range(RETRIES):
            if session.is_short:
                yield from self._deepened(Depth.ALL)
            state, expected = session.snapshot()
            try:
                events = make(state)
            except SlotstateError:  # is it so on the newest state, too?
                if (yield from self._reload()):
                    continue
                raise
            if not events:
                if (yield from self._reload()):
                    continue
                return ()
            now = self._tracker.now()
            events = completed(state, events)
            entries = [Entry(expected + index, now, event) for index, event in enumerate(events)]
            try:
                yield Stored(partial(_written, session, name, entries, expected, user))
            except StaleWriter:
                level = WARNING if tries == OFTEN else DEBUG
                tell(STORES, level, "another writer was faster", **self._about, tries=tries + 1)
                if tries:
                    _wait(tries)  # before looking: what is read late is not behind so soon
                yield from self._reload()
                continue
            except InputError:  # it is another user's: what is held of it is let go of
                yield from self._reload()
                raise
            session.user = session.user or user
            session.absorb(entries)
            tell_written(events, **self._about)
            return events
        raise StoreError(f"session {self._name!r}: other writers were faster {RETRIES} times; try again")

    def _change(self, decided: Callable[[State, datetime], Sequence[AnyEvent]]) -> None:
        self._run(self._append(lambda state: decided(state, self._tracker.now())))


def _written(
    session: Session, name: str, entries: Sequence[Entry], expected: int, user: str | None, store: Store
) -> None:
    store.append(name, entries, expected, origin=session.origin, user=user, snapshots=session.due())


def _wait(tries: int) -> None:
    """Let writers in other processes go on, each for a time of its own: those who try in step lose in step."""
    time.sleep(min(tries, 20) * (time.perf_counter_ns() % 997) / 997_000)
