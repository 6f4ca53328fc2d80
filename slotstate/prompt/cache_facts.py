"""What a provider's cache makes of a prompt: what stays, where to mark it, what is read from it, what that costs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from slotstate.caching import Profile, charge, expected_read
from slotstate.contract import Breakpoint, Cache
from slotstate.events import Epoch
from slotstate.prompt.sheet import Sheet
from slotstate.prompt.terms import Draft, Terms
from slotstate.tokens import Counter, overhead_of


class Quoted(NamedTuple):
    """The note and the quotes at a prompt's end: the message that they stand behind, their text, and their tokens."""

    message: int
    text: str | None
    tokens: int


@dataclass(slots=True)
class Sent:
    """A prompt as a provider knows it. `messages` are without the quotes, `ends` the tokens up to each; the tools'
    schemas stand in front. `marks` are the tokens up to its breakpoints, the tools' included.
    """

    messages: Sequence[dict[str, Any]]
    ends: Sequence[int]
    tools: int
    quotes: Quoted | None
    at: datetime
    marks: Sequence[int] = ()

    def end(self, message: int) -> int:
        """The tokens up to the end of a message, those of the tools included."""
        return self.tools + self.ends[message + 1]

    def upto(self, message: int) -> int:
        """The same, with the quotes where they stand before that."""
        return self.end(message) + (self.quotes.tokens if self.quotes and self.quotes.message < message else 0)

    @property
    def tokens(self) -> int:
        """All that was sent, what primes the reply aside."""
        return self.end(len(self.messages) - 1) + (self.quotes.tokens if self.quotes else 0)


class Common(NamedTuple):
    """What two prompts begin with: whole messages, tokens, and whether that is all of the earlier one."""

    messages: int
    tokens: int
    whole: bool


def common(before: Sent, now: Sent, counter: Counter) -> Common:
    """What a prompt begins with as an earlier one did."""
    before = _with_quotes(before, now)
    equal = min(len(before.messages), len(now.messages))
    # what both have been given already is the same object in both, so that this does not read it
    if before.messages[:equal] != now.messages[:equal]:
        pairs = zip(before.messages, now.messages, strict=False)
        equal = next(at for at, (one, other) in enumerate(pairs) if one != other)
    overhead = overhead_of(counter)
    if before.quotes != now.quotes:
        at = min(quotes.message for quotes in (before.quotes, now.quotes) if quotes is not None)
        if at < equal:  # the words before the quotes are the same
            return Common(at + 1, now.end(at) - overhead.closing, whole=False)
    quoted = now.quotes.tokens if now.quotes is not None and now.quotes.message < equal else 0
    tokens = now.end(equal - 1) + quoted
    if equal == len(before.messages):
        return Common(equal, tokens, whole=True)
    if equal < len(now.messages) and before.messages[equal]["role"] == now.messages[equal]["role"]:
        text = _beginning(before.messages[equal]["content"] or "", now.messages[equal]["content"] or "")
        # the last token of what both begin with may go on otherwise
        tokens += overhead.message - overhead.closing + max(counter.count(text) - 1, 0)
    return Common(equal, min(tokens, now.tokens), whole=False)


def _with_quotes(before: Sent, now: Sent) -> Sent:
    """The earlier prompt; where its quotes have come to stay in their message, with them in it."""
    quotes = before.quotes
    if quotes is None or now.quotes is not None or quotes.message >= len(now.messages):
        return before
    message = before.messages[quotes.message]
    said = {**message, "content": f"{message['content']}\n{quotes.text}"}
    if now.messages[quotes.message] != said:
        return before
    messages = [*before.messages[: quotes.message], said, *before.messages[quotes.message + 1 :]]
    return replace(before, messages=messages, quotes=None)


def _beginning(one: str, other: str) -> str:
    end = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[:end]


