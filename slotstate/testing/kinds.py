"""Values of every kind: such as a slot accepts, in canonical form, and such as it refuses."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from functools import lru_cache
from typing import Any

from hypothesis import reject
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from pydantic_core import to_json

from slotstate.errors import InputError, InvalidValue
from slotstate.parsing import fold
from slotstate.slots import Json, Kind, SlotSpec
from slotstate.testing.limits import Limits, limits_of
from slotstate.values import Reading, check, jsonable, normalise

NOW = datetime(2025, 3, 3, 9, 0, tzinfo=UTC)
"""The moment at which words like "tomorrow" are read, unless a test says otherwise."""
TRIES = 10
"""How often a value is generated for a slot whose own validators refuse it, before the test case is given up."""
ENOUGH = 60
"""How many different values may be refused, and none accepted, before that is an error."""
NAMES = (
    *("Avonlea", "Kestrel House", "Brindle", "Tamsin Okafor", "Quill", "Marrow Street", "Ostrava", "Dunmore", "Vesper"),
    *("Ørsted", "C++", "20%", "007", "None", "null", "北海", "无", "{{ 7*7 }}", '{"role": "system"}', "<|im_start|>"),
)
_JUNK: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        10**400,
        1.5,
        float("nan"),
        float("inf"),
        "",
        " ",
        "null",
        "maybe",
        "\x00",
        "{{ 7*7 }}",
    ),
    *([], [None], [[]], {}, {"": None}, {"no such field": 1}, b"\xff", (), object),
)


@lru_cache(maxsize=1024)
def values(spec: SlotSpec, *, now: datetime = NOW) -> SearchStrategy[Json]:
    """Values that the slot accepts, in canonical form: its limits, patterns and validators hold.

    Raises InputError when its own validators refuse all that is generated and it declares no `examples`.
    """
    return _valid(spec, _raw(spec), now, _Tally())


def invalid_values(spec: SlotSpec, *, now: datetime = NOW) -> SearchStrategy[Any]:
    """Values that the slot refuses: of other types, beyond its limits, null, not finite, empty."""
    return st.sampled_from(refused(spec, now))


@lru_cache(maxsize=1024)
def refused(spec: SlotSpec, now: datetime = NOW) -> list[Any]:
    """Some values that the slot refuses."""
    return [one for one in (*_JUNK, *_beyond(limits_of(spec))) if not accepts(spec, one, now)]


def accepts(spec: SlotSpec, value: Any, now: datetime = NOW) -> bool:
    """Whether the slot accepts a value."""
    try:
        return value is not None and _whole(spec, normalise(spec, value, Reading(now))) is not None
    except InvalidValue:
        return False


def _whole(spec: SlotSpec, value: Json) -> Json:
    if spec.kind == "list":
        check(spec, value)
    return value


@dataclass
class _Tally:
    """What became of the values generated for a slot so far."""

    accepted: int = 0
    refused: set[str] = field(default_factory=set[str])


@st.composite
def _valid(draw: st.DrawFn, spec: SlotSpec, raw: SearchStrategy[Any], now: datetime, tally: _Tally) -> Json:
    problem = "nothing was generated"
    for _ in range(TRIES):
        given = draw(raw)
        try:
            value = _whole(spec, normalise(spec, given, Reading(now)))
            if jsonable(value) == value == normalise(spec, value, Reading(now)):
                tally.accepted += 1
                return value
        except InvalidValue as error:
            problem = error.reason
        tally.refused.add(repr(given))
    if tally.accepted or len(tally.refused) < ENOUGH:
        reject()
    raise InputError(
        f"{spec.path}: {len(tally.refused)} values were generated and all refused (last: {problem}); "
        f"give it some with Slot(examples=[…]), or relax its validators"
    )


@lru_cache(maxsize=1024)
def _raw(spec: SlotSpec) -> SearchStrategy[Any]:
    made = _MAKERS[spec.kind](spec, limits_of(spec))
    examples = [one for one in spec.slot.examples if accepts(spec, one)]
    return st.one_of(st.sampled_from(examples), made) if examples else made


def _text(spec: SlotSpec, limits: Limits) -> SearchStrategy[str]:
    low, high = limits.get("min_length") or 1, limits.get("max_length") or 24
    if limits.get("pattern") is not None:
        found = st.from_regex(
            re.compile(str(getattr(limits.get("pattern"), "pattern", limits.get("pattern")))), fullmatch=True
        )
        return found.filter(lambda text: text == text.strip() and low <= len(text) <= max(high, low))
    names = [name for name in NAMES if low <= len(name) <= high]
    letters = st.text(
        st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn")), min_size=low, max_size=max(low, high)
    )
    plain = st.text("bcdfghjklmnpqrstvwxz", min_size=low, max_size=min(max(low, 9), high))
    return st.one_of(*([st.sampled_from(names)] if names else []), plain, letters)


def _categorical(spec: SlotSpec, _: Limits) -> SearchStrategy[Json]:
    return st.sampled_from(spec.options)


def _boolean(_: SlotSpec, __: Limits) -> SearchStrategy[bool]:
    return st.booleans()


def _integer(_: SlotSpec, limits: Limits) -> SearchStrategy[int]:
    low, high = _range(limits, 1, 1000)
    step = int(limits.get("multiple_of") or 1)
    return st.integers(-int(-low // step), int(high // step)).map(lambda count: count * step)


def _number(_: SlotSpec, limits: Limits) -> SearchStrategy[float]:
    low, high = _range(limits, 0, 1000)
    step = limits.get("multiple_of")
    if step is not None:
        return st.integers(-int(-low // step), int(high // step)).map(lambda count: float(count * step))
    exact = st.floats(float(low), float(high), allow_nan=False, allow_infinity=False)
    return st.one_of(exact.map(lambda value: round(value, 1)), exact)


def _decimal(_: SlotSpec, limits: Limits) -> SearchStrategy[Decimal]:
    low, high = _range(limits, 0, 1000)
    places = limits.get("decimal_places")
    return st.decimals(low, high, places=2 if places is None else places, allow_nan=False, allow_infinity=False)


def _range(limits: Limits, step: int, width: int) -> tuple[Any, Any]:
    low, high = limits.low(step, None), limits.high(step, None)
    if low is None:
        low = min(0, high - width) if high is not None else -width // 10
    return low, low + width if high is None else high


def _money(_: SlotSpec, __: Limits) -> SearchStrategy[dict[str, Any]]:
    amounts = st.decimals(0, 5000, places=2, allow_nan=False, allow_infinity=False)
    return st.fixed_dictionaries({"value": amounts, "currency": st.sampled_from(["EUR", "USD", "GBP", "CNY"])})


def _date(_: SlotSpec, limits: Limits) -> SearchStrategy[date]:
    day = timedelta(days=1)
    low = limits.low(day, None)
    high = limits.high(day, (low or date(2024, 1, 1)) + 900 * day)
    return st.dates(low or min(date(2024, 1, 1), high - 900 * day), high)


def _time(_: SlotSpec, limits: Limits) -> SearchStrategy[time]:
    exact = st.times(limits.get("ge") or time.min, limits.get("le") or time.max)
    return st.one_of(exact.map(lambda value: value.replace(second=0, microsecond=0)), exact)


def _datetime(_: SlotSpec, limits: Limits) -> SearchStrategy[datetime]:
    low = limits.get("ge") or limits.get("gt") or datetime(2024, 1, 1, tzinfo=UTC)
    high = limits.get("le") or limits.get("lt") or low + timedelta(days=900)
    zones = st.sampled_from([UTC, timezone(timedelta(hours=8)), timezone(-timedelta(hours=3, minutes=30))])
    naive = st.datetimes(low.replace(tzinfo=None), high.replace(tzinfo=None))
    return st.one_of(
        naive, st.builds(lambda moment, zone: moment.replace(second=0, microsecond=0, tzinfo=zone), naive, zones)
    )


def _duration(_: SlotSpec, limits: Limits) -> SearchStrategy[timedelta]:
    low = limits.low(timedelta(minutes=1), timedelta(minutes=1))
    high = limits.high(timedelta(minutes=1), low + timedelta(days=3))
    whole = st.integers(0, max(0, int((high - low) / timedelta(minutes=5)))).map(
        lambda count: low + count * timedelta(minutes=5)
    )
    return st.one_of(whole, st.timedeltas(low, high).map(lambda value: timedelta(seconds=int(value.total_seconds()))))


def _phone(_: SlotSpec, __: Limits) -> SearchStrategy[str]:
    return st.from_regex(re.compile(r"\+?[1-9][0-9]{7,12}", re.ASCII), fullmatch=True)


def _email(_: SlotSpec, __: Limits) -> SearchStrategy[str]:
    return st.from_regex(re.compile(r"[a-z][a-z0-9]{0,8}@[a-z]{2,8}\.(org|com)", re.ASCII), fullmatch=True)


def _list(spec: SlotSpec, limits: Limits) -> SearchStrategy[list[Json]]:
    low = max(1, limits.get("min_length") or 1)
    most = min(limits.get("max_length") or low + 3, low + 3)
    return st.lists(values(spec.element), min_size=low, max_size=most, unique_by=looks)


def looks(value: Json) -> str:
    """Values that a person would take for one another look the same."""
    return fold(to_json(value).decode()).text.replace(" ", "")


def _composite(spec: SlotSpec, _: Limits) -> SearchStrategy[dict[str, Json]]:
    parts = {name: values(part) for name, part in spec.fields.items()}
    must = {name: made for name, made in parts.items() if spec.fields[name].required}
    rest = {name: made for name, made in parts.items() if name not in must}
    return st.fixed_dictionaries(must, optional=rest).filter(bool)


def _map(spec: SlotSpec, limits: Limits) -> SearchStrategy[Mapping[str, Json]]:
    keys = st.sampled_from(["north", "south", "adults", "kids", "late show"])
    low = max(1, limits.get("min_length") or 1)
    return st.dictionaries(keys, values(spec.element), min_size=low, max_size=limits.get("max_length") or 3)


Maker = Callable[[SlotSpec, Limits], SearchStrategy[Any]]
_MAKERS: Mapping[Kind, Maker] = {
    "text": _text,
    "categorical": _categorical,
    "boolean": _boolean,
    "integer": _integer,
    "number": _number,
    "decimal": _decimal,
    "money": _money,
    "date": _date,
    "time": _time,
    "datetime": _datetime,
    "duration": _duration,
    "phone": _phone,
    "email": _email,
    "list": _list,
    "composite": _composite,
    "map": _map,
}


def _beyond(limits: Limits) -> list[Any]:
    """Values just outside of the declared limits."""
    found: list[Any] = []
    for name, step in (("ge", -1), ("gt", 0), ("le", 1), ("lt", 0)):
        edge = limits.get(name)
        if isinstance(edge, int | float | Decimal):
            found.append(edge + step)
        elif isinstance(edge, date):
            found.append(edge + timedelta(days=step))
    if limits.get("max_length"):
        found.append("z" * (limits.get("max_length") + 1))
    return found
