"""Everything is some tenant's; sessions with their length; snapshots; blobs by reference; digests of rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "3"
down_revision = "2"

TENANT = "default"
BATCH = 1_000
MOST = 2**63 - 1
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Name = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """New tables, filled from the old ones. A damaged row stays as damaged as it was."""
    sessions, entries, _, blobs, uses = create()
    connection = op.get_bind()
    now = (datetime.now(UTC) - EPOCH) // timedelta(microseconds=1)
    refs: dict[tuple[str, str], int] = {}
    old = sa.table("entries", sa.column("session"), sa.column("seq"), sa.column("at"), sa.column("event"))
    rows = connection.execute(sa.select(old).order_by(old.c.session, old.c.seq).execution_options(yield_per=BATCH))
    for session, group in groupby(rows, key=lambda row: row.session):
        connection.execute(sa.insert(sessions), _session(session, _written(connection, entries, group, refs), now))
    kept: set[str] = set()
    contents = sa.table("blobs", sa.column("session"), sa.column("ref"), sa.column("content"))
    for session, ref, content in connection.execute(sa.select(contents).execution_options(yield_per=1)):
        if ref not in kept:
            damaged = not isinstance(content, bytes)  # no digest stands for it
            stored, mark = (str(content).encode(), "") if damaged else (content, _digest(content))
            row = {"tenant": TENANT, "ref": ref, "touched": now, "mark": mark, "content": stored}
            connection.execute(sa.insert(blobs), row)
            kept.add(ref)
        use = {"tenant": TENANT, "session": session, "ref": ref, "seq": refs.get((session, ref))}
        connection.execute(sa.insert(uses), use)
    op.drop_table("entries")
    op.drop_table("blobs")


def create() -> tuple[sa.Table, ...]:
    """The tables, with what finds rows in them."""
    sessions = op.create_table(
        "slotstate_sessions",
        sa.Column("tenant", Name, primary_key=True),
        sa.Column("session", Name, primary_key=True),
        sa.Column("count", sa.BigInteger, nullable=False),
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("owner", Name),
        sa.Column("began", sa.BigInteger, nullable=False),
        sa.Column("touched", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    entries = op.create_table(
        "slotstate_entries",
        sa.Column("tenant", Name, primary_key=True),
        sa.Column("session", Name, primary_key=True),
        sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("format", sa.BigInteger, nullable=False),
        sa.Column("message", sa.Text),
        sa.Column("mark", sa.Text, nullable=False),
    )
    snapshots = op.create_table(
        "slotstate_snapshots",
        sa.Column("tenant", Name, primary_key=True),
        sa.Column("session", Name, primary_key=True),
        sa.Column("kind", Name, primary_key=True),
        sa.Column("schema", Name, primary_key=True),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("last", sa.Text, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("mark", sa.Text, nullable=False),
    )
    blobs = op.create_table(
        "slotstate_blobs",
        sa.Column("tenant", Name, primary_key=True),
        sa.Column("ref", Name, primary_key=True),
        sa.Column("touched", sa.BigInteger, nullable=False),
        sa.Column("mark", sa.Text, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    uses = op.create_table(
        "slotstate_blob_uses",
        sa.Column("tenant", Name, primary_key=True),
        sa.Column("session", Name, primary_key=True),
        sa.Column("ref", Name, primary_key=True),
        sa.Column("seq", sa.BigInteger),
        sqlite_with_rowid=False,
    )
    op.create_index("slotstate_sessions_owner", "slotstate_sessions", ["tenant", "owner", "session"])
    spoken: dict[str, Any] = dict.fromkeys(("sqlite_where", "postgresql_where"), sa.text("message IS NOT NULL"))
    op.create_index("slotstate_entries_message", "slotstate_entries", ["tenant", "session", "message", "seq"], **spoken)
    op.create_index("slotstate_blob_uses_ref", "slotstate_blob_uses", ["tenant", "ref"])
    unused: dict[str, Any] = dict.fromkeys(("sqlite_where", "postgresql_where"), sa.text("seq IS NULL"))
    op.create_index("slotstate_blob_uses_unused", "slotstate_blob_uses", ["tenant", "ref"], **unused)
    return sessions, entries, snapshots, blobs, uses


def _written(
    connection: sa.Connection, table: sa.Table, rows: Iterator[Any], refs: dict[tuple[str, str], int]
) -> tuple[int, str, str, str]:
    """Write a session's entries; their number, the first one's fingerprint, the times of the first and the last."""
    count, origin, began, touched = 0, "", "", ""
    batch: list[dict[str, Any]] = []
    for session, seq, at, event in rows:
        fingerprint = _digest(f"{seq} {at} {event}".encode())
        message = None
        for kind, text in _known(event):
            if kind == "message":
                message = _digest(text.encode())
            else:
                refs.setdefault((session, text), seq)
        row = {"tenant": TENANT, "session": session, "seq": seq, "at": at, "event": event, "format": 1}
        batch.append({**row, "message": message, "mark": _digest(f"{session} 1 {fingerprint}".encode())})
        if not batch[1:] and not origin:
            origin, began = fingerprint, at
        count, touched = (seq + 1 if isinstance(seq, int) and seq < MOST else count), at
        if len(batch) == BATCH:
            connection.execute(sa.insert(table), batch)
            batch.clear()
    if batch:
        connection.execute(sa.insert(table), batch)
    return count, origin, began, touched


def _session(session: str, what: tuple[int, str, str, str], now: int) -> dict[str, Any]:
    count, origin, began, touched = what
    row = {"tenant": TENANT, "session": session, "count": count, "origin": origin, "owner": None}
    return {**row, "began": _micros(began, now), "touched": _micros(touched, now)}


def _micros(at: str, now: int) -> int:
    try:
        found = (datetime.fromisoformat(at) - EPOCH) // timedelta(microseconds=1)
        said = EPOCH + timedelta(microseconds=found)  # else no list of the sessions could say it
        return found if said.tzinfo else now
    except (TypeError, ValueError, OverflowError):
        return now


def _known(event: str) -> Iterator[tuple[str, str]]:
    """The id of the message that an event is, and the references in it; those before what is damaged."""
    try:
        fields = json.loads(event)
        if fields["kind"] not in {"user", "assistant", "tool", "system"}:
            return
        yield "message", _text(fields["id"])
        for blob in (*fields.get("blobs", ()), *filter(None, [fields.get("blob")])):
            yield "ref", _text(blob["ref"])
    except (TypeError, ValueError, KeyError, AttributeError, RecursionError):
        return


def _text(found: Any) -> str:
    """What is text that can be stored. Raises TypeError, ValueError."""
    if not isinstance(found, str):
        raise TypeError(found)
    found.encode()
    return found


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()
