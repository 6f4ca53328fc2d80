"""How the known-answer tables are read: "quoted part=value|value; …" for a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from slotstate.parsing.found import Found

NOW = datetime(2024, 5, 15, 12, 0, tzinfo=ZoneInfo("Europe/Berlin"))
"""A Wednesday."""


def told(text: str, found: Sequence[Found[Any]], show: Callable[[Any], str] = str) -> str:
    """The findings in the notation of the tables."""
    return "; ".join(
        f"{text[a:b]}={'|'.join(map(show, values))}" for (a, b), values in ((f.span, f.values) for f in found)
    )
