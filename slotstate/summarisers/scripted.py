"""A summariser that says what a test tells it to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from slotstate.compact.items import Patch
from slotstate.compact.summariser import SummaryReply, SummaryRequest

Reply: TypeAlias = Patch | SummaryReply | Exception | str


class ScriptedSummariser:
    """Plays a script, one item a call: a patch, a whole SummaryReply, an exception to raise, or a text, which stands
    for a model that wrote prose: a reply without a patch that has it as its error. After its end every call fails.
    `requests` holds what it was shown.
    """

    def __init__(self, script: Iterable[Reply] = (), *, name: str = "scripted") -> None:
        self.name = name
        self._script = list(script)
        self.requests: list[SummaryRequest] = []

    def summarise(self, request: SummaryRequest) -> SummaryReply:
        """The script's next item."""
        index = len(self.requests)
        self.requests.append(request)
        if index >= len(self._script):
            return SummaryReply(None, error=f"the script has {len(self._script)} items, and this is call {index + 1}")
        match self._script[index]:
            case Patch() as patch:
                return SummaryReply(patch)
            case SummaryReply() as reply:
                return reply
            case str() as prose:
                return SummaryReply(None, error=prose)
            case error:
                raise error

    async def asummarise(self, request: SummaryRequest) -> SummaryReply:
        """The same, for callers on an event loop."""
        return self.summarise(request)
