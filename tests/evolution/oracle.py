"""What two workers with different schemas should see in one log: told from what they did, by plain stacks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from slotstate import Slot
from tests.evolution.worlds import domain

KINDS: Mapping[str, Any] = {
    "text": str,
    "count": int,
    "small": Annotated[int, Field(le=9)],
    "names": list[str],
    "day": date,
    "seat": Literal["second", "first", "4"],
    "few": Literal["second", "4"],
}
VALUES: Mapping[str, list[Any]] = {
    "text": ["4", "hordes", "second", "2026-12-04"],
    "count": [3, 4, 12],
    "small": [3, 4],
    "names": [["hordes"], ["4"], ["hordes", "4"]],
    "day": [date(2026, 12, 4)],
    "seat": ["second", "first", "4"],
    "few": ["second", "4"],
}


def seen(value: Any, kind: str) -> Any:
    """A value of any of the kinds as one of this kind; None where it is none."""
    if isinstance(value, date):
        value = value.isoformat()
    if kind == "names":
        return value if isinstance(value, list) else [str(value)]
    if isinstance(value, list):
        return seen(value[0], kind) if len(value) == 1 else None
    match kind:
        case "text":
            return str(value)
        case "count" | "small":
            number = int(value) if str(value).isdigit() else None
            return None if kind == "small" and number is not None and number > 9 else number
        case "day":
            return date(2026, 12, 4) if value == "2026-12-04" else None
        case _:
            options = ("second", "first", "4") if kind == "seat" else ("second", "4")
            return str(value) if str(value) in options else None


@dataclass(frozen=True)
class Schema:
    """Kinds of slots by name, and their earlier names."""

    slots: Mapping[str, str]
    was: Mapping[str, str] = field(default_factory=dict)

    def model(self) -> type[BaseModel]:
        """The domain."""
        fields: Any = {
            name: Annotated[KINDS[kind], Slot(was=self.was.get(name, ()))] for name, kind in self.slots.items()
        }
        return domain(**fields)

    def present(self, name: str) -> str:
        """The slot that a name in the log means here."""
        earlier = {old: new for new, old in self.was.items()}
        return earlier.get(name, name)


@dataclass
class Told:
    """One slot's moments, the present one last: (value, status), or None for empty."""

    moments: list[tuple[Any, str] | None] = field(default_factory=lambda: [None])

    @property
    def now(self) -> tuple[Any, str] | None:
        return self.moments[-1]


@dataclass
class View:
    """What a worker of a schema should see."""

    schema: Schema
    slots: dict[str, Told] = field(default_factory=dict)

    def told(self, name: str) -> Told:
        return self.slots.setdefault(self.schema.present(name), Told())

    def hear(self, name: str, act: str, value: Any = None) -> None:
        """Something that anybody did to the slot that the log calls `name`."""
        told = self.told(name)
        match act:
            case "filled" | "confirmed":
                told.moments.append((value, act))
            case "emptied":
                told.moments.append(None)
            case "undone":
                del told.moments[-1]
                told.moments = told.moments or [None]

    def reset(self) -> None:
        for told in self.slots.values():
            if told.now is not None:
                told.moments.append(None)

    def shown(self, name: str) -> tuple[Any, str] | None:
        """What the slot shows: nothing where its value does not fit."""
        now = self.told(name).now
        value = None if now is None else seen(now[0], self.schema.slots[name])
        return None if now is None or value is None else (value, now[1])

    def held(self) -> dict[str, tuple[Any, str]]:
        names = ((name, self.shown(name)) for name in self.schema.slots)
        return {f"trip.{name}": found for name, found in names if found is not None}

    def aside(self) -> list[tuple[Any, str]]:
        """What is held by the log and shown by no slot."""
        known = self.schema.slots
        return [
            told.now
            for name, told in self.slots.items()
            if told.now is not None and (name not in known or self.shown(name) is None)
        ]
