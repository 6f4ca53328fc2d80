"""Lists of things with a count each ("two aubergines and one loaf"): items of one text and one number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slotstate.errors import InvalidValue
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.profile import NUMERIC, Profile
from slotstate.extractors.builtin.remains import is_name, is_no_answer, trimmed
from slotstate.extractors.builtin.words import inside
from slotstate.parsing import Span
from slotstate.parsing.matching import compiled
from slotstate.parsing.numbers import whole_counts
from slotstate.slots import Json, SlotSpec
from slotstate.values import normalise


def counted_items(turn: Context, one: Profile, taken: Sequence[Span]) -> list[tuple[Span, Json]]:
    """The items of an enumeration in which every part is a count and a name; none when one part is not."""
    fields = _fields(one.spec.element)
    meant = turn.is_asked(one) or turn.sole is one or one.is_named_in(turn.words.text)
    if fields is None or not meant or is_no_answer(turn) or turn.inquiries:
        return []
    items: list[tuple[Span, Json]] = []
    for part in _parts(turn):
        item = None if inside(part, taken) else _item(turn, one, part, *fields)
        if item is None:
            return []
        items.append(item)
    return items


def _fields(spec: SlotSpec) -> tuple[str, str] | None:
    """The names of the only text and the only number that an item has."""
    texts = [name for name, field in spec.fields.items() if field.kind == "text"]
    numbers = [name for name, field in spec.fields.items() if field.kind in NUMERIC]
    return (texts[0], numbers[0]) if len(texts) == len(numbers) == 1 and len(spec.fields) == 2 else None


def _parts(turn: Context) -> Iterator[Span]:
    joins = "|".join(f"(?:{lexicon.joins})" for lexicon in turn.words.languages)
    whole = trimmed(turn, (0, len(turn.words.text)))
    at = whole[0]
    for match in compiled(joins).finditer(turn.words.text, whole[0], whole[1]) if joins else ():
        yield at, match.start()
        at = match.end()
    yield at, whole[1]


def _item(turn: Context, one: Profile, part: Span, text: str, number: str) -> tuple[Span, Json] | None:
    start, end = trimmed(turn, part)
    counts = [hit for hit in whole_counts(turn.words.text[start:end]) if hit.start == 0]
    if len(counts) != 1:
        return None
    name = trimmed(turn, _past_counter(turn, start + counts[0].end, end))
    if name[1] <= name[0] or not is_name(turn, name, asked=False):
        return None
    given = {text: turn.words.original(name), number: int(counts[0].values[0])}
    try:
        return (start, name[1]), normalise(one.spec.element, given, turn.reading(one))
    except InvalidValue:
        return None


def _past_counter(turn: Context, start: int, end: int) -> Span:
    """Without the word that counts ("pieces of", 个)."""
    for lexicon in turn.words.languages:
        counter = compiled(lexicon.counter).match(turn.words.text, start, end)
        start = counter.end() if counter is not None else start
    return start, end
