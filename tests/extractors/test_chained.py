"""Chained: the first answers where it is sure, the second where it is not, and the first stands in for it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from slotstate import Change, Chat, Extraction, InputError, Request, Slot, Tracker, Turn, Usage
from slotstate.extractors import make_extractor
from slotstate.extractors.builtin import BuiltinExtractor
from slotstate.extractors.chained import ChainedExtractor, read_in_full
from slotstate.testing import ScriptedExtractor, change

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


class Trip(BaseModel):
    city: Annotated[str, Slot(ask="Where to?", cues=["to"])]
    people: int | None = None
    note: str | None = None


class Hanging:
    """Never answers in time."""

    def __init__(self) -> None:
        self.let_go = threading.Event()

    def extract(self, request: Request) -> Extraction:
        self.let_go.wait(30)
        return Extraction()

    async def aextract(self, request: Request) -> Extraction:
        await asyncio.sleep(30)
        return Extraction()


Says = Callable[[Chat, str], Turn]


@pytest.fixture(params=["sync", "async"])
def says(request: pytest.FixtureRequest) -> Says:
    if request.param == "sync":
        return lambda chat, text: chat.user(text)

    async def run(awaited: Awaitable[Turn]) -> Turn:
        return await awaited

    return lambda chat, text: asyncio.run(run(chat.auser(text)))


def chat_with(first: Any, second: Any, **options: Any) -> Chat:
    return Tracker(Trip, extractor=ChainedExtractor(first, second), clock=lambda: NOW, **options).open("s")


def test_the_second_is_not_asked_where_the_first_has_read_everything(says: Says) -> None:
    second = ScriptedExtractor()
    chat = chat_with(BuiltinExtractor(), second)
    chat.assistant("Where to?")
    assert says(chat, "To Bergen, please.").extraction == "ok"
    chat.assistant("Bergen?", asks=["trip.city"])
    says(chat, "yes")
    assert second.requests == []
    assert chat.state["trip"]["city"].status == "confirmed"


@pytest.mark.parametrize(
    "text",
    [
        "To Bergen, and my brother joins me with his two kids so we are four altogether I suppose",
        "whatever the weather allows",
        "To Bergen, is that far?",
        "To Bergen for Anna",
    ],
)
def test_the_second_is_asked_where_more_was_said_than_read(text: str, says: Says) -> None:
    second = ScriptedExtractor([[change("trip.note", "set", text, text)]])
    chat = chat_with(ScriptedExtractor([[change("trip.city", "set", "Bergen", "To Bergen")]]), second)
    turn = says(chat, text)
    assert len(second.requests) == 1
    assert turn.extraction == "ok"
    assert chat.state["trip"]["note"].value == text


def test_the_seconds_word_counts_and_the_firsts_stays_for_other_slots(says: Says) -> None:
    first = [change("trip.city", "set", "Bergen", "Bergen"), change("trip.people", "set", 2, "two")]
    second = [change("trip.city", "set", "Oslo", "Oslo")]
    chat = chat_with(ScriptedExtractor([first]), ScriptedExtractor([second]))
    says(chat, "from Bergen I suppose we want to go all the way up to Oslo and we are two")
    assert chat.state["trip"]["city"].value == "Oslo"
    assert chat.state["trip"]["people"].value == 2


@pytest.mark.parametrize(
    ("confidence", "kept", "city"),
    [(0.9, 0.9, "Bergen"), (0.89, 0.9, "Oslo"), (None, 0.9, "Oslo"), (None, 0.0, "Bergen"), (0.6, 0.5, "Bergen")],
)
def test_what_the_first_is_sure_of_stands(confidence: float | None, kept: float, city: str, says: Says) -> None:
    first = [Change("set", "trip.city", "Bergen", "to Bergen", confidence=confidence)]
    second = [change("trip.city", "set", "Oslo", "Oslo"), change("trip.people", "set", 2, "two")]
    chain = ChainedExtractor(ScriptedExtractor([first]), ScriptedExtractor([second]), sure=lambda *_: False, kept=kept)
    chat = Tracker(Trip, extractor=chain, clock=lambda: NOW).open("s")
    says(chat, "we two go to Bergen, past Oslo")
    assert chat.state["trip"]["city"].value == city
    assert chat.state["trip"]["people"].value == 2


def test_an_item_that_the_first_is_sure_of_leaves_room_for_those_of_the_second(says: Says) -> None:
    class Bag(BaseModel):
        things: list[str] | None = None

    first = [Change("add", "bag.things", "tent", "a tent", confidence=1.0)]
    second = [change("bag.things", "add", one, f"a {one}") for one in ("tent", "rope")]
    chain = ChainedExtractor(ScriptedExtractor([first]), ScriptedExtractor([second]), sure=lambda *_: False)
    chat = Tracker(Bag, extractor=chain, clock=lambda: NOW).open("s")
    says(chat, "pack a tent and a rope")
    assert chat.state["bag"]["things"].value == ["tent", "rope"]


LONG = "to Bergen with the whole family and all that comes with it"
FAILING: list[Any] = [
    RuntimeError("no connection\nat all"),
    Extraction(error="429 Too Many Requests", usage=Usage(tokens_in=3, attempts=2)),
]


@pytest.mark.parametrize("problem", FAILING, ids=["raises", "reports"])
def test_the_first_stands_in_when_the_second_fails(problem: Any, says: Says) -> None:
    chat = chat_with(
        ScriptedExtractor([[change("trip.city", "set", "Bergen", "to Bergen")]]), ScriptedExtractor([problem])
    )
    turn = says(chat, LONG)
    assert turn.extraction == "partial"
    assert chat.state["trip"]["city"].value == "Bergen"
    assert turn.error in {"RuntimeError: no connection", "429 Too Many Requests"}


def test_a_turn_that_nobody_could_read_failed_and_is_read_again(says: Says) -> None:
    script: list[Any] = [RuntimeError("first"), [change("trip.city", "set", "Bergen", "to Bergen")]]
    chat = chat_with(ScriptedExtractor(script), ScriptedExtractor([RuntimeError("second"), RuntimeError("second")]))
    failed = chat.user(LONG, id="m")
    assert (failed.extraction, failed.error) == ("failed", "RuntimeError: first; then: RuntimeError: second")
    assert chat.user(LONG, id="m").extraction == "partial"
    assert chat.state["trip"]["city"].value == "Bergen"


def test_a_second_that_hangs_never_blocks_a_turn_past_its_deadline(says: Says) -> None:
    hanging = Hanging()
    chat = chat_with(ScriptedExtractor([[change("trip.city", "set", "Bergen", "to Bergen")]]), hanging, deadline=0.2)
    turn = says(chat, LONG)
    hanging.let_go.set()
    assert turn.extraction == "partial"
    assert "deadline of 0.2 s" in (turn.error or "")
    assert chat.state["trip"]["city"].value == "Bergen"


def request(text: str) -> Request:
    chat = Tracker(Trip, extractor=(seen := ScriptedExtractor()), clock=lambda: NOW).open("s")
    chat.user(text)
    return seen.requests[0]


@pytest.mark.parametrize(
    ("text", "quotes", "full"),
    [
        ("去上海", ["去上海"], True),
        ("我想去上海，三个人", ["去上海", "三个人"], True),
        ("我想去上海，另外帮我看看那边的天气怎么样", ["去上海"], False),
        ("yes", [], True),
        ("hello there", [], False),
        ("to Oslo, 3 of us", ["to Oslo"], False),
    ],
)
def test_when_a_turn_counts_as_read_in_full(text: str, quotes: list[str], full: bool) -> None:
    read = Extraction(tuple(Change("set", "trip.note", quote, quote) for quote in quotes))
    assert read_in_full(request(text), read) is full


def test_a_chain_is_made_by_name() -> None:
    assert isinstance(make_extractor("chain:builtin,slotstate.testing:ScriptedExtractor"), ChainedExtractor)
    with pytest.raises(InputError, match="two extractors"):
        make_extractor("chain:builtin")
    with pytest.raises(InputError, match="no extractor"):
        ChainedExtractor(BuiltinExtractor(), object())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("chain:builtin,builtin:rules,script:x", "a chain names two extractors"),
        ("builtin:", "'builtin:' names no models: leave the colon out, or say builtin:FILE"),
        ("builtin:rule", "no file of models 'rule'; did you mean 'builtin:rules'"),
    ],
)
def test_names_that_say_too_much_or_too_little(name: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        make_extractor(name)


def test_the_second_of_a_chain_may_be_a_chain() -> None:
    assert isinstance(make_extractor("chain:builtin,chain:builtin,builtin:rules"), ChainedExtractor)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"threshold": 2}, "threshold is a probability from 0 to 1, not 2"),
        ({"threshold": -1}, "threshold is a probability from 0 to 1, not -1"),
        ({"threshold": "high"}, "threshold is a probability from 0 to 1, not 'high'"),
        ({"threshold": True}, "threshold is a probability"),
        ({"kept": 1.5}, "kept is a probability from 0 to 1, not 1.5"),
        ({"sure": True}, "sure is a function of a request and an extraction"),
    ],
)
def test_what_is_no_probability_and_no_judge_is_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        ChainedExtractor(BuiltinExtractor(), BuiltinExtractor(), **options)
    for fine in (0, 1, 0.5):
        ChainedExtractor(BuiltinExtractor(), BuiltinExtractor(), threshold=fine)


def test_closing_closes_both() -> None:
    class Closing(ScriptedExtractor):
        closed = 0

        def close(self) -> None:
            Closing.closed += 1

    ChainedExtractor(Closing(), Closing()).close()
    ChainedExtractor(BuiltinExtractor(), BuiltinExtractor()).close()
    assert Closing.closed == 2
