"""slotstate's model-free summariser as a function from texts to a text, for a peer to use as its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from slotstate.compact import Span, Spoken
from slotstate.compact.extractive import extract
from slotstate.state import Summary


def pick(messages: Sequence[tuple[Any, str]]) -> str:
    """The sentences that are worth keeping of (role, text) pairs, a line each; lines of an earlier summary stay."""
    kept: list[str] = []
    spoken: list[Spoken] = []
    for at, (role, text) in enumerate(messages):
        if text.startswith("Here is a summary of the conversation to date:"):
            kept += [line for line in text.splitlines()[1:] if line.strip()]
        else:
            spoken.append(Spoken(f"m{at}", at, role, text))
    patch, _ = extract(Summary(), Span(tuple(spoken)))
    lines = [add.text if add.quote is None or add.quote in add.text else f"{add.text} {add.quote}" for add in patch.add]
    return "\n".join([*kept, *(line.replace("\n", " ") for line in lines)])
