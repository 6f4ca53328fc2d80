"""SQLite: one durable file, several threads and processes."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple, TypeVar

from sqlalchemy import Connection, create_engine
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from slotstate.errors import InputError, StoreError, near
from slotstate.stores.sql.migrating import create, upgrade
from slotstate.stores.sql.place import Place, Run
from slotstate.stores.sql.rows import Row, text_as_it_stands
from slotstate.stores.sql.sqlite_errors import code_of, is_no_text, reason_of
from slotstate.stores.sql.statements import Statement
from slotstate.stores.sql.tables import REVISION, SQLITE_STATISTICS

T = TypeVar("T")
APPLICATION: Final = 0x736C6F74
"""What the file's header calls it: "slot". Files of revisions 1 and 2 have no name."""
_UNCLEAN: Final = APPLICATION + 1
"""What it is called from an erasure on until the files are clean."""
TIMEOUT: Final = 10.0
"""Seconds that one waits for another writer."""
READERS: Final = 8
"""Connections of one process at most."""
_AGAIN: Final = 0.002
"""Seconds after which a writer looks again whether another process has let go of the file."""
_ERRORS: Final = (sqlite3.Error, SQLAlchemyError, UnicodeError)
_HEADER: Final = ("application_id", "user_version")
_LEAST: Final = 512
"""Bytes of SQLite's smallest page."""
_SYNCHRONOUS: Final = {"full": "FULL", "fast": "NORMAL"}


class Options(NamedTuple):
    """What the URL of a file says."""

    durability: str = "full"
    erasure: str = "full"
    timeout: str = f"{TIMEOUT:g}"

    @classmethod
    def of(cls, given: Mapping[str, str]) -> Options:
        """Raises InputError for what there is not."""
        for name in given:
            if name not in cls._fields:
                raise InputError(f"a SQLite store has no option {name!r}{near(name, cls._fields)}")
        options = cls(**given)
        for name, value in (("durability", options.durability), ("erasure", options.erasure)):
            if value not in {"full", "fast"}:
                raise InputError(f"{name} is full or fast, not {value!r}")
        if not 0 <= options.seconds <= 86_400:
            raise InputError(f"timeout is a number of seconds, not {options.timeout!r}")
        return options

    @property
    def seconds(self) -> float:
        """The timeout; -1 where it is none."""
        try:
            return float(self.timeout)
        except ValueError:
            return -1


