"""A prompt put together from a conversation's log under a budget: what stands in it, in which layout, in which epoch.

Its parts come in one order: system, slots and summary, pinned messages that left the window, the window, quotes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Final, NamedTuple

from slotstate.contract import Prompt
from slotstate.domains import Domains
from slotstate.errors import ToolCallsPending
from slotstate.events import AnyEvent, Epoch, EpochReason, Trigger
from slotstate.prompt.cache_facts import Quoted, Sent, cache_facts, common, supposed
from slotstate.prompt.epochs import changed_terms, outgrown, why_new
from slotstate.prompt.made import Line, make_prompt
from slotstate.prompt.parts import Typesetter, copied, delimited
from slotstate.prompt.planning import Began, Gap, Planner, Quotes
from slotstate.prompt.scene import Mask, Scene
from slotstate.prompt.selection import unit_at
from slotstate.prompt.sheet import Sheet
from slotstate.prompt.terms import Draft, Terms
from slotstate.prompt.transcript import Batch, Transcript, Unit
from slotstate.state import SlotState, State
from slotstate.templating import load_template
from slotstate.tokens import overhead_of

LEARNED: Final = 8
"""Beginnings that prompts had in common which are remembered."""


class Tail(NamedTuple):
    """What closes the last user message: its text, its tokens there, and its lines in the ledger."""

    text: str
    tokens: int
    lines: Sequence[Line]


_NOTHING: Final = Tail("", 0, ())


class Assembler:
    """Makes the prompts of one conversation, and remembers what it has rendered for the next one."""

    def __init__(self, domains: Domains, terms: Terms, mask: Mask) -> None:
        self.terms = terms
        self._domains = domains
        self._mask = mask
        self._scene = Scene(domains, mask, reveal=terms.reveal, locale=terms.locale)
        self._noting = terms.template if terms.template.has("note") else load_template("default")
        self._type = Typesetter(terms.counter, mask, self._note, terms.rules)
        self._secrets = mask.version
        self._looked: tuple[Epoch, int] | None = None
        self._draft: Draft | None = None
        self._agreed: Epoch | None = None
        self._settled: tuple[Epoch, Sheet, int] | None = None
        self._begins = 0
        self._made: tuple[Sent | None, int] = (None, 0)
        self._sent: Sent | None = None
        self._learned: tuple[int, ...] = ()
        self._quoting: tuple[Mapping[str, SlotState], int, Quotes] | None = None
        self._closing: tuple[Mapping[str, SlotState], Epoch, int, str] | None = None
        self.under(terms)

    def under(self, terms: Terms) -> None:
        """Make the next prompts under terms that differ, but neither in their template nor in their counter."""
        if terms.profile != self.terms.profile or terms.key["tools"] != self.terms.key["tools"]:
            self._made, self._sent, self._learned = (None, 0), None, ()  # nothing of it is in that cache
        self.terms, self._agreed = terms, None
        self._planner = Planner(terms, self._scene, self._mask, self._type)
        self._quoting = None

    def assemble(
        self,
        transcript: Transcript,
        state: State,
        now: datetime,
        *,
        compact: Trigger | None = None,
        patient: bool = False,
    ) -> tuple[Prompt, tuple[AnyEvent, ...]]:
        """The prompt, and what the log must know of: a version of the summary and an epoch that begin with it, where
        they do. With `compact` turns are cut to the low mark in any case, and that is why; when `patient`, only where
        there is no other way.

        Raises ToolCallsPending, BudgetTooSmall, TemplateError.
        """
        if transcript.pending:
            raise ToolCallsPending(transcript.pending)
        self._answered(transcript)
        began = Began("compaction", cuts=True, trigger=compact)
        if compact is None:
            prompt, began = self._going_on(transcript, state, now, patient=patient)
            if prompt is not None:
                return prompt, ()
        draft = self._planner.begun(transcript, state, began, now)
        prompt = self._composed(transcript, state, draft, now)
        told = (draft.epoch,) if draft.recorded else ()
        return prompt, told if draft.compacted is None else (draft.compacted, *told)

    def gap(self, transcript: Transcript, state: State, now: datetime, *, compact: Trigger | None = None) -> Gap | None:
        """The messages that leave the window with the next prompt and that no summary covers, if there are any.

        Raises ToolCallsPending, BudgetTooSmall.
        """
        if transcript.pending:
            raise ToolCallsPending(transcript.pending)
        began = Began("compaction", cuts=True, trigger=compact)
        if compact is None:
            prompt, began = self._going_on(transcript, state, now)
            if prompt is not None:
                return None
        return self._planner.gap(transcript, state, began)

    def _going_on(
        self, transcript: Transcript, state: State, now: datetime, *, patient: bool = False
    ) -> tuple[Prompt | None, Began]:
        """The prompt, if it goes on in its epoch; else why it cannot."""
        epoch, reason = transcript.epoch, self._reason(transcript, state, now)
        if epoch is None or not epoch.frozen or reason is not None:
            return None, Began(reason)
        prompt = self._composed(transcript, state, self._continued(transcript, epoch), now)
        tokens, limit = prompt.tokens or 0, self.terms.limit
        high = self.terms.high if self.terms.caches and not patient else None
        reason = outgrown(transcript, epoch, tokens, limit, high)
        if reason is None:
            return prompt, Began(None)
        if reason == "notes":
            return None, Began(reason)
        return None, Began(reason, cuts=True, trigger="limit" if limit is not None and tokens > limit else "high")

    def _answered(self, transcript: Transcript) -> None:
        """Once the assistant has spoken, the prompt made last is one that was sent."""
        made, replies = self._made
        if made is None or transcript.replies == replies:
            return
        if self._sent is not None and self.terms.profile.learns:
            shared = common(self._sent, made, self.terms.counter).tokens
            self._learned = (*(one for one in self._learned if one < shared), shared)[-LEARNED:]
        self._sent = made

    def _reason(self, transcript: Transcript, state: State, now: datetime) -> EpochReason | None:
        epoch = transcript.epoch
        if self._secrets != self._mask.version:
            self._secrets, self._settled = self._mask.version, None
            self._type.anew()
        if epoch is None:
            return None
        reason = None
        if self._agreed is not epoch:
            reason = changed_terms(epoch, self.terms.key)
            self._agreed = epoch if reason is None else None
        if reason is None and epoch.frozen:
            reason = why_new(transcript, self._domains, self.terms.profile, now)
            if reason is None and epoch.key.get("summary", "0") != str(state.summary.version):
                reason = "compaction"
            if reason is None and self._reads_otherwise(transcript, epoch):
                reason = "masking"
        return reason

    def _reads_otherwise(self, transcript: Transcript, epoch: Epoch) -> bool:
        """Whether something that may have been sent in this epoch holds what became secret later.

        That is told by the log alone, so that every process comes to the same end.
        """
        transcript.reaches(epoch.window)
        if self._mask.newest <= transcript.begun or self._looked == (epoch, self._secrets):
            return False
        self._type.folded, self._type.tight = epoch.folded, epoch.tight
        before = self._mask.until(transcript.begun)
        head = (epoch.system, epoch.slots, epoch.summary, epoch.quotes)
        units = [transcript.units[place] for place in transcript.places(epoch.pins)]
        units += transcript.units[unit_at(transcript, epoch.window) :]
        if any(before.mask(text) != self._mask.mask(text) for text in head) or any(
            self._unit_reads_otherwise(unit, transcript.begun) for unit in units
        ):
            return True
        self._looked = epoch, self._secrets
        return False

    def _unit_reads_otherwise(self, unit: Unit, begun: int) -> bool:
        seen = self._mask.newest if unit.seen is None else max(begun, unit.seen)
        if seen < self._mask.newest and self._type.told(unit, self._mask.until(seen)) != self._type.told(
            unit, self._mask
        ):
            return True
        return any(
            self._note(batch, self._mask.until(at)) != self._note(batch)
            for batch in (unit.batches if self.terms.layout == "append_only" else ())
            if (at := max(seen, batch.seen)) < self._mask.newest
        )

    def _continued(self, transcript: Transcript, epoch: Epoch) -> Draft:
        transcript.reaches(epoch.window)
        self._type.folded, self._type.tight = epoch.folded, epoch.tight
        self._type.quoted = None if epoch.quoted is None else (epoch.quoted, epoch.quotes)
        if self._draft is not None and self._draft.epoch is epoch:
            return self._draft
        self._draft = Draft(epoch, unit_at(transcript, epoch.window), tuple(transcript.places(epoch.pins)), noted=True)
        return self._draft

    def _note(self, batch: Batch, mask: Mask | None = None) -> str:
        """A note; with another mask, as it was when less was secret."""
        terms, scene = self.terms, self._scene
        if mask is not None:
            scene = Scene(self._domains, mask, reveal=terms.reveal, locale=terms.locale)
        text: str = self._noting.render("note", scene.note(batch.state, batch.paths), counter=terms.counter)
        return text

    # The messages

    def _composed(self, transcript: Transcript, state: State, draft: Draft, now: datetime) -> Prompt:
        sheet = self._laid_out(transcript, draft)
        prompt, sent = self._compose(transcript, state, draft, sheet, now)
        self._made = sent, transcript.replies
        return prompt

    def _compose(
        self, transcript: Transcript, state: State, draft: Draft, sheet: Sheet, now: datetime
    ) -> tuple[Prompt, Sent]:
        terms = self.terms
        total = overhead_of(terms.counter).reply + sheet.tokens
        messages = list(map(dict.copy, sheet.messages))
        for at in sheet.calls:
            messages[at] = copied(messages[at])
        last = sheet.users[-1] if sheet.users else None
        tail = self._tail(transcript, state, draft, None if last is None else messages[last]["content"], total)
        quoted = None
        if tail.text:
            total += tail.tokens
            quoted = Quoted(len(messages) - 1 if last is None else last, tail.text, tail.tokens)
            if last is None:
                messages.append({"role": "user", "content": tail.text})
            else:
                messages[last]["content"] += f"\n{tail.text}"
        sent = Sent(sheet.messages.copy(), sheet.ends.copy(), terms.tools, quoted, now)
        before = self._sent
        if before is None and draft.noted and transcript.replied is not None:
            place, when = transcript.replied
            before = supposed(sent, sheet.message_of(place), when, sheet)
        cache = partial(
            cache_facts, terms, draft, sent, before, self._learned, head=sheet.head, total=total + terms.tools
        )
        if terms.profile.rule == "breakpoints":  # else nobody asks where they were
            sent.marks = tuple(mark["tokens"] for mark in cache()["breakpoints"])
        return make_prompt(messages, total, terms.limit, [*sheet.lines, *tail.lines, *sheet.closing], cache), sent

    def _laid_out(self, transcript: Transcript, draft: Draft) -> Sheet:
        """All parts in order. What cannot change any more is laid once in an epoch, and the sheet of it shared."""
        end, inline = len(transcript.units), draft.inline
        known = self._settled if draft.noted else None
        if known is None or known[0] is not draft.epoch:
            known = draft.epoch, self._opened(transcript, draft), draft.start
        _, sheet, begin = known
        settled = end
        if begin < end and (inline or transcript.units[-1].kind == "tools"):
            settled -= 1  # it may yet grow
            while settled > begin and transcript.units[settled - 1].kind == "change":
                settled -= 1  # its notes may yet open a user's message
        if settled > begin:
            self._lay(sheet, transcript, begin, settled, noted=inline)
        # without notes, a layout that has them in its messages is laid another time
        self._settled = (draft.epoch, sheet, settled) if inline or draft.epoch.layout == "quotes_last" else None
        if settled == end:
            return sheet
        whole = sheet.copy()
        self._lay(whole, transcript, settled, end, noted=inline)
        return whole

    def _opened(self, transcript: Transcript, draft: Draft) -> Sheet:
        """What stands before the window."""
        self._type.forget(transcript.units[self._begins : draft.start])
        self._begins = draft.start
        sheet = Sheet()
        sheet.add(self._planner.head(draft.epoch))
        sheet.head = len(sheet.messages)
        reply = overhead_of(self.terms.counter).reply
        sheet.closing = (
            Line("overhead", "reply", reply),
            *(
                Line(section, ident, reason=reason, action="dropped")
                for section, ident, reason in draft.epoch.left_out
            ),
        )
        for place in draft.pins:
            parts = self._type.parts(transcript.units[place], noted=draft.inline)
            sheet.add(part.moved("pins") for part in parts)
        return sheet

    def _lay(self, sheet: Sheet, transcript: Transcript, begin: int, end: int, *, noted: bool) -> None:
        """Units `begin` to `end`; what changed behind a reply opens the user's next message."""
        behind: Unit | None = None
        for place in range(begin, end):
            unit = transcript.units[place]
            if unit.kind == "change":
                behind = unit if noted else None
                continue
            if behind is not None and unit.kind != "user":
                sheet.add(self._type.changes(behind), place)
                behind = None
            sheet.add(self._type.parts(unit, behind, noted=noted), place)
            behind = None
        if behind is not None:
            sheet.add(self._type.changes(behind), end)

    def _tail(self, transcript: Transcript, state: State, draft: Draft, onto: str | None, total: int) -> Tail:
        """What closes the last user message, behind its words `onto`: a note of all that changed since the slots were
        frozen, and the quotes. `total` are the prompt's tokens without it.
        """
        note, quotes = self._closing_note(transcript, state, draft), self._quotes(state, draft.epoch)
        if not note and not quotes.text and not quotes.left_out:
            return _NOTHING
        planner, limit = self._planner, self.terms.limit
        text = _joined(note, quotes.text)
        tokens = planner.behind(onto, text) if text else 0
        if quotes.text and limit is not None and total + tokens > limit:
            used = planner.behind(onto, note) if note else 0
            words = note if onto is None else f"{onto}\n{note}" if note else onto
            quotes = planner.quotes(state, draft.epoch.window, limit - total - used, words)
            text = _joined(note, quotes.text)
            tokens = planner.behind(onto, text) if text else 0
        lines: list[Line] = []
        of_note = tokens if not quotes.text else min(tokens, self.terms.counter.count(f"{note}\n")) if note else 0
        if note:
            lines.append(Line("note", "changes", of_note))
        if quotes.text:
            lines.append(Line("quotes", "quotes", tokens - of_note))
        if quotes.left_out:
            lines.append(Line("quotes", "items", reason=f"{quotes.left_out} do not fit", action="dropped"))
        return Tail(text, tokens, lines)

    def _closing_note(self, transcript: Transcript, state: State, draft: Draft) -> str:
        """In layout quotes_last all changes since the epoch began are one note, where a model looks first."""
        if not draft.noted or draft.inline or not transcript.changed:
            return ""
        known = self._closing
        if known is None or known[0] is not state.slots or known[1] is not draft.epoch or known[2] != self._secrets:
            text = self._note(Batch(0, transcript.changed, state, 0))
            note = delimited("note", text) if text else ""
            known = self._closing = state.slots, draft.epoch, self._secrets, note
        return known[3]

    def _quotes(self, state: State, epoch: Epoch) -> Quotes:
        """The quotes that close the last user message, as many as the template grants: of what has left the window,
        so none while all stands there.
        """
        if not epoch.window or (epoch.layout == "append_only" and epoch.frozen):
            return Quotes("", 0)
        known = self._quoting
        if known is None or known[0] is not state.slots or known[1] != epoch.window:
            known = self._quoting = state.slots, epoch.window, self._planner.quotes(state, epoch.window)
        return known[2]


def _joined(one: str, other: str) -> str:
    return f"{one}\n{other}" if one and other else one or other
