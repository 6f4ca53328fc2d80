"""The shipped machine on domains with every kind and option, on random domains, and what a user sees of it."""

from __future__ import annotations

import subprocess
import sys
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from functools import partial
from typing import Annotated, Literal

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from slotstate import Email, Money, Phone, Slot
from slotstate.domains import Domains
from slotstate.testing import PromiseMachine, check_promises, promises_for, strategies
from slotstate.testing.laws import broken_laws
from tests.promises.talk import Support, Talk, Trip

SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large, HealthCheck.nested_given]
SMALL = settings(max_examples=25, deadline=None, suppress_health_check=SLOW)


UNSHRUNK = settings(derandomize=True, database=None, phases=[Phase.generate], report_multiple_bugs=False)


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Address(BaseModel):
    street: str
    number: Annotated[int, Field(ge=1)]
    place: Annotated[Literal["town", "village"] | None, Slot(aliases={"town": ["市区"]})] = None


class Order(BaseModel):
    """Every kind of value there is."""

    text: Annotated[str | None, Slot(dont_care=True, confirm="explicit")]
    colour: Annotated[Colour | None, Slot(aliases={"red": ["crimson"]}, confirm="implicit")] = None
    gift: Annotated[bool | None, Slot(ask="Is it a gift?", aliases={"true": ["wrapped"], "false": ["unwrapped"]})] = (
        None
    )
    count: Annotated[int, Field(ge=1, le=20), Slot(confirm="implicit", ttl=timedelta(hours=1))]
    weight: Annotated[float | None, Slot(evidence="user")] = None
    price: Annotated[Decimal | None, Field(ge=0), Slot(evidence="tool")] = None
    budget: Annotated[Money | None, Slot(dont_care=True)] = None
    ship_on: Annotated[date | None, Slot(share="day", ttl=timedelta(days=2))] = None
    slot: Annotated[time | None, Slot()] = None
    since: Annotated[datetime | None, Slot()] = None
    within: Annotated[timedelta | None, Slot(confirm="implicit")] = None
    phone: Annotated[Phone | None, Slot(sensitive=True)] = None
    mail: Annotated[Email | None, Slot()] = None
    extras: Annotated[list[Literal["ribbon", "card", "box"]] | None, Slot(dont_care=True)] = None
    notes: Annotated[list[str], Field(max_length=3), Slot()] = []
    address: Annotated[Address | None, Slot(confirm="implicit")] = None
    stock: Annotated[dict[str, int], Slot()] = {}


class Returns(BaseModel):
    """Send something back."""

    code: Annotated[str, Field(pattern=r"^[A-Z]{2}[0-9]{4}$"), Slot()]
    sent_on: Annotated[date | None, Slot(share="day", confirm="implicit")] = None


TestEveryKind = promises_for(Order, Returns, max_examples=40)
TestTrip = promises_for(Trip, Support, max_examples=25)


@settings(max_examples=8, deadline=None, phases=[Phase.generate], suppress_health_check=SLOW)
@given(strategies.domains())
def test_the_promises_hold_on_random_domains(domains: Domains) -> None:
    check_promises(
        domains, max_examples=4, steps=15, settings=settings(derandomize=True, database=None, phases=[Phase.generate])
    )


@settings(SMALL, max_examples=60)
@given(st.data())
def test_the_laws_hold_in_any_conversation(data: st.DataObject) -> None:
    talk = Talk(Order, Returns)
    domains = talk.chat.domains
    for _ in range(3):
        text, changes = data.draw(strategies.turns(domains))
        assert broken_laws(talk.chat, partial(talk.says, text, *changes)) == []
        spec = data.draw(st.sampled_from(list(domains.specs.values())))
        talk.chat.set(spec.path, data.draw(strategies.values(spec)), confirmed=True)


def test_a_failure_tells_its_story(monkeypatch: pytest.MonkeyPatch) -> None:
    from slotstate import state

    monkeypatch.setattr(state, "_remembered", lambda slot, step: slot.history)
    with pytest.raises(AssertionError) as caught:
        check_promises(Returns, steps=8, settings=UNSHRUNK)
    story = str(caught.value)
    assert "The story:" in story
    assert "application: undo" in story
    assert "undo" in story.splitlines()[0]


def test_a_crash_tells_its_story_too(monkeypatch: pytest.MonkeyPatch) -> None:
    from slotstate import state

    monkeypatch.setattr(state, "_undo", lambda slot, event: 1 / 0)
    with pytest.raises(ZeroDivisionError) as caught:
        check_promises(Returns, steps=8, settings=UNSHRUNK)
    assert any("The story:" in note and "undo" in note for note in caught.value.__notes__)


def test_a_machine_can_be_written_out() -> None:
    assert issubclass(PromiseMachine.TestCase, object)
    case = promises_for(Support, max_examples=3, steps=4)
    assert (case.settings.max_examples, case.settings.stateful_step_count) == (3, 4)  # type: ignore[attr-defined]


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)


def test_the_scripted_extractor_needs_neither_hypothesis_nor_pytest() -> None:
    done = run_python(
        "import sys; from slotstate.testing import ScriptedExtractor, change;"
        "print([name for name in ('hypothesis', 'pytest') if name in sys.modules])"
    )
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


@pytest.mark.parametrize("name", ["promises_for", "check_promises", "PromiseMachine", "strategies"])
def test_a_missing_hypothesis_is_named_with_its_extra(name: str) -> None:
    done = run_python(
        f"import sys; sys.modules['hypothesis'] = None\n"
        f"from slotstate import MissingExtra\n"
        f"try:\n    from slotstate.testing import {name}\n"
        f"except MissingExtra as error: print(error)"
    )
    assert "slotstate[test]" in done.stdout, done.stderr


def test_an_unknown_name_is_an_attribute_error() -> None:
    done = run_python("from slotstate.testing import no_such_thing")
    assert "ImportError: cannot import name 'no_such_thing'" in done.stderr
