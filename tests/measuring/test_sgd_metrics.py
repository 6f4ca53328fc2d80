"""SGD's metrics against values worked out by hand from their definitions."""

from __future__ import annotations

import pytest

from slotstate.measuring.fuzzy import token_sort_ratio
from slotstate.measuring.sgd_metrics import (
    GoalScore,
    goal_score,
    intent_accuracy,
    joint_across_turn,
    requested_f1,
    slot_scores,
)

SLOTS = {"city": False, "start": False, "kind": True, "seats": True}


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ("Ely", "ely", 100),  # letter case aside
        ("Jose San", "san jose", 100),  # and the order of words
        ("6 pm", "6:00 pm", 73),  # "6 pm" in "00 6 pm": 200 x 4 / 11
        ("2019-03-01", "March 1st", 21),  # "01 03 2019", "1st march": a 1 and a space, 200 x 2 / 19
        ("ab", "b", 67),  # 200 x 1 / 3
        ("b", "c", 0),
        ("Zoë", "Zo", 100),  # letters of Latin-1 beyond ASCII are left out
        ("北京", "北京", 100),
        ("北京", "北", 67),
        ("a_b", "a b", 67),  # an underscore is part of a word: one letter and one more, 200 x 2 / 6
        ("?!", "...", 100),  # nothing is left of either
        ("?!", "x", 0),
        ("", "", 100),
    ],
)
def test_two_texts_are_as_alike_as_their_sorted_words(one: str, other: str, ratio: int) -> None:
    assert token_sort_ratio(one, other) == ratio
    assert token_sort_ratio(other, one) == ratio


def test_a_slot_that_both_hold_counts_by_its_kind() -> None:
    gold = {"city": ["SJ", "San Jose"], "kind": ["Play", "Film"]}
    scores = slot_scores(gold, {"city": "san jose", "kind": "Film"}, SLOTS)
    assert scores == {"city": 1.0, "start": 1.0, "kind": 0.0, "seats": 1.0}  # categorical: the first gold value only
    assert slot_scores(gold, {"kind": "play"}, SLOTS)["kind"] == 0.0  # to the letter


def test_a_slot_that_one_side_holds_is_wrong() -> None:
    scores = slot_scores({"city": ["Ely"]}, {"seats": "2"}, SLOTS)
    assert scores == {"city": 0.0, "start": 1.0, "kind": 1.0, "seats": 0.0}


def test_joint_goal_accuracy_is_a_soft_product() -> None:
    gold = {"city": ["ab"], "start": ["6:00 pm"], "seats": ["2"]}
    score = goal_score(gold, {"city": "b", "start": "6 pm", "seats": "2"}, SLOTS)
    assert score.joint == pytest.approx(0.67 * 0.73)
    assert score.joint_noncategorical == pytest.approx(0.67 * 0.73)
    assert score.joint_categorical == 1.0
    assert score.average == pytest.approx((0.67 + 0.73 + 1) / 3)


def test_without_fuzzy_match_words_count_to_the_letter() -> None:
    gold = {"start": ["6 pm", "18:00"]}
    assert goal_score(gold, {"start": "6 PM"}, SLOTS).joint == 1.0
    assert goal_score(gold, {"start": "6 PM"}, SLOTS, fuzzy=False).joint == 0.0
    assert goal_score(gold, {"start": "18:00"}, SLOTS, fuzzy=False).joint == 1.0


def test_what_is_predicted_beyond_gold_spoils_the_joint_value_only() -> None:
    score = goal_score({"city": ["Ely"]}, {"city": "Ely", "kind": "Play"}, SLOTS)
    assert score == GoalScore(0.0, 0.0, 1.0, 1.0)


def test_an_empty_frame_has_no_average_and_a_kind_without_slots_no_joint_value() -> None:
    assert goal_score({}, {}, {"city": False}) == GoalScore(1.0, None, 1.0, None)
    assert goal_score({}, {}, {"kind": True}) == GoalScore(1.0, 1.0, None, None)


def test_dontcare_is_a_value_like_others() -> None:
    assert goal_score({"kind": ["dontcare"]}, {"kind": "dontcare"}, SLOTS).joint == 1.0
    assert goal_score({"kind": ["dontcare"]}, {}, SLOTS).joint == 0.0


def test_the_flag_for_whole_turns_multiplies_frames() -> None:
    frames = [GoalScore(0.5, None, None, None), GoalScore(0.4, None, None, None)]
    assert joint_across_turn(frames) == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("gold", "predicted", "f1"),
    [
        ([], [], 1.0),  # as the code has it, not its docstring
        ([], ["a"], 0.0),
        (["a"], [], 0.0),
        (["a", "b"], ["b"], 2 / 3),  # P 1, R 1/2
        (["a", "a", "b"], ["a", "b", "b"], 2 / 3),  # multisets: one a and one b in common
        (["a"], ["b"], 0.0),
    ],
)
def test_requested_slots_are_compared_as_multisets(gold: list[str], predicted: list[str], f1: float) -> None:
    assert requested_f1(gold, predicted) == pytest.approx(f1)


def test_intents_are_the_same_or_not() -> None:
    assert (intent_accuracy("FindShow", "FindShow"), intent_accuracy("FindShow", "NONE")) == (1.0, 0.0)
