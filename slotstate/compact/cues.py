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

Move: TypeAlias = Literal["back", "again", "done", "rules", "offer", "yes", "request", "checks", "setting"]
"""What a sentence does rather than says, as the tables name it."""
_Sign: TypeAlias = tuple[ItemKind, float] | None
"""A kind with what the cue counts; None for a trap."""


def kinds(said: Sequence[str]) -> dict[ItemKind, float]:
    """How much the words of a sentence speak for each kind of item."""
    found: dict[ItemKind, float] = {}
    seen: set[tuple[str, ...]] = set()
    for match in _tells().matches(said):
        phrase = tuple(said[match.start : match.end])
        if match.meaning is not None and phrase not in seen:  # the same words again say no more
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
def _tells() -> Phrases[_Sign]:
    return Phrases(_signs(), _leads())


@cache
def _does(move: Move) -> Phrases[Move]:
    phrases = ((phrase, move) for table in TABLES for phrase in _listed(getattr(table, move)))
    return Phrases(phrases, _leads())


def _signs() -> Iterator[tuple[str, _Sign]]:
    """Traps first and strong before weak: of two that are equally long the first one counts."""
    for table in TABLES:
        yield from ((phrase, None) for phrase in _listed(table.traps))
        for counts, kinds in ((STRONG, table.strong), (WEAK, table.weak)):
            yield from ((phrase, (kind, counts)) for kind, phrases in kinds.items() for phrase in _listed(phrases))


def _listed(phrases: str) -> Iterator[str]:
    return (phrase for line in phrases.split("|") if (phrase := " ".join(line.split())))
