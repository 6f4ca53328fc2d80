"""Faults seeded into the decision and the reducer: each must be caught by the machine that ships."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from types import MappingProxyType
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from slotstate import Slot, conversation, state
from slotstate.chat import Chat
from slotstate.decide import deliberation, drafts, evidence, implied, rivals, turns
from slotstate.decide.compound import put
from slotstate.decide.deliberation import Deliberation
from slotstate.decide.table import TABLE, Cell
from slotstate.domains import compile_domains
from slotstate.events import Confirmed, Emptied, Rejected, Restated
from slotstate.extract import Change
from slotstate.slots import UNSET
from slotstate.state import Held, SlotState
from tests.promises.talk import Hotel


class Trip(BaseModel):
    """A slot for each rule that a fault could break."""

    city: Annotated[str | None, Slot(share="place")] = None
    town: Annotated[str | None, Slot(confirm="implicit")] = None
    people: Annotated[int | None, Slot(ttl=timedelta(hours=2))] = None
    avoid: Annotated[list[str], Slot()] = []
    hotel: Annotated[Hotel | None, Slot()] = None
    quota: Annotated[int | None, Slot(evidence="tool")] = None


class Support(BaseModel):
    """The domain next door."""

    city: Annotated[str, Slot(share="place")]


DOMAINS = compile_domains((Trip, Support))
Patch = pytest.MonkeyPatch
EMPTY = SlotState()


@dataclass(frozen=True)
class Mutant:
    """A fault by name, and how it gets in."""

    name: str
    seed: Callable[[Patch], None]


MUTANTS: list[Mutant] = []


def mutant(seed: Callable[[Patch], None]) -> Callable[[Patch], None]:
    MUTANTS.append(Mutant(seed.__name__, seed))
    return seed


def cell(patch: Patch, row: Any, **cells: Any) -> None:
    """Change cells of the decision table."""
    patch.setattr(deliberation, "TABLE", MappingProxyType({**TABLE, row: replace(TABLE[row], **cells)}))


def after(patch: Patch, module: Any, name: str, change: Callable[..., Any]) -> None:
    """Let `change(result, *arguments)` replace what a function returns."""
    original = getattr(module, name)
    patch.setattr(module, name, lambda *args, **named: change(original(*args, **named), *args))


# The table


@mutant
def meant_overwrites_confirmed(patch: Patch) -> None:
    cell(patch, "set meant", confirmed=Cell("overwritten"))


@mutant
def older_offer_overwrites(patch: Patch) -> None:
    cell(patch, "set accepted older", filled=Cell("overwritten"), confirmed=Cell("overwritten"))


@mutant
def meant_clear_empties_confirmed(patch: Patch) -> None:
    cell(patch, "clear meant", confirmed=Cell("emptied"))


@mutant
def meant_exclusion_empties_confirmed(patch: Patch) -> None:
    cell(patch, "exclude held meant", confirmed=Cell("emptied"))


@mutant
def said_does_not_overwrite_confirmed(patch: Patch) -> None:
    cell(patch, "set said", confirmed=Cell("pending", "conflict"))


@mutant
def anything_confirms(patch: Patch) -> None:
    cell(patch, "confirm unasked", filled=Cell("confirmed"))


@mutant
def unsupported_set_counts(patch: Patch) -> None:
    patch.setattr(evidence, "find_quote", lambda quote, text, *_, **__: [(0, len(text.original))])


# The decision


@mutant
def null_clears(patch: Patch) -> None:
    def emptied(changes: Any) -> list[Change]:
        return [Change("clear", one.path, UNSET, one.quote) if one.value is None else one for one in changes]

    original: Any = vars(conversation)["decide"]
    patch.setattr(
        conversation,
        "decide",
        lambda state, domains, said, changes, more: original(state, domains, said, emptied(changes), more),
    )


@mutant
def silence_empties(patch: Patch) -> None:
    def and_empties(events: Any, now: Any, domains: Any, said: Any, changes: Any, _: Any) -> Any:
        spoken = {change.path for change in changes}
        silent = [path for path, slot in now.slots.items() if slot.held.status == "filled" and path not in spoken]
        about = {"turn": said.turn, "step": now.step + 1, "at": said.now, "op": "clear"}
        return (*events, *(Emptied(path=path, **about) for path in silent[:1] if changes))

    after(patch, conversation, "decide", and_empties)


@mutant
def late_change_wins(patch: Patch) -> None:
    patch.setattr(Deliberation, "outdated", lambda self, path: False)


@mutant
def accepted_from_nowhere(patch: Patch) -> None:
    patch.setattr(evidence, "_put_forward", lambda *_: True)


@mutant
def negation_is_not_heard(patch: Patch) -> None:
    patch.setattr(evidence, "is_negated", lambda *_: False)


@mutant
def list_set_replaces_without_a_cue(patch: Patch) -> None:
    patch.setattr(deliberation, "put", lambda spec, held, items, replaces: put(spec, held, items, True))


@mutant
def composite_set_drops_other_fields(patch: Patch) -> None:
    patch.setattr(deliberation, "merge", lambda spec, held, parts: parts)


@mutant
def tool_slots_are_open_to_all(patch: Patch) -> None:
    after(
        patch,
        drafts,
        "_not_allowed",
        lambda problem, change, spec, _: None if spec.slot.evidence == "tool" else problem,
    )


@mutant
def last_of_two_values_wins(patch: Patch) -> None:
    patch.setattr(turns, "without_rivals", lambda deliberation, drafts: drafts)


@mutant
def corrections_are_not_noticed(patch: Patch) -> None:
    patch.setattr(rivals, "_correction_point", lambda *_: 0)


@mutant
def order_is_by_proposal_backwards(patch: Patch) -> None:
    original: Any = vars(turns)["without_rivals"]
    patch.setattr(turns, "without_rivals", lambda deliberation, drafts: original(deliberation, drafts)[::-1])


@mutant
def going_on_confirms_what_was_not_repeated(patch: Patch) -> None:
    patch.setattr(implied, "stands_in", lambda *_: True)


@mutant
def values_never_go_stale(patch: Patch) -> None:
    patch.setattr(turns, "age", lambda *_: None)


@mutant
def a_yes_is_not_understood_without_a_proposal(patch: Patch) -> None:
    patch.setattr(turns, "unproposed", lambda *_: [])


@mutant
def read_turns_are_read_again(patch: Patch) -> None:
    patch.setattr(Chat, "_is_read", lambda *_: False)


# The reducer


@mutant
def rejected_value_empties(patch: Patch) -> None:
    after(patch, state, "_decided", lambda new, old, event: EMPTY if isinstance(event, Rejected) else new)


@mutant
def restated_lowers_status(patch: Patch) -> None:
    def lowered(new: SlotState, old: SlotState, event: Any) -> SlotState:
        return replace(new, held=replace(new.held, status="filled")) if isinstance(event, Restated) else new

    after(patch, state, "_decided", lowered)


@mutant
def confirmed_is_ignored(patch: Patch) -> None:
    after(patch, state, "_decided", lambda new, old, event: old if isinstance(event, Confirmed) else new)


@mutant
def reset_reaches_other_domains(patch: Patch) -> None:
    original: Any = vars(state)["_reset"]

    def all_of_them(now: Any, event: Any) -> Any:
        for name in {path.split(".")[0] for path in now.slots} | {event.domain}:
            now = original(now, event.model_copy(update={"domain": name, "slots": None}))
        return now

    patch.setattr(state, "_reset", all_of_them)


@mutant
def undo_drops_exclusions(patch: Patch) -> None:
    after(patch, state, "_undo", lambda new, *_: replace(new, held=replace(new.held, excluded=())))


@mutant
def undo_forgets_confirmation(patch: Patch) -> None:
    def lowered(new: SlotState, *_: Any) -> SlotState:
        return replace(new, held=replace(new.held, status="filled")) if new.is_held else new

    after(patch, state, "_undo", lowered)


@mutant
def expiry_empties(patch: Patch) -> None:
    after(patch, state, "_pend", lambda new, old, event: replace(new, held=Held()) if event.why == "stale" else new)


@mutant
def history_is_not_kept(patch: Patch) -> None:
    patch.setattr(state, "_remembered", lambda slot, step: slot.history)


@mutant
def deny_leaves_offers_open(patch: Patch) -> None:
    after(patch, state, "_deny", lambda new, old, event: replace(new, offers=old.offers))


@mutant
def deny_leaves_confirmed(patch: Patch) -> None:
    after(patch, state, "_deny", lambda new, old, event: replace(new, held=old.held))


@mutant
def exclusions_are_never_lifted(patch: Patch) -> None:
    after(
        patch, state, "_hold", lambda new, old, event: replace(new, held=replace(new.held, excluded=old.held.excluded))
    )


@mutant
def a_shared_value_is_copied(patch: Patch) -> None:
    def copied(new: Any, old: Any, offers: Any) -> Any:
        slots = dict(new.slots)
        for offer in offers:
            if offer.by == "share":
                slots[offer.path] = replace(slots[offer.path], held=Held("filled", offer.value))
        return replace(new, slots=slots)

    after(patch, state, "_open", copied)


@mutant
def pending_is_forgotten(patch: Patch) -> None:
    after(patch, state, "_pend", lambda new, *_: replace(new, pending=None))
