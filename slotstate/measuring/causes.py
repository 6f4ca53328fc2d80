"""Why a slot is wrong: what there was to read, and what the tracker did instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias, get_args

from slotstate.measuring.agreement import agree, agrees, stands
from slotstate.measuring.dialogues import Reference
from slotstate.measuring.records import Found, Proposal, TurnRecord
from slotstate.parsing import asks, fold, yes_no
from slotstate.slots import SlotSpec

Cause: TypeAlias = Literal[
    "extraction failed",
    "held back",
    "correction missed",
    "no preference missed",
    "given to another slot",
    "said, not read",
    "offered, not taken up",
    "from earlier, not carried over",
    "implied, not concluded",
    "wrong value",
    "overwritten",
    "emptied",
    "invented",
    "no preference invented",
    "not taken back",
]
CAUSES: Final[tuple[Cause, ...]] = get_args(Cause)
ABOUT: Final[Mapping[Cause, str]] = {
    "extraction failed": "the extractor gave no answer for the turn",
    "held back": "the extractor proposed the right value, and its evidence did not suffice",
    "correction missed": "the slot keeps its old value though the user changed it",
    "no preference missed": "the user does not care, and the slot does not say so",
    "given to another slot": "the value was read, into another slot",
    "said, not read": "the value stands in the user's turn",
    "offered, not taken up": "the value stands in what the assistant said last, and the user goes along",
    "from earlier, not carried over": "the value stands further back in the dialogue",
    "implied, not concluded": "the value stands nowhere in so many words",
    "wrong value": "the slot was given another value than it should have",
    "overwritten": "the slot was right, and was given another value",
    "emptied": "the slot was right, and was emptied",
    "invented": "the slot was given a value and should have none",
    "no preference invented": "the slot says that the user does not care, who has a preference or was not asked",
    "not taken back": "the slot keeps a value that the user took back",
}


@dataclass(frozen=True, slots=True)
class Mistake:
    """A slot that is wrong from this turn on."""

    dialogue: str
    turn: int
    path: str
    cause: Cause
    expected: str | None
    found: str | None
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Moment:
    """All about one slot around one turn. `earlier` are the texts before, newest first."""

    spec: SlotSpec
    before: Reference | None
    reference: Reference | None
    had: Found | None
    found: Found | None
    record: TurnRecord
    taken: Mapping[str, Found]
    """What other slots were given in the turn."""
    text: str
    earlier: Sequence[str]
    now: datetime


def cause_of(moment: Moment) -> Cause:
    """Why the slot is wrong after the turn."""
    one = moment
    unchanged = one.had == one.found
    if one.record.extraction == "failed" and unchanged:
        return "extraction failed"
    if one.reference is None:
        return _too_much(one, unchanged)
    if unchanged or one.found is None:
        return "emptied" if not unchanged and _was_right(one) else _missed(one, one.reference)
    if _was_right(one):
        return "overwritten"
    return "no preference invented" if one.found.dontcare else "wrong value"


def _too_much(one: Moment, unchanged: bool) -> Cause:
    if unchanged:
        return "not taken back"
    return "no preference invented" if one.found is not None and one.found.dontcare else "invented"


def _was_right(one: Moment) -> bool:
    """Whether the slot was right before, for a reference that has not changed."""
    if one.before is None or one.reference is None or not agree(one.before, one.reference):
        return False
    return agrees(one.spec, one.before, one.had, one.now)


def _missed(one: Moment, reference: Reference) -> Cause:
    if any(_is_right(proposal.value, one, reference) for proposal in _refused(one)):
        return "held back"
    if one.had is not None and one.before is not None and agrees(one.spec, one.before, one.had, one.now):
        return "correction missed"
    if reference.is_dontcare:
        return "no preference missed"
    if any(_is_right(found.value, one, reference) for found in one.taken.values()):
        return "given to another slot"
    if stands(one.spec, reference, one.text, one.now) or _answers(one, reference):
        return "said, not read"
    places = [stands(one.spec, reference, text, one.now) for text in one.earlier]
    if places and places[0]:
        return "offered, not taken up"
    return "from earlier, not carried over" if any(places) else "implied, not concluded"


def _answers(one: Moment, reference: Reference) -> bool:
    """Whether the user answers the assistant's question with a yes or no that is the value."""
    if one.spec.kind != "boolean" or not one.earlier or not asks(fold(one.earlier[0])):
        return False
    answer = yes_no(fold(one.text))
    return answer is not None and agrees(one.spec, reference, Found(answer), one.now)


def _refused(one: Moment) -> Iterator[Proposal]:
    outcomes = {"rejected", "pending", "superseded"}
    return (
        proposal
        for proposal in one.record.proposals
        if proposal.path == one.spec.path and proposal.outcome in outcomes and proposal.value is not None
    )


def _is_right(value: object, one: Moment, reference: Reference) -> bool:
    found = Found(dontcare=True) if value == "dontcare" else Found(value)
    return agrees(one.spec, reference, found, one.now)
