"""Which sentences of a message are worth an item, and of which kind: by the words in them, never by a model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final

from slotstate.compact.cues import STRONG, WEAK, kinds, moved, moves, small
from slotstate.compact.held import Values
from slotstate.compact.items import Spoken
from slotstate.compact.phrases import MARK, amount, content, folded_words, words
from slotstate.compact.sentences import LONGEST, Piece, pieces, refers
from slotstate.compact.trimming import WILL, speaks, trimmed
from slotstate.events import Item, ItemKind
from slotstate.parsing import fold

ORDER: Final[tuple[ItemKind, ...]] = (
    "constraint",
    "refusal",
    "decision",
    "open",
    "quote",
    "preference",
    "failed",
    "fact",
    "tool",
)
"""Of kinds for which as much speaks, the first one counts."""
_BASE: Final[dict[ItemKind, float]] = {
    "constraint": 3.0,
    "refusal": 3.0,
    "decision": 3.0,
    "open": 2.5,
    "quote": 2.0,
    "preference": 2.0,
    "failed": 1.5,
    "fact": 1.0,
    "tool": 0.5,
}
_CODE: Final = re.compile(
    r"(?<![A-Za-z0-9])(?=[A-Z0-9-]{0,12}[0-9])(?=[A-Z0-9-]{0,12}[A-Z])[A-Z0-9][A-Z0-9-]{3,24}(?![A-Za-z0-9])"
    r"|(?<![0-9.,])[0-9]{5,24}(?![0-9])|[\w.+-]{1,64}@[\w-]{1,64}\.\w"
)
"""A code, a long number or an address."""
_FIGURE: Final = re.compile(r"[0-9]")
_QUOTED: Final = re.compile(r"[\"“「『][^\"”」』\n]{6,160}[\"”」』]")
_ASKS: Final = re.compile(r"[?？][\"'”’」』）)\s]*\Z|[吗么嘛][。！\s]*\Z")
_EACH: Final = {"user": 8, "assistant": 2, "tool": 1, "system": 0}
"""Items that one message may give: a long paste must not push out all that was said."""
_SHORT: Final = 12
"""Words of the longest bare answer."""


@dataclass(frozen=True, slots=True)
class Picked:
    """Words of a message that may become an item; `strength` says how much speaks for it, `said` are the words of its
    text and of what it answers. `outdated` says why it may not: a slot has gone on.
    """

    kind: ItemKind
    text: str
    sources: tuple[str, ...]
    strength: float
    said: tuple[str, ...]
    quote: str | None = None
    path: str | None = None
    outdated: str | None = None


@dataclass(frozen=True)
class Sentence:
    """A piece of a message with its words."""

    message: Spoken
    piece: Piece
    said: tuple[str, ...]

    @cached_property
    def content(self) -> frozenset[str]:
        """What carries the content."""
        return content(self.said, small())

    @cached_property
    def asks(self) -> bool:
        """Whether it is a question."""
        text = self.piece.text
        return ("?" in text or not text.isascii()) and _ASKS.search(text) is not None

    @cached_property
    def hostile(self) -> bool:
        """Whether it speaks of the assistant's own rules."""
        return moves(self.said, "rules")


def _has_code(text: str) -> bool:
    """Whether a code, a long number or an address stands in the text: none does without a digit or an `@`."""
    return (_FIGURE.search(text) is not None or "@" in text) and _CODE.search(text) is not None


def weight(item: Item) -> float:
    """How much an item matters beside others, for who has room for a few: by its kind, then by what speaks for it."""
    return _weight(item.kind, item.text, item.quote)


@lru_cache(maxsize=1024)  # items stay for many compactions
def _weight(kind: ItemKind, text: str, quote: str | None) -> float:
    return weighed(kind, text, words(text if quote is None else f"{text}\n{quote}"))


def weighed(kind: ItemKind, text: str, said: Sequence[str]) -> float:
    """The weight of an item of this kind and text, whose words are given."""
    found = kinds(said)
    strength = found.get(kind, 0.0)
    if kind == "fact":
        strength += (STRONG if _has_code(text) else 0.0) + sum(found.get(will, 0.0) for will in WILL)
    return _BASE[kind] + min(strength, 2.0) / 4


def sentences(message: Spoken) -> tuple[Sentence, ...]:
    """The sentences of what a person or the assistant said."""
    folded = fold(message.text)
    moved = bool(folded.starts)
    return tuple(
        Sentence(message, piece, words(piece.text) if moved else folded_words(folded.text[piece.start : piece.end]))
        for piece in pieces(message.text)
    )


