"""What is told of SQLite's errors: its own words may quote a row, so only its code is looked at."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Final

_RESTORE: Final = "restore a backup"
_REASONS: Final[Mapping[int, str]] = {
    sqlite3.SQLITE_ERROR: "its tables are not those of a store: it is another program's database, or damaged; name a "
    f"file of its own for the store, or {_RESTORE}",
    sqlite3.SQLITE_BUSY: "database is locked: another program did not let go of it in time; stop that, or give the URL "
    "a longer ?timeout=",
    sqlite3.SQLITE_READONLY: "it can only be read: see to the rights on it and on its folder",
    sqlite3.SQLITE_IOERR: f"disk I/O error: see to the disk, or {_RESTORE}",
    sqlite3.SQLITE_CORRUPT: f"it is damaged (database disk image is malformed): {_RESTORE}",
    sqlite3.SQLITE_FULL: "the disk is full: make room, and try again",
    sqlite3.SQLITE_CANTOPEN: "unable to open database file: see to the rights on it and on its folder, where SQLite "
    "keeps two files beside it",
    sqlite3.SQLITE_NOTADB: f"file is not a database: {_RESTORE}, or name another file",
}
_DAMAGED_TEXT: Final = f"a text in it is damaged: {_RESTORE}"


def code_of(error: BaseException) -> int | None:
    """SQLite's code, without what it says beside; None for an error that is not SQLite's own."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def is_no_text(error: BaseException) -> bool:
    """Whether something that should be text is no UTF-8. Python's module says so, with the text, and without a code."""
    return isinstance(error, UnicodeError) or (isinstance(error, sqlite3.OperationalError) and code_of(error) is None)


def reason_of(error: BaseException) -> str:
    """Why it failed, and what to do."""
    if is_no_text(error):
        return _DAMAGED_TEXT
    code = code_of(error)
    known = None if code is None else _REASONS.get(code)
    return known or str(getattr(error, "sqlite_errorname", type(error).__name__))
