"""One suite for every store."""

from __future__ import annotations

import traceback
from abc import ABC, abstractmethod
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotstate import InputError, StaleWriter, Store, StoreError
from slotstate.events import Filled, UserTurn, dump_event, load_event
from slotstate.log import DEFAULT_TENANT, Entry, Opened, Snapshot, fingerprint
from slotstate.stores import MemoryStore, open_store
from tests.stores.entries import AT, decision, entry, pictured, ref_of, result, snapshot

FAR = datetime(9999, 1, 1, tzinfo=UTC)
LONG_AGO = datetime(1999, 1, 1, tzinfo=UTC)


def log_of(length: int) -> list[Entry]:
    return [entry(seq) for seq in range(length)]


class StoreContract(ABC):
    """What every store must do; a subclass says how to make one."""

    @pytest.fixture
    def store(self, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
        made = open_store(self.url(request, tmp_path))
        made.forget()
        made.within("other").forget()
        yield made
        made.close()

    @abstractmethod
    def url(self, request: pytest.FixtureRequest, folder: Path) -> str:
        """Where a store for a test is."""

    def test_is_a_store(self, store: Store) -> None:
        assert isinstance(store, Store)
        assert store.tenant == DEFAULT_TENANT


class LogContract(StoreContract):
    """Entries: written, read, refused."""

    def test_an_unknown_session_is_empty(self, store: Store) -> None:
        assert list(store.load("nobody")) == []
        assert list(store.pick("nobody", [0, 1])) == []
        assert store.find("nobody", "m0") is None
        assert store.load_snapshot("nobody", "head", "v1") is None
        assert store.open("nobody", "v1") == Opened((), None, "", None)

    def test_what_is_appended_is_loaded_in_order(self, store: Store) -> None:
        first, second = [entry(0), entry(1, "无 😀 {{ x }} \u0000 \\u0000 %s :x ' \"")], [decision(2)]
        store.append("s", first, 0)
        store.append("s", second, 2)
        assert list(store.load("s")) == [*first, *second]
        assert list(store.load("s", 2)) == second
        assert list(store.load("s", 9)) == []
        assert [one.at.isoformat() for one in store.load("s")] == [AT.isoformat()] * 3, "also its zone is kept"

    def test_sessions_do_not_mix(self, store: Store) -> None:
        store.append("a", [entry(0, "a")], 0)
        store.append("b", [entry(0, "b")], 0)
        assert [one.event for one in store.load("b")] == [entry(0, "b").event]
        assert [one.event for one in store.load("a")] == [entry(0, "a").event]

    @pytest.mark.parametrize("expected", [0, 2])
    def test_a_stale_writer_is_refused_and_nothing_is_written(self, store: Store, expected: int) -> None:
        store.append("s", [entry(0)], 0)
        with pytest.raises(StaleWriter, match="reload"):
            store.append("s", [entry(expected), entry(expected + 1)], expected)
        assert list(store.load("s")) == [entry(0)]

    def test_who_was_told_of_another_log_is_stale(self, store: Store) -> None:
        store.append("s", [entry(0, "first")], 0)
        origin = store.open("s", "").origin
        assert origin == fingerprint(entry(0, "first"))
        store.append("s", [entry(1)], 1, origin=origin)
        store.forget(session="s")
        store.append("s", [entry(0, "anew"), entry(1)], 0)
        for expected in (0, 2):
            with pytest.raises(StaleWriter):
                store.append("s", [entry(expected)], expected, origin=origin)
        assert len(store.load("s")) == 2

    def test_nothing_to_append_is_checked_all_the_same(self, store: Store) -> None:
        store.append("s", [], 0)
        assert list(store.sessions()) == []
        with pytest.raises(StaleWriter):
            store.append("s", [], 1)
        store.append("s", [entry(0)], 0)
        store.append("s", [], 1, origin=fingerprint(entry(0)))
        with pytest.raises(StaleWriter):
            store.append("s", [], 1, origin="another")

    def test_entries_go_on_where_the_log_ends(self, store: Store) -> None:
        for entries in ([entry(1)], [entry(0), entry(2)], [entry(0), entry(0)]):
            with pytest.raises(StoreError, match="number entries"):
                store.append("s", entries, 0)
        assert list(store.load("s")) == []

    def test_entries_are_picked_by_number(self, store: Store) -> None:
        store.append("s", log_of(40), 0)
        assert [one.seq for one in store.pick("s", [7, 3, 7, 39, 40, -1, 10**30])] == [3, 7, 39]
        assert list(store.pick("s", [])) == []
        assert list(store.pick("s", range(100))) == log_of(40)

    def test_a_message_is_found_by_its_id(self, store: Store) -> None:
        twice = Entry(3, AT, UserTurn(turn=3, id="m1", text="the same again", at=AT))
        odd = [Entry(4 + at, AT, UserTurn(turn=4, id=ident, text="x", at=AT)) for at, ident in enumerate(ODD)]
        store.append("s", [entry(0), entry(1), decision(2), twice, *odd], 0)
        store.append("t", [entry(0, "another's")], 0)
        assert store.find("s", "m0") == entry(0)
        assert store.find("s", "m1") == entry(1), "the first one"
        assert store.find("s", "m2") is None
        assert [store.find("s", ident) for ident in ODD] == odd

    @pytest.mark.parametrize("name", ["half \ud800", "n\0l", "x" * 501, "无" * 267, "\U00020000" * 201])
    def test_a_name_that_not_every_store_can_keep_is_refused(self, store: Store, name: str) -> None:
        for call in (
            lambda: store.append(name, [entry(0)], 0),
            lambda: store.append("s", [entry(0)], 0, user=name),
            lambda: store.load(name),
            lambda: store.open(name, ""),
            lambda: store.save_blob(name, "blob:1", b""),
            lambda: store.within(name),
            lambda: list(store.sessions(user=name)),
            lambda: store.forget(session=name),
            lambda: store.forget(user=name),
        ):
            with pytest.raises(InputError, match="name"):
                call()
        assert list(store.sessions()) == []

    @pytest.mark.parametrize(
        "name", ["", "x" * 500, "无" * 266, "a'; DROP TABLE x; --", "%(mine)s :its ?", "\U0010ffff"]
    )
    def test_any_other_name_is_kept(self, store: Store, name: str) -> None:
        store.append(name, [entry(0)], 0, user=name)
        (info,) = store.sessions(user=name)
        assert (info.session, info.user) == (name, name)
        assert list(store.load(name)) == [entry(0)]
        assert store.forget(session=name).entries == 1

    def test_names_as_long_as_they_may_be_are_kept_together(self, store: Store) -> None:
        """Letters that no database can write shorter: tenant, user and session stand in one index."""
        name = "".join(chr(0x20000 + (seq * 2_654_435_761) % 0xA000) for seq in range(200))
        mine = store.within(name)
        mine.save_blob(name, ref_of(b"rows"), b"rows")
        mine.append(name, [entry(0), result(1, b"rows")], 0, user=name, snapshots=[snapshot([entry(0)], 1)])
        assert [(info.session, info.user) for info in mine.sessions(user=name)] == [(name, name)]
        assert mine.load_blob(name, ref_of(b"rows")) == b"rows"
        assert mine.forget(user=name).sessions == 1

    @pytest.mark.parametrize("ref", ["blob:\0", "blob:\ud800", "blob:" + "x" * 100_000])
    def test_what_no_reference_can_be_stands_for_nothing(self, store: Store, ref: str) -> None:
        store.append("s", [entry(0)], 0)
        assert store.load_blob("s", ref) is None

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


ODD = ["", "n\0l", "m" * 10_000, "无%s:x"]
"""Ids of messages that are all right."""


class SnapshotContract(StoreContract):
    """What a session is opened with."""

    def test_a_session_opens_with_its_snapshot_and_the_entries_from_its_last_on(self, store: Store) -> None:
        log = log_of(5)
        store.append("s", log[:3], 0, user="ada")
        assert store.open("s", "v1") == Opened(tuple(log[:3]), None, fingerprint(log[0]), "ada")
        kept = snapshot(log, 3, "three \\u0000 无")
        store.append("s", log[3:], 3, snapshots=[kept])
        assert store.open("s", "v1") == Opened(tuple(log[2:]), kept, fingerprint(log[0]), "ada")
        assert store.open("s", "v2") == Opened(tuple(log), None, fingerprint(log[0]), "ada")
        assert store.load_snapshot("s", "head", "v1") == kept
        assert store.load_snapshot("s", "window", "v1") is None
        assert store.load_snapshot("s", "head", "v2") is None
        assert store.load_snapshot("t", "head", "v1") is None

    def test_each_kind_and_schema_has_its_newest_snapshot(self, store: Store) -> None:
        log = log_of(6)
        store.append("s", log[:4], 0)
        made = [snapshot(log, 4, "a"), snapshot(log, 2, "b", kind="window"), snapshot(log, 3, "c", schema="v2")]
        store.append("s", log[4:5], 4, snapshots=made)
        assert [store.load_snapshot("s", one.kind, one.schema) for one in made] == made
        newer, older, same = snapshot(log, 5, "d", kind="window"), snapshot(log, 3, "e"), snapshot(log, 4, "f")
        store.append("s", log[5:], 5, snapshots=[snapshot(log, 4, "g", kind="window"), newer, older, same])
        assert store.load_snapshot("s", "window", "v1") == newer
        assert store.load_snapshot("s", "head", "v1") == made[0]
        assert store.open("s", "v1").entries == tuple(log[3:])

    def test_a_stale_writers_snapshot_is_not_kept(self, store: Store) -> None:
        log = log_of(3)
        store.append("s", log, 0)
        with pytest.raises(StaleWriter):
            store.append("s", [entry(2, "other")], 2, snapshots=[snapshot(log, 2)])
        assert store.load_snapshot("s", "head", "v1") is None

    def test_a_user_is_known_from_who_says_it_first(self, store: Store) -> None:
        store.append("s", [entry(0)], 0)
        assert store.open("s", "").user is None
        store.append("s", [entry(1)], 1, user="ada")
        store.append("s", [entry(2)], 2, user="ada")
        store.append("s", [entry(3)], 3)
        assert store.open("s", "").user == "ada"
        assert [info.session for info in store.sessions(user="ada")] == ["s"]
        assert list(store.sessions(user="bob")) == []

    @pytest.mark.parametrize("began", [True, False])
    def test_nobody_writes_into_another_users_session(self, store: Store, began: bool) -> None:
        """Also where it became theirs after it had begun, and however much of it the other one knows."""
        log = log_of(2)
        store.append("s", log, 0, user="ada" if began else None)
        store.append("s", [entry(2)], 2, user="ada")
        origin = store.open("s", "").origin
        for expected in (0, 2, 3):
            with pytest.raises(InputError, match="session 's' belongs to another user"):
                store.append("s", [entry(expected, "bob's")], expected, user="bob", snapshots=[snapshot(log, 2)])
        for entries in ([entry(3, "bob's")], [], [result(3, b"bob's")]):
            with pytest.raises(InputError, match="belongs to another user"):
                store.append("s", entries, 3, origin=origin, user="bob")
        assert list(store.load("s")) == log_of(3)
        assert store.load_snapshot("s", "head", "v1") is None
        assert [(info.session, info.user) for info in store.sessions()] == [("s", "ada")]
        store.append("t", [entry(0)], 0, user="bob")
        store.append("s", [entry(3)], 3, origin=origin, user="ada")
        assert len(store.load("s")) == 4

    def test_of_two_users_who_write_at_once_one_has_the_session(self, store: Store) -> None:
        def write(user: str) -> list[str]:
            done: list[str] = []
            for _ in range(20):
                count = len(store.load("s"))
                try:
                    store.append("s", [entry(count, user)], count, user=user)
                    done.append(user)
                except StaleWriter:
                    continue
                except InputError:
                    break
            return done

        with ThreadPoolExecutor(4) as pool:
            written = {user for done in pool.map(write, ["ada", "bob", "eve", "dan"]) for user in done}
        (info,) = store.sessions()
        assert {info.user} == written == {one.event.text for one in store.load("s") if isinstance(one.event, UserTurn)}


class BlobContract(StoreContract):
    """Content beside the log."""

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

    def test_what_an_entry_refers_to_is_the_sessions(self, store: Store) -> None:
        store.save_blob("s", ref_of(b"one"), b"one")
        store.append("t", [result(0, b"one"), result(1, b"never kept")], 0)
        assert store.load_blob("t", ref_of(b"one")) == b"one"
        assert store.load_blob("t", ref_of(b"never kept")) is None

    def test_what_no_entry_refers_to_is_collected_when_it_is_old(self, store: Store) -> None:
        contents = {name: name.encode() for name in ("result", "picture", "idle")}
        for content in contents.values():
            store.save_blob("s", ref_of(content), content)
        store.append("s", [result(0, b"result"), pictured(1, b"picture")], 0)
        store.save_blob("t", ref_of(b"result"), b"result")
        assert store.collect(LONG_AGO) == 0
        assert store.collect(FAR) == 1
        found = {name: store.load_blob("s", ref_of(content)) for name, content in contents.items()}
        assert found == {"result": b"result", "picture": b"picture", "idle": None}
        assert store.load_blob("t", ref_of(b"result")) is None, "it had kept it, and never referred to it"
        assert store.collect(FAR) == 0

    def test_what_is_kept_again_is_new(self, store: Store) -> None:
        store.save_blob("s", "blob:1", b"one")
        before = datetime.now(UTC) + timedelta(microseconds=1)
        while datetime.now(UTC) <= before:
            pass
        store.save_blob("t", "blob:1", b"one")
        assert store.collect(before) == 0
        assert store.load_blob("s", "blob:1") == b"one"
        assert store.collect(FAR) == 1

    def test_what_is_kept_again_wins_against_a_collection(self, store: Store) -> None:
        """Also in the instant in which old blobs are collected, whoever keeps one finds it afterwards."""
        contents = [f"content {at}".encode() for at in range(40)]
        for content in contents:
            store.save_blob("idle", ref_of(content), content)
        before = datetime.now(UTC) + timedelta(microseconds=1)
        while datetime.now(UTC) <= before:
            pass
        started, done = Event(), Event()

        def collect() -> int:
            gone = 0
            started.set()
            while not done.is_set():
                gone += store.collect(before)
            return gone

        with ThreadPoolExecutor(1) as pool:
            collecting = pool.submit(collect)
            started.wait(20)
            try:
                for seq, content in enumerate(contents):
                    store.save_blob("s", ref_of(content), content)
                    store.append("s", [result(seq, content)], seq)
            finally:
                done.set()
            assert collecting.result() >= 0
        assert [store.load_blob("s", ref_of(content)) for content in contents] == contents


class ErasureContract(StoreContract):
    """Sessions: listed, forgotten; tenants."""

    def test_sessions_are_listed_by_name(self, store: Store) -> None:
        names = ["b", "B", "a", "é", "Z", "无", "😀", "", "a b", "a-b", "z" * 400]
        for at, name in enumerate(names):
            when = AT + timedelta(days=at)
            store.append(name, [entry(0, at=AT), entry(1, at=when)], 0, user="ada" if at % 2 else None)
        listed = list(store.sessions())
        assert [info.session for info in listed] == sorted(names)
        first = next(info for info in listed if info.session == "é")
        assert (first.user, first.entries) == ("ada", 2)
        assert (first.began, first.touched) == (AT, AT + timedelta(days=3))
        assert [info.session for info in store.sessions(user="ada")] == sorted(names[1::2])
        third = AT + timedelta(days=3)
        assert [info.session for info in store.sessions(before=third)] == sorted(names[:3])
        assert [info.session for info in store.sessions(user="ada", before=third)] == ["B"]
        assert list(store.sessions(user="")) == []

    def _filled(self, store: Store) -> None:
        for at, (name, user) in enumerate([("a", "ada"), ("b", "ada"), ("c", "bob"), ("d", None)]):
            log = [entry(0, at=AT + timedelta(days=at)), result(1, b"shared"), result(2, name.encode())]
            log = [Entry(one.seq, AT + timedelta(days=at), one.event) for one in log]
            for content in (b"shared", name.encode()):
                store.save_blob(name, ref_of(content), content)
            store.append(name, log[:2], 0, user=user)
            store.append(name, log[2:], 2, snapshots=[snapshot(log, 2), snapshot(log, 1, kind="window")])

    @pytest.mark.parametrize(
        ("selector", "gone"),
        [
            ({"session": "a"}, "a"),
            ({"user": "ada"}, "ab"),
            ({"before": AT + timedelta(days=2)}, "ab"),
            ({"user": "ada", "before": AT + timedelta(days=1)}, "a"),
            ({"session": "b", "user": "ada"}, "b"),
            ({"session": "c", "user": "ada"}, ""),
            ({"session": "d", "before": AT}, ""),
            ({"user": "nobody"}, ""),
            ({}, "abcd"),
        ],
    )
    def test_what_is_forgotten_is_gone_everywhere(self, store: Store, selector: dict[str, Any], gone: str) -> None:
        self._filled(store)
        self._filled(store.within("other"))
        erased = store.forget(**selector)
        everything = len(gone) == 4
        assert (erased.sessions, erased.entries, erased.snapshots) == (len(gone), 3 * len(gone), 2 * len(gone))
        assert (erased.blobs, erased.left) == (len(gone) + everything, 0)
        assert [info.session for info in store.sessions()] == [name for name in "abcd" if name not in gone]
        for name in "abcd":
            left = name not in gone
            assert bool(store.load(name)) == left
            assert bool(store.find(name, "m0")) == left
            assert bool(store.load_snapshot(name, "head", "v1")) == left
            assert store.load_blob(name, ref_of(b"shared")) == (b"shared" if left else None)
            assert store.load_blob(name, ref_of(name.encode())) == (name.encode() if left else None)
        assert len(list(store.within("other").sessions())) == 4
        assert store.within("other").load_blob("a", ref_of(b"a")) == b"a"
        assert store.forget(**selector).entries == 0

    def test_a_forgotten_session_begins_anew(self, store: Store) -> None:
        store.append("s", [entry(0), entry(1)], 0, user="ada")
        store.forget(session="s")
        with pytest.raises(StaleWriter):
            store.append("s", [entry(2)], 2)
        store.append("s", [entry(0, "anew")], 0)
        assert list(store.load("s")) == [entry(0, "anew")]
        assert store.open("s", "").user is None

    def test_also_who_never_wrote_an_entry_is_forgotten(self, store: Store) -> None:
        store.save_blob("s", "blob:1", b"one")
        store.save_blob("t", "blob:2", b"two")
        assert store.forget(session="s").blobs == 1
        assert store.load_blob("s", "blob:1") is None
        assert store.forget(user="ada").blobs == 0
        assert store.load_blob("t", "blob:2") == b"two"
        assert store.forget().blobs == 1
        assert store.load_blob("t", "blob:2") is None

    def test_tenants_do_not_see_each_other(self, store: Store) -> None:
        other = store.within("other")
        assert other.tenant == "other"
        assert store.within("other") is not store
        log = [entry(0, "theirs"), result(1, b"one")]
        other.save_blob("s", ref_of(b"one"), b"one")
        other.append("s", log, 0, user="ada")
        other.append("s", [entry(2)], 2, snapshots=[snapshot(log, 2)])
        assert store.open("s", "v1") == Opened(())
        assert [*store.load("s"), *store.pick("s", [0, 1]), *store.sessions()] == []
        assert store.find("s", "m0") is None
        assert store.load_snapshot("s", "head", "v1") is None
        assert store.load_blob("s", ref_of(b"one")) is None
        store.save_blob("s", ref_of(b"one"), b"of another content, as it is another tenant's")
        store.append("s", [entry(0, "ours"), result(1, b"one")], 0)
        with pytest.raises(StaleWriter):
            store.append("s", [entry(3)], 3)
        assert store.collect(FAR) == 0
        assert store.forget(user="ada").sessions == 0
        assert store.forget().entries == 2
        assert len(other.load("s")) == 3
        assert other.load_blob("s", ref_of(b"one")) == b"one"
        assert other.load_snapshot("s", "head", "v1") is not None
        assert other.within(DEFAULT_TENANT).tenant == DEFAULT_TENANT

    def test_a_store_within_does_not_close_the_place(self, store: Store) -> None:
        for tenant in ("other", DEFAULT_TENANT):
            store.within(tenant).within(tenant).close()
        store.append("s", [entry(0)], 0)
        assert store.within("other").load("s") == ()
        assert store.within(DEFAULT_TENANT).load("s") == store.load("s") != ()


class Contract(LogContract, SnapshotContract, BlobContract, ErasureContract):
    """The whole of it."""


class TestMemory(Contract):
    def url(self, request: pytest.FixtureRequest, folder: Path) -> str:
        return "memory://"


class TestSqlite(Contract):
    def url(self, request: pytest.FixtureRequest, folder: Path) -> str:
        return f"sqlite:///{folder / 'log.db'}"


class TestPostgres(Contract):
    def url(self, request: pytest.FixtureRequest, folder: Path) -> str:
        return str(request.getfixturevalue("database"))


@pytest.mark.parametrize(
    "url", ["", "redis://x", "sqlite://", "sqlite:///", "memory://x", "log.db", "postgresql://", "mysql://u@h/d"]
)
def test_an_unknown_url_is_refused(url: str) -> None:
    with pytest.raises(InputError, match=r"use memory://, sqlite:///FILE\.db or postgresql://"):
        open_store(url)


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("sqlite:///x.db?durabilty=fast", "did you mean 'durability'"),
        ("sqlite:///x.db?durability=none", "full or fast"),
        ("sqlite:///x.db?erasure=no", "erasure is full or fast"),
        ("sqlite:///x.db?timeout=soon", "seconds"),
        ("sqlite:///x.db?timeout=-1", "seconds"),
        ("sqlite:///:memory:", "memory://"),
        ("postgresql://u:secret@h/d?durability=none", "full or fast"),
        ("postgresql://u:secret@h/d?retry=long", "retry is a number"),
        ("postgresql://u:secret@h/d?pool=0", "pool is a number"),
        ("postgresql://u:secret@h:port/d", "postgresql://USER"),
        ("mongodb://u:secret@h/d", "'mongodb://…'.*%40"),
        ("mongodb://u:se:secret@@h/d", "'mongodb://…'"),
        ("mongodb://u@h/d?password=secret&x=1", "'mongodb://…'"),
        ("u:secret@h/x", "no URL of a store.*%40"),
        ("postgresql:/u:secret@h/x", "no URL of a store"),
        ("postgresql//u:secret@h/x", "no URL of a store"),
        (" postgresql://u:secret@h/x", "no URL of a store"),
        ("host=h user=u password=secret", "no URL of a store"),
        ("mysql://u:a/secret@h/x", "'mysql://…'"),
        ("mysql://u:a?secret@h/x", "'mysql://…'"),
        ("mysql://h/x?passwd=secret", "'mysql://…'"),
        ("postgresql+psycopg2://h/x?user=b&password=secret", "'postgresql\\+psycopg2://…'"),
        ("postgresql://u:a@secret@h:1/x", "write @ in a name or password as %40"),
        ("Postgresql://u:a@secret@/x?host=/nix", "write @ in a name or password as %40"),
        ("postgresql://u:1/secret@h/x", "/ as %2F"),
        ("postgresql://u:1?secret@h/x", "\\? as %3F"),
        ("postgresql://u:a:secret@h:1:2/x", "postgresql://USER"),
        ("sqlite:///x.db?password=secret", "no option 'password'"),
    ],
)
def test_an_option_that_cannot_be_is_refused(url: str, what: str) -> None:
    with pytest.raises(InputError, match=what) as caught:
        open_store(url)
    assert "secret" not in "".join(traceback.format_exception(caught.value))
    assert not Path("x.db").exists()


