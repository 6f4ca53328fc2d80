"""Decisions read back: which row of the table a recorded change was judged by."""

from __future__ import annotations

from typing import Final

from slotstate.decide.table import TABLE, Row
from slotstate.events import Excluded, Pended, Reason, SlotEvent, outcome_of
from slotstate.state import SlotState

_WITHOUT_EVIDENCE: Final[frozenset[Reason]] = frozenset(
    {"no_quote", "quote_not_found", "does_not_follow", "nothing_asked", "unknown_offer"}
)


def row_of(event: SlotEvent, before: SlotState) -> Row | None:
    """The row by which a user's words were judged; `before` is the slot as they found it. None for what does not come
    from the table: the application's calls, what came too late or several times in a turn, what no slot accepts, what
    the tracker worked out.
    """
    if event.source in {"app", "tool"} or event.kind == "superseded":
        return None
    if event.kind == "rejected" and event.grade == "none":
        return "none" if event.reason in _WITHOUT_EVIDENCE else None
    row = _row(event, before)
    return row if row is not None and _agrees(event, before, row) else None


def _agrees(event: SlotEvent, before: SlotState, row: Row) -> bool:
    """Whether the row says what became of it. What empties a part of a value overwrites the value."""
    cell = TABLE[row].cell(before.held.status)
    if isinstance(event, Pended):
        return (cell.outcome, cell.why) == ("pending", event.why)
    found = outcome_of(event)
    if event.op == "undo" or (isinstance(event, Excluded) and row.startswith("exclude held")):
        return cell.outcome != "pending"
    emptied = cell.outcome in {"emptied", "overwritten"} and found in {"emptied", "overwritten"}
    return cell.outcome == found or emptied


def _row(event: SlotEvent, before: SlotState) -> Row | None:
    meant = event.grade == "meant"
    match event.op:
        case "set" | "add" | "remove":
            return _value_row(event)
        case "clear":
            return "clear meant" if meant else "clear said"
        case "exclude":
            if not _inside(event, before):
                return "exclude other"
            return "exclude held meant" if meant else "exclude held said"
        case "deny":
            return "deny"
        case "confirm":
            if event.quote is None:
                return None
            return "confirm unasked" if event.kind == "rejected" else "confirm"
        case "undo":
            return "undo meant" if meant else "undo said"
        case _:
            return None


def _value_row(event: SlotEvent) -> Row | None:
    if event.kind in {"restated", "unchanged"}:
        return "set same"
    older = event.kind == "pending" and event.grade == "accepted"
    if event.op in {"add", "remove"}:
        if older:
            return "add remove accepted older"
        return "add remove meant" if event.grade == "meant" else "add remove said"
    match event.grade:
        case "said":
            return "set said"
        case "accepted":
            return "set accepted older" if older else "set accepted"
        case "meant":
            return "set meant"
        case _:
            return None


def _inside(event: SlotEvent, before: SlotState) -> bool:
    """Whether what is ruled out was held, or held among others."""
    if event.kind in {"emptied", "overwritten", "pending"}:
        return True
    held = before.held.value
    return isinstance(held, list | tuple) and event.value in held
