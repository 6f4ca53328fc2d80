"""What the tracker works out by itself in a user turn: values gone stale, implicit confirmation, offers taken up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from slotstate.decide.deliberation import Deliberation
from slotstate.domains import Domains
from slotstate.errors import UnknownPath
from slotstate.events import Confirmed, Pended
from slotstate.extract import Change
from slotstate.parsing import (
    Folded,
    affirms,
    asks,
    bare_no,
    bare_yes,
    clears,
    corrects,
    find_choice,
    hesitates,
    refuses,
    restarts,
    undoes,
)
from slotstate.slots import UNSET, Json, SlotSpec
from slotstate.values import same, stands_in

MAX_CHOICE: Final = 4
"""Words of a turn that does no more than choose."""


def age(deliberation: Deliberation) -> None:
    """Mark values whose time to live ran out; none is emptied."""
    said = deliberation.said
    for path, spec in deliberation.domains.specs.items():
        slot = deliberation.state.slot(path)
        if spec.slot.ttl is None or slot.since is None or not slot.is_held or slot.pending is not None:
            continue
        if said.now - slot.since > spec.slot.ttl:
            deliberation.emit(
                Pended(
                    turn=said.turn,
                    step=deliberation.step,
                    at=said.now,
                    op="expire",
                    path=path,
                    sensitive=spec.slot.sensitive,
                    why="stale",
                    values=() if slot.held.dontcare else (slot.held.value,),
                    old="dontcare" if slot.held.dontcare else slot.held.value,
                    source="app",
                )
            )
            if slot.held.status == "confirmed":
                deliberation.aged[path] = deliberation.state.slot(path).held


def spoken_of(domains: Domains, proposed: Sequence[Change]) -> frozenset[str]:
    """The slots that proposed changes are about, whether these will count or not."""
    paths: set[str] = set()
    for change in proposed:
        try:
            paths.add(domains.resolve(change.path)[0].path)
        except UnknownPath:
            continue
    return frozenset(paths)


def confirm_implicitly(deliberation: Deliberation, proposed: Sequence[Change]) -> None:
    """Confirm what the assistant repeated and the user goes on from without objecting."""
    said = deliberation.said
    heard, words = said.heard, said.words
    if heard is None or not said.fresh or not words.text.strip():
        return
    if refuses(words) or corrects(words) or hesitates(words):
        return
    touched = spoken_of(deliberation.domains, proposed)
    for path, spec in deliberation.domains.specs.items():
        slot = deliberation.state.slot(path)
        if spec.slot.confirm != "implicit" or slot.held.status != "filled" or slot.held.dontcare:
            continue
        if slot.pending is not None or deliberation.outdated(path) or path in touched:
            continue
        told = slot.held.turn is not None and slot.held.turn < heard.turn
        if told and stands_in(spec, slot.held.value, heard.text, said.reading(spec)):
            deliberation.emit(
                Confirmed(
                    turn=said.turn,
                    step=deliberation.step,
                    at=said.now,
                    op="confirm",
                    path=path,
                    sensitive=spec.slot.sensitive,
                    value=slot.held.value,
                    old=slot.held.value,
                    grade="accepted",
                )
            )


def unproposed(deliberation: Deliberation, proposed: Sequence[Change]) -> list[Change]:
    """What a plain yes, no or choice says about slots on which the extractor was silent."""
    said = deliberation.said
    if said.heard is None:
        return []
    touched = spoken_of(deliberation.domains, proposed)
    silent = [spec for path, spec in deliberation.domains.specs.items() if path not in touched]
    found = [_taken_up(deliberation, spec) or _answered(deliberation, spec) for spec in silent]
    words = said.words
    doubtful = asks(words) or hesitates(words) is not None
    return [change for change in found if change is not None and not (doubtful and change.op != "deny")]


def _taken_up(deliberation: Deliberation, spec: SlotSpec) -> Change | None:
    """An offer of the last assistant turn that the user accepts, chooses from a list, or refuses."""
    said = deliberation.said
    offered: list[Json] = []
    for offer in said.offers(spec, deliberation.state.slot(spec.path)):
        if not any(same(spec, offer.value, other) for other in offered):
            offered.append(offer.value)
    if not offered:
        return None
    words = said.words
    held = deliberation.state.slot(spec.path).is_held
    choice = find_choice(words, len(offered)) if len(offered) > 1 else None
    if choice is not None:  # what is held gives way to a choice that says no more than that
        return (
            None
            if held and len(said.text.split()) > MAX_CHOICE
            else Change("set", spec.path, offered[choice], said.text)
        )
    if refuses(words) is not None:
        return Change("deny", spec.path, UNSET, said.text) if bare_no(words) else None
    yes = bare_yes(words) if held else affirms(words) is not None and not _goes_elsewhere(words)
    return Change("set", spec.path, offered[0], said.text) if yes and len(offered) == 1 else None


def _goes_elsewhere(words: Folded) -> bool:
    """Whether more than a yes was said that may take it back."""
    return any(cue(words) is not None for cue in (corrects, clears, restarts, undoes))


def _answered(deliberation: Deliberation, spec: SlotSpec) -> Change | None:
    """A bare yes or no to a question about a held slot: about its value, or the one that is pending."""
    said = deliberation.said
    slot = deliberation.state.slot(spec.path)
    if spec.path not in said.asked or not slot.is_held or said.heard is None or not said.fresh:
        return None
    words = said.words
    if spec.kind == "boolean" and slot.held.value is not True:
        return None  # "yes" would be a new answer, not a yes to the old one
    reading = said.reading(spec)
    if bare_no(words) and spec.kind != "boolean":
        return Change("deny", spec.path, UNSET, said.text)
    if not bare_yes(words):
        return None
    waiting = slot.pending.values if slot.pending is not None and slot.pending.why == "conflict" else ()
    if len(waiting) == 1:
        item = spec.kind == "list" and not isinstance(waiting[0], list)  # does it go or stay?
        if stands_in(spec.element if item else spec, waiting[0], said.heard.text, reading):
            return Change("add" if item else "set", spec.path, waiting[0], said.text)
    return Change("confirm", spec.path, UNSET, said.text) if not waiting else None
