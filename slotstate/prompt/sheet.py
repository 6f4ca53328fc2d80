"""The parts of a prompt laid out one behind the other, with running totals."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Any, Final, TypeAlias

from slotstate.prompt.made import Line
from slotstate.prompt.parts import Part

HEAD = -1
"""The place of what stands before the window."""


Mark: TypeAlias = tuple[int, ...]
"""How long the lists of a sheet were."""


class Sheet:
    """Messages in order. `ends` are the tokens up to each message, `ends[0]` being 0; `places` are the units that the
    messages belong to, `users` the numbers of the user's messages, `head` how many stand before pins and window,
    `calls` those with tool calls; `closing` are the last lines of the ledger.
    """

    __slots__ = ("calls", "closing", "ends", "head", "lines", "messages", "places", "users")

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.ends: list[int] = [0]
        self.places: list[int] = []
        self.users: list[int] = []
        self.lines: list[Line] = []
        self.head = 0
        self.calls: list[int] = []
        self.closing: tuple[Line, ...] = ()

    def mark(self) -> Mark:
        """How far it goes."""
        return tuple([len(getattr(self, name)) for name in _LISTS])

    def back_to(self, mark: Mark) -> None:
        """Take away what was put behind that."""
        for name, size in zip(_LISTS, mark, strict=True):
            del getattr(self, name)[size:]

    def add(self, parts: Iterable[Part], place: int = HEAD) -> None:
        """Put parts behind what is there."""
        messages, ends = self.messages, self.ends
        for message, tokens, lines in parts:
            self.lines += lines
            if message:
                if message["role"] == "user":
                    self.users.append(len(messages))
                elif "tool_calls" in message:
                    self.calls.append(len(messages))
                messages.append(message)
                ends.append(ends[-1] + tokens)
                self.places.append(place)

    def message_of(self, place: int) -> int:
        """The first message that belongs to the unit `place`, or to one behind it."""
        return bisect_left(self.places, place)

    def user_before(self, message: int) -> int | None:
        """The last message of the user before message number `message`."""
        at = bisect_left(self.users, message)
        return self.users[at - 1] if at else None


_LISTS: Final = ("messages", "ends", "places", "users", "lines", "calls")
