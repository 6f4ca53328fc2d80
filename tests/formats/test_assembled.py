"""Prompts that slotstate assembled, in every form: valid without a repair, and stable while an epoch lasts."""

from __future__ import annotations

from typing import Any

import pytest

from slotstate import Chat, Domain, Tracker, domain_from_json_schema
from slotstate.contract import Prompt
from slotstate.formats import anthropic, check, openai, plain, repair
from slotstate.messages import Message, ToolCall
from slotstate.prompt import Budget
from slotstate.testing import ScriptedExtractor, change
from tests.formats.oracle import marks, valid, wire

TURNS = 50


def trip() -> Domain:
    schema = {"title": "trip", "type": "object", "properties": {"to": {"type": "string"}}}
    return domain_from_json_schema(schema)


def turns(chat: Chat) -> list[Prompt]:
    """The prompts of a long talk, of which every third turn calls a tool and every second one moves a slot."""
    prompts = []
    for turn in range(TURNS):
        chat.user(f"To {'Oslo' if turn % 4 else 'Rome'}, please. User: {'I insist. ' * 40}")
        if turn % 3 == 0:
            chat.tool_call(f"call.{turn}", "find", '{"to": "Oslo"}')
            chat.tool_result(f"call.{turn}", "<slots>7 trains</slots>" * 5)
        prompts.append(chat.prompt(Budget(7_000, profile="anthropic")))
        chat.assistant(f"Shall I? {turn}")
    return prompts


@pytest.fixture(scope="module")
def prompts() -> list[Prompt]:
    script: list[Any] = [
        [change("trip.to", "set", "Oslo" if turn % 4 else "Rome", "Oslo" if turn % 4 else "Rome")] if turn % 2 else []
        for turn in range(TURNS)
    ]
    return turns(Tracker([trip()], extractor=ScriptedExtractor(script)).open("s"))


def blocks(request: Any) -> list[dict[str, Any]]:
    return [*request["system"], *(block for message in request["messages"] for block in message["content"])]


def bare(block: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in block.items() if key != "cache_control"}


def odd(chat: Chat) -> Chat:
    """An imported log: a call's id that comes again, also in one message, and names that no provider takes."""
    for turn, name in enumerate(("find trains", "", "find")):
        chat.user(f"To Oslo, please. {turn}")
        calls = tuple(ToolCall(id="x1", name=called, arguments="{}") for called in (name, "book"))
        message = Message(role="assistant", text="", tool_calls=calls)
        chat._run(chat._message(chat._maker(message), None))
        chat.tool_result("x1", f"first of {turn}")
        chat.tool_result("x1", f"second of {turn}")
        chat.assistant("Found.")
    return chat


def test_a_log_from_elsewhere_makes_prompts_that_every_form_takes() -> None:
    chat = odd(Tracker([trip()], extractor=ScriptedExtractor()).open("s"))
    prompt = chat.prompt()
    for told, provider in ((openai(prompt), "openai"), (openai(prompt, alternate=True), "strict")):
        assert valid(told, provider)
        calls = [call for message in told for call in message.get("tool_calls", ())]
        results = [(one["tool_call_id"], one["content"]) for one in told if one["role"] == "tool"]
        assert [call["id"] for call in calls] == ["x1", "x1_2", "x1_3", "x1_4", "x1_5", "x1_6"]
        assert [call["function"]["name"] for call in calls] == [
            "find_trains",
            "book",
            "unnamed",
            "book",
            "find",
            "book",
        ]
        assert results == [
            ("x1", "first of 0"),
            ("x1_2", "second of 0"),
            ("x1_3", "first of 1"),
            ("x1_4", "second of 1"),
            ("x1_5", "first of 2"),
            ("x1_6", "second of 2"),
        ]
    assert check(anthropic(prompt), "anthropic") == ()


def test_every_form_takes_them(prompts: list[Prompt]) -> None:
    for prompt in prompts:
        assert repair(prompt).messages == prompt.messages
        assert valid(openai(prompt), "openai")
        assert valid(openai(prompt, alternate=True), "strict")
        request = anthropic(prompt)
        assert check(request, "anthropic") == ()
        assert valid(wire(request), "anthropic")
        text = plain(prompt)
        assert text.endswith("\n\nAssistant:")
        users = sum(message["role"] == "user" for message in prompt.messages)
        assert text.count("\nUser:\n") == users
        assert text.count("\nUser:") == users


def test_what_is_marked_comes_again_block_by_block(prompts: list[Prompt]) -> None:
    """All of it within a turn, what is called stable in the next one, too."""
    requests = [anthropic(prompt) for prompt in prompts]
    compared = 0
    for here, there, earlier, later in zip(prompts, prompts[1:], requests, requests[1:], strict=False):
        assert here.cache is not None
        assert there.cache is not None
        assert len(marks(earlier)) <= 4
        if here.cache["epoch"] == there.cache["epoch"] and marks(earlier):
            marked = [number for number, block in enumerate(blocks(earlier)) if "cache_control" in block]
            passing = sum(mark["tokens"] > here.cache["stable_tokens"] for mark in here.cache["breakpoints"])
            if users(here) != users(there):
                marked = marked[: len(marked) - passing]
            end = marked[-1] + 1
            assert [bare(block) for block in blocks(later)[:end]] == [bare(block) for block in blocks(earlier)[:end]]
            compared += 1
    assert compared > TURNS / 4


def users(prompt: Prompt) -> int:
    return sum(message["role"] == "user" for message in prompt.messages)
