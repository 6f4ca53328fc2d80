"""A prompt put together from a conversation's log under a budget: what stands in it, in which layout, in which epoch.

Its parts come in one order: system, slots and summary, pinned messages that left the window, the window, quotes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from slotstate.contract import LedgerLine, Prompt
from slotstate.domains import Domains
from slotstate.errors import ToolCallsPending
from slotstate.events import Epoch, EpochReason
from slotstate.prompt.cache_facts import CacheFacts, Row
from slotstate.prompt.epochs import why_new
from slotstate.prompt.parts import Part, Typesetter, copied
from slotstate.prompt.planning import Planner
from slotstate.prompt.scene import Mask, Scene
from slotstate.prompt.selection import unit_at
from slotstate.prompt.terms import Draft, Terms
from slotstate.prompt.transcript import Batch, Transcript, Unit
from slotstate.state import SlotState, State
from slotstate.templating import load_template
from slotstate.tokens import message_tokens, overhead_of


class Assembler:
    """Makes the prompts of one conversation, and remembers what it has rendered for the next one."""

    def __init__(self, domains: Domains, terms: Terms, mask: Mask) -> None:
        self._domains = domains
        self._mask = mask
        self._scene = Scene(domains, mask, reveal=terms.reveal, locale=terms.locale)
        self._noting = terms.template if terms.template.has("note") else load_template("default")
        self._type = Typesetter(terms.counter, mask, self._note)
        self._secrets: int | None = None
        self._head: tuple[Epoch, tuple[Part, ...]] | None = None
        self._quoting: tuple[Mapping[str, SlotState], tuple[int, int | None], str] | None = None
        self.under(terms)

    def under(self, terms: Terms) -> None:
        """Make the next prompts under terms that differ, but neither in their template nor in their counter."""
        self.terms = terms
        self._planner = Planner(terms, self._scene, self._mask, self._type)
        self._quoting = None

    def assemble(self, transcript: Transcript, state: State, now: datetime) -> tuple[Prompt, Epoch | None]:
        """The prompt, and the epoch that begins with it, where one does that the log must know of.

        Raises ToolCallsPending, BudgetTooSmall, TemplateError.
        """
        if transcript.pending:
            raise ToolCallsPending(transcript.pending)
        epoch, reason = transcript.epoch, self._reason(transcript, now)
        if epoch is not None and epoch.frozen and reason is None:
            prompt = self._compose(transcript, state, self._continued(transcript, epoch), now)
            if self.terms.limit is None or (prompt.tokens or 0) <= self.terms.limit:
                return prompt, None
            reason = "compaction"
        draft = self._planner.begun(transcript, state, reason)
        return self._compose(transcript, state, draft, now), draft.epoch if draft.recorded else None

    def _reason(self, transcript: Transcript, now: datetime) -> EpochReason | None:
        epoch = transcript.epoch
        seen, self._secrets = self._secrets, self._mask.version
        reads_otherwise = seen is not None and seen != self._secrets and self._type.changed()
        if epoch is None:
            return None
        if seen is None:  # made by another process: which texts it masked is not known
            reads_otherwise = epoch.key.get("secrets") != str(self._secrets)
        reason = why_new(transcript, epoch, self.terms.key, self._domains, self.terms.profile, now)
        return "masking" if reason is None and reads_otherwise and epoch.frozen else reason

    def _continued(self, transcript: Transcript, epoch: Epoch) -> Draft:
        places = (transcript.place(ident) for ident in epoch.pins)
        pins = tuple(place for place in places if place is not None)
        self._type.quoted = None if epoch.quoted is None else (epoch.quoted, epoch.quotes)
        return Draft(epoch, unit_at(transcript, epoch.window), pins, noted=True)

    def _note(self, batch: Batch) -> str:
        text: str = self._noting.render("note", self._scene.note(batch.state, batch.paths), counter=self.terms.counter)
        return text

    # The messages

    def _compose(self, transcript: Transcript, state: State, draft: Draft, now: datetime) -> Prompt:
        rows = list(self._rows(transcript, draft))
        reply = overhead_of(self.terms.counter).reply
        total = reply + sum(row.part.tokens for row in rows)
        ledger = [line for row in rows for line in row.part.lines]
        messages = [copied(row.part.message) for row in rows if row.part.message]
        extra = self._quote(messages, self._quotes(state, draft.epoch, total), total)
        if extra:
            total += extra
            ledger.append(LedgerLine(section="quotes", id="quotes", action="kept", tokens=extra))
        ledger.append(LedgerLine(section="overhead", id="reply", action="kept", tokens=reply))
        ledger += [
            LedgerLine(section=section, id=ident, action="dropped", reason=reason)
            for section, ident, reason in draft.epoch.left_out
        ]
        facts = CacheFacts(self.terms, draft, rows, total, extra)
        return Prompt(
            messages=messages,
            tokens=total,
            budget=self.terms.limit,
            ledger=ledger,
            cache=facts.shown(transcript, now),
        )

    def _rows(self, transcript: Transcript, draft: Draft) -> Iterator[Row]:
        """All parts in order; what changed behind a reply opens the user's next message."""
        if self._head is None or self._head[0] is not draft.epoch:
            self._head = draft.epoch, self._planner.head(draft.epoch)
        yield from (Row(part, None) for part in self._head[1])
        for place in draft.pins:
            yield from (Row(part, None) for part in self._type.parts(transcript.units[place], noted=draft.noted))
        behind: Unit | None = None
        for place in range(draft.start, len(transcript.units)):
            unit = transcript.units[place]
            if behind is not None and unit.kind != "user":
                yield from (Row(part, place) for part in self._type.changes(behind))
                behind = None
            if unit.kind == "change":
                behind = unit if draft.noted else None
            else:
                yield from (Row(part, place) for part in self._type.parts(unit, behind, noted=draft.noted))
                behind = None
        if behind is not None:
            yield from (Row(part, len(transcript.units)) for part in self._type.changes(behind))

    def _quotes(self, state: State, epoch: Epoch, total: int) -> str:
        """The quotes that close the last user message: of what has left the window, so none while all stands there."""
        if not epoch.window or (epoch.layout == "append_only" and epoch.frozen):
            return ""
        room = None if self.terms.limit is None else self.terms.limit - total
        most = self._planner.most_quotes
        bound = room if most is None or (room is not None and room < most) else most
        known = self._quoting
        if known is None or known[0] is not state.slots or known[1] != (epoch.window, bound):
            known = self._quoting = state.slots, (epoch.window, bound), self._planner.quotes(state, epoch.window, bound)
        return known[2]

    def _quote(self, messages: list[dict[str, Any]], quotes: str, total: int) -> int:
        """Put the quotes behind the last user message, or in one of their own; the tokens that they take."""
        if not quotes:
            return 0
        counter, limit = self.terms.counter, self.terms.limit
        at = next((at for at in range(len(messages) - 1, -1, -1) if messages[at]["role"] == "user"), None)
        before = {} if at is None else messages[at]
        after = {"role": "user", "content": "\n".join([*([before["content"]] if before else []), quotes])}
        extra = message_tokens(counter, after) - (message_tokens(counter, before) if before else 0)
        if limit is not None and total + extra > limit:
            return 0
        if at is None:
            messages.append(after)
        else:
            messages[at] = after
        return extra
