"""One turn's deliberation: the state as it moves from decision to decision, and the events written on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from slotstate.decide.compound import Result, add, has, merge, put, remove, without
from slotstate.decide.context import Said
from slotstate.decide.drafts import Draft, Refusal
from slotstate.decide.evidence import Evidence
from slotstate.decide.table import TABLE, Cell, Row
from slotstate.domains import Domains
from slotstate.errors import InvalidValue
from slotstate.events import (
    AnyEvent,
    Confirmed,
    Decided,
    Denied,
    Emptied,
    Excluded,
    Filled,
    Offer,
    Offered,
    Op,
    Outcome,
    Overwritten,
    Pended,
    Rejected,
    Reset,
    Restated,
    Superseded,
    Unchanged,
    Undone,
    Why,
)
from slotstate.messages import storable
from slotstate.parsing import Span, clause, fold, replaces
from slotstate.slots import DONTCARE, UNSET, Json, Sentinel, SlotSpec
from slotstate.state import Heard, Held, SlotState, State, apply
from slotstate.values import check, is_plain_number, normalise, same, stands_in

_KINDS: Final[Mapping[Outcome, type[Decided]]] = {
    "emptied": Emptied,
    "confirmed": Confirmed,
    "excluded": Excluded,
    "denied": Denied,
    "restated": Restated,
    "unchanged": Unchanged,
    "superseded": Superseded,
    "rejected": Rejected,
}


@dataclass(slots=True)
class Deliberation:
    """Judges drafts one after the other against the table. Lives for one turn; the state it holds is a value."""

    domains: Domains
    said: Said
    state: State
    step: int
    events: list[AnyEvent] = field(default_factory=list[AnyEvent])
    aged: dict[str, Held] = field(default_factory=dict[str, Held])
    """What the slots hold that were confirmed until this turn found them stale, by path."""

    def emit(self, event: AnyEvent) -> None:
        """Write a fact; what is judged later sees it."""
        self.events.append(event)
        self.state = apply(self.state, event)

    def refuse(self, refusal: Refusal) -> None:
        """Record a change that cannot be judged."""
        change = refusal.change
        self.emit(
            Rejected(
                **self._stamp(change.op, change.path),
                quote=change.quote,
                value=_shown(change.value),
                dontcare=change.value is DONTCARE,
                grade="none",
                reason=refusal.reason,
                detail=refusal.detail,
            )
        )

    def judge(self, draft: Draft) -> None:
        """Decide one draft."""
        slot = self._found(draft)
        if self.outdated(draft.spec.path):
            self.record(Superseded, draft, draft.claim.value, detail="the slot has changed since that turn")
            return
        if draft.evidence.grade == "none":
            reason = draft.evidence.reason
            self.record(Rejected, draft, draft.claim.value, reason=reason, detail=_why_rejected(draft))
            return
        match draft.claim.op:
            case "set" | "add" | "remove":
                self._judge_value(draft, slot)
            case "clear":
                self._judge_clear(draft, slot)
            case "exclude":
                self._judge_exclude(draft, slot)
            case "confirm":
                row: Row = "confirm" if self._repeated(draft, slot) else "confirm unasked"
                held = DONTCARE if slot.held.dontcare else slot.held.value
                self._settle(draft, slot, TABLE[row].cell(slot.held.status), held)
            case "deny":
                self._settle(draft, slot, TABLE["deny"].cell(slot.held.status), UNSET)
            case "undo":
                self._judge_undo(draft, slot)
            case other:  # what is dealt with before it becomes a draft
                self.record(Rejected, draft, UNSET, reason="not_allowed", detail=f"{other} is nothing to be judged")

    def _found(self, draft: Draft) -> SlotState:
        """The slot as a change finds it. What is only meant finds a value confirmed that went stale in this very turn:
        nobody has asked the user about it yet.
        """
        path, slot = draft.spec.path, self.state.slot(draft.spec.path)
        changes = draft.claim.op not in {"confirm", "deny"}
        if changes and draft.evidence.grade == "meant" and slot.held is self.aged.get(path):
            return replace(slot, held=replace(slot.held, status="confirmed"))
        return slot

    def outdated(self, path: str) -> bool:
        """Whether the slot (or its whole domain) has changed after the turn that is being judged."""
        reset = self.state.resets.get(path.split(".", 1)[0], -1)
        return self.said.turn < max(self.state.slot(path).changed, reset)

    def _judge_value(self, draft: Draft, slot: SlotState) -> None:
        try:
            result = self._result(draft, slot)
        except InvalidValue as error:
            self.record(Rejected, draft, draft.claim.value, reason="invalid_value", detail=str(error))
            return
        if result.reason is not None:
            detail = f"{draft.spec.path} does not hold that item"
            self.record(Rejected, draft, draft.claim.value, reason=result.reason, detail=detail)
            return
        if result.value is UNSET:
            self._empty(draft, slot, self._row(draft, slot, UNSET))
            return
        cell = TABLE[self._row(draft, slot, result.value)].cell(slot.held.status)
        self._settle(draft, slot, cell, result.value)
        if result.asked and cell.outcome != "pending":
            detail = "added, nothing dropped: did the user mean these only?"
            self._pend(draft, "ambiguous", result.asked, reason="ambiguous", detail=detail)

    def _result(self, draft: Draft, slot: SlotState) -> Result:
        """The value that the slot would hold after the change. Raises InvalidValue when the whole does not fit."""
        spec, value = draft.spec, draft.claim.value
        held = slot.held.value
        if value is DONTCARE:
            return Result(DONTCARE)
        if spec.kind in {"composite", "map"}:
            return Result(merge(spec, held, value))
        if spec.kind != "list":
            return Result(value)
        match draft.claim.op:
            case "add":
                result = add(spec, held, value)
            case "remove":
                result = remove(spec, held, value)
            case _:
                result = put(spec, held, value, _replaces(self.said.text, draft.evidence.span or (0, 0)))
        if isinstance(result.value, list):
            check(spec, result.value)
        return result

    def _row(self, draft: Draft, slot: SlotState, value: Json) -> Row:
        evidence = draft.evidence
        if slot.is_held and self._holds(draft.spec, slot.held, value):
            return "set same"
        if draft.claim.op in {"add", "remove"}:
            if evidence.older:
                return "add remove accepted older"
            return "add remove meant" if evidence.grade == "meant" else "add remove said"
        if evidence.older:
            return "set accepted older"
        match evidence.grade:
            case "said":
                return "set said"
            case "accepted":
                return "set accepted"
            case _:
                return "set meant"

    def _holds(self, spec: SlotSpec, held: Held, value: Json) -> bool:
        if value is DONTCARE or held.dontcare:
            return value is DONTCARE and held.dontcare
        return value is not UNSET and same(spec, held.value, value)

    def _judge_clear(self, draft: Draft, slot: SlotState) -> None:
        row: Row = "clear said" if draft.evidence.grade == "said" else "clear meant"
        if draft.claim.field is None:
            self._empty(draft, slot, row)
            return
        result = without(slot.held.value, draft.claim.field)
        if result.reason is not None:
            self.record(Unchanged, draft, UNSET)
        elif result.value is UNSET:
            self._empty(draft, slot, row)
        else:
            cell = TABLE[row].cell(slot.held.status)
            kept = Cell("overwritten") if cell.outcome == "emptied" else cell
            self._settle(draft, slot, kept, result.value)

    def _judge_exclude(self, draft: Draft, slot: SlotState) -> None:
        spec, value, said = draft.spec, draft.claim.value, draft.evidence.grade == "said"
        held_row: Row = "exclude held said" if said else "exclude held meant"
        if spec.kind == "list":
            inside = not slot.held.dontcare and has(spec, slot.held.value or (), value)
            if not inside and has(spec, slot.held.excluded, value):
                self.record(Unchanged, draft, value)
                return
            cell = TABLE[held_row if inside else "exclude other"].cell(slot.held.status)
            if cell.outcome == "pending":
                self._settle(draft, slot, cell, value)
                return
            self.record(Excluded, draft, value)
            if inside:
                self._drop_item(draft, value)
            return
        if slot.is_held and self._holds(spec, slot.held, value):
            self._empty(draft, slot, held_row, excludes=True)
        elif any(same(spec, value, other) for other in slot.held.excluded):
            self.record(Unchanged, draft, value)
        else:
            self._settle(draft, slot, TABLE["exclude other"].cell(slot.held.status), value)

    def _drop_item(self, draft: Draft, item: Json) -> None:
        held = self.state.slot(draft.spec.path).held
        rest = remove(draft.spec, held.value, [item]).value
        if rest is UNSET:
            self.record(Emptied, draft, UNSET, old=held.value)
        else:
            self.record(Overwritten, draft, rest, old=held.value, raw=draft.evidence.raw)

    def _judge_undo(self, draft: Draft, slot: SlotState) -> None:
        row: Row = "undo said" if draft.evidence.grade == "said" else "undo meant"
        if slot.last_step is None:
            self.record(Unchanged, draft, UNSET, detail="there is nothing to take back")
        elif not slot.can_undo:
            self.record(Unchanged, draft, UNSET, detail="what it held before does not fit the slot any more")
        elif TABLE[row].cell(slot.held.status).outcome == "pending" and not slot.is_asked_since:
            self._settle(draft, slot, TABLE[row].cell(slot.held.status), UNSET)
        else:
            self.emit(undone(slot, **self._stamp("undo", draft.spec.path), **self._evidence(draft)))

    def _empty(self, draft: Draft, slot: SlotState, row: Row, *, excludes: bool = False) -> None:
        cell = TABLE[row].cell(slot.held.status)
        if cell.outcome in {"overwritten", "emptied"}:
            value = draft.claim.value if excludes else UNSET
            self.record(Emptied, draft, value, old=_old(slot), excludes=excludes)
        else:
            self._settle(draft, slot, cell, draft.claim.value)

    def _settle(self, draft: Draft, slot: SlotState, cell: Cell, value: Json) -> None:
        """Write what the cell says."""
        old = _old(slot)
        match cell.outcome:
            case "filled":
                self.record(Filled, draft, value, raw=draft.evidence.raw)
                self._share(draft.spec, value)
            case "overwritten":
                self.record(Overwritten, draft, value, old=old, raw=draft.evidence.raw)
                self._share(draft.spec, value)
            case "pending":
                values = () if value is UNSET else (_said(value),)
                self._pend(draft, cell.why or "conflict", values, reason=cell.reason)
            case outcome:
                self.record(_KINDS[outcome], draft, value, old=old, reason=cell.reason)

    def _pend(self, draft: Draft, why: Why, values: tuple[Json, ...], **extra: Any) -> None:
        slot = self.state.slot(draft.spec.path)
        self.record(Pended, draft, draft.claim.value, old=_old(slot), why=why, values=values, **extra)

    def pend_ambiguous(self, draft: Draft, values: tuple[Json, ...]) -> None:
        """Record a change whose slot was given several values in one turn."""
        detail = "several values in one turn: ask which one"
        self._pend(draft, "ambiguous", values, reason="ambiguous", detail=detail)

    def _repeated(self, draft: Draft, slot: SlotState) -> bool:
        """Whether the held value stands before the user: repeated or asked for by the assistant, or just restated."""
        spec, heard = draft.spec, self.said.heard
        if not slot.is_held:
            return False
        if heard is not None and spec.path in heard.asks and asked_about(slot, heard):
            return True
        if slot.held.dontcare:
            return False
        reading = self.said.reading(spec)
        spoken = heard.text if heard is not None else ""
        return any(stands_in(spec, slot.held.value, text, reading) for text in (spoken, draft.claim.quote or ""))

    def _share(self, spec: SlotSpec, value: Json) -> None:
        """Offer the value to the slots of other domains that share it; nothing is copied."""
        key = spec.slot.share
        if key is None or value is DONTCARE:
            return
        for other in self.domains.specs.values():
            if other.slot.share != key or other.domain == spec.domain or self.state.slot(other.path).is_held:
                continue
            try:
                offered = normalise(other, value, self.said.reading(other))
            except InvalidValue:  # what fits here need not fit there
                continue
            offer = Offer(
                path=other.path, value=offered, turn=self.said.turn, by="share", sensitive=other.slot.sensitive
            )
            self.emit(Offered(offer=offer))

    def reset(self, domain: str, evidence: Evidence, quote: str | None) -> None:
        """End the task in a domain at the user's word."""
        self.emit(
            Reset(
                turn=self.said.turn,
                step=self.step,
                at=self.said.now,
                domain=domain,
                slots=of_domain(self.domains, self.state, domain),
                source="user",
                quote=quote,
                span=evidence.span,
            )
        )

    def record(self, kind: type[Any], draft: Draft, value: Json, **extra: Any) -> None:
        """Write a decision of this kind about the draft."""
        about = self._stamp(draft.claim.op, draft.spec.path) | self._evidence(draft)
        known = None if isinstance(value, Sentinel) else value
        self.emit(kind(**about, value=known, dontcare=value is DONTCARE, **extra))

    def _evidence(self, draft: Draft) -> dict[str, Any]:
        evidence = draft.evidence
        quote = draft.claim.quote
        return {"grade": evidence.grade, "source": evidence.source, "span": evidence.span, "quote": quote}

    def _stamp(self, op: Op, path: str) -> dict[str, Any]:
        spec = self.domains.specs.get(path)
        about = {"turn": self.said.turn, "step": self.step, "at": self.said.now, "op": op, "path": path}
        return about | ({"sensitive": True} if spec is not None and spec.slot.sensitive else {})


