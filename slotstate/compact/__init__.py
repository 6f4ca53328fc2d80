"""Compaction: what becomes of tool results that are too long, and of turns that leave the window. All of it is pure."""

from slotstate.compact.commit import Commit, committed, patch_of
from slotstate.compact.items import Add, Amend, Drop, Patch, Span, Spoken, patched
from slotstate.compact.policy import ToolPolicy
from slotstate.compact.recall import recall_tool
from slotstate.compact.rules import EXTRACTIVE, RECALL, Rules
from slotstate.compact.summariser import Summariser, SummaryReply, SummaryRequest, checked_reply
from slotstate.compact.validation import Fault, faults

__all__ = [
    "EXTRACTIVE",
    "RECALL",
    "Add",
    "Amend",
    "Commit",
    "Drop",
    "Fault",
    "Patch",
    "Rules",
    "Span",
    "Spoken",
    "Summariser",
    "SummaryReply",
    "SummaryRequest",
    "ToolPolicy",
    "checked_reply",
    "committed",
    "faults",
    "patch_of",
    "patched",
    "recall_tool",
]
