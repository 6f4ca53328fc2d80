"""How much of what is wrong is caught, and how much of what is right is refused; benchmarks/summary_validation.py
measures the same on more.

The made summaries are what the rules were fitted to. Those written by hand before the rules were (`en`, `zh`) and after
(`en_unseen`, `zh_unseen`) are few, so that their bounds are wide.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.compact.corruptions import EXPECTED, KINDS, Case, check, generated, written

LANGUAGES = ("en", "zh")


def measure(cases: list[Case]) -> tuple[int, Counter[str], Counter[str], Counter[str]]:
    """Intact ones refused; corruptions by kind: how many there are, are caught, and are called what they are."""
    refused, total, caught, named = 0, Counter[str](), Counter[str](), Counter[str]()
    for case in cases:
        before = set(check(case, case.patch))
        refused += bool(before)
        for kind, patch in case.wrong.items():
            new = set(check(case, patch)) - before
            total[kind] += 1
            caught[kind] += bool(new)
            named[kind] += any(fault.code in EXPECTED[kind] for fault in new)
    return refused, total, caught, named


@pytest.mark.parametrize("language", LANGUAGES)
def test_made_summaries(language: str) -> None:
    refused, total, caught, named = measure(generated(language, 80, seed=11))
    assert refused <= 4, refused
    assert {kind: (caught[kind], total[kind]) for kind in KINDS if caught[kind] < 0.93 * total[kind]} == {}
    assert min(total[kind] for kind in KINDS) >= 60
    assert sum(named.values()) >= 0.97 * sum(caught.values())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("which", ["", "_unseen"])
def test_written_summaries(language: str, which: str) -> None:
    cases = written(language, which)
    refused, total, caught, _ = measure(cases)
    assert refused <= 0.1 * len(cases), refused
    assert {kind: (caught[kind], total[kind]) for kind in total if caught[kind] < 0.7 * total[kind]} == {}
    assert sum(caught.values()) >= 0.93 * sum(total.values())


def test_there_are_enough_stories() -> None:
    from tests.compact import stories_en, stories_zh

    for stories in (stories_en.STORIES, stories_zh.STORIES):
        assert len(stories) >= 25
        assert all(len(story.told) >= 3 for story in stories)
    assert all(len(written(language)) >= 30 for language in LANGUAGES)