def _replaces(text: str, span: Span) -> bool:
    """Whether a word of replacement is about the words at `span`: in their clause ("only Rome"), or leading up to it at
    the start of the clause before ("instead of those, Rome").
    """
    own = clause(text, span)
    if replaces(fold(own)) is not None:
        return True
    start = text.find(own)
    before = clause(text, (start - 1, start - 1)).strip() if start > 0 else ""
    cue = replaces(fold(before))
    return cue is not None and cue[0] == 0


def asked_about(slot: SlotState, heard: Heard) -> bool:
    """Whether the slot held its value already when the assistant asked: a question about it, not for it."""
    return slot.held.turn is None or slot.held.turn <= heard.turn


def of_domain(domains: Domains, state: State, name: str) -> tuple[str, ...]:
    """What a reset archives: the slots of a domain that were touched, by all their names, so that those who read the
    log under an older schema archive them too.
    """
    touched = state.touched(name)
    return (*touched, *(earlier for earlier, present in domains.renamed.items() if present in touched))


def undone(slot: SlotState, **about: Any) -> Undone | Restated:
    """The event that takes back the slot's last step: a question about it, or a change, so that what it held before is
    back. There must be one.
    """
    if slot.is_asked_since:
        return Restated(**about, value=slot.held.value, dontcare=slot.held.dontcare, old=_old(slot))
    before, now = slot.history[-1], slot.held
    result: Literal["filled", "overwritten", "emptied", "confirmed", "unchanged"] = "overwritten"
    if before.status == "empty":
        result = "emptied" if now.status != "empty" else "unchanged"
    elif now.status == "empty":
        result = "filled"
    elif before.status == "confirmed" and _is_kept(before, now):
        result = "confirmed"
    detail = (
        "no longer confirmed"
        if now.status == "confirmed" and before.status != "empty" and _is_kept(before, now)
        else None
    )
    return Undone(**about, value=before.value, dontcare=before.dontcare, old=_old(slot), result=result, detail=detail)


def _is_kept(before: Held, now: Held) -> bool:
    return (before.value, before.dontcare) == (now.value, now.dontcare)


def _old(slot: SlotState) -> Json:
    return "dontcare" if slot.held.dontcare else slot.held.value


def _said(value: Json) -> Json:
    return "dontcare" if value is DONTCARE else value


def _shown(value: Any) -> Json:
    """A proposed value that no slot has accepted, as it can be logged."""
    if value is None or isinstance(value, Sentinel):
        return None
    if isinstance(value, bool) or is_plain_number(value):
        return value
    try:
        text = value if isinstance(value, str) else repr(value)
    except Exception:  # an object that cannot even be shown
        text = f"<{type(value).__name__}>"
    return storable(text[:200])


def _why_rejected(draft: Draft) -> str:
    quote = draft.claim.quote
    match draft.evidence.reason:
        case "no_quote":
            return "no words of the user were given for it"
        case "quote_not_found":
            return f"the user did not say {quote!r} in this turn"
        case "unknown_offer":
            return f"{quote!r} accepts something, but that value was not put forward"
        case "nothing_asked":
            return f"{quote!r} answers nothing: nothing was asked"
        case _:
            return f"the value does not follow from {quote!r}"
