"""Anthropic's form: what its own types take, marks where the prompt's cache may end, and a stable prefix."""

from __future__ import annotations

import copy
import json
from itertools import pairwise
from typing import Any

import pytest
from anthropic.types import MessageParam, TextBlockParam, ToolParam
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from slotstate import InputError
from slotstate.contract import Cache, Prompt
from slotstate.formats import anthropic, anthropic_tools, check
from tests.formats.oracle import call, marks, talks, valid, wire
from tests.formats.test_chat import SYSTEM, turned
from tests.formats.test_check import CALL, GROUP, REPLY, RESULT, USER, marked

MESSAGES: TypeAdapter[list[MessageParam]] = TypeAdapter(list[MessageParam])
BLOCKS: TypeAdapter[list[TextBlockParam]] = TypeAdapter(list[TextBlockParam])
TOOLS: TypeAdapter[list[ToolParam]] = TypeAdapter(list[ToolParam])


def text(said: str, ttl: str | None = "") -> dict[str, Any]:
    """A text block; with a ttl, or None for the default one, it carries a mark."""
    block: dict[str, Any] = {"type": "text", "text": said}
    if ttl != "":
        block["cache_control"] = {"type": "ephemeral"} if ttl is None else {"type": "ephemeral", "ttl": ttl}
    return block


def prompt(messages: list[dict[str, Any]], *points: tuple[int, int]) -> Prompt:
    """A prompt whose cache may end behind so many characters of those messages."""
    cache: Cache = {
        "profile": "anthropic",
        "layout": "quotes_last",
        "epoch": 0,
        "epoch_reason": "start",
        "stable_tokens": 0,
        "expected_cached": 0,
        "breakpoints": [{"message": message, "chars": chars, "tokens": 1} for message, chars in points],
        "cost": {"fresh": 0, "written": 0, "read": 0, "equivalents": 0},
    }
    return Prompt(messages=messages, cache=cache)


def test_blocks_and_roles() -> None:
    group = {**CALL, "content": "I look.", "tool_calls": [call("a"), call("b")]}
    told = anthropic(
        [
            SYSTEM,
            {"role": "developer", "content": [{"type": "text", "text": "Now."}]},
            USER,
            {"role": "user", "content": "there"},
            group,
            {**RESULT, "tool_call_id": "b"},
            {**RESULT, "content": " "},
            {"role": "user", "content": "and?"},
            {"role": "assistant", "content": "so \n"},
        ]
    )
    assert told == {
        "system": [text("Be kind."), text("Now.")],
        "messages": [
            {"role": "user", "content": [text("hi"), text("there")]},
            {
                "role": "assistant",
                "content": [
                    text("I look."),
                    {"type": "tool_use", "id": "a", "name": "find", "input": {"q": 1}},
                    {"type": "tool_use", "id": "b", "name": "find", "input": {"q": 1}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "b", "content": "done"},
                    {"type": "tool_result", "tool_use_id": "a"},
                    text("and?"),
                ],
            },
            {"role": "assistant", "content": [text("so")]},
        ],
    }


def test_blank_texts_are_left_out() -> None:
    blank = {"role": "assistant", "content": "\n"}
    parts = [{"type": "text", "text": " "}, {"type": "text", "text": "x"}, {"type": "refusal", "refusal": ""}]
    told = anthropic([{"role": "system", "content": ""}, USER, blank, {"role": "user", "content": parts}])
    assert told == {"system": [], "messages": [{"role": "user", "content": [text("hi"), text("x")]}]}
    results = anthropic([USER, CALL, {**RESULT, "content": [{"type": "text", "text": ""}]}])
    assert results["messages"][2]["content"] == [{"type": "tool_result", "tool_use_id": "a"}]


def test_the_end_of_a_final_reply_is_stripped() -> None:
    def last(content: object) -> Any:
        return anthropic([USER, {"role": "assistant", "content": content}])["messages"][-1]["content"]

    thought = {"type": "thinking", "thinking": "x", "signature": "y"}
    assert last([text("so "), text(" \n")]) == [text("so")]
    assert last([text("so "), thought]) == [text("so "), thought]
    assert last([{"type": "refusal", "refusal": "no"}]) == [text("no")]


