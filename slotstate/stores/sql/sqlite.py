"""SQLite: one durable file, several threads and processes."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Final, TypeVar

from sqlalchemy import Connection, create_engine
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.pool import QueuePool

from slotstate.errors import InputError, StoreError, near
from slotstate.stores.sql.migrating import create, upgrade
from slotstate.stores.sql.place import Place, Run
from slotstate.stores.sql.tables import REVISION

T = TypeVar("T")
APPLICATION: Final = 0x736C6F74
"""What the file's header calls it: "slot". Files of revisions 1 and 2 have no name."""
TIMEOUT: Final = 10.0
"""Seconds that one waits for another writer."""
READERS: Final = 8
"""Connections of one process at most."""
_ERRORS: Final = (sqlite3.Error, SQLAlchemyError)
_HEADER: Final = ("application_id", "user_version")
_MAGIC: Final = b"SQLite format 3\0"
_OPTIONS: Final = ("durability", "timeout")
_SYNCHRONOUS: Final = {"full": "FULL", "fast": "NORMAL"}


def sqlite_options(path: str, options: Mapping[str, str]) -> tuple[str, float]:
    """What is set of `synchronous`, and the timeout. Raises InputError."""
    if path == ":memory:":
        raise InputError("a store in memory is called memory://")
    for name in options:
        if name not in _OPTIONS:
            raise InputError(f"a SQLite store has no option {name!r}{near(name, _OPTIONS)}")
    durability = options.get("durability", "full")
    if durability not in _SYNCHRONOUS:
        raise InputError(f"durability is full or fast, not {durability!r}")
    try:
        timeout = float(options.get("timeout", TIMEOUT))
    except ValueError:
        timeout = -1
    if not 0 <= timeout <= 86_400:
        raise InputError(f"timeout is a number of seconds, not {options['timeout']!r}")
    return _SYNCHRONOUS[durability], timeout


