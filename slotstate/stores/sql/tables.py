"""The tables of a SQL store. Every row says whose tenant's it is."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Column, Index, LargeBinary, MetaData, String, Table, Text

REVISION: Final = "4"
"""Of the tables below: the newest one in migrations/versions. 1 and 2 were SQLite files with one tenant."""
VERSION_TABLE: Final = "slotstate_version"

METADATA: Final = MetaData()
# By code point everywhere, as Python sorts; PostgreSQL would sort by the database's language.
_Name = Text().with_variant(Text(collation="C"), "postgresql")


def _key(*names: str) -> list[Column[str]]:
    return [Column(name, _Name, primary_key=True) for name in names]


SESSIONS: Final = Table(
    "slotstate_sessions",
    METADATA,
    *_key("tenant", "session"),
    Column("count", BigInteger, nullable=False),  # entries; who raises it first has appended
    Column("origin", Text, nullable=False),  # fingerprint of entry 0
    Column("owner", _Name),  # the user
    Column("began", BigInteger, nullable=False),  # microseconds since 1970, of entry 0
    Column("touched", BigInteger, nullable=False),  # microseconds since 1970, of the last entry
    sqlite_with_rowid=False,
)
Index("slotstate_sessions_owner", SESSIONS.c.tenant, SESSIONS.c.owner, SESSIONS.c.session)

# With SQLite's rowid: new rows stand at the end of the table, so that a turn changes fewer pages.
ENTRIES: Final = Table(
    "slotstate_entries",
    METADATA,
    *_key("tenant", "session"),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("at", Text, nullable=False),  # ISO, as it was stamped
    Column("event", Text, nullable=False),  # JSON
    Column("format", BigInteger, nullable=False),  # of the event
    Column("message_key", BigInteger),  # what finds a message by its id: see rows.message_key
    Column("mark", Text, nullable=False),  # digest of the row
)
_MESSAGE = ENTRIES.c.message_key.is_not(None)
Index("slotstate_entries_message", ENTRIES.c.message_key, sqlite_where=_MESSAGE, postgresql_where=_MESSAGE)

SNAPSHOTS: Final = Table(
    "slotstate_snapshots",
    METADATA,
    *_key("tenant", "session", "kind", "schema"),
    Column("seq", BigInteger, nullable=False),
    Column("last", Text, nullable=False),  # fingerprint of entry seq - 1
    Column("content", Text, nullable=False),
    Column("mark", Text, nullable=False),  # digest of the row
)

BLOBS: Final = Table(
    "slotstate_blobs",
    METADATA,
    *_key("tenant", "ref"),
    Column("touched", BigInteger, nullable=False),  # microseconds since 1970, when it was last kept
    Column("mark", Text, nullable=False),  # digest of the content
    Column("content", LargeBinary, nullable=False),
)

USES: Final = Table(
    "slotstate_blob_uses",
    METADATA,
    *_key("tenant", "session", "ref"),
    Column("seq", BigInteger),  # the first entry that refers to it; null while none does
    sqlite_with_rowid=False,
)
Index("slotstate_blob_uses_ref", USES.c.tenant, USES.c.ref)
_UNUSED = USES.c.seq.is_(None)
Index("slotstate_blob_uses_unused", USES.c.tenant, USES.c.ref, sqlite_where=_UNUSED, postgresql_where=_UNUSED)

VERSION: Final = Table(
    VERSION_TABLE,
    MetaData(),
    Column("version_num", String(32), nullable=False, primary_key=True),
)
"""Alembic's own, so that a new place needs no Alembic."""

SQLITE_STATISTICS: Final = (
    ("slotstate_sessions", "slotstate_sessions", "100000 100000 1"),
    ("slotstate_sessions", "slotstate_sessions_owner", "100000 100000 10 1"),
    ("slotstate_entries", "sqlite_autoindex_slotstate_entries_1", "10000000 10000000 1000 1"),
    ("slotstate_entries", "slotstate_entries_message", "4000000 1"),
    ("slotstate_snapshots", "sqlite_autoindex_slotstate_snapshots_1", "200000 200000 2 1 1"),
    ("slotstate_blobs", "sqlite_autoindex_slotstate_blobs_1", "100000 100000 1"),
    ("slotstate_blob_uses", "slotstate_blob_uses", "100000 100000 5 1"),
    ("slotstate_blob_uses", "slotstate_blob_uses_ref", "100000 100000 2 1"),
    ("slotstate_blob_uses", "slotstate_blob_uses_unused", "100 100 2 1"),
)
"""How many rows there may be for each further column of an index: what ANALYZE would find in a store of some size. Not
told, SQLite takes the tenant for as good as a key, and walks through all that it has.
"""
