"""Deciding a user turn: (state, domains, turn, changes) → events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from slotstate.decide.context import Said
from slotstate.decide.deliberation import Deliberation
from slotstate.decide.drafts import Draft, Refusal, draft, whole_domain
from slotstate.decide.evidence import Claim, Evidence, weigh
from slotstate.domains import Domains
from slotstate.events import AnyEvent, Confirmed, Pended, Superseded
from slotstate.extract import Change
from slotstate.parsing import affirms, asks, bare_no, bare_yes, corrects, find_choice, fold, hesitates, refuses
from slotstate.slots import UNSET, Json, SlotSpec
from slotstate.state import State
from slotstate.values import place, same, stands_in

LAST = {"confirm", "deny"}
"""Operations judged after all others of their turn."""


def decide(state: State, domains: Domains, said: Said, changes: Sequence[Change]) -> tuple[AnyEvent, ...]:
    """The events that a user turn causes: proposed changes weighed against the table, and what the tracker works out by
    itself (values gone stale, implicit confirmation, offers taken up without a proposal).

    Never raises for what an extractor proposes: a change that cannot count is an event as well.
    """
    deliberation = Deliberation(domains, said, state, state.step + 1)
    _age(deliberation)
    proposed = [change for change in changes if change.op != "request"]
    _confirm_implicitly(deliberation, proposed)
    drafts: list[Draft] = []
    for change in [*proposed, *_unproposed(deliberation, proposed)]:
        if change.op == "start" or whole_domain(change, domains) is not None:
            drafts += _start(deliberation, change)
            continue
        made = draft(change, domains, deliberation.state, said)
        if isinstance(made, Refusal):
            deliberation.refuse(made)
        else:
            drafts.append(made)
    drafts.sort(key=lambda one: (one.claim.op in LAST, one.offset))  # stable: as proposed where words say nothing
    for one in _without_rivals(deliberation, drafts):
        deliberation.judge(one)
    return tuple(deliberation.events)


def requested_slots(domains: Domains, said: Said, changes: Iterable[Change]) -> tuple[str, ...]:
    """The slots that the user asks about: `request` changes on known slots whose quote stands in the turn."""
    asked: list[str] = []
    for change in changes:
        made = draft(change, domains, State(), said) if change.op == "request" else None
        if isinstance(made, Draft) and made.evidence.span is not None:
            asked.append(made.spec.path)
    return tuple(dict.fromkeys(asked))


def _age(deliberation: Deliberation) -> None:
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
                    why="stale",
                    values=() if slot.held.dontcare else (slot.held.value,),
                    old="dontcare" if slot.held.dontcare else slot.held.value,
                    source="app",
                )
            )


def _confirm_implicitly(deliberation: Deliberation, proposed: Sequence[Change]) -> None:
    """Confirm what the assistant repeated and the user goes on from without objecting."""
    said = deliberation.said
    heard, words = said.heard, fold(said.text)
    if heard is None or not words.text.strip() or refuses(words) or corrects(words) or hesitates(words):
        return
    spoken_of = {change.path.split(".")[-1] for change in proposed} | {change.path for change in proposed}
    for path, spec in deliberation.domains.specs.items():
        slot = deliberation.state.slot(path)
        if spec.slot.confirm != "implicit" or slot.held.status != "filled" or slot.held.dontcare:
            continue
        if slot.pending is not None or deliberation.outdated(path) or {path, spec.name} & spoken_of:
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
                    value=slot.held.value,
                    old=slot.held.value,
                    grade="accepted",
                )
            )


def _unproposed(deliberation: Deliberation, proposed: Sequence[Change]) -> list[Change]:
    """What a plain yes, no or choice says about slots on which the extractor was silent."""
    said = deliberation.said
    if said.heard is None:
        return []
    words = fold(said.text)
    silent = [
        spec
        for path, spec in deliberation.domains.specs.items()
        if not any(change.path == path or change.path.startswith(f"{path}.") for change in proposed)
    ]
    silent = [spec for spec in silent if spec.name not in {change.path for change in proposed}]
    found: list[Change] = []
    for spec in silent:
        change = _taken_up(deliberation, spec) or _answered(deliberation, spec)
        if change is not None:
            found.append(change)
    if asks(words) or hesitates(words):
        return [change for change in found if change.op == "deny"]
    return found


def _taken_up(deliberation: Deliberation, spec: SlotSpec) -> Change | None:
    """An offer of the last assistant turn that the user accepts, chooses from a list, or refuses."""
    said = deliberation.said
    offered = [offer for offer in (said.heard.offers if said.heard else ()) if offer.path == spec.path]
    if not offered:
        return None
    words = fold(said.text)
    choice = find_choice(words, len(offered)) if len(offered) > 1 else None
    if choice is not None:
        return Change("set", spec.path, offered[choice].value, said.text)
    if refuses(words) is not None:
        return Change("deny", spec.path, UNSET, said.text) if bare_no(words) else None
    if len(offered) == 1 and affirms(words) is not None and not corrects(words):
        return Change("set", spec.path, offered[0].value, said.text)
    return None


def _answered(deliberation: Deliberation, spec: SlotSpec) -> Change | None:
    """A bare yes or no to a question about a held slot: about its value, or the one that is pending."""
    said = deliberation.said
    slot = deliberation.state.slot(spec.path)
    if spec.path not in said.asked or not slot.is_held or said.heard is None:
        return None
    words = fold(said.text)
    if spec.kind == "boolean" and slot.held.value is not True:
        return None  # "yes" would be a new answer, not a yes to the old one
    reading = said.reading(spec)
    if bare_no(words) and spec.kind != "boolean":
        return Change("deny", spec.path, UNSET, said.text)
    if not bare_yes(words):
        return None
    waiting = slot.pending.values if slot.pending is not None and slot.pending.why == "conflict" else ()
    if len(waiting) == 1 and stands_in(spec, waiting[0], said.heard.text, reading):
        return Change("set", spec.path, waiting[0], said.text)
    return Change("confirm", spec.path, UNSET, said.text) if not waiting else None


def _start(deliberation: Deliberation, change: Change) -> list[Draft]:
    """A fresh task. Said, it archives the whole domain; meant, each held slot is judged as a clear of its own."""
    domain = whole_domain(change, deliberation.domains)
    if domain is None:
        refused = draft(change, deliberation.domains, deliberation.state, deliberation.said)
        detail = refused.detail if isinstance(refused, Refusal) else f"unknown domain {change.path!r}"
        deliberation.refuse(Refusal(change, "unknown_slot", detail))
        return []
    specs = list(deliberation.domains[domain].slots.values())
    evidence = weigh(
        Claim("start", specs[0], UNSET, change.quote), deliberation.state.slot(specs[0].path), deliberation.said
    )
    if evidence.grade == "none":
        words = "the words for it were not said in this turn"
        deliberation.refuse(Refusal(change, evidence.reason or "no_quote", words))
        return []
    if evidence.grade == "said" and deliberation.said.turn >= deliberation.state.resets.get(domain, -1):
        deliberation.reset(domain, evidence, change.quote)
        return []
    meant = Evidence("meant", evidence.span)
    return [
        Draft(change, Claim("clear", spec, UNSET, change.quote), meant)
        for spec in specs
        if deliberation.state.slot(spec.path).is_held and spec.slot.evidence != "tool"
    ]


def _without_rivals(deliberation: Deliberation, drafts: list[Draft]) -> list[Draft]:
    """The drafts to be judged, after two values for one slot in one turn were dealt with: a correction between them
    makes the last one count, else none does and the slot is asked about.
    """
    rivals: dict[tuple[str, str | None], list[Draft]] = {}
    for one in drafts:
        if one.claim.op == "set" and one.spec.kind not in {"list", "map"} and one.evidence.grade != "none":
            rivals.setdefault((one.spec.path, one.claim.field), []).append(one)
    dropped: set[int] = set()
    for group in rivals.values():
        values = _distinct(group)
        if len(values) < 2:
            continue
        corrected = _correction_point(deliberation.said, group)
        losers = group[:corrected] if corrected else group
        for loser in losers:
            dropped.add(id(loser))
            if deliberation.outdated(loser.spec.path) or corrected:
                deliberation.record(Superseded, loser, loser.claim.value, detail="corrected in the same turn")
            else:
                deliberation.pend_ambiguous(loser, tuple(values))
    return [one for one in drafts if id(one) not in dropped]


def _distinct(group: Sequence[Draft]) -> list[Json]:
    values: list[Json] = []
    for one in group:
        value = one.claim.value
        if not any(value is other or same(one.spec, value, other) for other in values):
            values.append(value)
    return values


def _correction_point(said: Said, group: Sequence[Draft]) -> int:
    """The index from which the group counts: after the last correction cue between two of its values, 0 for none."""
    point = 0
    for index, (first, second) in enumerate(pairwise(group), start=1):
        between = said.text[_value_span(said, first)[1] : _value_span(said, second)[0]]
        if corrects(fold(between)) is not None:
            point = index
    rest = _distinct(group[point:])
    return point if len(rest) == 1 else 0


def _value_span(said: Said, one: Draft) -> tuple[int, int]:
    """Where the draft's value stands in the turn, or its quote where the value cannot be placed."""
    span = one.evidence.span or (0, 0)
    words = said.text[span[0] : span[1]]
    where = place(one.spec, one.claim.value, words, said.reading(one.spec)) if one.evidence.grade == "said" else None
    return (span[0] + where[0], span[0] + where[1]) if where is not None else span
