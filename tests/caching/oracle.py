"""The rules of prompt caches once more, by brute force over strings: one character a token, nothing shared with the
simulator but the profile.

A piece is written as its character, once a token; a character belongs to one size only, so that two prompts never have
a part of a piece in common.
"""

from __future__ import annotations

from itertools import takewhile

from slotstate.caching import Piece, Profile, Request


def text(pieces: tuple[Piece, ...]) -> str:
    return "".join(str(piece.digest) * piece.tokens for piece in pieces)


def common(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


class Oracle:
    """Remembers every prompt and scans all of them anew at each request."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.prompts: list[tuple[str, float]] = []
        self.entries: dict[str, float] = {}

    def request(self, request: Request) -> tuple[int, int]:
        """Tokens read and written."""
        assert isinstance(request.at, int | float)
        now = float(request.at)
        prompt = text(request.pieces)
        read = written = 0
        if self.profile.rule in {"prefix", "blocks"}:
            read = self._steps(self._common(prompt, now), prompt)
        elif self.profile.rule == "whole":
            read = self._whole(prompt, now)
        elif self.profile.rule == "breakpoints":
            read, written = self._breakpoints(request, prompt, now)
        self.prompts.append((prompt, now))
        return read, written

    def reply(self, piece: Piece) -> None:
        if self.profile.caches_reply and self.prompts:
            prompt, at = self.prompts[-1]
            self.prompts[-1] = (prompt + text((piece,)), at)
            if self.profile.rule == "whole":
                self.entries[self.prompts[-1][0]] = at

    def _common(self, prompt: str, now: float) -> int:
        seen = self.prompts[-self.profile.remembers :] if self.profile.remembers else self.prompts
        alive = [earlier for earlier, at in seen if now - at <= self.profile.ttl]
        return max((common(earlier, prompt) for earlier in alive), default=0)

    def _steps(self, shared: int, prompt: str) -> int:
        """The largest readable size, found by trying all."""
        sizes = range(self.profile.minimum, len(prompt) - self.profile.recomputed + 1, self.profile.step)
        return max((size for size in sizes if size <= shared), default=0)

    def _longest_entry(self, prefixes: list[str], now: float) -> str:
        alive = [prefix for prefix in prefixes if now - self.entries.get(prefix, float("-inf")) <= self.profile.ttl]
        return max(alive, key=len, default="")

    def _whole(self, prompt: str, now: float) -> int:
        unit = self._longest_entry([prompt[:size] for size in range(1, len(prompt) + 1)], now)
        common = self._common(prompt, now)
        if self.profile.learns and common:
            self.entries[prompt[:common]] = now
        self.entries[prompt] = now
        return self._steps(len(unit), prompt)

    def _breakpoints(self, request: Request, prompt: str, now: float) -> tuple[int, int]:
        marks = set(request.breakpoints)
        if self.profile.implicit and request.pieces:
            marks.add(len(request.pieces))
        looked_up = [
            text(request.pieces[:place])
            for mark in marks
            for place in range(1, mark + 1)
            if mark - place < self.profile.lookback
        ]
        found = self._longest_entry(looked_up, now)
        if found:
            self.entries[found] = now
        written = 0
        for mark in sorted(marks)[-self.profile.max_breakpoints :]:
            prefix = text(request.pieces[:mark])
            if len(prefix) >= self.profile.minimum:
                self.entries[prefix] = now
                written = max(written, len(prefix) - len(found))
        return len(found), written
