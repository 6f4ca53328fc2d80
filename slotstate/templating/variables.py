"""What a template is given: the variables of every section. All are JSON values; sensitive ones come masked."""

from __future__ import annotations

from typing import Any, Final, Literal, TypedDict

from slotstate.slots import Json


class Fixed(dict[str, Any]):
    """An object that nobody changes any more, so that `told`, what loops wrote of it, still holds: by loop, the text,
    and the steps and characters that it took. As a key it stands for itself alone, whatever equals it.
    """

    __slots__ = ("told",)

    __hash__ = object.__hash__  # type: ignore[assignment]  # an ordinary dict has none

    told: dict[int, tuple[str, int, int]]
    """Not there before a loop has written of it."""


class Pending(TypedDict):
    """Why a slot must be asked about again."""

    why: Literal["conflict", "ambiguous", "denied", "stale"]
    values: list[Json]
    quote: str | None
    turn: int | None


class Offer(TypedDict):
    """A value that the assistant or a tool put forward."""

    value: Json
    turn: int


class Slot(TypedDict):
    """One slot as it is now."""

    domain: str
    name: str
    label: str
    path: str
    kind: str
    description: str
    value: Json
    raw: str | None
    status: Literal["empty", "filled", "confirmed"]
    dontcare: bool
    source: str | None
    quote: str | None
    turn: int | None
    excluded: list[Json]
    offers: list[Offer]
    pending: Pending | None


class Domain(TypedDict):
    """One domain with its slots, in the order of its declaration."""

    name: str
    label: str
    description: str
    slots: list[Slot]


class Question(TypedDict):
    """What to ask next, and why."""

    path: str
    text: str
    reason: str


class Quote(TypedDict):
    """The user's own words for a slot, from a message that is no longer in the window."""

    path: str
    label: str
    text: str
    turn: int | None


class Variables(TypedDict):
    """The variables that every section can use. `turns` is beside them: only section "recent" may print it."""

    domains: list[Domain]
    question: Question | None
    quotes: list[Quote]
    changes: list[Slot]
    summary: list[str]
    left_out: int
    left_out_ref: str
    locale: str


NAMES_GIVEN: Final = tuple(Variables.__annotations__)
"""The names of the variables."""
TURNS: Final = "turns"
"""The marker that stands for the messages of the window, in section "recent"."""


def empty_variables(locale: str = "en") -> dict[str, Any]:
    """The variables of a conversation that has not begun and has no domains."""
    variables: Variables = {
        "domains": [],
        "question": None,
        "quotes": [],
        "changes": [],
        "summary": [],
        "left_out": 0,
        "left_out_ref": "",
        "locale": locale,
    }
    return dict(variables)
