"""What words tell: that a sentence is a constraint, a decision, a refusal …, that something is taken back, or that it
is about the assistant's own rules. English and Chinese at once; a further language is one more table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, Literal, TypeAlias

from slotstate.compact.cues_en import ENGLISH
from slotstate.compact.cues_zh import CHINESE
from slotstate.compact.phrases import Match, Phrases, words
from slotstate.compact.wordings import Wordings
from slotstate.events import ItemKind

TABLES: Final[tuple[Wordings, ...]] = (ENGLISH, CHINESE)
STRONG: Final = 1.0
"""What one strong cue counts: enough for an item."""
WEAK: Final = 0.5
_PLAIN: Final = 3
"""Words of the longest cue that is nothing but one: in a longer one stands what it speaks of."""

Move: TypeAlias = Literal[
    "back", "again", "done", "rules", "offer", "yes", "own", "bars", "request", "checks", "setting"
]
"""What a sentence does rather than says, as the tables name it."""
Sign: TypeAlias = tuple[ItemKind, float] | None
"""A kind with what the cue counts; None for a trap."""


def kinds(said: Sequence[str]) -> dict[ItemKind, float]:
    """How much the words of a sentence speak for each kind of item."""
    found: dict[ItemKind, float] = {}
    seen: set[tuple[str, ...]] = set()
    trapped = 0
    for match in _tells().overlapping(said):
        phrase = tuple(said[match.start : match.end])
        if match.meaning is None:
            trapped = match.end
        elif match.start >= trapped and phrase not in seen:  # the same words again say no more
            seen.add(phrase)
            kind, counts = match.meaning
            found[kind] = found.get(kind, 0.0) + counts
    return found


def moves(said: Sequence[str], move: Move) -> bool:
    """Whether the words of a sentence make this move."""
    return _does(move).stands(said)


def moved(said: Sequence[str], move: Move) -> Iterator[Match[Move]]:
    """Where the words of a sentence make this move."""
    return _does(move).matches(said)


def signs(said: Sequence[str]) -> Iterator[Match[Sign]]:
    """Where cues stand that say how something is meant: "must", "decided"."""
    return (match for match in _tells().overlapping(said) if match.end - match.start <= _PLAIN)


@cache
def small() -> frozenset[str]:
    """Words without content of their own."""
    return frozenset(word for table in TABLES for word in words(table.small))


@cache
def negations() -> frozenset[str]:
    """Words that turn a sentence round."""
    return frozenset(word for table in TABLES for word in words(table.negations))


@cache
def _leads() -> frozenset[str]:
    return frozenset(word for table in TABLES for word in words(table.leads))


@cache
def _tells() -> Phrases[Sign]:
    return Phrases(_signs(), _leads())


@cache
def _does(move: Move) -> Phrases[Move]:
    phrases: Iterator[tuple[str, Move]] = (
        (phrase, move) for table in TABLES for phrase in _listed(getattr(table, move))
    )
    return Phrases(phrases, _leads())


def _signs() -> Iterator[tuple[str, Sign]]:
    """Traps first and strong before weak: of two that are equally long the first one counts."""
    for table in TABLES:
        for phrase in _listed(table.traps):
            yield phrase, None
        for counts, by_kind in ((STRONG, table.strong), (WEAK, table.weak)):
            for kind, phrases in by_kind.items():
                for phrase in _listed(phrases):
                    yield phrase, (kind, counts)


def _listed(phrases: str) -> Iterator[str]:
    return (phrase for line in phrases.split("|") if (phrase := " ".join(line.split())))