def picked(said: Sequence[Sentence], before: Sequence[Sentence], values: Values) -> Iterator[tuple[Sentence, Picked]]:
    """The items that the sentences of one message give, in order, weak ones among them. `before` are those of the
    assistant's message that it answers.
    """
    found = [(one, item) for at, one in enumerate(said) if (item := _read(said, at, before, values)) is not None]
    good = sorted(
        (at for at, (_, item) in enumerate(found) if item.strength >= STRONG), key=lambda at: (-_rank(found[at][1]), at)
    )
    most = _EACH[said[0].message.role] if said else 0
    over = set(good[most:])
    yield from (pair for at, pair in enumerate(found) if at not in over)


def _rank(item: Picked) -> float:
    return _BASE[item.kind] + item.strength / 4


def _read(said: Sequence[Sentence], at: int, before: Sequence[Sentence], values: Values) -> Picked | None:
    one = said[at]
    if one.message.role == "assistant":
        found = _by_assistant(one, values)
        return None if found is None else _with_subject(found, said, at)
    answer = _answer(one, before, values) if at == 0 else None
    if answer is not None:
        return answer
    kind, strength = _kind(one, kinds(one.said))
    if kind != "constraint" and len(said) == 1 and _bars(one, before):
        return _checked(_of(_part(one, "constraint", values), "constraint", STRONG), values)
    if kind is None or (one.asks and not _wishes(one, kind)) or (kind == "fact" and moves(one.said, "checks")):
        return None
    if strength < STRONG and kind in WILL and len(one.content) >= 2:
        kind, strength = "fact", STRONG  # words that may be one: kept while there is room
    if one.hostile or (values.tell(one.said, one.message.id) and not speaks(one.piece.text, values, one.message.id)):
        return None
    part = _part(one, kind, values)
    if part is not one:
        return _checked(_of(part, kind, strength), values)
    item = _with_context(_of(one, kind, strength), said, at, before, values)
    item = None if item is None else _with_subject(item, said, at)
    return None if item is None else _checked(item, values)


def _with_subject(item: Picked, said: Sequence[Sentence], at: int) -> Picked | None:
    """The item with the sentence before it where it begins with a pronoun: "it costs 73 euros". None of a mere part of
    a sentence, and of what the assistant tells, where there is none.
    """
    one = said[at]
    if item.text != one.piece.text or not refers(item.text):
        return item
    if at and _joins(said[at - 1], one) and said[at - 1].content:
        return _joined(item, said[at - 1], one) if item.kind == "fact" or not one.piece.begins else item
    return item if one.piece.begins and (one.message.role == "user" or item.kind != "fact") else None


def _bars(one: Sentence, before: Sequence[Sentence]) -> bool:
    """Whether a short message keeps something out: "no dairy". What answers an offer does not."""
    match = next(moved(one.said, "bars"), None)
    return (
        match is not None
        and bool(one.content)
        and len(one.said) <= _SHORT
        and one.said[match.end :][:1] not in {(), (MARK,)}
        and not (one.asks or one.hostile or _trapped(one))
        and not (before and before[-1].asks and moves(before[-1].said, "offer"))
    )


def _trapped(one: Sentence) -> bool:
    """Whether the words only look like a sign: "no problem"."""
    return not {"constraint", "refusal"} & kinds(one.said).keys()


def _part(one: Sentence, kind: ItemKind, values: Values) -> Sentence:
    """The sentence without clauses that only tell slots, as far as what is left is of the same kind."""
    if kind not in WILL:
        return one
    start, end = trimmed(one.piece.text, values, one.message.id)
    if end - start == len(one.piece.text):
        return one
    text = one.piece.text[start:end]
    begin = one.piece.start + start
    part = Sentence(one.message, Piece(begin, begin + len(text), text, one.piece.begins and not start), words(text))
    tells = kinds(part.said).get(kind, 0.0) >= STRONG or moves(part.said, "bars")
    return part if tells and part.content else one


def _of(one: Sentence, kind: ItemKind, strength: float) -> Picked:
    return Picked(kind, one.piece.text, (one.message.id,), strength, one.said)


def _to(asked: Sentence, item: Picked) -> Picked:
    """The item as what the assistant asked, the user's words being its quote."""
    sources, said = (asked.message.id, *item.sources), (*asked.said, MARK, *item.said)
    return replace(item, text=asked.piece.text, sources=sources, said=said, quote=item.text)


