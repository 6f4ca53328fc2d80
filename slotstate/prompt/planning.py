"""A fresh prompt: its sections rendered as things stand, its turns cut if they have to be, what still fits added."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import accumulate
from operator import itemgetter
from typing import Any, Final, NamedTuple

from slotstate.compact import EXTRACTIVE, Commit, committed
from slotstate.compact.extractive import extract, weight
from slotstate.errors import BudgetTooSmall
from slotstate.events import Compacted, Epoch, EpochReason, Item, Trigger
from slotstate.prompt.gauge import Gauge
from slotstate.prompt.made import Line
from slotstate.prompt.parts import Part, Typesetter, delimited
from slotstate.prompt.rows import Rows
from slotstate.prompt.scene import Mask, Scene
from slotstate.prompt.selection import Cut, choose, last_turn, unit_at
from slotstate.prompt.spans import digest_of, span_of
from slotstate.prompt.terms import Draft, Terms
from slotstate.prompt.transcript import Transcript, Unit
from slotstate.state import SlotState, State, apply
from slotstate.templating import Fixed
from slotstate.tokens import message_tokens, overhead_of

QUOTES: Final = 400
"""Tokens of quotes at most, where the template does not say."""
NOTES: Final = 0.57
"""Of the low mark, where an epoch begins because of its notes: there are more of these epochs than of others."""
SUMMARY: Final = 0.25
"""Share of the budget that the summary takes at most, where the template does not say."""


_TEXT: Final[Callable[[Fixed], str]] = itemgetter("text")


class Quotes(NamedTuple):
    """The block of quotes, its tokens, and how many of them had no room."""

    text: str = ""
    size: int = 0
    left_out: int = 0


_LOST: Final[frozenset[EpochReason]] = frozenset(
    {"template", "locale", "schema", "tools", "masking", "provider", "idle"}
)
"""Reasons with which all that a cache holds is lost."""
_BRIEF: Final = (("slots", "empty", "empty slots do not fit"),)


class Began(NamedTuple):
    """Why a prompt begins anew: the reason, where it is another epoch; whether turns have to go, and what for."""

    reason: EpochReason | None
    cuts: bool = False
    trigger: Trigger | None = None


class Gap(NamedTuple):
    """The messages from number `since` to before number `until`."""

    since: int
    until: int


class _Left(NamedTuple):
    """What turns left for the summary: its tokens when they were cut, and those of them that they may never take."""

    told: int
    reserved: int


class _Plan(NamedTuple):
    head: Epoch
    left: _Left
    cut: Cut
    first: int
    pinned: Sequence[int]
    window: int


class Planner:
    """Plans prompts that begin anew."""

    def __init__(self, terms: Terms, scene: Scene, mask: Mask, typesetter: Typesetter, gauge: Gauge) -> None:
        self._terms = terms
        self._rows = Rows(terms.template, "quotes", "quotes", scene, gauge, terms.counter)
        self._most_quotes = terms.share(terms.options("quotes").max, QUOTES)
        self._scene = scene
        self._mask = mask
        self._type = typesetter
        self._known_of: dict[bool, tuple[Mapping[str, SlotState], int, dict[str, Any]]] = {}
        self._quoting: tuple[Sequence[Fixed], dict[str, Any] | None, Quotes] | None = None

    def begun(self, transcript: Transcript, state: State, began: Began, now: datetime) -> Draft:
        """A draft of a new epoch, or of the present one while its slots are live. Raises BudgetTooSmall."""
        terms, last = self._terms, transcript.epoch
        plan = self._planned(transcript, state, began)
        compacted = self._compacted(transcript, state, plan.window, began.trigger or "window", now)
        if compacted is not None and plan.cut.cut and self._is_above(plan, apply(state, compacted)):
            plan = self._planned(transcript, state, began, apply(state, compacted))
            compacted = self._compacted(transcript, state, plan.window, began.trigger or "window", now)
        cut, places = plan.cut, tuple(place for place in plan.pinned if place < plan.cut.start)
        state = state if compacted is None else apply(state, compacted)
        frozen = terms.caches and cut.tokens + terms.tools >= terms.profile.minimum
        told = {
            "frozen": frozen,
            "window": plan.window,
            "pins": tuple(transcript.units[place].events[0].id for place in places),
            "key": {**plan.head.key, "summary": str(state.summary.version)},
        }
        epoch = self._told(transcript, state, plan.head.model_copy(update=told), cut, plan.left)
        moved = cut.start != plan.first
        recorded = frozen or moved or compacted is not None or (last is not None and began.reason is not None)
        return Draft(epoch, cut.start, places, noted=False, recorded=recorded, compacted=compacted)

    def gap(self, transcript: Transcript, state: State, began: Began) -> Gap | None:
        """The messages that would leave the window without a summary that covers them. Raises BudgetTooSmall."""
        window = self._planned(transcript, state, began).window
        return Gap(state.summary.covered, window) if window > state.summary.covered else None

    def _is_above(self, plan: _Plan, after: State) -> bool:
        """Whether the prompt would stand above the low mark with the summary that it comes with."""
        size = self._summary(after, plan.head, 0, None)[1]
        return plan.cut.tokens - plan.left.reserved + size > self._mark(plan.head)

    def _mark(self, epoch: Epoch) -> int:
        """The tokens to which turns are cut."""
        return int((self._terms.limit or 0) * _low(self._terms, epoch.reason))

    def _planned(self, transcript: Transcript, state: State, began: Began, after: State | None = None) -> _Plan:
        """A new epoch's slots and window; `after` is the state whose summary is to be told, where it is known."""
        terms, last, summary = self._terms, transcript.epoch, state.summary
        self._type.quoted = self._type.epoch = None
        results, recent = transcript.results, terms.rules.recent
        if transcript.forgot and len(results) <= recent:
            transcript.reaches(0)
        folded = 0 if len(results) <= recent else results[-recent] if recent else state.turns
        self._type.folded, self._type.tight = folded, False
        begins = 0 if last is None else last.window
        if last is None or last.key.get("summary", "0") != str(summary.version):
            begins = max(begins, summary.covered)  # what was compacted in the meantime leaves
        first = unit_at(transcript, begins)
        older = 0 if last is None or self._reads_anew(last, began.reason) else first
        pinned = transcript.places(transcript.pins)
        head = Epoch(
            number=1 if last is None else last.number + (began.reason is not None),
            reason=began.reason or ("start" if last is None else last.reason),
            layout=terms.layout,
            frozen=False,
            window=0,
            folded=folded,
            system=self._system(transcript, state),
            key={**terms.key, "budget": str(terms.limit)},
        )
        try:
            head, cut, left = self._turns(transcript, state, head, (older, first), pinned, began, after or state)
        except BudgetTooSmall:
            if not transcript.results:
                raise
            self._type.folded, self._type.tight = state.turns, True
            head = head.model_copy(update={"folded": state.turns, "tight": True})
            head, cut, left = self._turns(transcript, state, head, (older, first), pinned, began, after or state)
        window = transcript.units[cut.start].index if cut.start < len(transcript.units) else state.turns
        return _Plan(head, left, cut, first, pinned, window)

    def _compacted(
        self, transcript: Transcript, state: State, window: int, trigger: Trigger, now: datetime
    ) -> Compacted | None:
        """The next version of the summary, by the model-free summariser, where turns leave that no summary covers."""
        since = state.summary.covered
        if window <= since:
            return None
        span = span_of(transcript, state, since, window, self._mask)
        patch, lost = extract(state.summary, span, most=self._terms.rules.most)
        commit = Commit(now, trigger, EXTRACTIVE, window, digest_of(transcript, since, window), lost)
        return committed(state.summary, patch, commit)  # it is measured when somebody looks at it

    def head(self, epoch: Epoch) -> tuple[Part, ...]:
        """The system message, and the one that holds slots and summary."""
        role = self._terms.options("system").role
        parts: list[Part] = []
        if epoch.system.strip():
            parts.append(self._type.measured({"role": role, "content": epoch.system}, "system", "system"))
        if epoch.slots.strip() or epoch.summary.strip():
            parts.append(self._known(epoch))
        return tuple(parts)

    def quotes(self, state: State, before: int, room: int | None = None, onto: str | None = None) -> Quotes:
        """The quotes that stand before message `before`: as many as the template grants them and as fit into `room`
        tokens behind the words `onto`.
        """
        found = self._scene.quotes(state, before)
        if room is not None:
            return self._quotes(state, found, room, onto)
        known, question = self._quoting, self._scene.question(state)
        if known is None or known[0] is not found or known[1] != question:
            known = self._quoting = found, question, self._quotes(state, found, None, None)
        return known[2]

    def _quotes(self, state: State, found: Sequence[Fixed], room: int | None, onto: str | None) -> Quotes:
        kept, text, size, most = len(found), "", 0, self._most_quotes
        if most is not None and sum(map(len, map(_TEXT, found))) > most:
            count = self._terms.counter.count
            sizes = accumulate(count(quote["text"]) + len(quote["path"]) // 3 + 4 for quote in found)
            kept = sum(size <= most for size in sizes)  # rendered, it may be more: then fewer
        while kept:
            text, size = self._rows.block(state, found[:kept])
            fits = most is None or size <= most
            if not text or (fits and (room is None or self.behind(onto, text) <= room)):
                break
            kept, text, size = kept - 1, "", 0
        return Quotes(text, size, len(found) - kept)

    def behind(self, words: str | None, block: str) -> int:
        """The tokens that a block takes behind somebody's words, or in a message of its own."""
        counter = self._terms.counter
        if words is None:
            return message_tokens(counter, {"role": "user", "content": block})
        return counter.count(f"{words}\n{block}") - counter.count(words)

    def _turns(
        self,
        transcript: Transcript,
        state: State,
        head: Epoch,
        first: tuple[int, int],
        pinned: Sequence[int],
        began: Began,
        after: State,
    ) -> tuple[Epoch, Cut, _Left]:
        """Slots in full or, where that does not fit, in brief, and where the window begins: at the second of the units
        `first` or behind it, or as far before it, to the first of them, as the low mark allows; and what is left for
        the summary of the state `after`. Raises BudgetTooSmall.
        """
        terms = self._terms
        most, epoch = terms.share(terms.options("slots").max, 1.0), head
        for brief in (False, True):
            text = self._render("slots", self._variables(state, brief=brief))
            if not brief and most is not None and terms.counter.count(text) > most:
                continue
            epoch = head.model_copy(update={"slots": text, "left_out": _BRIEF if brief else ()})
            fixed = overhead_of(terms.counter).reply + sum(part.tokens for part in self.head(epoch))
            left = _Left(self._summary(after, epoch, 0, None)[1], self._reserved(after, epoch))
            fixed += sum(self._tokens(transcript.units[place]) for place in pinned) + left.reserved
            chosen = partial(
                choose,
                transcript,
                self._tokens,
                fixed=fixed,
                kept=set(pinned),
                full=terms.high if terms.caches else terms.limit,
                mark=(terms.limit or 0) * _low(terms, began.reason) - (left.told - left.reserved),
                min_turns=terms.options("recent").min_turns,
            )
            older, newer = first
            cut = chosen(first=newer, forced=began.cuts or (began.reason == "notes" and not terms.rules.spare))
            if older < newer and not cut.cut and (terms.limit is None or cut.tokens < terms.low * terms.limit):
                cut = chosen(first=older, forced=terms.limit is not None)
            if terms.limit is None or cut.tokens <= terms.limit:
                return epoch, cut, left
        raise self._too_small(transcript, after, epoch, pinned)

    def _reads_anew(self, last: Epoch, reason: EpochReason | None) -> bool:
        """Whether nothing of the prompts before can be read from a cache, so that older turns may come back."""
        before, now = last.key.get("budget", "None"), self._terms.limit
        grown = before != "None" and (now is None or now > int(before))
        return reason in _LOST or (grown and not last.frozen)

    def _reserved(self, state: State, epoch: Epoch) -> int:
        """Tokens that turns may not take: all of a summary that must be kept, or its minimum as far as it has words."""
        options = self._terms.options("summary")
        if not state.summary.items or (not options.keep and options.min is None):
            return 0
        size = self._summary(state, epoch, 0, None)[1]
        return size if options.keep else min(size, self._terms.share(options.min, 0) or 0)

    def _too_small(self, transcript: Transcript, state: State, epoch: Epoch, pinned: Sequence[int]) -> BudgetTooSmall:
        limit = self._terms.limit or 0
        items = [(line.section, part.tokens) for part in self.head(epoch) for line in part.lines[:1]]
        items.append(("overhead", overhead_of(self._terms.counter).reply))
        items += [("summary", reserved)] if (reserved := self._reserved(state, epoch)) else []
        last = last_turn(transcript)
        units = [(f"pinned {_name(transcript.units[at])}", transcript.units[at]) for at in pinned if at < last]
        units += [(_name(unit), unit) for unit in transcript.units[last:] if unit.events]
        items += [(name, self._tokens(unit)) for name, unit in units]
        return BudgetTooSmall(items, sum(tokens for _, tokens in items) - limit, limit)

    def _told(self, transcript: Transcript, state: State, epoch: Epoch, cut: Cut, left: _Left) -> Epoch:
        """The epoch with as much of the summary and, in layout append_only, of the quotes as still fits."""
        limit, turns = self._terms.limit, cut.tokens - left.reserved
        room = None if limit is None else limit - turns
        if room is not None and cut.cut and epoch.frozen:
            room = min(room, max(self._mark(epoch) - turns, left.told, left.reserved))
        left_out = epoch.window - sum(len(transcript.units[place].events) for place in transcript.places(epoch.pins))
        left_out -= sum(event.turn < epoch.window for event in transcript.system)
        gone = list(epoch.left_out)
        text, size, kept = self._summary(state, epoch, left_out, room)
        if (too_much := self._above(transcript, epoch, cut, turns + size)) is not None:
            gone.append(too_much)
        if left_out:
            gone.append(("recent", f"0..{epoch.window - 1}", f"{left_out} messages before the window"))
        if not text.strip() and self._told_in_full(state, epoch, left_out).strip():
            gone.append(("summary", "summary", "no room"))
        if kept < len(state.summary.items):
            said = f"{len(state.summary.items) - kept} of {len(state.summary.items)} items do not fit"
            gone.append(("summary", "items", said))
        told: dict[str, Any] = {"summary": text, "left_out": tuple(gone), "size": turns + size}
        if epoch.layout == "append_only" and epoch.frozen and transcript.turns:
            free = None if limit is None else limit - turns - size
            told |= self._staying(transcript.units[transcript.turns[-1]], state, epoch, free)
        return epoch.model_copy(update=told)

    def _above(self, transcript: Transcript, epoch: Epoch, cut: Cut, size: int) -> tuple[str, str, str] | None:
        """What to tell where turns went and the low mark was not reached; it stays told as long as the window does."""
        limit, last = self._terms.limit, transcript.epoch
        if cut.cut and limit is not None and size > self._mark(epoch):
            return "recent", "low", f"{size} tokens must be kept, more than the low mark"
        if last is None or cut.cut or last.window != epoch.window:
            return None
        return next((line for line in last.left_out if line[:2] == ("recent", "low")), None)

    def _staying(self, unit: Unit, state: State, epoch: Epoch, room: int | None) -> dict[str, Any]:
        """The quotes that stay in the epoch's last user message."""
        words = "".join(part.message.get("content", "") for part in self._type.parts(unit, noted=False))
        quotes = self.quotes(state, epoch.window, room, words or None)
        if not quotes.text:
            return {}
        self._type.quoted = unit.events[0].id, quotes.text
        return {"quotes": quotes.text, "quoted": unit.events[0].id}

    def _summary(self, state: State, epoch: Epoch, left_out: int, room: int | None) -> tuple[str, int, int]:
        """The summary's text with as many items as have room, its tokens, and the number of those items."""
        options = self._terms.options("summary")
        most = None if options.keep and options.max is None else self._terms.share(options.max, SUMMARY)
        bounds = [bound for bound in (most, room) if bound is not None]
        bare = sum(part.tokens for part in self.head(epoch))
        variables = {**self._variables(state, brief=True), "left_out": left_out, "left_out_ref": _messages(epoch)}

        def shown(best: Sequence[int]) -> str:
            return self._render("summary", {**variables, "summary": self._items(state, best)})

        def size(text: str) -> int:
            return sum(part.tokens for part in self.head(epoch.model_copy(update={"summary": text}))) - bare

        best = sorted(state.summary.items, key=lambda item: (-weight(item), -item.ident))
        text, kept = _longest([item.ident for item in best], shown, size, min(bounds, default=None))
        return text, size(text), kept

    def _told_in_full(self, state: State, epoch: Epoch, left_out: int) -> str:
        items = self._items(state, [item.ident for item in state.summary.items])
        given = {"left_out": left_out, "left_out_ref": _messages(epoch), "summary": items}
        return self._render("summary", {**self._variables(state, brief=True), **given})

    def _items(self, state: State, shown: Collection[int]) -> list[str]:
        """The texts of these items of the summary, by age."""
        said = (_said(item) for item in state.summary.items if item.ident in shown)
        return [self._mask.mask(text) for text in said]

    def _known(self, epoch: Epoch) -> Part:
        blocks = [
            (name, delimited(name, text))
            for name, text in (("slots", epoch.slots), ("summary", epoch.summary))
            if text.strip()
        ]
        message = {"role": "user", "content": "\n".join(block for _, block in blocks)}
        tokens = message_tokens(self._terms.counter, message)
        first = (
            tokens if len(blocks) == 1 else message_tokens(self._terms.counter, {**message, "content": blocks[0][1]})
        )
        sizes = [first, tokens - first]
        shortened = "slots" if epoch.left_out[:1] == _BRIEF else None
        lines = [
            Line(name, name, size, action="shortened" if name == shortened else "kept")
            for (name, _), size in zip(blocks, sizes, strict=False)
        ]
        return Part(message, tokens, tuple(lines))

    def _system(self, transcript: Transcript, state: State) -> str:
        """The template's system text, then the application's own system messages, each once."""
        text = self._render("system", self._variables(state, brief=False))
        said = dict.fromkeys(self._mask.mask(event.text.replace("\0", "\ufffd")) for event in transcript.system)
        return "\n\n".join(part for part in (text, *said) if part.strip())

    def _variables(self, state: State, *, brief: bool) -> dict[str, Any]:
        """The variables of a state, made once for all the sections that are rendered of it."""
        known, secrets = self._known_of.get(brief), self._mask.version
        if known is None or known[0] is not state.slots or known[1] != secrets:
            known = self._known_of[brief] = state.slots, secrets, self._scene.variables(state, brief=brief)
        return known[2]

    def _tokens(self, unit: Unit) -> int:
        return sum(part.tokens for part in self._type.parts(unit, noted=False))

    def _render(self, section: str, variables: dict[str, Any]) -> str:
        template = self._terms.template
        return template.render(section, variables, counter=self._terms.counter) if template.has(section) else ""


def _low(terms: Terms, reason: EpochReason | None) -> float:
    """The share of the budget to which turns are cut. What is never cached may be almost full; what is written anew for
    the sake of its notes, which happens more often, costs less when it is short.
    """
    if not terms.caches:
        return terms.rules.high
    return terms.low * NOTES if reason == "notes" else terms.low


def _messages(epoch: Epoch) -> str:
    """What brings back the messages before the window."""
    return f"0..{epoch.window - 1}" if epoch.window else ""


def _said(item: Item) -> str:
    """An item's text; with what was said to it, where a question is the item, and with what brings a result back."""
    if item.kind == "tool":
        return f"{item.text} [{item.sources[-1]}]"
    return item.text if item.quote is None or item.quote in item.text else f"{item.text} {item.quote}"


def _name(unit: Unit) -> str:
    return f"message {unit.events[0].id}"


def _longest(
    items: Sequence[Any], shown: Callable[[Sequence[Any]], str], size: Callable[[str], int], room: int | None
) -> tuple[str, int]:
    """The text of as many items, from the first on, as take at most `room` tokens, and how many those are.

    Where not even the text without items fits, no text.
    """
    text = shown(items)
    if room is None or not text or size(text) <= room:
        return text, len(items)
    fits, fails, best = -1, len(items), ""
    while fails - fits > 1:
        middle = (fits + fails) // 2
        text = shown(items[:middle])
        if size(text) <= room:
            fits, best = middle, text
        else:
            fails = middle
    return best, max(fits, 0)
