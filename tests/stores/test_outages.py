"""A server that goes away in the middle of something: a retry or a typed error, no half turn, no lost turn."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import make_url

from slotstate import InputError, MissingExtra, StaleWriter, Store, StoreError
from slotstate.log import Entry
from slotstate.stores import open_store
from tests.stores.entries import entry, ref_of, result, snapshot
from tests.stores.proxy import Cut, Proxy
from tests.stores.servers import Server, libpq


@pytest.fixture(scope="module")
def ours(server: Server) -> Server:
    """A server that may be stopped."""
    if not server.is_ours:
        pytest.skip("the server that was given is not ours to stop")
    return server


@pytest.fixture
def proxy(ours: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    made = Proxy(tmp_path_factory.mktemp("p"), ours.socket)
    yield made
    made.close()


@pytest.fixture
def store(ours: Server, database: str, proxy: Proxy) -> Iterator[Store]:
    """A store behind the proxy."""
    host = str(Path(proxy._listener.getsockname()).parent)
    url = make_url(database).update_query_dict({"host": host, "retry": "8"}).render_as_string(hide_password=False)
    made = open_store(url)
    made.forget()
    yield made
    proxy.cut = lambda sent: None
    made.close()


def at(number: int, cut: Cut) -> Callable[[bytes], Cut | None]:
    """Cut at a message, counted from 0."""
    sent_before = count()
    return lambda sent: cut if next(sent_before) == number else None


FAR = datetime(9999, 1, 1, tzinfo=UTC)
LOG = [entry(0), result(1, b"rows"), result(2, b"rows"), entry(3)]


def turn(store: Store, log: list[Entry], expected: int) -> None:
    """A turn of two entries, with a snapshot."""
    kept = [snapshot(log, expected)] if expected else []
    store.append("s", log[expected : expected + 2], expected, snapshots=kept)


# With a blob an append is a transaction of several statements, without one a single statement.
WITHOUT = [entry(seq) for seq in range(4)]


@pytest.mark.parametrize("cut", ["before", "after"])
@pytest.mark.parametrize("log", [LOG, WITHOUT], ids=["transaction", "statement"])
@pytest.mark.parametrize("first", [True, False], ids=["first", "later"])
def test_a_turn_is_there_once_whenever_the_line_drops(
    store: Store, proxy: Proxy, log: list[Entry], cut: Cut, first: bool
) -> None:
    """At each message of the client in turn, until an append needs no more of them."""
    for number in range(20):
        store.forget(session="s")
        store.save_blob("s", ref_of(b"rows"), b"rows")
        if not first:
            turn(store, log, 0)
        before = proxy.cuts
        proxy.cut = at(number, cut)
        turn(store, log, 0 if first else 2)
        proxy.cut = lambda sent: None
        assert list(store.load("s")) == (log[:2] if first else log)
        if log is LOG:
            assert store.collect(FAR) == 0, "what entries refer to is marked with them"
        with pytest.raises(StaleWriter):
            turn(store, log, 0)
        if proxy.cuts == before:
            assert number >= (5 if log is LOG else 1)
            return
    raise AssertionError("an append has no end")


def test_another_writer_is_not_taken_for_oneself(store: Store, proxy: Proxy, database: str) -> None:
    other = open_store(database)
    store.append("s", [entry(0)], 0)

    def steal(sent: bytes) -> Cut | None:
        if b"UPDATE slotstate_sessions" not in sent:
            return None
        proxy.cut = lambda sent: None
        other.append("s", [entry(1, "faster")], 1)
        return "before"

    proxy.cut = steal
    with pytest.raises(StaleWriter):
        store.append("s", [entry(1, "slower")], 1)
    assert list(store.load("s")) == [entry(0), entry(1, "faster")]
    other.close()


def test_oneself_is_known_again_though_another_writer_went_on(store: Store, proxy: Proxy, database: str) -> None:
    other = open_store(database)
    store.append("s", [entry(0)], 0)
    sent_before: list[bytes] = []

    def interfere(sent: bytes) -> Cut | None:
        if b"UPDATE slotstate_sessions" not in sent:
            return None
        sent_before.append(sent)
        if len(sent_before) == 1:
            return "after"
        other.append("s", [entry(2, "next")], 2)
        return None

    proxy.cut = interfere
    store.append("s", [entry(1, "ours")], 1)
    assert len(sent_before) == 2
    assert list(store.load("s")) == [entry(0), entry(1, "ours"), entry(2, "next")]
    other.close()


def test_what_was_forgotten_is_counted_though_the_answer_was_lost(store: Store, proxy: Proxy) -> None:
    turn(store, LOG, 0)
    turn(store, LOG, 2)
    proxy.cut = lambda sent: "after" if b"COMMIT" in sent and not proxy.cuts else None
    erased = store.forget(session="s")
    assert (erased.sessions, erased.entries, erased.snapshots, erased.left) == (1, 4, 1, 0)
    assert proxy.cuts == 1


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_a_restart_in_the_middle_costs_time_and_nothing_else(ours: Server, database: str, mode: str) -> None:
    """Writers go on over a restart: each turn that was acknowledged is there, in order, once."""
    store = open_store(f"{database}&retry=30")
    store.forget()
    acknowledged: dict[str, int] = {}
    stop = threading.Event()
    failed: list[BaseException] = []

    def write(name: str) -> None:
        length = 0
        try:
            while not stop.is_set():
                store.append(name, [entry(length, name), entry(length + 1, name)], length)
                acknowledged[name] = length = length + 2
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(f"s{at}",)) for at in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(2):
        time.sleep(0.3)
        ours.restart(mode)
    time.sleep(0.3)
    stop.set()
    for thread in threads:
        thread.join(40)
    assert failed == []
    for name, length in acknowledged.items():
        assert length >= 4
        assert list(store.load(name)) == [entry(seq, name) for seq in range(length)]
    store.close()


def test_terminated_connections_are_made_anew(ours: Server, store: Store, database: str) -> None:
    store.append("s", [entry(0)], 0)
    for seq in range(1, 4):
        ours.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'slotstate'")
        assert len(store.load("s")) == seq
        ours.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'slotstate'")
        store.append("s", [entry(seq)], seq)


def test_a_server_that_stays_away_is_told_in_one_line(ours: Server, database: str) -> None:
    store = open_store(f"{database}&retry=0.5")
    ours.stop()
    try:
        for call in (lambda: store.append("s", [entry(0)], 0), lambda: store.load("s"), store.forget):
            with pytest.raises(StoreError, match="cannot use postgresql://") as caught:
                call()
            assert "\n" not in str(caught.value)
        with pytest.raises(StoreError, match="cannot open postgresql://"):
            open_store(database)
    finally:
        ours.start()
    store.append("back", [entry(0)], 0)
    store.close()


def test_a_lock_that_is_held_is_waited_for(ours: Server, database: str) -> None:
    store = open_store(database)
    store.forget()
    store.append("s", [entry(0)], 0)
    with psycopg.connect(libpq(database)) as other:
        other.execute("SELECT * FROM slotstate_sessions WHERE session = 's' FOR UPDATE")
        writing = threading.Thread(target=lambda: store.append("s", [entry(1)], 1))
        writing.start()
        time.sleep(0.2)
        assert len(store.load("s")) == 1, "readers wait for nobody"
        other.rollback()
        writing.join(20)
    assert len(store.load("s")) == 2
    store.close()


def test_a_collection_waits_for_who_is_keeping_the_blob(ours: Server, database: str) -> None:
    store = open_store(database)
    store.forget()
    for content in (b"one", b"two"):
        store.save_blob("s", ref_of(content), content)
    gone: list[int] = []
    with psycopg.connect(libpq(database)) as other:
        other.execute("UPDATE slotstate_blobs SET touched = %s WHERE ref = %s", (2**62, ref_of(b"one")))
        collecting = threading.Thread(target=lambda: gone.append(store.collect(FAR)))
        collecting.start()
        time.sleep(0.2)
        assert gone == []
        other.commit()
        collecting.join(20)
    assert gone == [1]
    assert store.load_blob("s", ref_of(b"one")) == b"one", "neither the blob nor its use"
    store.close()


def test_what_is_wrong_with_an_address_is_told_without_its_password(ours: Server, database: str) -> None:
    wrong = make_url(database).set(username="nobody", password="secret")
    for url, what in (
        (wrong, "nobody"),
        (wrong.set(username="postgres", database="nowhere"), "nowhere"),
        (wrong.update_query_dict({"host": "/nowhere"}), "cannot open"),
        (wrong.update_query_dict({"nonsense": "1"}), "nonsense"),
    ):
        with pytest.raises((StoreError, InputError), match=what) as caught:
            open_store(url.render_as_string(hide_password=False))
        assert "secret" not in str(caught.value)
        assert "\n" not in str(caught.value)


def test_without_its_driver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.delitem(sys.modules, "slotstate.stores.sql.postgres", raising=False)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra, match=r"slotstate\[postgres\]"):
        open_store("postgresql://ada@host/db")


def test_many_threads_share_few_connections(ours: Server, database: str) -> None:
    store = open_store(f"{database}&pool=2")
    store.forget()
    errors: list[Any] = []

    def work(name: str) -> None:
        try:
            for seq in range(10):
                store.append(name, [entry(seq)], seq)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(f"{at}",)) for at in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert {info.entries for info in store.sessions()} == {10}
    connected = (
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'slotstate' AND datname = current_database()"
    )
    assert ours.execute(connected, database)[0][0] <= 2
    store.close()
