"""Stories: what is said, how it is summed up, and the figures and names in it, each with what is wrong for it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, time
from typing import Any, Literal

from slotstate.events import ItemKind
from slotstate.slots import Json

Fault = Literal["digit", "unit", "date", "name"]


@dataclass(frozen=True)
class Story:
    """A small dialogue in several wordings (`turns`: who, and how), and the item that sums it up (`told`).

    `fields` are the kinds of its figures and names. With `slot` (path, field) a value is held; `before` are messages in
    which another one was told.
    """

    name: str
    kind: ItemKind
    turns: tuple[tuple[str, tuple[str, ...]], ...]
    told: tuple[str, ...]
    fields: Mapping[str, str] = field(default_factory=dict[str, str])
    denies: bool = False
    slot: tuple[str, str] | None = None
    before: tuple[str, ...] = ()


@dataclass(frozen=True)
class Value:
    """A value of a field: as it is said, as it is summed up, as a slot holds it, and wrong ones by kind."""

    said: tuple[str, ...]
    told: tuple[str, ...]
    held: Json
    wrong: Mapping[Fault, Callable[[random.Random], Value]] = field(default_factory=dict[Fault, Any])


Maker = Callable[[random.Random], Value]


def other(make: Callable[[Any], Value], pool: tuple[Any, ...], value: Any, kind: Fault) -> dict[Fault, Maker]:
    """A wrong value: another one of the pool."""
    return {kind: lambda dice: make(dice.choice([one for one in pool if one != value]))}


def names(pool: tuple[str, ...]) -> Maker:
    """Names, told as they are."""

    def make(name: str) -> Value:
        return Value((name,), (name,), name, other(make, pool, name, "name"))

    return lambda dice: make(dice.choice(pool))


def plain(pool: tuple[str, ...]) -> Maker:
    """Words that nothing is made wrong of."""

    def make(word: str) -> Value:
        return Value((word,), (word,), word)

    return lambda dice: make(dice.choice(pool))


def near(dice: random.Random, number: int) -> int:
    """A number with one digit changed or two exchanged."""
    while True:
        digits = list(str(number))
        at = dice.randrange(len(digits))
        if len(digits) > 1 and dice.random() < 0.3:
            with_other = dice.randrange(len(digits))
            digits[at], digits[with_other] = digits[with_other], digits[at]
        else:
            digits[at] = str(dice.randrange(10))
        found = int("".join(digits))
        if found not in (number, 0, 1) and digits[0] != "0":
            return found


def counts(pool: range, say: Callable[[int], tuple[str, ...]], tell: Callable[[int], tuple[str, ...]]) -> Maker:
    def make(number: int) -> Value:
        return Value(say(number), tell(number), number, {"digit": lambda dice: make(near(dice, number))})

    return lambda dice: make(dice.choice(pool))


def measured(
    pool: tuple[int, ...], units: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]], held: Any = None
) -> Maker:
    """An amount in one of several units: unit to how it is said and told ("{} km")."""

    def make(number: int, unit: str) -> Value:
        said, told = units[unit]
        return Value(
            tuple(form.format(number) for form in said),
            tuple(form.format(number) for form in told),
            {"value": str(number), "currency": unit} if len(unit) == 3 and unit.isupper() else f"{number} {unit}",
            {
                "digit": lambda dice: make(near(dice, number), unit),
                "unit": lambda dice: make(number, dice.choice([one for one in units if one != unit])),
            },
        )

    return lambda dice: make(dice.choice(pool), dice.choice(list(units)))


def dates(say: Callable[[date], tuple[str, ...]], tell: Callable[[date], tuple[str, ...]]) -> Maker:
    def make(day: date) -> Value:
        def wrong(dice: random.Random) -> Value:
            if dice.random() < 0.3:
                return make(day.replace(month=dice.choice([month for month in range(1, 13) if month != day.month])))
            return make(day.replace(day=dice.choice([at for at in range(1, 29) if at != day.day])))

        return Value(say(day), tell(day), day.isoformat(), {"date": wrong})

    return lambda dice: make(date(2025, dice.randint(1, 12), dice.randint(1, 28)))


def times(say: Callable[[time], tuple[str, ...]], tell: Callable[[time], tuple[str, ...]]) -> Maker:
    def make(at: time) -> Value:
        def wrong(dice: random.Random) -> Value:
            pool = [
                time(hour, minute)
                for hour in range(7, 23)
                for minute in (0, 15, 30, 45)
                if hour % 12 != at.hour % 12 or minute != at.minute
            ]
            return make(dice.choice(pool))

        return Value(say(at), tell(at), at.strftime("%H:%M"), {"digit": wrong})

    return lambda dice: make(time(dice.randint(7, 22), dice.choice((0, 15, 30, 45))))
