"""PostgreSQL: one database for any number of workers."""

from __future__ import annotations

import random
import select
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from logging import WARNING
from typing import Any, Final, TypeVar

import psycopg
from psycopg.adapt import Loader
from sqlalchemy import URL, Connection, create_engine, make_url, text
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from slotstate.errors import InputError, StoreError
from slotstate.records import STORES, tell
from slotstate.stores.sql.migrating import create, upgrade
from slotstate.stores.sql.place import Place, Run
from slotstate.stores.sql.pool import Pool
from slotstate.stores.sql.rows import Row, text_as_it_stands
from slotstate.stores.sql.statements import Statement
from slotstate.stores.sql.tables import REVISION, VERSION_TABLE

T = TypeVar("T")
_ERRORS: Final = (psycopg.Error, SQLAlchemyError, UnicodeError)
_TELLING: Final = ("08", "25", "28", "3D", "40", "42", "53", "54", "55", "57", "58", "XX")
"""Classes of the server's errors whose words are about connections, rights, names and resources. Those of others may
quote what stands in a row.
"""
_OPTIONS: Final = {"durability": "full", "retry": "10", "pool": "10"}
_CONNECT: Final[Mapping[str, str | int]] = {
    "application_name": "slotstate",
    "client_encoding": "utf8",
    "connect_timeout": 5,
    # A network that is gone is noticed within half a minute, not by the operating system's two hours.
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""Of libpq, where the URL says nothing else."""
_SHOWN: Final = frozenset({*_CONNECT, "host", "hostaddr", "port", "user", "dbname", "sslmode", "target_session_attrs"})
"""What of a URL may stand in an error."""
_SETTINGS: Final[Mapping[str, str]] = {"lock_timeout": "10s", "idle_in_transaction_session_timeout": "60s"}
_STRICT: Final = """
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
"""
_MIGRATING: Final = 0x736C6F74
"""The advisory lock of who makes or migrates the tables."""
_AGAIN: Final = frozenset({"40001", "40P01", "55P03"})
"""Undone by the server, and worth another try: serialization failure, deadlock, lock not available."""
_AWAY: Final = frozenset({"25006", "53300", "57P01", "57P02", "57P03", "57P05"})
"""The server is not there for now: read only (it was demoted), too many connections, shutdown, crash, starting."""


class _Connection(psycopg.Connection[Any]):
    """One that keeps a cursor: making one anew takes as long as what it does with a statement."""

    @cached_property
    def cursor_of_statements(self) -> psycopg.RawCursor[Any]:
        """For statements that have their parameters by number."""
        return psycopg.RawCursor(self)


class PostgresPlace(Place):
    """A database on a server. A connection that drops, or a server that restarts, is tried again for `retry` seconds.

    synchronous_commit is on unless the server's own setting is as strict: what was committed survives a power cut; fast
    turns it off: the last commits, of about half a second, may be missing after a crash of the server.
    """

    at_once = True

    def __init__(self, url: str, *, create: bool = True) -> None:
        self._create = create
        address, options = _read(url)
        self._retry, size = _number(options, "retry", 0, 3_600), int(_number(options, "pool", 1, 1_000))
        if options["durability"] not in ("full", "fast"):
            raise InputError(f"durability is full or fast, not {options['durability']!r}")
        self._settings = dict(_SETTINGS)
        if options["durability"] == "fast":
            self._settings["synchronous_commit"] = "off"
        given = {**_CONNECT, **address.query}
        self._connecting = {**given, **address.translate_connect_args(username="user", database="dbname")}
        engine = create_engine(
            "postgresql+psycopg://",
            creator=self._connect,
            poolclass=NullPool,
            isolation_level="AUTOCOMMIT",
        )
        hidden = {address.password, *(one for key, one in given.items() if key not in _SHOWN)}
        self._hidden = sorted((one for one in hidden if isinstance(one, str) and one), key=len, reverse=True)
        shown = URL.create("postgresql", address.username, None, address.host, address.port, address.database)
        super().__init__(shown.render_as_string(), engine, self._connect, size, max(self._retry, 1))
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    def single(self, tenant: str, work: Callable[[Run], T]) -> T:
        """Do work of single statements."""
        return self._persist(lambda driver, again: work(_Run(driver.cursor_of_statements, tenant, again)))

    def transaction(self, tenant: str, work: Callable[[Run], T]) -> T:
        """Do work in one transaction."""

        def whole(driver: _Connection, again: bool) -> T:
            with driver.transaction():
                return work(_Run(driver.cursor_of_statements, tenant, again))

        return self._persist(whole)

    def _persist(self, work: Callable[[_Connection, bool], T]) -> T:
        """Do work, over again while the server is away. `again`, once a try may have been done without an answer."""
        until = time.monotonic() + self._retry
        pause, again, taken, tries = 0.02, False, False, 0
        while True:
            try:
                taken = False
                self._ready()
                with self._connection(self._pool) as driver:
                    taken = True
                    return work(driver, again)
            except _ERRORS as error:
                lost = taken and _lost(error)
                if not (lost or _passing(error)) or time.monotonic() >= until:
                    raise self._failed("use", error) from None
                again = again or lost
                tries += 1
                tell(STORES, WARNING, "the database failed: trying again", error=type(error).__name__, tries=tries)
            # Workers that lost the same server do not come back all at once.
            time.sleep(min(pause * random.uniform(0.5, 1.5), max(until - time.monotonic(), 0)))
            pause = min(2 * pause, 1)

    def _taken(self, pool: Pool) -> Any:
        """A connection that the server has not closed, as far as can be told without asking it."""
        while True:
            driver = super()._taken(pool)
            if not _hung_up(driver):
                return driver
            pool.drop(driver)

    def _broken(self, driver: Any, error: BaseException) -> bool:
        return super()._broken(driver, error) or driver.closed or _lost(error)

    def _connect(self) -> _Connection:
        driver = _Connection.connect(**self._connecting, autocommit=True)
        try:
            driver.execute(_STRICT)
            for name, value in self._settings.items():
                driver.execute("SELECT set_config(%s, %s, false)", (name, value))
        except BaseException:
            driver.close()
            raise
        return driver

    def _prepare(self) -> None:
        """Make the tables, or bring them up to date; of several workers one does it."""
        try:
            with self._engine.connect() as connection:
                encoding = connection.execute(text("SHOW server_encoding")).scalar_one()
                if encoding != "UTF8":
                    raise StoreError(f"{self.name} is encoded in {encoding}: create the database with ENCODING 'UTF8'")
                if self._revision(connection) == REVISION:
                    return
            with self._engine.connect() as plain:
                connection = plain.execution_options(isolation_level="READ COMMITTED")
                with connection.begin():
                    connection.execute(text("SET LOCAL lock_timeout = 0"))
                    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATING})
                    revision = self._revision(connection)
                    if not (revision or self._create):
                        raise StoreError(f"{self.name} holds no store: name the one that conversations were kept in")
                    if not revision:
                        create(connection)
                    elif revision != REVISION:
                        upgrade(connection, revision)
        except _ERRORS as error:
            raise self._failed("open", error) from None

    def _revision(self, connection: Connection) -> str:
        """Of the tables in the database, "" where there are none. Raises StoreError where they are newer than this."""
        # With pg_class in it: to_regclass alone may answer from before one waited for the lock.
        found = "SELECT count(*) FROM pg_catalog.pg_class WHERE oid = to_regclass(:name)"
        if not connection.execute(text(found), {"name": VERSION_TABLE}).scalar():
            return ""
        revision = str(connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar_one())
        if int(revision) > int(REVISION):
            raise StoreError(f"{self.name} was written by a newer slotstate: upgrade with pip install -U slotstate")
        return revision

    def _reason(self, error: BaseException) -> str:
        if isinstance(error, UnicodeError):
            return "a text in it is damaged: restore a backup"
        state = _state(error)
        if not isinstance(error, psycopg.Error) or (state is not None and not state.startswith(_TELLING)):
            return f"{type(error).__name__}{f' ({state})' if state else ''}"
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        for hidden in self._hidden:
            reason = reason.replace(hidden, "…")
        return reason[:300]

    def _all_busy(self) -> str:
        return f"cannot use {self.name}: all connections are busy; give the URL a larger ?pool="


class _Run(Run):
    """A server does not look at what it stored: bytes that are no UTF-8 come as they stand there."""

    __slots__ = ()

    def rows(
        self, statement: Statement, values: Mapping[str, object], given: Iterable[Sequence[object]] = ()
    ) -> list[Row]:
        """What a statement answers."""
        try:
            return super().rows(statement, values, given)
        except UnicodeDecodeError:
            with psycopg.RawCursor(self._driver.connection) as cursor:
                cursor.adapters.register_loader("text", _AsItStands)
                bound = statement.bound(self._mine, values, given)
                found: list[Row] = cursor.execute(statement.sql.encode(), bound).fetchall()
                return found


class _AsItStands(Loader):
    def load(self, data: Any) -> str:
        return text_as_it_stands(bytes(data))


def _read(url: str) -> tuple[URL, dict[str, str]]:
    """A URL without the store's own options, and these. Raises InputError."""
    before, _, query = url.partition("://")[2].partition("?")
    host, _, database = before.partition("/")
    # A password with an @, / or ? in it would be taken for a host, a database, an option, and be told as such.
    if host.count("@") > 1 or "@" in database or ("@" not in host and "@" in query.partition("=")[0]):
        raise InputError(
            "this URL of a database can be read in two ways: write @ in a name or password as %40, / as %2F, ? as %3F, "
            "as in postgresql://USER:PASSWORD@HOST:PORT/DATABASE"
        )
    try:
        address = make_url(url)
    except (ArgumentError, ValueError):
        raise InputError(
            "this is no URL of a database: write postgresql://USER:PASSWORD@HOST:PORT/DATABASE, and in a password @ as "
            "%40, / as %2F, : as %3A"
        ) from None
    options = dict(_OPTIONS)
    for name in _OPTIONS:
        value = address.query.get(name)
        if isinstance(value, tuple):
            raise InputError(f"{name} stands in the URL more than once")
        options[name] = options[name] if value is None else value
    return address.difference_update_query(list(_OPTIONS)), options


def _number(options: Mapping[str, str], name: str, least: float, most: float) -> float:
    try:
        number = float(options[name])
    except ValueError:
        number = least - 1
    if not least <= number <= most:
        raise InputError(f"{name} is a number from {least:g} to {most:g}, not {options[name]!r}")
    return number


def _state(error: BaseException) -> str | None:
    """The server's code for an error; None where it did not answer."""
    cause = getattr(error, "orig", None) or error
    return cause.sqlstate if isinstance(cause, psycopg.Error) else None


def _lost(error: BaseException) -> bool:
    """Whether the connection is gone, and nobody knows what became of the last statement."""
    cause = getattr(error, "orig", None) or error
    state = _state(error)
    if state is None:
        return isinstance(cause, psycopg.OperationalError)
    return state.startswith("08") or state in _AWAY


def _passing(error: BaseException) -> bool:
    """Whether it is worth another try."""
    return _state(error) in _AGAIN or _lost(error)


def _hung_up(driver: Any) -> bool:
    """Whether the server has closed an idle connection: there is something to read, and it is the end."""
    if driver.closed:
        return True
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(driver.fileno(), select.POLLIN)
        waiting = bool(poll.poll(0))
    else:
        waiting = bool(select.select([driver.fileno()], [], [], 0)[0])
    if not waiting:
        return False
    try:
        driver.pgconn.consume_input()
    except psycopg.OperationalError:
        return True
    return bool(driver.pgconn.status != psycopg.pq.ConnStatus.OK)
