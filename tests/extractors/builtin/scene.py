"""A stage for the built-in extractor: domains, and dialogues run through a tracker so that `decide` has its say."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from slotstate import Email, Money, Phone, Slot, Tracker
from slotstate.chat import Chat
from slotstate.extractors.builtin import BuiltinExtractor
from slotstate.values import jsonable

NOW = datetime(2024, 5, 15, 12, tzinfo=UTC)  # a Wednesday


class Trip(BaseModel):
    """A journey by train."""

    origin: Annotated[str, Slot(ask="Where do you leave from?")]
    destination: Annotated[str, Slot(ask="Where do you want to go?", cues=["目的地"])]
    outbound_on: Annotated[date, Slot(ask="Which day do you leave?", cues=["去程"])]
    return_on: Annotated[date | None, Slot(ask="Which day do you come back?", cues=["回程"])] = None
    departs_at: Annotated[time | None, Slot(ask="What time do you want to leave?", dont_care=True)] = None
    people: Annotated[int | None, Field(ge=1, le=9), Slot(ask="How many people travel?", cues=["人数"])] = None
    bags: Annotated[int | None, Field(ge=0), Slot(ask="How many bags?", cues=["行李"])] = None
    seat: Annotated[
        Literal["second", "first"] | None,
        Slot(
            ask="Which class?",
            cues=["class", "座位"],
            aliases={"second": ["second class", "economy", "二等座"], "first": ["first class", "business", "一等座"]},
            dont_care=True,
        ),
    ] = None
    wifi: Annotated[bool | None, Slot(ask="Do you need wifi?", aliases={"true": ["上网"]})] = None
    budget: Annotated[Money | None, Slot(ask="What is your budget?", cues=["预算"])] = None
    email: Annotated[Email | None, Slot(ask="Your email?", cues=["邮箱"])] = None
    phone: Annotated[Phone | None, Slot(ask="Your phone number?", cues=["电话"])] = None


class Stay(BaseModel):
    """A hotel stay."""

    city: Annotated[str, Slot(ask="Which city?", cues=["城市"])]
    guest: Annotated[str | None, Slot(ask="What is your name?", cues=["姓名"])] = None
    nights: Annotated[int | None, Field(ge=1), Slot(ask="How many nights?")] = None
    rooms: Annotated[int | None, Slot(ask="How many rooms?")] = None
    check_in: date | None = None
    check_out: date | None = None
    parking: Annotated[bool | None, Slot(cues=["停车"])] = None
    voucher: Annotated[str | None, Field(pattern=r"^[A-Z]{3}[0-9]{4}$")] = None
    wishes: Annotated[list[Literal["balcony", "sea view", "kitchen", "quiet"]], Slot(ask="Any wishes?")] = []


class Pizza(BaseModel):
    """A pizza."""

    toppings: Annotated[list[str], Slot(ask="Which toppings?", cues=["配料"])] = []
    size: Annotated[Literal["S", "M", "L"] | None, Slot(ask="Which size?")] = None
    note: Annotated[str | None, Slot(ask="Any note for the driver?")] = None
    price: Annotated[Decimal | None, Slot(evidence="tool")] = None
    ready_in: timedelta | None = None


def after(domains: Any, lines: Sequence[str], now: datetime = NOW) -> Chat:
    """The conversation after `lines`; those that start with "A: " are the assistant's."""
    chat = Tracker(domains, extractor=BuiltinExtractor(), clock=lambda: now).open("test")
    for line in lines:
        if line.startswith("A: "):
            chat.assistant(line.removeprefix("A: "))
        else:
            turn = chat.user(line)
            assert turn.extraction == "ok", line
            assert not [
                one
                for one in turn.rejected
                if one.reason in {"quote_not_found", "no_quote", "unknown_slot", "not_allowed"}
            ], turn
    return chat


def held(chat: Chat) -> dict[str, Any]:
    """What every slot holds, by its bare name where one domain is tracked."""
    found: dict[str, Any] = {}
    for domain, slots in chat.state.items():
        for name, view in slots.items():
            if view.status != "empty":
                key = name if len(chat.state) == 1 else f"{domain}.{name}"
                found[key] = "dontcare" if view.dontcare else jsonable(view.value)
    return found


def grades(chat: Chat) -> set[str | None]:
    """How well what is held is supported."""
    return {view.grade for slots in chat.state.values() for view in slots.values() if view.status != "empty"}
