"""The stores that are compared. Each writes one turn (what the user said, one slot, what the assistant said) durably in
one transaction, into one of several sessions, and is given the same words.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

SLOTS = 20
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
Append = Callable[[str, int], None]
"""Writes turn number n of a session."""


def words(session: str, turn: int) -> tuple[str, str]:
    """Some sixty tokens each."""
    user = f"In turn {turn} of {session} I would like to change the booking: " + "please look at the seats again, " * 6
    return user, f"That is noted as change {turn}. " + "Is there anything else that I can do about it? " * 5


@contextmanager
def slotstate_store(url: str) -> Iterator[Append]:
    """Slotstate's own: four entries a turn, with the snapshots that a conversation writes."""
    from slotstate.events import AnyEvent, AssistantTurn, Extracted, Filled, Overwritten, UserTurn
    from slotstate.log import Entry
    from slotstate.session import Session
    from slotstate.stores import open_store

    store = open_store(url)
    sessions: dict[str, Session] = {}

    def append(name: str, turn: int) -> None:
        session = sessions.setdefault(name, Session(name, "schema"))
        at, (user, assistant) = BEGAN + timedelta(seconds=turn), words(name, turn)
        path = f"trip.slot{turn % SLOTS}"
        said = {"turn": 2 * turn, "step": turn + 1, "at": at, "op": "set", "path": path, "value": f"value {turn}"}
        said |= {"source": "user", "grade": "said", "quote": f"value {turn}", "raw": f"value {turn}"}
        events: list[AnyEvent] = [
            UserTurn(turn=2 * turn, id=f"turn-{2 * turn}", text=user, at=at),
            Extracted(turn=2 * turn, result="ok", model="a model", decided=1),
            Filled(**said) if turn < SLOTS else Overwritten(**said, old=f"value {turn - SLOTS}"),
            AssistantTurn(turn=2 * turn + 1, id=f"turn-{2 * turn + 1}", text=assistant),
        ]
        written = [Entry(session.count + index, at, event) for index, event in enumerate(events)]
        store.append(name, written, session.count, origin=session.origin, snapshots=session.due())
        session.absorb(written)

    try:
        yield append
    finally:
        store.close()


@contextmanager
def tracker(url: str) -> Iterator[Append]:
    """The whole way: a tracker whose extractor knows the answer. Three transactions a turn."""
    from pydantic import create_model

    from slotstate import Tracker
    from slotstate.extract import Extraction, Request
    from slotstate.testing import change

    class Told:
        turn = 0

        def extract(self, request: Request) -> Extraction:
            value = f"turn {self.turn}"
            return Extraction((change(f"trip.slot{self.turn % SLOTS}", "set", value, value),))

        async def aextract(self, request: Request) -> Extraction:
            return self.extract(request)

    fields: dict[str, Any] = {f"slot{at}": (str | None, None) for at in range(SLOTS)}
    told = Told()
    opened = Tracker(create_model("Trip", **fields), extractor=told, store=url)
    chats: dict[str, Any] = {}

    def append(name: str, turn: int) -> None:
        chat = chats.get(name) or chats.setdefault(name, opened.open(name))
        user, assistant = words(name, turn)
        told.turn = turn
        chat.user(user)
        chat.assistant(assistant)

    with opened:
        yield append


@contextmanager
def agents_session(path: str) -> Iterator[Append]:
    """openai-agents' SQLiteSession: two items a turn, no slots."""
    from agents.memory import SQLiteSession

    sessions: dict[str, Any] = {}
    loop = asyncio.new_event_loop()

    def append(name: str, turn: int) -> None:
        session = sessions.get(name) or sessions.setdefault(name, SQLiteSession(name, path))
        user, assistant = words(name, turn)
        items: Any = [{"role": "user", "content": user}, {"role": "assistant", "content": assistant}]
        loop.run_until_complete(session.add_items(items))

    try:
        yield append
    finally:
        for session in sessions.values():
            session.close()
        loop.close()


def _checkpointing(saver: Any) -> Append:
    """LangGraph's savers: one checkpoint a turn, with the messages so far and the slots."""
    from langgraph.checkpoint.base import empty_checkpoint
    from langgraph.checkpoint.base.id import uuid6

    states: dict[str, Any] = {}

    def append(name: str, turn: int) -> None:
        user, assistant = words(name, turn)
        config, messages, slots = states.get(name) or (
            {"configurable": {"thread_id": name, "checkpoint_ns": ""}},
            [],
            {},
        )
        messages = [*messages, {"role": "user", "content": user}, {"role": "assistant", "content": assistant}]
        slots = {**slots, f"slot{turn % SLOTS}": f"value {turn}"}
        versions: dict[str, Any] = {"messages": f"{turn + 1:032}.0", "slots": f"{turn + 1:032}.0"}
        checkpoint = empty_checkpoint()
        checkpoint["id"] = str(uuid6(clock_seq=turn))
        checkpoint["channel_values"] = {"messages": messages, "slots": json.dumps(slots)}
        checkpoint["channel_versions"] = versions
        config = saver.put(config, checkpoint, {"source": "loop", "step": turn, "parents": {}}, versions)
        states[name] = config, messages, slots

    return append


@contextmanager
def sqlite_saver(path: str) -> Iterator[Append]:
    from langgraph.checkpoint.sqlite import SqliteSaver

    with SqliteSaver.from_conn_string(path) as saver:
        saver.conn.execute("PRAGMA busy_timeout = 60000")
        saver.setup()
        yield _checkpointing(saver)


@contextmanager
def postgres_saver(url: str) -> Iterator[Append]:
    from langgraph.checkpoint.postgres import PostgresSaver

    with PostgresSaver.from_conn_string(url) as saver:
        saver.setup()
        yield _checkpointing(saver)


SYSTEMS: dict[str, Callable[[str, str], Any]] = {
    "slotstate, SQLite": lambda folder, _: slotstate_store(f"sqlite:///{folder}/ours.db"),
    "openai-agents SQLiteSession": lambda folder, _: agents_session(f"{folder}/agents.db"),
    "LangGraph SqliteSaver": lambda folder, _: sqlite_saver(f"{folder}/graph.db"),
    "slotstate, PostgreSQL": lambda _, postgres: slotstate_store(postgres),
    "LangGraph PostgresSaver": lambda _, postgres: postgres_saver(postgres),
    "slotstate's tracker, SQLite": lambda folder, _: tracker(f"sqlite:///{folder}/tracker.db"),
    "slotstate's tracker, PostgreSQL": lambda _, postgres: tracker(postgres),
}
