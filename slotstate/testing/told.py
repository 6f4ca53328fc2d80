"""What the oracle keeps of a slot, and what it is told of a turn."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from slotstate.slots import Json


@dataclass(frozen=True)
class Kept:
    """What undo brings back. `turn` says when the value came, `step` what made it so."""

    status: str = "empty"
    value: Any = None
    excluded: tuple[Json, ...] = ()
    turn: float = -1
    step: int = 0


@dataclass
class Track:
    """One slot: what it holds, what it held, what is open."""

    kept: Kept = Kept()
    past: list[Kept] = field(default_factory=list[Kept])
    offers: list[tuple[Json, int]] = field(default_factory=list[tuple[Json, int]])
    pending: str | None = None
    waiting: tuple[Json, ...] = ()
    changed: float = -1
    since: datetime | None = None
    aged: int = -1
    asked: int = 0

    @property
    def asked_since(self) -> bool:
        """Whether a question stands that was raised in a later step than what it holds."""
        return self.pending in {"conflict", "ambiguous", "denied"} and self.asked > self.kept.step

    @property
    def last(self) -> int:
        """Its last step, the one to be taken back."""
        return self.asked if self.asked_since else self.kept.step

    @property
    def held(self) -> bool:
        """Whether it is filled or confirmed."""
        return self.kept.status != "empty"


@dataclass(frozen=True)
class Heard:
    """The assistant's last turn: when, its words, the slots it asked for, the values it offered (path, value, turn)."""

    turn: int
    text: str = ""
    asks: tuple[str, ...] = ()
    offers: tuple[tuple[str, Json, int], ...] = ()


@dataclass(frozen=True)
class Told:
    """A change as the generator knows it: how well it is supported ("said", "accepted", "older", "meant", "none")."""

    op: str
    path: str
    value: Any = None
    grade: str = "said"
    part: str | None = None
    replaces: bool = False


@dataclass(frozen=True)
class UserSays:
    """A user turn: when it was said, after what, what it supports. `plain` is a bare "yes" or "no"; `objects` says that
    the user did not simply go on, `fresh` that this is the first answer to what was heard; `rivals` are slots given
    several values with no correction between them.
    """

    turn: int
    at: datetime
    heard: Heard | None = None
    told: tuple[Told, ...] = ()
    plain: str | None = None
    objects: bool = False
    fresh: bool = True
    rivals: tuple[str, ...] = ()
