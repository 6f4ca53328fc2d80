"""What a sequence of requests costs under four rules of caching. One function for every system, none of slotstate's.

prefix       what the request has in common with the one before it, from the start on, token by token, is read at .1;
             the rest costs 1 (automatic caches)
whole        only if the whole earlier request stands at the start of this one, it is read at .1; else all costs 1
steps        the same in steps of 128 tokens and from 1,024 on, as OpenAI's cache does it
breakpoints  whole messages in common are read at .1, the rest is written at 1.25 (a breakpoint behind each message)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, Final

from benchmarks.assembly_peers.counting import HEADER, REPLY, ids, message_tokens, text_of, tools_tokens

READ: Final = 0.1
WRITE: Final = 1.25
RULES: Final = ("prefix", "whole", "steps", "breakpoints")
MINIMUM: Final = 1_024
STEP: Final = 128


@dataclass(frozen=True, slots=True)
class Charge:
    """Tokens of one request, and what each rule reads of them."""

    total: int
    prefix: int
    whole: int
    messages: int

    def equivalents(self, rule: str) -> float:
        """Its cost in fresh tokens."""
        steps = self.prefix // STEP * STEP if self.prefix >= MINIMUM else 0
        read = {"prefix": self.prefix, "whole": self.whole, "steps": steps, "breakpoints": self.messages}[rule]
        return READ * read + (WRITE if rule == "breakpoints" else 1.0) * (self.total - read)


@dataclass
class Accountant:
    """Charges requests one after the other."""

    tools: Sequence[Mapping[str, Any]] = ()
    _before: list[tuple[tuple[Any, ...], int]] = field(default_factory=list)
    """The last request's messages: what tells them apart, and their tokens."""

    def request(self, messages: Iterable[Mapping[str, Any]]) -> Charge:
        """Charge for one request."""
        schemas = tools_tokens(self.tools)
        now = [(_identity(message), message_tokens(message)) for message in messages]
        total = sum(tokens for _, tokens in now) + REPLY + schemas
        if not self._before:
            self._before = now
            return Charge(total, 0, 0, 0)
        pairs = zip(now, self._before, strict=False)
        common = list(takewhile(lambda pair: pair[0][0] == pair[1][0], pairs))
        shared = sum(mine[1] for mine, _ in common) + schemas
        whole = shared if len(common) == len(self._before) else 0
        begun = _begun(now[len(common) :], self._before[len(common) :])
        self._before = now
        return Charge(total, shared + begun, whole, shared)


def _identity(message: Mapping[str, Any]) -> tuple[Any, ...]:
    return message["role"], text_of(message), message.get("tool_call_id"), len(message.get("tool_calls") or ())


def _begun(mine: Sequence[tuple[tuple[Any, ...], int]], theirs: Sequence[tuple[tuple[Any, ...], int]]) -> int:
    """Tokens that the first differing messages have in common."""
    if not mine or not theirs or mine[0][0][0] != theirs[0][0][0]:
        return 0
    pairs = zip(ids(mine[0][0][1]), ids(theirs[0][0][1]), strict=False)
    return HEADER + sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
