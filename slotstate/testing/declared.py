"""Random domains, for tests of slotstate itself and of tools built on it."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal

from hypothesis import strategies as st
from pydantic import BaseModel, Field, create_model

from slotstate.domains import Domains, compile_domains
from slotstate.slots import Email, Money, Phone, Slot

NAMES = ("origin", "seat", "people", "direct", "price", "day", "hour", "length", "contact", "extras", "hotel", "party")


class Place(BaseModel):
    """A composite with a part that may be missing."""

    street: str
    floor: Annotated[int | None, Field(ge=0, le=90)] = None


_TYPES: tuple[tuple[Any, dict[str, Any]], ...] = (
    (str, {}),
    (Annotated[str, Field(min_length=2, max_length=6)], {}),
    (Annotated[str, Field(pattern=r"^[A-Z]{2}[0-9]{3}$")], {}),
    (Literal["red", "green", "light_blue"], {"aliases": {"red": ["crimson", "红色"]}}),
    (Literal[1, 2, 5], {}),
    (bool, {"aliases": {"true": ["nonstop"], "false": ["with a change"]}}),
    (bool, {}),
    (Annotated[int, Field(ge=1, le=9)], {}),
    (int, {}),
    (float, {}),
    (Decimal, {}),
    (Money, {}),
    (date, {}),
    (time, {}),
    (datetime, {}),
    (timedelta, {}),
    (Phone, {}),
    (Email, {}),
    (list[str], {}),
    (list[Literal["a1", "b2", "c3"]], {}),
    (Place, {}),
    (dict[str, int], {}),
)


@st.composite
def _slot(draw: st.DrawFn) -> Any:
    kind, options = draw(st.sampled_from(_TYPES))
    slot = Slot(
        ask=draw(st.sampled_from([None, "What shall it be?"])),
        dont_care=draw(st.booleans()),
        confirm=draw(st.sampled_from(["never", "implicit", "explicit"])),
        evidence=draw(st.sampled_from(["user_or_offer", "user_or_offer", "user", "tool"])),
        ttl=draw(st.sampled_from([None, None, timedelta(hours=1)])),
        share=draw(st.sampled_from([None, "shared"])),
        **options,
    )
    return Annotated[kind, slot], None if slot.dont_care else draw(st.sampled_from([..., None]))


@st.composite
def domains(draw: st.DrawFn, *, max_slots: int = 6) -> Domains:
    """One or two domains with slots of any kind and any declaration."""
    names = draw(st.sampled_from([("Alpha",), ("Alpha", "BetaTwo")]))
    made: list[type[BaseModel]] = []
    for name in names:
        slots = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=max_slots, unique=True))
        fields: dict[str, Any] = {}
        for slot in slots:
            annotation, default = draw(_slot())
            fields[slot] = (annotation, ...) if default is ... else (annotation | None, None)
        made.append(create_model(name, **fields))
    return compile_domains(made)
