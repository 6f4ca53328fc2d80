"""Rows that were changed, swapped or cut, files that were cut or overwritten: told as a StoreError, never believed."""

from __future__ import annotations

import contextlib
import random
import sqlite3
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from slotstate import Store, StoreError
from slotstate.log import Entry
from slotstate.stores import open_store
from slotstate.stores.sql.sqlite import SqlitePlace
from slotstate.stores.sql.store import SqlStore
from slotstate.stores.sql.tables import METADATA
from tests.stores.entries import decision, entry, ref_of, result, snapshot
from tests.stores.servers import Server

Execute = Callable[[str], object]
LOG = [entry(0), decision(1), entry(2), result(3, b"rows"), entry(4), entry(5)]


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Store, Execute]]:
    """A store with a session `ada`, and what executes a statement behind its back."""
    raw: sqlite3.Connection | None = None
    if request.param == "sqlite":
        store = open_store(f"sqlite:///{tmp_path / 'log.db'}?durability=fast")
        raw = sqlite3.connect(tmp_path / "log.db", isolation_level=None)
        execute: Execute = raw.execute
    else:
        server: Server = request.getfixturevalue("server")
        url: str = request.getfixturevalue("database")
        store = open_store(url)
        store.forget()
        execute = lambda statement: server.execute(statement, url)  # noqa: E731
    store.save_blob("ada", ref_of(b"rows"), b"rows")
    store.append("ada", LOG[:4], 0)
    store.append("ada", LOG[4:], 4, snapshots=[snapshot(LOG, 4), snapshot(LOG, 2, kind="window")])
    store.append("bob", [entry(seq, "bob's") for seq in range(4)], 0)
    yield store, execute
    store.close()
    if raw is not None:
        raw.close()


ITS = "tenant = 'default' AND session = 'ada'"


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        (f'UPDATE slotstate_entries SET event = \'{{"kind":"user"}}\' WHERE {ITS} AND seq = 2', "entry 2"),
        (f"UPDATE slotstate_entries SET event = 'no json' WHERE {ITS} AND seq = 2", "entry 2"),
        (f"UPDATE slotstate_entries SET event = replace(event, 'hello', 'hallo') WHERE {ITS} AND seq = 2", "entry 2"),
        (f"UPDATE slotstate_entries SET at = 'yesterday' WHERE {ITS} AND seq = 2", "entry 2"),
        (f"UPDATE slotstate_entries SET at = replace(at, '2026', '2027') WHERE {ITS} AND seq = 2", "entry 2"),
        (f"UPDATE slotstate_entries SET mark = '' WHERE {ITS} AND seq = 2", "entry 2"),
        (f"UPDATE slotstate_entries SET format = 7 WHERE {ITS} AND seq = 2", "entry 2"),
        (f"DELETE FROM slotstate_entries WHERE {ITS} AND seq = 2", "entry 2 is missing"),
        (f"DELETE FROM slotstate_entries WHERE {ITS} AND seq = 5", "entry 5 is missing"),
        (f"UPDATE slotstate_entries SET seq = 17 WHERE {ITS} AND seq = 2", "entry 2 is missing"),
        (
            f"UPDATE slotstate_entries SET seq = 100 + seq WHERE {ITS} AND seq IN (0, 2);"
            "UPDATE slotstate_entries SET seq = 102 - seq WHERE seq >= 100",
            "entry 0",
        ),
        (f"UPDATE slotstate_sessions SET count = 3 WHERE {ITS}", "entry 3"),
        (f"UPDATE slotstate_sessions SET count = 9 WHERE {ITS}", "entry 6 is missing"),
        (f"UPDATE slotstate_sessions SET origin = 'x' WHERE {ITS}", "entry 0"),
        (f"DELETE FROM slotstate_sessions WHERE {ITS}", "the session is not"),
        (
            "UPDATE slotstate_entries SET session = 'x' || session WHERE seq = 2;"
            "UPDATE slotstate_entries SET session = CASE session WHEN 'xada' THEN 'bob' ELSE 'ada' END "
            "WHERE session LIKE 'x%'",
            "entry 2",
        ),
    ],
)
def test_a_damaged_log_is_told_with_the_entry_and_the_session(
    place: tuple[Store, Execute], damage: str, what: str
) -> None:
    store, execute = place
    assert list(store.load("ada")) == LOG
    for step in damage.split(";"):
        execute(step)
    with pytest.raises(StoreError, match=what) as caught:
        store.load("ada")
    assert "'ada'" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_damaged_entry_is_told_wherever_it_is_read(place: tuple[Store, Execute]) -> None:
    store, execute = place
    execute(f"UPDATE slotstate_entries SET event = replace(event, 'hello', 'hallo') WHERE {ITS} AND seq = 4")
    for read in (
        lambda: store.load("ada", 3),
        lambda: store.open("ada", "v1"),
        lambda: store.pick("ada", [1, 4]),
        lambda: store.find("ada", "m4"),
    ):
        with pytest.raises(StoreError, match="entry 4 of session 'ada' is damaged"):
            read()
    assert list(store.pick("ada", [1, 2])) == LOG[1:3]
    execute(f"DELETE FROM slotstate_entries WHERE {ITS} AND seq = 4")
    with pytest.raises(StoreError, match="entry 4 is missing"):
        store.pick("ada", [1, 4])


