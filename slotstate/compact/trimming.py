"""A sentence without the clauses at its ends that only tell what slots hold: the rest holds when a slot changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from slotstate.compact.cues import STRONG, kinds, moves, negations, small
from slotstate.compact.held import Values
from slotstate.compact.phrases import content, words
from slotstate.events import ItemKind
from slotstate.parsing import Span

WILL: Final[frozenset[ItemKind]] = frozenset({"constraint", "refusal", "decision"})
"""Kinds of which a weak sign is worth something."""
_BETWEEN: Final = re.compile(
    r"\s*(?:[,;:](?=\s)|[，、；：]|\s[-–—]+(?=\s)|——?)\s*(?:(?:and|so)\s+(?=\w))?"
    r"|\s+(?:and|so)\s+(?=(?:i|i'm|we|he|she|they|one|my|our|it|there|please|nobody|no)\b)",
    re.IGNORECASE,
)
"""What stands between two clauses."""
_LINKS: Final = frozenset("and or 和 或 与 跟".split())
_BOUND: Final = frozenset(
    (
        "but when if unless while because since only once as except until before after where 但 只 如 若 要 当 除 因"
    ).split()
)
"""Words a clause begins with that limits what stands beside it."""
_PLACED: Final = frozenset("in at on for from to during by with near at 在 去 到 从 住".split())
"""Words with which a clause in front says where or when the rest counts."""


def trimmed(text: str, values: Values, ident: str) -> Span:
    """Where in the text of a sentence of message `ident` the clauses stand that say more than the slots do; all of it
    where that cannot be told.
    """
    parts = [*_parts(text)]
    last = len(parts)
    while last > 1 and _idle(text[slice(*parts[last - 1])], values, ident):
        last -= 1
    first = 0
    while first < last - 1 and _idle(text[slice(*parts[first])], values, ident, leads=True):
        first += 1
    if last - first == len(parts):
        return 0, len(text)
    return parts[first][0], len(text) if last == len(parts) else parts[last - 1][1]


def speaks(text: str, values: Values, ident: str) -> bool:
    """Whether a clause of the text wants or refuses something without naming any value of a slot."""
    for start, end in _parts(text):
        said = words(text[start:end])
        if values.names_none(said, ident) and content(said, small()) and any(_will(kinds(said)).values()):
            return True
    return False


def _will(found: dict[ItemKind, float]) -> dict[ItemKind, bool]:
    return {kind: found.get(kind, 0.0) >= STRONG for kind in ("constraint", "refusal")}


def _parts(text: str) -> Iterator[Span]:
    """The places of the clauses, what joins them aside."""
    at = 0
    for match in _BETWEEN.finditer(text):
        if match.start() > at:
            yield at, match.start()
            at = match.end()
    yield at, len(text)


def _idle(text: str, values: Values, ident: str, *, leads: bool = False) -> bool:
    """Whether a clause only tells slots, and limits nothing beside it. A bare name may belong to a list."""
    said = words(text)
    first = said[0] if said else ""
    return (
        not (first in _BOUND or (leads and first in _PLACED))
        and negations().isdisjoint(said)
        and any(word in small() and word not in _LINKS for word in said)
        and not WILL & kinds(said).keys()
        and not moves(said, "own")
        and values.tell(said, ident)
    )
