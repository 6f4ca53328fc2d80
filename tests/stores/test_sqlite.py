"""What only the SQLite store has to do: files."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from slotstate import StaleWriter, StoreError
from slotstate.stores import open_store
from tests.stores.entries import entry


def url(folder: Path) -> str:
    return f"sqlite:///{folder / 'log.db'}"


def test_the_file_keeps_what_was_written(tmp_path: Path) -> None:
    first = open_store(url(tmp_path))
    first.append("s", [entry(0)], 0)
    first.close()
    again = open_store(url(tmp_path))
    assert list(again.load("s")) == [entry(0)]
    again.close()


def test_two_openings_of_one_file_see_each_other(tmp_path: Path) -> None:
    one, other = open_store(url(tmp_path)), open_store(url(tmp_path))
    one.append("s", [entry(0)], 0)
    with pytest.raises(StaleWriter):
        other.append("s", [entry(0)], 0)
    other.append("s", [entry(1)], 1)
    assert len(one.load("s")) == 2
    one.close()
    other.close()


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    path.write_text("these are my notes, not a database, and longer than a header" * 20)
    before = path.read_bytes()
    with pytest.raises(StoreError, match="not a database"):
        open_store(url(tmp_path))
    assert path.read_bytes() == before


@pytest.mark.parametrize("header", ["", "PRAGMA user_version = 3", "PRAGMA application_id = 77"])
def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path, header: str) -> None:
    path = tmp_path / "log.db"
    raw = sqlite3.connect(path)
    raw.executescript(f"CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine'); {header}")
    raw.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program's"):
        open_store(url(tmp_path))
    assert path.read_bytes() == before


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    raw = sqlite3.connect(tmp_path / "log.db")
    raw.execute("PRAGMA user_version = 99")
    raw.close()
    with pytest.raises(StoreError, match="newer slotstate"):
        open_store(url(tmp_path))


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="create"):
        open_store(f"sqlite:///{tmp_path / 'no' / 'log.db'}")


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = open_store(url(tmp_path))
    store.append("s", [entry(0)], 0)
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.load("s")
    store.close()
