"""A value against the type of its slot, and its forms: canonical JSON, and Python."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime, time
from decimal import Decimal
from enum import Enum
from typing import Any, Final

from pydantic import BaseModel, ValidationError
from pydantic_core import to_jsonable_python

from slotstate.errors import InvalidValue
from slotstate.messages import storable
from slotstate.parsing import fold
from slotstate.slots import Json, Kind, SlotSpec
from slotstate.values.reading import Reading

FORMS: Final[Mapping[Kind, str]] = {
    "date": "YYYY-MM-DD",
    "time": "HH:MM",
    "datetime": "YYYY-MM-DDTHH:MM",
    "duration": "PT2H30M",
    "money": "an amount and its currency, like 120 EUR",
    "integer": "digits",
    "number": "digits",
    "decimal": "digits",
    "boolean": "true or false",
}
"""How values of a kind are written, so that they cannot be taken amiss."""


_MAX_BITS = 3_400
"""Of a whole number: some thousand digits."""


_NOUNS: Final[Mapping[Kind, str]] = {
    "integer": "a whole number",
    "number": "a number",
    "decimal": "a number",
    "money": "an amount of money",
    "text": "text",
    "email": "an email",
}


def is_plain_number(value: object) -> bool:
    """A number that a person would write down."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value.bit_length() <= _MAX_BITS
    return isinstance(value, float) and math.isfinite(value)


def check(spec: SlotSpec, value: Any) -> Any:
    """`value` as the slot's Python type, its limits and validators applied. Raises InvalidValue."""
    if isinstance(value, bool) and spec.kind not in {"boolean", "composite", "map", "list"}:
        raise InvalidValue(spec.path, f"must be {_noun(spec)}, not {str(value).lower()}")
    try:
        checked: Any = spec.model.__pydantic_validator__.validate_python({"value": value})
    except ValidationError as error:
        raise InvalidValue(spec.path, _explain(error, spec)) from None
    except Exception as error:  # a user's own validator may raise anything; the turn must go on
        raise InvalidValue(spec.path, f"its validator raised {type(error).__name__}: {error}") from None
    _check_size(spec, checked.value)
    if checked.value is None:
        raise InvalidValue(spec.path, "null is not a value")
    return checked.value


def _check_size(spec: SlotSpec, value: Any) -> None:
    """Refuse what no log can hold and no person can mean: endless numbers, texts in which nothing can be seen."""
    if isinstance(value, float | Decimal) and not math.isfinite(value):
        raise InvalidValue(spec.path, "must be a finite number")
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        raise InvalidValue(spec.path, "has too many digits")
    if isinstance(value, str) and not isinstance(value, Enum) and not fold(value).text.strip():
        raise InvalidValue(spec.path, "is empty; to empty the slot, clear it")


def canonical(checked: Any, reading: Reading) -> Json:
    """The JSON form in which a checked value is kept, logged and compared; a naive datetime is in the user's zone."""
    if isinstance(checked, datetime) and checked.tzinfo is None:
        checked = checked.replace(tzinfo=reading.now.tzinfo)
    return jsonable(checked)


def jsonable(value: Any) -> Json:
    """A Python value as the published contract writes it: Decimal "19.90", ISO dates, "HH:MM", "PT2H", offsets kept."""
    match value:
        case str() if not isinstance(value, Enum):
            return storable(value)
        case None | bool() | int() | float() if not isinstance(value, Enum):
            return value
        case Enum():
            return jsonable(value.value)
        case BaseModel():
            return {name: jsonable(getattr(value, name)) for name in type(value).model_fields}
        case Mapping():
            return {storable(str(key)): jsonable(part) for key, part in value.items()}
        case list() | tuple() | set() | frozenset():
            return [jsonable(part) for part in value]
        case datetime():
            return value.isoformat()
        case time():
            return value.isoformat("auto" if value.second or value.microsecond else "minutes")
        case _:
            return to_jsonable_python(value, timedelta_mode="iso8601")


def to_python(spec: SlotSpec, value: Json) -> Any:
    """The Python value (date, Decimal, Money, …) of a canonical JSON value; parts of composites stay in a dict."""
    if spec.kind in {"composite", "map"}:
        parts = spec.fields if spec.kind == "composite" else dict.fromkeys(value, spec.element)
        return {key: to_python(part, value[key]) for key, part in parts.items() if key in value}
    if spec.kind == "list":
        return [to_python(spec.element, one) for one in value]
    try:
        return check(spec, value)
    except InvalidValue:  # the schema moved on under a stored value: show it as it is kept
        return value


def _noun(spec: SlotSpec) -> str:
    return _NOUNS.get(spec.kind, f"a {spec.kind}")


def _explain(error: ValidationError, spec: SlotSpec) -> str:
    """The first problem that Pydantic names, without its wrapping, with what was given where that may be shown. Of what
    is not of the slot's kind at all: how values of the kind are written.
    """
    first, shown = error.errors(include_url=False)[0], not spec.slot.sensitive
    where = ".".join(str(part) for part in first["loc"] if part != "value")
    if not where and spec.kind in FORMS and first["type"].endswith(("_parsing", "_type")):
        given = f" (got {clipped(first['input'])})" if shown else ""
        return f"is not {_noun(spec)}{given}; write it as {FORMS[spec.kind]}"
    text = first["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
    text = f"{where}: " * bool(where) + text[:1].lower() + text[1:]
    return f"{text} (got {clipped(first['input'])})" if shown else text


def as_words(value: Json) -> str:
    """A canonical value for a message."""
    return " ".join(map(str, value.values())) if isinstance(value, Mapping) else str(value)


def clipped(value: object) -> str:
    """What was given, for a message: `repr` of at most 60 characters."""
    given = _written(value)
    return given if len(given) <= 60 else given[:57] + "…'"


def _written(value: object) -> str:
    """`repr`, for whole numbers that Python refuses to write out too."""
    try:
        return repr(value)
    except ValueError:
        return "a number of thousands of digits"
