"""The report of an evaluation: one HTML page that holds all it shows, and fetches nothing."""

from slotstate.evaluating.page.rendering import render

__all__ = ["render"]
