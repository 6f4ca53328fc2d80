"""Chats that do not know yet what others wrote: each decides, and shows, by the newest state. On every store."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest

from slotstate import Chat, Compaction, InputError, MessageConflict, ToolPolicy, Tracker
from slotstate.events import ToolTurn
from slotstate.log import Store
from slotstate.stores import MemoryStore, open_store
from tests.core.test_erasure import Hearing, Trip

Opening = Callable[..., Chat]


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Store]]:
    """Opens stores on the same logs, each as another process has it."""
    opened: list[Store] = []
    if request.param == "memory":
        kept = MemoryStore()
        yield lambda: cast("Store", Elsewhere(kept))
        return
    file = f"sqlite:///{tmp_path / 'f.db'}?durability=fast"
    url = file if request.param == "sqlite" else str(request.getfixturevalue("database"))

    def another() -> Store:
        opened.append(open_store(url))
        return opened[-1]

    another().forget()
    yield another
    for store in opened:
        store.close()


class Elsewhere:
    """A store in memory as another process has it: the same logs, another object."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def within(self, tenant: str) -> Elsewhere:
        self._store.within(tenant)
        return self


@pytest.fixture
def opening(place: Callable[[], Store]) -> Opening:
    """Opens chats, each in a worker of its own."""

    def opened(session: str = "s", **given: object) -> Chat:
        user = given.pop("user", None)
        tracker = Tracker(Trip, extractor=Hearing(), store=place(), **given)  # type: ignore[arg-type]
        return tracker.open(session, user=None if user is None else str(user))

    return opened


def city(chat: Chat) -> object:
    return chat.state["trip"]["city"].value


OTHERS: list[Callable[[Chat], object]] = [
    lambda chat: chat.user("to Rome"),
    lambda chat: chat.assistant("Rome."),
    lambda chat: chat.set("city", "Rome"),
    lambda chat: chat.undo(),
    lambda chat: chat.prompt(),
    lambda chat: chat.compact(),
    lambda chat: chat.recall("0..9"),
    lambda chat: chat.pin("turn-0"),
    lambda chat: chat.tool_call("c", "find", {}),
    lambda chat: chat.tool_result("c", "x" * 9_000),
    lambda chat: chat.blob("blob:0"),
    lambda chat: chat.rollback(0),
    lambda chat: chat.prompt(pending_calls="close"),
]


@pytest.mark.parametrize("call", OTHERS)
def test_who_is_another_user_by_now_neither_writes_nor_reads(opening: Opening, call: Callable[[Chat], object]) -> None:
    """The session was nobody's when both opened it. The first who writes has it."""
    opening().assistant("Hello!")
    ada, bob, late = opening(user="ada"), opening(user="bob"), opening(user="bob")
    ada.user("to Oslo")
    with pytest.raises(InputError, match="session 's' belongs to another user"):
        call(bob)
    late.look_again()
    for chat in (bob, late):
        assert city(chat) is None
        assert (chat.entries, chat.messages) == ((), ())
        with pytest.raises(InputError, match="belongs to another user"):
            chat.user("to Rome")
    assert [message.text for message in opening().messages] == ["Hello!", "to Oslo"]
    ada.user("to Bergen")
    assert (city(ada), ada.owner) == ("Bergen", "ada")


def test_a_chat_of_a_session_without_entries_belongs_to_who_writes_first(opening: Opening) -> None:
    ada, bob = opening(user="ada"), opening(user="bob")
    ada.user("to Oslo")
    with pytest.raises(InputError, match="belongs to another user"):
        bob.user("to Rome")
    assert city(bob) is None
    assert len(opening().messages) == 1


def test_a_long_session_is_not_read_by_another_user(opening: Opening) -> None:
    """Opened from a snapshot, and read further back only when it is somebody's."""
    first = opening()
    for at in range(30):
        first.user(f"number {at} to Bonn")
    ada = opening(user="ada")
    bobs = [opening(user="bob") for _ in range(4)]
    ada.user("to Oslo")
    reads: list[Callable[[Chat], object]] = [
        lambda chat: chat.entries,
        lambda chat: chat.why("city"),
        lambda chat: chat.prompt(),
        lambda chat: chat.preview(),
    ]
    for bob, read in zip(bobs, reads, strict=True):
        with pytest.raises(InputError, match="belongs to another user"):
            read(bob)
        assert city(bob) is None