@pytest.mark.parametrize("change", ["content = '{}!'", "seq = 5", "seq = 900", "last = 'x'", "mark = 'x'"])
def test_a_damaged_snapshot_is_dropped_and_the_log_is_read(place: tuple[Store, Execute], change: str) -> None:
    store, execute = place
    assert store.open("ada", "v1").snapshot is not None
    execute(f"UPDATE slotstate_snapshots SET {change} WHERE {ITS}")
    assert store.load_snapshot("ada", "window", "v1") is None
    opened = store.open("ada", "v1")
    assert (opened.snapshot, list(opened.entries)) == (None, LOG)
    store.append("ada", [entry(6)], 6, snapshots=[snapshot(LOG, 5)])
    assert store.load_snapshot("ada", "head", "v1") == snapshot(LOG, 5)


SECRET = "my card is 4111"


def is_sqlite(store: Store) -> bool:
    return isinstance(store, SqlStore) and isinstance(store._place, SqlitePlace)


@pytest.fixture
def spoilt(place: tuple[Store, Execute]) -> Iterator[tuple[Store, Callable[[str, str], None]]]:
    """A store, and what puts a byte that is no UTF-8 into a column of the rows that a condition chooses."""
    store, execute = place
    if is_sqlite(store):
        as_text = "CAST(CAST(substr({0}, 1, 12) AS BLOB) || x'ff' || CAST(substr({0}, 13) AS BLOB) AS TEXT)"
    else:  # what no statement can do, a damaged disk can: the server does not look at what it reads
        execute("DROP CAST IF EXISTS (bytea AS text)")
        execute("CREATE CAST (bytea AS text) WITHOUT FUNCTION")
        as_text = (
            "((convert_to(substr({0}, 1, 12), 'UTF8') || '\\xff'::bytea || convert_to(substr({0}, 13), 'UTF8'))::text)"
        )

    def spoil(column: str, which: str) -> None:
        table, _, name = column.partition(".")
        execute(f"UPDATE slotstate_{table} SET {name} = {as_text.format(name)} WHERE {which}")

    yield store, spoil
    for table in METADATA.tables:
        execute(f"DELETE FROM {table}")


@pytest.mark.parametrize("column", ["at", "event", "mark"])
def test_text_that_is_none_any_more_is_told_with_the_entry_and_nothing_of_it(
    spoilt: tuple[Store, Callable[[str, str], None]], column: str
) -> None:
    """A driver's error would quote it."""
    store, spoil = spoilt
    store.append("ada", [entry(6, SECRET)], 6)
    spoil(f"entries.{column}", f"{ITS} AND seq = 6")
    reads = [
        lambda: store.load("ada"),
        lambda: store.load("ada", 6),
        lambda: store.open("ada", "v1"),
        lambda: store.pick("ada", [6]),
        lambda: store.find("ada", "m6"),
    ]
    for read in reads:
        with pytest.raises(StoreError, match=r"entry 6 of session 'ada' is damaged .*; restore a backup") as caught:
            read()
        told = "".join(traceback.format_exception(caught.value))
        assert "4111" not in told
    assert list(store.pick("ada", [1, 2])) == LOG[1:3], "and the rest is read as before"
    assert len(store.load("bob")) == 4


