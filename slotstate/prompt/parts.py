"""Units of the log as chat messages, each with its tokens. A role never comes out of anybody's words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from slotstate.compact import Rules
from slotstate.compact.policy import FOLDED
from slotstate.compact.results import fold, left_out
from slotstate.events import AssistantTurn, Epoch, MessageEvent, ToolTurn
from slotstate.prompt.calls import Idents, harmless, shown_calls
from slotstate.prompt.gauge import Gauge
from slotstate.prompt.made import Line, new
from slotstate.prompt.scene import Mask
from slotstate.prompt.transcript import Batch, Unit
from slotstate.tokens import Counter, message_tokens, overhead_of


def delimited(name: str, text: str) -> str:
    """A block of data between its markers."""
    return f"<{name}>\n{text}\n</{name}>"


class Part(NamedTuple):
    """A message of the prompt with its tokens, and its lines in the ledger. One without words has no message."""

    message: dict[str, Any]
    tokens: int
    lines: tuple[Line, ...]

    def moved(self, section: str) -> Part:
        """The same in another section of the ledger."""
        return self._replace(lines=tuple(line._replace(section=section) for line in self.lines))


_BARE: Final = "bare"
"""The version of a unit that is one message without anything in front of it or behind it."""


_NO_NOTES: Final = "", 0


class Typesetter:
    """Sets units as messages, and remembers what it has set.

    `note` renders a note and counts it. What was set is set again only when a unit has grown.
    """

    def __init__(
        self,
        counter: Counter,
        mask: Mask,
        note: Callable[[Batch], tuple[str, int]],
        rules: Rules,
        gauge: Gauge | None = None,
    ) -> None:
        self._rules = rules
        self._counter = counter
        self._gauge = gauge or Gauge(counter)
        self._mask = mask
        self._note = note
        self.epoch: Epoch | None = None
        """The epoch that it follows, if it follows one."""
        self.quoted: tuple[str, str] | None = None
        """A message's id, and the quotes that stay behind its words."""
        self.folded = 0
        """Long results of tools in messages before this number are folded."""
        self.tight = False
        """Whether those that are not so long are folded as well."""
        overhead = overhead_of(counter)
        self._bare = {"user": overhead.message, "assistant": overhead.message + overhead.assistant}
        self._texts: dict[str, str] = {}
        self._set: dict[Unit, tuple[object, tuple[Part, ...]]] = {}

    def follow(self, epoch: Epoch) -> None:
        """Set units as they stand in this epoch."""
        self.epoch, self.folded, self.tight = epoch, epoch.folded, epoch.tight
        self.quoted = None if epoch.quoted is None else (epoch.quoted, epoch.quotes)

    def forget(self, units: Iterable[Unit]) -> None:
        """Drop what is remembered of units that have left the window."""
        for unit in units:
            if self._set.pop(unit, None) is not None:
                for event in unit.events:
                    self._texts.pop(event.id, None)

    def anew(self) -> None:
        """Forget what was set: more secrets are known."""
        self._texts.clear()
        self._set.clear()

    def told(self, unit: Unit, mask: Mask) -> tuple[dict[str, Any], ...]:
        """The messages of a unit, notes aside, as they are with another mask."""
        other = Typesetter(self._counter, mask, self._note, self._rules, self._gauge)
        other.folded, other.tight = self.folded, self.tight
        return tuple(part.message for part in other.parts(unit, noted=False))

    def parts(self, unit: Unit, behind: Unit | None = None, *, noted: bool = True) -> tuple[Part, ...]:
        """The messages of a unit. `behind` is a unit of changes right before it, whose notes open the user's message.
        Without `noted`, as if nothing had changed since.
        """
        kind, known, quoted = unit.kind, self._set.get(unit), self.quoted
        if quoted is not None and quoted[0] != unit.events[0].id:
            quoted = None
        if (kind == "user" or kind == "assistant") and (  # noqa: PLR1714 — as most are
            quoted is None and not (noted and (unit.batches or behind is not None))
        ):
            if known is None or known[0] is not _BARE:
                known = self._set[unit] = _BARE, (self._said(unit.events[0], kind),)
            return known[1]
        if kind == "change":
            return ()
        before = behind if noted else None
        after = unit.batches if noted else ()
        folded = max(self.folded - unit.index, 0) if kind == "tools" else 0
        changes = unit.noted if after else 0, 0 if before is None else before.noted
        version = len(unit.events), changes, quoted, folded, self.tight and kind == "tools"
        if known is None or known[0] != version:
            known = self._set[unit] = version, self._parts(unit, () if before is None else before.batches, after)
        return known[1]

    def _said(self, event: MessageEvent, role: str) -> Part:
        """A message that is nothing but what was said."""
        ident, words = event.id, self._mask.mask(event.text)
        if "<" in words or "\0" in words or not words.isascii():
            words = harmless(words)
        if role == "assistant":
            words = words.rstrip()  # Anthropic refuses white space at the end of the last one
        if not words or words.isspace():
            return Part({}, 0, (Line("recent", ident, 0, "no words", "dropped"),))
        tokens = self._bare[role] + self._gauge.once(words)
        line = new(Line, ("recent", ident, tokens, None, "kept"))
        return new(Part, ({"role": role, "content": words}, tokens, (line,)))

    def changes(self, unit: Unit) -> tuple[Part, ...]:
        """A message of notes alone, where no user's message follows that could hold them."""
        notes, _ = self._notes(unit.batches)
        if not notes:
            return ()
        message = {"role": "user", "content": notes}
        tokens = message_tokens(self._counter, message)
        line = Line("note", f"before {unit.index}", tokens)
        return (Part(message, tokens, (line,)),)

    def measured(self, message: dict[str, Any], section: str, ident: str, reason: str | None = None) -> Part:
        """A message with its tokens."""
        tokens = message_tokens(self._counter, message)
        line = Line(section, ident, tokens, reason)
        return Part(message, tokens, (line,))

    def _parts(self, unit: Unit, before: Sequence[Batch], after: Sequence[Batch]) -> tuple[Part, ...]:
        event, kind = unit.events[0], unit.kind
        if kind == "user":
            notes = self._notes(before) if before else _NO_NOTES, self._notes(after) if after else _NO_NOTES
            return (self._user(event, *notes),)
        if kind == "tools":
            return tuple(self._group(unit))
        message = {"role": "user", "content": delimited("result", self._words(event))}
        return (self.measured(message, "recent", event.id, "a result without its call"),)

    def _notes(self, batches: Iterable[Batch]) -> tuple[str, int]:
        """Notes one below the other, and their tokens, if lines are counted apart."""
        notes = [note for batch in batches if (note := self._note(batch))[0]]
        breaks = self._gauge.line_break("</note>") * (len(notes) - 1) if len(notes) > 1 else 0
        return "\n".join([text for text, _ in notes]), sum(size for _, size in notes) + breaks

    def _user(self, event: MessageEvent, before: tuple[str, int], after: tuple[str, int]) -> Part:
        """What the user said between notes, and the quotes that stay there."""
        quotes = self.quoted[1] if self.quoted is not None and self.quoted[0] == event.id else ""
        if not (before[0] or after[0] or quotes):
            return self._said(event, "user")
        gauge, ident, content, tokens = self._gauge, event.id, "", 0
        lines: list[Line] = []
        pieces = ("note", *before), ("recent", self._words(event), 0), ("quotes", quotes, 0), ("note", *after)
        for section, text, size in pieces:
            if not text or text.isspace():
                continue
            if content and section != "recent" and gauge.in_parts:
                more = gauge.line_break(content) + (size or gauge.block(text))
                content = f"{content}\n{text}"
            else:
                content = f"{content}\n{text}" if content else text
                more = self._bare["user"] + gauge.count(content) - tokens
            lines.append(new(Line, (section, ident, more, None, "kept")))
            tokens += more
        return new(Part, ({"role": "user", "content": content}, tokens, tuple(lines)))

    def _group(self, unit: Unit) -> Iterable[Part]:
        """Calls made in parallel are one message, and their results follow."""
        spoken = [event for event in unit.events if isinstance(event, AssistantTurn)]
        text = "\n".join(words for event in spoken if (words := self._words(event)))
        idents = Idents(self._mask)
        calls = shown_calls(spoken, idents, self._mask)
        message = {"role": "assistant", "content": text or None, "tool_calls": calls}
        yield self.measured(message, "recent", spoken[0].id)
        names = {call.id: call.name for event in spoken for call in event.tool_calls}
        for event in unit.events:
            if isinstance(event, ToolTurn):
                text, reason = self._result(event, names.get(event.call_id, ""))
                result = {"role": "tool", "tool_call_id": idents.of_result(event.call_id), "content": text}
                yield self.measured(result, "recent", event.id, reason)

    def _result(self, event: ToolTurn, tool: str) -> tuple[str, str | None]:
        """What a tool returned, in full or as its policy has it, and why it is not in full."""
        words, policy = self._words(event), self._rules.policy(tool)
        ref = event.id if event.blob is None else event.blob.ref
        if policy.drop:
            return left_out(words, ref), "left out"
        most = FOLDED if self.tight else policy.fold
        if event.turn < self.folded and not policy.keep and len(words) > most:
            return fold(words, FOLDED, ref), "folded"
        return words, None if event.blob is None else "a preview"

    def _words(self, event: MessageEvent) -> str:
        text = self._texts.get(event.id)
        if text is None:
            text = self._mask.mask(event.text)
            if "<" in text or "\0" in text or not text.isascii():
                text = harmless(text)
            self._texts[event.id] = text
        return text


def copied(message: dict[str, Any]) -> dict[str, Any]:
    """A copy of a message with tool calls that its reader may change."""
    calls = [{**call, "function": dict(call["function"])} for call in message["tool_calls"]]
    return {**message, "tool_calls": calls}
