"""Messages from the OpenAI chat form."""

from __future__ import annotations

import json
from typing import Any

import pytest

from slotstate import InputError
from slotstate.messages import read_message, storable


def test_text_parts_and_ids() -> None:
    message = read_message(
        {"role": "user", "content": [{"type": "text", "text": "a"}, "b", {"type": "image_url"}], "id": "x"}
    )
    assert (message.role, message.text, message.id) == ("user", "a\nb\n[image_url]", "x")
    assert read_message({"role": "assistant", "content": None}).text == ""


def test_tool_calls_and_results() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"city": "Oslo"}'}}
    message = read_message({"role": "assistant", "content": None, "tool_calls": [call]})
    assert message.tool_calls[0].name == "find"
    assert json.loads(message.tool_calls[0].arguments) == {"city": "Oslo"}
    objects = {"id": "c2", "function": {"name": "find", "arguments": {"b": 1, "a": 2}}}
    assert read_message({"role": "assistant", "tool_calls": [objects]}).tool_calls[0].arguments == '{"a": 2, "b": 1}'
    assert read_message({"role": "tool", "content": "3", "tool_call_id": "c1"}).tool_call_id == "c1"


def test_our_own_additions() -> None:
    message = read_message({"role": "assistant", "content": "?", "asks": ["a.b"], "offers": {"a.b": [1, 2]}})
    assert (message.asks, message.offers) == (("a.b",), {"a.b": [1, 2]})


@pytest.mark.parametrize(
    ("raw", "hint"),
    [
        ("hello", "must be an object"),
        ({}, "role must be one of"),
        ({"role": "robot", "content": ""}, "not 'robot'"),
        ({"role": "user", "contnt": "hi"}, "did you mean it by 'contnt'"),
        ({"role": "user"}, "needs its content"),
        ({"role": "user", "content": 7}, "content must be a list"),
        ({"role": "user", "content": [7]}, "parts must be objects"),
        ({"role": "user", "content": "", "id": 7}, "id must be text"),
        ({"role": "tool", "content": ""}, "tool_call_id"),
        ({"role": "assistant", "tool_calls": "no"}, "tool_calls must be a list"),
        ({"role": "assistant", "tool_calls": [{}]}, "function with a name"),
        ({"role": "assistant", "content": "", "offers": ["x"]}, "offers must be an object"),
        ({"role": "assistant", "content": "", "asks": "a.b"}, "asks must be a list"),
    ],
)
def test_what_is_no_message_is_told_with_its_place(raw: Any, hint: str) -> None:
    with pytest.raises(InputError, match=hint) as refused:
        read_message(raw, "line 3")
    assert str(refused.value).startswith("line 3: ")


def test_text_becomes_storable() -> None:
    assert storable("plain") == "plain"
    assert storable("无 😀") == "无 😀"
    assert storable("\ud83d\ude00") == "😀"
    assert storable("a\ud800b") == "a\ufffdb"
