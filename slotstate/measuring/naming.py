"""Figures in words: how each is called where people read it, and what it says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ABOUT: Final[Mapping[str, tuple[str, str]]] = {
    "jga": ("joint goal accuracy", "as the corpus' own evaluation counts it"),
    "jga_exact": ("joint goal accuracy, exact", "every slot of the unit right, values compared in canonical form"),
    "jga_turn": ("whole state exact", "every slot of every tracked service right after the turn"),
    "jga_categorical": ("… of categorical slots", "SGD: the product over the categorical slots of a frame"),
    "jga_noncategorical": ("… of other slots", "SGD: the product over the other slots of a frame"),
    "jga_across_turn": ("… of whole turns", "SGD's flag --joint_acc_across_turn: the product of a turn's frames"),
    "jga_no_fuzzy": ("… without fuzzy match", "SGD's flag --use_fuzzy_match=False: words to the letter"),
    "aga": ("average goal accuracy", "of the slots that should hold something, those that do rightly"),
    "slot_f1": ("slot F1", "mean over the units of the F1 of slots with their values"),
    "slot_accuracy": ("slot accuracy", "MultiWOZ: the share of the thirty slots without a mistake"),
    "relative_slot_accuracy": ("relative slot accuracy", "the same of the slots that are spoken of, mean of the turns"),
    "relative_slot_accuracy_pooled": ("… pooled", "the same, counted over all turns together"),
    "requested_f1": ("requested slots F1", "of the slots that the user asks about"),
    "intent_accuracy": ("intent accuracy", "a tracker tells no intents"),
    "precision": ("precision", "of the slots that hold something, those that hold the right value"),
    "recall": ("recall", "of the slots that should hold something, those that do rightly"),
    "invented_rate": ("invented slots", "of the slots that hold something, those that should hold nothing"),
    "lost_rate": ("lost values", "of right values that should stay, those not right after the next turn"),
    "corrections_caught": ("corrections caught", "of the values that the user replaced, those that are right then"),
}


def titled(name: str) -> str:
    """What a figure is called."""
    return ABOUT.get(name, (name, ""))[0]
