"""The metrics of MultiWOZ, a value a user turn: G is the reference state, P the predicted one, both of the whole
dialogue so far and over all domains, values as `multiwoz_labels.mended` writes them.

Slots with "none" are in neither; "dontcare" is a value. A label that allows several values ("a|b") is met by any of
them, as in IC-DST and RefPyDST (evaluate_metrics.py).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

State = Mapping[str, Collection[str]]
"""The values that are right, by slot."""
Predicted = Mapping[str, str]
SLOTS = 30


def _right(gold: State, predicted: Predicted) -> set[str]:
    return {slot for slot, value in predicted.items() if value in gold.get(slot, ())}


def joint_goal(gold: State, predicted: Predicted) -> float:
    """Joint goal accuracy: 1 when G = P, else 0 (Wu et al. 2019; jasonwu0731/trade-dst, models/TRADE.py)."""
    return float(len(gold) == len(predicted) == len(_right(gold, predicted)))


def slot_accuracy(gold: State, predicted: Predicted, slots: int = SLOTS) -> float:
    """(30 - M - W) / 30: M pairs of G are not in P, W pairs of P are of no slot of G (TRADE: a slot counts once)."""
    missed = gold.keys() - _right(gold, predicted)
    wrong = predicted.keys() - gold.keys()
    return (slots - len(missed) - len(wrong)) / slots


def joint_f1(gold: State, predicted: Predicted) -> float:
    """F1 of the pairs of P against those of G; with G empty 1 when P is empty too, else 0 (TRADE)."""
    if not gold:
        return float(not predicted)
    right = len(_right(gold, predicted))
    return 2 * right / (len(gold) + len(predicted))


def relative_slot_counts(gold: State, predicted: Predicted) -> tuple[int, int]:
    """(right, all) of the relative slot accuracy: all slots that G or P hold, and those of them without a mistake.

    Kim et al. 2022, "Mismatch between Multi-turn Dialogue and its Evaluation Metric in Dialogue State Tracking":
    (T* - M - W) / T*, M slots of G that P does not hold, W pairs of P that are not in G.
    """
    spoken = gold.keys() | predicted.keys()
    return len(_right(gold, predicted)), len(spoken)


def relative_slot_accuracy(gold: State, predicted: Predicted) -> float:
    """The relative slot accuracy of a turn; 0 where neither holds anything, as cuthalionn/Granular_Change_Accuracy has
    it (src/compute_accuracies.py). Another implementation pools the counts of all turns.
    """
    right, spoken = relative_slot_counts(gold, predicted)
    return right / spoken if spoken else 0.0


def average_goal(gold: State, predicted: Predicted) -> float | None:
    """Average goal accuracy: the share of G's pairs that stand in P; None where G is empty."""
    return len(_right(gold, predicted)) / len(gold) if gold else None
