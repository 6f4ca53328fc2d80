"""Blobs by session."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"


def upgrade() -> None:
    """What was moved out of messages."""
    op.create_table(
        "blobs",
        sa.Column("session", sa.Text, primary_key=True),
        sa.Column("ref", sa.Text, primary_key=True),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
