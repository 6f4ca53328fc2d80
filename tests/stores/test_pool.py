"""The connections that a SQL store uses again."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from time import sleep

import pytest

from slotstate.stores import open_store
from slotstate.stores.sql.pool import Busy, Pool
from slotstate.stores.sql.store import SqlStore


class Connection:
    def __init__(self) -> None:
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def made() -> list[Connection]:
    return []


@pytest.fixture
def connect(made: list[Connection]) -> Callable[[], Connection]:
    def connect() -> Connection:
        made.append(Connection())
        return made[-1]

    return connect


def test_the_one_that_was_used_last_is_taken_first(connect: Callable[[], Connection], made: list[Connection]) -> None:
    pool = Pool(connect, 3, 1)
    first, second = pool.take(), pool.take()
    pool.give(first)
    pool.give(second)
    assert pool.take() is second
    assert pool.take() is first
    assert len(made) == 2


def test_who_finds_none_waits_for_one(connect: Callable[[], Connection], made: list[Connection]) -> None:
    pool = Pool(connect, 1, 20)
    taken, found = pool.take(), list[object]()
    waiting = threading.Thread(target=lambda: found.append(pool.take()))
    waiting.start()
    pool.give(taken)
    waiting.join(20)
    assert found == [taken]
    assert len(made) == 1


def test_not_for_ever(connect: Callable[[], Connection]) -> None:
    pool = Pool(connect, 1, 0.01)
    pool.take()
    with pytest.raises(Busy):
        pool.take()


def test_one_that_is_dropped_makes_room(connect: Callable[[], Connection], made: list[Connection]) -> None:
    pool = Pool(connect, 1, 20)
    taken, found = pool.take(), list[object]()
    waiting = threading.Thread(target=lambda: found.append(pool.take()))
    waiting.start()
    pool.drop(taken)
    waiting.join(20)
    assert found == [made[1]]
    assert taken.closed == 1


def test_where_none_can_be_made_the_place_is_free_again(connect: Callable[[], Connection]) -> None:
    fails = [OSError("no network"), KeyboardInterrupt()]

    def at_last() -> Connection:
        if fails:
            raise fails.pop(0)
        return connect()

    pool = Pool(at_last, 1, 0.01)
    for kind in (OSError, KeyboardInterrupt):
        with pytest.raises(kind):
            pool.take()
    assert isinstance(pool.take(), Connection)


def test_closing_closes_those_in_use_once_they_come_back(connect: Callable[[], Connection]) -> None:
    pool = Pool(connect, 2, 1)
    idle, used = pool.take(), pool.take()
    pool.give(idle)
    pool.close()
    assert (idle.closed, used.closed) == (1, 0)
    pool.give(used)
    assert used.closed == 1


def test_many_threads_never_share_one(connect: Callable[[], Connection], made: list[Connection]) -> None:
    pool, used, shared = Pool(connect, 3, 20), set[int](), list[int]()

    def work() -> None:
        for _ in range(300):
            connection = pool.take()
            if id(connection) in used:
                shared.append(id(connection))
            used.add(id(connection))
            used.discard(id(connection))
            pool.give(connection)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert shared == []
    assert len(made) <= 3


def test_a_forked_process_begins_its_connections_once(tmp_path: Path) -> None:
    """Its first threads come at the same time: none of them goes on with the parent's."""
    store = open_store(f"sqlite:///{tmp_path / 'log.db'}")
    assert isinstance(store, SqlStore)
    place = store._place
    begun: list[Pool] = []
    seen: list[Pool] = []
    begin, parents = place._begin_pools, place._pool

    def slowly() -> None:
        sleep(0.2)
        begin()
        begun.append(place._pool)

    place._begin_pools, place._pid = slowly, -1  # type: ignore[method-assign]

    def work() -> None:
        place._ready()
        seen.append(place._pool)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(begun) == 1
    assert seen == begun * 4
    assert parents not in seen
    parents.close()
    store.close()
