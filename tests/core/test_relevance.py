"""What an extractor is shown where many domains are loaded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, create_model

from slotstate import Slot, Tracker
from slotstate.domains import Domains, compile_domains
from slotstate.errors import InputError
from slotstate.extract import (
    MAX_DOMAINS_READ,
    MAX_DOMAINS_SHOWN,
    Change,
    narrowed,
    nearest,
    shown_domains,
)
from slotstate.extractors.builtin import BuiltinExtractor
from slotstate.extractors.builtin.extractor import RulesExtractor
from slotstate.extractors.instructor import InstructorExtractor
from slotstate.relevance import relevance
from slotstate.state import State
from slotstate.testing import ScriptedExtractor


class Alarm(BaseModel):
    """Wake-up calls."""

    tone: Annotated[Literal["chimes", "marimba", "birdsong"] | None, Slot(ask="Which tone?")] = None


class Clinic(BaseModel):
    """预约医院的门诊."""

    department: Annotated[str | None, Slot(ask="挂哪个科？", cues=["挂号"])] = None
    seat: Annotated[Literal["靠窗", "过道"] | None, Slot(ask="坐哪里？")] = None


def filler(number: int) -> type[BaseModel]:
    """A domain that has no word in common with what is said here."""
    return create_model(f"Errand{number}", __doc__=f"Errand of sort q{number}x.", item=(str | None, None))


FILLERS = [filler(number) for number in range(20)]


def loaded(*last: type[BaseModel]) -> Domains:
    return compile_domains([*FILLERS, *last])


def names(domains: Domains, *texts: str, asked: Sequence[str] = (), state: State | None = None) -> list[str]:
    return list(shown_domains(domains, state or State(), tuple(asked), (), texts))


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Set the tone to marimba please", "alarm"),
        ("could I have birdsong", "alarm"),
        ("我想挂号看牙科", "clinic"),
        ("要靠窗的", "clinic"),
        ("please book 靠窗 for me", "clinic"),
    ],
)
def test_what_a_turn_speaks_of_stands_first_however_late_it_is_declared(text: str, first: str) -> None:
    assert names(loaded(Alarm, Clinic), text)[0] == first


def test_what_is_asked_stands_before_what_is_spoken_of() -> None:
    assert names(loaded(Alarm, Clinic), "marimba, not 靠窗", asked=["errand7.item"])[:3] == [
        "errand7",
        "alarm",
        "clinic",
    ]


def test_where_nothing_speaks_the_order_is_that_of_declaration() -> None:
    assert names(loaded(Alarm), "ok, thanks") == list(loaded(Alarm))


def test_a_word_weighs_less_the_more_domains_have_it() -> None:
    domains = tuple(loaded(Alarm).values())
    shared = relevance(domains, "an errand")
    alone = relevance(domains, "the marimba")
    assert shared[0] > 0
    assert shared[-1] == 0
    assert alone[-1] > shared[0]
    assert set(alone[:-1]) == {0.0}


def test_no_more_than_the_cap_is_shown_and_it_holds_what_is_spoken_of() -> None:
    domains = compile_domains([*(filler(number) for number in range(MAX_DOMAINS_SHOWN + 10)), Alarm])
    found = names(domains, "marimba")
    assert len(found) == MAX_DOMAINS_SHOWN
    assert "alarm" in found


def test_what_changed_or_was_offered_last_stands_before_the_rest() -> None:
    seen = ScriptedExtractor([[Change("set", "errand15.item", "a ladder", "a ladder")]])
    chat = Tracker([*FILLERS, Alarm], extractor=seen).open("s")
    chat.user("get me a ladder")
    chat.assistant("Would you like a hose as well?", offers={"errand12.item": ["a hose"]})
    chat.user("perhaps")
    assert list(seen.requests[-1].domains)[:2] == ["errand12", "errand15"]
    few = nearest(seen.requests[-1], 2)
    assert list(few.domains) == ["errand12", "errand15"]
    assert [offer.path for offer in few.offers] == ["errand12.item"]
    assert [offer.path for offer in narrowed(few, {"errand15"}).offers] == []


def test_narrowed_to_nothing_a_request_stays_as_it_is() -> None:
    seen = ScriptedExtractor()
    Tracker([Alarm, Clinic], extractor=seen).open("s").user("hello")
    request = seen.requests[0]
    assert narrowed(request, {"no such domain"}) is request
    assert narrowed(request, {"alarm", "clinic"}) is request
    assert nearest(request) is request


@pytest.mark.parametrize("extractor", [RulesExtractor(), BuiltinExtractor()])
@pytest.mark.parametrize(
    ("text", "path", "value"),
    [("I would like the marimba tone", "alarm.tone", "marimba"), ("要靠窗的位置", "clinic.seat", "靠窗")],
)
def test_a_slot_of_the_last_of_many_domains_is_filled(
    extractor: RulesExtractor | BuiltinExtractor, text: str, path: str, value: str
) -> None:
    domain, slot = path.split(".")
    chat = Tracker([*FILLERS, Alarm, Clinic], extractor=extractor).open("s")
    chat.user(text)
    assert len(FILLERS) > MAX_DOMAINS_READ
    assert chat.state[domain][slot].value == value


@pytest.mark.parametrize("most", [0, -1, True, "all", 2.5])
def test_a_language_model_reads_a_whole_number_of_domains(most: object) -> None:
    with pytest.raises(InputError, match="max_domains is a whole number from 1 on"):
        InstructorExtractor("openai/gpt-5-mini", max_domains=most, extra={"api_key": "none"})  # type: ignore[arg-type]
