"""Deciding a user turn: (state, domains, turn, changes) → events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from slotstate.decide.context import Said
from slotstate.decide.deliberation import Deliberation
from slotstate.decide.drafts import Draft, Refusal, draft, whole_domain
from slotstate.decide.evidence import Claim, weigh
from slotstate.decide.implied import age, confirm_implicitly, unproposed
from slotstate.decide.rivals import without_rivals
from slotstate.decide.suggested import leave_open
from slotstate.domains import Domains
from slotstate.events import AnyEvent
from slotstate.extract import Change, Suggestion
from slotstate.messages import storable
from slotstate.slots import UNSET
from slotstate.state import State

LAST = {"confirm", "deny"}
"""Operations judged after all others of their turn."""


def decide(
    state: State, domains: Domains, said: Said, changes: Sequence[Change], suggestions: Sequence[Suggestion] = ()
) -> tuple[AnyEvent, ...]:
    """The events that a user turn causes: proposed changes weighed against the table, and what the tracker works out by
    itself (values gone stale, implicit confirmation, offers taken up without a proposal). What the extractor read in
    the assistant's turn stays an open offer where the user did nothing about it.

    Never raises for what an extractor proposes: a change that cannot count is an event as well.
    """
    deliberation = Deliberation(domains, said, state, state.step + 1)
    age(deliberation)
    proposed = [_storable(change) for change in changes if change.op != "request"]
    confirm_implicitly(deliberation, proposed)
    drafts: list[Draft] = []
    for change in [*proposed, *unproposed(deliberation, proposed)]:
        if change.op == "start" or whole_domain(change, domains) is not None:
            drafts += _start(deliberation, change)
            continue
        made = draft(change, domains, deliberation.state, said)
        if isinstance(made, Refusal):
            deliberation.refuse(made)
        else:
            drafts.append(made)
    drafts.sort(key=lambda one: (one.claim.op in LAST, one.offset))  # stable: as proposed where words say nothing
    for one in without_rivals(deliberation, drafts):
        deliberation.judge(one)
    leave_open(deliberation, suggestions)
    return tuple(deliberation.events)


def _storable(change: Change) -> Change:
    """The change with its words as a log can hold them: an extractor may hand on half of a surrogate pair."""
    quote = None if change.quote is None else storable(change.quote)
    return replace(change, path=storable(change.path), quote=quote)


def requested_slots(domains: Domains, said: Said, changes: Iterable[Change]) -> tuple[str, ...]:
    """The slots that the user asks about: `request` changes on known slots whose quote stands in the turn."""
    asked: list[str] = []
    for change in changes:
        made = draft(change, domains, State(), said) if change.op == "request" else None
        if isinstance(made, Draft) and made.evidence.span is not None:
            asked.append(made.spec.path)
    return tuple(dict.fromkeys(asked))


def _start(deliberation: Deliberation, change: Change) -> list[Draft]:
    """A fresh task. Said, it archives the whole domain. Only meant, or read so late that a slot has changed since, each
    held slot is judged as a clear of its own.
    """
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
    if evidence.grade == "said" and not any(deliberation.outdated(spec.path) for spec in specs):
        deliberation.reset(domain, evidence, change.quote)
        return []
    return [
        Draft(change, Claim("clear", spec, UNSET, change.quote), evidence)
        for spec in specs
        if deliberation.state.slot(spec.path).is_held and spec.slot.evidence != "tool"
    ]
