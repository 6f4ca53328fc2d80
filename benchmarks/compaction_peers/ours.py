"""slotstate: a chat whose slots change by a script."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from benchmarks.assembly_peers.counting import count, prompt_tokens
from benchmarks.compaction_peers.systems import CANNED, Canned, Prompt
from benchmarks.compaction_peers.talk import Message, Turn
from benchmarks.long_talk import Hotel, Told, Travel
from slotstate import Budget, Compaction, Tracker
from slotstate.compact import Add, Amend, Patch, SummaryReply, SummaryRequest
from slotstate.counters import make_counter
from slotstate.events import CompactionFailed
from slotstate.summarisers.instructor.prompting import make_prompting

NOW: Final = datetime(2025, 5, 1, 9, tzinfo=UTC)
WINDOW: Final = 8_000
"""Of the model that summarises, as by default."""


class CannedSummariser:
    """Gives the canned text as the one item, and is shown what the bundled template shows a model."""

    def __init__(self, canned: Canned) -> None:
        self.name = "canned"
        self._canned = canned
        self._prompting = make_prompting(None, make_counter("o200k_base"), WINDOW)

    def summarise(self, request: SummaryRequest) -> SummaryReply:
        """The patch."""
        pending = request.span.messages
        while pending:
            chunk = self._prompting.chunk(request.summary, pending, request)
            self._canned.calls += 1
            self._canned.read += prompt_tokens(chunk.prompt)
            self._canned.written += count(CANNED)
            self._canned.seen.append(str(chunk.prompt[-1]["content"]))
            pending = pending[chunk.taken :]
        sources = (request.span.messages[0].id,)
        if request.summary.items:
            return SummaryReply(Patch(amend=(Amend(request.summary.items[0].ident, CANNED, sources),)))
        return SummaryReply(Patch(add=(Add("fact", CANNED, sources),)))

    async def asummarise(self, request: SummaryRequest) -> SummaryReply:
        """The same."""
        return self.summarise(request)


class Ours:
    """A conversation."""

    def __init__(self, language: str, budget: int, *, model: bool = False) -> None:
        self.canned = Canned()
        self._told = Told()
        self._chat = Tracker(
            [Travel, Hotel],
            extractor=self._told,
            template="zh" if language == "zh" else "default",
            clock=lambda: NOW,
            compaction=Compaction(summariser=CannedSummariser(self.canned)) if model else None,
        ).open("bench")
        self._budget = Budget(budget, counter="o200k_base")
        self._numbers: dict[str, int] = {}

    def add(self, message: Message, turn: Turn) -> None:
        """Record a message."""
        self._numbers[message["id"]] = len(self._numbers)
        self._told.changes = turn.changes
        self._chat.add(message)

    def prompt(self) -> Prompt:
        """The messages of the next request."""
        return self._chat.prompt(self._budget).messages

    def is_covered(self, ident: str) -> bool:
        """Whether the summary covers it."""
        return self._numbers[ident] < self._chat.summary.covered

    @property
    def failed(self) -> int:
        """Compactions in which the model-free summariser had to stand in."""
        return sum(isinstance(entry.event, CompactionFailed) for entry in self._chat.entries)
