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
    """Compare the cached tokens that were expected with those reported; one `step` of the cache is tolerated.

    The expectation is brought to the provider's own count first, as a token counter may be off by some per cent.
    """
    total = usage.tokens_in if usage else None
    cached = usage.tokens_cached if usage else None
    if cached is None:
        detail = "no cached tokens are reported: hand over the provider's whole usage object"
        return CacheReport(expected_cached, None, prompt_tokens, total, "unknown", detail)
    due = round(expected_cached * total / prompt_tokens) if total and prompt_tokens else expected_cached
    verdict, hint = _judged(due, cached, step)
    detail = f"{cached:,} tokens were read from the cache where {due:,} were expected"
    if due != expected_cached:
        detail += f" ({expected_cached:,} by our count, which makes {prompt_tokens:,} of the prompt's {total:,} tokens)"
    return CacheReport(expected_cached, cached, prompt_tokens, total, verdict, detail + hint)


def _judged(due: int, cached: int, step: int) -> tuple[Verdict, str]:
    """The verdict, and what to look at."""
    if abs(cached - due) <= step:
        return "as expected", ""
    if cached > due:
        return "more", ": another conversation shares this beginning, or the profile is too careful"
    if cached == 0:
        return "less", ": look for a longer pause, or a change of model, tools or system text"
    return "less", f": look for what changed after about {cached:,} tokens of the prompt"
