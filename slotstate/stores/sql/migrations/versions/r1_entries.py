"""Entries by session."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None


def upgrade() -> None:
    """The log."""
    op.create_table(
        "entries",
        sa.Column("session", sa.Text, primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
