"""The prompt: what the model is shown, under a budget, so that providers' caches keep hitting."""

from __future__ import annotations

from slotstate.prompt.assembly import Assembler
from slotstate.prompt.budget import Budget
from slotstate.prompt.epochs import digest, schema_digest
from slotstate.prompt.terms import Terms
from slotstate.prompt.transcript import Transcript

__all__ = ["Assembler", "Budget", "Terms", "Transcript", "digest", "schema_digest"]
