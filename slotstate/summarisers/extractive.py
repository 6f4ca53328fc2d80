"""The model-free summariser as a plug-in: see slotstate.compact.extractive."""

from __future__ import annotations

from slotstate.compact.summariser import SummaryReply, SummaryRequest


class ExtractiveSummariser:
    """Takes sentences out of the messages by what they say; asks nobody, and gives the same for the same."""

    name = "extractive"

    def summarise(self, request: SummaryRequest) -> SummaryReply:
        """The patch that takes in the messages of the request's span."""
        from slotstate.compact.extractive import extract

        patch, lost = extract(request.summary, request.span, most=request.most_items, chars=request.most_chars)
        return SummaryReply(patch, lost=lost)

    async def asummarise(self, request: SummaryRequest) -> SummaryReply:
        """The same, for callers on an event loop."""
        return self.summarise(request)
