"""What Alembic runs: the migrations, in the transaction of who asked for them."""

from __future__ import annotations

from alembic import context

from slotstate.stores.sql.tables import VERSION_TABLE

context.configure(connection=context.config.attributes["connection"], version_table=VERSION_TABLE)
context.run_migrations()
