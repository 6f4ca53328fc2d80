"""What the present schema decides is never read as anything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal, Optional

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    EmailStr,
    Field,
    NonNegativeInt,
    PositiveInt,
    StringConstraints,
    conint,
    conlist,
    constr,
    field_validator,
)
from typing_extensions import TypeAliasType

from slotstate import DONTCARE, Change, Money, Phone, Slot, Tracker
from slotstate.domains import compile_domain, compile_domains
from slotstate.evolution import Reader
from slotstate.evolution.shapes import fits
from slotstate.slots import SlotSpec
from slotstate.stores.memory import MemoryStore
from slotstate.testing import ScriptedExtractor, strategies
from slotstate.testing.kinds import NOW
from slotstate.values import Reading, normalise
from tests.promises.test_machine import Order, Returns
from tests.promises.test_strategies import Limited

EASY = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
Score = TypeAliasType("Score", Annotated[int, Field(ge=1, le=9)])


class Color(Enum):
    RED = "red"


class Level(IntEnum):
    LOW = 1


class Dollars(Money):
    """In one currency."""

    pattern: str = ""


class Odd(BaseModel):
    """Slots that are declared in unusual ways."""

    model_config = {"str_strip_whitespace": True}

    upper: Annotated[str, StringConstraints(to_upper=True)]
    cut: Annotated[str, AfterValidator(lambda text: text[:3])]
    rounded: Annotated[Decimal, BeforeValidator(lambda value: round(Decimal(str(value)), 1))]
    some: set[Annotated[int, Field(ge=1)]]
    pair: tuple[Annotated[str, Field(max_length=9)], ...]
    more: Sequence[Annotated[Decimal, Field(gt=0)]]
    few: conlist(PositiveInt, max_length=2)  # type: ignore[valid-type]
    low: Optional[conint(le=5)] = None  # type: ignore[valid-type]  # noqa: UP045
    word: constr(pattern="^[a-z]+$") | None = None  # type: ignore[valid-type]
    many: NonNegativeInt = 0
    score: Score = 1
    scores: list[Score] = []
    mail: EmailStr | None = None
    color: Color = Color.RED
    level: Level = Level.LOW
    amounts: Mapping[str, Annotated[Decimal, Field(ge=0)]] = {}
    cost: Dollars | None = None
    stamp: Annotated[datetime, Field(gt=datetime(2000, 1, 1))] | None = None  # noqa: DTZ001
    literal: Annotated[Literal["a", 2], Field(description="either")] = "a"

    @field_validator("many", mode="before")
    @classmethod
    def dozens(cls, value: Any) -> Any:
        return 12 if value == "a dozen" else value


def _specs(*models: type[BaseModel]) -> list[SlotSpec]:
    return [spec for model in models for spec in compile_domain(model).slots.values()]


@pytest.mark.parametrize("spec", _specs(Order, Returns, Limited), ids=lambda spec: spec.path)
@EASY
@given(data=st.data())
def test_a_value_of_a_slot_fits_it(spec: SlotSpec, data: st.DataObject) -> None:
    assert fits(spec, data.draw(strategies.values(spec)), Reading(NOW))


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("upper", " muc "),
        ("cut", "Munich"),
        ("rounded", "4.44"),
        ("some", [3, 1]),
        ("pair", ["a", "b", "c"]),
        ("more", ["0.5"]),
        ("few", [1, 2]),
        ("low", 5),
        ("word", "abc"),
        ("many", "a dozen"),
        ("score", 9),
        ("scores", [1, 9]),
        ("mail", "Ada@Example.ORG"),
        ("color", "red"),
        ("level", 1),
        ("amounts", {"soup": "4.50"}),
        ("cost", {"value": "4", "currency": "USD", "pattern": "x"}),
        ("stamp", "2026-12-04T10:00:00"),
        ("literal", 2),
    ],
)
def test_so_does_one_of_an_unusual_slot(name: str, given: Any) -> None:
    spec = compile_domain(Odd).slots[name]
    value = normalise(spec, given, Reading(NOW))
    assert fits(spec, value, Reading(NOW))


@pytest.mark.parametrize(
    ("name", "value"),
    [("some", [0]), ("pair", ["much too long"]), ("few", [1, 2, 3]), ("low", 6), ("score", 10), ("scores", [10])],
)
def test_limits_are_found_where_they_are(name: str, value: Any) -> None:
    assert not fits(compile_domain(Odd).slots[name], value, Reading(NOW))


@EASY
@given(st.data())
def test_a_log_is_read_as_it_was_written(data: st.DataObject) -> None:
    domains = compile_domains([Order, Returns])
    turns: list[tuple[str, tuple[Change, ...]]] = data.draw(st.lists(strategies.turns(domains), max_size=6))
    store = MemoryStore()
    script = [changes for _, changes in turns]
    chat = Tracker(domains, store=store, extractor=ScriptedExtractor(script), clock=lambda: NOW).open("s")
    for text, _ in turns:
        chat.user(text)
        chat.assistant("Is that right?")
    for path, spec in domains.specs.items():
        chat.set(path, data.draw(strategies.values(spec)))
        if spec.slot.dont_care:
            chat.set(path, DONTCARE)
    chat.undo()
    chat.reset("order")
    reader = Reader(domains)
    assert all(reader.read(entry) is entry for entry in store.load("s"))


def test_phones_and_days_are_no_exception() -> None:
    class Case(BaseModel):
        phone: Phone
        day: Annotated[date, Slot(ask="When were you born?")]

    for name, words in (("phone", "+44 20 7946 0000"), ("day", "3 March 1990")):
        spec = compile_domain(Case).slots[name]
        assert fits(spec, normalise(spec, words, Reading(NOW)), Reading(NOW))
