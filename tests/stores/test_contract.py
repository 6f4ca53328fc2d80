"""One suite for every store."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotstate import InputError, StaleWriter, Store, StoreError
from slotstate.events import Filled, UserTurn, dump_event
from slotstate.log import Entry
from slotstate.stores import MemoryStore, open_store

AT = datetime(2026, 11, 29, 12, 30, 15, 250, tzinfo=timezone(timedelta(hours=1)))


def entry(seq: int, text: str = "hello") -> Entry:
    return Entry(seq, AT, UserTurn(turn=seq, id=f"m{seq}", text=text, at=AT))


class StoreContract(ABC):
    """What every store must do; a subclass says how to make one."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        made = open_store(self.url(tmp_path))
        yield made
        made.close()

    @abstractmethod
    def url(self, folder: Path) -> str:
        """Where a store in this folder is."""

    def test_is_a_store(self, store: Store) -> None:
        assert isinstance(store, Store)

    def test_an_unknown_session_is_empty(self, store: Store) -> None:
        assert list(store.load("nobody")) == []

    def test_what_is_appended_is_loaded_in_order(self, store: Store) -> None:
        first, second = [entry(0), entry(1, "无 😀 {{ x }} \u0000")], [entry(2)]
        store.append("s", first, 0)
        store.append("s", second, 2)
        assert list(store.load("s")) == [*first, *second]
        assert list(store.load("s", 2)) == second
        assert list(store.load("s", 9)) == []

    def test_sessions_do_not_mix(self, store: Store) -> None:
        store.append("a", [entry(0, "a")], 0)
        store.append("b", [entry(0, "b")], 0)
        assert [one.event for one in store.load("b")] == [entry(0, "b").event]

    def test_blobs_are_found_by_session_and_reference(self, store: Store) -> None:
        assert store.load_blob("s", "blob:1") is None
        store.save_blob("s", "blob:1", b"\x00\xff" * 1_000)
        store.save_blob("s", "blob:1", b"\x00\xff" * 1_000)
        with pytest.raises(StoreError, match="digest"):
            store.save_blob("t", "blob:1", b"another content")
        store.save_blob("s", "blob:2", b"")
        assert store.load_blob("t", "blob:1") is None, "a session sees only what it kept itself"
        store.save_blob("t", "blob:1", b"\x00\xff" * 1_000)
        assert store.load_blob("s", "blob:1") == b"\x00\xff" * 1_000
        assert store.load_blob("s", "blob:2") == b""
        assert store.load_blob("t", "blob:1") == b"\x00\xff" * 1_000
        assert list(store.load("s")) == []

    @pytest.mark.parametrize("expected", [0, 2])
    def test_a_stale_writer_is_refused_and_nothing_is_written(self, store: Store, expected: int) -> None:
        store.append("s", [entry(0)], 0)
        with pytest.raises(StaleWriter, match="reload"):
            store.append("s", [entry(expected), entry(expected + 1)], expected)
        assert list(store.load("s")) == [entry(0)]

    def test_of_many_writers_at_once_one_wins_each_place(self, store: Store) -> None:
        def write(worker: int) -> int:
            done = 0
            for _ in range(20):
                count = len(store.load("s"))
                try:
                    store.append("s", [entry(count, f"{worker}"), entry(count + 1, f"{worker}")], count)
                    done += 1
                except StaleWriter:
                    continue
            return done

        with ThreadPoolExecutor(4) as pool:
            written = sum(pool.map(write, range(4)))
        log = store.load("s")
        assert len(log) == 2 * written > 0
        assert [one.seq for one in log] == list(range(len(log)))
        texts = [one.event.text for one in log if isinstance(one.event, UserTurn)]
        assert all(texts[at] == texts[at + 1] for at in range(0, len(texts), 2)), "an append is all or nothing"


class TestMemory(StoreContract):
    def url(self, folder: Path) -> str:
        return "memory://"


class TestSqlite(StoreContract):
    def url(self, folder: Path) -> str:
        return f"sqlite:///{folder / 'log.db'}"

    def test_the_file_keeps_what_was_written(self, tmp_path: Path) -> None:
        first = open_store(self.url(tmp_path))
        first.append("s", [entry(0)], 0)
        first.close()
        again = open_store(self.url(tmp_path))
        assert list(again.load("s")) == [entry(0)]
        again.close()

    def test_two_openings_of_one_file_see_each_other(self, tmp_path: Path) -> None:
        one, other = open_store(self.url(tmp_path)), open_store(self.url(tmp_path))
        one.append("s", [entry(0)], 0)
        with pytest.raises(StaleWriter):
            other.append("s", [entry(0)], 0)
        other.append("s", [entry(1)], 1)
        assert len(one.load("s")) == 2
        one.close()
        other.close()

    @pytest.mark.parametrize(
        ("damage", "what"),
        [
            ('UPDATE slotstate_entries SET event = \'{"kind": "user"}\'', "damaged"),
            ("UPDATE slotstate_entries SET event = 'no json'", "damaged"),
            ("UPDATE slotstate_entries SET at = 'yesterday'", "damaged"),
            ("DELETE FROM slotstate_entries WHERE seq = 0", "entry 0 is missing"),
        ],
    )
    def test_a_damaged_row_is_told_with_its_number(self, tmp_path: Path, damage: str, what: str) -> None:
        store = open_store(self.url(tmp_path))
        store.append("s", [entry(0), entry(1)], 0)
        raw = sqlite3.connect(tmp_path / "log.db")
        raw.execute(damage)
        raw.commit()
        raw.close()
        with pytest.raises(StoreError, match=what):
            store.load("s")
        store.close()

    def test_a_file_that_is_no_database_is_refused_and_left_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "log.db"
        path.write_text("these are my notes, not a database, and longer than a header" * 20)
        before = path.read_bytes()
        with pytest.raises(StoreError, match="not a database"):
            open_store(self.url(tmp_path))
        assert path.read_bytes() == before

    def test_a_newer_file_is_refused(self, tmp_path: Path) -> None:
        raw = sqlite3.connect(tmp_path / "log.db")
        raw.execute("PRAGMA user_version = 99")
        raw.close()
        with pytest.raises(StoreError, match="newer slotstate"):
            open_store(self.url(tmp_path))

    def test_a_missing_folder_is_told(self, tmp_path: Path) -> None:
        with pytest.raises(StoreError, match="create"):
            open_store(f"sqlite:///{tmp_path / 'no' / 'log.db'}")


@pytest.mark.parametrize("url", ["", "redis://x", "sqlite://", "sqlite:///", "memory://x", "log.db"])
def test_an_unknown_url_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="use memory://"):
        open_store(url)


@given(
    st.text(st.characters(codec="utf-8")),
    st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text("ab\0无"),
)
def test_events_survive_the_trip_to_json(text: str, value: object) -> None:
    from slotstate.events import load_event

    event = Filled(turn=1, step=2, at=AT.astimezone(UTC), op="set", path="a.b", value=value, quote=text, span=(0, 3))
    assert load_event(dump_event(event)) == event


def test_memory_is_one_stores_own() -> None:
    MemoryStore().append("s", [entry(0)], 0)
    assert MemoryStore().load("s") == ()
