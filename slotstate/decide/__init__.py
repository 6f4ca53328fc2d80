"""Decide: pure code judges proposed changes by their evidence. (state, domains, turn, changes) → events."""

from slotstate.decide.application import app_clear, app_confirm, app_reset, app_set, app_undo
from slotstate.decide.context import Said, asked_slots
from slotstate.decide.evidence import listed_options
from slotstate.decide.turns import decide, requested_slots

__all__ = [
    "Said",
    "app_clear",
    "app_confirm",
    "app_reset",
    "app_set",
    "app_undo",
    "asked_slots",
    "decide",
    "listed_options",
    "requested_slots",
]
