"""The OpenAI chat form: valid, the same bytes each time, turns taken where they are wanted."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter

from slotstate import InputError
from slotstate.contract import Prompt
from slotstate.formats import check, openai
from tests.formats.oracle import call, talks, user_texts, valid
from tests.formats.test_check import CALL, GROUP, REPLY, RESULT, USER, deep

SYSTEM: dict[str, Any] = {"role": "system", "content": "Be kind."}
ADAPTER: TypeAdapter[list[ChatCompletionMessageParam]] = TypeAdapter(list[ChatCompletionMessageParam])


def turned(value: Any) -> Any:
    """The same content, its keys added in another order."""
    if isinstance(value, dict):
        return {key: turned(value[key]) for key in reversed(list(value))}
    return [turned(one) for one in value] if isinstance(value, list) else value


def test_a_prompt_is_told_as_it_is() -> None:
    messages = [SYSTEM, *GROUP, REPLY, USER]
    assert openai(Prompt(messages=messages)) == messages
    assert openai(messages) == messages
    assert list(openai([{"content": "hi", "role": "user"}])[0]) == ["role", "content"]


def test_what_only_transcripts_have_is_left_out() -> None:
    extra: dict[str, Any] = {
        **USER,
        "id": "m1",
        "asks": ["a.b"],
        "offers": {},
        "usage": None,
        "name": None,
        "tool_calls": [],
    }
    assert openai([extra]) == [USER]
    assert openai([{**USER, "own": 1}]) == [{**USER, "own": 1}]


def test_calls_are_told_so_that_the_api_takes_them() -> None:
    function = {"name": "find", "arguments": {"b": 1, "a": 2}}
    made = {**CALL, "tool_calls": [{"id": "x" * 50, "type": "function", "function": function}]}
    told = openai([USER, made, {**RESULT, "tool_call_id": "x" * 50}])
    assert told[1]["tool_calls"][0]["function"]["arguments"] == '{"a":2,"b":1}'
    assert told[1]["tool_calls"][0]["id"] == told[2]["tool_call_id"]
    assert len(told[2]["tool_call_id"]) == 40
    for nothing in ("", None):
        made = {
            **CALL,
            "tool_calls": [{"id": "a", "type": "function", "function": {"name": "find", "arguments": nothing}}],
        }
        told = openai([USER, made, RESULT])
        assert told[1]["tool_calls"][0]["function"]["arguments"] == "{}"


def test_characters_that_cannot_be_sent_are_replaced() -> None:
    assert openai([{"role": "user", "content": "a\0b\ud800"}]) == [{"role": "user", "content": "a\ufffdb\ufffd"}]


def test_the_system_messages_role() -> None:
    developer = {"role": "developer", "content": "Be kind."}
    assert openai([SYSTEM, USER], system_role="developer") == [developer, USER]
    assert openai([developer, USER]) == [SYSTEM, USER]
    assert openai([developer, USER, USER], alternate=True, system_role="developer")[0] == developer
    with pytest.raises(InputError, match="no system role 'sistem'; did you mean 'system'"):
        openai([SYSTEM], system_role="sistem")  # type: ignore[arg-type]


def test_turns() -> None:
    slots = {"role": "user", "content": "<slots>\nx\n</slots>"}
    told = openai(
        [SYSTEM, {"role": "developer", "content": "Now."}, slots, USER, REPLY, CALL, RESULT, REPLY], alternate=True
    )
    assert told == [
        {"role": "system", "content": "Be kind.\n\nNow."},
        {"role": "user", "content": "<slots>\nx\n</slots>\n\nhi"},
        {**CALL, "content": "hello"},
        RESULT,
        REPLY,
    ]
    blank = {"role": "assistant", "content": [{"type": "text", "text": " "}]}
    assert openai([USER, blank, {"role": "assistant", "content": ""}, USER], alternate=True) == [
        {"role": "user", "content": "hi\n\nhi"}
    ]
    image = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    assert openai([{"role": "user", "content": [image]}, USER], alternate=True)[0]["content"] == [
        image,
        {"type": "text", "text": "hi"},
    ]
    assert openai(
        [USER, {**CALL, "content": [{"type": "text", "text": ""}]}, {**RESULT, "content": []}], alternate=True
    ) == [
        USER,
        CALL,
        {**RESULT, "content": ""},
    ]
    with pytest.raises(InputError, match=r"messages\[3\] \(user\): user and assistant must take turns"):
        openai([USER, CALL, RESULT, USER], alternate=True)


def test_neighbours_of_one_role_are_said_to_be_merged_by_the_form() -> None:
    turns = "user and assistant must take turns, but this follows a message of the"
    merge = "merge them, as openai(prompt, alternate=True) does"
    for messages, said in (
        ([USER, USER], f"messages[1] (user): {turns} user; {merge}"),
        ([USER, REPLY, REPLY], f"messages[2] (assistant): {turns} assistant; {merge}"),
        ([USER, REPLY, CALL, RESULT], f"messages[2] (assistant): {turns} assistant; {merge}"),
        ([USER, CALL, RESULT, USER], f"messages[3] (user): {turns} assistant; add what is between"),
    ):
        assert [problem.message for problem in check(messages, "strict")] == [said]


def test_a_calls_id_that_comes_again_is_told_apart_in_a_list_too() -> None:
    earlier = {**CALL, "tool_calls": [call("a_2")]}
    told = openai([USER, earlier, {**RESULT, "tool_call_id": "a_2"}, *[CALL, RESULT] * 3])
    assert [one["id"] for message in told for one in message.get("tool_calls", ())] == ["a_2", "a", "a_3", "a_4"]
    assert [message["tool_call_id"] for message in told if message["role"] == "tool"] == ["a_2", "a", "a_3", "a_4"]
    with pytest.raises(InputError, match="bad_name"):
        openai(
            [USER, {**CALL, "tool_calls": [{**call("a"), "function": {"name": "find it", "arguments": "{}"}}]}, RESULT]
        )
    with pytest.raises(InputError, match="wrong_type"):
        openai(Prompt(messages=[USER, {**CALL, "tool_calls": [5, {"id": 3}, {"function": {"name": 3}}]}]))


def test_what_cannot_be_sent_is_refused_with_the_remedy() -> None:
    remedy = r"; repair\(messages, 'openai'\) mends it \[missing_result\]$"
    with pytest.raises(InputError, match=rf"^messages\[1\] \(assistant\): the call 'a' has no result; .*{remedy}"):
        openai([USER, CALL])
    with pytest.raises(InputError, match=r"\(and 1 more\)"):
        openai([USER, CALL, {**CALL, "tool_calls": [call("b")]}])
    with pytest.raises(InputError, match="list of messages is empty"):
        openai([])
    # The number is that of the message as given, though an earlier one was left out.
    with pytest.raises(InputError, match=r"messages\[2\] \(assistant\): the call"):
        openai([USER, {"role": "assistant", "content": " "}, CALL], alternate=True)


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        (5, "give a Prompt or a list of chat messages, not int"),
        ([5], r"messages\[0\]: a message is an object"),
        ([{**USER, "x": b""}], r"messages\[0\]: holds bytes that JSON cannot say"),
        ([{**USER, "x": deep(200)}], r"messages\[0\]: nested deeper than 100"),
        (
            [{"role": "assistant", "content": "x", "tool_calls": ["a", {"function": 5}]}],
            r"tool_calls\[0\] must be an object",
        ),
    ],
)
def test_what_cannot_be_read_is_refused(given_: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        openai(given_)


@given(talks(), st.booleans())
def test_conversations_are_valid_complete_and_the_same_bytes(messages: list[dict[str, Any]], alternate: bool) -> None:
    before = copy.deepcopy(messages)
    told = openai(messages, alternate=alternate)
    assert messages == before
    assert check(told, "strict" if alternate else "openai") == ()
    assert valid(told, "strict" if alternate else "openai")
    ADAPTER.validate_python(told)
    assert json.dumps(openai(turned(messages), alternate=alternate)) == json.dumps(told)
    said = "\n".join(user_texts(told))
    assert all(text in said for text in user_texts(messages))
    told[0]["content"] = "changed"
    assert messages == before
