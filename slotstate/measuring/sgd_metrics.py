"""The metrics of SGD (Rastogi et al. 2020), as google-research/google-research defines them in
schema_guided_dst/metrics.py (at c81395588a61) and evaluate.py (at 1acdadcc599f).

The unit is a frame: a user turn and a service that the corpus gives a frame in it. A figure is the mean over frames
that have it; None stands where a frame has not. Values are texts; a slot's gold values are all the ways in which the
corpus writes its value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from slotstate.measuring.fuzzy import token_sort_ratio

Gold = Mapping[str, Sequence[str]]
Predicted = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class GoalScore:
    """How well the state of a service was tracked in one frame, each from 0 to 1."""

    joint: float
    joint_categorical: float | None
    joint_noncategorical: float | None
    average: float | None


def slot_scores(
    gold: Gold, predicted: Predicted, slots: Mapping[str, bool], *, fuzzy: bool = True
) -> Mapping[str, float]:
    """How right each slot of a service is, from 0 to 1. `slots` are all of them, and whether each is categorical.

    Held by both: a categorical one is right when it is the first gold value to the letter; another one as much as it is
    like the gold value that it is most like, or, without `fuzzy`, when it is one of them to the letter. Held by one
    side only: 0. By none: 1.
    """
    return {slot: _slot_score(gold.get(slot), predicted.get(slot), of, fuzzy) for slot, of in slots.items()}


def _slot_score(gold: Sequence[str] | None, predicted: str | None, categorical: bool, fuzzy: bool) -> float:
    if not gold or predicted is None:
        return float(not gold and predicted is None)
    if categorical:
        return float(gold[0] == predicted)
    if not fuzzy:
        return float(predicted in gold)
    return max(token_sort_ratio(value, predicted) for value in gold) / 100


def goal_score(gold: Gold, predicted: Predicted, slots: Mapping[str, bool], *, fuzzy: bool = True) -> GoalScore:
    """Joint and average goal accuracy of a frame.

    Joint goal accuracy is the product over all slots of the service, whatever the intent: a soft value, not 0 or 1.
    Average goal accuracy is the mean over the slots that gold holds: what is predicted beyond them costs nothing.
    """
    scores = slot_scores(gold, predicted, slots, fuzzy=fuzzy)
    held = [scores[slot] for slot in slots if gold.get(slot)]
    return GoalScore(
        prod(scores.values()),
        _joint(scores[slot] for slot, categorical in slots.items() if categorical),
        _joint(scores[slot] for slot, categorical in slots.items() if not categorical),
        sum(held) / len(held) if held else None,
    )


def _joint(scores: Iterable[float]) -> float | None:
    found = list(scores)
    return prod(found) if found else None


def joint_across_turn(frames: Iterable[GoalScore]) -> float:
    """The joint goal accuracy of a whole turn, as the flag --joint_acc_across_turn has it: the frames' product."""
    return prod(frame.joint for frame in frames)


def intent_accuracy(gold: str, predicted: str) -> float:
    """1 when the active intent is the gold one, else 0."""
    return float(gold == predicted)


def requested_f1(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """F1 of the slots that the user asks about, as multisets.

    Precision is 1 when nothing is predicted, recall is 1 when gold has nothing, so that a frame without either counts
    1.0: the docstring of the original says that such frames are left out, its code does not.
    """
    common = (Counter(gold) & Counter(predicted)).total()
    precision = common / len(predicted) if predicted else 1.0
    recall = common / len(gold) if gold else 1.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
