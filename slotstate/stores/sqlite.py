"""The embedded store: one durable SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from threading import Lock

from pydantic import ValidationError

from slotstate.errors import StaleWriter, StoreError
from slotstate.events import dump_event, load_event
from slotstate.log import Entry

VERSION = 2
"""Of the tables below, kept in the file's user_version. 2 has the blobs."""
_CREATE = (
    """
CREATE TABLE IF NOT EXISTS entries (
    session TEXT NOT NULL,
    seq INTEGER NOT NULL,
    at TEXT NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (session, seq)
) WITHOUT ROWID
""",
    """
CREATE TABLE IF NOT EXISTS blobs (
    session TEXT NOT NULL,
    ref TEXT NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (session, ref)
)
""",
)


class SqliteStore:
    """Logs in an SQLite file. WAL with synchronous=FULL: an append that returned survives a crash and a power cut.

    Threads share one connection, one at a time; several processes may use the file at once (a writer waits up to 10 s).
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._lock = Lock()
        if path != ":memory:" and not Path(path).parent.is_dir():
            raise StoreError(f"cannot open {path}: its folder does not exist; create {Path(path).parent} first")
        with self._errors("open"):
            self._db = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    def load(self, session: str, after: int = 0) -> Sequence[Entry]:
        """The session's entries from number `after` on."""
        with self._lock, self._errors("read"):
            query = "SELECT seq, at, event FROM entries WHERE session = ? AND seq >= ? ORDER BY seq"
            rows = self._db.execute(query, (session, after)).fetchall()
        return tuple(self._entry(session, after + index, *row) for index, row in enumerate(rows))

    def append(self, session: str, entries: Sequence[Entry], expected: int) -> None:
        """Add all entries if the session holds exactly `expected`, else raise StaleWriter."""
        rows = [(session, entry.seq, entry.at.isoformat(), dump_event(entry.event)) for entry in entries]
        with self._lock, self._errors("write"), self._transaction():
            query = "SELECT coalesce(max(seq) + 1, 0) FROM entries WHERE session = ?"
            (count,) = self._db.execute(query, (session,)).fetchone()
            if count != expected:
                raise StaleWriter(f"session {session!r} has {count} entries, not {expected}: reload and decide again")
            self._db.executemany("INSERT INTO entries VALUES (?, ?, ?, ?)", rows)

    def save_blob(self, session: str, ref: str, content: bytes) -> None:
        """Keep content under its reference."""
        with self._lock, self._errors("write"), self._transaction():
            self._db.execute("INSERT OR IGNORE INTO blobs VALUES (?, ?, ?)", (session, ref, content))

    def load_blob(self, session: str, ref: str) -> bytes | None:
        """The content under a reference; None when there is none."""
        with self._lock, self._errors("read"):
            query = "SELECT content FROM blobs WHERE session = ? AND ref = ?"
            row = self._db.execute(query, (session, ref)).fetchone()
        return None if row is None else bytes(row[0])

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def _prepare(self) -> None:
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise StoreError(f"{self._path} was written by a newer slotstate: upgrade with pip install -U slotstate")
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        with self._transaction():
            for statement in _CREATE:
                self._db.execute(statement)
            self._db.execute(f"PRAGMA user_version = {VERSION}")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    @contextmanager
    def _errors(self, doing: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"cannot {doing} {self._path}: {error}") from error

    def _entry(self, session: str, expected: int, seq: int, at: str, event: str) -> Entry:
        try:
            if seq != expected:
                raise ValueError(f"entry {expected} is missing")
            return Entry(seq, datetime.fromisoformat(at), load_event(event))
        except (ValidationError, ValueError, TypeError) as error:
            reason = str(error).splitlines()[0]
            raise StoreError(f"{self._path}: entry {seq} of session {session!r} is damaged ({reason})") from error
