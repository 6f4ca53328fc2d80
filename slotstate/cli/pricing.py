"""What a conversation's prompts cost under the cache rules of a provider: the simulator, fed with real prompts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from slotstate.caching import CacheSimulator, Piece, Profile, Request
from slotstate.cli.cutting import Cutter
from slotstate.cli.replay import Sent


@dataclass(frozen=True, slots=True)
class Call:
    """A request as the simulator takes it, the reply to it, and what the prompt said of it.

    `head` are the tokens that prime the reply: they end a prompt, belong to the reply, and are never read. `replied`
    are all tokens of the reply.
    """

    request: Request
    at: datetime
    reply: tuple[Piece, ...]
    head: int
    replied: int
    expected: int
    epoch: str
    """The reason of the epoch that begins with it; empty where none does."""


@dataclass(slots=True)
class Bill:
    """Tokens of a conversation's requests, all together."""

    requests: int = 0
    sent: int = 0
    fresh: int = 0
    written: int = 0
    read: int = 0
    predicted: int = 0
    """Tokens read as the prompts themselves expected it."""
    off: int = 0
    """By how much the two differ at most in one request."""
    longest: int = 0
    """Tokens of the longest request."""
    epochs: Counter[str] = field(default_factory=Counter[str])

    def equivalents(self, profile: Profile) -> float:
        """Their price in fresh tokens."""
        return self.fresh + self.written * profile.write + self.read * profile.read


def calls_of(sent: Iterable[Sent], cutter: Cutter, *, blocks: bool) -> list[Call]:
    """The requests that got a reply."""
    epoch, found = 0, list[Call]()
    for one in sent:
        cache = one.prompt.cache
        if not one.replies or cache is None:
            continue
        chain, reply = cutter.prompt(one.prompt, blocks=blocks), cutter.reply(one.replies)
        found.append(
            Call(
                request=Request(chain.pieces, chain.marks, one.at),
                at=one.at,
                reply=reply,
                head=cutter.head,
                replied=sum(piece.tokens for piece in reply),
                expected=cache["expected_cached"],
                epoch=cache["epoch_reason"] if cache["epoch"] != epoch else "",
            )
        )
        epoch = cache["epoch"]
    return found


def bill(profile: Profile, calls: Sequence[Call]) -> Bill:
    """What a profile's cache reads and writes of these requests."""
    simulator, total = CacheSimulator(profile), Bill()
    for call in calls:
        charge = simulator.request(call.request)
        for piece in call.reply:
            simulator.reply(piece)
        total.requests += 1
        total.sent += charge.total + call.head
        total.fresh += charge.fresh + call.head
        total.written += charge.written
        total.read += charge.read
        total.predicted += call.expected
        total.off = max(total.off, abs(charge.read - call.expected))
        total.longest = max(total.longest, charge.total + call.head)
        total.epochs.update([call.epoch] if call.epoch else ())
    return total
