"""A value that was logged under another schema, brought into the present one: as far as that is certain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from slotstate.errors import InvalidValue
from slotstate.evolution.shapes import fits, shape
from slotstate.parsing import bare_no, bare_yes, find_dates, fold, same_text
from slotstate.slots import UNSET, Json, SlotSpec
from slotstate.values import Reading, canonical, check, find, spellings

_NUMERIC: Final = {"integer", "number", "decimal", "text", "phone", "categorical"}
"""Kinds that a number can become; to others Pydantic would read it as seconds or as a day."""


@dataclass(frozen=True, slots=True)
class Fit:
    """What becomes of a value: what the slot can hold of it (UNSET: nothing), and the rest with the reason in one line;
    `why` is "" when all of it fits.
    """

    value: Json
    rest: Json = None
    why: str = ""


def fit(spec: SlotSpec, value: Json, reading: Reading) -> Fit:
    """A logged value as one of this slot. Parts of it that fit nowhere are left over, the others count.

    Converted is what can mean one thing only: another spelling of the same ("4" and 4, an alias, a date in words), one
    item and a list of it, fields by their names, present or earlier. Nothing is rounded, cut or guessed.
    """
    if fits(spec, value, reading):
        return Fit(value)
    match spec.kind:
        case "composite" | "map":
            found = _parts(spec, value, reading)
        case "list":
            found = _items(spec, value, reading)
        case _:
            found = _scalar(spec, value[0] if isinstance(value, list) and len(value) == 1 else value, reading)
    if found.value is UNSET or not fits(spec, found.value, reading):
        return Fit(UNSET, value, _why(spec))
    return found


def _why(spec: SlotSpec) -> str:
    if spec.kind == "categorical":
        return f"{spec.path}: no such option"
    if spec.kind == "composite":
        return f"{spec.path}: no such fields"
    return f"{spec.path}: no {spec.kind} within its limits"


def _parts(spec: SlotSpec, value: Json, reading: Reading) -> Fit:
    if not isinstance(value, dict):
        return Fit(UNSET)
    kept: dict[str, Json] = {}
    rest: dict[str, Json] = {}
    reasons: list[str] = []
    for key, part in sorted(value.items(), key=lambda item: item[0] not in spec.fields):
        name, inner = _field(spec, key)
        if inner is None or name in kept:
            rest[key] = part
            reasons.append(f"{spec.path}.{key}: no such field any more")
            continue
        found = fit(inner, part, reading)
        if found.value is not UNSET:
            kept[name] = found.value
        if found.why:
            rest[key] = found.rest
            reasons.append(found.why)
    return Fit(kept or UNSET, rest or None, "; ".join(reasons))


def _field(spec: SlotSpec, key: str) -> tuple[str, SlotSpec | None]:
    """The field that a key of a logged value means."""
    if spec.kind == "map":
        return key, spec.element
    if key in spec.fields:
        return key, spec.fields[key]
    return next(((name, one) for name, one in spec.fields.items() if key in one.slot.earlier), (key, None))


def _items(spec: SlotSpec, value: Json, reading: Reading) -> Fit:
    kept: list[Json] = []
    rest: list[Json] = []
    reasons: dict[str, None] = {}
    for item in value if isinstance(value, list) else [value]:
        found = fit(spec.element, item, reading)
        if found.value is not UNSET and found.value not in kept:
            kept.append(found.value)
        if found.why:
            rest.append(found.rest)
            reasons[found.why] = None
    return Fit(kept or UNSET, rest or None, "; ".join(reasons))


def _scalar(spec: SlotSpec, value: Json, reading: Reading) -> Fit:
    """The one value that it can mean, if there is exactly one."""
    plain, found = shape(spec), []
    for candidate in _meanings(plain, value, reading):
        if fits(spec, candidate, reading) and candidate not in found:
            found.append(candidate)
    return Fit(found[0]) if len(found) == 1 else Fit(UNSET)


def _meanings(spec: SlotSpec, value: Json, reading: Reading) -> Iterator[Json]:
    match value:
        case bool():
            yield from _answers(spec, value)
        case int() | float():
            if spec.kind in _NUMERIC:
                yield from _checked(spec, value, reading)
                yield from _checked(spec, str(value), reading)
        case str():
            yield from _read(spec, value, reading)
        case Mapping():
            yield from _checked(spec, value, reading)
        case _:
            return


def _answers(spec: SlotSpec, value: bool) -> Iterator[Json]:
    """The options that say yes or no."""
    says = bare_yes if value else bare_no
    yield from (option for option in spec.options if isinstance(option, str) and says(fold(option)))


def _read(spec: SlotSpec, value: str, reading: Reading) -> Iterator[Json]:
    """Words that are the value and nothing else."""
    named = [option for word, option in spellings(spec) if same_text(word, value)]
    if named:
        yield from named
        return
    if spec.kind == "boolean":
        yield from [True] * bare_yes(fold(value)) + [False] * bare_no(fold(value))
        yield from [value.lower() == "true"] * (value.lower() in {"true", "false"})
        return
    if _says_itself(spec, value):
        own = list(_checked(spec, value, reading))
        if own:
            yield from own
            return
    if spec.kind == "datetime" and not find_dates(fold(value), reading.now, reading.prefer):  # of which day?
        return
    founds = find(spec, value, reading)
    if len(founds) == 1 and not founds[0].ambiguous and value[slice(*founds[0].span)] == value.strip():
        yield founds[0].value


def _says_itself(spec: SlotSpec, value: str) -> bool:
    """Whether the type reads the text for what it says. Pydantic also takes "1" for a day, a day for its midnight, a
    time of day for a duration; and the digits of a day are no phone number.
    """
    text = value.strip()
    match spec.kind:
        case "date" | "time":
            return not text.lstrip("+-").replace(".", "").isdigit()
        case "datetime":
            return not text.lstrip("+-").replace(".", "").isdigit() and not _is_day(text)
        case "duration":
            return text.lstrip("+-").upper().startswith("P")
        case "phone":
            return not ("-" in text and _is_day(text))
        case _:
            return True


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _checked(spec: SlotSpec, value: Json, reading: Reading) -> Iterator[Json]:
    try:
        yield canonical(check(spec, value), reading)
    except InvalidValue:
        return
