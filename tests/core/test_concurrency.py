"""Several chats, threads and tasks at once: nothing is lost, nothing mixes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from threading import Barrier, Thread
from typing import Any

import pytest

from slotstate import Budget, Change, Extraction, Request, StaleWriter, StoreError, Tracker
from slotstate.events import Extracted
from slotstate.log import Entry
from slotstate.stores import MemoryStore
from slotstate.testing import change
from tests.core.test_tracker import Travel, tracker


def test_two_chats_of_one_session_see_each_other_and_decide_again() -> None:
    store = MemoryStore()
    one, other = (tracker(store=store).open("s") for _ in range(2))
    one.set("travel.origin", "Oslo")
    other.set("travel.people", 2)
    assert other.state["travel"]["origin"].value == "Oslo"
    one.set("travel.people", 3)
    assert [entry.seq for entry in one.entries] == [0, 1, 2]
    assert one.state["travel"]["people"].value == 3


def test_threads_on_one_chat_lose_nothing() -> None:
    chat = tracker([[change("travel.people", "set", 2, "two")]] * 40).open("s")
    start = Barrier(4)

    def work(worker: int) -> None:
        start.wait()
        for index in range(10):
            chat.user("two of us", id=f"{worker}-{index}")

    threads = [Thread(target=work, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(chat.messages) == 40
    assert [entry.seq for entry in chat.entries] == list(range(len(chat.entries)))
    assert sum(isinstance(entry.event, Extracted) for entry in chat.entries) == 40


def test_a_store_that_always_loses_the_race_gives_up_with_a_clear_line() -> None:
    class Contended(MemoryStore):
        def append(self, session: str, entries: Sequence[Entry], expected: int, **more: Any) -> None:
            raise StaleWriter("again")

    with pytest.raises(StoreError, match="other writers were faster"):
        tracker(store=Contended()).open("s").set("travel.people", 2)


def test_who_waits_for_other_writers_looks_at_what_they_wrote_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore()
    one, other = (tracker(store=store).open("s") for _ in range(2))
    waits: list[int] = []

    def others_write(tries: int) -> None:
        waits.append(tries)
        other.set("travel.people", 10 + tries)

    refusals = iter(["once", "twice"])

    def append(session: str, entries: Sequence[Entry], expected: int, **more: Any) -> None:
        if next(refusals, None):
            raise StaleWriter("again")
        MemoryStore.append(store, session, entries, expected, **more)

    monkeypatch.setattr("slotstate.following._wait", others_write)
    monkeypatch.setattr(store, "append", append)
    one.set("travel.origin", "Oslo")
    assert waits == [1]
    assert (one.state["travel"]["origin"].value, one.state["travel"]["people"].value) == ("Oslo", 11)


@pytest.mark.parametrize("shared", [True, False])
async def test_any_number_of_tasks_on_one_session_lose_nothing(shared: bool) -> None:
    store = MemoryStore()
    first = tracker(store=store).open("s")
    chats = [first if shared else tracker(store=store).open("s") for _ in range(120)]
    await asyncio.gather(*(chat.auser(f"it is {number}") for number, chat in enumerate(chats)))
    again = tracker(store=store).open("s")
    assert {message.text for message in again.messages} == {f"it is {number}" for number in range(120)}
    assert sum(isinstance(entry.event, Extracted) for entry in again.entries) == 120


async def test_a_call_on_the_loop_does_not_wait_for_a_task_of_it() -> None:
    class Slow(MemoryStore):
        def append(self, session: str, entries: Sequence[Entry], expected: int, **more: Any) -> None:
            time.sleep(0.02)
            super().append(session, entries, expected, **more)

    chat = tracker(store=Slow()).open("s")
    turns = [asyncio.create_task(chat.auser(f"it is {number}")) for number in range(5)]
    for number in range(5):
        await asyncio.sleep(0.005)
        chat.set("travel.people", number + 1)
    await asyncio.gather(*turns)
    assert len(chat.messages) == 5


async def test_extraction_waits_for_nobody() -> None:
    class Slow:
        def __init__(self) -> None:
            self.at_once = self.most = 0

        def extract(self, request: Request) -> Extraction:
            raise AssertionError("the async path must be taken")

        async def aextract(self, request: Request) -> Extraction:
            self.at_once += 1
            self.most = max(self.most, self.at_once)
            await asyncio.sleep(0.2)
            self.at_once -= 1
            return Extraction()

    slow = Slow()
    chat = Tracker(Travel, extractor=slow).open("s")
    await asyncio.gather(*(chat.auser(f"it is {number}") for number in range(5)))
    assert slow.most > 1


def test_a_call_may_be_made_within_another_one() -> None:
    class Curious:
        name = "curious"

        def count(self, text: str) -> int:
            chat.pin(chat.messages[0].id)
            return len(text)

    chat = tracker().open("s")
    chat.assistant("hello")
    assert chat.prompt(Budget(9_000, counter=Curious())).messages
    assert chat.prompt().messages


async def test_ten_conversations_at_once_do_not_mix() -> None:
    class Slow:
        def extract(self, request: Request) -> Extraction:
            raise AssertionError("the async path must be taken")

        async def aextract(self, request: Request) -> Extraction:
            await asyncio.sleep(0.001)
            return Extraction((Change("set", "travel.origin", request.user, request.user),))

    shared = Tracker(Travel, extractor=Slow())
    chats = [shared.open(f"s{number}") for number in range(10)]
    await asyncio.gather(*(chat.auser(f"City{number}") for number, chat in enumerate(chats)))
    assert [chat.state["travel"]["origin"].value for chat in chats] == [f"City{number}" for number in range(10)]


async def test_an_async_extractor_that_hangs_is_cut_off_at_the_deadline() -> None:
    class Hanging:
        def extract(self, request: Request) -> Extraction:
            return Extraction()

        async def aextract(self, request: Request) -> Extraction:
            await asyncio.sleep(60)
            return Extraction()

    turn = await Tracker(Travel, extractor=Hanging(), deadline=0.01).open("s").auser("hello")
    assert (turn.extraction, turn.error) == ("failed", "TimeoutError")
