"""Offered values told apart by comparing them ("the later one", "the cheaper one", 早一点的那个)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.lexicon import Extreme
from slotstate.extractors.builtin.profile import NUMERIC, Profile
from slotstate.parsing.matching import compiled
from slotstate.slots import Json


def extreme_meant(turn: Context) -> Extreme | None:
    """Which end of what is offered the turn picks, when it does no more than that."""
    words = turn.words.text.strip(" ,.!。")
    found: set[Extreme] = {
        extreme
        for lexicon in turn.words.languages
        for extreme, pattern in lexicon.compared.items()
        if compiled(pattern).fullmatch(words) is not None
    }
    return found.pop() if len(found) == 1 else None


def at_extreme(one: Profile, values: Sequence[Json], extreme: Extreme) -> Json:
    """The value at that end, of two or more that can be compared in that way; None for none."""
    timed = extreme in {"earliest", "latest"}
    keys = _moments(one, values) if timed else _amounts(one, values)
    if len(keys) != len(values) or len(set(keys)) < 2 or not _comparable(keys):
        return None
    best = min(keys) if extreme in {"earliest", "cheapest"} else max(keys)
    return values[keys.index(best)] if keys.count(best) == 1 else None


def _moments(one: Profile, values: Sequence[Json]) -> list[Any]:
    match one.kind:
        case "date":
            return [date.fromisoformat(str(value)) for value in values]
        case "time":
            return [time.fromisoformat(str(value)) for value in values]
        case "datetime":
            return [datetime.fromisoformat(str(value)) for value in values]
        case _:
            return []


def _amounts(one: Profile, values: Sequence[Json]) -> list[Any]:
    if one.kind in NUMERIC and "price" in one.concepts:
        return [Decimal(str(value)) for value in values]
    amounts = [value for value in values if isinstance(value, dict)] if one.kind == "money" else []
    if len({amount["currency"] for amount in amounts}) != 1:
        return []
    return [Decimal(str(amount["value"])) for amount in amounts]


def _comparable(keys: Sequence[Any]) -> bool:
    """Whether all moments have a zone, or none has."""
    return len({getattr(key, "tzinfo", None) is None for key in keys}) == 1