def test_images_and_blocks_of_its_own() -> None:
    def block(part: dict[str, Any]) -> Any:
        return anthropic([{"role": "user", "content": [part]}])["messages"][0]["content"][0]

    url = {"type": "image_url", "image_url": {"url": "https://example.org/a.png", "detail": "low"}}
    assert block(url) == {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}
    data = {"type": "image_url", "image_url": {"url": "data:image/PNG;base64,AAAA"}}
    source = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
    assert block(data) == {"type": "image", "source": source}
    own = {"type": "image", "source": source}
    assert block(own) == own
    shown = anthropic([USER, CALL, {**RESULT, "content": [{"type": "text", "text": "a map"}, data]}])
    assert shown["messages"][2]["content"][0]["content"] == [text("a map"), own]
    use = {"type": "tool_use", "id": "a", "name": "find", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": "x"}
    talk = [USER, {"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    assert anthropic(talk)["messages"][1:] == talk[1:]


def test_ids_of_other_providers_fit() -> None:
    told = anthropic([USER, {**CALL, "tool_calls": [call("call.1|x")]}, {**RESULT, "tool_call_id": "call.1|x"}])
    ident = told["messages"][1]["content"][0]["id"]
    assert ident.startswith("call_1_x_")
    assert told["messages"][2]["content"][0]["tool_use_id"] == ident


def test_what_the_api_would_refuse_is_refused_with_the_remedy() -> None:
    with pytest.raises(
        InputError, match=r"anthropic wants a user message first; .* repair\(messages, 'anthropic'\) mends it"
    ):
        anthropic([REPLY, USER])
    with pytest.raises(InputError, match=r"messages\[1\] \(system\): a system message stands at the front only"):
        anthropic([USER, SYSTEM])
    with pytest.raises(InputError, match=r"the list of messages is empty"):
        anthropic([{"role": "system", "content": " "}])
    with pytest.raises(InputError, match="there is no user message"):
        anthropic([SYSTEM])
    with pytest.raises(InputError, match="no ttl '5min'; did you mean '5m'"):
        anthropic([USER], ttl="5min")  # type: ignore[arg-type]


def test_marks_of_parts_stay_when_the_prompt_has_none() -> None:
    told = anthropic([{"role": "user", "content": marked("1h", None)}], ttl="1h")
    assert marks(told) == [text("x", "1h"), text("x", None)]
    with pytest.raises(InputError, match="there are 5 cache_control marks"):
        anthropic([{"role": "user", "content": marked(*[None] * 5)}])
    own = anthropic(prompt([USER, {"role": "user", "content": marked(None)}], (0, 2)), ttl="1h")
    assert marks(own) == [text("hi", "1h")]
    assert marks(anthropic(prompt([USER]))) == []
    assert marks(anthropic(Prompt(messages=[USER]))) == []


def test_a_breakpoint_splits_a_content() -> None:
    told = anthropic(prompt([SYSTEM, USER], (0, 3), (1, 2)))
    assert told["system"] == [text("Be ", None), text("kind.")]
    assert told["messages"] == [{"role": "user", "content": [text("hi", None)]}]
    parts = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}, {"type": "text", "text": "three"}]
    cut = anthropic(prompt([{"role": "user", "content": parts}], (0, 3), (0, 5), (0, 11)))
    assert cut["messages"][0]["content"] == [text("one", None), text("tw", None), text("o"), text("three", None)]


def test_a_breakpoint_never_makes_a_blank_block() -> None:
    def cut(said: str, *chars: int) -> Any:
        told = anthropic(prompt([SYSTEM, {"role": "user", "content": said}], *((1, one) for one in chars)))
        return told["system"] + told["messages"][0]["content"]

    assert cut("stable\n\n ", 6) == [text("Be kind."), text("stable", None)]
    assert cut("  stable", 2) == [text("Be kind.", None), text("  stable")]
    assert cut("a  b", 1, 3) == [text("Be kind."), text("a", None), text("  b")]
    assert cut("stable", 0) == [text("Be kind.", None), text("stable")]
    assert cut("stable", -3) == [text("Be kind.", None), text("stable")]


def test_a_breakpoint_on_a_call_or_a_result_is_at_its_end() -> None:
    told = anthropic(prompt([*GROUP, REPLY], (1, 0), (2, 4)))
    assert [block["type"] for block in marks(told)] == ["tool_use", "tool_result"]
    told = anthropic(prompt([*GROUP, REPLY], (2, 2)))
    assert [block["type"] for block in marks(told)] == ["tool_use"]
    said = {**CALL, "content": "I look."}
    assert marks(anthropic(prompt([USER, said, RESULT], (1, 6)))) == [text("I look", None)]
    assert [block["type"] for block in marks(anthropic(prompt([USER, said, RESULT], (1, 7))))] == ["tool_use"]
    thought = {"role": "assistant", "content": [text("so"), {"type": "thinking", "thinking": "x", "signature": "y"}]}
    assert marks(anthropic(prompt([USER, thought, USER], (1, 2)))) == [text("so", None)]


def test_a_breakpoint_on_nothing_is_at_the_end_of_what_comes_before() -> None:
    blank = {"role": "assistant", "content": " "}
    assert marks(anthropic(prompt([USER, blank, {"role": "user", "content": "x"}], (1, 1)))) == [text("hi", None)]
    assert marks(anthropic(prompt([blank, USER], (0, 1)))) == []
    assert marks(anthropic(prompt([USER, USER], (0, 0)))) == []
    assert marks(anthropic(prompt([USER], (9, 1)))) == [text("hi", None)]
    assert marks(anthropic(prompt([USER], (-1, 1)))) == []
    thought = {"role": "user", "content": [{"type": "thinking", "thinking": "x"}]}
    with pytest.raises(InputError, match="which anthropic takes from no user message"):
        anthropic(prompt([thought], (0, 0)))


def test_the_best_four_breakpoints_are_kept() -> None:
    slots = {"role": "user", "content": "<slots>\nname: Ann\n</slots>"}
    talk = [{"role": role, "content": f"{role} {number}"} for number in range(4) for role in ("user", "assistant")]
    messages = [SYSTEM, slots, *talk, USER]
    points = [(0, 3), (0, 8), (1, 5), (1, 99), *((at, 99) for at in range(2, 10))]
    told = anthropic(prompt(messages, *points))
    assert [block["text"] for block in marks(told)] == ["kind.", "s>\nname: Ann\n</slots>", "user 3", "assistant 3"]
    few = anthropic(prompt(messages, *points[:1], *points[3:5]))
    assert [block["text"] for block in marks(few)] == ["Be ", slots["content"], "user 0"]
    bare = anthropic(prompt([SYSTEM, *talk], *((at, 99) for at in range(9))))
    assert [block["text"] for block in marks(bare)] == ["Be kind.", "assistant 2", "user 3", "assistant 3"]


def test_reasoning_alone_takes_no_mark() -> None:
    thought = {"type": "redacted_thinking", "data": "x"}
    told = anthropic(prompt([USER, {"role": "assistant", "content": [thought]}, USER], (1, 0)))
    assert marks(told) == [text("hi", None)]


POINTS = st.lists(st.tuples(st.integers(0, 14), st.integers(0, 40)), max_size=7)


@given(talks(), POINTS, st.sampled_from([None, "5m", "1h"]))
def test_conversations_are_what_the_api_takes(messages: list[dict[str, Any]], points: Any, ttl: Any) -> None:
    one = prompt(messages, *points)
    before = copy.deepcopy(one)
    told = anthropic(one, ttl=ttl)
    assert one == before
    assert check(told, "anthropic") == ()
    assert valid(wire(told), "anthropic")
    roles = [message["role"] for message in told["messages"]]
    assert all(here != there for here, there in pairwise(roles))
    assert len(marks(told)) <= 4
    MESSAGES.validate_python(told["messages"])
    BLOCKS.validate_python(told["system"])
    again = anthropic(prompt(turned(messages), *points), ttl=ttl)
    assert json.dumps(again) == json.dumps(told)


@given(talks(), POINTS)
def test_all_that_is_said_is_there_in_its_order(messages: list[dict[str, Any]], points: Any) -> None:
    told = anthropic(prompt(messages, *points))
    blocks = [*told["system"], *(block for message in told["messages"] for block in message["content"])]
    said = "".join(block.get("text", block.get("content", "")) for block in blocks)
    given_ = "".join(message["content"] or "" for message in messages)
    assert "".join(said.split()) == "".join(given_.split())


@given(talks(), st.data())
def test_what_is_ahead_of_a_mark_does_not_hang_on_what_comes_behind(messages: list[dict[str, Any]], data: Any) -> None:
    """Two prompts with the same stable part send the same blocks up to the end of it, so the cache is read."""
    at = data.draw(st.sampled_from([at for at, one in enumerate(messages) if one["role"] == "user"]))
    stable = data.draw(st.integers(1, len(messages[at]["content"])))
    kept, cut = messages[:at], messages[at]["content"][:stable]

    def head(rest: str, *more: dict[str, Any]) -> list[Any]:
        told = anthropic(prompt([*kept, {"role": "user", "content": cut + rest}, *more], (at, stable)))
        blocks = [*told["system"], *(block for message in told["messages"] for block in message["content"])]
        marked_ = [number for number, block in enumerate(blocks) if "cache_control" in block]
        return blocks[: marked_[-1] + 1] if marked_ else []

    assert head("one", REPLY, USER) == head("another") == head("one\n<note>\nx\n</note>")
    assert head("one") or not cut.strip()


FIND = {"name": "find", "description": "Find trains.", "parameters": {"properties": {"to": {"type": "string"}}}}


def test_tools() -> None:
    tool = {"type": "function", "function": {**FIND, "strict": True}}
    own = {"name": "own", "input_schema": {"type": "object"}, "cache_control": {"type": "ephemeral"}}
    told = anthropic_tools([tool, own, {"type": "function", "function": {"name": "bare"}}])
    schema = {"type": "object", "properties": {"to": {"type": "string"}}}
    assert told == [
        {"name": "find", "description": "Find trains.", "strict": True, "input_schema": schema},
        own,
        {"name": "bare", "input_schema": {"type": "object", "properties": {}}},
    ]
    TOOLS.validate_python(told)
    assert json.dumps(anthropic_tools([turned(tool)])) == json.dumps(told[:1])
    assert anthropic_tools([]) == []


def test_a_tool_that_takes_nothing_has_the_schema_of_an_empty_object() -> None:
    nothing = {"type": "object", "properties": {}}
    tools: list[dict[str, Any]] = [
        {"type": "function", "function": {"name": "a", "parameters": {}}},
        {"type": "function", "function": {"name": "b", "parameters": {"type": "object"}}},
        {"name": "c"},
        {"name": "d", "type": "custom"},
        {"name": "web_search", "type": "web_search_20250305"},
    ]
    assert [tool.get("input_schema") for tool in anthropic_tools(tools)] == [nothing] * 4 + [None]


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        ([5], r"tools\[0\]: a tool is an object"),
        ([{"type": "function"}], "needs its function"),
        ([{"type": "function", "function": {"name": "f", "parameters": "x"}}], "must be a JSON schema"),
        ([{"type": "function", "function": {"name": "find it"}}], "'find it' must be 1 to 64 letters"),
        ([{"name": None, "input_schema": {}}], "None must be 1 to 64 letters"),
        ([{"name": "a\0"}], "holds a NUL"),
        ([{"type": "function", "function": FIND}] * 2, r"tools\[1\]: the name 'find' is there twice"),
    ],
)
def test_tools_that_the_api_would_refuse(tools: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        anthropic_tools(tools)
