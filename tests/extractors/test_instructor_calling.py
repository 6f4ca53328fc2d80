"""Answers and errors in the shapes of providers whose packages are not installed here."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from slotstate.domains import Domains
from slotstate.extractors.instructor.response import Reader, shape_of
from slotstate.providers.calling import Record, calls, text_of
from slotstate.providers.failures import describe, retry_after
from tests.extractors.trips import ask


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        ({"usage": {"prompt_tokens": 9, "completion_tokens": 2}}, {"tokens_in": 9, "tokens_out": 2}),
        (
            {"usage": {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}},
            {"tokens_in": 9, "tokens_out": 2, "tokens_cached": 4},
        ),
        (
            {
                "usage": {
                    "input_tokens": 10,
                    "output_tokens": 5,
                    "cache_read_input_tokens": 100,
                    "cache_creation_input_tokens": 7,
                }
            },
            {"tokens_in": 117, "tokens_out": 5, "tokens_cached": 100},
        ),
        (
            {"usage_metadata": {"prompt_token_count": 3, "candidates_token_count": 1, "cached_content_token_count": 2}},
            {"tokens_in": 3, "tokens_out": 1, "tokens_cached": 2},
        ),
        ({"usage": {"inputTokens": 3, "outputTokens": 1}}, {"tokens_in": 3, "tokens_out": 1}),
        ({"usage": {"prompt_tokens": "many"}}, {}),
        ({}, {}),
    ],
)
def test_tokens(usage: dict[str, Any], counts: dict[str, int]) -> None:
    for answer in (usage, SimpleNamespace(**usage)):
        record = Record(model="m", ends=None, retries=0)
        record.on_response(answer)
        assert record.tokens == counts


@pytest.mark.parametrize(
    ("response", "found"),
    [
        ({"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}, ("a", "stop", None)),
        ({"choices": [{"message": {"refusal": "no"}, "finish_reason": "stop"}]}, ("", "stop", "no")),
        ({"content": [{"text": "a"}, {"input": {"b": 1}}], "stop_reason": "tool_use"}, ('a{"b": 1}', "tool_use", None)),
        ("text", ("text", None, None)),
        (7, ("", None, None)),
    ],
)
def test_texts(response: Any, found: tuple[object, ...]) -> None:
    assert text_of(response) == found


def course(arguments: dict[str, Any], dropped: set[str]) -> tuple[Any, Record]:
    request = ask()
    domains = tuple(request.domains.values())
    record = Record("m", None, 2)
    return calls(record, Reader(request, Domains(domains), shape_of(domains), record), arguments, dropped), record


def test_a_parameter_that_a_package_no_longer_takes_is_left_out() -> None:
    dropped: set[str] = set()
    going, record = course({"temperature": 0, "timeout": 3, "messages": []}, dropped)
    assert "temperature" in next(going).arguments
    record.on_kwargs()
    again = going.throw(TypeError("create() got an unexpected keyword argument 'temperature'"))
    assert (again.arguments, dropped, record.attempts) == ({"timeout": 3, "messages": []}, {"temperature"}, 0)
    with pytest.raises(StopIteration) as ended:
        going.throw(TypeError("create() got an unexpected keyword argument 'messages'"))
    assert "'messages'" in ended.value.value.error


def test_errors_of_packages_of_all_kinds() -> None:
    class APITimeoutError(Exception):
        pass

    class BotoError(Exception):
        response = SimpleNamespace(status_code=503, headers={"retry-after-ms": "250"})

    assert describe(APITimeoutError("x"), "m") == "m: the provider did not answer in time: x"
    assert describe(BotoError("x"), "m") == "m: the provider failed (503): x"
    assert retry_after(BotoError()) == 0.25
    assert retry_after(KeyError("x")) is None
    assert describe(KeyError("x"), "m") == "m: KeyError: 'x'"


@pytest.mark.parametrize("told", ["inf", "-inf", "nan", "1e9", "-3", "Fri, 04 Dec 2026 09:00:00 GMT"])
def test_a_wait_that_makes_no_sense_is_none(told: str) -> None:
    class Limited(Exception):
        response = SimpleNamespace(status_code=429, headers={"retry-after": told})

    assert retry_after(Limited()) is None
    assert describe(Limited("later"), "m") == "m: the provider's rate limit is reached (429): later"


def test_what_nobody_sees_is_left_out_of_an_error() -> None:
    line = describe(KeyError("a\x1b[31m\u202eb\x00\u200b c\nd"), "m")
    assert (line.isprintable(), line) == (True, "m: KeyError: 'a\\x1b[31m\\u202eb\\x00\\u200b c\\nd'")
    line = describe(ValueError("a\x1b[31m\u202eb\x00\u200b c\nd"), "m")
    assert (line.isprintable(), line) == (True, "m: ValueError: a[31mb c d")
    assert (
        describe(ValueError("no \u200bsk-live\u200b-0123456789"), "m", ["sk-live-0123456789"])
        == "m: ValueError: no •••"
    )
