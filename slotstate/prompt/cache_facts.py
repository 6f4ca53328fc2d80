"""What a provider's cache makes of a prompt: what stays, where to mark it, what is read from it, what that costs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from slotstate.caching import Profile, charge, expected_read
from slotstate.contract import Breakpoint, Cache
from slotstate.events import Epoch
from slotstate.prompt.sheet import Sheet
from slotstate.prompt.terms import Draft, Terms
from slotstate.prompt.transcript import Transcript


class CacheFacts:
    """The cache's view of one prompt. All tokens count the tools' schemas, which providers put in front.

    `total` are the prompt's tokens, `quotes` those of the quotes at its end.
    """

    def __init__(self, terms: Terms, draft: Draft, sheet: Sheet, total: int, quotes: int) -> None:
        self._terms = terms
        self._draft = draft
        self._sheet = sheet
        self._total = total + terms.tools
        self._quotes = quotes

    def shown(self, transcript: Transcript, now: datetime) -> Cache:
        """The prompt's `cache`. Costs are in fresh-token equivalents: what the same money buys in uncached tokens."""
        profile, epoch = self._terms.profile, self._draft.epoch
        marks = self._marks(transcript)
        read = self._read(transcript, now)
        cost = charge(profile, total=self._total, read=read, written=_written(profile, marks, self._total, read))
        return {
            "profile": profile.name,
            "layout": epoch.layout if epoch.frozen else "live",
            "epoch": epoch.number,
            "epoch_reason": epoch.reason,
            "stable_tokens": marks[-1]["tokens"] if marks else 0,
            "expected_cached": read,
            "breakpoints": marks,
            "cost": {
                "fresh": cost.fresh,
                "written": cost.written,
                "read": cost.read,
                "equivalents": round(cost.equivalents, 2),
            },
        }

    def _marks(self, transcript: Transcript) -> list[Breakpoint]:
        """The seams: behind the system text, behind what is known, where the prompt sent last ended, and where the next
        one may differ.
        """
        sheet = self._sheet
        if not self._draft.epoch.frozen or not sheet.messages:
            return []
        last = len(sheet.messages) - 1
        end = self._user_before(last + 1) if self._quotes else last
        seams = sorted({0, sheet.message_of(0) - 1, self._sent(transcript), end})
        return [
            {"message": at, "chars": len(sheet.messages[at]["content"] or ""), "tokens": self._end(at)}
            for at in seams
            if at >= 0
        ]

    def _sent(self, transcript: Transcript) -> int:
        """The last message that the prompt before this one and all later ones have in common, -1 if there was none."""
        if not self._draft.noted or transcript.replied is None:
            return -1
        sent = self._sheet.message_of(transcript.replied[0])
        return self._user_before(sent) if self._quotes else sent - 1

    def _end(self, message: int) -> int:
        return self._sheet.ends[message + 1] + self._terms.tools

    def _user_before(self, message: int) -> int:
        at = self._sheet.user_before(message)
        return -1 if at is None else at

    def _read(self, transcript: Transcript, now: datetime) -> int:
        """Tokens that are in the cache: what this prompt begins with as the last one sent did."""
        profile, last = self._terms.profile, transcript.epoch
        if not self._draft.noted:
            return self._read_of_last(last)
        if transcript.replied is None:
            return 0
        place, when = transcript.replied
        sent = self._sheet.message_of(place)
        shared = earlier = self._end(sent - 1)
        before = self._user_before(sent)
        if self._quotes and before == self._user_before(len(self._sheet.messages)):
            shared = earlier = shared + self._quotes
        elif self._quotes:  # they stood behind that message when it was the last
            shared, earlier = self._end(before), shared + self._quotes
        elif profile.caches_reply and sent < len(self._sheet.messages):
            shared = earlier = self._end(sent)
        idle = (now - when).total_seconds()
        return expected_read(profile, shared, self._total, idle, earlier=earlier)

    def _read_of_last(self, last: Epoch | None) -> int:
        """In a new epoch: the system text, where it is the same."""
        epoch = self._draft.epoch
        same = last is not None and last.frozen and epoch.frozen and last.system == epoch.system
        if not same or epoch.reason in {"idle", "provider", "tools"} or not self._sheet.messages:
            return 0
        return expected_read(self._terms.profile, self._end(0), self._total, 0.0, earlier=self._total)


def _written(profile: Profile, marks: Sequence[Breakpoint], total: int, read: int) -> int:
    if profile.rule == "breakpoints":
        reach = marks[-1]["tokens"] if marks else 0
        return max(0, reach - read) if reach >= profile.minimum else 0
    return total - read if profile.write != 1 and total >= profile.minimum else 0
