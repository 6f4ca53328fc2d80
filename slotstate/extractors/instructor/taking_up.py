"""What the user takes up of the assistant's words, read by code: small models miss it, or set what nobody took."""

from __future__ import annotations

from dataclasses import replace

from slotstate.decide import Said
from slotstate.decide.drafts import Draft, draft
from slotstate.domains import Domains
from slotstate.extract import Extraction, Request, touches
from slotstate.extractors.builtin import BuiltinExtractor


class TakingUp:
    """The built-in extractor's reading of what the assistant put forward, beside a model's reading of the user."""

    def __init__(self) -> None:
        self._own = BuiltinExtractor()

    def added(self, read: Extraction, request: Request, domains: Domains) -> Extraction:
        """What a model read, with the values that the user takes up and of whose slots the model says nothing.

        The assistant's values that the user did not take up are suggestions. What could not be read stays so: it is
        read when its message comes again.
        """
        if read.error is not None and not read.changes:
            return read
        own = self._own.extract(request)
        said = Said(
            request.turn, request.user, request.now, request.state.heard, request.asked, before=request.state.slots
        )
        spoken_of = {change.path for change in read.changes}
        taken = [
            change
            for change in own.changes
            if not touches(change, spoken_of)
            and isinstance(judged := draft(change, domains, request.state, said), Draft)
            and judged.evidence.source == "offer"
        ]
        return replace(read, changes=(*read.changes, *taken), suggestions=own.suggestions)
