"""Whether values of a slot mean the same."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from datetime import datetime
from decimal import Decimal, InvalidOperation

from slotstate.parsing import fold
from slotstate.slots import Json, SlotSpec


def same(spec: SlotSpec, one: Json, other: Json) -> bool:
    """Whether two canonical values mean the same to this slot (case, spelling of numbers and zones aside)."""
    if _form(one) is not _form(other):
        return False
    return bool(one == other) or identity(spec, one) == identity(spec, other)


def identity(spec: SlotSpec, value: Json) -> Hashable:
    """What canonical values have in common that are the `same`, and others have not: for many at a time."""
    match spec.kind:
        case "text" | "email":
            return fold(value).text.strip()
        case "decimal":
            return _decimal(value)
        case "money":
            return value["currency"], _decimal(value["value"])
        case "datetime":
            return datetime.fromisoformat(value)
        case "list":
            return tuple(identity(spec.element, one) for one in value)
        case "composite":
            return frozenset((key, identity(spec.fields[key], part)) for key, part in value.items())
        case "map":
            return frozenset((key, identity(spec.element, part)) for key, part in value.items())
        case _:
            return _form(value), value


def distinct(spec: SlotSpec, values: Iterable[Json], known: Iterable[Json] = ()) -> list[Json]:
    """The values without those that are the same as one before, or as one that is known."""
    seen = {identity(spec, value) for value in known}
    kept: list[Json] = []
    for value in values:
        key = identity(spec, value)
        if key not in seen:
            seen.add(key)
            kept.append(value)
    return kept


def _form(value: Json) -> type:
    """A value's JSON type: true is no 1, but a list that cannot be changed is a list."""
    return next((kind for kind in (list, dict) if isinstance(value, kind)), type(value))


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        return Decimal("NaN")
