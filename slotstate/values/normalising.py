"""What a model, a tool or a person gives for a slot, brought to canonical form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from slotstate.errors import InvalidValue
from slotstate.messages import storable
from slotstate.parsing import fold, same_text, yes_no
from slotstate.slots import Json, SlotSpec
from slotstate.values.checking import FORMS, as_words, canonical, check, clipped, is_plain_number
from slotstate.values.comparing import distinct
from slotstate.values.reading import FINDERS, Reading, spellings


def normalise(spec: SlotSpec, value: Any, reading: Reading) -> Json:
    """The canonical JSON form of `value` for this slot.

    Accepts what the slot's type accepts, else what a person would write for it ("3 March", "two", "nonstop" as an
    alias). Raises InvalidValue. None is never a value; in composites and maps a null part is left out.
    """
    try:
        return _normalise(spec, value, reading)
    except InvalidValue:
        raise
    except RecursionError:
        raise InvalidValue(spec.path, "is nested too deeply") from None
    except Exception as error:  # any object may be given, also one that breaks what touches it
        raise InvalidValue(spec.path, f"is no value that can be read ({type(error).__name__})") from None


def _normalise(spec: SlotSpec, value: Any, reading: Reading) -> Json:
    if value is None:
        raise InvalidValue(spec.path, "null is not a value; leave the change out, or clear the slot")
    if spec.kind in {"composite", "map"}:
        return _normalise_parts(spec, value, reading)
    if spec.kind == "list":
        return _normalise_list(spec, value, reading)
    tries: list[Any] = [value]
    if isinstance(value, str) and not isinstance(value, Enum):
        value = storable(value)
        tries = [
            *_named(spec, value),
            *([value] if _says_itself(spec, value) else []),
            *_readings(spec, value, reading),
        ]
    elif spec.kind in {"text", "phone", "categorical"} and is_plain_number(value):
        tries = [value, str(value)]
    problem: InvalidValue | None = None
    for candidate in tries or [value]:
        try:
            return canonical(check(spec, candidate), reading)
        except InvalidValue as error:
            problem = problem or error
    if isinstance(value, str) and len(open_ := _open_readings(spec, value, reading)) > 1:
        given = f" (got {clipped(value)})" if not spec.slot.sensitive else ""
        readings = " or ".join(map(as_words, open_))
        raise InvalidValue(spec.path, f"may be {readings}{given}; write it as {FORMS[spec.kind]}")
    raise problem or InvalidValue(spec.path, "is no value of this slot")


def _open_readings(spec: SlotSpec, value: str, reading: Reading) -> list[Json]:
    """What a text that says one thing leaves open: morning or afternoon."""
    finder = FINDERS.get(spec.kind)
    founds = finder(fold(value), reading) if finder is not None and spec.kind in FORMS else []
    return list(accepted(spec, founds[0].values, reading)) if len(founds) == 1 else []


def accepted(spec: SlotSpec, values: Iterable[Any], reading: Reading) -> Iterable[Json]:
    """Those of the values that the slot takes, canonical."""
    for value in values:
        try:
            yield canonical(check(spec, value), reading)
        except InvalidValue:
            continue


def _named(spec: SlotSpec, value: str) -> list[Json]:
    """Values that `value` names exactly: an option in any spelling, or an alias."""
    return [option for word, option in spellings(spec) if same_text(word, value)]


def _says_itself(spec: SlotSpec, value: str) -> bool:
    """Whether the text may be given to the slot's type as it is; Pydantic would read "1" as a date and as true."""
    if spec.kind in {"date", "datetime", "duration", "time"}:
        return not value.strip().lstrip("+-").replace(".", "", 1).isdigit()
    if spec.kind == "boolean":
        return value.strip().lower() in {"true", "false"}
    return True


def _readings(spec: SlotSpec, value: str, reading: Reading) -> list[Any]:
    """What the slot's parser makes of a whole text, when it says one thing only."""
    finder = FINDERS.get(spec.kind)
    if spec.kind == "boolean":
        answer = yes_no(fold(value))
        return [] if answer is None else [answer]
    if finder is None:
        return []
    founds = finder(fold(value), reading)
    return [founds[0].value] if len(founds) == 1 and not founds[0].ambiguous else []


def _normalise_parts(spec: SlotSpec, value: Any, reading: Reading) -> dict[str, Json]:
    if hasattr(value, "model_dump"):
        value = value.model_dump()
    if not isinstance(value, Mapping):
        raise InvalidValue(spec.path, f"must be an object with {', '.join(spec.fields) or 'text keys'}")
    parts: dict[str, Json] = {}
    for key, part in value.items():
        inner = spec.fields.get(key) if spec.kind == "composite" else spec.element
        if inner is None or not isinstance(key, str):
            raise InvalidValue(spec.path, f"has no field {key!r}")
        if not fold(key).text.strip():
            raise InvalidValue(spec.path, "a key must hold something that can be seen")
        if part is not None:
            parts[storable(key)] = normalise(inner, part, reading)
    if not parts:
        raise InvalidValue(spec.path, "must hold at least one part")
    return parts


def _normalise_list(spec: SlotSpec, value: Any, reading: Reading) -> list[Json]:
    if isinstance(value, list | tuple | set | frozenset):
        kept = distinct(spec.element, (normalise(spec.element, item, reading) for item in value))
    else:
        kept = [_lone_item(spec, value, reading)]
    if not kept:
        raise InvalidValue(spec.path, "must hold at least one item; to empty the list, clear it")
    return kept


def _lone_item(spec: SlotSpec, value: Any, reading: Reading) -> Json:
    try:
        return normalise(spec.element, value, reading)
    except InvalidValue as error:
        raise InvalidValue(error.path, f"{error.reason}; give several items as a list of them") from None
