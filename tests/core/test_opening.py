"""A session that is opened from snapshots goes on like one whose whole log is in memory."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from slotstate import Budget, BudgetTooSmall, Chat, InputError, MessageConflict, NotHeld, Prompt, Slot, Tracker
from slotstate import session as sessions
from slotstate.events import AssistantTurn, Extracted, SystemTurn, UserTurn
from slotstate.extract import Change, Extraction, Request
from slotstate.log import Opened, Snapshot
from slotstate.prompt import selection
from slotstate.stores import MemoryStore
from slotstate.testing import change
from tests.prompt.reading import CharCounter


class Trip(BaseModel):
    """Plan a trip."""

    city: Annotated[str | None, Slot(ask="Where to?", sensitive=False)] = None
    people: int | None = None
    extras: list[str] = []
    card: Annotated[str | None, Slot(sensitive=True)] = None


class Hearing:
    """Finds what it is told to find next."""

    def __init__(self) -> None:
        self.next: tuple[Change, ...] = ()

    def extract(self, request: Request) -> Extraction:
        return Extraction(self.next)

    async def aextract(self, request: Request) -> Extraction:
        return self.extract(request)


class Plain(MemoryStore):
    """Knows no snapshots: every session is read from its first entry on."""

    def open(self, session: str, schema: str) -> Opened:
        opened = super().open(session, schema)
        return Opened(self.load(session), None, opened.origin, opened.user)

    def load_snapshot(self, session: str, kind: Literal["head", "window"], schema: str) -> Snapshot | None:
        return None


@dataclass
class World:
    """A conversation of which every act is done by another worker."""

    store: MemoryStore
    budget: Budget
    now: datetime = datetime(2026, 3, 2, 9, tzinfo=UTC)
    hearing: Hearing = field(default_factory=Hearing)
    said: list[tuple[str, str]] = field(default_factory=list)
    calls: int = 0

    def open(self) -> Chat:
        return Tracker(Trip, extractor=self.hearing, store=self.store, clock=lambda: self.now).open("s")

    def act(self, action: Any) -> Any:
        name, *given = action
        self.now += timedelta(seconds=1)
        try:
            return getattr(self, f"do_{name}")(self.open(), *given)
        except (NotHeld, InputError, BudgetTooSmall) as refused:
            return type(refused), str(refused)

    def do_user(self, chat: Chat, text: str, found: dict[str, Any]) -> Any:
        words = " ".join([text, *map(str, found.values())])
        self.hearing.next = tuple(change(path, "set", value, str(value)) for path, value in found.items())
        self.said.append((f"m{len(self.said)}", words))
        turn = chat.user(words, id=self.said[-1][0])
        return turn.model_dump(exclude={"ms"})

    def do_again(self, chat: Chat, at: int) -> Any:
        if not self.said:
            return None
        ident, words = self.said[at % len(self.said)]
        with pytest.raises(MessageConflict):
            chat.user(words + "!", id=ident)
        return self.open().user(words, id=ident).model_dump(exclude={"ms"})

    def do_assistant(self, chat: Chat, text: str) -> None:
        chat.assistant(text)

    def do_tool(self, chat: Chat, size: int) -> None:
        self.calls += 1
        chat.tool_call(f"c{self.calls}", "find", {"n": self.calls})
        self.open().tool_result(f"c{self.calls}", json.dumps([{"row": at, "price": 40 + at} for at in range(size)]))

    def do_set(self, chat: Chat, people: int) -> None:
        chat.set("trip.people", people)

    def do_clear(self, chat: Chat, path: str) -> None:
        chat.clear(path)

    def do_undo(self, chat: Chat, path: str | None, times: int) -> None:
        for _ in range(times):
            chat.undo(path)

    def do_reset(self, chat: Chat) -> None:
        chat.reset("trip")

    def do_system(self, chat: Chat, text: str) -> None:
        chat.add({"role": "system", "content": text})

    def do_pin(self, chat: Chat, at: int, on: bool) -> None:
        if self.said:
            ident = self.said[at % len(self.said)][0]
            (chat.pin if on else chat.unpin)(ident)

    def do_wait(self, chat: Chat, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    def do_prompt(self, chat: Chat) -> Any:
        prompt = chat.prompt(self.budget, pending_calls="close")
        return shown(prompt), shown(chat.preview(self.budget)), shown(self.open().preview(self.budget, reveal=True))

    def do_compact(self, chat: Chat) -> Any:
        return chat.compact(self.budget)

    def do_rollback(self, chat: Chat, version: int) -> None:
        chat.rollback(version % (chat.summary.version + 1))

    def do_recall(self, chat: Chat, at: int) -> Any:
        reference = self.said[at % len(self.said)][0] if self.said else "0..3"
        return chat.recall(reference), chat.recall("0..9") if at % 2 else None


def shown(prompt: Prompt) -> Any:
    cache: Any = prompt.cache or {}
    return prompt.messages, prompt.ledger, cache.get("epoch"), cache.get("epoch_reason"), prompt.tokens


TEXT = st.lists(st.sampled_from(["Oslo", "two of us", "北京", "I must not fly.", "x" * 60, "4929 1111"]), max_size=4)
FOUND = st.fixed_dictionaries(
    {},
    optional={
        "trip.city": st.sampled_from(["Oslo", "Bergen", "北京"]),
        "trip.people": st.integers(1, 9),
        "trip.card": st.sampled_from(["4929 1111", "5522 9999"]),
    },
)
ACTION = st.one_of(
    st.tuples(st.just("user"), TEXT.map(" ".join), FOUND),
    st.tuples(st.just("user"), TEXT.map(" ".join), FOUND),
    st.tuples(st.just("assistant"), TEXT.map(" ".join)),
    st.tuples(st.just("prompt")),
    st.tuples(st.just("prompt")),
    st.tuples(st.just("tool"), st.sampled_from([2, 20, 2_000])),
    st.tuples(st.just("set"), st.integers(1, 9)),
    st.tuples(st.just("clear"), st.sampled_from(["trip.city", "trip.card"])),
    st.tuples(st.just("undo"), st.sampled_from([None, "trip.city", "trip.people"]), st.integers(1, 4)),
    st.tuples(st.just("reset")),
    st.tuples(st.just("system"), TEXT.map(" ".join)),
    st.tuples(st.just("pin"), st.integers(0, 30), st.booleans()),
    st.tuples(st.just("wait"), st.sampled_from([1, 400, 100_000])),
    st.tuples(st.just("compact")),
    st.tuples(st.just("rollback"), st.integers(0, 9)),
    st.tuples(st.just("recall"), st.integers(0, 30)),
    st.tuples(st.just("again"), st.integers(0, 30)),
)
BUDGET = st.builds(
    Budget,
    st.sampled_from([None, 1_400, 2_400, 3_200, 6_000]),
    counter=st.just(CharCounter()),
    profile=st.sampled_from(["openai", "anthropic", "llama.cpp", "none"]),
    layout=st.sampled_from(["quotes_last", "append_only"]),
)


@pytest.fixture(params=[1, 7])
def often(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Snapshots often, of as little as can be."""
    monkeypatch.setattr(sessions, "HEADS", request.param)
    monkeypatch.setattr(sessions, "WINDOWS", request.param)
    monkeypatch.setattr(sessions, "RESULTS", 2)
    monkeypatch.setattr(selection, "SPARE", 0)


