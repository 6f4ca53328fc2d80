"""Messages are found by a number, of which many more stand on a page of an index than of a digest with its session."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from itertools import groupby

import sqlalchemy as sa
from alembic import op

revision = "4"
down_revision = "3"

ENTRIES = sa.table(
    "slotstate_entries",
    *(sa.column(name) for name in ("tenant", "session", "seq", "message")),
    sa.column("message_key", sa.BigInteger),
)
BATCH = 1_000


def upgrade() -> None:
    """The new column is filled from the old one, which goes."""
    op.add_column("slotstate_entries", sa.Column("message_key", sa.BigInteger))
    connection = op.get_bind()
    c = ENTRIES.c
    change = (
        sa.update(ENTRIES)
        .where(c.tenant == sa.bindparam("mine"), c.session == sa.bindparam("its"), c.seq == sa.bindparam("number"))
        .values(message_key=sa.bindparam("key"))
    )
    for tenant, session in connection.execute(sa.select(c.tenant, c.session).distinct()).all():
        for rows in _batches(connection, tenant, session):
            if rows:
                connection.execute(change, rows)
    op.drop_index("slotstate_entries_message", "slotstate_entries")
    with op.batch_alter_table("slotstate_entries") as table:
        table.drop_column("message")
    there = sa.text("message_key IS NOT NULL")
    op.create_index(
        "slotstate_entries_message",
        "slotstate_entries",
        ["message_key"],
        sqlite_where=there,
        postgresql_where=there,
    )


def _batches(connection: sa.Connection, tenant: str, session: str) -> Iterator[list[dict[str, object]]]:
    c = ENTRIES.c
    found = sa.select(c.seq, c.message).where(c.tenant == tenant, c.session == session, c.message.is_not(None))
    digest = blake2b(str(session).encode(), digest_size=16).hexdigest()
    upper = (int(digest[:8], 16) >> 1) << 32
    rows = connection.execute(found.order_by(c.seq)).all()
    for _, some in groupby(enumerate(rows), key=lambda one: one[0] // BATCH):
        yield [
            {"mine": tenant, "its": session, "number": seq, "key": upper | lower}
            for _, (seq, message) in some
            if (lower := _lower(message)) is not None
        ]


def _lower(message: object) -> int | None:
    """Of a message's digest; None of one that is damaged, and finds nothing any more."""
    try:
        return int(str(message)[:8], 16)
    except ValueError:
        return None
