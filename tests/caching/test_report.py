"""Expected and reported cached tokens, and what is said about them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotstate.caching import CacheReport, compare, read_usage
from slotstate.events import Usage


def usage(cached: int | None, total: int | None = 4000) -> Usage:
    return Usage(tokens_in=total, tokens_cached=cached)


@pytest.mark.parametrize(
    ("expected", "cached", "verdict", "words"),
    [
        (2944, 2944, "as expected", "2,944 tokens read from the cache, 2,944 expected"),
        (2944, 2816, "as expected", "2,816"),
        (2944, 3072, "as expected", "3,072"),
        (2944, 2815, "less", "look for what changed after about 2,815 tokens of the prompt"),
        (2944, 0, "less", "look for a longer pause, or a change of model, tools or system text"),
        (0, 3200, "more", "another conversation may share its beginning, or the profile is too careful"),
        (0, 0, "as expected", "0 tokens"),
    ],
)
def test_verdicts(expected: int, cached: int, verdict: str, words: str) -> None:
    report = compare(expected, 4000, usage(cached))
    assert (report.expected, report.reported, report.verdict) == (expected, cached, verdict)
    assert words in report.detail
    assert "\n" not in report.detail


def test_the_tolerance_is_one_step_of_the_cache() -> None:
    assert compare(160, 200, usage(144, 200), step=16).verdict == "as expected"
    assert compare(160, 200, usage(143, 200), step=16).verdict == "less"
    assert compare(5000, 6000, usage(4999, 6000), step=1).verdict == "as expected"
    assert compare(5000, 6000, usage(4998, 6000), step=1).verdict == "less"


def test_a_counter_that_is_off_is_not_blamed_on_the_cache() -> None:
    """Counted as 5,000 of which 4,500 are stable; the provider counts 4,000, so 3,600 of them."""
    report = compare(4500, 5000, usage(3584))
    assert report == CacheReport(
        expected=4500,
        reported=3584,
        tokens_expected=5000,
        tokens_reported=4000,
        verdict="as expected",
        detail="3,584 tokens read from the cache, 3,600 expected (4,500 by our count)",
    )
    assert compare(4500, 5000, usage(4300)).verdict == "more"


def test_unknown_without_a_number() -> None:
    for told in (None, Usage(), usage(None)):
        report = compare(2944, 4000, told)
        assert (report.reported, report.verdict) == (None, "unknown")
        assert report.tokens_reported == (told.tokens_in if told else None)
        assert "hand over the provider's whole usage object" in report.detail


def test_without_a_total_the_counts_are_taken_as_they_are() -> None:
    assert compare(2944, 4000, usage(2944, None)).verdict == "as expected"
    assert compare(0, 0, usage(0, 0)).verdict == "as expected"
    assert compare(0, 0, usage(500)).verdict == "more"


@pytest.mark.parametrize("total", [9_000, 1_200])
def test_figures_of_another_prompt_are_told_as_such(total: int) -> None:
    report = compare(2_000, 3_000, usage(1_000, total))
    assert (report.reported, report.tokens_reported, report.verdict) == (1_000, total, "unknown")
    told = f"the report is of {total:,} tokens, and this prompt has 3,000: hand over its own usage"
    assert report.detail == told


def test_from_the_providers_words_to_the_verdict() -> None:
    told = {"prompt_tokens": 2006, "completion_tokens": 300, "prompt_tokens_details": {"cached_tokens": 0}}
    assert compare(1920, 2006, read_usage(told)).verdict == "less"


@given(st.integers(0, 9000), st.integers(1, 9000), st.integers(0, 9000), st.integers(1, 9000), st.integers(1, 128))
def test_the_verdict_follows_the_numbers(expected: int, counted: int, cached: int, total: int, step: int) -> None:
    report = compare(expected, counted, usage(cached, total), step=step)
    if total > 2 * counted + 200 or counted > 2 * total + 200:
        assert report.verdict == "unknown"
        return
    due = round(expected * total / counted)
    assert report.verdict == ("as expected" if abs(cached - due) <= step else "less" if cached < due else "more")
