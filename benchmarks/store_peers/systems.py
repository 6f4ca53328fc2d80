"""The stores that are compared. Each is given the same turns as objects of its own, made beforehand, and writes every
turn (what the user said, one slot, what the assistant said) durably, in one transaction, into one of several sessions.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

SLOTS = 20
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


class System(NamedTuple):
    """`make` builds turn number n of a session, turn after turn; `write` writes turns, one after the other, each on the
    disk before the next.
    """

    make: Callable[[str, int], Any]
    write: Callable[[Sequence[Any]], None]


def words(session: str, turn: int) -> tuple[str, str]:
    """Some sixty tokens each."""
    user = f"In turn {turn} of {session} I would like to change the booking: " + "please look at the seats again, " * 6
    return user, f"That is noted as change {turn}. " + "Is there anything else that I can do about it? " * 5


class _Turn(NamedTuple):
    """What a tracker hands to slotstate's store: `folded` and `last` are state and entry before the turn, where a
    snapshot of them is due.
    """

    session: str
    entries: list[Any]
    expected: int
    origin: str
    folded: Any
    last: Any


@contextmanager
def slotstate_store(url: str) -> Iterator[System]:
    """Slotstate's own: four entries a turn. The snapshots that a conversation writes with them are made of its state
    while it writes, and count.
    """
    from slotstate.events import AnyEvent, AssistantTurn, Extracted, Filled, Overwritten, UserTurn
    from slotstate.log import Entry
    from slotstate.session import Session
    from slotstate.snapshots import Told, head_of
    from slotstate.stores import open_store

    store = open_store(url)
    sessions: dict[str, Session] = {}
    written: dict[str, Told] = {}

    def make(name: str, turn: int) -> _Turn:
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
        count = session.count
        entries = [Entry(count + index, at, event) for index, event in enumerate(events)]
        folded, last = (session.state, session.entries[-1]) if session.due() else (None, None)
        made = _Turn(name, entries, count, session.origin, folded, last)
        session.absorb(entries)
        return made

    def write(turns: Sequence[_Turn]) -> None:
        for turn in turns:
            told = written.setdefault(turn.session, {})
            snapshots = () if turn.folded is None else (head_of(turn.folded, turn.last, "schema", told=told),)
            store.append(turn.session, turn.entries, turn.expected, origin=turn.origin, snapshots=snapshots)

    try:
        yield System(make, write)
    finally:
        store.close()


@contextmanager
def tracker(url: str) -> Iterator[System]:
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

    def make(name: str, turn: int) -> tuple[str, int, str, str]:
        return name, turn, *words(name, turn)

    def write(turns: Sequence[tuple[str, int, str, str]]) -> None:
        for name, turn, user, assistant in turns:
            chat = chats.get(name) or chats.setdefault(name, opened.open(name))
            told.turn = turn
            chat.user(user)
            chat.assistant(assistant)

    with opened:
        yield System(make, write)


@contextmanager
def agents_session(path: str) -> Iterator[System]:
    """openai-agents' SQLiteSession: two items a turn, no slots; on one event loop, as an agent runs."""
    from agents.memory import SQLiteSession

    sessions: dict[str, SQLiteSession] = {}
    loop = asyncio.new_event_loop()

    def make(name: str, turn: int) -> tuple[SQLiteSession, Any]:
        session = sessions.get(name) or sessions.setdefault(name, SQLiteSession(name, path))
        user, assistant = words(name, turn)
        return session, [{"role": "user", "content": user}, {"role": "assistant", "content": assistant}]

    async def written(turns: Sequence[tuple[SQLiteSession, Any]]) -> None:
        for session, items in turns:
            await session.add_items(items)

    try:
        yield System(make, lambda turns: loop.run_until_complete(written(turns)))
    finally:
        for session in sessions.values():
            session.close()
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


def _checkpointing(saver: Any) -> System:
    """LangGraph's savers: one checkpoint a turn, with the messages so far and the slots. A graph makes several of them
    a turn, and writes beside them; the slots are text, which PostgresSaver keeps in the checkpoint itself.
    """
    from langgraph.checkpoint.base import empty_checkpoint
    from langgraph.checkpoint.base.id import uuid6

    states: dict[str, tuple[list[Any], dict[str, str], str | None]] = {}

    def make(name: str, turn: int) -> tuple[Any, Any, Any, Any]:
        user, assistant = words(name, turn)
        before, slots, parent = states.get(name, ([], {}, None))
        messages = [*before, {"role": "user", "content": user}, {"role": "assistant", "content": assistant}]
        slots = {**slots, f"slot{turn % SLOTS}": f"value {turn}"}
        versions: dict[str, Any] = {"messages": f"{turn + 1:032}.0", "slots": f"{turn + 1:032}.0"}
        checkpoint = empty_checkpoint()
        checkpoint["id"] = str(uuid6(clock_seq=turn))
        checkpoint["channel_values"] = {"messages": messages, "slots": json.dumps(slots)}
        checkpoint["channel_versions"] = versions
        its = {"thread_id": name, "checkpoint_ns": "", **({} if parent is None else {"checkpoint_id": parent})}
        states[name] = messages, slots, checkpoint["id"]
        return {"configurable": its}, checkpoint, {"source": "loop", "step": turn, "parents": {}}, versions

    def write(turns: Sequence[tuple[Any, Any, Any, Any]]) -> None:
        for turn in turns:
            saver.put(*turn)

    return System(make, write)


@contextmanager
def sqlite_saver(path: str) -> Iterator[System]:
    from langgraph.checkpoint.sqlite import SqliteSaver

    with SqliteSaver.from_conn_string(path) as saver:
        saver.conn.execute("PRAGMA busy_timeout = 60000")
        saver.setup()
        yield _checkpointing(saver)


@contextmanager
def postgres_saver(url: str) -> Iterator[System]:
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
