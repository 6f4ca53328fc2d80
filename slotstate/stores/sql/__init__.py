"""SQL stores: SQLite and PostgreSQL by one implementation. Import it only to open one: it brings SQLAlchemy."""

from __future__ import annotations

from collections.abc import Mapping

from slotstate.errors import MissingExtra
from slotstate.stores.sql.sqlite import SqlitePlace
from slotstate.stores.sql.store import SqlStore


def open_sqlite(path: str, options: Mapping[str, str], *, create: bool = True) -> SqlStore:
    """A store in a file; with `create`, it is made where there is none."""
    return SqlStore(SqlitePlace(path, options, create=create))


def open_postgres(url: str, *, create: bool = True) -> SqlStore:
    """A store in a database of a server; with `create`, its tables are made where there are none."""
    try:
        from slotstate.stores.sql.postgres import PostgresPlace
    except ImportError as error:
        if (error.name or "psycopg").partition(".")[0] != "psycopg":
            raise
        raise MissingExtra("psycopg, which talks to PostgreSQL,", "postgres") from None
    return SqlStore(PostgresPlace(url, create=create))


__all__ = ["SqlStore", "open_postgres", "open_sqlite"]
