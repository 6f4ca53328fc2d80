"""A place that holds no store is left as it is where none is to be made; the command line works on any."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from slotstate import StoreError
from slotstate.cli import main
from slotstate.log import Entry, Store
from slotstate.stores import open_store
from slotstate.stores.sql.statements import AT_ONCE
from tests.core.test_erasure import (
    test_a_summary_that_comes_too_late_is_not_kept,
    test_another_user_may_begin_where_one_was_forgotten,
    test_by_age_goes_also_what_no_entry_came_for,
    test_what_fits_goes_and_the_rest_stays,
    test_what_goes_on_is_a_new_conversation,
    test_writers_go_on_while_all_is_forgotten_again_and_again,
    tracker,
)
from tests.stores.entries import entry, snapshot
from tests.stores.servers import Server

__all__ = [  # on PostgreSQL here
    "test_a_summary_that_comes_too_late_is_not_kept",
    "test_another_user_may_begin_where_one_was_forgotten",
    "test_by_age_goes_also_what_no_entry_came_for",
    "test_what_fits_goes_and_the_rest_stays",
    "test_what_goes_on_is_a_new_conversation",
    "test_writers_go_on_while_all_is_forgotten_again_and_again",
]


@pytest.fixture
def place(server: Server) -> Iterator[Callable[[], Store]]:
    """Opens stores on one database of its own."""
    url, opened = server.database(), list[Store]()

    def another() -> Store:
        opened.append(open_store(url))
        return opened[-1]

    yield another
    for one in opened:
        one.close()


def test_no_file_is_made(tmp_path: Path) -> None:
    nothing, empty, tables = (tmp_path / name for name in ("no.db", "empty.db", "tables.db"))
    empty.touch()
    with closing(sqlite3.connect(tables, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE others (name TEXT)")
        connection.execute("DROP TABLE others")
    before = tables.read_bytes()
    for file, why in ((nothing, "there is no store"), (empty, "holds no store"), (tables, "holds no store")):
        with pytest.raises(StoreError, match=why):
            open_store(f"sqlite:///{file}", create=False)
    assert not nothing.exists()
    assert empty.read_bytes() == b""
    assert tables.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty.db", "tables.db"]
    open_store(f"sqlite:///{empty}").close()
    open_store(f"sqlite:///{empty}", create=False).close()


def test_no_table_is_made(server: Server) -> None:
    url = server.database()
    with pytest.raises(StoreError, match="holds no store: name the one"):
        open_store(url, create=False)
    assert server.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", url) == [(0,)]
    open_store(url).close()
    open_store(url, create=False).close()


def test_the_command_line_works_on_a_server(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    url = server.database()
    monkeypatch.chdir(tmp_path)
    store, schema = ("--store", url), ("--schema", "travel")
    assert main(["inspect", "s", *store, *schema]) == 2
    assert "holds no store" in capsys.readouterr().err
    with tracker(url, tenant="acme") as own:  # it opens and closes the store
        own.open("s", user="ada").user("from Oslo to Bergen")
    assert main(["inspect", "s", *store, *schema]) == 2
    assert main(["inspect", "s", *store, *schema, "--tenant", "acme"]) == 0
    assert "Session s of ada: 1 message, " in capsys.readouterr().out
    assert main(["export", *store, *schema, "--tenant", "acme"]) == 0
    assert "from Oslo to Bergen" in capsys.readouterr().out
    assert main(["forget", *store, "--tenant", "acme", "--user", "ada", "--yes"]) == 0
    assert "Forgotten: 1 conversation, " in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_messages_whose_keys_are_the_same_are_told_apart(
    kind: str, tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("rows", "store"):
        monkeypatch.setattr(f"slotstate.stores.sql.{module}.message_key", lambda session, message: 7)
    store = open_store(f"sqlite:///{tmp_path / 'log.db'}" if kind == "sqlite" else server.database())
    for session in ("ada", "bob"):
        store.append(session, [entry(seq, f"{session} {seq}") for seq in range(3)], 0)
    for seq in range(3):
        assert store.find("bob", f"m{seq}") == entry(seq, f"bob {seq}")
    assert store.find("bob", "m3") is None
    store.close()


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_an_append_of_any_size_is_whole(kind: str, tmp_path: Path, server: Server) -> None:
    """Around the number of rows that one statement writes."""
    store = open_store(f"sqlite:///{tmp_path / 'log.db'}" if kind == "sqlite" else server.database())
    log: list[Entry] = []
    for size in (1, AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, 5 * AT_ONCE + 3, 2):
        more = [entry(len(log) + at, f"text {size}") for at in range(size)]
        kept = [snapshot(log, len(log), schema=f"v{at}") for at in range(size % 40)] if log else []
        store.append("s", more, len(log), snapshots=kept)
        log += more
        assert list(store.load("s")) == log
        assert all(store.load_snapshot("s", "head", one.schema) == one for one in kept)
    store.close()
