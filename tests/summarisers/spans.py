"""A small summary and the messages that come behind it, for the tests of summarisers that ask a model."""

from __future__ import annotations

from typing import Any

from slotstate.compact.items import Span, Spoken
from slotstate.compact.summariser import SummaryRequest
from slotstate.events import Item
from slotstate.state import Summary

SUMMARY = Summary(
    version=3,
    covered=4,
    items=(
        Item(ident=2, kind="constraint", text="No stairs: Ana uses a wheelchair.", sources=("turn-0",)),
        Item(ident=5, kind="open", text="Which wing the talk is in is not known yet.", sources=("turn-2",)),
    ),
    made=6,
)
MESSAGES = (
    Spoken("turn-4", 4, "user", "Ana never eats nuts. Is the talk in the north wing?"),
    Spoken("turn-5", 5, "tool", '{"room": "N-204", "seats": 85}', tool="rooms"),
    Spoken("turn-6", 6, "assistant", "Yes: room N-204, with 85 seats."),
    Spoken("turn-7", 7, "user", "那就订 N-204,不要麦克风。"),
)


def ask(summary: Summary = SUMMARY, messages: tuple[Spoken, ...] = MESSAGES, **more: Any) -> SummaryRequest:
    slots = more.pop("slots", {"event.day": "2025-06-02"})
    return SummaryRequest(summary, Span(messages, slots=slots), **more)


def long_talk(count: int, words: int = 40) -> tuple[Spoken, ...]:
    """A user and an assistant in turn, each message told from the others by its number."""
    return tuple(
        Spoken(f"turn-{turn}", turn, "user" if turn % 2 else "assistant", f"Remark {turn}: " + "some words " * words)
        for turn in range(count)
    )
