"""What only the SQLite store has to do: files."""

from __future__ import annotations

import contextlib
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from slotstate import StaleWriter, Store, StoreError
from slotstate.stores import open_store
from slotstate.stores.sql.sqlite import SqlitePlace
from slotstate.stores.sql.statements import Statements
from tests.conftest import ROOT
from tests.stores.entries import entry, ref_of, result, snapshot


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


def test_a_second_store_on_the_file_does_not_unlock_it(tmp_path: Path) -> None:
    """Else another process that comes and goes takes itself for the last one, and removes the write-ahead log."""
    code = f"""
from slotstate.stores import open_store
store = open_store({url(tmp_path)!r})
print(len(store.load("s")))
store.close()
"""

    def others_view() -> str:
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        return ran.stdout.strip()

    store = open_store(url(tmp_path))
    store.append("s", [entry(0)], 0)
    open_store(url(tmp_path)).close()
    assert others_view() == "1"
    store.append("s", [entry(1)], 1)
    assert others_view() == "2"
    store.close()


def test_writers_of_several_processes_take_turns(tmp_path: Path) -> None:
    code = f"""
import sys
from slotstate.stores import open_store
from tests.stores.entries import entry
store = open_store({url(tmp_path)!r})
print("ready", flush=True)
sys.stdin.readline()
for seq in range(50):
    store.append(sys.argv[1], [entry(seq)], seq)
store.close()
"""
    open_store(url(tmp_path)).close()
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        for name in ("a", "b", "c")
    ]
    for process in started:
        assert process.stdout is not None
        process.stdout.readline()
    for process in started:
        process.communicate("go\n", timeout=60)
    assert [process.returncode for process in started] == [0, 0, 0]
    store = open_store(url(tmp_path))
    assert [(info.session, info.entries) for info in store.sessions()] == [("a", 50), ("b", 50), ("c", 50)]
    store.close()


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


@pytest.fixture
def held(tmp_path: Path) -> Iterator[tuple[Store, sqlite3.Connection]]:
    """A store with one entry, and another program's connection to its file."""
    store = open_store(f"{url(tmp_path)}?timeout=0.2")
    store.append("s", [entry(0)], 0)
    raw = sqlite3.connect(tmp_path / "log.db", isolation_level=None)
    yield store, raw
    raw.close()
    store.close()


def test_a_locked_file_is_read_and_told_of_to_writers(held: tuple[Store, sqlite3.Connection]) -> None:
    store, raw = held
    raw.execute("BEGIN IMMEDIATE")
    for write in (
        lambda: store.append("s", [entry(1)], 1),
        lambda: store.save_blob("s", "blob:1", b""),
        lambda: store.forget(session="s"),
    ):
        with pytest.raises(StoreError, match=r"database is locked: .* longer \?timeout=") as caught:
            write()
        assert not isinstance(caught.value, StaleWriter)
    assert list(store.load("s")) == [entry(0)]
    raw.execute("ROLLBACK")
    store.append("s", [entry(1)], 1)
    assert len(store.load("s")) == 2


def test_a_writer_waits_for_a_lock_that_goes(tmp_path: Path) -> None:
    store = open_store(f"{url(tmp_path)}?timeout=20")
    raw = sqlite3.connect(tmp_path / "log.db", isolation_level=None, check_same_thread=False)
    raw.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.3, lambda: raw.execute("ROLLBACK"))
    release.start()
    store.append("s", [entry(0)], 0)
    release.join()
    assert len(store.load("s")) == 1
    raw.close()
    store.close()