def _kind(one: Sentence, found: dict[ItemKind, float]) -> tuple[ItemKind | None, float]:
    """The kind for which most speaks, and how much does."""
    if _QUOTED.search(one.piece.text):
        found["quote"] = found.get("quote", 0.0) + WEAK
    if _has_code(one.piece.text) or (_FIGURE.search(one.piece.text) and amount(one.content) >= 3):
        found["fact"] = found.get("fact", 0.0) + STRONG
    if not found:
        return None, 0.0
    mostly = max(found, key=lambda kind: (found[kind] >= STRONG, kind != "fact", found[kind], -ORDER.index(kind)))
    return mostly, found[mostly]


def _wishes(one: Sentence, kind: ItemKind) -> bool:
    """Whether a question of the user says something all the same: "could you make sure that …?"."""
    return kind == "open" or (moves(one.said, "request") and not moves(one.said, "checks"))


def _answer(one: Sentence, before: Sequence[Sentence], values: Values) -> Picked | None:
    """What a bare yes or no to a proposal of the assistant's decides. Questions about slots are not worth it."""
    if not before or len(one.said) > _SHORT or one.asks or len(one.content) > 1 or values.set_by(one.message.id):
        return None
    offered = before[-1]
    refuses = kinds(one.said).get("refusal", 0.0)
    if not refuses and not moves(one.said, "yes"):
        return None
    if (
        not moves(offered.said, "offer")
        or moves(offered.said, "checks")
        or offered.hostile
        or len(values.rest(offered.said)) < 2
    ):
        return None
    if refuses:
        return _to(offered, _of(one, "refusal", max(refuses, STRONG)))
    return _to(offered, _of(one, "decision", STRONG)) if offered.asks else None


def _with_context(
    item: Picked, said: Sequence[Sentence], at: int, before: Sequence[Sentence], values: Values
) -> Picked | None:
    """The item with what it speaks of, where its own words hardly tell: the sentence before it in the message, the one
    of the assistant that it answers, or the one behind it. None where there is nothing, or where a slot took it.
    """
    one = said[at]
    if len(one.content) >= 2 or (one.content and item.kind in {"fact", "quote"}):
        return item
    if values.set_by(one.message.id):
        return None
    if at and said[at - 1].piece.begins and _speaks(said[at - 1], values) and _joins(said[at - 1], one):
        return _joined(item, said[at - 1], one)
    if at == 0 and before and not before[-1].hostile and len(before[-1].content) >= 2:
        return _to(before[-1], item)
    if at + 1 < len(said) and _speaks(said[at + 1], values) and _joins(one, said[at + 1]):
        return _joined(item, one, said[at + 1])
    return item if one.content else None


def _speaks(one: Sentence, values: Values) -> bool:
    """Whether a sentence speaks of something beside the slots."""
    return bool(one.content) and not values.tell(one.said, one.message.id)


def _joins(one: Sentence, other: Sentence) -> bool:
    """Whether two sentences that follow each other make an item together."""
    return other.piece.end - one.piece.start <= LONGEST and not one.hostile and not other.hostile


def _joined(item: Picked, one: Sentence, other: Sentence) -> Picked:
    text = one.message.text[one.piece.start : other.piece.end]
    return replace(item, text=text, said=(*one.said, MARK, *other.said))


def _checked(item: Picked, values: Values) -> Picked:
    """The item with the slot that it names, or why a slot speaks against it."""
    if item.kind == "refusal":
        return item
    outdated, path = values.outdated(item.said), values.path(item.said)
    if (outdated is None and path is None) or values.goes_beyond(item.said, item.kind, path or outdated):
        return item
    return replace(item, path=path, outdated=None if outdated is None else values.reason(outdated))


def _by_assistant(one: Sentence, values: Values) -> Picked | None:
    """What the assistant tells: that something failed or is still open, and figures."""
    found = kinds(one.said)
    failed, waits = found.get("failed", 0.0), found.get("open", 0.0)
    fact = found.get("fact", 0.0) + found.get("constraint", 0.0) if _FIGURE.search(one.piece.text) else 0.0
    if _has_code(one.piece.text):
        fact += STRONG
    told: tuple[tuple[ItemKind, float], ...] = (("failed", failed), ("open", waits), ("fact", fact))
    kind, strength = max(told, key=lambda pair: pair[1])
    if strength < STRONG or one.asks or one.hostile or len(one.content) < 2 or values.tell(one.said, one.message.id):
        return None
    return _checked(_of(one, kind, strength), values)
