"""Which row of the decision table a recorded change came from, told from the event and the slot that it found."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from slotstate.decide.rows import row_of
from slotstate.events import (
    Confirmed,
    Denied,
    Emptied,
    Excluded,
    Filled,
    Overwritten,
    Pended,
    Rejected,
    Restated,
    SlotEvent,
    Superseded,
    Unchanged,
    Undone,
)
from slotstate.state import Held, SlotState

EMPTY = SlotState()
FILLED = SlotState(Held("filled", "Oslo"))
CONFIRMED = SlotState(Held("confirmed", "Oslo"))
LISTED = SlotState(Held("filled", ["Oslo", "Rome"]))
SURE = SlotState(Held("confirmed", ["Oslo", "Rome"]))


def made(kind: type[Any], op: str, grade: str | None = "said", **more: Any) -> SlotEvent:
    about = {"turn": 1, "step": 1, "at": datetime(2026, 3, 2, tzinfo=UTC), "path": "trip.city", "quote": "so"}
    event: SlotEvent = kind(**{**about, "op": op, "grade": grade, **more})
    return event


def pended(op: str, grade: str, why: str = "conflict") -> SlotEvent:
    return made(Pended, op, grade, why=why)


@pytest.mark.parametrize(
    ("event", "before", "row"),
    [
        (made(Filled, "set"), EMPTY, "set said"),
        (made(Overwritten, "set"), CONFIRMED, "set said"),
        (made(Filled, "set", "accepted", source="offer"), EMPTY, "set accepted"),
        (pended("set", "accepted"), FILLED, "set accepted older"),
        (made(Overwritten, "set", "meant"), FILLED, "set meant"),
        (pended("set", "meant"), CONFIRMED, "set meant"),
        (made(Restated, "set"), CONFIRMED, "set same"),
        (made(Filled, "add"), EMPTY, "add remove said"),
        (pended("remove", "accepted"), LISTED, "add remove accepted older"),
        (made(Overwritten, "remove", "meant"), LISTED, "add remove meant"),
        (made(Emptied, "remove"), FILLED, "add remove said"),
        (made(Emptied, "clear"), CONFIRMED, "clear said"),
        (made(Overwritten, "clear"), LISTED, "clear said"),
        (made(Unchanged, "clear", "meant"), EMPTY, "clear meant"),
        (pended("clear", "meant"), CONFIRMED, "clear meant"),
        (made(Excluded, "exclude", value="Rome"), FILLED, "exclude other"),
        (made(Excluded, "exclude", value="Rome"), LISTED, "exclude held said"),
        (made(Overwritten, "exclude", value=["Oslo"]), LISTED, "exclude held said"),
        (made(Emptied, "exclude", "meant", excludes=True), FILLED, "exclude held meant"),
        (pended("exclude", "meant"), SURE, "exclude held meant"),
        (made(Denied, "deny"), FILLED, "deny"),
        (made(Confirmed, "confirm", "accepted"), FILLED, "confirm"),
        (made(Rejected, "confirm", "accepted", reason="nothing_asked"), FILLED, "confirm unasked"),
        (made(Undone, "undo", result="filled"), EMPTY, "undo said"),
        (made(Undone, "undo", "meant", result="emptied"), FILLED, "undo meant"),
        (pended("undo", "meant"), CONFIRMED, "undo meant"),
        (made(Rejected, "set", "none", reason="quote_not_found"), FILLED, "none"),
        # What does not come from the table.
        (made(Rejected, "set", "none", reason="invalid_value"), FILLED, None),
        (made(Rejected, "set", "said", reason="invalid_value"), FILLED, None),
        (made(Filled, "set", None, source="app"), EMPTY, None),
        (made(Filled, "set", None, source="tool"), EMPTY, None),
        (made(Filled, "set", None), EMPTY, None),
        (made(Superseded, "set"), FILLED, None),
        (pended("set", "said", "ambiguous"), FILLED, None),
        (made(Confirmed, "confirm", "accepted", quote=None), FILLED, None),
        (made(Unchanged, "exclude", value="Rome"), FILLED, None),
        (made(Rejected, "request", "said", reason="not_allowed"), FILLED, None),
    ],
)
def test_the_row_is_told(event: SlotEvent, before: SlotState, row: str | None) -> None:
    assert row_of(event, before) == row