@pytest.mark.parametrize("column", ["last", "content", "mark"])
def test_a_snapshot_whose_text_is_none_any_more_is_dropped(
    spoilt: tuple[Store, Callable[[str, str], None]], column: str
) -> None:
    store, spoil = spoilt
    spoil(f"snapshots.{column}", ITS)
    assert store.load_snapshot("ada", "window", "v1") is None
    opened = store.open("ada", "v1")
    assert (opened.snapshot, list(opened.entries)) == (None, LOG)
    store.append("ada", [entry(6)], 6, snapshots=[snapshot(LOG, 5)])
    assert store.load_snapshot("ada", "head", "v1") == snapshot(LOG, 5)
    assert store.open("ada", "v1").snapshot == snapshot(LOG, 5)


@pytest.mark.parametrize("column", ["sessions.origin", "sessions.owner", "sessions.session"])
def test_a_session_whose_text_is_none_any_more_is_told(
    spoilt: tuple[Store, Callable[[str, str], None]], column: str
) -> None:
    store, spoil = spoilt
    store.append("ada", [entry(6, SECRET)], 6, user="ada of the long name")
    spoil(column, ITS)
    with pytest.raises(StoreError, match=r"damaged|the session is not"):
        store.load("ada")
    if column != "sessions.origin":
        with pytest.raises(StoreError, match="damaged"):
            list(store.sessions())
    if column == "sessions.session":
        with pytest.raises(StoreError, match="a text in it is damaged: restore a backup"):
            store.forget()


def test_what_a_driver_says_of_a_row_is_not_told(place: tuple[Store, Execute]) -> None:
    """Whatever kind of error it is, nothing of a row's stands in it, or in what a traceback shows."""
    store, execute = place
    if sqlite := is_sqlite(store):
        raised = f"SELECT RAISE(ABORT, '{SECRET}')"
        execute(f"CREATE TRIGGER telling BEFORE INSERT ON slotstate_entries BEGIN {raised}; END")
    else:
        execute(
            "CREATE OR REPLACE FUNCTION telling() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION '%', NEW.event; END $$"
        )
        execute("CREATE TRIGGER telling BEFORE INSERT ON slotstate_entries FOR EACH ROW EXECUTE FUNCTION telling()")
    try:
        with pytest.raises(StoreError, match=r"cannot (write|use)") as caught:
            store.append("ada", [entry(6, SECRET)], 6)
    finally:
        execute(f"DROP TRIGGER telling{'' if sqlite else ' ON slotstate_entries'}")
    assert "4111" not in "".join(traceback.format_exception(caught.value))


def test_a_damaged_blob_is_told(place: tuple[Store, Execute]) -> None:
    store, execute = place
    execute("UPDATE slotstate_blobs SET content = '\\x00'")
    with pytest.raises(StoreError, match=r"'blob:\w+' of session 'ada' is damaged"):
        store.load_blob("ada", ref_of(b"rows"))


FUZZ: list[Any] = [None, -1, 2**62, 1.5, "x", b"\xff\x00", "[]"]


def test_any_value_in_any_column_is_noticed_or_does_not_matter(tmp_path: Path) -> None:
    """SQLite keeps any type anywhere: whatever stands there, what is read is right, or a StoreError."""
    path = tmp_path / "log.db"
    store = open_store(f"sqlite:///{path}?durability=fast")
    store.save_blob("ada", ref_of(b"rows"), b"rows")
    store.append("ada", LOG[:5], 0)
    store.append("ada", LOG[5:], 5, snapshots=[snapshot(LOG, 4)])
    store.close()
    whole = path.read_bytes()
    told = 0
    for table, column in columns(path):
        for value in FUZZ:
            path.write_bytes(whole)
            raw = sqlite3.connect(path)
            raw.execute("PRAGMA synchronous = OFF")
            with contextlib.suppress(sqlite3.IntegrityError):
                raw.execute(f"UPDATE {table} SET {column} = ?", (value,))
            raw.commit()
            raw.close()
            store = open_store(f"sqlite:///{path}?durability=fast")
            told += read_all(store, column in {"tenant", "session"})
            store.close()
    assert told > 50


