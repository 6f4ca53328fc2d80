"""Units of the log as chat messages, each with its tokens. A role never comes out of anybody's words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from slotstate.compact import Rules
from slotstate.compact.policy import FOLDED
from slotstate.compact.results import fold, left_out
from slotstate.events import AssistantTurn, MessageEvent, ToolTurn
from slotstate.prompt.calls import Idents, harmless, shown_calls
from slotstate.prompt.made import Line
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


_BARE: Final = 1, (0, 0), None, 0, False
"""The version of a unit that is one message without anything in front of it or behind it."""


class Typesetter:
    """Sets units as messages, and remembers what it has set.

    `note` renders a note. What was set is set again only when a unit has grown.
    """

    def __init__(self, counter: Counter, mask: Mask, note: Callable[[Batch], str], rules: Rules) -> None:
        self._rules = rules
        self._counter = counter
        self._mask = mask
        self._note = note
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
        other = Typesetter(self._counter, mask, self._note, self._rules)
        other.folded, other.tight = self.folded, self.tight
        return tuple(part.message for part in other.parts(unit, noted=False))

    def parts(self, unit: Unit, behind: Unit | None = None, *, noted: bool = True) -> tuple[Part, ...]:
        """The messages of a unit. `behind` is a unit of changes right before it, whose notes open the user's message.
        Without `noted`, as if nothing had changed since.
        """
        kind, known = unit.kind, self._set.get(unit)
        if kind == "change":
            return ()
        if (
            kind in {"user", "assistant"}
            and (self.quoted is None or self.quoted[0] != unit.events[0].id)
            and not (noted and (unit.batches or behind is not None))
        ):  # as most are
            if known is None or known[0] != _BARE:
                known = self._set[unit] = _BARE, (self._said(unit.events[0], kind),)
            return known[1]
        quoted = self.quoted if self.quoted is not None and self.quoted[0] == unit.events[0].id else None
        before = behind.batches if behind is not None and noted else ()
        after = unit.batches if noted else ()
        changes = unit.noted if after else 0, behind.noted if behind is not None and before else 0
        folded = max(self.folded - unit.index, 0) if unit.kind == "tools" else 0
        version = len(unit.events), changes, quoted, folded, self.tight and unit.kind == "tools"
        if known is None or known[0] != version:
            known = self._set[unit] = version, tuple(self._parts(unit, before, after))
        return known[1]

    def _said(self, event: MessageEvent, role: str) -> Part:
        """A message that is nothing but what was said."""
        ident = event.id
        words = self._texts.get(ident)
        if words is None:
            words = self._words(event)
        if role == "assistant":
            words = words.rstrip()  # Anthropic refuses white space at the end of the last one
        if not words or words.isspace():
            return Part({}, 0, (Line("recent", ident, 0, "no words", "dropped"),))
        tokens = self._bare[role] + self._counter.count(words)
        return Part({"role": role, "content": words}, tokens, (Line("recent", ident, tokens),))

    def changes(self, unit: Unit) -> tuple[Part, ...]:
        """A message of notes alone, where no user's message follows that could hold them."""
        notes = self._notes(unit.batches)
        if not notes:
            return ()
        message = {"role": "user", "content": "\n".join(notes)}
        tokens = message_tokens(self._counter, message)
        line = Line("note", f"before {unit.index}", tokens)
        return (Part(message, tokens, (line,)),)

    def measured(self, message: dict[str, Any], section: str, ident: str, reason: str | None = None) -> Part:
        """A message with its tokens."""
        tokens = message_tokens(self._counter, message)
        line = Line(section, ident, tokens, reason)
        return Part(message, tokens, (line,))

    def _parts(self, unit: Unit, before: Sequence[Batch], after: Sequence[Batch]) -> Iterable[Part]:
        event = unit.events[0]
        match unit.kind:
            case "user":
                yield self._user(event, self._notes(before), self._notes(after))
            case "tools":
                yield from self._group(unit)
            case _:
                text = delimited("result", self._words(event))
                yield self.measured({"role": "user", "content": text}, "recent", event.id, "a result without its call")

    def _notes(self, batches: Iterable[Batch]) -> list[str]:
        return [delimited("note", text) for batch in batches if (text := self._note(batch))]

    def _user(self, event: MessageEvent, before: Sequence[str], after: Sequence[str]) -> Part:
        """What the user said between notes, and the quotes that stay there."""
        words = self._words(event)
        quotes = [self.quoted[1]] if self.quoted is not None and self.quoted[0] == event.id else []
        if not before and not after and not quotes:
            return self._said(event, "user")
        pieces = [("note", before), ("recent", [words]), ("quotes", quotes), ("note", after)]
        message = {"role": "user", "content": ""}
        lines: list[Line] = []
        tokens = 0
        for section, texts in pieces:
            shown = [text for text in texts if text.strip()]
            if shown:
                message["content"] = "\n".join([*([message["content"]] if message["content"] else []), *shown])
                more = message_tokens(self._counter, message) - tokens
                lines.append(Line(section, event.id, more))
                tokens += more
        return Part(message, tokens, tuple(lines))

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
