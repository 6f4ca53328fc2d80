"""Reading the tokens that providers report, whichever words they use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from slotstate.events import Usage

_MOST: Final = 10**12
"""No call has more tokens than this: such a number is no count."""
_WRAPPERS: Final = ("usage", "usage_metadata", "usageMetadata")


def read_usage(raw: object) -> Usage | None:
    """The tokens in a provider's answer or in its usage object; None when it says nothing that can be read.

    Reads OpenAI's chat and responses shapes, Anthropic's, DeepSeek's, Gemini's, Bedrock's, LangChain's and
    llama.cpp's, as dicts or as objects with attributes. `tokens_in` always counts the cached tokens too. Never raises.
    """
    try:
        return _read(raw)
    except Exception:  # what a client hands over may do anything when it is looked at
        return None


def _read(raw: object) -> Usage | None:
    inner = next((found for name in _WRAPPERS if (found := _get(raw, name)) is not None), raw)
    if isinstance(inner, Usage):
        return inner
    total, cached, output = _counts(_opened(inner))
    timings = _timings(raw)
    if timings is not None:
        total = timings[0] if total is None else total
        cached = timings[1] if cached is None else cached
        output = timings[2] if output is None else output
    if total is None or (cached is not None and cached > total):
        return None
    return Usage(tokens_in=total, tokens_out=output, tokens_cached=cached)


def _counts(usage: object) -> tuple[int | None, int | None, int | None]:
    """Tokens in, cached and out. Most count the cached ones among those that go in."""
    total = _count(usage, "prompt_tokens")
    if total is not None:
        return total, _cached(usage), _count(usage, "completion_tokens")
    total = _count(usage, "promptTokenCount", "prompt_token_count")
    if total is not None:
        return total, _count(usage, "cachedContentTokenCount", "cached_content_token_count"), _gemini_output(usage)
    total = _count(usage, "total_input_tokens")
    if total is not None:
        return total, _count(usage, "total_cached_tokens"), _count(usage, "total_output_tokens")
    hit, miss = _count(usage, "prompt_cache_hit_tokens"), _count(usage, "prompt_cache_miss_tokens")
    if hit is not None and miss is not None:
        return hit + miss, hit, _count(usage, "completion_tokens")
    total, output = _count(usage, "input_tokens", "inputTokens"), _count(usage, "output_tokens", "outputTokens")
    if any(_get(usage, name) is not None for name in ("input_tokens_details", "input_token_details")):
        return total, _cached(usage), output
    if total is None:
        return None, None, output
    # Anthropic and Bedrock count apart what was read and what was written.
    read = _count(usage, "cache_read_input_tokens", "cacheReadInputTokens")
    written = _count(usage, "cache_creation_input_tokens", "cacheWriteInputTokens")
    return total + (read or 0) + (written or 0), read, output


def _cached(usage: object) -> int | None:
    for name in ("prompt_tokens_details", "input_tokens_details", "input_token_details"):
        found = _count(_get(usage, name), "cached_tokens", "cache_read")
        if found is not None:
            return found
    return _count(usage, "prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens")


def _gemini_output(usage: object) -> int | None:
    said = _count(usage, "candidatesTokenCount", "candidates_token_count")
    thought = _count(usage, "thoughtsTokenCount", "thoughts_token_count")
    return None if said is None and thought is None else (said or 0) + (thought or 0)


def _timings(raw: object) -> tuple[int, int, int | None] | None:
    """Tokens in, cached and out, as llama.cpp's server tells them beside or instead of a usage object."""
    timings = _get(raw, "timings")
    cached, computed = _count(timings, "cache_n"), _count(timings, "prompt_n")
    if cached is None or computed is None:
        return None
    return cached + computed, cached, _count(timings, "predicted_n")


def _opened(usage: object) -> object:
    """What an object dumps, where it does: the attributes of some hold less."""
    dump = None if isinstance(usage, Mapping) else _get(usage, "model_dump")
    dumped = dump() if callable(dump) else None
    return dumped if isinstance(dumped, Mapping) else usage


def _count(source: object, *names: str) -> int | None:
    """The first of these fields that is a count."""
    for name in names:
        found = _get(source, name)
        if isinstance(found, int) and not isinstance(found, bool) and 0 <= found <= _MOST:
            return int(found)
    return None


def _get(source: object, name: str) -> object:
    """A field of a dict, an attribute of anything else, or None."""
    return source.get(name) if isinstance(source, Mapping) else getattr(source, name, None)
