"""Tool calls in a prompt: whatever a model wrote, providers take what is shown, and the log keeps what was written."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from slotstate import Prompt, Tracker
from slotstate.events import AssistantTurn
from slotstate.formats import anthropic, check, openai
from slotstate.testing import ScriptedExtractor


class Trip(BaseModel):
    city: str | None = None


def called(arguments: str, ident: str = "c", result: str = "done") -> Prompt:
    chat = Tracker(Trip, extractor=ScriptedExtractor()).open("s")
    chat.user("hello")
    chat.tool_call(ident, "look", arguments)
    chat.tool_result(ident, result)
    (said,) = (event for event in chat.messages if isinstance(event, AssistantTurn))
    assert (said.tool_calls[0].id, said.tool_calls[0].arguments) == (ident, arguments)
    return chat.prompt()


def shown(arguments: str) -> Any:
    (call,) = next(message["tool_calls"] for message in called(arguments).messages if "tool_calls" in message)
    return json.loads(call["function"]["arguments"])


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
WRITTEN = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=20),
    JSON.map(json.dumps),
    JSON.map(lambda value: json.dumps(value)[:-1]),
    st.text('{}[]":, \\u0aed8nNaIf19e+-<notes>/', max_size=30),
)


@given(
    arguments=WRITTEN,
    ident=st.text(st.characters(codec="utf-8"), max_size=3),
    said=st.text(st.characters(codec="utf-8"), max_size=5),
)
def test_providers_take_whatever_was_called(arguments: str, ident: str, said: str) -> None:
    chat = Tracker(Trip, extractor=ScriptedExtractor()).open("s")
    chat.user("hello")
    chat.tool_call(ident, "look", arguments)
    chat.tool_result(ident, said)
    chat.assistant(f"so {said} \t\n")
    prompt = chat.prompt()
    openai(prompt)
    anthropic(prompt)
    assert not {problem.code for problem in check(prompt.messages, "anthropic")} - {"bad_id", "empty_content"}
    assert isinstance(shown(arguments), dict)


@given(
    arguments=st.dictionaries(
        st.text(st.characters(codec="utf-8", exclude_characters="<＜﹤\0"), max_size=4), JSON, max_size=3
    )
)
def test_an_object_is_shown_as_it_was_written(arguments: dict[str, Any]) -> None:
    written = json.dumps(arguments, indent=1)
    if not any(one in written for one in ("<", "\\u0000", "\\ud", "\\uff1c", "\\ufe64")):
        (call,) = next(message["tool_calls"] for message in called(written).messages if "tool_calls" in message)
        assert call["function"]["arguments"] == written


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ("", {}),
        (" \n", {}),
        ("not json", {"arguments": "not json"}),
        ("[1]", {"arguments": "[1]"}),
        ("NaN", {"arguments": "NaN"}),
        ('{"a": NaN}', {"arguments": '{"a": NaN}'}),
        ('{"a": 1e999}', {"arguments": '{"a": 1e999}'}),
        ('{"a": "\\ud800\\u0000"}', {"a": "\ufffd\ufffd"}),
        ('{"a\\u0000": 1}', {"a\ufffd": 1}),
        ('{"</slots>": ["<no\\u200bte>", "<b>"]}', {"&lt;/slots>": ["&lt;no\u200bte>", "<b>"]}),
        ("</slots>", {"arguments": "&lt;/slots>"}),
        (f'{{"a": {10**1500}}}', {"a": str(10**1500)}),
        (f'{{"a": 1{"0" * 5000}}}', {"arguments": f'{{"a": 1{"0" * 5000}}}'}),
        ('{"a":' * 90 + "1" + "}" * 90, {"arguments": '{"a":' * 90 + "1" + "}" * 90}),
        ("[" * 5000, {"arguments": "[" * 5000}),
        ('{"a": 1.50, "b": true}', {"a": 1.5, "b": True}),
    ],
    ids=lambda one: str(one)[:20],
)  # fmt: skip
def test_what_is_no_object_is_put_into_one(arguments: str, found: dict[str, Any]) -> None:
    assert shown(arguments) == found
    assert check(called(arguments).messages, "anthropic") == ()


def test_the_last_words_end_without_white_space() -> None:
    chat = Tracker(Trip, extractor=ScriptedExtractor()).open("s")
    chat.user("hello ")
    chat.assistant("so? \n")
    assert [message["content"] for message in chat.prompt().messages[-2:]] == ["hello ", "so?"]
    assert chat.messages[-1].text == "so? \n"
