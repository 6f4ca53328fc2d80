"""The prompt: what the model is shown, under a budget, so that providers' caches keep hitting."""

from __future__ import annotations

from slotstate.prompt.assembly import Assembler
from slotstate.prompt.budget import Budget
from slotstate.prompt.epochs import REST, digest, schema_digest
from slotstate.prompt.planning import Gap
from slotstate.prompt.selection import window_place
from slotstate.prompt.spans import digest_of, measures_of, messages_of, span_of
from slotstate.prompt.terms import Terms
from slotstate.prompt.transcript import Transcript, Truncated

__all__ = [
    "REST",
    "Assembler",
    "Budget",
    "Gap",
    "Terms",
    "Transcript",
    "Truncated",
    "digest",
    "digest_of",
    "measures_of",
    "messages_of",
    "schema_digest",
    "span_of",
    "window_place",
]
