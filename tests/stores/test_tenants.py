"""No statement reaches another tenant's rows: by its text, and by what the driver is given."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import create_engine

from slotstate import Store
from slotstate.stores import open_store
from slotstate.stores.sql.sqlite import SqlitePlace
from slotstate.stores.sql.statements import Statements
from slotstate.stores.sql.tables import METADATA
from tests.stores.entries import entry, ref_of, result, snapshot

FAR = datetime(9999, 1, 1, tzinfo=UTC)
PLACES = re.compile(r"(?:FROM|JOIN|UPDATE|DELETE FROM) (slotstate_\w+)")
BINDS = {"sqlite": "?1", "postgresql": "$1::VARCHAR"}


def statements(url: str) -> list[str]:
    engine = create_engine(url, paramstyle="named") if url.startswith("sqlite") else create_engine(url)
    return [statement.sql for statement in Statements(engine.dialect).all()]


@pytest.mark.parametrize("url", ["sqlite://", "postgresql+psycopg://"])
def test_each_table_in_each_statement_is_bound_to_the_tenant(url: str) -> None:
    bind = BINDS[url.partition("+")[0].partition(":")[0]]
    seen: Counter[str] = Counter()
    for text in statements(url):
        flat = " ".join(text.split())
        for table in METADATA.tables:
            read = PLACES.findall(flat).count(table)
            assert flat.count(f"{table}.tenant = {bind}") >= read, flat
            seen[table] += read
            for columns in re.findall(rf"INSERT INTO {table} (\(\w+)", flat):
                assert columns == "(tenant", flat
                written = flat.partition(f"INSERT INTO {table} ")[2]
                assert re.match(rf"\([\w, ]+\) (VALUES \(|SELECT ){re.escape(bind)}[, ]", written), flat
                seen[table] += 1
    assert len(seen) == len(METADATA.tables)
    assert min(seen.values()) >= 3, "the search sees them all"


def whole_life(store: Store) -> None:
    """Each call of the protocol, with something to find and with nothing."""
    log = [entry(0), result(1, b"rows"), entry(2)]
    for session in ("s", "t"):
        store.save_blob(session, ref_of(b"rows"), b"rows")
        store.save_blob(session, ref_of(b"idle"), b"idle")
        store.append(session, log[:2], 0, user="ada")
        store.append(session, log[2:], 2, snapshots=[snapshot(log, 2), snapshot(log, 1, kind="window")])
        store.append(session, [entry(3)], 3)
        store.append(session, [], 4)
        store.open(session, "v1")
        store.load(session)
        store.pick(session, range(20))
        store.find(session, "m0")
        store.load_snapshot(session, "window", "v1")
        store.load_blob(session, ref_of(b"rows"))
    list(store.sessions(user="ada", before=FAR))
    store.collect(FAR)
    store.forget(session="s", user="ada", before=FAR)
    store.forget(session="s")
    store.forget(user="ada")
    store.forget()


@pytest.fixture
def sqlite_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Store, list[str]]]:
    """A store, and each statement with its values as SQLite executes it."""
    seen: list[str] = []
    connect = SqlitePlace._connect

    def traced(self: SqlitePlace, path: str) -> sqlite3.Connection:
        made = connect(self, path)
        made.set_trace_callback(seen.append)
        return made

    monkeypatch.setattr(SqlitePlace, "_connect", traced)
    store = open_store(f"sqlite:///{tmp_path / 'log.db'}?durability=fast")
    seen.clear()
    yield store, seen
    store.close()


def filled(query: str, values: Sequence[Any]) -> str:
    """A statement with its values in it."""
    return re.sub(r"\$(\d+)", lambda found: repr(values[int(found[1]) - 1]), query)


@pytest.fixture
def postgres_seen(database: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Store, list[str]]]:
    """A store, and each statement with its values as the driver is given them."""
    seen: list[str] = []
    store = open_store(database)

    def spy(name: str) -> Callable[..., Any]:
        plain = getattr(psycopg.Cursor, name)

        def executed(self: Any, query: Any, values: Any = None, **more: Any) -> Any:
            seen.extend(filled(str(query), one or ()) for one in (values if name == "executemany" else [values]))
            return plain(self, query, values, **more)

        return executed

    for name in ("execute", "executemany"):
        monkeypatch.setattr(psycopg.Cursor, name, spy(name))
    yield store, seen
    store.close()


@pytest.mark.parametrize("place", ["sqlite_seen", "postgres_seen"])
def test_each_statement_that_is_executed_names_our_tenant_and_no_other(
    place: str, request: pytest.FixtureRequest
) -> None:
    store, seen = request.getfixturevalue(place)
    ours, theirs = store.within("tenant-of-ours"), store.within("tenant-of-theirs")
    whole_life(theirs)
    seen.clear()
    whole_life(ours)
    on_tables = [text for text in seen if "slotstate_" in text]
    assert len(on_tables) > 60
    assert {table for text in on_tables for table in METADATA.tables if table in text} == set(METADATA.tables)
    for text in on_tables:
        assert "'tenant-of-ours'" in text
    for text in seen:
        assert "theirs" not in text
        assert "'default'" not in text
