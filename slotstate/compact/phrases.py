"""Phrases in a text of any language, found by its words in one pass; and what of a text carries its content.

A phrase is written as it is said. `{a,b}` stands for either, `…` for up to nine words without a mark between them,
`*ing` for any word that ends so, `<` for the start of a clause and `>` for its end. A character of a script without
spaces is a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Generic, TypeVar

from slotstate.parsing import fold, unspaced

T = TypeVar("T")

_GAP: Final = "@"
"""What the gap of a phrase is read as: folding would make three points of it."""
_REACH: Final = 9
_ANY: Final = "*"
_OPENS: Final = "<"
_CLOSES: Final = ">"
MARK: Final = ","
"""What every mark that ends a clause is read as."""
_WORD: Final = (
    r"[0-9]+(?:[.,:][0-9]+)+|[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+(?:'[^\W_\u3400-\u9fff]+)*"
    r"|(?<![^\s])-+(?![^\s])|[,.;:!?()\[\]{}\n\"|、。~%#&+]"
)
_SPLIT: Final = re.compile(_WORD)
_SPLIT_ASCII: Final = re.compile(_WORD.replace(r"|[\u3400-\u9fff]", "").replace(r"[^\W_\u3400-\u9fff]", "[0-9A-Za-z]"))
"""The same for a text of ASCII, in half the time."""
_SPELT: Final = re.compile(f"{_WORD}|[*<>@]")
"""The same for a phrase, where these have a meaning."""
_KEPT: Final = frozenset("%#&+*<>@")
_BRACES: Final = re.compile(r"\{([^{}]*)\}")
_NOT: Final = re.compile(r"n'?t\Z")


def words(text: str) -> tuple[str, ...]:
    """The words of a text, folded, with a comma for each mark that ends a clause. "don't" and "dont" are the same."""
    return folded_words(fold(text).text)


def folded_words(folded: str) -> tuple[str, ...]:
    """The same of a text that is folded already."""
    if folded.isascii():
        return tuple(map(_read, _SPLIT_ASCII.findall(folded)))
    return tuple(_words(_SPLIT.findall(folded)))


@lru_cache(maxsize=16_384)
def _read(word: str) -> str:
    """What a word of ASCII is read as: it is one word in any case."""
    (read,) = _words((word,))
    return read


def _words(found: Iterable[str]) -> list[str]:
    said: list[str] = []
    for word in found:
        if not word[0].isalnum():
            said.append(word if word in _KEPT else MARK)
        elif len(word) == 1:
            said.append(word)
        elif word.isascii():
            said.append(_NOT.sub("nt", word) if "'" in word else word)
        else:
            said += _unspaced(word)
    return said


alone: Final = lru_cache(maxsize=8192)(unspaced)
"""Whether a character is a word by itself, its script being written without spaces."""


def _unspaced(word: str) -> Iterator[str]:
    """A run of letters, each character of a script without spaces for itself."""
    start = 0
    for at, char in enumerate(word):
        if alone(char):
            if start < at:
                yield word[start:at]
            yield char
            start = at + 1
    if start < len(word):
        yield word[start:]


def expanded(phrase: str) -> Iterator[str]:
    """The phrase with each choice of its braces."""
    match = _BRACES.search(phrase)
    if match is None:
        yield phrase
        return
    for choice in match[1].split(","):
        yield from expanded(phrase[: match.start()] + choice + phrase[match.end() :])


@dataclass(frozen=True, slots=True)
class Match(Generic[T]):
    """A phrase that stands in the words [start, end), and what it was declared to mean."""

    start: int
    end: int
    meaning: T


class Sayings(Generic[T]):
    """Words one behind the other with what they mean, each sequence given once: what Phrases is without anything that
    stands for several words, and made much faster.
    """

    __slots__ = ("_begin",)

    def __init__(self) -> None:
        self._begin: dict[str, list[tuple[tuple[str, ...], T]]] = {}

    def add(self, said: tuple[str, ...], meaning: T) -> None:
        """One more sequence of words."""
        self._begin.setdefault(said[0], []).append((said, meaning))

    def matches(self, said: Sequence[str]) -> Iterator[Match[T]]:
        """The longest one at each place, from the left on, without overlaps."""
        begin, behind = self._begin, 0
        if begin.keys().isdisjoint(said):
            return
        for at, word in enumerate(said):
            if at >= behind and word in begin:
                rest = tuple(said[at:])
                found = [one for one in begin[word] if rest[: len(one[0])] == one[0]]
                if found:
                    longest, meaning = max(found, key=lambda one: len(one[0]))
                    behind = at + len(longest)
                    yield Match(at, behind, meaning)


class _Node(Generic[T]):
    """A place in the tree of all phrases: the words that may come next, and what ends here."""

    __slots__ = ("ends", "gap", "next", "suffixes")

    def __init__(self) -> None:
        self.next: dict[str, _Node[T]] = {}
        self.suffixes: dict[str, _Node[T]] = {}
        self.gap: _Node[T] | None = None
        self.ends: list[_End[T]] = []

    def child(self, word: str) -> _Node[T]:
        """The place behind `word`, made where there is none."""
        if word == _GAP:
            self.gap = self.gap or _Node()
            return self.gap
        if word[0] == _ANY:
            return self.suffixes.setdefault(word[1:], _Node())
        return self.next.setdefault(word, _Node())


@dataclass(frozen=True, slots=True)
class _End(Generic[T]):
    meaning: T
    opens: bool
    closes: bool
    number: int


class Phrases(Generic[T]):
    """Phrases with what they mean. Of two that are equally long, the one that was given first counts."""

    __slots__ = ("_leads", "_made", "_root")

    def __init__(self, phrases: Iterable[tuple[str, T]] = (), leads: Set[str] = frozenset()) -> None:
        """`leads` are words that may stand between the start of a clause and a phrase that starts one."""
        self._leads = leads
        self._made = 0
        self._root: _Node[T] = _Node()
        for phrase, meaning in phrases:
            for one in expanded(phrase):
                self.add(_joined(_words(_SPELT.findall(one.replace("…", _GAP)))), meaning)

    def add(self, spelt: Sequence[str], meaning: T) -> None:
        """One more phrase, as words."""
        opens, closes = spelt[0] == _OPENS, spelt[-1] == _CLOSES
        node = self._root
        for word in spelt[opens : len(spelt) - closes]:
            node = node.child(word)
        self._made += 1
        node.ends.append(_End(meaning, opens, closes, self._made))

    def matches(self, said: Sequence[str]) -> Iterator[Match[T]]:
        """The longest phrase at each place, from the left on, without overlaps."""
        first, behind = self._root.next, 0
        if first.keys().isdisjoint(said):
            return
        for at, word in enumerate(said):
            if at >= behind and word in first:
                found = self._longest(first[word], said, at, at + 1, None)
                if found is not None:
                    behind = found[0]
                    yield Match(at, behind, found[1].meaning)

    def overlapping(self, said: Sequence[str]) -> Iterator[Match[T]]:
        """The longest phrase at each place that goes on behind the end of all before it."""
        first, behind = self._root.next, 0
        for at, word in enumerate(said):
            found = self._longest(first[word], said, at, at + 1, None) if word in first else None
            if found is not None and found[0] > behind:
                behind = found[0]
                yield Match(at, behind, found[1].meaning)

    def stands(self, said: Sequence[str]) -> bool:
        """Whether any of the phrases stands there."""
        return next(self.matches(said), None) is not None

    def _longest(
        self, node: _Node[T] | None, said: Sequence[str], start: int, at: int, best: tuple[int, _End[T]] | None
    ) -> tuple[int, _End[T]] | None:
        """The longest phrase from `start` on that goes through `node` at `at`, with where it ends; else the `best` so
        far.
        """
        while node is not None:
            for one in node.ends:
                if self._stands(one, said, start, at) and (
                    best is None or (at, -one.number) > (best[0], -best[1].number)
                ):
                    best = at, one
            if (gap := node.gap) is not None:
                short = bool(gap.ends or gap.suffixes or gap.gap)  # then what comes behind the gap need not be known
                for behind in range(at, _reach(said, at) + 1):
                    if short or (behind < len(said) and said[behind] in gap.next):
                        best = self._longest(gap, said, start, behind, best)
            if at >= len(said):
                break
            for suffix, way in node.suffixes.items():
                if said[at].endswith(suffix):
                    best = self._longest(way, said, start, at + 1, best)
            node, at = node.next.get(said[at]), at + 1
        return best

    def _stands(self, end: _End[T], said: Sequence[str], start: int, at: int) -> bool:
        """Whether a phrase may start and end here."""
        return (not end.opens or self._opens(said, start)) and (not end.closes or at == len(said) or said[at] == MARK)

    def _opens(self, said: Sequence[str], at: int) -> bool:
        while at and said[at - 1] in self._leads:
            at -= 1
        return at == 0 or said[at - 1] == MARK


def _reach(said: Sequence[str], at: int) -> int:
    """Where a gap that starts at `at` ends at the latest."""
    last = min(len(said), at + _REACH)
    while at < last and said[at] != MARK:
        at += 1
    return at


def _joined(spelt: Iterable[str]) -> list[str]:
    """The words of a phrase, `*` and what follows it as one."""
    found: list[str] = []
    for word in spelt:
        if found and found[-1] == _ANY:
            found[-1] += word
        else:
            found.append(word)
    return found


def content(said: Iterable[str], small: Set[str]) -> frozenset[str]:
    """What carries the content: words that are not `small`, plurals as singulars; of a script without spaces the pairs
    of neighbours, or a character that stands alone between small ones.
    """
    found: set[str] = set()
    run = ""
    for word in (*said, MARK):
        meant = word not in small
        if meant and len(word) == 1 and alone(word):
            run += word
            continue
        if run:
            found.update([run] if len(run) == 1 else [run[at : at + 2] for at in range(len(run) - 1)])
            run = ""
        if meant and (len(word) > 1 or word.isdigit()):
            found.add(_singular(word))
    return frozenset(found)


def _singular(word: str) -> str:
    word = word.removesuffix("'s")
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def amount(told: Iterable[str]) -> float:
    """How many words there are in content; two pairs of neighbours are about one word more."""
    return sum(0.5 if alone(word[0]) and len(word) > 1 else 1.0 for word in told)