class SqlitePlace(Place):
    """A file in WAL mode. Writers of this process wait for each other in line, those of others by SQLite's lock;
    readers wait for nobody.

    synchronous=FULL: what was committed survives a power cut; NORMAL: it survives a crash of the process, and the last
    commits may be missing after a power cut. secure_delete: what is deleted is overwritten; an erasure also makes the
    file anew (VACUUM), because rows that were moved within it before have left copies behind.
    """

    _writer: sqlite3.Connection | None

    def __init__(self, path: str, options: Mapping[str, str], *, create: bool = True) -> None:
        if path == ":memory:":
            raise InputError("a store in memory is called memory://")
        self._create = create
        self._immutable = False
        given = Options.of(options)
        self._timeout = given.seconds
        self._synchronous = _SYNCHRONOUS[given.durability]
        self._cleans = given.erasure == "full"
        if not create and not Path(path).is_file():
            raise StoreError(f"there is no store {path}: name the file that conversations were kept in")
        if not Path(path).parent.is_dir():
            raise StoreError(f"cannot open {path}: its folder does not exist; create {Path(path).parent} first")
        _refuse_others(path)
        engine = create_engine(
            "sqlite://",
            creator=lambda: self._connect(path),
            poolclass=NullPool,
            paramstyle="named",
            isolation_level="AUTOCOMMIT",
        )
        super().__init__(path, engine, lambda: self._connect(path), READERS, max(self._timeout, 1))
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    def single(self, tenant: str, work: Callable[[Run], T]) -> T:
        """Do work of single statements."""
        try:
            self._ready()
            with self._connection(self._pool) as driver:
                return work(_Run(driver, tenant))
        except _ERRORS as error:
            raise self._failed("read", error) from None

    def transaction(self, tenant: str, work: Callable[[Run], T]) -> T:
        """Do work in one transaction."""
        return self._committed(lambda driver: work(_Run(driver, tenant)))

    def erase(self, tenant: str, work: Callable[[Run], T]) -> T:
        """Do work in one transaction, and clean the files. That they are to be cleaned stands in the file itself: after
        a crash the next erasure sees to it.
        """

        def marked(driver: sqlite3.Connection) -> T:
            before = driver.total_changes
            result = work(_Run(driver, tenant))
            if driver.total_changes > before:
                driver.execute(f"PRAGMA application_id = {_UNCLEAN}")
            return result

        result = self._committed(marked)
        self._clean()
        return result

    def _committed(self, work: Callable[[sqlite3.Connection], T]) -> T:
        if self._immutable:
            raise StoreError(f"cannot write {self.name}: it can only be read; copy it to where it can be written")
        try:
            self._ready()
            writing = self._lock()
            try:
                driver = self._writer = self._writer or self._connect_writer()
                self._begin(driver)
                try:
                    result = work(driver)
                    driver.execute("COMMIT")
                except BaseException as error:
                    self._rolled_back(driver, error)
                    raise
                return result
            finally:
                writing.release()
        except _ERRORS as error:
            raise self._failed("write", error) from None

    def _begin(self, driver: sqlite3.Connection) -> None:
        """Lock the file for writing, once no other process has."""
        until = time.monotonic() + self._timeout
        while True:
            try:
                driver.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                if code_of(error) != sqlite3.SQLITE_BUSY or time.monotonic() >= until:
                    raise
            time.sleep(_AGAIN)

    def _rolled_back(self, driver: sqlite3.Connection, error: BaseException) -> None:
        if driver.in_transaction:  # SQLite itself ends it after some errors
            driver.execute("ROLLBACK")
        if self._broken(driver, error):
            self._writer = None
            driver.close()

    def _clean(self) -> None:
        """Make the file anew, and empty the write-ahead log, in which deleted pages stand until then."""
        try:
            self._ready()
            writing = self._lock()
            try:
                with self._connection(self._pool) as driver:
                    busy = self._cleaned(driver)
            finally:
                writing.release()
        except _ERRORS as error:
            raise self._failed("clean up, after forgetting,", error) from None
        if busy:
            raise StoreError(
                f"what was forgotten is gone from {self.name}, but bytes of it stay in {self.name}-wal, because "
                "somebody is reading it: forget again when that is done"
            )

    def _cleaned(self, driver: sqlite3.Connection) -> bool:
        """Clean up; whether it could not be done because somebody is reading."""
        unclean = driver.execute("PRAGMA application_id").fetchone() == (_UNCLEAN,)
        if unclean and self._cleans:
            driver.execute("VACUUM")
        (busy, *_), *_ = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        if unclean and not busy:
            driver.execute(f"PRAGMA application_id = {APPLICATION}")
        return bool(busy)

    def _lock(self) -> Lock:
        """The turn to write, to be released. Raises StoreError once another thread has had it for too long."""
        writing = self._writing
        if not writing.acquire(timeout=max(self._timeout, 0.001)):
            raise StoreError(f"cannot write {self.name}: another thread has been writing for {self._timeout:g} s")
        return writing

    def close(self) -> None:
        """Close the connections."""
        super().close()
        if self._writing.acquire(timeout=max(self._timeout, 0.001)):  # else who writes has it still
            writer, self._writer = self._writer, None
            self._writing.release()
            if writer is not None:
                writer.close()

    def _begin_pools(self) -> None:
        super()._begin_pools()
        self._writing = Lock()
        self._writer = None

    def _connect(self, path: str) -> sqlite3.Connection:
        name = f"{Path(path).absolute().as_uri()}?immutable=1" if self._immutable else path
        driver = sqlite3.connect(
            name, timeout=self._timeout, isolation_level=None, check_same_thread=False, uri=self._immutable
        )
        try:
            driver.execute(f"PRAGMA synchronous = {self._synchronous}")
            driver.execute("PRAGMA secure_delete = ON")
            driver.execute("PRAGMA fullfsync = ON")  # macOS: without it a flush stops at the drive's cache
            driver.execute("PRAGMA checkpoint_fullfsync = ON")
        except BaseException:
            driver.close()
            raise
        return driver

    def _connect_writer(self) -> sqlite3.Connection:
        """A connection on which `_begin` does the waiting."""
        driver = self._connect(self.name)
        driver.execute("PRAGMA busy_timeout = 0")
        return driver

    def _prepare(self) -> None:
        """Make the tables, or bring them up to date. What is no store of ours is left as it is, and what cannot be
        written is read.
        """
        try:
            try:
                self._make()
            except _ERRORS as error:
                if not self._is_fixed(error):
                    raise
                self._immutable = True
                self._make()
        except _ERRORS as error:
            raise self._failed("open", error) from None

    def _is_fixed(self, error: Exception) -> bool:
        """Whether the file can be read as it is, and nothing can be written beside it, as on media that are read only.
        Raises StoreError where what was written last is not in the file.
        """
        cause = getattr(error, "orig", None) or error
        if code_of(cause) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY) or not os.access(
            self.name, os.R_OK
        ):
            return False
        if not Path(self.name).is_file() or os.access(Path(self.name).parent, os.W_OK):
            return False
        behind = Path(f"{self.name}-wal")
        if behind.is_file() and behind.stat().st_size:
            raise StoreError(
                f"cannot open {self.name}: it can only be read, and its last entries are in {behind.name}; copy both "
                "to a folder that can be written"
            )
        return True

    def _reason(self, error: BaseException) -> str:
        return reason_of(error)

    def _make(self) -> None:
        with self._engine.connect() as connection:
            revision = self._revision(connection)
            if revision == REVISION:
                return
            if self._immutable and revision:
                raise StoreError(
                    f"{self.name} is of an earlier release, and can only be read; copy it to where it can be written, "
                    "and it is brought forward"
                )
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

    def _migrate(self, connection: Connection) -> None:
        revision = self._revision(connection)
        if revision == REVISION:  # another process was faster
            return
        if revision:
            upgrade(connection, revision)
        else:
            create(connection)
        connection.exec_driver_sql("ANALYZE sqlite_master")
        connection.exec_driver_sql("DELETE FROM sqlite_stat1")
        connection.exec_driver_sql("INSERT INTO sqlite_stat1 VALUES (:of, :name, :rows)", _statistics())
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION}")
        connection.exec_driver_sql(f"PRAGMA user_version = {REVISION}")

    def _revision(self, connection: Connection) -> str:
        """Of the tables in the file, "" for an empty one. Raises StoreError where it is not ours to write."""
        owner, version = (int(connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()) for name in _HEADER)
        tables = {name for (name,) in connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if owner not in (0, APPLICATION, _UNCLEAN) or (
            owner == 0 and tables and not (version in (1, 2) and "entries" in tables)
        ):
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


class _Run(Run):
    """Text that is none any more comes as it stands, and not as an error that quotes it."""

    __slots__ = ()

    def rows(
        self, statement: Statement, values: Mapping[str, object], given: Iterable[Sequence[object]] = ()
    ) -> list[Row]:
        """What a statement answers."""
        try:
            return super().rows(statement, values, given)
        except sqlite3.OperationalError as error:
            if not is_no_text(error):
                raise
        self._driver.text_factory = text_as_it_stands
        try:
            return super().rows(statement, values, given)
        finally:
            self._driver.text_factory = str


def _statistics() -> list[dict[str, str]]:
    return [{"of": table, "name": index, "rows": rows} for table, index, rows in SQLITE_STATISTICS]


def _refuse_others(path: str) -> None:
    """SQLite takes a file of a few bytes for an empty one, and would write over what is left of it.

    The file is not opened for that: to close it again would take away, unnoticed, the locks that another store of this
    process has on it, and another process could then throw away a log that is being written.
    """
    try:
        size = Path(path).stat().st_size
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"cannot open {path}: {error.strerror}") from error
    if 0 < size < _LEAST:
        raise StoreError(f"cannot open {path}: file is not a database, or was cut; restore a backup or name another")
