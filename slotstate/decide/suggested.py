"""Offers that an extractor read in the assistant's words: they stay open until the user does something about them."""

from __future__ import annotations

from collections.abc import Sequence

from slotstate.decide.deliberation import Deliberation
from slotstate.errors import InvalidValue
from slotstate.events import Denied, Offer, Offered
from slotstate.extract import Suggestion
from slotstate.parsing import affirms, refuses
from slotstate.slots import DONTCARE, Json, SlotSpec
from slotstate.state import SlotState
from slotstate.values import normalise, same, stands_in


def leave_open(deliberation: Deliberation, suggestions: Sequence[Suggestion]) -> None:
    """Write down as an offer each value that the assistant's last turn put forward by its words, unless the user
    refused, or the slot changed in this turn or knows the value already. The log then has what a later turn may take
    up.
    """
    said = deliberation.said
    heard = said.heard
    if not suggestions or heard is None or not said.fresh:
        return
    if refuses(said.words) is not None and affirms(said.words) is None:
        return
    refused = {event.path for event in deliberation.events if isinstance(event, Denied)}
    for one in suggestions:
        spec = deliberation.domains.specs.get(one.path)
        if spec is None or spec.slot.evidence != "user_or_offer" or one.path in refused:
            continue
        value = _put_forward(deliberation, spec, one)
        slot = deliberation.state.slot(one.path)
        if (
            value is None
            or slot.changed >= said.turn
            or deliberation.outdated(one.path)
            or _is_known(spec, slot, value)
        ):
            continue
        offer = Offer(path=one.path, value=value, turn=heard.turn, sensitive=spec.slot.sensitive)
        deliberation.emit(Offered(offer=offer))


def _put_forward(deliberation: Deliberation, spec: SlotSpec, one: Suggestion) -> Json:
    """The value in the slot's form, None where the slot refuses it or the assistant did not say it."""
    said = deliberation.said
    reading = said.reading(spec)
    if said.heard is None or one.value is DONTCARE:
        return None
    try:
        value = normalise(spec, one.value, reading)
    except InvalidValue:
        return None
    return value if stands_in(spec, value, said.heard.text, reading) else None


def _is_known(spec: SlotSpec, slot: SlotState, value: Json) -> bool:
    """Whether the slot holds the value, rules it out, or has it among its offers."""
    held = [slot.held.value] if slot.is_held and not slot.held.dontcare else []
    known = [*held, *slot.held.excluded, *(offer.value for offer in slot.offers)]
    return any(same(spec, other, value) for other in known)