def cache_facts(
    terms: Terms,
    draft: Draft,
    now: Sent,
    before: Sent | None,
    learned: Collection[int],
    *,
    head: int,
    total: int,
) -> Cache:
    """The cache's view of one prompt, beside the prompt that was sent before it, if one was: its `cache`.

    Its first `head` messages stand before pins and window, `total` are all its tokens. `learned` are beginnings, in
    tokens, that earlier prompts had in common: some caches keep these too. Costs are in fresh-token equivalents: what
    the same money buys in tokens that are not cached.
    """
    profile, epoch = terms.profile, draft.epoch
    shared = None if before is None else common(before, now, terms.counter)
    breakpoints: list[Breakpoint] = []
    stable = 0
    if epoch.frozen and now.messages:
        settled = _settled(now, epoch)
        breakpoints = _breakpoints(now, head, settled, None if shared is None else shared.messages - 1)
        stable = now.end(settled)
    read = 0
    if before is not None and shared is not None:
        read = _read(terms, now, before, shared, learned, total, frozen=epoch.frozen)
    written = _written(profile, breakpoints, total, read)
    cost = charge(profile, total=total, read=read, written=written)
    return {
        "profile": profile.name,
        "layout": epoch.layout if epoch.frozen else "live",
        "epoch": epoch.number,
        "epoch_reason": epoch.reason,
        "stable_tokens": stable,
        "expected_cached": read,
        "breakpoints": breakpoints,
        "cost": {
            "fresh": cost.fresh,
            "written": cost.written,
            "read": cost.read,
            "equivalents": round(cost.equivalents, 2),
        },
    }


def _settled(now: Sent, epoch: Epoch) -> int:
    """The last message that stays in this epoch, up to its words: in layout quotes_last what comes behind those of the
    user's last one is written anew.
    """
    last = len(now.messages) - 1
    if now.quotes is not None:
        return now.quotes.message
    if epoch.layout == "append_only":
        return last
    return next((at for at in range(last, -1, -1) if now.messages[at]["role"] == "user"), last)


def _breakpoints(now: Sent, head: int, settled: int, parted: int | None) -> list[Breakpoint]:
    """The seams: behind the system text, behind what is known, where this prompt and the one before part (`parted`, if
    there was one), and where the next one may; while tools are called in a turn, that is the end.
    """
    end = len(now.messages) - 1
    seams = {0, head - 1, end}
    if end > settled:
        seams.add(settled if parted is None else max(parted, settled))
    elif parted is not None:
        seams.add(min(parted, settled))
    return [
        {"message": at, "chars": len(now.messages[at]["content"] or ""), "tokens": now.upto(at)}
        for at in sorted(seams)
        if at >= 0
    ]


def _read(
    terms: Terms, now: Sent, before: Sent, shared: Common, learned: Collection[int], total: int, *, frozen: bool
) -> int:
    """Tokens that are in the cache."""
    profile, tokens = terms.profile, shared.tokens
    if shared.whole and profile.caches_reply and shared.messages < len(now.messages):
        closing = overhead_of(terms.counter).closing
        reply = now.end(shared.messages) - now.end(shared.messages - 1)
        tokens += max(reply - closing, 0)
    if profile.rule == "whole" and not shared.whole:
        tokens = max((one for one in learned if one <= tokens), default=0)
    elif profile.rule == "breakpoints":
        parted = frozen and not before.marks and now.quotes is not None  # a mark now stands inside of one block
        marks = (*before.marks, before.tokens) if profile.implicit and not parted else before.marks
        tokens = max((mark for mark in marks if mark <= tokens + _SLACK), default=0)
    idle = (now.at - before.at).total_seconds()
    return expected_read(profile, min(tokens, total), total, idle)


_SLACK = 4
"""Tokens that a mark behind a message's words may lie behind what is counted as common."""


def _written(profile: Profile, marks: Sequence[Breakpoint], total: int, read: int) -> int:
    if profile.rule == "breakpoints":
        reach = total if profile.implicit else marks[-1]["tokens"] if marks else 0
        return max(0, reach - read) if reach >= profile.minimum else 0
    return total - read if profile.write != 1 and total >= profile.minimum else 0


def supposed(now: Sent, reply: int, when: datetime, sheet: Sheet) -> Sent:
    """The prompt to which message number `reply` was the reply, where another process made it: it had the messages
    before, and quotes if this one has.
    """
    quotes = now.quotes
    if quotes is not None and quotes.message >= reply:
        last = sheet.user_before(reply)
        quotes = None if last is None else Quoted(last, None, quotes.tokens)
    sent = Sent(now.messages[:reply], now.ends[: reply + 1], now.tools, quotes, when)
    sent.marks = tuple(sent.upto(at) for at in sorted({reply - 1, reply - 1 if quotes is None else quotes.message}))
    return sent
