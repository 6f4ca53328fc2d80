"""Rows of a SQL store: entries as they are written and read, with the digests by which damage is noticed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from slotstate.errors import InputError, StoreError
from slotstate.events import dump_event, load_event
from slotstate.log import Entry, SessionInfo, Snapshot, fingerprint_of
from slotstate.stores.reading import blobs_of, message_of
from slotstate.upcasting import FORMAT, NewerFormat

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)

Row = Sequence[Any]


class Written(NamedTuple):
    """What an append writes: entries as rows of seq, at, event, format, message_key and mark; snapshots as rows of
    kind, schema, seq, last, content and mark; the blobs that the entries refer to as (reference, number of the entry);
    the fingerprint of the first entry.
    """

    rows: list[Row]
    snapshots: list[Row]
    uses: list[tuple[str, int]]
    first: str


def digest(text: str) -> str:
    """32 hexadecimal digits."""
    return blake2b(text.encode(), digest_size=16).hexdigest()


def message_key(session: str, message: str) -> int:
    """What a message is found by: 31 bits of its session's digest, 32 of its id's. So the index is small, and what a
    session writes stands together in it. Others may have the same: who finds one looks at the id.
    """
    return _session_key(session) | int(digest(message)[:8], 16)


@lru_cache(1024)
def _session_key(session: str) -> int:
    return (int(digest(session)[:8], 16) >> 1) << 32


def digest_of(content: bytes) -> str:
    """32 hexadecimal digits that stand for a blob's content."""
    return blake2b(content, digest_size=16).hexdigest()


def mark_of(session: str, form: int, fingerprint: str) -> str:
    """The digest of an entry's row: also one that was swapped with another session's is noticed."""
    return digest(f"{session} {form} {fingerprint}")


def micros(at: datetime) -> int:
    """Microseconds since 1970. Raises InputError for a time without a zone."""
    if at.tzinfo is None:
        raise InputError(f"{at.isoformat()} says no time zone: give it a tzinfo")
    return (at - _EPOCH) // _MICROSECOND


def time_of(value: int) -> datetime:
    """The time that `micros` made a number of."""
    return _EPOCH + value * _MICROSECOND


def written(session: str, entries: Sequence[Entry], snapshots: Sequence[Snapshot] = ()) -> Written:
    """Entries and snapshots as they are written."""
    rows: list[Row] = []
    one = ""
    uses: dict[str, int] = {}
    first, stamped, at = "", None, ""
    for entry in entries:
        if entry.at is not stamped:  # most often all of an append have one time
            stamped = entry.at
            at = stamped.isoformat()
        event = dump_event(entry.event)
        one = fingerprint_of(entry.seq, at, event)
        first = first or one
        message = message_of(entry.event)
        if message is not None:
            for ref in blobs_of(entry.event):
                uses.setdefault(ref, entry.seq)
        key = None if message is None else message_key(session, message)
        rows.append((entry.seq, at, event, FORMAT, key, mark_of(session, FORMAT, one)))
    if entries and entries[-1].logged is None:
        entries[-1].knowing(one)  # a snapshot will ask for it
    newest: dict[tuple[str, str], Snapshot] = {}
    for snapshot in snapshots:  # no statement writes one row twice
        known = newest.setdefault((snapshot.kind, snapshot.schema), snapshot)
        if known.seq < snapshot.seq:
            newest[snapshot.kind, snapshot.schema] = snapshot
    return Written(rows, [_snapshot_row(session, one) for one in newest.values()], sorted(uses.items()), first)


class _Changed(Exception):
    """A row is not what was written."""


def read_entry(where: str, session: str, row: Row) -> tuple[Entry, str]:
    """The entry of a row (seq, at, event, format, mark), and its fingerprint. Raises StoreError when it is damaged."""
    seq, at, event, form, mark = row
    try:
        fingerprint = fingerprint_of(seq, at, event)
        if mark_of(session, form, fingerprint) != mark:
            raise _Changed
        entry = Entry(seq, datetime.fromisoformat(at), load_event(event, form))
        # A row of an earlier format is written otherwise now.
        return (entry.knowing(fingerprint) if form == FORMAT else entry), fingerprint
    except NewerFormat as error:
        raise NewerFormat(f"{where}: entry {seq} of session {session!r}: {error}") from None
    except (_Changed, UnicodeEncodeError):
        reason = "it is not what was written"
    except (ValidationError, ValueError, TypeError):  # their own words may hold the entry's
        reason = "it cannot be read"
    raise StoreError(f"{where}: entry {seq} of session {session!r} is damaged ({reason}); restore a backup")


def read_entries(where: str, session: str, rows: Sequence[Row], after: int, count: int, origin: str) -> Iterator[Entry]:
    """The entries from number `after` to before `count`, none missing. Raises StoreError."""
    for seq, row in enumerate(rows, after):
        if row[0] != seq or seq >= count:
            raise missing(where, session, min(seq, count))
        entry, fingerprint = read_entry(where, session, row)
        if seq == 0 and fingerprint != origin:
            raise StoreError(f"{where}: entry 0 of session {session!r} is damaged (the session began with another)")
        yield entry
    if after + len(rows) < count and after < count:
        raise missing(where, session, after + len(rows))


def read_header(where: str, session: str, row: Row) -> tuple[int, str, str | None]:
    """How many entries a session has, its origin and its user, from the row that stands before the entries'."""
    seq, _, _, count, origin, user, *_ = row
    if seq != -1:
        raise StoreError(
            f"{where}: entry {seq} of session {session!r} is there, and the session is not; restore a backup"
        )
    if not (isinstance(count, int) and _is_text(origin) and (user is None or _is_text(user))):
        raise StoreError(f"{where}: session {session!r} is damaged; restore a backup")
    return count, origin, user


def read_info(where: str, row: Row) -> SessionInfo:
    """A session in a list."""
    session, user, count, began, touched = row
    try:
        if _is_text(session) and isinstance(count, int) and (user is None or _is_text(user)):
            return SessionInfo(session, user, count, time_of(began), time_of(touched))
    except (TypeError, OverflowError):
        pass
    raise StoreError(f"{where}: session {session!r} is damaged; restore a backup")


def missing(where: str, session: str, seq: int) -> StoreError:
    """What tells that an entry is not there, or not counted."""
    return StoreError(f"{where}: the log of session {session!r} is damaged (entry {seq} is missing); restore a backup")


def _snapshot_row(session: str, one: Snapshot) -> Row:
    return one.kind, one.schema, one.seq, one.last, one.content, _snapshot_mark(session, one)


def read_snapshot(session: str, snapshot: Snapshot, mark: str) -> bool:
    """Whether it is what was written."""
    number: object = snapshot.seq  # SQLite keeps any type anywhere
    return isinstance(number, int) and _matches(session, snapshot, mark)


def _matches(session: str, snapshot: Snapshot, mark: str) -> bool:
    try:
        return _snapshot_mark(session, snapshot) == mark
    except UnicodeEncodeError:  # it holds text that is none any more
        return False


def text_as_it_stands(stored: bytes) -> str:
    """Text of a database, in which bytes that are no UTF-8 stand as half characters: it can be told that it is damaged,
    and where.
    """
    return stored.decode("utf-8", "surrogateescape")


def _is_text(value: object) -> bool:
    """Whether it is text as it was written, not some that was damaged (see `text_as_it_stands`)."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _snapshot_mark(session: str, one: Snapshot) -> str:
    return digest(f"{session} {one.kind} {one.schema} {one.seq} {one.last} {one.content}")
