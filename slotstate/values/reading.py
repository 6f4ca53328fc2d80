"""How words are read for a slot: which way dates look, which currency is meant, what its parser makes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal

from slotstate.parsing import (
    Folded,
    Found,
    asks_back,
    currencies_in,
    find_dates,
    find_datetimes,
    find_durations,
    find_emails,
    find_money,
    find_numbers,
    find_phones,
    find_times,
    fold,
    looks_back,
    tells_back,
)
from slotstate.slots import Json, Kind, SlotSpec


@dataclass(frozen=True, slots=True)
class Reading:
    """How words are to be read: `now` (aware, in the user's zone), which way a date without a year looks, whether the
    slot has just been asked (a bare "yes" then answers it), whether negated values count ("not Oslo" names Oslo), and
    the currency (ISO 4217 code) of a number that stands alone, where one is known.
    """

    now: datetime
    prefer: Literal["future", "past"] = "future"
    asked: bool = False
    negated: bool = False
    currency: str | None = None


def currency_of(spec: SlotSpec, question: str = "", held: Json = None) -> str | None:
    """The currency of a number that answers for the slot: the one that the question names, else that of what the slot
    holds, else the one that its declaration names in its question, description or examples. None where nothing tells
    it, or several are named.
    """
    if spec.kind != "money":
        return None
    if named := currencies_in(fold(question)):
        return named[0] if len(named) == 1 else None
    return str(held["currency"]) if isinstance(held, Mapping) else _declared_currency(spec)


@lru_cache(maxsize=1024)
def _declared_currency(spec: SlotSpec) -> str | None:
    told = (spec.slot.ask or "", spec.description, *spec.slot.examples, *spec.slot.cues)
    named = {code for text in told for code in currencies_in(fold(text))}
    return named.pop() if len(named) == 1 else None


def direction(spec: SlotSpec, question: str = "", words: str = "") -> Literal["future", "past"]:
    """Which way dates of the slot look: back, where its declaration, the question that it answers or the words about it
    speak of what is past; ahead else.
    """
    if spec.kind not in {"date", "datetime", "composite", "list", "map"}:
        return "future"
    back = _is_past(spec) or (bool(question) and asks_back(fold(question))) or tells_back(fold(words))
    return "past" if back else "future"


@lru_cache(maxsize=1024)
def _is_past(spec: SlotSpec) -> bool:
    declared = (spec.label, spec.slot.ask or "", spec.description, *spec.slot.cues)
    return any(looks_back(fold(text)) for text in declared if text)


@lru_cache(maxsize=1024)
def spellings(spec: SlotSpec) -> tuple[tuple[str, Json], ...]:
    """Words that stand for a value of the slot by declaration (options, aliases), the longest first."""
    words: list[tuple[str, Json]] = []
    for option in spec.options:
        words.append((str(option), option))
        words += [(alias, option) for alias in spec.slot.aliases.get(str(option), ())]
        if isinstance(option, str) and "_" in option:
            words.append((option.replace("_", " "), option))
    if spec.kind == "boolean":
        words += [(alias, key == "true") for key, aliases in spec.slot.aliases.items() for alias in aliases]
    if spec.kind == "text":
        words += [(alias, value) for value, aliases in spec.slot.aliases.items() for alias in aliases]
    return tuple(sorted(words, key=lambda pair: -len(pair[0])))


def _numbers(text: Folded, _: Reading) -> list[Found[Any]]:
    return [Found(found.span, found.values) for found in find_numbers(text)]


def _integers(text: Folded, _: Reading) -> list[Found[Any]]:
    whole = (
        (found.span, tuple(int(v) for v in found.values if v == v.to_integral_value())) for found in find_numbers(text)
    )
    return [Found(span, values) for span, values in whole if values]


def _floats(text: Folded, _: Reading) -> list[Found[Any]]:
    return [Found(found.span, tuple(float(value) for value in found.values)) for found in find_numbers(text)]


def _money(text: Folded, reading: Reading) -> list[Found[Any]]:
    amounts = [
        Found(found.span, tuple({"value": amount.value, "currency": amount.currency} for amount in found.values))
        for found in find_money(text)
    ]
    if amounts or reading.currency is None:
        return amounts
    return [
        Found(found.span, tuple({"value": value, "currency": reading.currency} for value in found.values))
        for found in find_numbers(text)
    ]


FINDERS: Mapping[Kind, Callable[[Folded, Reading], list[Found[Any]]]] = {
    "integer": _integers,
    "number": _floats,
    "decimal": _numbers,
    "money": _money,
    "date": lambda text, reading: list(find_dates(text, reading.now, reading.prefer)),
    "time": lambda text, reading: list(find_times(text)),
    "datetime": lambda text, reading: list(find_datetimes(text, reading.now, reading.prefer)),
    "duration": lambda text, reading: list(find_durations(text)),
    "phone": lambda text, reading: list(find_phones(text)),
    "email": lambda text, reading: list(find_emails(text)),
}
