"""The strategies that ship: values fit, invalid values do not, words say what they should."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Annotated, Any

import pytest
from annotated_types import Len
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, StringConstraints, field_validator

from slotstate import Change, Slot
from slotstate.domains import Domains, compile_domain
from slotstate.errors import InputError, InvalidValue
from slotstate.slots import SlotSpec
from slotstate.testing import strategies
from slotstate.testing.kinds import NOW
from slotstate.testing.words import sayings
from slotstate.values import Reading, follows, normalise
from tests.promises.test_machine import Order, Returns

EASY = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
SPECS = [spec for model in (Order, Returns) for spec in compile_domain(model).slots.values()]
EVERY = pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.path)


class Limited(BaseModel):
    """Limits in all the ways that they can be written."""

    low: Annotated[int, Field(gt=3, lt=6)]
    steps: Annotated[int, Field(multiple_of=7, ge=10, le=50)]
    short: Annotated[str, StringConstraints(min_length=2, max_length=4, pattern=r"^[a-c]+$")]
    share: Annotated[float, Field(ge=0, le=0.5)]
    cents: Annotated[Decimal, Field(ge=1, le=2, decimal_places=1)]
    soon: Annotated[date, Field(ge=date(2030, 1, 1), le=date(2030, 1, 3))]
    two: Annotated[list[int], Len(2, 2)]
    maybe: Annotated[int, Field(le=-5)] | None = None
    odd: int

    @field_validator("odd")
    @classmethod
    def must_be_odd(cls, value: int) -> int:
        if value % 2 == 0:
            raise ValueError("must be odd")
        return value


@pytest.mark.parametrize("spec", [*SPECS, *compile_domain(Limited).slots.values()], ids=lambda spec: spec.path)
@EASY
@given(data=st.data())
def test_values_are_accepted_as_they_are(spec: SlotSpec, data: st.DataObject) -> None:
    value = data.draw(strategies.values(spec))
    assert normalise(spec, value, Reading(NOW)) == value


@pytest.mark.parametrize(
    ("name", "holds"),
    [
        ("low", lambda value: value in (4, 5)),
        ("steps", lambda value: value in range(14, 50, 7)),
        ("short", lambda value: 2 <= len(value) <= 4 and set(value) <= set("abc")),
        ("share", lambda value: 0 <= value <= 0.5),
        ("cents", lambda value: 1 <= Decimal(value) <= 2),
        ("soon", lambda value: "2030-01-01" <= value <= "2030-01-03"),
        ("two", lambda value: len(value) == 2),
        ("maybe", lambda value: value <= -5),
        ("odd", lambda value: value % 2 == 1),
    ],
)
@EASY
@given(data=st.data())
def test_declared_limits_hold(name: str, holds: Any, data: st.DataObject) -> None:
    assert holds(data.draw(strategies.values(compile_domain(Limited).slots[name])))


@EVERY
@EASY
@given(data=st.data())
def test_invalid_values_are_refused(spec: SlotSpec, data: st.DataObject) -> None:
    value = data.draw(strategies.invalid_values(spec))
    with pytest.raises(InvalidValue):
        normalise(spec, value, Reading(NOW))


@EVERY
@EASY
@given(data=st.data())
def test_words_say_the_value(spec: SlotSpec, data: st.DataObject) -> None:
    value = data.draw(strategies.values(spec))
    assume(sayings(spec, value))
    words = data.draw(strategies.said(spec, value))
    assert words.quote in words.text
    assert follows(spec, value, words.quote, Reading(NOW))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("colour", "red"),
        ("count", 3),
        ("ship_on", "2025-04-01"),
        ("slot", "14:30"),
        ("within", "PT2H"),
        ("extras", ["box"]),
    ],
)
def test_common_values_can_be_said(path: str, value: Any) -> None:
    spec = compile_domain(Order).slots[path]
    assert sayings(spec, normalise(spec, value, Reading(NOW)))


def test_what_cannot_be_said_is_named() -> None:
    class Plain(BaseModel):
        sure: bool

    with pytest.raises(InputError, match=r"plain\.sure.*aliases"):
        strategies.said(compile_domain(Plain).slots["sure"], True)


class Picky(BaseModel):
    """A validator that no generator guesses."""

    word: Annotated[str, Slot()]
    known: Annotated[str, Slot(examples=["xyzzy"])]

    @field_validator("word", "known")
    @classmethod
    def only_the_magic_word(cls, value: str) -> str:
        if value != "xyzzy":
            raise ValueError("say the magic word")
        return value


def test_a_validator_that_refuses_everything_is_named_with_the_remedy() -> None:
    @settings(
        max_examples=1,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    )
    @given(strategies.values(compile_domain(Picky).slots["word"]))
    def draw(_: Any) -> None: ...

    with pytest.raises(InputError, match=r"picky\.word.*magic word.*examples"):
        draw()


@EASY
@given(strategies.values(compile_domain(Picky).slots["known"]))
def test_examples_help_where_generators_fail(value: str) -> None:
    assert value == "xyzzy"


@EASY
@given(strategies.changes(Domains([compile_domain(Order)])))
def test_changes_are_changes(change: Change) -> None:
    assert isinstance(change.path, str)
    assert change.quote is None or isinstance(change.quote, str)


@EASY
@given(strategies.turns(Order))
def test_turns_are_a_text_and_changes(turn: tuple[str, tuple[Change, ...]]) -> None:
    text, changes = turn
    assert isinstance(text, str)
    assert all(isinstance(one, Change) for one in changes)


@EASY
@given(strategies.domains())
def test_random_domains_hold_values(domains: Domains) -> None:
    assert 1 <= len(domains) <= 2
    assert all(spec.path.startswith(tuple(domains)) for spec in domains.specs.values())
