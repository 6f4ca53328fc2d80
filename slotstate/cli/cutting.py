"""Prompts cut into the pieces that a cache keeps or loses as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from slotstate.caching import Piece
from slotstate.cli.anatomy import counter_of
from slotstate.contract import Breakpoint, Prompt
from slotstate.events import AssistantTurn
from slotstate.prompt import Budget
from slotstate.tokens import canonical_json, message_tokens, overhead_of, tools_tokens

LINES: Final = 48
"""Lines of a message that are pieces of their own; what comes after them is one."""
_LINE: Final = re.compile(r"\n")


class Chain(NamedTuple):
    """A prompt's pieces, and the number of pieces before each of its breakpoints."""

    pieces: tuple[Piece, ...]
    marks: tuple[int, ...]


class Cutter:
    """Cuts the prompts of one budget.

    In blocks, for caches that end at breakpoints, a message is a piece, or several where a breakpoint stands inside of
    it. For caches that compare token by token each line is a piece, and so is what closes a message behind its words:
    two prompts can part there. What primes the reply is left out: it is part of the reply.
    """

    def __init__(self, budget: Budget) -> None:
        self._counter = counter_of(budget)
        self._tools = tools_tokens(self._counter, budget.tools)
        self._known: dict[tuple[object, ...], tuple[tuple[Piece, ...], int]] = {}

    @property
    def head(self) -> int:
        """Tokens that prime the reply."""
        return overhead_of(self._counter).reply

    def prompt(self, prompt: Prompt, *, blocks: bool) -> Chain:
        """A prompt cut, the tools' schemas first."""
        marks: dict[int, list[Breakpoint]] = {}
        for mark in prompt.cache["breakpoints"] if prompt.cache is not None else ():
            marks.setdefault(mark["message"], []).append(mark)
        pieces: list[Piece] = [Piece("tools", self._tools)] if self._tools else []
        ends: list[int] = []
        begin = self._tools
        for at, message in enumerate(prompt.messages):
            inside = _inside(message, marks[at], begin) if at in marks else ()
            cut, tokens = self._cut(message, inside, blocks=blocks)
            if blocks and at in marks:
                places = {chars: len(pieces) + number for number, (chars, _) in enumerate(inside, 1)}
                ends += [places.get(mark["chars"], len(pieces) + len(cut)) for mark in marks[at]]
            pieces += cut
            begin += tokens
        return Chain(tuple(pieces), tuple(ends))

    def reply(self, turns: Sequence[AssistantTurn]) -> tuple[Piece, ...]:
        """What the model wrote, as the next prompt will have it, without what closes the message."""
        return self._cut(_said(turns), (), blocks=False)[0][:-1]

    def _cut(
        self, message: dict[str, Any], inside: Sequence[tuple[int, int]], *, blocks: bool
    ) -> tuple[tuple[Piece, ...], int]:
        """A message in pieces, and its tokens; `inside` are the characters and tokens up to each breakpoint in it."""
        calls = tuple(map(_call, message["tool_calls"])) if "tool_calls" in message else ()
        key = message["role"], message["content"], message.get("tool_call_id"), calls, inside, blocks
        found = self._known.get(key)
        if found is None:
            pieces = tuple(self._pieces(message, inside if blocks else self._lines(message, inside), closed=not blocks))
            found = self._known[key] = pieces, sum(piece.tokens for piece in pieces)
        return found

    def _lines(self, message: dict[str, Any], inside: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Where lines end: characters of the content, and the message's tokens up to there."""
        text = message["content"] or ""
        if message.get("tool_calls"):
            return []
        places = [found.start() for found in _LINE.finditer(text)][:LINES]
        places = sorted({place for place in [*places, *(chars for chars, _ in inside)] if place > 0})
        beside = message_tokens(self._counter, message) - self._counter.count(text) - self._closing
        return [(place, beside + self._counter.count(text[:place])) for place in places]

    @property
    def _closing(self) -> int:
        return overhead_of(self._counter).closing

    def _pieces(self, message: dict[str, Any], ends: Sequence[tuple[int, int]], *, closed: bool) -> Iterator[Piece]:
        """The pieces that end there, the last one, and, where it is `closed`, what closes the message."""
        text, total = message["content"] or "", message_tokens(self._counter, message)
        body = total - self._closing if closed else total
        head = canonical_json({**message, "content": None})
        start = spent = 0
        for place, tokens in ends:
            upto = min(max(tokens, spent), body)
            yield Piece(_digest(head if start == 0 else "", text[start:place]), upto - spent)
            start, spent = place, upto
        yield Piece(_digest(head if start == 0 else "", text[start:]), body - spent)
        if closed:
            yield Piece("closing", total - body)


def _inside(message: dict[str, Any], marks: Sequence[Breakpoint], begin: int) -> tuple[tuple[int, int], ...]:
    """Where the marks part a message's content: characters of it, and tokens of the message that begins at `begin`."""
    length = len(message["content"] or "")
    places = {mark["chars"]: mark["tokens"] - begin for mark in marks if 0 < mark["chars"] < length}
    return tuple(sorted(places.items()))


def _call(call: dict[str, Any]) -> tuple[str, str, str]:
    return call["id"], call["function"]["name"], call["function"]["arguments"]


def _digest(head: str, text: str) -> bytes:
    return blake2b(f"{head}\n{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _said(replies: Sequence[AssistantTurn]) -> dict[str, Any]:
    """The assistant's message as the model wrote it, several calls in one."""
    text = "\n".join(reply.text for reply in replies if reply.text)
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for reply in replies
        for call in reply.tool_calls
    ]
    if not calls:
        return {"role": "assistant", "content": text}
    return {"role": "assistant", "content": text or None, "tool_calls": calls}
