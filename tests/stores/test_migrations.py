"""Files and databases of every released version come forward; new ones are made the same."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, make_url, text

from slotstate import StaleWriter, StoreError
from slotstate.events import dump_event, load_event
from slotstate.log import Entry, fingerprint
from slotstate.stores import open_store
from slotstate.stores.reading import message_of
from slotstate.stores.sql import migrating
from slotstate.stores.sql.tables import METADATA, REVISION, VERSION_TABLE
from tests.stores.entries import decision, entry, pictured, ref_of, result
from tests.stores.servers import Server

FAR = datetime(9999, 1, 1, tzinfo=UTC)
# As version 1 and 2 made their files, word for word.
V1 = """
CREATE TABLE IF NOT EXISTS entries (
    session TEXT NOT NULL,
    seq INTEGER NOT NULL,
    at TEXT NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (session, seq)
) WITHOUT ROWID;
PRAGMA user_version = 1;
"""
V2 = """
CREATE TABLE IF NOT EXISTS blobs (
    session TEXT NOT NULL,
    ref TEXT NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (session, ref)
);
PRAGMA user_version = 2;
"""
ADA = [entry(0), decision(1), result(2, b"rows"), pictured(3, b"dog", b"cat")]
# What is read of them: of an event of format 1 it is not known whether its slot was sensitive.
READ = [Entry(one.seq, one.at, load_event(dump_event(one.event), 1)) for one in ADA]


def old_file(path: Path, version: int, logs: dict[str, list[Entry]]) -> sqlite3.Connection:
    """A file as version 1 or 2 left it."""
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("PRAGMA journal_mode = WAL")
    raw.executescript(V1 if version == 1 else V1 + V2)
    raw.execute("BEGIN")
    for session, log in logs.items():
        rows = [(session, one.seq, one.at.isoformat(), dump_event(one.event)) for one in log]
        raw.executemany("INSERT INTO entries VALUES (?, ?, ?, ?)", rows)
    raw.execute("COMMIT")
    return raw


@pytest.mark.parametrize("version", [1, 2])
def test_an_old_file_comes_forward_whole(tmp_path: Path, version: int) -> None:
    path = tmp_path / "old.db"
    many = [entry(seq, f"text {seq}") for seq in range(2_500)]
    raw = old_file(path, version, {"ada": ADA, "bob": many, "n": [entry(0, "\u0000")]})
    kept = {b"rows": "ada", b"dog": "ada", b"never referred to": "ada"}
    if version == 2:
        for content, session in (*kept.items(), (b"rows", "bob")):
            raw.execute("INSERT INTO blobs VALUES (?, ?, ?)", (session, ref_of(content), content))
    raw.close()
    store = open_store(f"sqlite:///{path}")
    assert list(store.load("ada")) == READ
    assert list(store.load("bob")) == many
    assert list(store.load("n")) == [entry(0, "\u0000")]
    assert store.find("ada", "m3") == ADA[3]
    assert [(info.session, info.entries) for info in store.sessions()] == [("ada", 4), ("bob", 2_500), ("n", 1)]
    assert {info.began for info in store.sessions()} == {ADA[0].at}
    assert store.within("other").load("ada") == ()
    if version == 2:
        assert [store.load_blob("ada", ref_of(content)) for content in kept] == list(kept)
        assert store.collect(FAR) == 1, "what nobody referred to goes, what entries refer to stays"
        assert store.load_blob("ada", ref_of(b"dog")) == b"dog"
        assert store.load_blob("bob", ref_of(b"rows")) is None
    with pytest.raises(StaleWriter):
        store.append("ada", [entry(3)], 3)
    store.append("ada", [entry(4)], 4, origin=store.open("ada", "").origin, user="ada")
    store.close()
    again = open_store(f"sqlite:///{path}")
    assert len(again.load("ada")) == 5
    again.close()
    raw = sqlite3.connect(path)
    tables = raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    raw.close()
    assert {name for (name,) in tables}.isdisjoint({"entries", "blobs"})


def test_damage_in_an_old_file_is_still_told_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    raw = old_file(path, 2, {name: [entry(0), entry(1), entry(2)] for name in ("json", "time", "hole", "fine")})
    raw.execute("UPDATE entries SET event = '{\"kind\": \"user\"' WHERE session = 'json' AND seq = 1")
    raw.execute("UPDATE entries SET at = 'yesterday' WHERE session = 'time' AND seq = 2")
    raw.execute("DELETE FROM entries WHERE session = 'hole' AND seq = 1")
    raw.close()
    store = open_store(f"sqlite:///{path}")
    assert len(store.load("fine")) == 3
    for session, what in {"json": "entry 1", "time": "entry 2", "hole": "entry 1 is missing"}.items():
        with pytest.raises(StoreError, match=what) as caught:
            store.load(session)
        assert session in str(caught.value)
    store.close()


DAMAGE = {
    "an id that is a number": """UPDATE entries SET event = '{"kind": "user", "id": 7}' WHERE seq = 1""",
    "half a character": """UPDATE entries SET event = '{"kind": "user", "id": "\\ud83d"}' WHERE seq = 1""",
    "a list for a reference": """UPDATE entries SET event = '{"kind": "user", "id": "m", "blobs": [{"ref": [1]}]}'
        WHERE seq = 1""",
    "JSON without an end": f"UPDATE entries SET event = '{'[' * 100_000}' WHERE seq = 1",
    "bytes for a session": "UPDATE entries SET session = x'ff00' WHERE seq = 1",
    "text for a number": "UPDATE entries SET seq = 'q' WHERE seq = 2",
    "no number after it": "UPDATE entries SET seq = 9223372036854775807 WHERE seq = 2",
    "text for bytes": "UPDATE blobs SET content = 'rows'",
    "a number for bytes": "UPDATE blobs SET content = 5",
}


@pytest.mark.parametrize("change", DAMAGE.values(), ids=DAMAGE)
def test_damage_in_a_row_of_an_old_file_stays_in_its_session(tmp_path: Path, change: str) -> None:
    path = tmp_path / "old.db"
    raw = old_file(path, 2, {"hurt": [entry(0), entry(1), result(2, b"rows")]})
    raw.execute("INSERT INTO blobs VALUES ('hurt', ?, ?)", (ref_of(b"rows"), b"rows"))
    raw.execute(change)
    raw.execute("INSERT INTO entries VALUES ('fine', 0, ?, ?)", (entry(0).at.isoformat(), dump_event(entry(0).event)))
    raw.close()
    store = open_store(f"sqlite:///{path}")
    assert list(store.load("fine")) == [entry(0)]
    with pytest.raises(StoreError, match="damaged"):
        assert [*store.load("hurt"), store.load_blob("hurt", ref_of(b"rows"))] == []
    assert store.forget().left == 0
    store.close()


def test_a_damaged_digest_of_revision_3_is_no_obstacle(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'log.db'}"
    engine = create_engine(url)
    with engine.begin() as connection:
        migrating.upgrade(connection, "base", "3")
        fill_revision_3(connection, "default", "ada", ADA)
        connection.execute(text("UPDATE slotstate_entries SET message = 'no digest' WHERE seq = 2"))
        connection.execute(text("PRAGMA application_id = 1936486260"))
        connection.execute(text("PRAGMA user_version = 3"))
    engine.dispose()
    store = open_store(url)
    assert list(store.load("ada")) == ADA
    assert [store.find("ada", ident) for ident in ("m0", "m2", "m3")] == [ADA[0], None, ADA[3]]
    store.close()


def test_a_time_that_no_list_can_say_is_the_migrations(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    raw = old_file(path, 2, {"ada": [entry(0)]})
    raw.execute("UPDATE entries SET at = '0001-01-01T00:00:00+23:59'")
    raw.close()
    store = open_store(f"sqlite:///{path}")
    (info,) = store.sessions()
    assert info.began > entry(0).at
    store.close()


def test_a_migration_that_fails_leaves_the_old_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "old.db"
    old_file(path, 1, {"ada": ADA}).close()
    upgrade = migrating.upgrade

    def broken(connection: Connection, revision: str) -> None:
        upgrade(connection, revision)
        raise StoreError("power failure")

    monkeypatch.setattr("slotstate.stores.sql.sqlite.upgrade", broken)
    with pytest.raises(StoreError, match="power failure"):
        open_store(f"sqlite:///{path}")
    raw = sqlite3.connect(path)
    assert raw.execute("PRAGMA user_version").fetchone() == (1,)
    assert raw.execute("SELECT count(*) FROM entries").fetchone() == (4,)
    assert len(raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()) == 1
    raw.close()
    monkeypatch.undo()
    store = open_store(f"sqlite:///{path}")
    assert list(store.load("ada")) == READ
    store.close()


OPENS = """
import sys
from slotstate.stores import open_store
from slotstate.stores.reading import message_of
store = open_store(sys.argv[1])
print(len(store.load("bob")), flush=True)
store.close()
"""


def opened_by_many(url: str, processes: int) -> list[str]:
    """What that many processes, started at once, say that they found."""
    started = [
        subprocess.Popen([sys.executable, "-c", OPENS, url], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(processes)
    ]
    return ["".join(process.communicate(timeout=60)).strip() for process in started]


def test_several_processes_open_an_old_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    old_file(path, 2, {"bob": [entry(seq) for seq in range(3_000)]}).close()
    assert opened_by_many(f"sqlite:///{path}", 3) == ["3000"] * 3


def test_several_processes_make_a_place_at_once(tmp_path: Path, server: Server) -> None:
    for url in (f"sqlite:///{tmp_path / 'new.db'}", server.database()):
        assert opened_by_many(url, 3) == ["0"] * 3


def differences(connection: Connection) -> list[object]:
    """What is otherwise in a database than in the tables as the store knows them."""
    context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE, "compare_type": True})
    return list(compare_metadata(context, METADATA))


def test_migrations_and_tables_are_the_same(tmp_path: Path, server: Server) -> None:
    scripts = ScriptDirectory(str(Path(migrating.__file__).parent / "migrations"))
    assert scripts.get_heads() == [REVISION]
    address = make_url(server.database()).set(drivername="postgresql+psycopg")
    for engine in (create_engine(f"sqlite:///{tmp_path / 'new.db'}"), create_engine(address)):
        with engine.begin() as connection:
            assert len(differences(connection)) >= len(METADATA.tables), "the comparison sees something"
            migrating.upgrade(connection, "base")
            assert differences(connection) == []
            assert (
                MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE}).get_current_revision()
                == REVISION
            )
        engine.dispose()


def test_a_database_of_an_older_revision_comes_forward(server: Server) -> None:
    url = server.database()
    engine = create_engine(make_url(url).set(drivername="postgresql+psycopg"))
    with engine.begin() as connection:
        migrating.upgrade(connection, "base", "2")
    engine.dispose()
    with ThreadPoolExecutor(3) as pool:
        stores = list(pool.map(open_store, [url] * 3))
    stores[0].append("s", [entry(0)], 0)
    assert list(stores[1].load("s")) == [entry(0)]
    for store in stores:
        store.close()


OF_3 = """
INSERT INTO slotstate_entries (tenant, session, seq, at, event, format, message, mark)
VALUES (:tenant, :session, :seq, :at, :event, 2, :message, :mark)
"""


def fill_revision_3(connection: Connection, tenant: str, session: str, log: list[Entry]) -> None:
    """A session as revision 3 wrote it: a message's digest beside it."""
    origin = fingerprint(log[0])
    row = {"tenant": tenant, "session": session, "count": len(log), "origin": origin, "at": 0}
    connection.execute(
        text("INSERT INTO slotstate_sessions VALUES (:tenant, :session, :count, :origin, NULL, :at, :at)"), row
    )
    for one in log:
        ident = message_of(one.event)
        message = None if ident is None else blake2b(ident.encode(), digest_size=16).hexdigest()
        mark = blake2b(f"{session} 2 {fingerprint(one)}".encode(), digest_size=16).hexdigest()
        its = {"tenant": tenant, "session": session, "seq": one.seq, "at": one.at.isoformat()}
        connection.execute(text(OF_3), its | {"event": dump_event(one.event), "message": message, "mark": mark})


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_messages_of_revision_3_are_found_again(kind: str, tmp_path: Path, server: Server) -> None:
    url = f"sqlite:///{tmp_path / 'log.db'}" if kind == "sqlite" else server.database()
    engine = create_engine(url if kind == "sqlite" else make_url(url).set(drivername="postgresql+psycopg"))
    many = [entry(seq, f"text {seq}") for seq in range(2_500)]
    with engine.begin() as connection:
        migrating.upgrade(connection, "base", "3")
        for tenant, session, log in (("default", "ada", ADA), ("default", "bob", many), ("acme", "ada", many[:3])):
            fill_revision_3(connection, tenant, session, log)
        if kind == "sqlite":
            connection.execute(text("PRAGMA application_id = 1936486260"))
            connection.execute(text("PRAGMA user_version = 3"))
    engine.dispose()
    store = open_store(url)
    assert list(store.load("ada")) == ADA
    assert list(store.load("bob")) == many
    assert [store.find("ada", f"m{seq}") for seq in range(4)] == [ADA[0], None, ADA[2], ADA[3]]
    assert store.find("bob", "m2499") == many[2_499]
    assert store.find("bob", "m2500") is None
    assert store.within("acme").find("ada", "m2") == many[2]
    store.append("ada", [entry(4)], 4)
    assert store.find("ada", "m4") == entry(4)
    store.close()


def test_a_newer_database_is_refused(server: Server) -> None:
    url = server.database()
    open_store(url).close()
    server.execute(f"UPDATE {VERSION_TABLE} SET version_num = '99'", url)
    with pytest.raises(StoreError, match="newer slotstate"):
        open_store(url)


def test_a_database_in_another_encoding_is_refused(server: Server) -> None:
    with pytest.raises(StoreError, match="ENCODING 'UTF8'"):
        open_store(server.database("SQL_ASCII"))
