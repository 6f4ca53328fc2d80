"""Which of many domains are weighed in a turn."""

from __future__ import annotations

from typing import Literal

import pytest
from pydantic import BaseModel, create_model

from slotstate import Tracker
from slotstate.extract import Change
from slotstate.extractors.builtin.learned.modelfile import read
from slotstate.extractors.builtin.learned.routing import MOST, routed
from slotstate.testing import ScriptedExtractor


class Hotel(BaseModel):
    """Find and book hotel rooms."""

    city: str | None = None
    stars: int | None = None


class Flight(BaseModel):
    """Book flights with an airline."""

    from_city: str | None = None
    to_city: str | None = None


class Tailor(BaseModel):
    """Have clothes altered."""

    cloth: Literal["tweed", "corduroy", "linen"] | None = None


FILLERS = [create_model(f"Errand{number}", __doc__="Something else.", item=(str | None, None)) for number in range(14)]


def weighed(*turns: str, told: list[Change] | None = None) -> list[set[str]]:
    """The domains that are weighed in each turn; what is told is found in the first."""
    seen = ScriptedExtractor([told or []])
    chat = Tracker([*FILLERS, Hotel, Flight, Tailor], extractor=seen).open("s")
    for text in turns:
        chat.user(text)
    return [set(routed(request, read(None)[0]).domains) for request in seen.requests]


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ("I need a hotel in Oslo", "hotel"),
        ("find me a plane to Oslo", "flight"),
        ("somewhere to stay for two nights", "hotel"),
        ("the corduroy one, please", "tailor"),
    ],
)
def test_the_domain_that_a_turn_speaks_of_is_weighed(text: str, domain: str) -> None:
    (found,) = weighed(text)
    assert domain in found
    assert len(found) == MOST


def test_what_holds_something_stays_among_those_weighed() -> None:
    told = [Change("set", "errand13.item", "a ladder", "a ladder")]
    first, *later = weighed("get me a ladder", "I need a hotel in Oslo", "and a flight to Oslo", "thanks", told=told)
    assert len(first) == MOST
    assert all("errand13" in found for found in later)


def test_few_domains_are_all_weighed() -> None:
    seen = ScriptedExtractor()
    Tracker([*FILLERS[: MOST - 1], Hotel], extractor=seen).open("s").user("hello there")
    request = seen.requests[0]
    assert routed(request, read(None)[0]) is request
