"""Several chats, threads and tasks at once: nothing is lost, nothing mixes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from threading import Barrier, Thread

import pytest

from slotstate import Change, Extraction, Request, StaleWriter, StoreError, Tracker
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
        def append(self, session: str, entries: Sequence[Entry], expected: int) -> None:
            raise StaleWriter("again")

    with pytest.raises(StoreError, match="other writers were faster"):
        tracker(store=Contended()).open("s").set("travel.people", 2)


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
