"""One value against one slot: brought to canonical form, compared, and followed back to the words it came from."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, time
from decimal import Decimal, InvalidOperation
from enum import Enum
from functools import lru_cache
from typing import Any, Final, Literal

from pydantic import BaseModel, ValidationError
from pydantic_core import to_jsonable_python

from slotstate.errors import InvalidValue
from slotstate.messages import storable
from slotstate.parsing import (
    Folded,
    Found,
    Span,
    asks,
    asks_back,
    currencies_in,
    denied,
    find_all,
    find_dates,
    find_datetimes,
    find_durations,
    find_emails,
    find_money,
    find_numbers,
    find_phones,
    find_times,
    fold,
    given_up,
    looks_back,
    negated,
    negates,
    same_text,
    telling,
    tells_back,
    words_after,
    words_before,
    yes_no,
)
from slotstate.parsing import find as find_in
from slotstate.slots import Json, Kind, SlotSpec

_SPACES = re.compile(" +")
_ATTACHED = "+#%"
"""Symbols that belong to the word before them: "C" does not stand in "C++", nor "20" in "20%"."""


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
        told = f" (got {_clipped(value)})" if not spec.slot.sensitive else ""
        raise InvalidValue(spec.path, f"may be {' or '.join(map(_told, open_))}{told}; write it as {FORMS[spec.kind]}")
    raise problem or InvalidValue(spec.path, "is no value of this slot")


def _open_readings(spec: SlotSpec, value: str, reading: Reading) -> list[Json]:
    """What a text that says one thing leaves open: morning or afternoon."""
    finder = _FINDERS.get(spec.kind)
    founds = finder(fold(value), reading) if finder is not None and spec.kind in FORMS else []
    return list(_accepted(spec, founds[0].values, reading)) if len(founds) == 1 else []


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
    finder = _FINDERS.get(spec.kind)
    if finder is not None:
        for found in finder(folded, reading):
            values = tuple(_accepted(spec, found.values, reading))
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


def _accepted(spec: SlotSpec, values: Iterable[Any], reading: Reading) -> Iterable[Json]:
    for value in values:
        try:
            yield canonical(check(spec, value), reading)
        except InvalidValue:
            continue


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
    finder = _FINDERS.get(spec.kind)
    if spec.kind == "boolean":
        answer = yes_no(fold(value))
        return [] if answer is None else [answer]
    if finder is None:
        return []
    founds = finder(fold(value), reading)
    return [founds[0].value] if len(founds) == 1 and not founds[0].ambiguous else []


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


_FINDERS: Mapping[Kind, Callable[[Folded, Reading], list[Found[Any]]]] = {
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


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        return Decimal("NaN")


_NOUNS: Final[Mapping[Kind, str]] = {
    "integer": "a whole number",
    "number": "a number",
    "decimal": "a number",
    "money": "an amount of money",
    "text": "text",
    "email": "an email",
}


def _noun(spec: SlotSpec) -> str:
    return _NOUNS.get(spec.kind, f"a {spec.kind}")


def _explain(error: ValidationError, spec: SlotSpec) -> str:
    """The first problem that Pydantic names, without its wrapping, with what was given where that may be shown. Of what
    is not of the slot's kind at all: how values of the kind are written.
    """
    first, shown = error.errors(include_url=False)[0], not spec.slot.sensitive
    where = ".".join(str(part) for part in first["loc"] if part != "value")
    if not where and spec.kind in FORMS and first["type"].endswith(("_parsing", "_type")):
        given = f" (got {_clipped(first['input'])})" if shown else ""
        return f"is not {_noun(spec)}{given}; write it as {FORMS[spec.kind]}"
    text = first["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
    text = f"{where}: " * bool(where) + text[:1].lower() + text[1:]
    return f"{text} (got {_clipped(first['input'])})" if shown else text


def _told(value: Json) -> str:
    return " ".join(map(str, value.values())) if isinstance(value, Mapping) else str(value)


def _clipped(value: object) -> str:
    given = _written(value)
    return given if len(given) <= 60 else given[:57] + "…'"


def _written(value: object) -> str:
    """`repr`, for whole numbers that Python refuses to write out too."""
    try:
        return repr(value)
    except ValueError:
        return "a number of thousands of digits"
