"""The repair: what it does to each fault, and its promises over soups of messages."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter

from slotstate import InputError
from slotstate.contract import Prompt
from slotstate.formats import PROVIDERS, Repaired, anthropic, check, openai, repair
from slotstate.formats.rules import DEPTH
from tests.formats.oracle import SOUND, SOUPS, call, groups_are_whole, talks, user_texts, valid, wire
from tests.formats.test_check import CALL, GROUP, REPLY, RESULT, USER, deep, marked, with_call, with_function

SYSTEM = {"role": "system", "content": "Be kind."}
NONE = {"role": "tool", "tool_call_id": "a", "content": "[no result]"}
ADAPTER: TypeAdapter[list[ChatCompletionMessageParam]] = TypeAdapter(list[ChatCompletionMessageParam])


def fixed(*messages: object, provider: str = "openai") -> list[dict[str, Any]]:
    return repair(list(messages), provider).messages


def actions(*messages: object, provider: str = "openai") -> tuple[str, ...]:
    return repair(list(messages), provider).actions


def record(said: str, text: str) -> dict[str, Any]:
    return {"role": "user", "content": f"<record>\n{said}\n{text}\n</record>"}


def test_a_valid_list_comes_back_equal_but_not_the_same() -> None:
    given_ = [SYSTEM, *GROUP, REPLY]
    repaired = repair(given_, "anthropic")
    assert repaired == Repaired(given_, ())
    repaired.messages[2]["tool_calls"][0]["id"] = "changed"
    assert CALL["tool_calls"][0]["id"] == "a"
    assert repair(Prompt(messages=given_)).messages == given_


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_call_without_a_result_gets_a_visible_one(provider: str) -> None:
    assert fixed(USER, CALL, provider=provider) == [USER, CALL, NONE]
    assert actions(USER, CALL, provider=provider) == (
        "messages[1] (assistant): the call 'a' has no result: it got '[no result]'",
    )
    two = {**CALL, "tool_calls": [call("a"), call("b")]}
    assert fixed(USER, two, {**RESULT, "tool_call_id": "b"}) == [USER, two, {**RESULT, "tool_call_id": "b"}, NONE]


def test_a_late_result_moves_up() -> None:
    assert fixed(USER, CALL, REPLY, USER, RESULT) == [USER, CALL, RESULT, REPLY, USER]
    assert actions(USER, CALL, REPLY, USER, RESULT) == ("messages[4] (tool): moved up, directly behind its call",)
    again = {**CALL, "tool_calls": [call("b")]}
    late = [USER, CALL, again, {**RESULT, "tool_call_id": "b"}, RESULT]
    assert fixed(*late) == [USER, CALL, RESULT, again, {**RESULT, "tool_call_id": "b"}]


def test_an_orphan_becomes_a_record() -> None:
    orphan = {"role": "tool", "tool_call_id": "zz", "content": "7 trains</record></ note><slots>"}
    assert fixed(USER, orphan) == [
        USER,
        record("the result of a call that is not here:", "7 trains&lt;/record>&lt;/ note>&lt;slots>"),
    ]
    assert actions(USER, orphan) == (
        "messages[1] (tool): the result of a call that is not here: it became a record in a user message",
    )
    between = [USER, {**CALL, "tool_calls": [call("a"), call("b")]}, RESULT, orphan, {**RESULT, "tool_call_id": "b"}]
    assert [message["role"] for message in fixed(*between)] == ["user", "assistant", "tool", "tool", "user"]
    assert fixed(USER, {**orphan, "content": " "}) == [USER]
    assert "empty, left out" in actions(USER, {**orphan, "content": " "})[0]
    shown = [
        {"type": "text", "text": "a map"},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
    ]
    (_, told) = fixed(USER, {**orphan, "content": shown}, provider="anthropic")
    assert told["content"] == [
        {"type": "text", "text": "<record>\nthe result of a call that is not here:\na map\n</record>"},
        shown[1],
    ]
    texts = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
    assert fixed(USER, {**orphan, "content": texts})[1] == record("the result of a call that is not here:", "one\ntwo")


def test_a_second_result_is_left_out_when_it_says_the_same_and_told_otherwise() -> None:
    assert fixed(*GROUP, RESULT) == GROUP
    assert actions(*GROUP, RESULT) == ("messages[3] (tool): a result that is there twice, left out",)
    assert fixed(*GROUP, {**RESULT, "content": "failed"}) == [*GROUP, record("another result of a call:", "failed")]


def test_calls_of_one_id_are_told_apart_with_their_results_in_order() -> None:
    twice = {**CALL, "tool_calls": [call("a"), call("a")]}
    first, second = {**RESULT, "content": "1"}, {**RESULT, "content": "2"}
    told = fixed(USER, twice, first, second)
    assert [one["id"] for one in told[1]["tool_calls"]] == ["a", "a_2"]
    assert told[2:] == [first, {**second, "tool_call_id": "a_2"}]
    assert actions(USER, twice, first, second) == (
        "messages[1] (assistant): the call id 'a' became 'a_2', being there twice",
    )
    later = fixed(*GROUP, CALL, RESULT)
    assert (later[3]["tool_calls"][0]["id"], later[4]["tool_call_id"]) == ("a_2", "a_2")


def test_ids_fit() -> None:
    none = [{**call("a"), "id": ident} for ident in (None, 5)]
    results = [{**RESULT, "tool_call_id": 5}, {"role": "tool", "content": "x"}]
    told = fixed(USER, {**CALL, "tool_calls": none}, *results)
    assert [one["id"] for one in told[1]["tool_calls"]] == ["call_1_0", "5"]
    assert [one["tool_call_id"] for one in told[2:]] == ["5", "call_1_0"]
    dotted = fixed(USER, {**CALL, "tool_calls": [call("a.b")]}, {**RESULT, "tool_call_id": "a.b"}, provider="anthropic")
    assert re.fullmatch(r"a_b_[0-9a-f]{8}", dotted[2]["tool_call_id"])
    assert dotted[1]["tool_calls"][0]["id"] == dotted[2]["tool_call_id"]
    long = fixed(USER, {**CALL, "tool_calls": [call("x" * 99)]}, {**RESULT, "tool_call_id": "x" * 99})
    assert len(long[2]["tool_call_id"]) == 40
    other = fixed(USER, {**CALL, "tool_calls": [call("x" * 98)]}, {**RESULT, "tool_call_id": "x" * 98})
    assert long[2]["tool_call_id"] != other[2]["tool_call_id"]


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ("", "{}"),
        (None, "{}"),
        ("nope", '{"arguments":"nope"}'),
        ("[1]", '{"arguments":"[1]"}'),
        ([1], '{"arguments":[1]}'),
        ({"b": 1, "a": 2}, '{"a":2,"b":1}'),
        ('{"q": "\\ud800"}', '{"q":"\ufffd"}'),
        ('{"q": 1e999}', '{"q":"inf"}'),
        ('{ "kept": 1 }', '{ "kept": 1 }'),
    ],
)
def test_arguments_become_an_object(given_: object, expected: str) -> None:
    function = {"name": "find it", "arguments": given_}
    told = fixed(USER, {**CALL, "tool_calls": [{"id": "a", "type": "function", "function": function}]}, RESULT)
    assert told[1]["tool_calls"][0]["function"] == {"name": "find_it", "arguments": expected}


def test_what_is_no_call_becomes_text() -> None:
    odd = {
        **REPLY,
        "tool_calls": [{"id": "b", "type": "custom"}, 5, {**call("c"), "function": {"name": ""}}, call("a")],
    }
    told = fixed(USER, odd, RESULT)[1]
    assert told["tool_calls"] == [call("a")]
    assert told["content"].startswith('hello\n\n{"id":"b","type":"custom"}\n5\n{')
    assert fixed({**USER, "tool_calls": [call("a")]})[0]["content"].startswith('hi\n\n{"function"')
    assert fixed(USER, {**REPLY, "tool_calls": []}) == [USER, REPLY]
    assert fixed(USER, {**REPLY, "tool_calls": call("a")}, RESULT) == [
        USER,
        {**REPLY, "tool_calls": [call("a")]},
        RESULT,
    ]
    assert fixed(*with_call(type="tool")) == GROUP
    assert "type 'function'" in actions(*with_call(type="tool"))[0]
    assert "'y…" not in actions(*with_function(name="y" * 65))[0]


def test_contents() -> None:
    def content(given_: object, role: str = "user", provider: str = "openai") -> Any:
        (told,) = fixed({"role": role, "content": given_}, provider=provider)
        return told["content"]

    assert content(5) == "5"
    assert content({"text": "hi"}) == [{"type": "text", "text": "hi"}]
    assert content(["hi", "", None, {}, {"type": "text"}, {"type": "text", "text": "x"}, 7]) == [
        {"type": "text", "text": "hi"},
        {"type": "text", "text": "x"},
        {"type": "text", "text": "7"},
    ]
    assert content([{"type": "output_text", "text": "hi"}, {"type": "input_text", "text": ""}]) == [
        {"type": "text", "text": "hi"}
    ]
    assert content([{"type": "wow", "x": 1}]) == [{"type": "text", "text": '{"type":"wow","x":1}'}]
    assert content([{"type": "text", "text": "x"}, {"type": "thinking", "thinking": "y"}]) == [
        {"type": "text", "text": "x"}
    ]
    assert content([{"type": "text", "text": ""}, {"type": "text", "text": "x"}], provider="anthropic") == [
        {"type": "text", "text": "x"}
    ]
    assert fixed(USER, {"role": "assistant", "content": None, "refusal": "no"}) == [
        USER,
        {"role": "assistant", "content": "no"},
    ]
    assert fixed(USER, {"role": "assistant", "content": None, "refusal": ""}) == [USER]
    assert fixed(*GROUP[:2], {"role": "tool", "tool_call_id": "a"}) == [*GROUP[:2], {**RESULT, "content": ""}]
    assert fixed(*GROUP[:2], {**RESULT, "content": []}) == [*GROUP[:2], {**RESULT, "content": ""}]
    assert fixed({**USER, "refusal": 5, "audio": {}}) == [USER]
    sound = {"role": "assistant", "content": None, "audio": {"id": "a"}}
    assert fixed(USER, sound, {"role": "user"}) == [USER, sound]
    assert fixed(USER, sound, provider="anthropic") == [USER]


def test_names_of_participants() -> None:
    assert fixed({**USER, "name": "Ann Lee"}) == [{**USER, "name": "Ann_Lee"}]
    assert fixed({**USER, "name": None}) == [USER]
    assert fixed({**USER, "name": "Ann Lee"}, provider="strict") == [{**USER, "name": "Ann Lee"}]


def test_roles() -> None:
    assert fixed({"role": "bot", "content": "x"}, {"content": "y"}) == [
        {"role": "user", "content": "x"},
        {"role": "user", "content": "y"},
    ]
    assert fixed({"role": "developer", "content": "x"}, USER, provider="strict")[0] == {
        "role": "system",
        "content": "x",
    }
    assert fixed("hi", None, 5, [1]) == [{"role": "user", "content": text} for text in ("hi", "5", "[1]")]


def test_what_json_cannot_say_is_replaced() -> None:
    odd: dict[Any, Any] = {**USER, "content": "a\0b\ud800", "x\0": [float("nan"), b"raw", 10**2000, True], 5: None}
    (told,) = fixed(odd)
    assert told["content"] == "a\ufffdb\ufffd"
    assert told["x\ufffd"][:2] == ["nan", "[bytes]"]
    assert told["x\ufffd"][2].startswith("0x")
    assert told["5"] is None
    assert set(actions(odd)) == {
        "messages[0] (user): lone surrogates and NULs became U+FFFD",
        "messages[0] (user): values that JSON cannot say became text",
    }
    assert "…" in json.dumps(fixed({**USER, "x": deep(DEPTH + 5)}), ensure_ascii=False)
    almost = {"role": "user", "content": {"type": "text", "text": "x", "y": deep(DEPTH - 2)}}
    assert check(fixed(almost)) == ()


def test_anthropics_blocks_come_back_in_the_openai_form() -> None:
    use = {"type": "tool_use", "id": "a", "name": "find", "input": {"q": 1}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "done"}]}
    said = {"role": "assistant", "content": [{"type": "text", "text": "I look."}, use]}
    talk = [USER, said, {"role": "user", "content": [result, {"type": "text", "text": "and?"}]}]
    assert repair(talk, "anthropic") == Repaired(talk)
    told = fixed(*talk)
    assert told[1] == {
        "role": "assistant",
        "content": [{"type": "text", "text": "I look."}],
        "tool_calls": [call("a", '{"q":1}')],
    }
    assert told[2:] == [
        {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "done"}]},
        {"role": "user", "content": [{"type": "text", "text": "and?"}]},
    ]
    only = fixed(USER, {"role": "assistant", "content": [use], "tool_calls": [call("b")]}, provider="anthropic")
    assert [one["id"] for one in only[1]["tool_calls"]] == ["b", "a"]
    assert only[1]["content"] is None
    broken = fixed({"role": "user", "content": [{**result, "content": 5}]}, provider="anthropic")
    assert broken[0]["content"][0]["text"].startswith('{"content":5')


def test_a_request_is_repaired_with_its_system_prompt_ahead() -> None:
    request = {"system": "Be kind.", "messages": [USER, CALL]}
    assert repair(request, "anthropic").messages == [SYSTEM, USER, CALL, NONE]
    assert repair({"messages": [USER]}) == Repaired([USER])
    assert repair({"messages": 5}).messages == [{"role": "user", "content": "5"}]
    assert repair(USER).messages == [USER]


def test_system_messages_keep_their_role_and_come_first() -> None:
    middle = {"role": "system", "content": "The user is a member now."}
    told = repair([SYSTEM, USER, REPLY, middle, USER], "anthropic")
    assert told.messages == [{"role": "system", "content": "Be kind.\n\nThe user is a member now."}, USER, REPLY, USER]
    assert told.actions == (
        "messages[3] (system): a system message in the middle: moved to the front",
        "messages[3] (system): merged into the system message of messages[0]",
    )
    assert fixed(USER, middle, provider="strict") == [middle, USER]
    assert fixed(SYSTEM, middle, USER, provider="strict") == [told.messages[0], USER]
    assert fixed(SYSTEM, middle, USER, REPLY, REPLY, RESULT, provider="anthropic")[:2] == [SYSTEM, middle]
    assert fixed(SYSTEM, USER, middle) == [SYSTEM, USER, middle]


@pytest.mark.parametrize("provider", ["anthropic", "strict"])
def test_a_user_comes_first(provider: str) -> None:
    told = fixed(SYSTEM, {**REPLY, "content": "Good day!"}, USER, provider=provider)
    assert told[:1] == [SYSTEM]
    assert [message["role"] for message in told[1:]] == ["user"] * (2 if provider == "anthropic" else 1)
    assert told[1]["content"].startswith("<record>\nthe assistant said:\nGood day!\n</record>")
    assert told[-1]["content"].endswith("hi")
    (only,) = fixed(CALL, RESULT, provider=provider)
    assert only["content"] == (
        '<record>\nthe assistant called find:\n{"q": 1}\n</record>\n\n<record>\nthe result of a call:\ndone\n</record>'
    )
    assert fixed(SYSTEM, provider=provider) == [{"role": "user", "content": "Be kind."}]
    thought = {"role": "assistant", "content": [{"type": "thinking", "thinking": "x", "signature": "y"}]}
    assert fixed(thought, USER, provider=provider) == [USER]
    assert fixed(SYSTEM, thought, provider=provider) == [{"role": "user", "content": "Be kind."}]


def test_turns_are_taken() -> None:
    def strict(*messages: object) -> list[dict[str, Any]]:
        return fixed(*messages, provider="strict")

    assert strict(USER, {"role": "user", "content": "there"}) == [{"role": "user", "content": "hi\n\nthere"}]
    assert strict(USER, REPLY, REPLY) == [USER, {"role": "assistant", "content": "hello\n\nhello"}]
    assert strict(USER, REPLY, CALL, RESULT) == [USER, {**CALL, "content": "hello"}, RESULT]
    (cut,) = strict(USER, {**CALL, "content": "I look."}, RESULT, {"role": "user", "content": "stop"})
    assert cut["content"].split("\n\n") == [
        "hi",
        "<record>\nthe assistant said:\nI look.\n</record>",
        '<record>\nthe assistant called find:\n{"q": 1}\n</record>',
        "<record>\nthe result of a call:\ndone\n</record>",
        "stop",
    ]
    parts = [{"type": "text", "text": "there"}]
    assert strict(USER, {"role": "user", "content": parts}) == [
        {"role": "user", "content": [{"type": "text", "text": "hi"}, {"type": "text", "text": "there"}]}
    ]
    lines = actions(USER, CALL, RESULT, USER, provider="strict")
    assert [re.split(r"[\[\]]", line)[1] for line in lines] == ["1", "2", "3"]


@pytest.mark.parametrize("provider", ["anthropic", "strict"])
def test_messages_that_say_nothing_are_left_out(provider: str) -> None:
    blank = {"role": "user", "content": [{"type": "text", "text": " "}]}
    assert fixed(USER, {"role": "assistant", "content": " \n"}, blank, provider=provider) == [USER]
    assert fixed(USER, {"role": "user", "content": None}) == [USER]
    assert fixed(USER, {"role": "user", "content": ""}) == [USER, {"role": "user", "content": ""}]


def test_a_final_reply_does_not_end_with_white_space() -> None:
    def last(content: object) -> Any:
        return fixed(USER, {"role": "assistant", "content": content}, provider="anthropic")[-1]["content"]

    assert last("so \n") == "so"
    assert last([{"type": "text", "text": "so "}, {"type": "text", "text": " "}]) == [{"type": "text", "text": "so"}]
    thought = {"type": "thinking", "thinking": "x", "signature": "y"}
    assert last(
        [thought, {"type": "text", "text": " "}, {"type": "text", "text": "so"}, {"type": "text", "text": "\n"}]
    ) == [
        thought,
        {"type": "text", "text": " "},
        {"type": "text", "text": "so"},
    ]
    assert last([{"type": "text", "text": "so "}, thought, {"type": "text", "text": " "}]) == [
        {"type": "text", "text": "so "},
        thought,
    ]
    assert fixed(USER, {"role": "assistant", "content": "so "}) == [USER, {"role": "assistant", "content": "so "}]


def test_cache_marks_are_at_most_four_and_live_alike() -> None:
    def kept(parts: list[dict[str, Any]]) -> list[Any]:
        (told,) = fixed({"role": "user", "content": parts}, provider="anthropic")
        return [
            part.get("cache_control", {}).get("ttl", "5m") if "cache_control" in part else None
            for part in told["content"]
        ]

    assert kept(marked(*[None] * 6)) == ["5m", None, None, "5m", "5m", "5m"]
    assert kept(marked("1h", "5m", "1h")) == ["1h", "5m", "5m"]
    assert kept([{"type": "text", "text": "x", "cache_control": 5}, *marked("1h")]) == [None, "1h"]
    assert kept([{"type": "text", "text": "x", "cache_control": {"type": "ephemeral", "ttl": "2h"}}]) == [None]


def test_nothing_at_all_is_said_visibly() -> None:
    for nothing in ([], None, [None], [{"role": "user", "content": None}], [{"role": "tool", "content": ""}]):
        for provider in PROVIDERS:
            told = repair(nothing, provider)
            assert told.messages == [{"role": "user", "content": "[no message]"}]
            assert told.actions[-1] == "nothing was left to send: one user message '[no message]' stands for it"


def test_what_is_sound_beside_a_fault_stays_as_it_was() -> None:
    extra = {**USER, "own": {"b": 1, "a": [1, 2]}}
    assert fixed(extra, *GROUP[1:], REPLY, {"role": "bot", "content": "x"})[:4] == [extra, *GROUP[1:], REPLY]


def test_an_unknown_provider_is_refused() -> None:
    with pytest.raises(InputError, match="did you mean 'strict'"):
        repair([], "strikt")


@given(SOUPS, st.sampled_from(PROVIDERS))
def test_a_soup_becomes_valid_and_says_so(soup: list[Any], provider: str) -> None:
    before = repr(soup)
    problems = check(soup, provider)
    told = repair(soup, provider)
    assert repr(soup) == before
    assert check(told.messages, provider) == ()
    assert bool(told.actions) == bool(problems)
    assert all("\n" not in line for line in told.actions)
    assert repair(told.messages, provider) == Repaired(told.messages)
    json.dumps(told.messages, allow_nan=False).encode()


@given(SOUPS, st.sampled_from(PROVIDERS))
def test_texts_of_users_survive_in_their_order(soup: list[Any], provider: str) -> None:
    said = "\n".join(text for text in user_texts(repair(soup, provider).messages))
    at = 0
    for text in user_texts(soup):
        at = said.find(text, at)
        assert at >= 0, (text, said)
        at += len(text)


@given(SOUPS)
def test_what_is_repaired_can_be_formatted_and_openais_types_take_it(soup: list[Any]) -> None:
    told = repair(soup).messages
    assert groups_are_whole(told)
    sent = openai(told)
    ADAPTER.validate_python(sent)
    assert check(openai(repair(soup, "strict").messages, alternate=True), "strict") == ()
    request = anthropic(repair(soup, "anthropic").messages)
    assert check(request, "anthropic") == ()


@given(SOUND, st.sampled_from(PROVIDERS))
def test_the_oracle_takes_what_is_repaired(messages: list[dict[str, Any]], provider: str) -> None:
    told = repair(messages, provider)
    assert valid(told.messages, provider)
    assert (told.actions == ()) == valid(messages, provider)
    assert valid(wire(anthropic(repair(messages, "anthropic").messages)), "anthropic")


FRAMES = re.compile(
    r"</?record>|the result of a call( that is not here)?:|another result of a call:|the assistant (said|called find):"
)


@given(SOUND, st.sampled_from(PROVIDERS))
def test_nothing_is_made_up(messages: list[dict[str, Any]], provider: str) -> None:
    """But for the frames of records and `[no result]`, all that is said was said before."""
    told = FRAMES.sub("", " ".join(texts(repair(messages, provider).messages)))
    given_ = " ".join([*texts(messages), "[no result] [no message]", call("a")["function"]["arguments"]])
    assert set(told.split()) <= set(given_.split())


def texts(messages: list[dict[str, Any]]) -> list[str]:
    contents = [message["content"] for message in messages]
    parts = [part for content in contents for part in ([content] if isinstance(content, str) else content or [])]
    return [part if isinstance(part, str) else part.get("text", "") for part in parts]


@given(talks(), st.data())
def test_one_fault_leaves_the_rest_alone(messages: list[dict[str, Any]], data: st.DataObject) -> None:
    """A message that is left out of a sound conversation changes nothing but its own group."""
    assume(len(messages) > 1)
    at = data.draw(st.integers(0, len(messages) - 1))
    told = repair(messages[:at] + messages[at + 1 :]).messages
    others = [message for message in messages if message["role"] != "tool" and message is not messages[at]]
    kept = [
        message for message in told if message["role"] != "tool" and not str(message["content"]).startswith("<record>")
    ]
    assert kept == others


def test_repair_does_not_change_what_it_was_given() -> None:
    soup = [
        USER,
        {**CALL, "content": [{"type": "text", "text": "x", "cache_control": 5}]},
        {"role": "bot", "content": 5},
    ]
    before = copy.deepcopy(soup)
    for provider in PROVIDERS:
        repair(soup, provider).messages[0]["content"] = "changed"
    assert soup == before
