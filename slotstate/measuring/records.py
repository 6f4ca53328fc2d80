"""What a tracker did in a dialogue, turn by turn: all that the metrics need to know of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from slotstate.log import Entry
from slotstate.slots import Json


@dataclass(frozen=True, slots=True)
class Found:
    """What a slot holds: `value` as JSON, `words` as somebody in the dialogue put it, `quote` the user's evidence."""

    value: Json = None
    dontcare: bool = False
    words: str = ""
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed change and what became of it."""

    op: str
    path: str
    value: Json
    quote: str | None
    outcome: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Touched:
    """A confirmed slot that changed in a turn. `by_words`: the user's own words in that turn call for it, so that the
    tracker was bound to change it; without, the confirmed value was lost.
    """

    path: str
    before: Json
    after: Json
    by_words: bool


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """A user turn as the tracker took it. `turn` is its index in the dialogue, `held` what the slots hold after it.

    The rest is of a second tracker that takes the same proposals and whose right values are confirmed after each turn:
    how many were confirmed before the turn (`confirmed`), at which of them a change was aimed, and which changed.
    `told` are the entries since the record before that tell what a sensitive slot holds, was offered or was refused.
    """

    turn: int
    held: Mapping[str, Found]
    requested: tuple[str, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    extraction: Literal["ok", "partial", "failed", "skipped"] = "ok"
    error: str | None = None
    ms: float = 0.0
    tokens_in: int | None = None
    tokens_out: int | None = None
    confirmed: int = 0
    at_risk: tuple[str, ...] = ()
    touched: tuple[Touched, ...] = ()
    told: tuple[Entry, ...] = ()