def columns(path: Path) -> list[tuple[str, str]]:
    raw = sqlite3.connect(path)
    tables = (
        "slotstate_sessions",
        "slotstate_entries",
        "slotstate_snapshots",
        "slotstate_blobs",
        "slotstate_blob_uses",
    )
    found = [(table, row[1]) for table in tables for row in raw.execute(f"PRAGMA table_info({table})")]
    raw.close()
    return found


def read_all(store: Store, may_hide: bool) -> int:
    """How many reads told of damage. What the others found is what was written, or nothing where a key was changed."""
    told = 0

    def check(read: Callable[[], Any], right: Callable[[Any], bool]) -> None:
        nonlocal told
        try:
            found = read()
        except StoreError:
            told += 1
        else:
            assert right(found), found

    check(lambda: list(store.load("ada")), lambda log: log == LOG or (may_hide and not log))
    check(lambda: store.open("ada", "v1"), lambda one: opens(one.entries, one.snapshot) or not one.entries)
    check(lambda: list(store.pick("ada", [0, 3])), lambda log: log in ([LOG[0], LOG[3]], []))
    check(lambda: store.find("ada", "m4"), lambda one: one in (LOG[4], None))
    check(lambda: store.load_blob("ada", ref_of(b"rows")), lambda one: one in (b"rows", None))
    check(lambda: list(store.sessions()), lambda infos: len(infos) <= 1)
    return told


def opens(entries: Any, found: Any) -> bool:
    return list(entries) == (LOG if found is None else LOG[found.seq - 1 :])


def big_file(path: Path) -> None:
    """A file with a thousand entries, all of it in the one file."""
    store = open_store(f"sqlite:///{path}?durability=fast")
    store.append("ada", [entry(seq, "hello " * 30) for seq in range(600)], 0)
    store.save_blob("ada", ref_of(b"rows"), b"rows" * 5_000)
    store.close()


def usable(path: Path) -> list[Entry] | None:
    """What a file still yields: its log, or None where it told of damage."""
    try:
        store = open_store(f"sqlite:///{path}?durability=fast")
    except StoreError:
        return None
    try:
        log = list(store.load("ada"))
        store.load_blob("ada", ref_of(b"rows"))
        store.find("ada", "m7")
        store.append("ada", [entry(len(log))], len(log))
        return log
    except StoreError:
        return None
    finally:
        with contextlib.suppress(StoreError):
            store.close()


def test_a_file_that_was_cut_tells_so(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    big_file(path)
    whole = path.read_bytes()
    lengths = [*range(1, 200, 23), *range(200, len(whole), 4096 + 512), len(whole) - 1]
    for length in lengths:
        path.write_bytes(whole[:length])
        for beside in ("log.db-wal", "log.db-shm"):
            (tmp_path / beside).unlink(missing_ok=True)
        assert usable(path) is None, length


def test_a_file_that_was_overwritten_never_yields_another_log(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    big_file(path)
    whole = path.read_bytes()
    log = [entry(seq, "hello " * 30) for seq in range(600)]
    rng = random.Random(4)
    told = 0
    for _ in range(120):
        damaged = bytearray(whole)
        at = rng.randrange(len(whole))
        size = rng.choice([1, 1, 4, 100, 4096])
        damaged[at : at + size] = rng.randbytes(size) if rng.random() < 0.5 else bytes(size)
        path.write_bytes(damaged[: len(whole)])
        for beside in ("log.db-wal", "log.db-shm"):
            (tmp_path / beside).unlink(missing_ok=True)
        found = usable(path)
        assert found is None or found == log or not found
        told += found is None
    assert told > 20
