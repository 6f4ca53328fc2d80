"""The shape of a slot's values: its kind, options and declared limits, without the functions that check a value too.

Those may look at the clock (a date that must lie ahead). What a log says would then change by itself; a shape does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import cache, lru_cache
from types import UnionType
from typing import Annotated, Any, Final, Union, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, create_model
from pydantic.fields import FieldInfo
from typing_extensions import TypeAliasType

from slotstate.errors import InvalidValue
from slotstate.slots import Email, Json, Kind, Money, Phone, SlotSpec
from slotstate.values import Reading, canonical, check

_TYPES: Final[dict[str, Any]] = {
    "text": str,
    "boolean": bool,
    "integer": int,
    "number": float,
    "decimal": Decimal,
    "money": Money,
    "date": date,
    "time": time,
    "datetime": datetime,
    "duration": timedelta,
    "phone": Phone,
    "email": Email,
    "list": list[Any],
}
_LIMITS: Final = {"Ge", "Gt", "Le", "Lt", "MultipleOf", "MinLen", "MaxLen", "Interval", "Len"}
_OPTIONS: Final = {"pattern", "max_digits", "decimal_places"}


@lru_cache(maxsize=4096)
def shape(spec: SlotSpec) -> SlotSpec:
    """The slot with nothing but its shape to check a value by."""
    if spec.kind != "money" and not limits(spec) and not config(spec):
        return replace(spec, model=_unlimited(spec.kind))
    kind: Any = bare(spec)
    for limit in limits(spec):
        kind = Annotated[kind, limit]
    return replace(spec, model=create_model("Shape", __config__=config(spec), value=(kind, ...)))


@cache
def _unlimited(kind: Kind) -> type[BaseModel]:
    """Made once: most slots are of a kind and nothing more, and a model takes a millisecond."""
    return create_model("Shape", value=(_TYPES.get(kind, Any), ...))


def config(spec: SlotSpec) -> ConfigDict:
    """What the model says of its texts: their case, their length, who reads their patterns."""
    rules = {key: value for key, value in spec.model.model_config.items() if key.startswith(("str_", "regex_"))}
    return cast(ConfigDict, rules)


def bare(spec: SlotSpec) -> Any:
    """The Python type; for money the declared one, whose currencies may be limited."""
    if spec.kind != "money":
        return _TYPES.get(spec.kind, Any)
    return next((part for part in _walk(spec) if isinstance(part, type) and issubclass(part, BaseModel)), Money)


@lru_cache(maxsize=4096)
def limits(spec: SlotSpec) -> tuple[Any, ...]:
    """The declared limits of a slot's values, as Pydantic's metadata."""
    found: list[Any] = []
    for part in _walk(spec):
        if isinstance(part, type):
            continue
        if isinstance(part, StringConstraints) or (
            type(part).__module__ == "annotated_types" and type(part).__name__ in _LIMITS
        ):
            found.append(part)
        elif options := {key: value for key, value in getattr(part, "__dict__", {}).items() if key in _OPTIONS}:
            found.append(Field(**options))
    return tuple(found)


def _walk(spec: SlotSpec) -> Iterator[Any]:
    """The parts of the slot's annotation: types and what was annotated to them, outside in."""
    info = spec.model.model_fields["value"]
    waiting: list[Any] = [*info.metadata, info.annotation]
    while waiting:
        part = waiting.pop(0)
        if isinstance(part, FieldInfo):
            waiting += part.metadata
        elif get_origin(part) is Annotated:
            waiting += [*part.__metadata__, part.__origin__]
        elif get_origin(part) in (Union, UnionType):
            waiting += get_args(part)
        elif isinstance(part, TypeAliasType):
            waiting.append(part.__value__)
        else:
            yield part  # what is inside a list has a slot of its own


@lru_cache(maxsize=4096)
def plain_type(spec: SlotSpec) -> type | None:
    """The type of canonical values, where every value of that type fits."""
    if spec.kind not in {"text", "boolean", "integer"} or limits(spec) or config(spec):
        return None
    return cast(type, _TYPES[spec.kind])


def fits(spec: SlotSpec, value: Json, reading: Reading) -> bool:
    """Whether a canonical value is one of this slot. What the slot's own functions accept is, whatever its shape."""
    if plain_type(spec) is type(value):
        return True
    match spec.kind:
        case "categorical":
            return any(value == option and type(value) is type(option) for option in spec.options)
        case "composite":
            return _is_object(value) and all(
                key in spec.fields and fits(spec.fields[key], part, reading) for key, part in value.items()
            )
        case "map":
            return _is_object(value) and all(fits(spec.element, part, reading) for part in value.values())
        case "list":
            return (
                isinstance(value, list)
                and bool(value)
                and all(fits(spec.element, part, reading) for part in value)
                and (not limits(spec) or _is_own(shape(spec), value, reading) or _is_own(spec, value, reading))
            )
        case _:
            return _is_own(shape(spec), value, reading) or _is_own(spec, value, reading)


def _is_object(value: Json) -> bool:
    return isinstance(value, dict) and bool(value)


def _is_own(spec: SlotSpec, value: Json, reading: Reading) -> bool:
    """Whether the value is what the slot would make of it."""
    try:
        again = canonical(check(spec, value), reading)
    except InvalidValue:
        return False
    return bool(again == value) and isinstance(value, type(again))
