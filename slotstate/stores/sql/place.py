"""Where a SQL store keeps its tables: connections, transactions, errors. One place serves all tenants."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import Any, TypeVar

from sqlalchemy import Engine

from slotstate.errors import StoreError
from slotstate.stores.sql.pool import Busy, Pool
from slotstate.stores.sql.rows import Row
from slotstate.stores.sql.statements import Statement, Statements

T = TypeVar("T")


class Run:
    """Executes statements on one connection for one tenant. `again`: an earlier try of the same work may have been
    done, though its answer was lost.
    """

    __slots__ = ("_driver", "_mine", "again")

    def __init__(self, driver: Any, tenant: str, again: bool = False) -> None:
        self._driver = driver
        self._mine = tenant
        self.again = again

    def rows(
        self, statement: Statement, values: Mapping[str, object], given: Iterable[Sequence[object]] = ()
    ) -> list[Row]:
        """What a statement answers, with `given` rows in it."""
        rows: list[Row] = self._driver.execute(statement.sql, statement.bound(self._mine, values, given)).fetchall()
        return rows

    def change(self, statement: Statement, values: Mapping[str, object], given: Iterable[Sequence[object]] = ()) -> int:
        """How many rows a statement changed, with `given` rows in it."""
        return int(self._driver.execute(statement.sql, statement.bound(self._mine, values, given)).rowcount)


class Place(ABC):
    """A database. `name` is how it is called in messages; `at_once`: its statements can append without a transaction
    around them. The engine makes tables; statements run on connections of the driver, at most `size`, for which one
    waits `patience` seconds.
    """

    at_once = False

    def __init__(self, name: str, engine: Engine, connect: Callable[[], Any], size: int, patience: float) -> None:
        self.name = name
        self.statements = Statements(engine.dialect)
        self._engine = engine
        self._make_pool = partial(Pool, connect, size, patience)
        self._pid = os.getpid()
        self._forked = Lock()
        self._closed = False
        self._begin_pools()

    @abstractmethod
    def single(self, tenant: str, work: Callable[[Run], T]) -> T:
        """Do work of single statements, each of which sees one moment or is atomic."""

    @abstractmethod
    def transaction(self, tenant: str, work: Callable[[Run], T]) -> T:
        """Do work in one transaction, all or nothing. It is durable on return. It may be begun more than once."""

    def erase(self, tenant: str, work: Callable[[Run], T]) -> T:
        """The same, and what is deleted cannot be read from the database's files either, as far as a client can see to
        that.
        """
        return self.transaction(tenant, work)

    def close(self) -> None:
        """Close the connections."""
        self._closed = True
        self._pool.close()

    def _begin_pools(self) -> None:
        """Forget all connections: there are none yet, or they are another process's."""
        self._pool = self._make_pool()

    def _ready(self) -> None:
        """To be called before anything that is locked or taken. Raises StoreError once the place is closed."""
        if self._closed:
            raise StoreError(f"{self.name} is closed: open the store again")
        if self._pid != os.getpid():  # forked: the connections, and what guards them, are the parent's
            with self._forked:  # by one of the child's threads, and none goes on before it is done
                if self._pid != os.getpid():
                    self._begin_pools()
                    self._pid = os.getpid()

    @contextmanager
    def _connection(self, pool: Pool) -> Iterator[Any]:
        """A connection of the driver. One that was left in the middle of something is thrown away."""
        driver, broken = self._taken(pool), False
        try:
            yield driver
        except StoreError:
            raise
        except BaseException as error:
            broken = self._broken(driver, error)
            raise
        finally:
            (pool.drop if broken else pool.give)(driver)

    def _taken(self, pool: Pool) -> Any:
        try:
            return pool.take()
        except Busy:
            raise StoreError(self._all_busy()) from None

    def _all_busy(self) -> str:
        return f"cannot use {self.name}: all connections are busy; let fewer threads use it at once"

    def _broken(self, driver: Any, error: BaseException) -> bool:
        """Whether the connection on which an error came up can be used no more."""
        return not isinstance(error, Exception)

    def _failed(self, doing: str, error: Exception) -> StoreError:
        """What tells of a driver's error, to be raised without it: a driver may quote what stands in a row."""
        cause = getattr(error, "orig", None) or error
        return StoreError(f"cannot {doing} {self.name}: {self._reason(cause)}")

    @abstractmethod
    def _reason(self, error: BaseException) -> str:
        """Why a driver failed, in words that hold nothing of a row."""
