"""What a provider's prompt cache would read and write, request by request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate
from typing import Final, NamedTuple, assert_never

from slotstate.caching.profiles import Profile
from slotstate.errors import InputError

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_NEVER: Final = float("-inf")


class Piece(NamedTuple):
    """A stretch of the prompt that changes as a whole: a digest of its text, and its tokens."""

    digest: bytes | str
    tokens: int


@dataclass(frozen=True, slots=True)
class Request:
    """A prompt as a chain of pieces, and when it was sent: seconds, or a moment (a naive one is taken as UTC).

    A breakpoint is the number of pieces before it.
    """

    pieces: tuple[Piece, ...]
    breakpoints: tuple[int, ...] = ()
    at: datetime | float = 0.0


@dataclass(frozen=True, slots=True)
class Charge:
    """Tokens of a prompt by what they cost; `equivalents` is their price in fresh tokens."""

    fresh: int
    written: int
    read: int
    equivalents: float

    @property
    def total(self) -> int:
        """All tokens of the prompt."""
        return self.fresh + self.written + self.read


def charge(profile: Profile, *, total: int, read: int = 0, written: int = 0) -> Charge:
    """The charge for a prompt of `total` tokens of which so many were read and written."""
    fresh = total - read - written
    return Charge(fresh, written, read, fresh + written * profile.write + read * profile.read)


def expected_read(
    profile: Profile, shared_tokens: int, total: int, idle_seconds: float = 0.0, *, earlier: int | None = None
) -> int:
    """Tokens read when `shared_tokens` of a prompt of `total` tokens equal the beginning of an earlier prompt.

    `earlier` is the size of that earlier prompt: a cache of whole prompts reads only what is shared to its end. With
    breakpoints, `shared_tokens` has to end at one.
    """
    if profile.rule == "none" or idle_seconds > profile.ttl:
        return 0
    if profile.rule == "whole" and earlier is not None and shared_tokens < earlier:
        return 0
    return _usable(profile, shared_tokens, total)


def _usable(profile: Profile, shared: int, total: int) -> int:
    shared = min(shared, total - profile.recomputed)
    return shared - (shared - profile.minimum) % profile.step if shared >= profile.minimum else 0


class _Node:
    """The end of a prefix that was seen: when it was last part of a request, and last used as an entry of its own."""

    __slots__ = ("after", "at", "entry", "turn")

    def __init__(self) -> None:
        self.after: dict[Piece, _Node] = {}
        self.at = _NEVER
        self.entry = _NEVER
        self.turn = 0


class CacheSimulator:
    """One cache, empty at first. Keeps about `capacity` pieces at most, those of the latest requests."""

    def __init__(self, profile: Profile, *, capacity: int = 50_000) -> None:
        self.profile = profile
        self._capacity = capacity
        self._root = _Node()
        self._last = self._root
        self._size = 0
        self._turn = 0
        self._now = _NEVER

    def request(self, request: Request) -> Charge:
        """What this request is charged, given all earlier ones; it is remembered.

        Raises InputError on breakpoints that the provider would refuse.
        """
        marks = self._marks(request)
        pieces = request.pieces
        ends = list(accumulate((piece.tokens for piece in pieces), initial=0))
        self._now = max(self._now, _seconds(request.at))  # a clock set back must not bring the dead to life
        known = self._known(pieces)
        read = written = 0
        entries: list[int] = []
        match self.profile.rule:
            case "none":
                return charge(self.profile, total=ends[-1])
            case "prefix" | "blocks":
                read = _usable(self.profile, ends[self._alive(known)], ends[-1])
            case "whole":
                read = _usable(self.profile, ends[self._entry(known, len(known) - 1, 0)], ends[-1])
                entries = [len(pieces), self._alive(known)] if self.profile.learns else [len(pieces)]
            case "breakpoints":
                found = self._found(known, marks)
                entries = [
                    mark for mark in marks[-self.profile.max_breakpoints :] if ends[mark] >= self.profile.minimum
                ]
                read, written = ends[found], max(ends[entries[-1]] - ends[found], 0) if entries else 0
                entries.append(found)
            case _:
                assert_never(self.profile.rule)
        self._remember(pieces, known, entries)
        return charge(self.profile, total=ends[-1], read=read, written=written)

    def reply(self, piece: Piece) -> None:
        """What the model answered to the last request: some caches keep it too."""
        if self.profile.caches_reply:
            self._last = self._step(self._last, piece)
            if self.profile.rule == "whole":
                self._last.entry = self._now

    def _marks(self, request: Request) -> list[int]:
        """The breakpoints in order, each once."""
        if self.profile.rule != "breakpoints":
            return []
        marks = sorted(set(request.breakpoints))
        if marks and not 0 < marks[0] <= marks[-1] <= len(request.pieces):
            raise InputError(
                f"breakpoints must be from 1 to the {len(request.pieces)} pieces of the prompt, not {marks}"
            )
        if len(marks) > self.profile.markers:
            raise InputError(
                f"{self.profile.name} takes at most {self.profile.markers} breakpoints, not {len(marks)}: drop some"
            )
        if self.profile.implicit and request.pieces and len(request.pieces) not in marks:
            marks.append(len(request.pieces))
        return marks

    def _known(self, pieces: Sequence[Piece]) -> list[_Node]:
        """The nodes of the longest prefix that was ever seen; the one at index n ends n pieces."""
        nodes = [self._root]
        for piece in pieces:
            node = nodes[-1].after.get(piece)
            if node is None:
                break
            nodes.append(node)
        return nodes

    def _alive(self, known: Sequence[_Node]) -> int:
        """Pieces of the longest prefix that an earlier request shares and that has not expired."""
        since = self._now - self.profile.ttl
        turn = self._turn - self.profile.remembers if self.profile.remembers else 0
        return next((n for n in range(len(known) - 1, 0, -1) if known[n].at >= since and known[n].turn > turn), 0)

    def _entry(self, known: Sequence[_Node], start: int, stop: int) -> int:
        """Pieces of the longest prefix from `start` down to above `stop` that is an entry of its own; else 0."""
        since = self._now - self.profile.ttl
        return next((n for n in range(min(start, len(known) - 1), stop, -1) if known[n].entry >= since), 0)

    def _found(self, known: Sequence[_Node], marks: Sequence[int]) -> int:
        """Pieces read, looking back from each breakpoint, the last one first."""
        for mark in reversed(marks):
            if found := self._entry(known, mark, max(mark - self.profile.lookback, 0)):
                return found
        return 0

    def _remember(self, pieces: Sequence[Piece], known: list[_Node], entries: Sequence[int]) -> None:
        self._turn += 1
        for node in known:
            node.at, node.turn = self._now, self._turn
        for piece in pieces[len(known) - 1 :]:
            known.append(self._step(known[-1], piece))
        for count in entries:
            known[count].entry = self._now
        self._last = known[-1]
        if self._size > self._capacity:
            self._forget()

    def _step(self, node: _Node, piece: Piece) -> _Node:
        """The node one piece further, now in use."""
        following = node.after.get(piece)
        if following is None:
            following = node.after[piece] = _Node()
            self._size += 1
        following.at, following.turn = self._now, self._turn
        return following

    def _forget(self) -> None:
        """Drop the oldest requests until about half of the capacity is free; the last one stays."""
        turns = sorted((node.turn for node in _all(self._root)), reverse=True)
        oldest = turns[self._capacity // 2]
        for node in _all(self._root):
            # A prefix is never older than what follows it, so nothing that stays hangs on what goes.
            node.after = {piece: after for piece, after in node.after.items() if after.turn >= oldest}
        self._size = sum(1 for _ in _all(self._root)) - 1


def _all(root: _Node) -> Iterator[_Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(node.after.values())


def _seconds(at: datetime | float) -> float:
    if isinstance(at, datetime):
        return ((at if at.tzinfo else at.replace(tzinfo=UTC)) - _EPOCH).total_seconds()
    return float(at)
