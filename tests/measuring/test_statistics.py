from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from slotstate.measuring.scoring import Sums
from slotstate.measuring.statistics import Estimate, differences, estimates, percentile


def run(*shares: float, name: str = "jga") -> list[Sums]:
    """A dialogue of ten turns each, so many of them right."""
    return [{name: (10 * share, 10)} for share in shares]


def drawn(count: int, times: int = 2_000) -> Iterator[list[int]]:
    chance = random.Random(5)
    for _ in range(times):
        yield chance.choices(range(count), k=count)


def width(one: Estimate) -> float:
    assert one.low is not None
    assert one.high is not None
    assert one.low < one.value < one.high
    return one.high - one.low


def test_a_figure_is_its_sum_over_its_number() -> None:
    dialogues: list[Sums] = [{"jga": (1.0, 1)}, {"jga": (1.0, 3)}, {"other": (1.0, 2)}]
    found = estimates(dialogues, [])
    assert found == {"jga": Estimate(0.5, 4), "other": Estimate(0.5, 2)}  # turns weigh, not dialogues


def test_a_figure_without_values_is_left_out() -> None:
    assert estimates([{"jga": (0.0, 0)}], []) == {}


def test_an_interval_holds_the_middle_of_the_samples() -> None:
    # Of 100 samples that give 0, 0.01, …, 0.99, the middle 95 are 0.02 to 0.97.
    dialogues = run(*(share / 100 for share in range(100)))
    (found,) = estimates(dialogues, [[index] * 100 for index in range(100)]).values()
    assert [found.low, found.high] == pytest.approx([0.02, 0.97])


def test_few_dialogues_have_no_interval() -> None:
    (found,) = estimates(run(0.1, 0.5, 0.9, 0.3), drawn(4)).values()
    assert (found.low, found.high) == (None, None)


def test_the_interval_narrows_with_more_dialogues() -> None:
    chance = random.Random(1)
    few, many = (run(*(chance.random() for _ in range(count))) for count in (10, 160))
    (wide,) = estimates(few, drawn(10)).values()
    (narrow,) = estimates(many, drawn(160)).values()
    assert 2 < width(wide) / width(narrow) < 8  # about the root of 16


def test_a_sample_without_the_figure_is_left_out() -> None:
    dialogues: list[Sums] = [*run(0.5, 0.5, 0.5, 0.5, 0.5), {}, {}]
    found = estimates(dialogues, [[5, 5, 6, 5, 6, 5, 6], [0, 1, 2, 3, 4, 5, 6]])["jga"]
    assert (found.low, found.high, found.n) == (0.5, 0.5, 50)


def test_a_pair_that_is_better_everywhere_is_surely_better() -> None:
    before, after = run(0.1, 0.5, 0.3, 0.7, 0.2, 0.4), run(0.2, 0.6, 0.4, 0.8, 0.3, 0.5)
    found = differences(before, after, ["jga"], drawn(6))["jga"]
    assert found.by == pytest.approx(0.1)
    assert [found.low, found.high] == pytest.approx([0.1, 0.1])  # paired: the dialogues' spread is out
    assert found.share == 1.0
    assert found.is_sure


def test_gains_and_losses_that_balance_are_not_sure() -> None:
    before, after = run(0.5, 0.5, 0.5, 0.5, 0.5, 0.5), run(0.9, 0.1, 0.8, 0.2, 0.7, 0.3)
    found = differences(before, after, ["jga"], drawn(6))["jga"]
    assert (found.low or 0) < 0 < (found.high or 0)
    assert found.share == pytest.approx(0.5, abs=0.2)
    assert not found.is_sure


def test_the_same_run_twice_does_not_differ() -> None:
    found = differences(run(0.1, 0.2, 0.3, 0.4, 0.5), run(0.1, 0.2, 0.3, 0.4, 0.5), ["jga"], drawn(5))["jga"]
    assert (found.by, found.low, found.high, found.share, found.is_sure) == (0, 0, 0, 0.5, False)


def test_what_one_run_lacks_is_not_compared() -> None:
    assert differences(run(0.1, name="a"), run(0.1, name="b"), ["a", "b"], []) == {}
    few = differences(run(0.1), run(0.3), ["jga"], drawn(1))["jga"]
    assert (few.low, few.high, few.share, few.is_sure) == (None, None, None, False)


def test_percentiles_are_values_that_there_are() -> None:
    assert percentile([3, 1, 2, 4], 0.5) == 2
    assert percentile([3, 1, 2, 4], 0.95) == 4
    assert percentile([7], 0.5) == 7
    assert percentile([], 0.5) is None