def test_a_full_disk_is_told_and_takes_no_half_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = SqlitePlace._connect

    def small(self: SqlitePlace, path: str) -> sqlite3.Connection:
        made = connect(self, path)
        made.execute("PRAGMA max_page_count = 60")
        return made

    monkeypatch.setattr(SqlitePlace, "_connect", small)
    store = open_store(url(tmp_path))
    count = 0
    with pytest.raises(StoreError, match="full") as caught:  # noqa: PT012 — whichever of them it is
        while count < 2_000:
            store.append("s", [entry(count, "x" * 500), entry(count + 1, "x" * 500)], count)
            count += 2
    assert not isinstance(caught.value, StaleWriter)
    assert 20 < count == len(store.load("s"))
    with pytest.raises(StoreError, match="full"):
        store.save_blob("s", "blob:1", b"x" * 300_000)
    assert store.load_blob("s", "blob:1") is None
    store.close()
    monkeypatch.undo()
    store = open_store(url(tmp_path))
    store.append("s", [entry(count)], count)
    assert len(store.load("s")) == count + 1
    store.close()


FILLS = """
import resource, signal, sys
from slotstate import StaleWriter, StoreError
from slotstate.stores import open_store
from tests.stores.entries import entry

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = open_store(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
count = 0
try:
    while count < 5_000:
        store.append("s", [entry(count, "x" * 500), entry(count + 1, "x" * 500)], count)
        count += 2
except StaleWriter:
    print("stale")
except StoreError as error:
    print(count, len(store.load("s")), str(error).count("\\n"))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit there")
def test_a_disk_that_refuses_to_grow_is_told(tmp_path: Path) -> None:
    """Not SQLite's own limit: the operating system's answer to a write."""
    run = subprocess.run([sys.executable, "-c", FILLS, url(tmp_path)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    acknowledged, there, lines = map(int, run.stdout.split())
    assert acknowledged >= 10
    assert lines == 0
    store = open_store(url(tmp_path))
    found = store.load("s")
    assert there == len(found) == acknowledged
    store.append("s", [entry(len(found))], len(found))
    store.close()


def files(folder: Path) -> bytes:
    """All that stands in the store's files."""
    return b"".join(path.read_bytes() for path in folder.iterdir())


def test_forgetting_leaves_no_byte_in_the_files(tmp_path: Path) -> None:
    store = open_store(f"{url(tmp_path)}?durability=fast")
    rng = random.Random(7)
    names = [f"user-{at}-{'n' * rng.randrange(60)}" for at in range(30)]
    counts = dict.fromkeys(names, 0)
    for _ in range(900):  # pages split and are reused in every order
        name = rng.choice(names)
        count = counts[name]
        secret = f"secret of {name} " + "x" * rng.choice([3, 300, 3_000])
        blob = f"{secret} {count}".encode() * rng.choice([1, 200])
        if rng.random() < 0.2:
            store.save_blob(name, ref_of(blob), blob)
            new = result(count, blob)
        else:
            new = entry(count, secret)
        kept = [snapshot(store.load(name), count, f"snapshot: {secret}")] if count and rng.random() < 0.3 else []
        store.append(name, [new], count, snapshots=kept, user=f"{name}@example.org")
        counts[name] += 1
        if rng.random() < 0.005:
            gone = rng.choice(names)
            store.forget(session=gone)
            counts[gone] = 0
    assert files(tmp_path).count(b"secret of user-5-") > 5
    for name in names[:6]:
        assert store.forget(session=name).left == 0
    left = files(tmp_path)
    assert {name for name in names[:6] if name.encode() in left} == set()
    for name in names[6:]:
        assert name.encode() in left
        assert len(store.load(name)) == counts[name]
    store.forget()
    left = files(tmp_path)
    assert b"secret of" not in left
    assert b"example.org" not in left
    store.close()


def test_a_reader_that_keeps_the_bytes_there_is_told_of(held: tuple[Store, sqlite3.Connection], tmp_path: Path) -> None:
    store, raw = held
    store.append("s", [entry(1, "a secret")], 1)
    raw.execute("BEGIN")
    raw.execute("SELECT count(*) FROM slotstate_entries").fetchall()
    with pytest.raises(StoreError, match="forget again"):
        store.forget(session="s")
    assert list(store.load("s")) == []
    assert b"a secret" in files(tmp_path)
    raw.execute("ROLLBACK")
    assert store.forget(session="s").left == 0
    assert b"a secret" not in files(tmp_path)


