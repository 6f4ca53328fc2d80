"""The log: entries in order, and what a store must do for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from typing import Final, Literal, Protocol, runtime_checkable

from slotstate.errors import InputError
from slotstate.events import AnyEvent, dump_event

DEFAULT_TENANT: Final = "default"
"""Whose data it is, where nobody says."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An event with its place in the session's log (0-based, without gaps) and the time it was written. `logged` is the
    event as the log has it, where the present schema has it otherwise; `known` its fingerprint, once it was worked out.
    """

    seq: int
    at: datetime
    event: AnyEvent
    logged: AnyEvent | None = field(default=None, compare=False)
    known: str = field(default="", init=False, compare=False, repr=False)

    def knowing(self, fingerprint: str) -> Entry:
        """The entry, which remembers its fingerprint: who asks for it next need not write the event out again."""
        object.__setattr__(self, "known", fingerprint)
        return self


def fingerprint(entry: Entry) -> str:
    """32 hexadecimal digits that tell an entry from any other."""
    return entry.known or fingerprint_of(entry.seq, entry.at.isoformat(), dump_event(entry.logged or entry.event))


def fingerprint_of(seq: int, at: str, event: str) -> str:
    """The fingerprint of an entry as it is written: time in ISO form, event as JSON."""
    return blake2b(f"{seq} {at} {event}".encode(), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """From what a session can be opened without its first `seq` entries.

    head: what is tracked. window: also what a prompt needs of the entries before. `last` is the fingerprint of entry
    `seq - 1`, by which a snapshot is told from that of another log. `schema` digests what `content` depends on beside
    the log: one of another schema is of no use.
    """

    kind: Literal["head", "window"]
    seq: int
    last: str
    schema: str
    content: str


@dataclass(frozen=True, slots=True)
class Opened:
    """What a session is opened with. `entries` begin with the snapshot's last one (number `seq - 1`), so that it can be
    verified; without a snapshot they are the whole log. `origin` is the fingerprint of entry 0, "" for an unknown
    session.
    """

    entries: Sequence[Entry]
    snapshot: Snapshot | None = None
    origin: str = ""
    user: str | None = None


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A session in a store: whose it is, how many entries it has, when the first and the last were written."""

    session: str
    user: str | None
    entries: int
    began: datetime
    touched: datetime


def of_another(session: str) -> InputError:
    """What is raised where a user asks for what is another one's."""
    return InputError(f"session {session!r} belongs to another user: begin another session for this one")


@dataclass(frozen=True, slots=True)
class Erased:
    """What was removed, counted by kind; `blobs` are those that nothing refers to any more. `left` are the rows that a
    second look still found of it: 0, or it is not done.
    """

    sessions: int = 0
    entries: int = 0
    snapshots: int = 0
    blobs: int = 0
    left: int = 0


@runtime_checkable
class Store(Protocol):
    """Keeps the logs of one tenant's sessions, in a place that tenants may share. Append-only, erasure aside; safe to
    call from several threads. No call reads or changes what is another tenant's. Every method raises StoreError when
    the place cannot be read or written, or what it holds is damaged.
    """

    @property
    def tenant(self) -> str:
        """Whose data this store reads and writes."""
        ...

    def within(self, tenant: str) -> Store:
        """The same place for another tenant."""
        ...

    def open(self, session: str, schema: str) -> Opened:
        """What a session is opened with: its head snapshot for this schema, if there is one, and the entries behind."""
        ...

    def load(self, session: str, after: int = 0) -> Sequence[Entry]:
        """The session's entries from number `after` on, in order; empty for an unknown session."""
        ...

    def pick(self, session: str, numbers: Sequence[int]) -> Sequence[Entry]:
        """The entries of these numbers that are there, in order."""
        ...

    def find(self, session: str, message: str) -> Entry | None:
        """The entry of the message with this id; None when there is none."""
        ...

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
        """Add `entries`, all or none, if the session holds exactly `expected` entries, and, where `origin` is given,
        its log began with the entry of that fingerprint. On return they are durable. `user` says whose session it is,
        where that was not known; where it is another user's, nothing is written (see `of_another`). `snapshots` of up
        to `expected` entries take the place of older ones of their kind and schema. Raises StaleWriter, InputError,
        StoreError.
        """
        ...

    def load_snapshot(self, session: str, kind: Literal["head", "window"], schema: str) -> Snapshot | None:
        """The snapshot of that kind for that schema; None when there is none."""
        ...

    def save_blob(self, session: str, ref: str, content: bytes) -> None:
        """Keep content under its reference, before the entry that refers to it is written; the same again changes
        nothing, another content under the same reference is refused.
        """
        ...

    def load_blob(self, session: str, ref: str) -> bytes | None:
        """The content under a reference of this session; None when there is none."""
        ...

    def sessions(self, *, user: str | None = None, before: datetime | None = None) -> Iterator[SessionInfo]:
        """The tenant's sessions by name: all, a user's, those whose last entry was written before a time."""
        ...

    def forget(self, *, session: str | None = None, user: str | None = None, before: datetime | None = None) -> Erased:
        """Remove what fits all that is given, with no selector all that the tenant has: logs, snapshots, blobs that no
        other session refers to. Atomic. Nobody can bring it back.
        """
        ...

    def collect(self, before: datetime) -> int:
        """Remove the blobs that were kept before a time and that no entry refers to; their number."""
        ...

    def close(self) -> None:
        """Release what the store holds open."""
        ...
