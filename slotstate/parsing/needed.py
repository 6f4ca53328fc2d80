"""What a text must hold for a pattern to match anywhere in it: to look for a few letters is far cheaper than to search.

Read off the pattern's source, for the dialect that the tables are written in. Where a part is not understood, or may be
left out, it is taken to need nothing: an answer may miss what a match needs, but names nothing that a match can lack.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

Needs = tuple[str, ...] | None
"""Strings one of which a text must hold; None where nothing is known."""

_QUANTIFIER = re.compile(r"(?:[?*+]|\{(?P<least>[0-9]*)(?:,[0-9]*)?\})[?+]?")
_LITERALS = re.compile(r"[^\\.^$*+?{}()\[\]|]+")
_CLASS = re.compile(r"\[(?P<not>\^?)(?P<members>\]?(?:\\.|[^\]\\])*)\]")
_GROUP = re.compile(r"\((?:\?(?P<kind>:|P<\w+>|P=\w+|<?[=!]|[^:P<=!]))?")
_LITERAL_ESCAPE = frozenset(" .,+-*?()[]{}|^$#&~/\\'\"!%@:;<>=_`")
_ZERO_WIDTH = frozenset("AbBZ")
_MEMBERS: Final = 12
"""Characters of a class that are looked for one by one."""


@cache
def needed(pattern: str) -> Needs:
    """Strings one of which stands in every text that the pattern matches in."""
    try:
        found, end = _either(pattern, 0)
    except ValueError:
        return None
    return united([found]) if end == len(pattern) else None


def lacks(text: str, needs: Needs) -> bool:
    """Whether a text holds nothing of what is needed."""
    return needs is not None and not any(map(text.__contains__, needs))


def united(parts: Iterable[Needs]) -> Needs:
    """What is needed where any of several patterns may match, without what holds another need."""
    every = _every(parts)
    if every is None:
        return None
    return tuple(sorted(one for one in every if not any(other != one and other in one for other in every)))


def _every(parts: Iterable[Needs]) -> Needs:
    every: set[str] = set()
    for part in parts:
        if part is None:
            return None
        every.update(part)
    return tuple(every)


def _either(pattern: str, at: int) -> tuple[Needs, int]:
    """The needs of alternatives up to the end of their group."""
    branches: list[Needs] = []
    while True:
        found, at = _sequence(pattern, at)
        branches.append(found)
        if at >= len(pattern) or pattern[at] == ")":
            return _every(branches), at
        at += 1


class _Sequence:
    """What stands one after the other: literal runs and parts with needs of their own."""

    def __init__(self) -> None:
        self.run = ""
        self.best: Needs = None

    def add(self, literal: str, needs: Needs) -> None:
        """Literal characters, else a part with its needs."""
        if literal:
            self.run += literal
        else:
            self.part(needs)

    def part(self, needs: Needs) -> None:
        self.end_run()
        if needs and (self.best is None or _worth(needs) > _worth(self.best)):
            self.best = needs

    def end_run(self) -> None:
        run, self.run = self.run, ""
        if run.strip():
            self.part((run,))


def _worth(needs: tuple[str, ...]) -> tuple[int, int]:
    """Few long strings say most."""
    return min(*map(len, needs), 4), -len(needs)


def _sequence(pattern: str, at: int) -> tuple[Needs, int]:
    found = _Sequence()
    while at < len(pattern) and pattern[at] not in "|)":
        literal, needs, at = _item(pattern, at)
        quantifier = _QUANTIFIER.match(pattern, at)
        if quantifier is None:
            found.add(literal, needs)
            continue
        found.add(literal[:-1], None)
        at = quantifier.end()
        if quantifier[0][0] in "?*" or quantifier["least"] in ("", "0"):
            found.end_run()
        else:
            found.part((literal[-1],) if literal.strip() else needs)
    found.end_run()
    return found.best, at


def _item(pattern: str, at: int) -> tuple[str, Needs, int]:
    """The next literal characters, or the needs of the next group or class, and where it ends."""
    run = _LITERALS.match(pattern, at)
    if run is not None:
        return run[0], None, run.end()
    char = pattern[at]
    if char == "(":
        return _group(pattern, at)
    if char == "[":
        return _members(pattern, at)
    if char == "\\":
        return _escape(pattern, at)
    return ("" if char in ".^$" else char), None, at + 1


def _group(pattern: str, at: int) -> tuple[str, Needs, int]:
    opened = _GROUP.match(pattern, at)
    kind = (opened["kind"] or "") if opened is not None else "?"
    if opened is None or kind[:1] not in ("", ":", "P", "<", "=", "!"):
        raise ValueError(pattern)
    found, end = _either(pattern, opened.end()) if not kind.startswith("P=") else (None, opened.end())
    if end >= len(pattern):
        raise ValueError(pattern)
    return "", (found if kind in ("", ":") or kind.startswith("P<") else None), end + 1


def _members(pattern: str, at: int) -> tuple[str, Needs, int]:
    written = _CLASS.match(pattern, at)
    if written is None:
        raise ValueError(pattern)
    members = written["members"]
    for first, last in re.findall(r"([^\\])-([^\\])", members):
        span = "".join(map(chr, range(ord(first), min(ord(last), ord(first) + _MEMBERS) + 1)))
        members = members.replace(f"{first}-{last}", span)
    plain = not written["not"] and "\\" not in members and len(members) <= _MEMBERS and " " not in members
    return "", (tuple(members) if plain else None), written.end()


def _escape(pattern: str, at: int) -> tuple[str, Needs, int]:
    char = pattern[at + 1 : at + 2]
    if char in _LITERAL_ESCAPE:
        return char, None, at + 2
    if char in _ZERO_WIDTH or char in "dDsSwW":
        return "", None, at + 2
    raise ValueError(pattern)
