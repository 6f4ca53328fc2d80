"""Chats that do not know yet what others wrote: each decides, and shows, by the newest state. On every store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, cast

import pytest
from pydantic import BaseModel

from slotstate import Chat, InputError, Slot, Tracker
from slotstate.extract import Extraction, Request
from slotstate.log import Store
from slotstate.stores import MemoryStore, open_store
from slotstate.testing import change

Opening = Callable[..., Chat]


class Trip(BaseModel):
    """Plan a trip."""

    city: Annotated[str | None, Slot(ask="Where to?")] = None
    card: Annotated[str | None, Slot(sensitive=True)] = None


class Hearing:
    """Takes the last word of what is said for the city."""

    def extract(self, request: Request) -> Extraction:
        word = request.user.split()[-1]
        return Extraction((change("trip.city", "set", word, word),))

    async def aextract(self, request: Request) -> Extraction:
        return self.extract(request)


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
