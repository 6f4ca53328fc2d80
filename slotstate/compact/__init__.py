"""Compaction: what becomes of tool results that are too long, and of turns that leave the window. All of it is pure."""

from slotstate.compact.items import Add, Amend, Drop, Patch, Span, Spoken, patched

__all__ = ["Add", "Amend", "Drop", "Patch", "Span", "Spoken", "patched"]
