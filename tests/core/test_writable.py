"""Whatever is handed over: what was said is recorded, and what was recorded can be read again."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from slotstate import Change, Chat, Extraction, Tracker
from slotstate.errors import InputError, SlotstateError
from slotstate.events import AssistantTurn, Extracted, Usage
from slotstate.messages import is_writable
from slotstate.testing import ScriptedExtractor, change


class Trip(BaseModel):
    city: str | None = None
    people: int | None = None
    price: float | None = None
    tags: dict[str, str] = {}
    counts: list[int] = []


class Evil:
    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)
DEEP = json.loads("[" * 300 + "]" * 300)
UNWRITABLE = [
    10**5000,
    -(10**5000),
    {"a": 10**5000},
    {"a": float("nan")},
    float("inf"),
    DEEP,
    {"a": [DEEP]},
    CIRCLE,
    object(),
    Evil(),
    {"a": Evil()},
    b"\xff",
]
ODD = [*UNWRITABLE, {"\ud800": "\ud800"}, {1: 2}, "\ud800\0", b"\xff", {"a": {1, 2}}, 10**900, [None, True]]


def opened(path: Path, script: Any = ()) -> Chat:
    return Tracker(Trip, store=f"sqlite:///{path}/s.db", extractor=ScriptedExtractor(script)).open("s")


@pytest.mark.parametrize("at", range(len(ODD)))
def test_a_report_that_cannot_be_read_loses_no_words(tmp_path: Path, at: int) -> None:
    usage = ODD[at]
    opened(tmp_path).assistant("hello", usage=usage)
    (said,) = opened(tmp_path).messages
    assert isinstance(said, AssistantTurn)
    assert said.text == "hello"
    assert (said.usage == {"unreadable": type(usage).__name__}) == any(usage is one for one in UNWRITABLE)


@pytest.mark.parametrize("at", range(len(ODD)))
def test_what_cannot_be_written_is_refused_in_words_and_the_rest_can_be_read(tmp_path: Path, at: int) -> None:
    value = ODD[at]
    calls = {"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": value}}]}
    for path in Trip.model_fields:
        chat = opened(tmp_path)
        for call in (
            lambda chat, path=path: chat.set(f"trip.{path}", value),
            lambda chat, path=path: chat.assistant("so?", offers={f"trip.{path}": value}),
            lambda chat: chat.tool_call("a", "f", value),
            lambda chat: chat.tool_result("a", value),
            lambda chat: chat.add({"role": "assistant", **calls}),
        ):
            with suppress(SlotstateError):
                call(chat)
        opened(
            tmp_path, [[change(f"trip.{path}", "set", value, "\ud800"), Change("set", "\ud800", value, "hello")]]
        ).user("hello")
    assert opened(tmp_path).prompt(pending_calls="close").messages


def test_arguments_that_json_cannot_say_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="write it as text"):
        opened(tmp_path).tool_result("a", object())
    with pytest.raises(InputError, match="cannot be written as JSON"):
        opened(tmp_path).add(
            {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": object()}}]}
        )


def test_what_an_extractor_says_of_itself_can_be_read_again(tmp_path: Path) -> None:
    opened(tmp_path, [Extraction((), Usage(tokens_in=10**5000), "m\ud800", "e\ud800")]).user("hello")
    (read,) = (entry.event for entry in opened(tmp_path).entries if isinstance(entry.event, Extracted))
    assert (read.usage, read.model, read.error) == (None, "m\ufffd", "e\ufffd")


def test_what_can_be_written() -> None:
    assert is_writable({"a": [1, 2.5, None, True, "x", ("y",)]})
    assert not any(map(is_writable, ["\ud800", 1 << 4000, float("nan"), {"a": b""}, DEEP]))
