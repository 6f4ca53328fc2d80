"""A prompt put together from a conversation's log under a budget: what stands in it, in which layout, in which epoch.

Its parts come in one order: system, slots and summary, pinned messages that left the window, the window, quotes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Final, NamedTuple

from slotstate.contract import Prompt
from slotstate.domains import Domains
from slotstate.errors import ToolCallsPending
from slotstate.events import AnyEvent, Epoch, EpochReason, Trigger
from slotstate.prompt.cache_facts import Quoted, Sent, cache_facts, common, supposed
from slotstate.prompt.epochs import changed_terms, outgrown, why_new
from slotstate.prompt.gauge import Gauge
from slotstate.prompt.made import Line, make_prompt, new
from slotstate.prompt.parts import Typesetter, copied, delimited
from slotstate.prompt.planning import Began, Gap, Planner, Quotes
from slotstate.prompt.rows import Rows
from slotstate.prompt.scene import Mask, Scene
from slotstate.prompt.selection import unit_at
from slotstate.prompt.sheet import Mark, Sheet
from slotstate.prompt.terms import Draft, Terms
from slotstate.prompt.transcript import Batch, Transcript, Unit
from slotstate.state import SlotState, State, Summary
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
    noted: int
    """Of these, those of the note, as far as quotes follow it."""


class Assembler:
    """Makes the prompts of one conversation, and remembers what it has rendered for the next one."""

    def __init__(self, domains: Domains, terms: Terms, mask: Mask) -> None:
        self.terms = terms
        self._domains = domains
        self._mask = mask
        self._scene = Scene(domains, mask, reveal=terms.reveal, locale=terms.locale)
        self._noting = terms.template if terms.template.has("note") else load_template("default")
        self._gauge = Gauge(terms.counter)
        self._notes = Rows(self._noting, "note", "changes", self._scene, self._gauge, terms.counter)
        self._type = Typesetter(terms.counter, mask, self._note, terms.rules, self._gauge)
        self._secrets = mask.version
        self._looked: tuple[Epoch, int] | None = None
        self._draft: Draft | None = None
        self._agreed: Epoch | None = None
        self._summary: Summary | None = None
        self._settled: tuple[Epoch, Sheet, int, Mark | None] | None = None
        self._begins = 0
        self._made: tuple[Sent | None, int] = (None, 0)
        self._sent: Sent | None = None
        self._learned: tuple[int, ...] = ()
        self._closed: Closing | None = None
        self._reply = overhead_of(terms.counter).reply
        self.under(terms)

    def under(self, terms: Terms) -> None:
        """Make the next prompts under terms that differ, but neither in their template nor in their counter."""
        if terms.profile != self.terms.profile or terms.key["tools"] != self.terms.key["tools"]:
            self._made, self._sent, self._learned = (None, 0), None, ()  # nothing of it is in that cache
        self.terms, self._agreed = terms, None
        self._high = terms.high if terms.caches else None
        self._planner = Planner(terms, self._scene, self._mask, self._type, self._gauge)
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
        if self._agreed is not epoch:
            self._agreed = self._summary = None
            if (changed := changed_terms(epoch, self.terms.key)) is not None:
                return changed
            self._agreed = epoch
        if not epoch.frozen:
            return None
        if (happened := why_new(transcript, self._domains, self.terms.profile, now)) is not None:
            return happened
        if self._summary is not state.summary:
            if epoch.key.get("summary", "0") != str(state.summary.version):
                return "compaction"
            self._summary = state.summary
        if self._mask.newest > transcript.begun and self._reads_otherwise(transcript, epoch):
            return "masking"
        return None

    def _reads_otherwise(self, transcript: Transcript, epoch: Epoch) -> bool:
        """Whether something that may have been sent in this epoch holds what became secret later.

        That is told by the log alone, so that every process comes to the same end.
        """
        transcript.reaches(epoch.window)
        if self._looked == (epoch, self._secrets):
            return False
        self._type.follow(epoch)
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
            self._note_until(batch, self._mask.until(at)) != self._note(batch)[0]
            for batch in (unit.batches if self.terms.layout == "append_only" else ())
            if (at := max(seen, batch.seen)) < self._mask.newest
        )

    def _continued(self, transcript: Transcript, epoch: Epoch) -> Draft:
        transcript.reaches(epoch.window)
        draft, typesetter = self._draft, self._type
        if typesetter.epoch is not epoch:
            typesetter.follow(epoch)
        if draft is None or draft.epoch is not epoch:
            start, pins = unit_at(transcript, epoch.window), tuple(transcript.places(epoch.pins))
            draft = self._draft = Draft(epoch, start, pins, noted=True, inline=epoch.layout == "append_only")
        return draft

    def _note(self, batch: Batch) -> tuple[str, int]:
        """A note between its markers, and its tokens."""
        return self._notes.block(batch.state, self._scene.changes(batch.state, batch.paths))

    def _note_until(self, batch: Batch, mask: Mask) -> str:
        """The same note as it was when less was secret."""
        scene = Scene(self._domains, mask, reveal=self.terms.reveal, locale=self.terms.locale)
        given = scene.given(batch.state, changes=scene.changes(batch.state, batch.paths))
        text = self._noting.render("note", given, counter=self.terms.counter)
        return delimited("note", text) if text and not text.isspace() else ""

    # The messages

    def _composed(self, transcript: Transcript, state: State, draft: Draft, now: datetime) -> Prompt:
        terms, sheet = self.terms, self._laid_out(transcript, draft)
        messages, total = [*map(dict.copy, sheet.messages)], self._reply + sheet.ends[-1]
        for at in sheet.calls:
            messages[at] = copied(messages[at])
        quoted, tail = None, _NO_TAIL
        if not draft.inline:  # else all of it stands where it came up
            tail = self._tail(sheet, state, self._closing(transcript, state, draft), total)
            quoted = tail.quoted
            if quoted is not None:
                total += quoted.tokens
                if quoted.message < len(messages):
                    messages[quoted.message]["content"] += f"\n{quoted.text}"
                else:
                    messages.append({"role": "user", "content": quoted.text})
        sent = Sent([*sheet.messages], [*sheet.ends], terms.tools, quoted, now)
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
        return make_prompt(messages, total, terms.limit, partial(_ledger, [*sheet.lines], tail, sheet.closing), cache)

    def _laid_out(self, transcript: Transcript, draft: Draft) -> Sheet:
        """All parts in order, until the next ones are laid. What cannot change any more is laid once in an epoch."""
        units, inline, epoch = transcript.units, draft.inline, draft.epoch
        end, known = len(units), self._settled if draft.noted else None
        if known is None or known[0] is not epoch:
            known = epoch, self._opened(transcript, draft), draft.start, None
        _, sheet, begin, mark = known
        if mark is not None:
            sheet.back_to(mark)
        settled, mark = end, None
        if begin < end and (epoch.layout == "append_only" or units[-1].kind == "tools"):
            settled -= 1  # it may yet grow
            while settled > begin and units[settled - 1].kind == "change":
                settled -= 1  # its notes may yet open a user's message
        if settled > begin:
            self._lay(sheet, units, begin, settled, noted=inline)
        if settled < end:
            mark = sheet.mark()
            self._lay(sheet, units, settled, end, noted=inline)
        self._settled = epoch, sheet, settled, mark
        return sheet

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

    def _lay(self, sheet: Sheet, units: Sequence[Unit], begin: int, end: int, *, noted: bool) -> None:
        """Units `begin` to `end`; what changed behind a reply opens the user's next message."""
        behind: Unit | None = None
        for place in range(begin, end):
            unit = units[place]
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
        """The note and the quotes that close the last user message, made anew where a slot has changed.

        In layout quotes_last all changes since the epoch began are one note, where a model looks first. Quotes are as
        many as the template grants: of what has left the window, so none while all stands there.
        """
        known, slots, secrets = self._closed, state.slots, self._secrets
        if known is not None and known.slots is slots and known.draft is draft and known.secrets == secrets:
            return known
        epoch, gauge, note, size, quotes, noted = draft.epoch, self._gauge, "", 0, _NO_QUOTES, 0
        if transcript.changed and draft.noted and not draft.inline:
            note, size = self._notes.block(state, self._scene.changes(state, transcript.changed))
        if epoch.window and not (epoch.frozen and epoch.layout == "append_only"):
            quotes = self._planner.quotes(state, epoch.window)
        text = note or quotes.text
        if note and quotes.text:
            text = f"{note}\n{quotes.text}"
            noted = size + gauge.line_break("</note>") if gauge.in_parts else gauge.count(f"{note}\n")
            size = noted
        size += quotes.size
        known = self._closed = new(
            Closing, (slots, draft, secrets, note, quotes, text, size if gauge.in_parts else None, noted)
        )
        return known

    def _tail(self, sheet: Sheet, state: State, closed: Closing, total: int) -> Tail:
        """What closes the last user message, as far as there is room for it behind `total` tokens; a message of its own
        where there is none.
        """
        text, quotes, limit = closed.text, closed.quotes, self.terms.limit
        if not text:
            return new(Tail, (None, closed, quotes))
        onto, last = None, len(sheet.messages)
        if sheet.users:
            last = sheet.users[-1]
            onto = sheet.messages[last]["content"]
        if closed.size is not None and onto is not None:
            tokens = self._gauge.line_break(onto) + closed.size
        else:
            tokens = self._planner.behind(onto, text)
        if limit is not None and total + tokens > limit and quotes.text:
            note, quotes = closed.note, self._fewer(state, closed, onto, limit - total)
            text = f"{note}\n{quotes.text}" if note and quotes.text else note or quotes.text
            tokens = self._planner.behind(onto, text) if text else 0
        return new(Tail, (new(Quoted, (last, text, tokens)) if text else None, closed, quotes))

    def _fewer(self, state: State, closed: Closing, onto: str | None, room: int) -> Quotes:
        """As many quotes as there is room for, beside the note."""
        note, planner = closed.note, self._planner
        used = planner.behind(onto, note) if note else 0
        words = note if onto is None else f"{onto}\n{note}" if note else onto
        return planner.quotes(state, closed.draft.epoch.window, room - used, words)


_NO_QUOTES: Final = Quotes()


class Tail(NamedTuple):
    """What closes the last user message of a prompt: all that there is, if its quotes had room, else these quotes."""

    quoted: Quoted | None
    closed: Closing | None
    quotes: Quotes


_NO_TAIL: Final = Tail(None, None, _NO_QUOTES)


def _ledger(lines: Sequence[Line], tail: Tail, closing: Sequence[Line]) -> Iterator[Line]:
    """What became of each part of a prompt, in order."""
    yield from lines
    tokens, quotes = 0 if tail.quoted is None else tail.quoted.tokens, tail.quotes
    if tail.closed is not None and tail.closed.note:
        of_note = min(tokens, tail.closed.noted) if quotes.text else tokens
        yield Line("note", "changes", of_note)
        tokens -= of_note
    if quotes.text:
        yield Line("quotes", "quotes", tokens)
    if quotes.left_out:
        yield Line("quotes", "items", reason=f"{quotes.left_out} do not fit", action="dropped")
    yield from closing
