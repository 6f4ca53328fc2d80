"""A small domain, and requests about it, for the tests of extractors that ask a model."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from slotstate import Slot
from slotstate.domains import Declarable, compile_domains
from slotstate.extract import Request, make_request
from slotstate.state import Heard, State

NOW = datetime(2025, 3, 3, 9, 0, tzinfo=UTC)
USER = "Two of us want to leave from Oslo next Friday, first class."


class Trip(BaseModel):
    """Plan a trip."""

    origin: Annotated[str, Slot(ask="Where do you leave from?", confirm="explicit")]
    leaves_on: Annotated[date, Slot(ask="Which day?")]
    people: Annotated[int, Slot()] = Field(1, description="Number of travellers")
    seat: Annotated[
        Literal["second", "first"] | None, Slot(aliases={"first": ["1st class", "一等座"]}, dont_care=True)
    ] = None
    avoid: Annotated[list[str], Slot(examples=["Bergen"], cues=["not via"])] = []
    price: Annotated[int | None, Slot(evidence="tool")] = None
    card: Annotated[str | None, Slot(sensitive=True)] = None


class Hotel(BaseModel):
    """Book a room."""

    name: str
    extras: dict[str, int] = {}


class Person(BaseModel):
    name: str
    age: int | None = None


class Visit(BaseModel):
    guest: Person


def import_now() -> None:
    """Import what an extraction imports at its first use, where a test is about time."""
    from instructor import from_openai
    from openai import AsyncOpenAI, OpenAI

    assert [from_openai, AsyncOpenAI, OpenAI]


def ask(
    user: str = USER,
    *,
    domains: Declarable | Iterable[Declarable] = Trip,
    state: State | None = None,
    assistant: str = "",
    deadline: float | None = None,
    **more: Any,
) -> Request:
    return make_request(
        compile_domains(domains),
        state or State(),
        Heard(0, assistant) if assistant else None,
        user,
        now=more.pop("now", NOW),
        timezone="Europe/Oslo",
        asked=more.pop("asked", ()),
        deadline=deadline,
        turn=1,
    )
