"""Upcasting: rows that an earlier slotstate wrote, brought to the present form when they are read. A log is never
rewritten.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from pydantic_core import from_json, to_json

from slotstate.errors import StoreError

Raw: TypeAlias = Mapping[str, Any]
Upcaster: TypeAlias = Callable[[Raw], Raw]
"""From the JSON of a row in one format to that in the next; it changes nothing that it is given."""


_DECISIONS: Final = frozenset(
    "filled overwritten emptied confirmed excluded denied restated unchanged pending superseded undone".split()
)


def _say_what_is_known(raw: Raw) -> Raw:
    """From 1 to 2. A reset names the slots that it archived; until then it was of whatever the domain had. What is said
    of a sensitive slot is marked so; until then nobody can tell once the slot is gone, so that it counts as such.
    """
    match raw:
        case {"kind": "reset"}:
            return {**raw, "slots": None}
        case {"kind": "offered", "offer": dict(offer)}:
            return {**raw, "offer": {**offer, "sensitive": True}}
        case {"kind": "assistant", "offers": list(offers)}:
            return {**raw, "offers": [{**one, "sensitive": True} for one in offers]}
        case {"kind": str(kind)} if kind in _DECISIONS:
            return {**raw, "sensitive": True}
        case _:
            return raw


UPCASTERS: Final[Sequence[Upcaster]] = (_say_what_is_known,)
"""In order: the first one takes format 1 to 2, the next one 2 to 3."""
FORMAT: Final = 1 + len(UPCASTERS)
"""Of the events that are written now."""


class NewerFormat(StoreError):
    """A row in a format that this slotstate does not know yet."""


def upcast(text: str | bytes, written: int, upcasters: Sequence[Upcaster] = UPCASTERS) -> str | bytes:
    """A row's JSON in the present form, from the form of format `written`.

    Raises NewerFormat for a format to come, and ValueError for what is no JSON object.
    """
    present = 1 + len(upcasters)
    if written == present:
        return text
    if written > present:
        raise NewerFormat(
            f"an event was written by a newer slotstate (its format is {written}, known are 1 to {present}): "
            "upgrade with pip install -U slotstate"
        )
    if written < 1:
        raise ValueError(f"no event has the format {written}: formats are numbered from 1")
    raw = from_json(text)
    if not isinstance(raw, dict):
        raise ValueError("an event is a JSON object")
    read: Raw = raw
    for upcaster in upcasters[written - 1 :]:
        read = upcaster(read)
    return text if read is raw else to_json(read)
