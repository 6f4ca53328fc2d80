"""What a value looks like beside what its slot is about, and where "one" counts nothing."""

from __future__ import annotations

import re
from typing import Final

from slotstate.extractors.builtin.learned.known import ANY
from slotstate.extractors.builtin.learned.nearness import sorts_of
from slotstate.slots import SlotSpec

_NUMBER: Final = re.compile(
    r"\d|\b(?:an?|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|"
    r"(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand|couple|"
    r"dozen|single|few|both|half|free|none|no|all|entire|whole|everything)\b",
    re.IGNORECASE,
)
_ALONE: Final = re.compile(
    r"\b(?:this|that|the|which|another|any|good|nice|first|second|other|new|different|no|each|every|cheap(?:er)?|better|"
    r"round|only) ones?\b|\bones?(?:[ -]?way\b|(?=\s*[.?!,]|\s*\Z)"
    r"|(?= (?:that|which|with|in|at|near|of|from|to|by|stop|more|is|has|where|there)\b))"
)
"""Where "one" stands for a thing, or for one direction, and counts nothing."""
_QUANTITIES: Final = (frozenset({"amount"}), frozenset({"count"}))


def looks_otherwise(spec: SlotSpec, value: str) -> bool:
    """Whether a free slot is about a number and a value is none."""
    if spec.kind != "text" or value == ANY or sorts_of(spec) not in _QUANTITIES:
        return False
    return _NUMBER.search(value) is None


def is_pronoun(text: str) -> bool:
    """Whether every "one" of a text counts nothing, and no digit does."""
    said = text.lower()
    return (
        "one" in said and re.search(r"\b1\b", said) is None and re.search(r"\bones?\b", _ALONE.sub(" ", said)) is None
    )
