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


class Closing(NamedTuple):
    """What closes the last user message as long as no slot changes, and for which slots, draft and secrets that is."""

    slots: Mapping[str, SlotState]
    draft: Draft
    secrets: int
    note: str
    quotes: Quotes
    text: str
    size: int | None
    """Tokens of the text behind a line break, where that does not depend on what stands before it."""


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
        self._closed: Closing | None = None
        self._reply = overhead_of(terms.counter).reply
        self._parts_at_tags = bool(getattr(terms.counter, "parts_at_tags", False))
        self.under(terms)

    def under(self, terms: Terms) -> None:
        """Make the next prompts under terms that differ, but neither in their template nor in their counter."""
        if terms.profile != self.terms.profile or terms.key["tools"] != self.terms.key["tools"]:
            self._made, self._sent, self._learned = (None, 0), None, ()  # nothing of it is in that cache
        self.terms, self._agreed = terms, None
        self._high = terms.high if terms.caches else None
        self._planner = Planner(terms, self._scene, self._mask, self._type)
        self._closed = None

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
        if transcript.waiting:
            raise ToolCallsPending(transcript.pending)
        if transcript.replies != self._made[1]:
            self._answered()
        if compact is None:
            went = self._going_on(transcript, state, now, patient=patient)
            if not isinstance(went, Began):
                return went, ()
            began = went
        else:
            began = Began("compaction", cuts=True, trigger=compact)
        draft = self._planner.begun(transcript, state, began, now)
        prompt = self._composed(transcript, state, draft, now)
        told = (draft.epoch,) if draft.recorded else ()
        return prompt, told if draft.compacted is None else (draft.compacted, *told)

    def going_on(self, transcript: Transcript, state: State, now: datetime) -> Prompt | None:
        """The prompt, if it goes on in its epoch. Raises ToolCallsPending, TemplateError."""
        if transcript.waiting:
            raise ToolCallsPending(transcript.pending)
        if transcript.replies != self._made[1]:
            self._answered()
        went = self._going_on(transcript, state, now)
        return None if isinstance(went, Began) else went

    def gap(self, transcript: Transcript, state: State, now: datetime, *, compact: Trigger | None = None) -> Gap | None:
        """The messages that leave the window with the next prompt and that no summary covers, if there are any.

        Raises ToolCallsPending, BudgetTooSmall.
        """
        if transcript.waiting:
            raise ToolCallsPending(transcript.pending)
        began: Prompt | Began = Began("compaction", cuts=True, trigger=compact)
        if compact is None:
            began = self._going_on(transcript, state, now)
        return self._planner.gap(transcript, state, began) if isinstance(began, Began) else None

    def _going_on(
        self, transcript: Transcript, state: State, now: datetime, *, patient: bool = False
    ) -> Prompt | Began:
        """The prompt, if it goes on in its epoch; else why it cannot."""
        epoch, reason = transcript.epoch, self._reason(transcript, state, now)
        if epoch is None or not epoch.frozen or reason is not None:
            return Began(reason)
        prompt = self._composed(transcript, state, self._continued(transcript, epoch), now)
        tokens, limit = prompt.tokens or 0, self.terms.limit
        reason = outgrown(transcript, epoch, tokens, limit, None if patient else self._high)
        if reason is None:
            return prompt
        if reason == "notes":
            return Began(reason)
        return Began(reason, cuts=True, trigger="limit" if limit is not None and tokens > limit else "high")

    def _answered(self) -> None:
        """The assistant has spoken, so that the prompt made last is one that was sent."""
        made = self._made[0]
        if made is None:
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
            return "erasure" if transcript.erased else None
        reason = None
        if self._agreed is not epoch:
            reason = changed_terms(epoch, self.terms.key)
            self._agreed = epoch if reason is None else None
        if reason is None and epoch.frozen:
            reason = why_new(transcript, self._domains, self.terms.profile, now)
            if reason is None and epoch.key.get("summary", "0") != str(state.summary.version):
                reason = "compaction"
            if reason is None and self._mask.newest > transcript.begun and self._reads_otherwise(transcript, epoch):
                reason = "masking"
        return reason

    def _reads_otherwise(self, transcript: Transcript, epoch: Epoch) -> bool:
        """Whether something that may have been sent in this epoch holds what became secret later.

        That is told by the log alone, so that every process comes to the same end.
        """
        transcript.reaches(epoch.window)
        if self._looked == (epoch, self._secrets):
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
        draft = self._draft
        if draft is None or draft.epoch is not epoch:
            start, pins = unit_at(transcript, epoch.window), tuple(transcript.places(epoch.pins))
            draft = self._draft = Draft(epoch, start, pins, noted=True, inline=epoch.layout == "append_only")
        return draft

    def _note(self, batch: Batch, mask: Mask | None = None) -> str:
        """A note; with another mask, as it was when less was secret."""
        terms, scene = self.terms, self._scene
        if mask is not None:
            scene = Scene(self._domains, mask, reveal=terms.reveal, locale=terms.locale)
        text: str = self._noting.render("note", scene.note(batch.state, batch.paths), counter=terms.counter)
        return text

    # The messages

    def _composed(self, transcript: Transcript, state: State, draft: Draft, now: datetime) -> Prompt:
        terms, sheet = self.terms, self._laid_out(transcript, draft)
        total = self._reply + sheet.ends[-1]
        messages = list(map(dict.copy, sheet.messages))
        for at in sheet.calls:
            messages[at] = copied(messages[at])
        last = sheet.users[-1] if sheet.users else None
        closed = self._closing(transcript, state, draft)
        lines, quoted = [*sheet.lines], None
        if closed.text or closed.quotes.left_out:
            text, tokens, more = self._tail(state, closed, None if last is None else messages[last]["content"], total)
            lines += more
            if text:
                total += tokens
                quoted = Quoted(len(messages) - 1 if last is None else last, text, tokens)
                if last is None:
                    messages.append({"role": "user", "content": text})
                else:
                    messages[last]["content"] += f"\n{text}"
        lines += sheet.closing
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
        self._made = sent, transcript.replies
        return make_prompt(messages, total, terms.limit, lines, cache)

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
        sheet.closing = (
            Line("overhead", "reply", self._reply),
            *(Line(section, ident, reason=reason, action="dropped") for section, ident, reason in draft.epoch.left_out),
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

    def _closing(self, transcript: Transcript, state: State, draft: Draft) -> Closing:
        """The note and the quotes that close the last user message, made anew where a slot has changed."""
        known, slots, secrets = self._closed, state.slots, self._secrets
        if known is None or known.slots is not slots or known.draft is not draft or known.secrets != secrets:
            note, quotes = self._closing_note(transcript, state, draft), self._quotes(state, draft.epoch)
            text = _joined(note, quotes.text)
            known = self._closed = Closing(slots, draft, secrets, note, quotes, text, self._size(note, quotes.text))
        return known

    def _size(self, note: str, quotes: str) -> int | None:
        """The tokens of a note and quotes, if its parts can be counted one by one: each will be again."""
        counter = self.terms.counter
        if not self._parts_at_tags:
            return None
        if not quotes:
            return counter.count(note)
        return counter.count(f"{note}\n") + counter.count(quotes) if note else counter.count(quotes)

    def _closing_note(self, transcript: Transcript, state: State, draft: Draft) -> str:
        """In layout quotes_last all changes since the epoch began are one note, where a model looks first."""
        if not draft.noted or draft.inline or not transcript.changed:
            return ""
        text = self._note(Batch(0, transcript.changed, state, 0))
        return delimited("note", text) if text else ""

    def _quotes(self, state: State, epoch: Epoch) -> Quotes:
        """The quotes that close the last user message, as many as the template grants: of what has left the window,
        so none while all stands there.
        """
        if not epoch.window or (epoch.layout == "append_only" and epoch.frozen):
            return Quotes("", 0)
        return self._planner.quotes(state, epoch.window)

    def _tail(self, state: State, closed: Closing, onto: str | None, total: int) -> tuple[str, int, Sequence[Line]]:
        """What closes the last user message, behind its words `onto`, as far as there is room for it: its text, its
        tokens there, and its lines in the ledger. `total` are the prompt's tokens without it.
        """
        note, quotes, text = closed.note, closed.quotes, closed.text
        planner, counter, limit = self._planner, self.terms.counter, self.terms.limit
        if text and closed.size is not None and onto is not None:
            tokens = counter.count(f"{onto}\n") - counter.count(onto) + closed.size
        else:
            tokens = planner.behind(onto, text) if text else 0
        if quotes.text and limit is not None and total + tokens > limit:
            used = planner.behind(onto, note) if note else 0
            words = note if onto is None else f"{onto}\n{note}" if note else onto
            quotes = planner.quotes(state, closed.draft.epoch.window, limit - total - used, words)
            text = _joined(note, quotes.text)
            tokens = planner.behind(onto, text) if text else 0
        lines: list[Line] = []
        of_note = tokens if not quotes.text else min(tokens, counter.count(f"{note}\n")) if note else 0
        if note:
            lines.append(Line("note", "changes", of_note))
        if quotes.text:
            lines.append(Line("quotes", "quotes", tokens - of_note))
        if quotes.left_out:
            lines.append(Line("quotes", "items", reason=f"{quotes.left_out} do not fit", action="dropped"))
        return text, tokens, lines


def _joined(one: str, other: str) -> str:
    return f"{one}\n{other}" if one and other else one or other
