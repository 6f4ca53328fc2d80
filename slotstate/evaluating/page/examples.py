"""Mistakes as they can be looked at: the turn, what was said before it, and the words that it hangs on marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, Literal

from slotstate.contract import MASK
from slotstate.domains import Domains
from slotstate.evaluating.page.hiding import Hidden
from slotstate.measuring.causes import ABOUT, CAUSES, Cause, Mistake
from slotstate.measuring.dialogues import Corpus, Dialogue
from slotstate.measuring.evaluation import SlotFigure
from slotstate.measuring.scoring import DialogueScore
from slotstate.parsing import Folded, Span, find_all, find_numbers, find_phones, fold

SHOWN: Final = 5
"""Examples of a cause that are shown of one slot."""
_GOES_ON: Final = re.compile(r"(?:\+|\d[-.,:/])\Z")
_GOES_ON_BEHIND: Final = re.compile(r"[-.,:/]\d")
"""What makes digits a part of a longer number."""
LONG: Final = 600
"""Characters of a turn that are shown."""
Kind = Literal["", "quote", "expected", "found"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text, and what it is marked as."""

    text: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Example:
    """A mistake with its words."""

    dialogue: str
    turn: int
    expected: str | None
    found: str | None
    assistant: tuple[Piece, ...]
    user: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class ByCause:
    """Mistakes of one slot that have one cause: all their number, and some of them."""

    cause: str
    about: str
    count: int
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class BySlot:
    """A slot with its mistakes."""

    path: str
    figure: SlotFigure
    count: int
    causes: tuple[ByCause, ...]


@dataclass(frozen=True, slots=True)
class _Shown:
    """Makes examples: looks up dialogues, and what must not be shown of them."""

    corpus: Corpus
    dialogues: Mapping[str, Dialogue]
    scores: Mapping[str, DialogueScore]
    made: dict[str, Hidden] = field(default_factory=dict[str, Hidden])

    def hidden(self, name: str) -> Hidden:
        """What must not be shown of a dialogue."""
        if name not in self.made:
            dialogue = self.dialogues[name]
            domains = dialogue.domains or Domains(self.corpus.domains.values())
            self.made[name] = Hidden(dialogue, domains, self.scores[name].told)
        return self.made[name]


def by_slot(corpus: Corpus, scores: Sequence[DialogueScore], figures: Mapping[str, SlotFigure]) -> list[BySlot]:
    """The slots with mistakes, those with most first, each with its causes and examples of them from different
    dialogues.
    """
    known = {dialogue.name: dialogue for dialogue in corpus.dialogues}
    shown = _Shown(corpus, known, {score.name: score for score in scores})
    grouped: dict[str, dict[Cause, list[Mistake]]] = {}
    for mistake in (mistake for score in scores for mistake in score.mistakes):
        grouped.setdefault(mistake.path, {}).setdefault(mistake.cause, []).append(mistake)
    made = [_slot(path, causes, figures[path], shown) for path, causes in grouped.items()]
    return sorted(made, key=lambda one: (-one.count, one.path))


def _slot(path: str, causes: Mapping[Cause, Sequence[Mistake]], figure: SlotFigure, shown: _Shown) -> BySlot:
    ordered: list[Cause] = sorted((one for one in CAUSES if one in causes), key=lambda one: -len(causes[one]))
    parts = [
        ByCause(
            cause,
            ABOUT[cause],
            len(causes[cause]),
            tuple(_example(one, shown) for one in _different(causes[cause])),
        )
        for cause in ordered
    ]
    return BySlot(path, figure, sum(part.count for part in parts), tuple(parts))


def _different(mistakes: Sequence[Mistake]) -> Sequence[Mistake]:
    """Some mistakes, of as many dialogues as can be."""
    firsts = {mistake.dialogue: mistake for mistake in reversed(mistakes)}
    first = [mistake for mistake in mistakes if firsts[mistake.dialogue] is mistake]
    rest = [mistake for mistake in mistakes if firsts[mistake.dialogue] is not mistake]
    return [*first, *rest][:SHOWN]


def _example(mistake: Mistake, shown: _Shown) -> Example:
    dialogue, hidden = shown.dialogues[mistake.dialogue], shown.hidden(mistake.dialogue)
    turn = dialogue.turns[mistake.turn]
    before = dialogue.turns[mistake.turn - 1] if mistake.turn else None
    secret = hidden.hides(mistake.path)
    words: list[tuple[str, Kind]] = [] if secret else [(hidden.mask(word), kind) for word, kind in _words(mistake)]
    heard = hidden.mask("" if before is None or before.role == "user" else before.text)
    said = hidden.mask(turn.text)
    mine = fold(said)
    others: list[tuple[str, Kind]] = [(word, kind) for word, kind in words if not places_of(word, mine)]
    return Example(
        hidden.mask(mistake.dialogue),
        mistake.turn,
        _value(mistake.expected, hidden, secret=secret),
        _value(mistake.found, hidden, secret=secret),
        pieces(heard, others),
        pieces(said, words),
    )


def _words(mistake: Mistake) -> Iterator[tuple[str, Kind]]:
    """What is marked, the most important first."""
    if mistake.expected is not None:
        for form in mistake.expected.split(" / "):
            yield form, "expected"
    if mistake.quote is not None:
        yield mistake.quote, "quote"
    if mistake.found is not None:
        yield mistake.found, "found"


def _value(value: str | None, hidden: Hidden, *, secret: bool) -> str | None:
    if value is None:
        return None
    return MASK if secret else hidden.mask(value)


def places_of(word: str, text: Folded) -> Sequence[Span]:
    """Where a value stands in a text: a number neither as a part of another one nor of a phone number, but in words
    where it does not stand in digits.
    """
    if not word.strip():
        return ()
    found = find_all(word, text)
    if not word.strip().isdecimal():
        return found
    phones = [one.span for one in find_phones(text)]
    apart = [
        (start, end)
        for start, end in found
        if not _GOES_ON.search(text.original[:start])
        and not _GOES_ON_BEHIND.match(text.original, end)
        and not any(begin <= start and end <= last for begin, last in phones)
    ]
    return apart or [one.span for one in find_numbers(text) if Decimal(word.strip()) in one.values]


def pieces(text: str, words: Sequence[tuple[str, Kind]]) -> tuple[Piece, ...]:
    """A text in pieces, with those words marked that stand in it; where marks meet, the first of `words` counts."""
    text = text if len(text) <= LONG else f"{text[:LONG]}…"
    kinds: list[Kind] = [""] * len(text)
    folded = fold(text)
    for word, kind in words:
        for start, end in places_of(word, folded):
            for at in range(start, end):
                kinds[at] = kinds[at] or kind
    made: list[Piece] = []
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or kinds[at] != kinds[start]:
            made.append(Piece(text[start:at], kinds[start]))
            start = at
    return tuple(made) if text else ()


__all__ = ["ByCause", "BySlot", "Example", "Piece", "by_slot", "pieces"]