def test_who_names_no_user_learns_whose_it_is(opening: Opening) -> None:
    app = opening()
    app.assistant("Hello!")
    opening(user="ada").user("to Oslo")
    app.look_again()
    assert (app.owner, city(app)) == ("ada", "Oslo")
    app.assistant("Oslo.")
    assert len(opening(user="ada").messages) == 3


# Tool calls


def results(chat: Chat) -> list[tuple[str, str]]:
    return [(one.call_id, one.text) for one in chat.messages if isinstance(one, ToolTurn)]


@pytest.mark.parametrize("awaited", [False, True])
def test_a_call_that_another_worker_made_is_closed(opening: Opening, awaited: bool) -> None:
    one, other = opening(), opening()
    one.user("to Oslo")
    other.prompt()
    one.tool_call("c1", "find", {})
    one.tool_call("c2", "find", {})
    prompt = asyncio.run(other.aprompt(pending_calls="close")) if awaited else other.prompt(pending_calls="close")
    assert [message["content"] for message in prompt.messages if message["role"] == "tool"] == ["[no result]"] * 2
    one.look_again()
    assert results(one) == [("c1", "[no result]"), ("c2", "[no result]")]


@pytest.mark.parametrize("awaited", [False, True])
def test_a_call_that_another_worker_answered_gets_no_second_result(opening: Opening, awaited: bool) -> None:
    one = opening()
    one.user("to Oslo")
    one.tool_call("c1", "find", {})
    one.tool_call("c2", "find", {})
    other = opening()
    one.tool_result("c1", "the real result")
    prompt = asyncio.run(other.aprompt(pending_calls="close")) if awaited else other.prompt(pending_calls="close")
    told = [message["content"] for message in prompt.messages if message["role"] == "tool"]
    assert told == ["the real result", "[no result]"]
    assert results(opening()) == [("c1", "the real result"), ("c2", "[no result]")]


def test_closing_takes_ids_that_no_message_has(opening: Opening) -> None:
    """Also none of those before a snapshot, from which the chat was opened."""
    one = opening()
    for at in range(120):
        one.user(f"number {at}", id=f"turn-{241 if at == 3 else at + 1_000}")
        one.assistant("Ah.")
    one.tool_call("c1", "find", {})
    other = opening()
    other.prompt(pending_calls="close")
    assert [message.id for message in other.messages if isinstance(message, ToolTurn)] == ["turn-241+"]


@pytest.mark.parametrize("asked", ["bogus", None, True])
def test_there_are_two_ways_to_treat_open_calls(opening: Opening, asked: Any) -> None:
    chat = opening()
    with pytest.raises(InputError, match="'raise' or 'close'"):
        chat.prompt(pending_calls=asked)
    with pytest.raises(InputError, match="'raise' or 'close'"):
        asyncio.run(chat.aprompt(pending_calls=asked))


def test_closing_does_not_hold_up_an_event_loop(opening: Opening, place: Callable[[], Store]) -> None:
    """What it reads and writes is done in a thread."""
    chat = opening()
    chat.user("to Oslo")
    chat.tool_call("c1", "find", {})
    here = threading.get_ident()
    threads: list[int] = []
    store = chat._tracker.plugins.store

    class Watched:
        def __getattr__(self, name: str) -> object:
            threads.append(threading.get_ident())
            return getattr(store, name)

    chat._tracker.plugins = chat._tracker.plugins._replace(store=Watched())  # type: ignore[arg-type]
    asyncio.run(chat.aprompt(pending_calls="close"))
    assert results(chat) == [("c1", "[no result]")]
    assert threads
    assert here not in threads


POLICIES = Compaction(
    tools={
        "ping": ToolPolicy(drop=True),
        "search": ToolPolicy(limit=200),
        "pay": ToolPolicy(limit=50_000, keep=True),
    }
)
SECRET = "4111-SECRET-1111"


