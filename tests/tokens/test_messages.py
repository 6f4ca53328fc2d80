"""What a chat costs beside its texts."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotstate import InputError
from slotstate.counters import make_counter
from slotstate.tokens import (
    IMAGE,
    TEMPLATED,
    CachedCounter,
    Counter,
    Estimator,
    Overhead,
    canonical_json,
    message_tokens,
    overhead_of,
    prompt_tokens,
    tools_tokens,
)


class Characters:
    """A counter for sums that can be checked by eye; it has no overhead of its own."""

    name = "characters"

    def __init__(self) -> None:
        self.counted: list[str] = []

    def count(self, text: str) -> int:
        self.counted.append(text)
        return len(text)


WEATHER = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}


def test_the_overhead_is_the_default_or_the_counters_own() -> None:
    assert overhead_of(Characters()) == Overhead(message=4, name=1, reply=3, call=8, tool=8, tools=16)
    assert overhead_of(Estimator()) is TEMPLATED
    assert all(getattr(TEMPLATED, field) >= getattr(Overhead(), field) for field in Overhead.__slots__)
    assert isinstance(Estimator(), Counter)
    assert not isinstance("estimate", Counter)


@pytest.mark.parametrize(
    ("message", "tokens"),
    [
        ({"role": "user", "content": "hello"}, 4 + 5),
        ({"role": "assistant", "content": None}, 4),
        ({"role": "assistant"}, 4),
        ({"role": "user", "content": ""}, 4),
        ({"role": "user", "content": "hello", "name": "ann"}, 4 + 5 + 1 + 3),
        ({"role": "tool", "content": "21", "tool_call_id": "c1"}, 4 + 2 + 2),
        ({"role": "user", "content": ["ab", {"type": "text", "text": "cde"}]}, 4 + 2 + 3),
        ({"role": "user", "content": {"type": "text", "text": "cde"}}, 4 + 3),
        ({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x" * 90_000}}]}, 4 + IMAGE),
        (
            {"role": "user", "content": [{"type": "refusal", "refusal": "no"}]},
            4 + len('{"refusal":"no","type":"refusal"}'),
        ),
        ({"role": "user", "content": [7]}, 4 + 1),
    ],
)
def test_a_message(message: dict[str, Any], tokens: int) -> None:
    assert message_tokens(Characters(), message) == tokens


def test_tool_calls() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}
    two = {"role": "assistant", "content": None, "tool_calls": [call, call]}
    assert message_tokens(Characters(), two) == 4 + 2 * (8 + 7 + 16)
    objects = {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {"b": 1, "a": 2}}}]}
    assert message_tokens(Characters(), objects) == 4 + 8 + 1 + len('{"a":2,"b":1}')
    custom = {"id": "c2", "type": "custom", "custom": {"name": "g", "input": "x"}}
    assert message_tokens(Characters(), {"role": "assistant", "tool_calls": [custom]}) == 4 + 8 + len(
        canonical_json(custom)
    )
    nameless = {"role": "assistant", "tool_calls": [{"function": {}}]}
    assert message_tokens(Characters(), nameless) == 4 + 8


def test_tools_are_counted_once_as_a_whole_and_each() -> None:
    counter = Characters()
    assert tools_tokens(counter, []) == 0
    assert tools_tokens(counter, [WEATHER, WEATHER]) == 16 + 2 * (8 + len(canonical_json(WEATHER)))
    assert set(counter.counted) == {canonical_json(WEATHER)}


def test_a_templates_schemas_have_spaces() -> None:
    class Templated(Characters):
        overhead = Overhead(tool=0, tools=0, spaced=True)

    assert tools_tokens(Templated(), [{"a": [1, 2]}]) == len('{"a": [1, 2]}')


def test_a_prompt_is_the_sum_and_what_primes_the_reply() -> None:
    messages = [{"role": "system", "content": "abc"}, {"role": "user", "content": "de"}]
    assert prompt_tokens(Characters(), iter(messages)) == 4 + 3 + 4 + 2 + 3
    assert prompt_tokens(Characters(), messages, [WEATHER]) == 16 + tools_tokens(Characters(), [WEATHER])
    assert prompt_tokens(Characters(), []) == 3


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-4"])
def test_openais_formula(model: str) -> None:
    counter = make_counter(model)
    messages = [
        {"role": "system", "content": "You book trains. Answer in one sentence."},
        {"role": "system", "name": "example_user", "content": "Any train to Oslo?"},
        {"role": "assistant", "content": "Yes, at 7:40 and at 9:10; which one?"},
        {"role": "user", "content": "二等座，谢谢"},
    ]
    # The published rule: three a message, every value with the role among them, one more for a name, three at the end.
    expected = 3
    for message in messages:
        expected += 3 + sum(counter.count(value) for value in message.values()) + ("name" in message)
    assert prompt_tokens(counter, messages) == expected


def test_canonical_json_says_the_same_whatever_the_order() -> None:
    assert canonical_json({"b": [1, None, True], "a": "é"}) == '{"a":"é","b":[1,null,true]}'
    assert canonical_json({"b": 1, "a": 2}, spaced=True) == '{"a": 2, "b": 1}'
    assert canonical_json(MappingProxyType({"b": (1, 2), "a": range(2)})) == '{"a":[0,1],"b":[1,2]}'
    assert canonical_json({"enum": {"b", "a", "c"}}) == '{"enum":["a","b","c"]}'


@given(st.dictionaries(st.text(), st.none() | st.text() | st.lists(st.integers())))
def test_canonical_json_ignores_insertion(value: dict[str, Any]) -> None:
    assert canonical_json(dict(reversed(value.items()))) == canonical_json(value)


@pytest.mark.parametrize("value", [{1: 2, "a": 3}, {"a": object()}, {"a": b"bytes"}, [{("x",): 1}]])
def test_what_json_cannot_say_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match=r"cannot be written as JSON: .*; use objects with text as keys") as refused:
        canonical_json(value)
    assert "\n" not in str(refused.value)


def test_a_loop_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(InputError, match="cannot be written as JSON"):
        canonical_json(loop)


def test_known_texts_are_not_counted_again() -> None:
    inner = Characters()
    counter = CachedCounter(inner, size=2)
    assert (counter.name, counter.overhead) == ("characters", Overhead())
    assert [counter.count(text) for text in ("ab", "abc", "ab")] == [2, 3, 2]
    assert inner.counted == ["ab", "abc"]
    counter.count("abcd")
    counter.count("abc")
    assert inner.counted == ["ab", "abc", "abcd", "abc"], "the oldest of three went"
    long = "x" * 10_000
    assert counter.count(long) == counter.count(long) == 10_000
    assert inner.counted[-2:] == [long, long], "long texts are not kept"
