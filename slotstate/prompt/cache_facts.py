"""What a provider's cache makes of a prompt: what stays, where to mark it, what is read from it, what that costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from typing import Any, NamedTuple

from slotstate.caching import Profile, charge, expected_read
from slotstate.events import Epoch
from slotstate.prompt.parts import Part
from slotstate.prompt.terms import Draft, Terms
from slotstate.prompt.transcript import Transcript


class Row(NamedTuple):
    """A part of the prompt, and the unit that it belongs to where it stands in the window."""

    part: Part
    place: int | None


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in the prompt: in message `message`, behind so many characters of its content, after so many tokens."""

    message: int
    chars: int
    tokens: int

    def shown(self) -> dict[str, int]:
        """As the contract has it."""
        return {"message": self.message, "chars": self.chars, "tokens": self.tokens}


class CacheFacts:
    """The cache's view of one prompt. All tokens count the tools' schemas, which providers put in front.

    `quotes` are the tokens of the quotes at its end, `quoted` the row that they stand in.
    """

    def __init__(self, terms: Terms, draft: Draft, rows: Sequence[Row], total: int, quotes: int) -> None:
        self._terms = terms
        self._draft = draft
        self._rows = [row for row in rows if row.part.message]
        self._ends = list(accumulate((row.part.tokens for row in self._rows), initial=terms.tools))
        self._total = total + terms.tools
        self._quotes = quotes

    def shown(self, transcript: Transcript, now: datetime) -> dict[str, Any]:
        """The prompt's `cache`. Costs are in fresh-token equivalents: what the same money buys in uncached tokens."""
        profile, epoch = self._terms.profile, self._draft.epoch
        marks = self._marks()
        read = self._read(transcript, now)
        cost = charge(profile, total=self._total, read=read, written=_written(profile, marks, self._total, read))
        return {
            "profile": profile.name,
            "layout": epoch.layout if epoch.frozen else "live",
            "epoch": epoch.number,
            "epoch_reason": epoch.reason,
            "stable_tokens": marks[-1].tokens if marks else 0,
            "expected_cached": read,
            "breakpoints": [mark.shown() for mark in marks],
            "cost": {
                "fresh": cost.fresh,
                "written": cost.written,
                "read": cost.read,
                "equivalents": round(cost.equivalents, 2),
            },
        }

    def _marks(self) -> list[Mark]:
        """The seams: behind the system text, behind what is known, and where the next prompt may differ."""
        if not self._draft.epoch.frozen or not self._rows:
            return []
        head = sum(row.place is None for row in self._rows)
        seams = dict.fromkeys(at for at in (0, head - 1, self._last_stable()) if at >= 0)
        return [Mark(at, len(self._rows[at].part.message["content"] or ""), self._ends[at + 1]) for at in seams]

    def _last_stable(self) -> int:
        return self._user_before(len(self._rows)) if self._quotes else len(self._rows) - 1

    def _user_before(self, end: int) -> int:
        users = (at for at in range(end - 1, -1, -1) if self._rows[at].part.message["role"] == "user")
        return next(users, -1)

    def _read(self, transcript: Transcript, now: datetime) -> int:
        """Tokens that are in the cache: what this prompt begins with as the last one sent did."""
        profile, last = self._terms.profile, transcript.epoch
        if not self._draft.noted:
            return self._read_of_last(last)
        if transcript.replied is None:
            return 0
        place, when = transcript.replied
        sent = next((at for at, row in enumerate(self._rows) if row.place is not None and row.place >= place), 0)
        shared = earlier = self._ends[sent]
        before, at_end = self._user_before(sent), self._user_before(len(self._rows))
        if self._quotes and before == at_end:
            shared = earlier = shared + self._quotes
        elif self._quotes:  # they stood behind that message when it was the last
            shared, earlier = self._ends[before + 1], shared + self._quotes
        elif profile.caches_reply:
            shared = earlier = self._ends[sent + 1]
        idle = (now - when).total_seconds()
        return expected_read(profile, shared, self._total, idle, earlier=earlier)

    def _read_of_last(self, last: Epoch | None) -> int:
        """In a new epoch: the system text, where it is the same."""
        epoch = self._draft.epoch
        same = last is not None and last.frozen and epoch.frozen and last.system == epoch.system
        if last is None or not same or epoch.reason in {"idle", "provider", "tools"} or not self._rows:
            return 0
        return expected_read(self._terms.profile, self._ends[1], self._total, 0.0, earlier=self._total)


def _written(profile: Profile, marks: Sequence[Mark], total: int, read: int) -> int:
    if profile.rule == "breakpoints":
        reach = marks[-1].tokens if marks else 0
        return max(0, reach - read) if reach >= profile.minimum else 0
    return total - read if profile.write != 1 and total >= profile.minimum else 0
