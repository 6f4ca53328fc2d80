"""Tables made anew, or brought forward from an earlier release's. Alembic is imported only for the latter."""

from __future__ import annotations

from logging import INFO
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, insert

from slotstate.records import STORES, tell
from slotstate.stores.sql.tables import METADATA, REVISION, VERSION, VERSION_TABLE

_SCRIPTS: Final = Path(__file__).parent / "migrations"


def create(connection: Connection) -> None:
    """Make the tables where there are none. The caller holds a transaction that keeps others out."""
    METADATA.create_all(connection)
    VERSION.create(connection)
    connection.execute(insert(VERSION).values(version_num=REVISION))


def upgrade(connection: Connection, revision: str, target: str = "head") -> None:
    """Bring the tables of a revision forward. The caller holds a transaction that keeps others out."""
    from alembic import command
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.set_main_option("version_table", VERSION_TABLE)
    if revision != _revision(connection):
        command.stamp(config, revision)  # files older than the table of versions
    command.upgrade(config, target)
    tell(
        STORES, INFO, "tables brought up to date", revision=f"{revision} to {REVISION if target == 'head' else target}"
    )


def _revision(connection: Connection) -> str | None:
    from alembic.migration import MigrationContext

    return MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE}).get_current_revision()
