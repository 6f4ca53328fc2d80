"""Regular expressions that an application declares for what nobody may see: checked so that none of them can run away.

What `re` does for one of them is bounded: it repeats nothing without an end, and after no beginning of any text are
there more than a few ways to have got there. Then the time for a text is proportional to its length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final

from slotstate.errors import InputError

MOST: Final = 50
"""Patterns of one tracker."""
LONGEST: Final = 500
"""Characters of a pattern."""
WAYS: Final = 64
"""Ways in which a pattern may have taken the same characters."""
_PLACES: Final = 2_000
"""Characters that the longest match of a pattern may have, all its alternatives together."""
_WALKED: Final = 5_000
"""Sets of ways that are looked at, before a pattern is taken for one that has too many."""
_OTHERS: Final = "éßÉøñяЯ中国港の가４Ａ０\u3000\u00a0\u200b\u2019٣ſKİ😀"
"""Characters that stand for all those beyond ASCII of which a pattern does not speak."""

_parser: Any = import_module("re._parser")  # how `re` itself reads a pattern; there is no public way to it
_ENDLESS: Final = int(_parser.MAXREPEAT)
_REMEDY: Final = "leave it out, or write what it stands for"


def declared(patterns: object) -> tuple[re.Pattern[str], ...]:
    """The patterns compiled. Raises InputError for one that is no text, does not compile, matches the empty text, or
    could run away.
    """
    if isinstance(patterns, str) or not isinstance(patterns, Iterable):
        raise InputError(f"masks is a list of regular expressions, not {patterns!r:.60}: put it into brackets")
    given = list(patterns)
    if len(given) > MOST:
        raise InputError(f"{len(given)} masks are too many: at most {MOST} may be given; join some with |")
    return tuple(_compiled(pattern, number) for number, pattern in enumerate(given, 1))


def _compiled(pattern: object, number: int) -> re.Pattern[str]:
    name = f"mask {number} ({pattern!r:.80})"
    if not isinstance(pattern, str):
        raise InputError(f"{name} is no text: write a regular expression such as r'\\b\\d{{16}}\\b'")
    if len(pattern) > LONGEST:
        raise InputError(f"{name} has {len(pattern)} characters, at most {LONGEST} are taken: make two of it")
    try:
        made, tree = re.compile(pattern), _parser.parse(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise InputError(f"{name} is no regular expression: {error}") from None
    if not tree.getwidth()[0]:
        raise InputError(f"{name} matches where nothing stands: say what must be there at least")
    if (fault := _fault(tree, bool(made.flags & re.IGNORECASE))) is not None:
        raise InputError(f"{name} {fault}")
    return made


def _fault(tree: Any, anycase: bool) -> str | None:
    """Why a pattern could run away; None when it cannot."""
    built = _Built(anycase)
    try:
        starts = [built.sequence(tree, frozenset([_END]))]
        while built.asides:
            starts.append(built.sequence(built.asides.pop(), frozenset([_END])))
    except _TooMuch as error:
        return str(error)
    return None if all(_is_bounded(built, start) for start in starts) else _AMBIGUOUS


_AMBIGUOUS: Final = (
    "can match the same text in too many ways, and would run away: let neighbouring parts take different characters, "
    r"as [^\s@]{1,64}@[^\s@]{1,64} does"
)
_END: Final = -1


class _TooMuch(Exception):
    """What a pattern does that cannot be bounded."""


@dataclass(slots=True)
class _Built:
    """A pattern as places, one for each character of a match: what may stand there, and which places may be next."""

    anycase: bool
    takes: list[Any] = field(default_factory=list)
    next: list[frozenset[int]] = field(default_factory=list)
    asides: list[Any] = field(default_factory=list)
    """What is only looked at, ahead or behind."""
    named: set[str] = field(default_factory=set)
    """Characters of which the pattern speaks, and their neighbours."""

    def sequence(self, items: Any, after: frozenset[int]) -> frozenset[int]:
        """Where a match of the items begins, if it goes on at `after`."""
        for kind, value in reversed(list(items)):
            after = self._item(str(kind), value, after)
        return after

    def _item(self, kind: str, value: Any, after: frozenset[int]) -> frozenset[int]:
        match kind:
            case "LITERAL" | "NOT_LITERAL" | "IN" | "ANY":
                return self._place(kind, value, after)
            case "AT":
                return after
            case "ASSERT" | "ASSERT_NOT":
                self.asides.append(value[1])
                return after
            case "SUBPATTERN":
                self.anycase |= bool(value[1] & re.IGNORECASE)
                return self.sequence(value[3], after)
            case "ATOMIC_GROUP":
                return self.sequence(value, after)
            case "BRANCH":
                return frozenset[int]().union(*(self.sequence(branch, after) for branch in value[1]))
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                least, most, body = value
                return self._repeat(least, most, body, after)
            case _:
                raise _TooMuch(f"refers back to a group, which may take for ever: {_REMEDY}")

    def _repeat(self, least: int, most: int, body: Any, after: frozenset[int]) -> frozenset[int]:
        if most == _ENDLESS:
            raise _TooMuch("repeats without an end, which may take for ever: say how often at most, as {1,64} for +")
        if most > 1 and not body.getwidth()[0]:
            raise _TooMuch("repeats what may be nothing, which may take for ever: say what must be there at least")
        entry = after
        for at in range(most):
            begins = self.sequence(body, entry)
            entry = begins if at >= most - least else begins | after
        return entry

    def _place(self, kind: str, value: Any, after: frozenset[int]) -> frozenset[int]:
        if len(self.takes) >= _PLACES:
            raise _TooMuch(f"may match more than {_PLACES} characters: say that less may stand there")
        self.takes.append(value if kind == "IN" else [(kind, value)])
        self.next.append(after)
        for one, what in self.takes[-1]:
            codes = what if str(one) == "RANGE" else [what] if "LITERAL" in str(one) else ()
            self.named.update(
                chr(near) for code in codes for near in (code - 1, code, code + 1) if 0 <= near < 0x110000
            )
        return frozenset([len(self.takes) - 1])

    def alphabet(self) -> set[frozenset[int]]:
        """For each kind of character, the places where it may stand."""
        characters = {*map(chr, range(128)), *_OTHERS, *self.named}
        alike: dict[str, list[int]] = {}
        for at, takes in enumerate(self.takes):
            alike.setdefault(str(takes), []).append(at)
        groups = [(self.takes[group[0]], group) for group in alike.values()]
        return {frozenset(at for takes, group in groups if self._has(takes, one) for at in group) for one in characters}

    def _has(self, takes: Sequence[tuple[Any, Any]], character: str) -> bool:
        spelt = {character, character.lower(), character.upper()} if self.anycase else {character}
        codes = [ord(one) for one in spelt if len(one) == 1]
        kinds = [str(kind) for kind, _ in takes]
        found = any(_is(kind, value, code) for kind, (_, value) in zip(kinds, takes, strict=True) for code in codes)
        return found != ("NEGATE" in kinds) or (self.anycase and "NEGATE" in kinds)


def _is(kind: str, value: Any, code: int) -> bool:
    """Whether a character is what one part of a set names."""
    character = chr(code)
    match kind:
        case "LITERAL":
            return bool(code == value)
        case "NOT_LITERAL":
            return bool(code != value)
        case "RANGE":
            return bool(value[0] <= code <= value[1])
        case "CATEGORY":
            name = str(value).removeprefix("CATEGORY_")
            return _CATEGORIES[name.removeprefix("NOT_")](character) != name.startswith("NOT_")
        case _:  # NEGATE, which the others tell of, and ANY
            return kind == "ANY"


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


_CATEGORIES: Final[Mapping[str, Callable[[str], bool]]] = {
    "DIGIT": str.isdecimal,
    "SPACE": str.isspace,
    "WORD": _is_word,
}


def _is_bounded(built: _Built, start: frozenset[int]) -> bool:
    """Whether after every beginning of every text a match can have come there in few ways only.

    Walks all texts at once, kinds of characters for characters: how many ways lead to each place. Nothing repeats
    without an end, so the walk has one.
    """
    kinds = built.alphabet()
    first = _counted((one, 1) for one in start)
    seen, waiting = {first}, [first]
    while waiting:
        ways = waiting.pop()
        for kind in kinds:
            there = ((follow, count) for at, count in ways if at in kind for follow in built.next[at])
            after = _counted(there)
            if sum(count for _, count in after) > WAYS or len(seen) > _WALKED:
                return False
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return True


def _counted(ways: Iterable[tuple[int, int]]) -> frozenset[tuple[int, int]]:
    """Places with the number of ways to each; where a match ends nothing goes on."""
    found: dict[int, int] = {}
    for place, count in ways:
        if place != _END:
            found[place] = found.get(place, 0) + count
    return frozenset(found.items())


def places(patterns: Iterable[re.Pattern[str]], text: str) -> Iterator[tuple[int, int]]:
    """Where the patterns match in a text."""
    for pattern in patterns:
        yield from (match.span() for match in pattern.finditer(text))
