"""Slots: what a domain's author declares, and its compiled form."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from enum import Enum
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, GetJsonSchemaHandler, WithJsonSchema
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

Json: TypeAlias = Any
"""A value as JSON holds it: str, int, float, bool, list, dict or None. The canonical form of every slot value."""

Kind = Literal[
    "text",
    "categorical",
    "boolean",
    "integer",
    "number",
    "decimal",
    "money",
    "date",
    "time",
    "datetime",
    "duration",
    "phone",
    "email",
    "list",
    "composite",
    "map",
]
Confirm = Literal["never", "implicit", "explicit"]
Evidence = Literal["user_or_offer", "user", "tool"]


class Sentinel(Enum):
    """Values that no JSON value can be mistaken for."""

    DONTCARE = "dontcare"
    UNSET = "unset"

    def __repr__(self) -> str:
        return self.name


DONTCARE: Final = Sentinel.DONTCARE
"""The user has no preference. A value of its own, only where the slot says `dont_care=True`."""
UNSET: Final = Sentinel.UNSET
"""No value was given, where None would be ambiguous."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Slot:
    """How a slot is asked for, confirmed and recognised. Put it into `Annotated[type, Slot(...)]`.

    ask: the question that fills it. aliases: for each option of a categorical slot (or "true" / "false" of a
    boolean), other words for it. examples: values as people write them. cues: words that point at the slot ("from",
    "leave"). dont_care: whether "any" is an answer. confirm: never ask, take going on for a yes, or ask. evidence:
    whose words may fill it. sensitive: masked wherever it leaves the tracker. ttl: after this time a value counts as
    stale and is asked again, never emptied. share: slots of other domains with the same key offer each other's
    values. was: earlier names of the slot, under which older logs may speak of it: bare names in the same domain, or
    `domain.slot`.
    """

    ask: str | None = None
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    examples: Sequence[str] = ()
    cues: Sequence[str] = ()
    dont_care: bool = False
    confirm: Confirm = "never"
    evidence: Evidence = "user_or_offer"
    sensitive: bool = False
    ttl: timedelta | None = None
    share: str | None = None
    was: str | Sequence[str] = ()

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Carry the declaration into the model's JSON Schema as `x-slot`, so that it can be read back from there."""
        schema = dict(handler(core))
        schema["x-slot"] = self.declared()
        return schema

    def declared(self) -> dict[str, Json]:
        """What was declared, defaults left out, as JSON."""
        shown: dict[str, Json] = {}
        for name, default in _DEFAULTS.items():
            value = getattr(self, name)
            if value != default and value:
                shown[name] = value
        if self.aliases:
            shown["aliases"] = {option: list(words) for option, words in self.aliases.items()}
        if self.examples:
            shown["examples"] = list(self.examples)
        if self.cues:
            shown["cues"] = list(self.cues)
        if self.ttl is not None:
            shown["ttl"] = f"PT{int(self.ttl.total_seconds())}S"
        if self.was:
            shown["was"] = list(self.earlier)
        return shown

    @property
    def earlier(self) -> tuple[str, ...]:
        """The earlier names, as they were declared."""
        return (self.was,) if isinstance(self.was, str) else tuple(self.was)


_DEFAULTS: Final[dict[str, Json]] = {
    "ask": None,
    "dont_care": False,
    "confirm": "never",
    "evidence": "user_or_offer",
    "sensitive": False,
    "share": None,
}


class Money(BaseModel):
    """An amount with its currency (ISO 4217 code)."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"x-kind": "money"})

    value: Decimal
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")]


def _phone(value: str) -> str:
    digits = re.sub(r"[\s().\-/]", "", value)
    if not re.fullmatch(r"\+?\d{5,15}", digits):
        raise ValueError("a phone number has 5 to 15 digits, with an optional leading +")
    return digits


def _email(value: str) -> str:
    if not re.fullmatch(r"[^\s@<>(),;:\"\[\]\\]{1,64}@[^\s@.<>(),;:\"\[\]\\]+(\.[^\s@.<>(),;:\"\[\]\\]+)+", value):
        raise ValueError("an email address looks like name@example.org")
    return value


Phone = Annotated[str, AfterValidator(_phone), WithJsonSchema({"type": "string", "format": "phone"})]
"""A phone number: 5 to 15 digits, a leading + kept; spaces, dots, dashes and brackets are dropped."""
Email = Annotated[str, AfterValidator(_email), WithJsonSchema({"type": "string", "format": "email"})]
"""An email address, kept as written."""


@dataclass(frozen=True, slots=True, eq=False)
class SlotSpec:
    """One declared slot, compiled: what `decide` and the extractors read.

    `path` is `domain.slot` (`domain.slot.field` inside a composite). `options` lists a categorical slot's values;
    `item` describes a list's items or a map's values; `fields` a composite's parts. `model` is a one-field Pydantic
    model that checks one value of this slot, the field's own validators included.
    """

    path: str
    name: str
    kind: Kind
    slot: Slot
    model: type[BaseModel]
    description: str = ""
    required: bool = False
    options: tuple[Json, ...] = ()
    item: SlotSpec | None = None
    fields: Mapping[str, SlotSpec] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def domain(self) -> str:
        """The name of the domain that the slot belongs to."""
        return self.path.split(".", 1)[0]

    @property
    def element(self) -> SlotSpec:
        """What a list's items or a map's values must be."""
        if self.item is None:
            raise TypeError(f"{self.path} is a {self.kind}: it has no items")
        return self.item

    @property
    def label(self) -> str:
        """The slot's name as words."""
        return self.name.replace("_", " ")
