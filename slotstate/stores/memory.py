"""The store that forgets with the process: for tests, notebooks and bots that need no more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import RLock
from typing import Literal
from weakref import WeakValueDictionary

from slotstate.errors import StaleWriter, StoreError
from slotstate.log import DEFAULT_TENANT, Entry, Erased, Opened, SessionInfo, Snapshot, fingerprint, of_another
from slotstate.stores.reading import blobs_of, checked, message_of, numbered


@dataclass(slots=True)
class _Log:
    """One session."""

    entries: list[Entry] = field(default_factory=list[Entry])
    messages: dict[str, int] = field(default_factory=dict[str, int])
    snapshots: dict[tuple[str, str], Snapshot] = field(default_factory=dict[tuple[str, str], Snapshot])
    user: str | None = None
    origin: str = ""


@dataclass(slots=True)
class _Blob:
    """Content, since when it is kept, and by session whether an entry refers to it."""

    content: bytes
    at: datetime
    uses: dict[str, bool] = field(default_factory=dict[str, bool])


@dataclass(slots=True)
class _Tenant:
    logs: dict[str, _Log] = field(default_factory=dict[str, _Log])
    blobs: dict[str, _Blob] = field(default_factory=dict[str, _Blob])


class MemoryStore:
    """Logs in dicts. Safe for threads; shared by the trackers that are given the same instance."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._tenants: dict[str, _Tenant] = {DEFAULT_TENANT: _Tenant()}
        self._tenant = DEFAULT_TENANT
        self._stores: WeakValueDictionary[str, MemoryStore] = WeakValueDictionary({DEFAULT_TENANT: self})

    @property
    def tenant(self) -> str:
        """Whose data this store reads and writes."""
        return self._tenant

    def within(self, tenant: str) -> MemoryStore:
        """The same logs' place for another tenant; the same store for the same tenant, as long as somebody holds it."""
        checked(tenant, "tenant")
        with self._lock:
            store = self._stores.get(tenant)
            if store is None:
                store = self._stores[tenant] = copy(self)
                store._tenant = tenant
                self._tenants.setdefault(tenant, _Tenant())
            return store

    def open(self, session: str, schema: str) -> Opened:
        """What a session is opened with."""
        with self._lock:
            log = self._log(session)
            if log is None:
                return Opened(())
            head = log.snapshots.get(("head", schema))
            return Opened(tuple(log.entries[head.seq - 1 if head else 0 :]), head, log.origin, log.user)

    def load(self, session: str, after: int = 0) -> Sequence[Entry]:
        """The session's entries from number `after` on."""
        with self._lock:
            log = self._tenants[self._tenant].logs.get(session) or self._log(session)
            return () if log is None else tuple(log.entries[after:])

    def pick(self, session: str, numbers: Sequence[int]) -> Sequence[Entry]:
        """The entries of these numbers that are there."""
        with self._lock:
            entries = self._entries(session)
            return tuple(entries[seq] for seq in sorted({*numbers}) if 0 <= seq < len(entries))

    def find(self, session: str, message: str) -> Entry | None:
        """The entry of the message with this id."""
        with self._lock:
            log = self._log(session)
            seq = None if log is None else log.messages.get(message)
            return None if log is None or seq is None else log.entries[seq]

    def append(
        self,
        session: str,
        entries: Sequence[Entry],
        expected: int,
        *,
        origin: str = "",
        user: str | None = None,
        snapshots: Sequence[Snapshot] = (),
    ) -> None:
        """Add all entries if the session holds exactly `expected`, else raise StaleWriter."""
        numbered(entries, expected)
        if user is not None:
            checked(user, "user")
        with self._lock:
            log = self._log(session) or _Log()
            if None not in (user, log.user) and user != log.user:
                raise of_another(session)
            if len(log.entries) != expected or (origin and origin != log.origin):
                raise StaleWriter(
                    f"session {session!r} has {len(log.entries)} entries, not these {expected}: reload and decide again"
                )
            if not entries:
                return
            self._own.logs[session] = log
            log.user = user if log.user is None else log.user
            log.origin = log.origin or fingerprint(entries[0])
            for entry in entries:
                if (message := message_of(entry.event)) is not None:
                    log.messages.setdefault(message, entry.seq)
                for ref in blobs_of(entry.event):
                    if (blob := self._own.blobs.get(ref)) is not None:
                        blob.uses[session] = True
            log.entries.extend(entries)
            for one in snapshots:
                known = log.snapshots.get((one.kind, one.schema))
                if known is None or known.seq < one.seq:
                    log.snapshots[one.kind, one.schema] = one

    def load_snapshot(self, session: str, kind: Literal["head", "window"], schema: str) -> Snapshot | None:
        """The snapshot of that kind for that schema."""
        with self._lock:
            log = self._log(session)
            return None if log is None else log.snapshots.get((kind, schema))

    def save_blob(self, session: str, ref: str, content: bytes) -> None:
        """Keep content under its reference."""
        checked(session, "session")
        with self._lock:
            now = datetime.now(UTC)
            blob = self._own.blobs.setdefault(ref, _Blob(content, now))
            if blob.content != content:
                raise StoreError(f"{ref} stands for another content already: a reference must be the content's digest")
            blob.at = now
            blob.uses.setdefault(session, False)

    def load_blob(self, session: str, ref: str) -> bytes | None:
        """The content under a reference of this session."""
        checked(session, "session")
        with self._lock:
            blob = self._own.blobs.get(ref)
            return None if blob is None or session not in blob.uses else blob.content

    def sessions(self, *, user: str | None = None, before: datetime | None = None) -> Iterator[SessionInfo]:
        """The tenant's sessions by name."""
        if user is not None:
            checked(user, "user")
        with self._lock:
            logs = sorted(self._own.logs.items())
            found = [
                SessionInfo(name, log.user, len(log.entries), log.entries[0].at, log.entries[-1].at)
                for name, log in logs
            ]
        for info in found:
            if (user is None or info.user == user) and (before is None or info.touched < before):
                yield info

    def forget(self, *, session: str | None = None, user: str | None = None, before: datetime | None = None) -> Erased:
        """Remove what fits all that is given, with no selector all that the tenant has."""
        if session is not None:
            checked(session, "session")
        with self._lock:
            names = {one.session for one in self.sessions(user=user, before=before)}
            if user is None and before is None:  # also those that kept a blob and never wrote an entry
                names |= {name for blob in self._own.blobs.values() for name in blob.uses}
            if session is not None:
                names &= {session}
            logs = [self._own.logs.pop(name) for name in names if name in self._own.logs]
            blobs = self._release(names)
            return Erased(
                sessions=len(logs),
                entries=sum(len(log.entries) for log in logs),
                snapshots=sum(len(log.snapshots) for log in logs),
                blobs=blobs,
                left=sum(name in self._own.logs for name in names),
            )

    def collect(self, before: datetime) -> int:
        """Remove the blobs that were kept before a time and that no entry refers to."""
        with self._lock:
            for blob in self._own.blobs.values():
                if blob.at < before:
                    blob.uses = {name: used for name, used in blob.uses.items() if used}
            return self._release(())

    def close(self) -> None:
        """Nothing is held open."""

    @property
    def _own(self) -> _Tenant:
        return self._tenants[self._tenant]

    def _log(self, session: str) -> _Log | None:
        return self._own.logs.get(checked(session, "session"))

    def _entries(self, session: str) -> list[Entry]:
        log = self._log(session)
        return [] if log is None else log.entries

    def _release(self, sessions: Iterable[str]) -> int:
        """End the sessions' use of blobs; the number of those that nobody uses any more."""
        for blob in self._own.blobs.values():
            for name in sessions:
                blob.uses.pop(name, None)
        gone = [ref for ref, blob in self._own.blobs.items() if not blob.uses]
        for ref in gone:
            del self._own.blobs[ref]
        return len(gone)
