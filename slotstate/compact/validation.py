from __future__ import annotations

from typing import NamedTuple

from slotstate.compact.items import Patch, Span
from slotstate.state import Summary


class Fault(NamedTuple):
    where: str
    code: str
    detail: str


def faults(
    summary: Summary, patch: Patch, span: Span, *, most_items: int = 60, most_chars: int = 400
) -> tuple[Fault, ...]:
    ids = {one.id for one in span.messages}
    return tuple(
        Fault(f"new item {n}", "source", "no such source")
        for n, a in enumerate(patch.add, 1)
        if not set(a.sources) <= ids
    )