class SqlitePlace(Place):
    """A file in WAL mode. Writers of this process wait for each other in line, those of others by SQLite's lock;
    readers wait for nobody.

    synchronous=FULL: what was committed survives a power cut; NORMAL: it survives a crash of the process, and the last
    commits may be missing after a power cut. secure_delete: what is deleted is overwritten.
    """

    def __init__(self, path: str, options: Mapping[str, str], *, create: bool = True) -> None:
        self._create = create
        self._synchronous, self._timeout = sqlite_options(path, options)
        if not create and not Path(path).is_file():
            raise StoreError(f"there is no store {path}: name the file that conversations were kept in")
        if not Path(path).parent.is_dir():
            raise StoreError(f"cannot open {path}: its folder does not exist; create {Path(path).parent} first")
        _refuse_others(path)
        engine = create_engine(
            "sqlite://",
            creator=lambda: self._connect(path),
            poolclass=QueuePool,
            pool_size=READERS,
            max_overflow=0,
            pool_timeout=max(self._timeout, 1),
            pool_reset_on_return=None,
            paramstyle="named",
            isolation_level="AUTOCOMMIT",
        )
        super().__init__(path, engine)
        self._writing = Lock()
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    def single(self, tenant: str, work: Callable[[Run], T]) -> T:
        """Do work of single statements."""
        try:
            with self._connection() as driver:
                return work(Run(driver, tenant))
        except _ERRORS as error:
            raise self._failed("read", error) from error

    def transaction(self, tenant: str, work: Callable[[Run], T]) -> T:
        """Do work in one transaction."""
        try:
            with self._lock(), self._connection() as driver:
                driver.execute("BEGIN IMMEDIATE")
                try:
                    result = work(Run(driver, tenant))
                    driver.execute("COMMIT")
                except BaseException:
                    if driver.in_transaction:  # SQLite itself ends it after some errors
                        driver.execute("ROLLBACK")
                    raise
                return result
        except _ERRORS as error:
            raise self._failed("write", error) from error

    def scrub(self) -> None:
        """Empty the write-ahead log, in which deleted pages stand until then."""
        try:
            with self._lock(), self._connection() as driver:
                (busy, *_), *_ = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except _ERRORS as error:
            raise self._failed("write", error) from error
        if busy:
            raise StoreError(
                f"what was forgotten is gone from {self.name}, but bytes of it stay in {self.name}-wal, because "
                "somebody is reading it: forget again when that is done"
            )

    @contextmanager
    def _lock(self) -> Iterator[None]:
        writing = self._writing
        if not writing.acquire(timeout=max(self._timeout, 0.001)):
            raise StoreError(f"cannot write {self.name}: another thread has been writing for {self._timeout:g} s")
        try:
            yield
        finally:
            writing.release()

    def _forked(self) -> None:
        super()._forked()
        self._writing = Lock()

    def _connect(self, path: str) -> sqlite3.Connection:
        driver = sqlite3.connect(path, timeout=self._timeout, isolation_level=None, check_same_thread=False)
        try:
            driver.execute(f"PRAGMA synchronous = {self._synchronous}")
            driver.execute("PRAGMA secure_delete = ON")
            driver.execute("PRAGMA fullfsync = ON")  # macOS: without it a flush stops at the drive's cache
            driver.execute("PRAGMA checkpoint_fullfsync = ON")
        except BaseException:
            driver.close()
            raise
        return driver

    def _prepare(self) -> None:
        """Make the tables, or bring them up to date. What is no store of ours is left as it is."""
        try:
            with self._engine.connect() as connection:
                revision = self._revision(connection)
                if revision == REVISION:
                    return
                if not revision and not self._create:
                    raise StoreError(f"{self.name} holds no store: name the file that conversations were kept in")
                self._use_wal(connection)
                connection.exec_driver_sql("BEGIN EXCLUSIVE")
                try:
                    self._migrate(connection)
                except BaseException:
                    connection.exec_driver_sql("ROLLBACK")
                    raise
                connection.exec_driver_sql("COMMIT")
        except _ERRORS as error:
            raise self._failed("open", error) from error

    def _migrate(self, connection: Connection) -> None:
        revision = self._revision(connection)
        if revision == REVISION:  # another process was faster
            return
        if revision:
            upgrade(connection, revision)
        else:
            create(connection)
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION}")
        connection.exec_driver_sql(f"PRAGMA user_version = {REVISION}")

    def _revision(self, connection: Connection) -> str:
        """Of the tables in the file, "" for an empty one. Raises StoreError where it is not ours to write."""
        owner, version = (int(connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()) for name in _HEADER)
        tables = {name for (name,) in connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if owner not in (0, APPLICATION) or (owner == 0 and tables and not (version in (1, 2) and "entries" in tables)):
            raise StoreError(f"{self.name} is another program's database: name a file of its own for the store")
        if version > int(REVISION):
            raise StoreError(f"{self.name} was written by a newer slotstate: upgrade with pip install -U slotstate")
        return str(version) if version else ""

    def _use_wal(self, connection: Connection) -> None:
        """Turn to WAL. SQLite does not wait by itself for another process that is doing the same."""
        until = time.monotonic() + self._timeout
        while True:
            try:
                connection.exec_driver_sql("PRAGMA journal_mode = WAL")
                return
            except OperationalError as error:
                if "locked" not in str(error.orig) or time.monotonic() > until:
                    raise
                time.sleep(0.01)


def _refuse_others(path: str) -> None:
    """SQLite takes a file of a few bytes for an empty one, and would write over what is left of it."""
    try:
        with Path(path).open("rb") as file:
            magic = file.read(len(_MAGIC))
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"cannot open {path}: {error.strerror}") from error
    if magic not in (b"", _MAGIC):
        raise StoreError(f"cannot open {path}: file is not a database, or was cut; restore a backup or name another")
