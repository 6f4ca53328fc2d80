"""Drafts: proposed changes resolved against the schema, brought to canonical values and weighed, or refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from slotstate.decide.context import Said
from slotstate.decide.evidence import Claim, Evidence, weigh
from slotstate.domains import Domains
from slotstate.errors import InvalidValue, UnknownPath
from slotstate.events import Reason
from slotstate.extract import Change
from slotstate.slots import DONTCARE, UNSET, Json, SlotSpec
from slotstate.state import State
from slotstate.values import normalise

VALUED = {"set", "add", "remove", "exclude"}
"""Operations that say nothing without a value."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A change that cannot be judged: why, and in words."""

    change: Change
    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A change that can be judged, with its evidence."""

    change: Change
    claim: Claim
    evidence: Evidence

    @property
    def spec(self) -> SlotSpec:
        """The slot that it is about."""
        return self.claim.spec

    @property
    def offset(self) -> int:
        """Where its quote starts in the turn; nowhere comes first."""
        return self.evidence.span[0] if self.evidence.span else -1


def whole_domain(change: Change, domains: Domains) -> str | None:
    """The domain that `start` (or `clear "domain.*"`) is about."""
    name = change.path.removesuffix(".*")
    if change.op == "start":
        name = name.split(".", 1)[0]
        return name if name in domains else None
    return name if change.op == "clear" and change.path.endswith(".*") and name in domains else None


def draft(change: Change, domains: Domains, state: State, said: Said) -> Draft | Refusal:
    """Resolve, check and weigh one change."""
    try:
        spec, field = domains.resolve(change.path)
    except UnknownPath as error:
        return Refusal(change, "unknown_slot", str(error))
    change = replace(change, path=spec.path if field is None else f"{spec.path}.{field}")
    problem = _not_allowed(change, spec, field)
    if problem is not None:
        return Refusal(change, "not_allowed", problem)
    try:
        value = _value(change, spec, field, said)
    except InvalidValue as error:
        return Refusal(change, "invalid_value", str(error))
    if value is DONTCARE and not (spec.slot.dont_care and change.op == "set"):
        return Refusal(change, "not_allowed", f"{spec.path}: no preference is no answer here (dont_care is off)")
    claim = Claim(change.op, spec, value, change.quote, field)
    evidence = weigh(claim, state.slot(spec.path), said)
    if evidence.source == "offer" and spec.slot.evidence == "user":
        return Refusal(change, "not_allowed", f"{spec.path}: only the user's own words fill it, not an offer")
    return Draft(change, claim, evidence)


def _not_allowed(change: Change, spec: SlotSpec, field: str | None) -> str | None:
    if change.op in {"request", "expire"}:
        return None if change.op == "request" else "expire is slotstate's own"
    if spec.slot.evidence == "tool":
        return f"{spec.path}: only tools and the application fill it"
    if change.op in {"add", "remove"} and spec.kind != "list":
        return f"{spec.path}: {change.op} is for lists, and this is a {spec.kind}: use set or clear"
    if change.op == "exclude" and spec.kind in {"composite", "map"}:
        return f"{spec.path}: a {spec.kind} has no values to rule out"
    if field is not None and change.op not in {"set", "clear"}:
        return f"{spec.path}: {change.op} is for the whole slot, not for its field {field}"
    return None


def _value(change: Change, spec: SlotSpec, field: str | None, said: Said) -> Json:
    if change.op not in VALUED:
        return UNSET
    try:
        return _canonical(change, spec, field, said)
    except InvalidValue:
        raise
    except Exception as error:  # an extractor may propose any object, also one that breaks what touches it
        raise InvalidValue(spec.path, f"is no value that can be read ({type(error).__name__})") from None


def _canonical(change: Change, spec: SlotSpec, field: str | None, said: Said) -> Json:
    given: Any = change.value
    if given is UNSET or given is None:
        raise InvalidValue(
            spec.path, f"{change.op} needs a value; null is none: leave the change out, or clear the slot"
        )
    reading = said.reading(spec)
    if given is DONTCARE or (given == "dontcare" and spec.slot.dont_care and "dontcare" not in spec.options):
        return DONTCARE
    if field is not None:
        return normalise(spec, {field: given}, reading)
    if spec.kind == "list" and change.op == "exclude":
        return normalise(spec.element, given, reading)
    return normalise(spec, given, reading)
