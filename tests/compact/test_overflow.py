"""What providers say when a prompt was too long, and what is made of it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotstate import Budget, BudgetTooSmall, InputError, Tracker
from slotstate.compact.overflow import Overflow, read_overflow
from slotstate.compacting import tightened
from slotstate.events import Compacted
from tests.compact.playing import Trip
from tests.prompt.reading import CharCounter, orphans

SAID = [
    (
        "Error code: 400 - {'error': {'message': \"This model's maximum context length is 8192 tokens. However, your "
        "messages resulted in 9001 tokens. Please shorten them.\", 'code': 'context_length_exceeded'}}",
        Overflow(9_001, 8_192),
    ),
    (
        "This model's maximum context length is 4,097 tokens. However, you requested 5,120 tokens (4,608 in the "
        "messages, 512 in the completion).",
        Overflow(5_120, 4_097),
    ),
    (
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
        Overflow(None, None),
    ),
    ("prompt is too long: 204_381 tokens > 200_000 maximum", Overflow(204_381, 200_000)),
    (
        "input length and `max_tokens` exceed context limit: 190123 + 16384 > 200000, decrease one",
        Overflow(206_507, 200_000),
    ),
    (
        "400 INVALID_ARGUMENT. The input token count (1200345) exceeds the maximum number of tokens allowed (1048576).",
        Overflow(1_200_345, 1_048_576),
    ),
    (
        "This model's maximum context length is 32768 tokens. However, you requested 40000 tokens in the messages, "
        "Please reduce the length of the messages.",
        Overflow(40_000, 32_768),
    ),
    (
        "the request exceeds the available context size, try increasing it",
        Overflow(None, None),
    ),
    (
        '{"error":{"code":400,"message":"request (5011 tokens) exceeds the available context size (4096 tokens)",'
        '"type":"exceed_context_size_error","n_prompt_tokens":5011,"n_ctx":4096}}',
        Overflow(5_011, 4_096),
    ),
    ("Too many input tokens for this model, the context window is 16 384", Overflow(None, 16_384)),
    (
        "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.",
        Overflow(300_000, 272_000),
    ),
]
ELSE = [
    "",
    "Rate limit reached: 30000 tokens per min. Requested 31000. Try again in 2 s.",
    "max_tokens is too large: 99999. This model supports at most 16384 completion tokens.",
    "Incorrect API key provided",
    "The server is overloaded",
    "context deadline exceeded",
    "Connection timed out after 8192 ms",
    "上下文缺失",
]


@pytest.mark.parametrize(("text", "found"), SAID)
def test_the_words_of_providers(text: str, found: Overflow) -> None:
    assert read_overflow(text) == found
    assert read_overflow(text.upper()) == found
    assert read_overflow(text.replace(" ", "\n ")) == found


@pytest.mark.parametrize("text", ELSE)
def test_what_is_another_error(text: str) -> None:
    assert read_overflow(text) is None


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    for one in (text, f"prompt is too long: {text}", f"context length is {text} tokens"):
        found = read_overflow(one)
        assert found is None or all(part is None or part >= 0 for part in found)


@given(
    st.integers(1, 300_000),
    st.integers(0, 900),
    st.integers(0, 200),
    st.none() | st.integers(0, 300_000),
    st.none() | st.integers(0, 300_000),
    st.none() | st.integers(1, 300_000),
)
def test_a_tightened_budget_is_smaller_than_what_was_too_long(
    context: int, reply: int, margin: int, said: int | None, window: int | None, size: int | None
) -> None:
    wide = Budget(context + reply + margin, reply=reply, margin=margin)
    try:
        tight = tightened(wide, Overflow(said, window), size)
    except InputError:
        assert window is not None or context == 1 or size == 1
        return
    room = tight.limit(0)
    assert room is not None
    assert (tight.reply, tight.margin) == (reply, margin)
    if size is not None:
        assert room < size
    if window is not None:
        assert room <= max(window - reply - margin, 0) or (said and size)
        if said and size and said >= window:
            assert room * said / size <= window, "counted as the provider does"
    assert tight.limit(0) != wide.limit(0) or size is None or size > context


def opened() -> Any:
    chat = Tracker(Trip, clock=lambda: datetime(2026, 3, 2, 9, tzinfo=UTC)).open("s")
    for at in range(60):
        chat.user(f"{at} The ferry to the island leaves at nine from the old pier.", id=f"m{at}")
    return chat


@pytest.mark.parametrize(("text", "found"), SAID)
@pytest.mark.parametrize("context", [None, 6_000])
def test_each_time_the_prompt_gets_smaller_or_cannot(text: str, found: Overflow, context: int | None) -> None:
    """However often a provider says so, and whatever figures it gives."""
    chat, terms = opened(), Budget(context, counter=CharCounter(), profile="vllm")
    size = chat.prompt(terms).tokens or 0
    smaller = 0
    for number in range(40):
        try:
            prompt = chat.overflowed(f"{text} (request {number})", terms)
        except BudgetTooSmall:
            break
        assert not orphans(prompt.messages)
        assert (prompt.tokens or 0) < size
        assert chat.prompt(terms).messages == prompt.messages, "later ones stay as short"
        size, smaller = prompt.tokens or 0, smaller + 1
    else:
        raise AssertionError("it got smaller for ever")
    assert smaller >= 1
    done = [entry.event for entry in chat.entries if isinstance(entry.event, Compacted)]
    assert "overflow" in {event.trigger for event in done}


def test_an_overflow_before_any_prompt_asks_for_the_window_that_was_told() -> None:
    chat = opened()
    prompt = chat.overflowed("prompt is too long: 9000 tokens > 3000 maximum", Budget(None, counter=CharCounter()))
    assert (prompt.tokens or 0) <= 3_000 * 0.95
    with pytest.raises(InputError, match="leaves nothing"):
        opened().overflowed("prompt is too long: 90 tokens > 50 maximum", Budget(9_000, reply=100))


def test_what_is_no_overflow_is_refused() -> None:
    chat = opened()
    size = len(chat.entries)
    for error in (*ELSE, RuntimeError("no"), None, 7):
        with pytest.raises(InputError, match="does not say that the prompt was too long"):
            chat.overflowed(error)
    assert len(chat.entries) == size
