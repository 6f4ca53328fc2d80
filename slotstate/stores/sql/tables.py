"""The tables of a SQL store. Every row says whose tenant's it is."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Column, Index, LargeBinary, MetaData, String, Table, Text

REVISION: Final = "3"
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
Index("slotstate_sessions_owner", SESSIONS.c.tenant, SESSIONS.c.owner)

# With SQLite's rowid: new rows stand at the end of the table, so that a turn changes fewer pages.
ENTRIES: Final = Table(
    "slotstate_entries",
    METADATA,
    *_key("tenant", "session"),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("at", Text, nullable=False),  # ISO, as it was stamped
    Column("event", Text, nullable=False),  # JSON
    Column("format", BigInteger, nullable=False),  # of the event
    Column("message", Text),  # digest of the message's id
    Column("mark", Text, nullable=False),  # digest of the row
)
_MESSAGE = ENTRIES.c.message.is_not(None)
Index(
    "slotstate_entries_message",
    ENTRIES.c.tenant,
    ENTRIES.c.session,
    ENTRIES.c.message,
    sqlite_where=_MESSAGE,
    postgresql_where=_MESSAGE,
)

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