@pytest.mark.parametrize(
    "query",
    [
        "password=secret",
        "sslpassword=secret",
        "options=secret%20x",
        "passfile=secret&sslkey=secret",
        "keepalives=secret",
    ],
)
def test_what_a_server_that_is_not_there_is_told_of_holds_no_password(query: str) -> None:
    for url in (f"postgresql://u@localhost:1/x?{query}", "postgresql://u:secret@localhost:1/x"):
        with pytest.raises(StoreError, match="cannot open postgresql://u@localhost:1/x: ") as caught:
            open_store(f"{url}{'&' if '?' in url else '?'}retry=0")
        assert "secret" not in "".join(traceback.format_exception(caught.value))


@given(
    st.text(st.characters(codec="utf-8")),
    st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text("ab\0无"),
)
def test_events_survive_the_trip_to_json(text: str, value: object) -> None:
    event = Filled(turn=1, step=2, at=AT.astimezone(UTC), op="set", path="a.b", value=value, quote=text, span=(0, 3))
    assert load_event(dump_event(event)) == event


def test_memory_is_one_stores_own() -> None:
    MemoryStore().append("s", [entry(0)], 0)
    assert MemoryStore().load("s") == ()


def test_a_snapshot_is_what_it_was_made_of() -> None:
    assert snapshot(log_of(2), 2) == Snapshot("head", 2, fingerprint(entry(1)), "v1", "{}")
