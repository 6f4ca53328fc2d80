"""Hypothesis strategies for the slots of any domain: values, words that say them, good and hostile turns."""

from __future__ import annotations

from slotstate.testing.declared import domains
from slotstate.testing.hostile import changes, turns
from slotstate.testing.kinds import invalid_values, values
from slotstate.testing.words import Words, said

__all__ = ["Words", "changes", "domains", "invalid_values", "said", "turns", "values"]
