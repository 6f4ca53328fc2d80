"""Gold values: what a dialogue tells that a slot holds, and where and whether words say so."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from slotstate.errors import InvalidValue
from slotstate.extractors.builtin.learned.known import ANY
from slotstate.extractors.builtin.learned.words import TYPED, options_for, plain
from slotstate.parsing import Span
from slotstate.slots import SlotSpec
from slotstate.values import Reading, find, normalise, same

Gold = Mapping[str, Sequence[str]]
"""By path, the ways of writing the value that the slot holds; "dontcare" for no preference."""
NO_WORDS: Final = frozenset({"dontcare", "True", "False", "true", "false"})
"""Forms of values that nobody says."""


def items_of(form: str) -> list[str]:
    """The items of a list: an array of JSON, as sessions write it, or words with spaces between, as corpora do."""
    array = _json(form) if form.startswith("[") else None
    return [str(item) for item in array] if isinstance(array, list) else form.split()


def value_of(spec: SlotSpec, form: str, now: datetime) -> Any:
    """The value that a typed slot holds for words, None where they are no such value: corpora have misprints."""
    told = _json(form) if spec.kind == "money" and form.startswith("{") else None
    try:
        return normalise(spec, form if told is None else told, Reading(now))
    except InvalidValue:
        return None


def canonical(spec: SlotSpec, form: str, now: datetime) -> Any:
    """The form in which a typed slot holds words; the words themselves where they are no such value."""
    value = value_of(spec, form, now)
    return form if value is None else value


def is_right(spec: SlotSpec, value: str, gold: Gold, now: datetime, held: Any = None) -> bool:
    """Whether a value is the gold one of its slot. `held` is its canonical form where that is known: what was said of
    another day or in the past is not worked out from its words again.
    """
    values = gold.get(spec.path, ())
    if value == ANY:
        return list(values[:1]) == ["dontcare"]
    if spec.kind == "list":
        return any(plain(value) in {plain(item) for item in (one, *items_of(one))} for one in values)
    if any(plain(one) == plain(value) for one in values):
        return True
    if spec.kind not in TYPED:
        return False
    mine = canonical(spec, value, now) if held is None else held
    return any(_alike(spec, canonical(spec, one, now), mine) for one in values)


def places(spec: SlotSpec, text: str, forms: Sequence[str], now: datetime, seen: Sequence[Span] = ()) -> list[Span]:
    """Where a value stands in a text: in the first of its forms that does, of a date, an amount and their like in any
    words that say it. Of the stretches in `seen` those that say just that are taken.
    """
    found = list(_written(text, forms))
    if found or spec.kind not in TYPED or options_for(spec) is not None or list(forms[:1]) == ["dontcare"]:
        return found
    golds = [canonical(spec, one, now) for one in forms]
    told = [span for span in seen if _is_one(spec, canonical(spec, text[slice(*span)], now), golds)]
    if told:
        return told[:2]
    readings = find(spec, text, Reading(now))
    return [one.span for one in readings if any(_is_one(spec, value, golds) for value in one.values)][:2]


def _is_one(spec: SlotSpec, value: Any, golds: Sequence[Any]) -> bool:
    return any(_alike(spec, value, gold) for gold in golds)


def _alike(spec: SlotSpec, one: Any, other: Any) -> bool:
    """Whether two values are the same; words that are no value of the slot are only like themselves."""
    unread = spec.kind == "money" and not (isinstance(one, Mapping) and isinstance(other, Mapping))
    try:
        return bool(one == other) if unread else same(spec, one, other)
    except ValueError:  # words in the place of a date
        return bool(one == other)


def _written(text: str, forms: Sequence[str]) -> Iterator[Span]:
    for form in forms:
        edge = r"\b" if re.match(r"[A-Za-z0-9]", form) and not re.search(r"[\u3400-\u9fff]", text) else ""
        found = [match.span() for match in re.finditer(f"{edge}{re.escape(form)}{edge}", text, re.IGNORECASE)]
        if found and form not in NO_WORDS:
            yield from found[:2]
            return


def _json(form: str) -> Any:
    try:
        return json.loads(form)
    except ValueError:
        return None
