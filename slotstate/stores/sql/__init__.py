"""SQL stores: SQLite and PostgreSQL by one implementation. Import it only to open one: it brings SQLAlchemy."""

from __future__ import annotations

from collections.abc import Mapping

from slotstate.stores.sql.sqlite import SqlitePlace
from slotstate.stores.sql.store import SqlStore


def open_sqlite(path: str, options: Mapping[str, str]) -> SqlStore:
    """A store in a file."""
    return SqlStore(SqlitePlace(path, options))


__all__ = ["SqlStore", "open_sqlite"]
