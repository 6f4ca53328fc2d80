"""Slots as the oracle expects them and as a chat shows them, side by side."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from slotstate.contract import View
from slotstate.slots import DONTCARE, Json, SlotSpec
from slotstate.testing.told import Track
from slotstate.values import jsonable


def interest(spec: SlotSpec) -> float:
    """How often a slot comes up: more often with rules of its own, rarely where users cannot change it."""
    slot = spec.slot
    if slot.evidence == "tool":
        return 0.5
    rules = (
        slot.confirm == "implicit",
        slot.ttl,
        slot.share,
        slot.evidence == "user",
        slot.dont_care,
        spec.fields,
        spec.item,
    )
    return 1 + sum(map(bool, rules))


def expected_of(track: Track) -> dict[str, Any]:
    """What a view of the slot must show."""
    kept = track.kept
    care = kept.value is not DONTCARE
    return {
        "status": kept.status,
        "value": kept.value if care else None,
        "dontcare": not care,
        "excluded": list(kept.excluded),
        "offers": [value for value, _ in track.offers],
        "pending": track.pending,
    }


def seen_in(found: View) -> dict[str, Any]:
    """What a view shows, in the same terms."""
    return {
        "status": found.status,
        "value": jsonable(found.value),
        "dontcare": found.dontcare,
        "excluded": jsonable(found.excluded),
        "offers": [jsonable(offer.value) for offer in found.offers],
        "pending": found.pending.why if found.pending else None,
    }


def holds_null(value: Json) -> bool:
    """Whether a value is null, or has a null inside."""
    parts: Iterable[Json] = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value is None or any(map(holds_null, parts))
