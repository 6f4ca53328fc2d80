"""A prompt taken apart: which of its tokens belong to which section, and which of them are cached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from slotstate.contract import LedgerLine, Prompt
from slotstate.counters import make_counter
from slotstate.prompt import Budget
from slotstate.tokens import Counter, message_tokens, tools_tokens

SECTIONS: Final = ("tools", "system", "slots", "summary", "pins", "recent", "notes", "quotes", "overhead")
"""In the order in which they are shown. tools: the schemas, which stand in front and count apart from the messages."""

_NAMES: Final = {"note": "notes"}
_CLOSING: Final = (("note", "changes"), ("quotes", "quotes"))
"""What stands behind the user's last words, though other messages may follow these."""


class Stretch(NamedTuple):
    """Tokens in a row that belong to one section. `message` is the place of the prompt's message that they stand in,
    None for what stands in none; `cached` are those that the provider should read from its cache.
    """

    section: str
    message: int | None
    tokens: int
    cached: int


@dataclass(frozen=True, slots=True)
class Anatomy:
    """The stretches of a prompt in order. `total` counts the tools' schemas, as `room` does: what the messages and the
    tools may take together, None without a limit. `numbers` are the messages' numbers in the conversation, where they
    have one.
    """

    stretches: Sequence[Stretch]
    numbers: Mapping[int, int]
    room: int | None

    @property
    def total(self) -> int:
        """All tokens."""
        return sum(one.tokens for one in self.stretches)

    @property
    def cached(self) -> int:
        """Those that the provider should read from its cache."""
        return sum(one.cached for one in self.stretches)

    def of(self, section: str) -> tuple[int, int]:
        """A section's tokens, and those of them that are cached."""
        found = [one for one in self.stretches if one.section == section]
        return sum(one.tokens for one in found), sum(one.cached for one in found)

    def within(self, message: int) -> list[Stretch]:
        """What stands in one message."""
        return [one for one in self.stretches if one.message == message]


def counter_of(budget: Budget) -> Counter:
    """What counts a budget's tokens. Raises InputError, MissingExtra."""
    return make_counter(budget.counter) if isinstance(budget.counter, str) else budget.counter


def anatomy(prompt: Prompt, budget: Budget, turns: Mapping[str, int]) -> Anatomy:
    """Take a prompt apart by its ledger. `turns` are the conversation's messages: the number of each id."""
    counter = counter_of(budget)
    tools = tools_tokens(counter, budget.tools)
    kept = [line for line in prompt.ledger if line.tokens]
    overhead = [kept.pop()] if kept and kept[-1].section == "overhead" else []
    closing: list[LedgerLine] = []  # of the last user message
    while kept and (kept[-1].section, kept[-1].id) in _CLOSING:
        closing.insert(0, kept.pop())
    owner = max((at for at, one in enumerate(prompt.messages) if one["role"] == "user"), default=None)
    parts: list[tuple[str, int | None, int]] = [("tools", None, tools)] if tools else []
    numbers: dict[int, int] = {}
    for at, message in enumerate(prompt.messages):
        behind = closing if at == owner else []
        lines = _take(kept, message_tokens(counter, message) - sum(line.tokens or 0 for line in behind)) + behind
        spoken = (line.id for line in lines if line.section in {"recent", "note", "pins"})
        number = next((turns[ident] for ident in spoken if ident in turns), None)
        if number is not None:
            numbers[at] = number
        parts += [(_NAMES.get(line.section, line.section), at, line.tokens or 0) for line in lines]
    parts += [("overhead", None, line.tokens or 0) for line in overhead]
    read = prompt.cache["expected_cached"] if prompt.cache else 0
    room = None if prompt.budget is None else prompt.budget + tools
    return Anatomy(_cached(parts, read), numbers, room)


def _take(lines: list[LedgerLine], tokens: int) -> list[LedgerLine]:
    """Remove the lines of the next so many tokens."""
    taken: list[LedgerLine] = []
    while lines and tokens > 0:
        tokens -= lines[0].tokens or 0
        taken.append(lines.pop(0))
    return taken


def _cached(parts: Sequence[tuple[str, int | None, int]], read: int) -> list[Stretch]:
    found: list[Stretch] = []
    for section, message, tokens in parts:
        cached = min(read, tokens)
        read -= cached
        found.append(Stretch(section, message, tokens, cached))
    return found