def test_cleaning_that_was_cut_short_is_done_by_the_next_erasure(
    held: tuple[Store, sqlite3.Connection], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, raw = held
    store.append("s", [entry(1, "a secret")], 1)

    def killed(self: SqlitePlace) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(SqlitePlace, "_clean", killed)
    with pytest.raises(KeyboardInterrupt):
        store.forget(session="s")
    monkeypatch.undo()
    assert b"a secret" in files(tmp_path), "in the write-ahead log"
    again = open_store(f"{url(tmp_path)}?timeout=0.2")
    header = raw.execute("PRAGMA application_id").fetchone()
    assert again.forget(session="nobody").sessions == 0
    assert b"a secret" not in files(tmp_path)
    assert raw.execute("PRAGMA application_id").fetchone() != header
    assert list(again.load("s")) == []
    again.close()


def test_a_quick_erasure_still_empties_the_log(tmp_path: Path) -> None:
    store = open_store(f"{url(tmp_path)}?erasure=fast")
    store.append("s", [entry(0, "a secret")], 0)
    assert b"a secret" in files(tmp_path)
    store.forget(session="s")
    assert b"a secret" not in files(tmp_path)
    store.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork there")
def test_a_store_lives_on_in_a_forked_process(tmp_path: Path) -> None:
    """As under a server that loads the application before it forks its workers."""
    code = f"""
import os
from slotstate.stores import open_store
from tests.stores.entries import entry
store = open_store({url(tmp_path)!r})
store.append("parent", [entry(0)], 0)
children = []
for at in range(3):
    child = os.fork()
    if not child:
        for seq in range(20):
            store.append(f"child {{at}}", [entry(seq)], seq)
        os._exit(0)
    children.append(child)
for seq in range(1, 20):
    store.append("parent", [entry(seq)], seq)
assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
print(sorted((info.session, info.entries) for info in store.sessions()))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == str([("child 0", 20), ("child 1", 20), ("child 2", 20), ("parent", 20)])


def test_no_statement_walks_through_all_that_a_tenant_has(tmp_path: Path) -> None:
    """But for those that are asked for all of it. A plan names how far the columns of an index are bound."""
    store = open_store(url(tmp_path))
    raw = sqlite3.connect(tmp_path / "log.db")
    statements = Statements(create_engine("sqlite://", paramstyle="named").dialect)
    listing = {statements.everybody, statements.unused}
    for before in (False, True):
        listing |= {statements.sessions(False, before, False), statements.chosen(False, before, False)}
    narrow = 0
    for statement in statements.all():
        values = [1] * max(map(int, re.findall(r"\?(\d+)", statement.sql)))
        plan = [row[3] for row in raw.execute(f"EXPLAIN QUERY PLAN {statement.sql}", values)]
        assert not [step for step in plan if step.startswith("SCAN slotstate")], statement.sql
        wide = [step for step in plan if step.endswith("(tenant=?)")]
        assert not wide or statement.sql in {one.sql for one in listing}, (statement.sql, wide)
        narrow += not wide
    assert narrow > 30
    raw.close()
    store.close()


def test_long_lists_are_read_by_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("statements", "store"):
        monkeypatch.setattr(f"slotstate.stores.sql.{module}.PAGE", 3)
    store = open_store(f"{url(tmp_path)}?durability=fast")
    names = [f"{at}" for at in range(600)]
    for at, name in enumerate(names):
        store.append(name, [entry(0)], 0, user="ada" if at % 2 else None)
        store.save_blob(name, ref_of(b"shared"), b"shared")
    assert [info.session for info in store.sessions()] == sorted(names)
    assert [info.session for info in store.sessions(user="ada")] == sorted(names[1::2])
    erased = store.forget(user="ada")
    assert (erased.sessions, erased.entries, erased.blobs, erased.left) == (300, 300, 0, 0)
    assert store.forget().blobs == 1
    store.close()


READING = """
import os, sys
from slotstate import StoreError
from slotstate.stores import open_store
from tests.stores.entries import entry
open_store(f"sqlite:///{sys.argv[3]}").close()  # all that it takes is imported
if os.geteuid() == 0:
    os.setuid(65_534)
try:
    store = open_store(f"sqlite:///{sys.argv[1]}", create=sys.argv[2] == "create")
    print([one.event.text for one in store.load("ada")], store.open("ada", "v1").user)
    store.append("ada", [entry(1)], 1)
except StoreError as error:
    print(error)
"""


def read_by_nobody(path: Path, tmp_path: Path, create: str = "") -> str:
    """What somebody sees who may read a file and write nothing."""
    command = [sys.executable, "-c", READING, str(path), create, str(tmp_path / "warm.db")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    return f"{done.stdout}{done.stderr}"


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody can reach."""
    folder = Path(tempfile.mkdtemp(prefix="readable"))
    folder.chmod(0o755)
    yield folder
    for one in (folder, *folder.iterdir()):
        one.chmod(0o755)
    shutil.rmtree(folder)


@pytest.mark.parametrize("create", ["", "create"])
def test_a_file_that_cannot_be_written_can_be_read(open_folder: Path, tmp_path: Path, create: str) -> None:
    """A backup on media that are read only."""
    path = open_folder / "log.db"
    store = open_store(f"sqlite:///{path}")
    store.append("ada", [entry(0, "hello")], 0, user="ada")
    store.close()
    path.chmod(0o444)
    open_folder.chmod(0o555)
    read, refused = read_by_nobody(path, tmp_path, create).splitlines()
    assert read == "['hello'] ada"
    assert refused == f"cannot write {path}: it can only be read; copy it to where it can be written"


def test_a_file_that_cannot_be_written_is_not_read_without_its_last_entries(open_folder: Path, tmp_path: Path) -> None:
    path = open_folder / "log.db"
    store = open_store(f"sqlite:///{path}")
    store.append("ada", [entry(0, "hello")], 0, user="ada")
    for name in ("log.db", "log.db-wal"):
        shutil.copy(open_folder / name, open_folder / f"copy-{name}")
    store.close()
    for one in open_folder.iterdir():
        one.chmod(0o444)
    open_folder.chmod(0o555)
    told = read_by_nobody(open_folder / "copy-log.db", tmp_path)
    assert "its last entries are in copy-log.db-wal; copy both to a folder that can be written" in told
    assert "Traceback" not in told


@pytest.mark.parametrize(
    "made", ["CREATE TABLE entries (a); PRAGMA user_version = 2", "CREATE TABLE entries (a); PRAGMA user_version = 1"]
)
def test_a_file_that_only_looks_like_an_old_one_is_another_programs(tmp_path: Path, made: str) -> None:
    path = tmp_path / "other.db"
    with contextlib.closing(sqlite3.connect(path)) as raw:
        raw.executescript(made)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"another program's database.*; name a file of its own"):
        open_store(f"sqlite:///{path}")
    with contextlib.closing(sqlite3.connect(path)) as raw:
        assert raw.execute("SELECT name FROM sqlite_master").fetchall() == [("entries",)]
    assert before[:16] == path.read_bytes()[:16]


def test_a_file_that_was_cut_in_half_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    store = open_store(f"sqlite:///{path}")
    store.append("ada", [entry(seq, "hello " * 30) for seq in range(600)], 0)
    store.close()
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(StoreError, match=r"damaged \(database disk image is malformed\): restore a backup"):
        open_store(f"sqlite:///{path}").load("ada")