@pytest.mark.parametrize(
    ("tool", "text", "moved"),
    [
        ("search", f"row {SECRET} x\n" * 40, True),
        ("pay", f"receipt {SECRET}\n" * 900, False),
        ("find", f"found {SECRET} y\n" * 900, True),
        ("find", f"found {SECRET}", False),
    ],
)
@pytest.mark.parametrize("behind", [False, True])
def test_a_tools_result_is_recorded_by_the_policy_of_its_call_and_without_secrets(
    opening: Opening, tool: str, text: str, moved: bool, behind: bool
) -> None:
    """The call was made, and the secret told, by another worker."""
    one = opening(compaction=POLICIES)
    one.user("to Oslo")
    other = opening(compaction=POLICIES)
    one.set("card", SECRET)
    one.tool_call("c1", tool, {})
    if not behind:
        other = opening(compaction=POLICIES)
    other.tool_result("c1", text)
    written = opening(compaction=POLICIES).messages[-1]
    assert isinstance(written, ToolTurn)
    assert (written.blob is not None) == moved
    if written.blob is None:
        assert written.text == text, "what is not cut is masked where it is shown"
    else:
        assert SECRET not in written.text
        assert other.recall(written.blob.ref, reveal=True) == text
    assert SECRET not in str(other.prompt().messages)


def test_a_result_that_comes_again_is_the_same_whatever_has_become_secret(opening: Opening) -> None:
    chat = opening(compaction=POLICIES)
    chat.user("to Oslo")
    chat.tool_call("c1", "search", {})
    message = {"role": "tool", "tool_call_id": "c1", "id": "r1", "content": f"row {SECRET} x\n" * 40}
    chat.add(message)
    chat.set("card", SECRET)
    chat.add(message)
    opening(compaction=POLICIES).add(message)
    assert len(results(opening())) == 1
    with pytest.raises(MessageConflict):
        chat.add({**message, "content": "another"})


# Names


@pytest.mark.parametrize("name", ["", "\ud800", "half \udfff", "n\0l", "x" * 501, 7, b"s"])
def test_what_is_no_name_is_refused_alike_wherever_one_is_given(place: Callable[[], Store], name: Any) -> None:
    """No two of them can mean one session, and what could not be forgotten by its name is not begun."""
    tracker = Tracker(Trip, extractor=Hearing(), store=place())
    tracker.open("\ufffd").user("to Oslo")
    for call in (
        lambda: tracker.open(name),
        lambda: tracker.open("s", user=name),
        lambda: tracker.export(name),
        lambda: tracker.export(user=name),
        lambda: tracker.forget(name),
        lambda: tracker.forget(user=name),
        lambda: list(tracker.sessions(name)),
    ):
        with pytest.raises(InputError, match=r"'s name |named by its text"):
            call()
    if name != "":
        with pytest.raises(InputError, match="a tenant's name "):
            Tracker(Trip, extractor=Hearing(), store=place(), tenant=name)
    assert [info.session for info in tracker.sessions()] == ["\ufffd"]


def test_a_log_that_changes_hands_while_it_is_read_is_not_shown(place: Callable[[], Store]) -> None:
    """Between the entries and whose they are, it is erased and another user begins it; then once more."""
    store = place()

    def begin(user: str) -> None:
        with Tracker(Trip, extractor=Hearing(), store=store) as tracker:
            tracker.forget("s")
            tracker.open("s", user=user).user(f"to Oslo, says {user}")

    class Racing:
        """Something happens before each of the next answers of `open`."""

        happens: ClassVar[list[Callable[[], object]]] = []

        def __getattr__(self, name: str) -> object:
            if name == "open" and self.happens:
                self.happens.pop(0)()
            return getattr(store, name)

        def within(self, tenant: str) -> Racing:
            return self

    racing = cast("Store", Racing())
    nobody, bob = (Tracker(Trip, extractor=Hearing(), store=one) for one in (store, racing))
    for users, found in ((["ada"], None), (["ada", "bob"], "bob"), (["bob", "ada"], None)):
        nobody.forget("s")
        nobody.open("s").assistant("Hello!")
        chat = bob.open("s", user="bob")
        nobody.open("s").assistant("Where to?")
        Racing.happens[:] = [partial(begin, user) for user in users]
        chat.look_again()
        assert Racing.happens == []
        assert city(chat) == found
        assert "ada" not in str(chat.entries)
