"""What the provider reported against what was expected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from slotstate.events import Usage

FAR: Final = 2
"""By this factor counters differ at most: the report is of another prompt then."""
SLACK: Final = 200
"""Tokens that a chat's own form may add to a short prompt."""
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
    if total and prompt_tokens and not _is_of(total, prompt_tokens):
        detail = f"the report is of {total:,} tokens, and this prompt has {prompt_tokens:,}: hand over its own usage"
        return CacheReport(expected_cached, cached, prompt_tokens, total, "unknown", detail)
    verdict, hint = _judged(due, cached, step)
    detail = f"{cached:,} tokens read from the cache, {due:,} expected"
    if due != expected_cached:
        detail += f" ({expected_cached:,} by our count)"
    return CacheReport(expected_cached, cached, prompt_tokens, total, verdict, detail + hint)


def _is_of(total: int, tokens: int) -> bool:
    """Whether a prompt of so many tokens by our count can be the one that so many were reported of."""
    return total <= tokens * FAR + SLACK and tokens <= total * FAR + SLACK


def _judged(due: int, cached: int, step: int) -> tuple[Verdict, str]:
    """The verdict, and what to look at."""
    if abs(cached - due) <= step:
        return "as expected", ""
    if cached > due:
        return "more", ": another conversation may share its beginning, or the profile is too careful"
    if cached == 0:
        return "less", ": look for a longer pause, or a change of model, tools or system text"
    return "less", f": look for what changed after about {cached:,} tokens of the prompt"
