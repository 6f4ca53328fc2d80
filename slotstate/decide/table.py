"""The decision table: what a change does to a slot, by its evidence and by what the slot holds.

This is the whole policy. `docs/decision-table.md` is generated from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from slotstate.events import Outcome, Reason, Why
from slotstate.state import Status

Row = Literal[
    "set said",
    "set accepted",
    "set accepted older",
    "set meant",
    "set same",
    "add remove said",
    "add remove accepted older",
    "add remove meant",
    "clear said",
    "clear meant",
    "exclude other",
    "exclude held said",
    "exclude held meant",
    "deny",
    "confirm",
    "confirm unasked",
    "undo said",
    "undo meant",
    "none",
]


@dataclass(frozen=True, slots=True)
class Cell:
    """What becomes of a change: its outcome, why the slot is pending then, and the reason that is recorded."""

    outcome: Outcome
    why: Why | None = None
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """One row: what it is about, in words, and a cell for each status of the slot."""

    about: str
    empty: Cell
    filled: Cell
    confirmed: Cell

    def cell(self, status: Status) -> Cell:
        """The cell for a slot of this status."""
        return {"empty": self.empty, "filled": self.filled, "confirmed": self.confirmed}[status]


_FILLED = Cell("filled")
_OVERWRITTEN = Cell("overwritten")
_EMPTIED = Cell("emptied")
_EXCLUDED = Cell("excluded")
_DENIED = Cell("denied")
_RESTATED = Cell("restated")
_UNCHANGED = Cell("unchanged")
_CONFLICT = Cell("pending", "conflict", "does_not_follow")
_OLDER = Cell("pending", "conflict")
_REJECTED = Cell("rejected")
_UNASKED = Cell("rejected", reason="nothing_asked")

TABLE: Final[Mapping[Row, Rule]] = MappingProxyType(
    {
        "set said": Rule("set v, said", _FILLED, _OVERWRITTEN, _OVERWRITTEN),
        "set accepted": Rule("set v, accepted from the last assistant turn", _FILLED, _OVERWRITTEN, _OVERWRITTEN),
        "set accepted older": Rule("set v, accepted from an older open offer", _FILLED, _OLDER, _OLDER),
        "set meant": Rule("set v, meant", _FILLED, _OVERWRITTEN, _CONFLICT),
        "set same": Rule("set the held value again", _UNCHANGED, _RESTATED, _RESTATED),
        "add remove said": Rule("add or remove, said or accepted", _FILLED, _OVERWRITTEN, _OVERWRITTEN),
        "add remove accepted older": Rule("add or remove, accepted from an older open offer", _FILLED, _OLDER, _OLDER),
        "add remove meant": Rule("add or remove, meant", _FILLED, _OVERWRITTEN, _CONFLICT),
        "clear said": Rule("clear, said", _UNCHANGED, _EMPTIED, _EMPTIED),
        "clear meant": Rule("clear, meant", _UNCHANGED, _EMPTIED, _CONFLICT),
        "exclude other": Rule("exclude a value that is not held", _EXCLUDED, _EXCLUDED, _EXCLUDED),
        "exclude held said": Rule("exclude the held value, said", _EXCLUDED, _EMPTIED, _EMPTIED),
        "exclude held meant": Rule("exclude the held value, meant", _EXCLUDED, _EMPTIED, _CONFLICT),
        "deny": Rule("deny", _DENIED, _DENIED, _DENIED),
        "confirm": Rule(
            "confirm what the last assistant turn repeats or asks for", _UNASKED, Cell("confirmed"), _UNCHANGED
        ),
        "confirm unasked": Rule("confirm what nobody asked about", _UNASKED, _UNASKED, _UNCHANGED),
        "undo said": Rule("undo, said", _OVERWRITTEN, _OVERWRITTEN, _OVERWRITTEN),
        "undo meant": Rule("undo, meant", _OVERWRITTEN, _OVERWRITTEN, _CONFLICT),
        "none": Rule("anything, without evidence", _REJECTED, _REJECTED, _REJECTED),
    }
)

NOTES: Final[Mapping[Row, str]] = MappingProxyType(
    {
        "set said": "the slot is filled afterwards: a confirmed value loses its confirmation with its place",
        "set same": "what was pending is settled; a confirmed slot stays confirmed",
        "deny": "offers close; a held value stays, counts as filled and is pending: denied",
        "exclude held said": "the value is ruled out as well",
        "undo said": "takes back the slot's last step: what it held before is back, value, status and exclusions; "
        "where the last words only raised a question, that is closed and what the slot holds is restated",
    }
)


def as_markdown() -> str:
    """The table as the documentation shows it."""
    lines = ["| change | slot empty | slot filled | slot confirmed |", "|---|---|---|---|"]
    for row, rule in TABLE.items():
        cells = " | ".join(_shown(cell) for cell in (rule.empty, rule.filled, rule.confirmed))
        note = f" ({NOTES[row]})" if row in NOTES else ""
        lines.append(f"| {rule.about}{note} | {cells} |")
    return "\n".join(lines) + "\n"


def _shown(cell: Cell) -> str:
    why = f": {cell.why}" if cell.why else ""
    return f"{cell.outcome}{why}"
