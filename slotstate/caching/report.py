"""What the provider reported against what was expected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from slotstate.events import Usage

Verdict = Literal["as expected", "less", "more", "unknown"]


@dataclass(frozen=True, slots=True)
class CacheReport:
    """Cached tokens and tokens of the whole prompt, as expected and as reported, and what to look at."""

    expected: int
    reported: int | None
    tokens_expected: int
    tokens_reported: int | None
    verdict: Verdict
    detail: str


def compare(expected_cached: int, prompt_tokens: int, usage: Usage | None, *, step: int = 128) -> CacheReport:
    """Compare the cached tokens that were expected with those reported, by a tolerance of one `step` of the cache.

    The expectation is brought to the provider's own count first, as a token counter may be off by some per cent.
    """
    total = usage.tokens_in if usage else None
    cached = usage.tokens_cached if usage else None
    if cached is None:
        detail = "no cached tokens are reported: hand over the provider's whole usage object"
        return CacheReport(expected_cached, None, prompt_tokens, total, "unknown", detail)
    expected = expected_cached
    if total and prompt_tokens:
        expected = round(expected_cached * total / prompt_tokens)
    verdict, detail = _judged(expected, cached, step)
    return CacheReport(expected_cached, cached, prompt_tokens, total, verdict, detail)


def _judged(expected: int, cached: int, step: int) -> tuple[Verdict, str]:
    gap = f"{cached:,} tokens were read from the cache where {expected:,} were expected"
    if abs(cached - expected) <= step:
        return "as expected", gap
    if cached > expected:
        return "more", f"{gap}: another conversation shares this beginning, or the profile is too careful"
    if cached == 0:
        return "less", f"{gap}: look for a change at the very start (model, tools, system text) or a longer pause"
    return "less", f"{gap}: look for what changed after about {cached:,} tokens of the prompt"
