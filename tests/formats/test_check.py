"""The checker: every rule by an example, agreement with an oracle written apart, and no exception on any input."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotstate import InputError
from slotstate.contract import Prompt
from slotstate.formats import CODES, PROVIDERS, check
from slotstate.formats.rules import DEPTH
from tests.formats.oracle import SOUND, SOUPS, call, talks, valid

USER: dict[str, Any] = {"role": "user", "content": "hi"}
REPLY: dict[str, Any] = {"role": "assistant", "content": "hello"}
CALL: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": [call("a")]}
RESULT: dict[str, Any] = {"role": "tool", "tool_call_id": "a", "content": "done"}
GROUP: list[dict[str, Any]] = [USER, CALL, RESULT]


def deep(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


def codes(messages: object, provider: str = "openai") -> list[str]:
    return [problem.code for problem in check(messages, provider)]


def with_call(**fields: Any) -> list[Any]:
    """A group whose call has other fields."""
    return [USER, {**CALL, "tool_calls": [{**call("a"), **fields}]}, RESULT]


def with_function(**fields: Any) -> list[Any]:
    return with_call(function={**call("a")["function"], **fields})


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_is_sound_is_valid(provider: str) -> None:
    system = {"role": "system", "content": "Be kind."}
    talk = [system, USER, CALL, RESULT, REPLY, USER, {**CALL, "tool_calls": [call("b"), call("c")]}]
    talk += [{**RESULT, "tool_call_id": "c"}, {**RESULT, "tool_call_id": "b", "content": ""}]
    assert check(talk, provider) == ()
    assert check(tuple(talk), provider) == ()
    assert check(Prompt(messages=talk), provider) == ()
    assert check({"messages": [USER]}, provider) == ()


EVERYWHERE: list[tuple[object, str, int | None]] = [
    (5, "not_a_list", None),
    (None, "not_a_list", None),
    ({}, "not_a_list", None),
    ([], "no_messages", None),
    ([USER, "hi"], "not_an_object", 1),
    ([USER, None], "not_an_object", 1),
    ([{"role": "user", "content": "a\0"}], "bad_characters", 0),
    ([{"role": "user", "content": "a\ud800"}], "bad_characters", 0),
    ([{"role": "user", "content": "\ud83d\ude00"}], "bad_characters", 0),  # a pair, but of two characters
    ([{**USER, "b\0": 1}], "bad_characters", 0),
    ([{**USER, "extra": float("nan")}], "not_json", 0),
    ([{**USER, "extra": 10**2000}], "not_json", 0),
    ([{**USER, "extra": b"x"}], "not_json", 0),
    ([{**USER, 5: "x"}], "not_json", 0),
    ([{**USER, "extra": deep(DEPTH)}], "too_deep", 0),
    ([USER, {"role": "bot", "content": "x"}], "unknown_role", 1),
    ([USER, {"role": ["user"], "content": "x"}], "unknown_role", 1),
    ([USER, {"content": "x"}], "unknown_role", 1),
    ([{"role": "user"}], "missing_field", 0),
    ([{"role": "user", "content": None}], "empty_content", 0),
    ([{"role": "user", "content": []}], "empty_content", 0),
    ([USER, {"role": "assistant", "content": None}], "empty_content", 1),
    ([{"role": "user", "content": 5}], "wrong_type", 0),
    ([{"role": "user", "content": {"type": "text", "text": "x"}}], "wrong_type", 0),
    ([{"role": "user", "content": ["hi"]}], "bad_part", 0),
    ([{"role": "user", "content": [{"text": "hi"}]}], "bad_part", 0),
    ([{"role": "user", "content": [{"type": "text"}]}], "bad_part", 0),
    ([{"role": "user", "content": [{"type": "output_text", "text": "hi"}]}], "bad_part", 0),
    ([{"role": "user", "content": [{"type": "image_url", "image_url": "a.png"}]}], "bad_part", 0),
    ([{"role": "system", "content": [{"type": "image_url", "image_url": {"url": "a"}}]}, USER], "bad_part", 0),
    ([{**USER, "tool_calls": [call("a")]}], "misplaced", 0),
    ([USER, {**REPLY, "tool_calls": []}], "wrong_type", 1),
    ([USER, {**REPLY, "tool_calls": None}], "wrong_type", 1),
    ([USER, {**REPLY, "tool_calls": {"id": "a"}}], "wrong_type", 1),
    ([USER, {**REPLY, "tool_calls": ["a"]}], "wrong_type", 1),
    ([USER, {**REPLY, "tool_calls": [{"id": "a", "type": "function"}]}], "wrong_type", 1),
    (with_call(type="custom"), "wrong_type", 1),
    (with_call(id=""), "bad_id", 1),
    (with_function(name="find it"), "bad_name", 1),
    (with_function(name="x" * 65), "bad_name", 1),
    (with_function(name=None), "missing_field", 1),
    (with_function(arguments=""), "bad_arguments", 1),
    (with_function(arguments="{'a': 1}"), "bad_arguments", 1),
    (with_function(arguments="[1]"), "bad_arguments", 1),
    (with_function(arguments="NaN"), "bad_arguments", 1),
    (with_function(arguments='{"q": 1e999}'), "bad_arguments", 1),
    (with_function(arguments='{"q": "\\ud800"}'), "bad_arguments", 1),
    (with_function(arguments="[" * 100_000), "bad_arguments", 1),
    (with_function(arguments={"q": 1}), "bad_arguments", 1),
    ([USER, {**CALL, "tool_calls": [{**call("a"), "id": 5}]}], "missing_field", 1),
    ([*GROUP, {"role": "tool", "content": "x"}], "missing_field", 3),
    ([*GROUP, {"role": "tool", "tool_call_id": 5, "content": "x"}], "missing_field", 3),
    ([*GROUP, {"role": "tool", "tool_call_id": "b", "content": "x"}], "orphan_result", 3),
    ([*GROUP, RESULT], "duplicate_result", 3),
    ([*GROUP, CALL, RESULT], "duplicate_call", 3),
    ([USER, CALL], "missing_result", 1),
    ([USER, {**CALL, "tool_calls": [call("a"), call("b")]}, RESULT], "missing_result", 1),
]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(("messages", "code", "index"), EVERYWHERE)
def test_what_no_provider_takes(messages: object, code: str, index: int | None, provider: str) -> None:
    problems = check(messages, provider)
    assert (code, index) in [(problem.code, problem.index) for problem in problems]
    assert all(problem.code in CODES and "\n" not in problem.message for problem in problems)
    if index is not None:
        assert all(problem.message.startswith(f"messages[{problem.index}]") for problem in problems if problem.index)


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_late_result_is_told_once(provider: str) -> None:
    late = check([USER, CALL, USER, RESULT], provider)
    assert [(problem.code, problem.index) for problem in late] == [("late_result", 3)]
    assert "directly behind its call" in late[0].message
    two = check(
        [USER, {**CALL, "tool_calls": [call("a"), call("b")]}, RESULT, REPLY, {**RESULT, "tool_call_id": "b"}], provider
    )
    assert [(problem.code, problem.index) for problem in two] == [("late_result", 4)]


def test_the_rules_of_openai() -> None:
    assert codes([{"role": "assistant", "content": "first"}]) == []
    assert codes([{"role": "system", "content": "alone"}]) == []
    assert codes([USER, {"role": "developer", "content": "in the middle"}, USER]) == []
    assert codes([{"role": "user", "content": ""}, {"role": "user", "content": "bye "}]) == []
    assert codes([USER, {"role": "assistant", "audio": {"id": "a"}}]) == []
    assert codes([{**USER, "name": "Ann Lee"}]) == ["bad_name"]
    assert codes([{**USER, "name": None}]) == ["bad_name"]
    assert codes([{**USER, "name": "Ann"}]) == []
    long = [USER, {**CALL, "tool_calls": [call("x" * 41)]}, {**RESULT, "tool_call_id": "x" * 41}]
    assert codes(long) == ["bad_id", "bad_id"]
    assert codes(long, "anthropic") == []
    sound = {"type": "input_audio", "input_audio": {"data": "x", "format": "wav"}}
    parts = [{"type": "file", "file": {"file_id": "f"}}, sound]
    assert codes([{"role": "user", "content": parts}]) == []
    assert codes([{"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "x"}}]}]) == ["bad_part"]
    assert codes([{"role": "user", "content": [{"type": "brand_new"}]}]) == ["bad_part"]
    assert codes([USER, {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}]) == []


def test_the_rules_of_anthropic() -> None:
    def found(*messages: object) -> list[str]:
        return codes(list(messages), "anthropic")

    system = {"role": "system", "content": "x"}
    assert found(system, {"role": "developer", "content": "y"}, USER, USER, REPLY, REPLY) == []
    assert found(USER, system) == ["system_position"]
    assert found(system) == ["no_user"]
    assert found(REPLY, USER) == ["role_order"]
    assert found({"role": "user", "content": " \n"}) == ["empty_content"]
    assert found({"role": "user", "content": [{"type": "text", "text": " "}]}) == ["empty_content"]
    assert found({"role": "user", "content": [{"type": "text", "text": " "}, {"type": "text", "text": "x"}]}) == []
    assert found({"role": "user", "content": [{"type": "text", "text": ""}, {"type": "text", "text": "x"}]}) == [
        "empty_content"
    ]
    assert found(USER, {"role": "assistant", "content": "so "}) == ["trailing_space"]
    assert found(USER, {"role": "assistant", "content": [{"type": "text", "text": "so\n"}]}) == ["trailing_space"]
    assert found(USER, {"role": "assistant", "content": "so "}, USER) == []
    assert found(USER, {"role": "assistant", "audio": {"id": "a"}}) == ["missing_field"]
    dotted = [USER, {**CALL, "tool_calls": [call("a.b")]}, {**RESULT, "tool_call_id": "a.b"}]
    assert found(*dotted) == ["bad_id", "bad_id"]
    assert codes(dotted) == []
    assert found({"role": "user", "content": [{"type": "brand_new"}]}) == []
    assert found({"role": "user", "content": [{"type": "file", "file": {}}]}) == ["bad_part"]


def marked(*ttls: str | None) -> list[dict[str, Any]]:
    return [
        {"type": "text", "text": "x", "cache_control": {"type": "ephemeral", **({"ttl": ttl} if ttl else {})}}
        for ttl in ttls
    ]


def test_cache_marks() -> None:
    def found(parts: object) -> list[str]:
        return codes([{"role": "user", "content": parts}], "anthropic")

    assert found(marked(None, "5m", None, None)) == []
    assert found(marked("1h", "1h", "5m", None)) == []
    assert found(marked(None, None, None, None, None, None)) == ["cache_control"]
    assert found(marked("5m", "1h", "1h")) == ["cache_control"]
    assert found([{"type": "text", "text": "x", "cache_control": None}]) == []
    for mark in (5, {"type": "forever"}, {"type": "ephemeral", "ttl": "2h"}, {"type": "ephemeral", "ttl": []}):
        assert found([{"type": "text", "text": "x", "cache_control": mark}]) == ["cache_control"]
    assert codes([{"role": "user", "content": marked(*[None] * 6)}]) == []
    request = {
        "tools": marked(None, None),
        "system": marked(None),
        "messages": [{"role": "user", "content": marked(None, None)}],
    }
    assert [problem.index for problem in check(request, "anthropic")] == [0]


def test_anthropics_own_form() -> None:
    use = {"type": "tool_use", "id": "a", "name": "find", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "x"}]}

    def found(*messages: tuple[str, object], system: object = None) -> list[str]:
        request = {"system": system, "messages": [{"role": role, "content": content} for role, content in messages]}
        return codes(request, "anthropic")

    user, text = ("user", "hi"), {"type": "text", "text": "x"}
    assert found(user, ("assistant", [text, use]), ("user", [result, text]), system="Be kind.") == []
    assert found(user, ("assistant", [use]), ("user", [{**result, "content": ""}]), system=[text]) == []
    assert found(user, ("assistant", [use])) == ["missing_result"]
    assert found(user, ("assistant", [use]), ("user", [text, result])) == ["late_result"]
    assert found(user, ("assistant", [use]), ("user", [result, result])) == ["duplicate_result"]
    assert found(user, ("user", [result])) == ["orphan_result"]
    assert found(user, ("assistant", [use, {**use, "id": "b"}]), ("user", [result])) == ["missing_result"]
    assert found(user, ("assistant", [result])) == ["misplaced"]
    assert found(("user", [use])) == ["misplaced"]
    assert found(user, ("assistant", [{**use, "input": "{}"}])) == ["bad_part"]
    assert found(user, ("assistant", [{**use, "name": "find it"}]), ("user", [result])) == ["bad_name"]
    assert found(user, ("assistant", [use]), ("user", [{**result, "content": [{"type": "text", "text": ""}]}])) == [
        "empty_content"
    ]
    assert found(("system", "x"), user) == ["unknown_role"]
    assert found(("tool", "x"), user) == ["unknown_role"]
    assert found(user, system=5) == ["wrong_type"]
    assert found(user, system="a\0") == ["bad_characters"]
    assert found(user, system=["x", {"type": "text", "text": ""}, {"type": "image", "source": {}}]) == [
        "bad_part",
        "empty_content",
        "bad_part",
    ]
    assert codes([{"role": "user", "content": [result]}]) == ["misplaced"]


def test_the_rules_of_strict_templates() -> None:
    def found(*messages: object) -> list[tuple[str, int | None]]:
        return [(problem.code, problem.index) for problem in check(list(messages), "strict")]

    system = {"role": "system", "content": "x"}
    assert found(system, USER, REPLY, USER, CALL, RESULT, REPLY, USER) == []
    assert found(USER, CALL, RESULT, {**CALL, "tool_calls": [call("b")]}, {**RESULT, "tool_call_id": "b"}, REPLY) == []
    assert found(system, system, USER) == [("system_position", 1)]
    assert found(USER, system) == [("system_position", 1)]
    assert found({"role": "developer", "content": "x"}, USER) == [("unknown_role", 0)]
    assert found(system, REPLY, USER) == [("role_order", 1)]
    assert found(USER, USER) == [("role_order", 1)]
    assert found(USER, REPLY, REPLY) == [("role_order", 2)]
    assert found(USER, REPLY, CALL, RESULT) == [("role_order", 2)]
    assert found(USER, CALL, RESULT, USER) == [("role_order", 3)]
    assert found(system) == [("no_user", None)]
    assert found(USER, {"role": "assistant", "content": ""}) == [("empty_content", 1)]
    assert found({"role": "user", "content": [{"type": "video_url", "video_url": {"url": "x"}}]}) == []


def test_an_unknown_provider_is_refused_with_a_near_name() -> None:
    with pytest.raises(InputError, match="no rules for the provider 'antropic'; did you mean 'anthropic'"):
        check([USER], "antropic")


def test_messages_are_one_line_and_short_whatever_they_quote() -> None:
    name = "find\n\u202e" + "x" * 5_000
    (problem,) = check(with_function(name=name))
    assert len(problem.message) < 200
    assert "\n" not in problem.message
    assert "\u202e" not in problem.message
    (role,) = check([{"role": "user\n", "content": "x"}])
    assert role.message == "messages[0]: openai knows no role 'user\\n'; did you mean 'user'?"


PAGE = Path(__file__).resolve().parents[2] / "docs" / "formats.md"


def test_every_code_is_in_the_docs() -> None:
    assert re.findall(r"^\| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE) == list(CODES)


def test_the_pages_code_runs(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {"__name__": "page"}
    page = PAGE.read_text(encoding="utf-8")
    for block in re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        exec(compile(block, PAGE.name, "exec", dont_inherit=True), names)
    (printed,) = re.findall(r"^```text\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert capsys.readouterr().out == printed


@given(SOUND, st.sampled_from(PROVIDERS))
def test_the_checker_agrees_with_the_oracle(messages: list[dict[str, Any]], provider: str) -> None:
    assert (check(messages, provider) == ()) == valid(messages, provider), check(messages, provider)


@given(talks())
def test_the_oracle_and_the_checker_take_conversations(messages: list[dict[str, Any]]) -> None:
    assert valid(messages, "openai")
    assert check(messages) == ()


@given(SOUPS, st.sampled_from(PROVIDERS))
def test_soups_are_checked_without_an_exception_and_left_alone(messages: list[Any], provider: str) -> None:
    before = copy.deepcopy(messages)
    for problem in check(messages, provider):
        assert problem.code in CODES
        assert "\n" not in problem.message
    assert repr(messages) == repr(before)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@given(JSON, st.sampled_from(PROVIDERS))
def test_any_json_is_checked_without_an_exception(value: object, provider: str) -> None:
    for given_ in (value, [value], [{"role": "user", "content": value}], [{"role": "tool", "tool_call_id": value}]):
        check(given_, provider)
    check([{"role": "assistant", "tool_calls": value}, {"role": "user", "content": [value]}], provider)
    check({"system": value, "messages": value, "tools": value}, provider)