def logged(store: MemoryStore) -> list[Any]:
    """The log without wall times."""
    return [json.loads(entry.event.model_dump_json(exclude={"ms"})) for entry in store.load("s")]


def play(budget: Budget, actions: Sequence[Any]) -> tuple[World, World]:
    shallow, whole = World(MemoryStore(), budget), World(Plain(), budget)
    for action in actions:
        assert shallow.act(action) == whole.act(action), action
        assert logged(shallow.store) == logged(whole.store), action
        assert shallow.open().state == whole.open().state
    return shallow, whole


@pytest.mark.usefixtures("often")
@settings(max_examples=6)
@given(BUDGET, st.lists(ACTION, min_size=20, max_size=60))
def test_workers_that_open_from_snapshots_write_the_same_log(budget: Budget, actions: list[Any]) -> None:
    shallow, whole = play(budget, actions)
    assert shallow.open().why("trip.city") == whole.open().why("trip.city")
    assert [one.id for one in shallow.open().messages] == [one.id for one in whole.open().messages]


SPEAKER = st.sampled_from(["user", "assistant", "system", "reopen"])


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 2), SPEAKER), min_size=12, max_size=60), st.booleans())
def test_what_is_said_through_workers_that_have_not_heard_of_each_other_is_kept(
    acts: list[tuple[int, str]], named: bool
) -> None:
    world = World(MemoryStore(), Budget(context=1000))
    chats = [world.open() for _ in range(3)]
    said: list[tuple[str, str]] = []
    for number, (worker, what) in enumerate(acts):
        if what == "reopen":
            chats[worker] = world.open()
            continue
        chats[worker].add({"role": what, "content": f"line {number}", **({"id": f"m{number}"} if named else {})})
        said.append((what, f"line {number}"))
    events = [entry.event for entry in world.store.load("s")]
    assert [
        (event.kind, event.text) for event in events if isinstance(event, UserTurn | AssistantTurn | SystemTurn)
    ] == said
    assert len({event.id for event in events if isinstance(event, UserTurn | AssistantTurn | SystemTurn)}) == len(said)
    assert {event.turn for event in events if isinstance(event, Extracted)} == {
        event.turn for event in events if isinstance(event, UserTurn)
    }
