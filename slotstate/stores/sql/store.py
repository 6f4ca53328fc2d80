"""The store that keeps logs in SQL tables: the same for every database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from logging import WARNING
from threading import Lock
from typing import Any, Final, Literal
from weakref import WeakValueDictionary

from slotstate.errors import SlotstateError, StaleWriter, StoreError
from slotstate.log import DEFAULT_TENANT, Entry, Erased, Opened, SessionInfo, Snapshot, of_another
from slotstate.records import STORES, tell
from slotstate.stores.reading import checked, is_stored_text, message_of, numbered
from slotstate.stores.sql.erasing import collect, forget
from slotstate.stores.sql.place import Place, Run
from slotstate.stores.sql.rows import (
    Row,
    Written,
    digest_of,
    message_key,
    micros,
    missing,
    read_entries,
    read_entry,
    read_header,
    read_info,
    read_snapshot,
    written,
)
from slotstate.stores.sql.statements import (
    AT_ONCE,
    PAGE,
    Known,
    Statement,
    chunks,
    parts,
    several,
)

_LAST: Final = 2**63 - 1


class SqlStore:
    """The logs of one tenant in a database. Safe for threads; `within` shares the connections, and `close` of the store
    that was opened ends them for all.
    """

    def __init__(self, place: Place, tenant: str = DEFAULT_TENANT) -> None:
        self._place = place
        self._tenant = tenant
        self._others: WeakValueDictionary[str, SqlStore] = WeakValueDictionary()
        self._others_lock = Lock()
        self._owner = True

    @property
    def tenant(self) -> str:
        """Whose data this store reads and writes."""
        return self._tenant

    def within(self, tenant: str) -> SqlStore:
        """The same place for a tenant, to be closed without harm; the same store as long as somebody holds it."""
        checked(tenant, "tenant")
        with self._others_lock:
            store = self._others.get(tenant)
            if store is None:
                store = SqlStore(self._place, tenant)
                store._others, store._others_lock, store._owner = self._others, self._others_lock, False
                self._others[tenant] = store
            return store

    def open(self, session: str, schema: str) -> Opened:
        """What a session is opened with."""
        rows = self._rows(self._place.statements.open, {"its": checked(session, "session"), "schema": schema})
        if not rows:
            return Opened(())
        header, *entries = rows
        count, origin, user = read_header(self._place.name, session, header)
        upto, last, content, mark = header[6:]
        head = None if upto is None else Snapshot("head", upto, last, schema, content)
        if head is not None and not (read_snapshot(session, head, mark) and 0 < head.seq <= count):
            self._drop_snapshot(session, head)
            return self._opened(session)
        after = head.seq - 1 if head else 0
        found = read_entries(self._place.name, session, [row[:5] for row in entries], after, count, origin)
        return Opened(tuple(found), head, origin, user)

    def load(self, session: str, after: int = 0) -> Sequence[Entry]:
        """The session's entries from number `after` on."""
        return self._opened(session, min(max(after, 0), _LAST)).entries

    def _opened(self, session: str, after: int = 0) -> Opened:
        """A session without any snapshot."""
        rows = self._rows(self._place.statements.load, {"its": checked(session, "session"), "after": after})
        if not rows:
            return Opened(())
        header, *entries = rows
        count, origin, user = read_header(self._place.name, session, header)
        found = read_entries(self._place.name, session, [row[:5] for row in entries], after, count, origin)
        return Opened(tuple(found), None, origin, user)

    def pick(self, session: str, numbers: Sequence[int]) -> Sequence[Entry]:
        """The entries of these numbers that are there."""
        checked(session, "session")
        entries: list[Entry] = []
        for some in chunks(sorted({seq for seq in numbers if 0 <= seq <= _LAST})):
            rows = self._rows(self._place.statements.pick(len(some)), {"its": session, **several(some)})
            if not rows:
                return ()
            header, *found = rows
            count, _, _ = read_header(self._place.name, session, header)
            entries += (read_entry(self._place.name, session, row[:5])[0] for row in found)
            lost = {seq for seq in some if seq < count}.difference(row[0] for row in found)
            if lost:
                raise missing(self._place.name, session, min(lost))
        return tuple(entries)

    def find(self, session: str, message: str) -> Entry | None:
        """The entry of the message with this id."""
        asked = {"its": checked(session, "session"), "key": message_key(session, message)}
        for row in self._rows(self._place.statements.find, asked):
            entry, _ = read_entry(self._place.name, session, row)
            if message_of(entry.event) == message:
                return entry
        return None

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
        checked(session, "session")
        numbered(entries, expected)
        if user is not None:
            checked(user, "user")
        if not entries:
            return self._check(session, expected, origin, user)
        what = written(session, entries, snapshots)
        change = {
            "its": session,
            "expected": expected,
            "counted": expected + len(entries),
            "origin": origin or ("" if expected else what.first),
            "owner": user,
            "began": micros(entries[0].at),
            "touched": micros(entries[-1].at),
        }
        if not expected and origin:  # a log that has begun is gone
            raise self._refused(session, expected, user)
        if self._place.at_once and not what.uses and len(what.rows) + len(what.snapshots) <= AT_ONCE:
            won = self._place.single(self._tenant, lambda run: self._put_at_once(run, what, change))
        else:
            won = self._place.transaction(self._tenant, lambda run: self._put(run, what, change))
        if not won:
            raise self._refused(session, expected, user)
        return None

    def load_snapshot(self, session: str, kind: Literal["head", "window"], schema: str) -> Snapshot | None:
        """The snapshot of that kind for that schema; None also for one that is damaged."""
        asked = {"its": checked(session, "session"), "kind": kind, "schema": schema}
        rows = self._rows(self._place.statements.snapshot, asked)
        if not rows:
            return None
        seq, last, content, mark = rows[0]
        found = Snapshot(kind, seq, last, schema, content)
        if read_snapshot(session, found, mark):
            return found
        self._drop_snapshot(session, found)
        return None

    def save_blob(self, session: str, ref: str, content: bytes) -> None:
        """Keep content under its reference."""
        its = {"its": checked(session, "session"), "ref": ref}
        blob = {"ref": ref, "touched": micros(datetime.now(UTC)), "mark": digest_of(content), "content": content}

        def keep(run: Run) -> None:
            if not run.change(self._place.statements.keep_blob, blob):
                raise StoreError(f"{ref} stands for another content already: a reference must be the content's digest")
            run.change(self._place.statements.use_blob, its)

        self._place.transaction(self._tenant, keep)

    def load_blob(self, session: str, ref: str) -> bytes | None:
        """The content under a reference of this session."""
        asked = {"its": checked(session, "session"), "ref": ref}
        rows = self._rows(self._place.statements.blob, asked) if is_stored_text(ref) else ()
        if not rows:
            return None
        content, mark = rows[0]
        if not isinstance(content, bytes) or digest_of(content) != mark:
            raise StoreError(f"{self._place.name}: {ref[:80]!r} of session {session!r} is damaged; restore a backup")
        return content

    def sessions(self, *, user: str | None = None, before: datetime | None = None) -> Iterator[SessionInfo]:
        """The tenant's sessions by name, read by the page."""
        asked: dict[str, object] = {} if user is None else {"user": checked(user, "user")}
        if before is not None:
            asked["before"] = micros(before)
        while True:
            statement = self._place.statements.sessions(user is not None, before is not None, "past" in asked)
            rows = self._rows(statement, asked)
            for row in rows:
                yield read_info(self._place.name, row)
            if len(rows) < PAGE:
                return
            asked["past"] = rows[-1][0]

    def forget(self, *, session: str | None = None, user: str | None = None, before: datetime | None = None) -> Erased:
        """Remove what fits all that is given, with no selector all that the tenant has."""
        asked: dict[str, Any] = {} if session is None else {"its": checked(session, "session")}
        if user is not None:
            asked["user"] = checked(user, "user")
        if before is not None:
            asked["before"] = micros(before)
        return forget(self._place, self._tenant, asked)

    def collect(self, before: datetime) -> int:
        """Remove the blobs that were kept before a time and that no entry refers to."""
        return collect(self._place, self._tenant, micros(before))

    def close(self) -> None:
        """Close the connections, if this store opened them."""
        if self._owner:
            self._place.close()

    def _rows(self, statement: Statement, values: Mapping[str, object]) -> list[Row]:
        return self._place.single(self._tenant, lambda run: run.rows(statement, values))

    def _put(self, run: Run, what: Written, change: Mapping[str, Any]) -> bool:
        """Append in a transaction; whether this writer was first."""
        made = self._place.statements
        known = _known(change)
        if not run.change(made.begin if known is None else made.go_on(known), change):
            return run.again and self._ours(run, what, change)
        for rows in parts(what.rows):
            run.change(made.write(len(rows)), change, rows)
        for rows in parts(what.snapshots):
            run.change(made.keep_snapshots(len(rows)), change, rows)
        for ref, seq in what.uses:
            run.rows(made.lock_blobs(1, False), {"v0": ref})
            run.change(made.refer, {"its": change["its"], "ref": ref, "seq": seq})
        return True

    def _put_at_once(self, run: Run, what: Written, change: Mapping[str, Any]) -> bool:
        """Append in one statement; whether this writer was first."""
        made = self._place.statements
        statement = made.at_once(_known(change), len(what.rows), len(what.snapshots))
        won = run.rows(statement, change, (*what.rows, *what.snapshots))
        return bool(won) or (run.again and self._ours(run, what, change))

    def _ours(self, run: Run, what: Written, change: Mapping[str, Any]) -> bool:
        """Whether the entries are there: an earlier try was done, though nobody could say so."""
        between = {"its": change["its"], "first": change["expected"], "last": change["counted"] - 1}
        marks = run.rows(self._place.statements.marks, between)
        return [mark for (mark,) in marks] == [row[-1] for row in what.rows]

    def _check(self, session: str, expected: int, origin: str, user: str | None) -> None:
        count, began, owner = self._standing(session)
        if count != expected or (origin and origin != began) or (None not in (user, owner) and user != owner):
            raise self._refused(session, expected, user)

    def _standing(self, session: str) -> Row:
        """How many entries a session has, its origin and its user."""
        rows = self._rows(self._place.statements.count, {"its": session})
        return rows[0] if rows else (0, "", None)

    def _refused(self, session: str, expected: int, user: str | None) -> SlotstateError:
        """Why nothing was appended."""
        count, _, owner = self._standing(session)
        if None not in (user, owner) and user != owner:
            return of_another(session)
        return StaleWriter(f"session {session!r} has {count} entries, not these {expected}: reload and decide again")

    def _drop_snapshot(self, session: str, snapshot: Snapshot) -> None:
        """A damaged snapshot goes, so that it stands in no newer one's way: it can be made again from the log. Another
        worker's new one, which may stand there by now, can so, too. Where it cannot be removed it is left aside.
        """
        tell(STORES, WARNING, "a damaged snapshot was dropped", session=session, tenant=self._tenant)
        values = {"its": session, "kind": snapshot.kind, "schema": snapshot.schema}
        with suppress(StoreError):
            self._place.transaction(self._tenant, lambda run: run.change(self._place.statements.drop_snapshot, values))


def _known(change: Mapping[str, Any]) -> Known | None:
    """What a writer knows of the session; None where it begins."""
    return Known(change["origin"] != "", change["owner"] is not None) if change["expected"] else None
