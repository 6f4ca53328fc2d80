"""Values of a slot in words: where they stand, and whether the words bear them out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from slotstate.parsing import (
    Folded,
    Found,
    Span,
    asks,
    denied,
    find_all,
    fold,
    given_up,
    negated,
    negates,
    telling,
    words_after,
    words_before,
    yes_no,
)
from slotstate.parsing import find as find_in
from slotstate.slots import Json, SlotSpec
from slotstate.values.comparing import same
from slotstate.values.normalising import accepted
from slotstate.values.reading import FINDERS, Reading, spellings

_SPACES = re.compile(" +")


_ATTACHED = "+#%"
"""Symbols that belong to the word before them: "C" does not stand in "C++", nor "20" in "20%"."""


def follows(spec: SlotSpec, value: Json, words: str, reading: Reading) -> bool:
    """Whether the canonical `value` can be derived from `words` alone: the same text, an alias, or the slot's parser.

    Words that leave the value open ("at 7" for 19:00) do not yield it. Every item of a list and every part of a
    composite must follow. A value that the words negate ("not Oslo") does not.
    """
    return place(spec, value, words, reading) is not None


def place(spec: SlotSpec, value: Json, words: str, reading: Reading) -> Span | None:
    """Where in `words` the value stands (original offsets), or None. A compound value spans its parts."""
    if spec.kind in {"list", "composite", "map"}:
        return _place_parts(spec, value, words, reading)
    if spec.kind == "text":
        return _place_text(spec, value, words, reading)
    for found in find(spec, words, reading):
        if not found.ambiguous and same(spec, found.value, value):
            return found.span
    return None


def stands_in(spec: SlotSpec, value: Json, words: str, reading: Reading) -> bool:
    """Whether `value` is among the readings of `words`: laxer than `follows`, for what an assistant said."""
    if spec.kind in {"list", "composite", "map"}:
        return _place_parts(spec, value, words, reading, stands_in) is not None
    if spec.kind == "text":
        return _place_text(spec, value, words, reading) is not None
    return any(same(spec, one, value) for found in find(spec, words, reading) for one in found.values)


def find(spec: SlotSpec, words: str, reading: Reading) -> list[Found[Json]]:
    """Every value of this scalar slot that `words` hold, canonical, as far as the slot's type says what to look for.

    Text slots name nothing to look for: for them `words` as a whole is the only candidate, see `place`.
    """
    folded = fold(words)
    founds = list(_find_named(spec, folded, reading))
    finder = FINDERS.get(spec.kind)
    if finder is not None:
        for found in finder(folded, reading):
            values = tuple(accepted(spec, found.values, reading))
            if values and not any(_overlap(found.span, other.span) for other in founds):
                founds.append(Found(found.span, values))
    if spec.kind == "boolean" and not founds:
        answer = yes_no(folded) if reading.asked else None
        founds += _feature(spec, folded) if answer is None else [Found((0, len(words)), (answer,))]
    return sorted(founds, key=lambda found: found.span)


def is_negated(spec: SlotSpec, folded: Folded, at: int, end: int | None = None) -> bool:
    """Whether the words around rule out what starts at offset `at` and ends at `end`. A word of the slot's own counts
    for nothing, be it the negation ("avoid London") or between it and the value ("not from York").
    """
    if end is not None and given_up(folded, end):
        return True
    if not negated(folded, at):
        return False
    before = fold(words_before(folded, at))
    own = [span for word in (spec.label, *spec.slot.cues) for span in find_all(word, before)]
    return not own or negates(_without(before.original, own), words_after(folded, at))


def _without(words: str, spans: Iterable[Span]) -> str:
    """Words without some stretches, single spaces between them."""
    gone = {at for start, end in spans for at in range(start, end)}
    return _SPACES.sub(" ", "".join(char for at, char in enumerate(words) if at not in gone))


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _find_named(spec: SlotSpec, folded: Folded, reading: Reading) -> Iterable[Found[Json]]:
    """Options and aliases that stand in the text, the longest first, none inside another, none negated."""
    taken: list[Span] = []
    for word, value in spellings(spec):
        for span in find_all(word, folded, _ATTACHED):
            if any(_overlap(span, other) for other in taken):
                continue
            taken.append(span)
            no = is_negated(spec, folded, *span)
            if spec.kind == "boolean" and no:
                yield Found(span, (not value,))
            elif reading.negated or not no:
                yield Found(span, (value,))


def _feature(spec: SlotSpec, folded: Folded) -> list[Found[Json]]:
    """A yes/no slot by its own name ("wifi", "no parking"), not where the words ask for it."""
    if asks(folded):
        return []
    for word in (spec.label, *spec.slot.cues):
        span = find_in(word, folded) if telling(word) else None
        if span is not None:
            return [Found(span, (not (denied(folded, span[0]) or given_up(folded, span[1])),))]
    return []


def _place_parts(
    spec: SlotSpec,
    value: Json,
    words: str,
    reading: Reading,
    stands: Callable[[SlotSpec, Json, str, Reading], object] = place,
) -> Span | None:
    if spec.kind == "list":
        parts = [(spec.element, one) for one in value]
    elif spec.kind == "map":
        parts = [(spec.element, one) for one in value.values()]
    else:
        parts = [(spec.fields[key], one) for key, one in value.items()]
    if not parts or not all(stands(inner, one, words, reading) for inner, one in parts):
        return None
    return 0, len(words)


def _place_text(spec: SlotSpec, value: Json, words: str, reading: Reading) -> Span | None:
    folded = fold(words)
    named = [word for word, option in spellings(spec) if option == value]
    for word in (str(value), *named):
        for span in find_all(word, folded, _ATTACHED):
            if reading.negated or not is_negated(spec, folded, *span):
                return span
    return None
