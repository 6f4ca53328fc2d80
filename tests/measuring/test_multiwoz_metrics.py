"""MultiWOZ's metrics against values worked out by hand from their definitions."""

from __future__ import annotations

import pytest

from slotstate.measuring import multiwoz_metrics as woz
from slotstate.measuring.multiwoz_labels import mended

GOLD = {"hotel.area": ("north",), "hotel.stars": ("4",), "train.day": ("monday",)}
PREDICTED = {"hotel.area": "north", "hotel.stars": "3", "taxi.leaveat": "10:00"}


def test_one_right_one_wrong_one_missed_one_too_much() -> None:
    assert woz.joint_goal(GOLD, PREDICTED) == 0.0
    assert woz.slot_accuracy(GOLD, PREDICTED) == pytest.approx((30 - 2 - 1) / 30)  # the wrong star counts once
    assert woz.joint_f1(GOLD, PREDICTED) == pytest.approx(2 * 1 / (3 + 3))
    assert woz.relative_slot_counts(GOLD, PREDICTED) == (1, 4)  # 4 slots are spoken of: 4 - 1 absent - 2 not in gold
    assert woz.relative_slot_accuracy(GOLD, PREDICTED) == 0.25
    assert woz.average_goal(GOLD, PREDICTED) == pytest.approx(1 / 3)


def test_a_state_that_is_right() -> None:
    right = {"hotel.area": "north", "hotel.stars": "4", "train.day": "monday"}
    assert woz.joint_goal(GOLD, right) == woz.slot_accuracy(GOLD, right) == woz.joint_f1(GOLD, right) == 1.0
    assert woz.joint_goal(GOLD, {**right, "taxi.leaveat": "10:00"}) == 0.0
    assert woz.joint_goal(GOLD, {"hotel.area": "north", "hotel.stars": "4"}) == 0.0


def test_dontcare_is_kept_as_a_value() -> None:
    gold = {"hotel.area": ("dontcare",)}
    assert woz.joint_goal(gold, {"hotel.area": "dontcare"}) == 1.0
    assert woz.joint_goal(gold, {}) == 0.0


def test_any_of_several_gold_values_is_right() -> None:
    gold = {"restaurant.pricerange": ("cheap", "moderate")}
    assert woz.joint_goal(gold, {"restaurant.pricerange": "moderate"}) == 1.0
    assert woz.joint_goal(gold, {"restaurant.pricerange": "expensive"}) == 0.0


def test_empty_states() -> None:
    assert woz.joint_goal({}, {}) == woz.joint_f1({}, {}) == woz.slot_accuracy({}, {}) == 1.0
    assert woz.joint_f1({}, {"hotel.area": "north"}) == 0.0
    assert woz.joint_f1(GOLD, {}) == 0.0
    assert woz.slot_accuracy({}, {"hotel.area": "north"}) == pytest.approx(29 / 30)
    assert woz.relative_slot_accuracy({}, {}) == 0.0  # as the public code has it
    assert woz.average_goal({}, {"hotel.area": "north"}) is None


@pytest.mark.parametrize(
    ("path", "written", "value"),
    [
        ("hotel.type", "guesthouse", "guest house"),
        ("hotel.type", "Guest Houses", "guest houses"),  # only what the list names
        ("restaurant.area", "Center", "centre"),
        ("hotel.area", "no", "north"),  # cut off: of an area only
        ("hotel.internet", "n", "no"),
        ("hotel.parking", "free", "yes"),
        ("hotel.internet", "free internet", "yes"),
        ("train.day", "no", "none"),
        ("train.day", "we", "wednesday"),
        ("hotel.area", "any", "dontcare"),
        ("hotel.area", "do n't care", "dontcare"),
        ("hotel.name", "not mentioned", "none"),
        ("hotel.name", "", "none"),
        ("hotel.stars", "4 stars", "4"),
        ("hotel.type", "4", "hotel"),  # the star of the hotel that stands in the wrong slot
        ("taxi.leaveat", "9:30", "09:30"),
        ("taxi.leaveat", "19:30", "19:30"),
        ("attraction.name", "Saint John 's  College", "saint john's college"),
        ("attraction.name", "saint john’s college", "saint john's college"),
        ("attraction.type", "gallery", "none"),
        ("attraction.name", "gallery", "gallery"),
    ],
)
def test_labels_are_mended_as_evaluations_share_it(path: str, written: str, value: str) -> None:
    assert mended(path, written) == value
    assert mended(path, value) == value  # what is mended stays
