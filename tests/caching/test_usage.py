"""Usage as the providers write it, in every shape that it comes in, and in shapes that nobody should send."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.completion_usage import CompletionUsage, PromptTokensDetails
from openai.types.responses.response_usage import InputTokensDetails, OutputTokensDetails, ResponseUsage

from slotstate.caching import read_usage
from slotstate.events import Usage

SHAPES: dict[str, tuple[dict[str, Any], tuple[int | None, int | None, int | None]]] = {
    "openai chat": (
        {
            "prompt_tokens": 2006,
            "completion_tokens": 300,
            "total_tokens": 2306,
            "prompt_tokens_details": {"cached_tokens": 1920, "audio_tokens": 0, "cache_write_tokens": 86},
            "completion_tokens_details": {"reasoning_tokens": 0},
        },
        (2006, 300, 1920),
    ),
    "openai chat without details": ({"prompt_tokens": 10, "completion_tokens": 3}, (10, 3, None)),
    "openai chat with empty details": (
        {"prompt_tokens": 10, "completion_tokens": 3, "prompt_tokens_details": None},
        (10, 3, None),
    ),
    "openai responses": (
        {"input_tokens": 2006, "output_tokens": 300, "input_tokens_details": {"cached_tokens": 1920}},
        (2006, 300, 1920),
    ),
    "anthropic": (
        {
            "input_tokens": 50,
            "cache_creation_input_tokens": 248,
            "cache_read_input_tokens": 100_000,
            "cache_creation": {"ephemeral_5m_input_tokens": 248, "ephemeral_1h_input_tokens": 0},
            "output_tokens": 503,
        },
        (100_298, 503, 100_000),
    ),
    "anthropic without caching": (
        {
            "input_tokens": 2095,
            "output_tokens": 503,
            "cache_creation_input_tokens": None,
            "cache_read_input_tokens": None,
        },
        (2095, 503, None),
    ),
    "anthropic, first write": (
        {
            "input_tokens": 21,
            "output_tokens": 393,
            "cache_creation_input_tokens": 188_086,
            "cache_read_input_tokens": 0,
        },
        (188_107, 393, 0),
    ),
    "deepseek": (
        {
            "prompt_tokens": 1000,
            "completion_tokens": 20,
            "prompt_cache_hit_tokens": 640,
            "prompt_cache_miss_tokens": 360,
        },
        (1000, 20, 640),
    ),
    "deepseek without a total": (
        {"prompt_cache_hit_tokens": 640, "prompt_cache_miss_tokens": 360},
        (1000, None, 640),
    ),
    "gemini": (
        {
            "promptTokenCount": 204_082,
            "cachedContentTokenCount": 200_658,
            "candidatesTokenCount": 100,
            "thoughtsTokenCount": 2326,
        },
        (204_082, 2426, 200_658),
    ),
    "gemini in python": (
        {"prompt_token_count": 5000, "cached_content_token_count": 4096, "candidates_token_count": 7},
        (5000, 7, 4096),
    ),
    "gemini without an answer": ({"prompt_token_count": 5000, "cached_content_token_count": None}, (5000, None, None)),
    "gemini interactions": (
        {"total_input_tokens": 5000, "total_cached_tokens": 4096, "total_output_tokens": 7},
        (5000, 7, 4096),
    ),
    "bedrock": (
        {"inputTokens": 12, "outputTokens": 3, "cacheReadInputTokens": 1000, "cacheWriteInputTokens": 50},
        (1062, 3, 1000),
    ),
    "langchain": (
        {
            "input_tokens": 350,
            "output_tokens": 240,
            "input_token_details": {"cache_read": 100, "cache_creation": 200},
        },
        (350, 240, 100),
    ),
    "a gateway with both": (
        {
            "prompt_tokens": 1000,
            "completion_tokens": 1,
            "cache_read_input_tokens": 900,
            "cache_creation_input_tokens": 50,
        },
        (1000, 1, 900),
    ),
    "moonshot": ({"prompt_tokens": 19, "completion_tokens": 13, "cached_tokens": 10}, (19, 13, 10)),
}


def numbers(usage: Usage | None) -> tuple[int | None, int | None, int | None] | None:
    return (usage.tokens_in, usage.tokens_out, usage.tokens_cached) if usage else None


def nested(value: object) -> object:
    """Dicts as objects with attributes."""
    if isinstance(value, dict):
        return SimpleNamespace(**{key: nested(part) for key, part in value.items()})
    return value


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_bare_and_inside_an_answer_as_dict_and_as_object(name: str) -> None:
    usage, expected = SHAPES[name]
    wrapper = "usageMetadata" if name.startswith("gemini") else "usage"
    for raw in (usage, {wrapper: usage, "id": "x"}, nested(usage), nested({wrapper: usage}), {wrapper: nested(usage)}):
        assert numbers(read_usage(raw)) == expected


def test_the_clients_own_types() -> None:
    chat = CompletionUsage(
        prompt_tokens=2006,
        completion_tokens=300,
        total_tokens=2306,
        prompt_tokens_details=PromptTokensDetails(cached_tokens=1920),
    )
    answer = ResponseUsage(
        input_tokens=2006,
        output_tokens=300,
        total_tokens=2306,
        input_tokens_details=InputTokensDetails(cached_tokens=1920, cache_write_tokens=86),
        output_tokens_details=OutputTokensDetails(reasoning_tokens=0),
    )
    for usage in (chat, answer):
        assert numbers(read_usage(usage)) == (2006, 300, 1920)
        assert numbers(read_usage(SimpleNamespace(usage=usage))) == (2006, 300, 1920)


def test_llama_cpp_tells_timings_beside_or_instead_of_usage() -> None:
    timings = {"cache_n": 236, "prompt_n": 1, "prompt_ms": 30.958, "predicted_n": 35}
    assert numbers(read_usage({"timings": timings})) == (237, 35, 236)
    usage = {"completion_tokens": 35, "prompt_tokens": 237, "total_tokens": 272}
    assert numbers(read_usage({"usage": usage, "timings": timings})) == (237, 35, 236)
    details = usage | {"prompt_tokens_details": {"cached_tokens": 200}}
    assert numbers(read_usage({"usage": details, "timings": timings})) == (237, 35, 200)
    assert read_usage({"timings": {"prompt_n": 1}}) is None


def test_what_was_read_before_is_taken_as_it_is() -> None:
    usage = Usage(tokens_in=10, tokens_cached=5)
    assert read_usage(usage) is usage
    assert read_usage({"usage": usage}) is usage


def test_objects_that_only_dump() -> None:
    class Dumping:
        def model_dump(self) -> dict[str, Any]:
            return {"prompt_tokens": 5, "completion_tokens": 1}

    assert numbers(read_usage(Dumping())) == (5, 1, None)
    assert numbers(read_usage({"usage": Dumping()})) == (5, 1, None)


def test_hostile_objects_are_none() -> None:
    """They are made here: pytest itself would stumble over them as parameters."""
    for hostile in (Hostile(), HostileMapping(), BadDump()):
        for raw in (hostile, {"usage": hostile}, {"prompt_tokens": 10, "prompt_tokens_details": hostile}):
            assert numbers(read_usage(raw)) in {None, (10, None, None)}


class Hostile:
    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)


class HostileMapping(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        raise OSError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


class BadDump:
    def model_dump(self) -> Any:
        raise ValueError


@pytest.mark.parametrize(
    "raw",
    [
        None,
        {},
        [],
        "prompt_tokens",
        7,
        object(),
        {"usage": {}},
        {"usage": "17"},
        MagicMock(),
        MagicMock(spec=[]),
        {"prompt_tokens": "2006"},
        {"prompt_tokens": True},
        {"prompt_tokens": -1},
        {"prompt_tokens": 1e3},
        {"prompt_tokens": float("nan")},
        {"prompt_tokens": 10**400},
        {"prompt_tokens": 10, "prompt_tokens_details": {"cached_tokens": 11}},
        {"output_tokens": 5},
        {"prompt_cache_hit_tokens": 5},
        {"usage": {"usage": {"prompt_tokens": 3}}},
        {1: 2},
    ],
    ids=lambda raw: type(raw).__name__,
)
def test_what_cannot_be_read_is_none(raw: object) -> None:
    assert read_usage(raw) is None


def test_details_that_cannot_be_read_are_unknown() -> None:
    for details in ([1], "x", {"cached_tokens": "1920"}, {"cached_tokens": True}):
        assert numbers(read_usage({"prompt_tokens": 10, "prompt_tokens_details": details})) == (10, None, None)


KEYS = sorted({key for usage, _ in SHAPES.values() for key in usage} | {"usage", "timings", "cached_tokens", "cache_n"})
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=20,
)


@given(VALUES)
def test_whatever_comes_nothing_is_raised_and_the_counts_are_possible(raw: object) -> None:
    for shape in (raw, nested(raw)):
        usage = read_usage(shape)
        if usage is not None:
            assert usage.tokens_in is not None
            assert 0 <= (usage.tokens_cached or 0) <= usage.tokens_in
