"""What providers' prompt caches do: their rules as data, a simulator, and the reading of what they report."""

from __future__ import annotations

from slotstate.caching.profiles import Model, Profile, Rule, find_profile, profile_names
from slotstate.caching.report import CacheReport, Verdict, compare
from slotstate.caching.simulator import CacheSimulator, Charge, Piece, Request, charge, expected_read
from slotstate.caching.usage import read_usage

__all__ = [
    "CacheReport",
    "CacheSimulator",
    "Charge",
    "Model",
    "Piece",
    "Profile",
    "Request",
    "Rule",
    "Verdict",
    "charge",
    "compare",
    "expected_read",
    "find_profile",
    "profile_names",
    "read_usage",
]
