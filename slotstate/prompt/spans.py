"""What a summary is to cover next: a stretch of the transcript as text, masked, with what it must not contradict."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator
from typing import Final

from slotstate.compact import RECALL, Patch, Span, Spoken, patched
from slotstate.compact.measures import Cost, of_compaction
from slotstate.events import AssistantTurn, MessageEvent, ToolTurn
from slotstate.prompt.epochs import digest
from slotstate.prompt.scene import Mask, masked
from slotstate.prompt.selection import unit_at
from slotstate.prompt.transcript import Transcript, Unit
from slotstate.slots import Json
from slotstate.state import SlotState, State
from slotstate.tokens import Counter

OTHERS: Final = 12
"""Earlier values of a slot that a summary is held against: a slot may have had thousands."""


def span_of(transcript: Transcript, state: State, since: int, until: int, mask: Mask) -> Span:
    """The messages from number `since` to before number `until`, and the slots as they are."""
    spoken = tuple(_spoken(transcript, since, until, mask))
    ids = {event.turn: event.id for event in messages_of(transcript, since, until)}
    held = {path: slot for path, slot in state.slots.items() if slot.is_held}
    told = {path: (ids[turn],) for path, slot in held.items() if (turn := slot.held.turn) is not None and turn in ids}
    values = {path: "dontcare" if slot.held.dontcare else slot.held.value for path, slot in held.items()}
    return Span(
        messages=spoken,
        slots={path: masked(value, mask) for path, value in values.items()},
        others={path: others for path, slot in state.slots.items() if (others := _others(slot, mask))},
        told=told,
    )


def messages_of(transcript: Transcript, since: int, until: int) -> Iterator[MessageEvent]:
    """The messages from number `since` to before number `until`, system messages aside."""
    for unit in _units(transcript, since, until):
        yield from unit.events


def _units(transcript: Transcript, since: int, until: int) -> Iterator[Unit]:
    transcript.reaches(since)
    for place in range(unit_at(transcript, since), len(transcript.units)):
        unit = transcript.units[place]
        if unit.index >= until:
            break
        yield unit


def digest_of(transcript: Transcript, since: int, until: int) -> str:
    """A digest of the messages that a summary covers."""
    return digest(*(f"{event.id}\n{event.text}" for event in messages_of(transcript, since, until)))


def measures_of(
    transcript: Transcript, state: State, span: Span, patch: Patch, until: int, counter: Counter, mask: Mask, cost: Cost
) -> dict[str, float]:
    """The measures of a compaction of the messages of `span` up to number `until`; `transcript` and `state` are those
    that it found. Raises InputError as `patched` does.
    """
    before = state.summary
    orphans = parted(transcript, before.covered, until)
    after = patched(before, patch, until)
    return of_compaction(before, after, span, count=counter.count, mask=mask.mask, cost=cost, orphans=orphans)


def parted(transcript: Transcript, since: int, until: int) -> int:
    """Results of tools between these messages whose calls do not stand before them there, and calls that have no result
    there. A result that nobody called for is none.
    """
    waiting: Tally[str] = Tally()
    orphans = 0
    for unit in _units(transcript, since, until):
        for event in unit.events if unit.kind == "tools" else ():
            if isinstance(event, AssistantTurn):
                waiting.update(call.id for call in event.tool_calls)
            elif isinstance(event, ToolTurn) and waiting[event.call_id]:
                waiting[event.call_id] -= 1
            else:
                orphans += 1
    return orphans + waiting.total()


def _spoken(transcript: Transcript, since: int, until: int, mask: Mask) -> Iterator[Spoken]:
    names: dict[str, str] = {}
    for event in messages_of(transcript, since, until):
        text = mask.mask(event.text)
        if isinstance(event, AssistantTurn):
            names |= {call.id: call.name for call in event.tool_calls}
            if text.strip():
                yield Spoken(event.id, event.turn, "assistant", text)
        elif isinstance(event, ToolTurn):
            if names.get(event.call_id) == RECALL:  # told where it comes from
                continue
            yield Spoken(event.id, event.turn, "tool", text, names.get(event.call_id))
        else:  # system messages are in no unit
            yield Spoken(event.id, event.turn, "user", text)


def _others(slot: SlotState, mask: Mask) -> tuple[Json, ...]:
    """Values that the slot held not long ago or was offered, and does not hold."""
    values = [offer.value for offer in slot.offers]
    values += [held.value for held in reversed(slot.history[-OTHERS:])]
    found: list[Json] = []
    for value in values:
        if value is not None and value != slot.held.value and value not in found:
            found.append(value)
    return tuple(masked(value, mask) for value in found)
