"""What a change makes of a list, a composite or a map: the new value, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from slotstate.events import Reason
from slotstate.slots import UNSET, Json, SlotSpec
from slotstate.values import distinct, same


@dataclass(frozen=True, slots=True)
class Result:
    """The value that the slot would hold; UNSET when nothing is left. `reason` says why there is no result; `asked`
    holds the candidates when the words leave open which of them is meant.
    """

    value: Json = UNSET
    reason: Reason | None = None
    asked: tuple[Json, ...] = ()


def merge(spec: SlotSpec, held: Json, parts: Json) -> Json:
    """`held` with the given parts put in, fields inside fields too: what is absent stays."""
    if not isinstance(held, Mapping):
        return parts
    merged = dict(held)
    for key, part in parts.items():
        inner = spec.fields.get(key)
        merged[key] = merge(inner, merged.get(key), part) if inner is not None and inner.kind == "composite" else part
    return merged


def without(held: Json, field: str) -> Result:
    """`held` without one field."""
    if not isinstance(held, Mapping) or field not in held:
        return Result(reason="not_in_list")
    rest = {key: part for key, part in held.items() if key != field}
    return Result(rest or UNSET)


def has(spec: SlotSpec, items: Sequence[Json], item: Json) -> bool:
    """Whether a list holds an item."""
    return any(same(spec.element, one, item) for one in items)


def add(spec: SlotSpec, held: Json, items: Sequence[Json]) -> Result:
    """The list with `items` at its end, those it holds already left where they are."""
    before = list(held or ())
    return Result([*before, *distinct(spec.element, items, before)])


def remove(spec: SlotSpec, held: Json, items: Sequence[Json]) -> Result:
    """The list without `items`; an item that it does not hold is a mistake worth recording."""
    before = list(held or ())
    if distinct(spec.element, items, before):
        return Result(reason="not_in_list")
    return Result(distinct(spec.element, before, items) or UNSET)


def put(spec: SlotSpec, held: Json, items: Sequence[Json], replaces: bool) -> Result:
    """The list set to `items`. Without a word of replacement no held item is dropped: the items are added, and the
    user is asked which of the two was meant.
    """
    before = list(held or ())
    if replaces or not distinct(spec.element, before, items):
        return Result(list(items))
    union = add(spec, before, items).value
    return Result(union, asked=(union, list(items)))
