"""Declaring domains: every kind, and a clear refusal for what cannot be one."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Generic, Literal, Optional, TypeVar, cast

import pytest
from pydantic import BaseModel, EmailStr, Field, ValidationInfo, field_validator, model_validator
from typing_extensions import TypeAliasType

from slotstate import Domain, Email, InvalidValue, Money, Phone, SchemaError, Slot, Tracker, UnknownPath
from slotstate.domains import Domains, compile_domain, compile_domains
from slotstate.testing import ScriptedExtractor
from slotstate.values import check

T = TypeVar("T")


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Address(BaseModel):
    street: str
    city: str | None = None


class Everything(BaseModel):
    """One slot of every kind."""

    text: str
    option: Literal["a", "b"]
    colour: Colour
    flag: bool
    count: Annotated[int, Field(ge=1)]
    ratio: float
    amount: Decimal
    price: Money
    day: date
    at: time
    moment: datetime
    length: timedelta
    phone: Phone
    mail: Email
    tags: list[str]
    pair: tuple[int, ...]
    address: Address
    prices: dict[str, Decimal]
    maybe: Optional[int] = None  # noqa: UP045 — the old spelling must work as well


KINDS = {
    "text": "text",
    "option": "categorical",
    "colour": "categorical",
    "flag": "boolean",
    "count": "integer",
    "ratio": "number",
    "amount": "decimal",
    "price": "money",
    "day": "date",
    "at": "time",
    "moment": "datetime",
    "length": "duration",
    "phone": "phone",
    "mail": "email",
    "tags": "list",
    "pair": "list",
    "address": "composite",
    "prices": "map",
    "maybe": "integer",
}


def test_every_kind_is_recognised() -> None:
    domain = compile_domain(Everything)
    assert {name: spec.kind for name, spec in domain.slots.items()} == KINDS
    assert domain.name == "everything"
    assert domain.description == "One slot of every kind."


def test_a_slot_knows_its_path_options_items_and_fields() -> None:
    slots = compile_domain(Everything).slots
    assert slots["option"].path == "everything.option"
    assert slots["option"].domain == "everything"
    assert slots["colour"].options == ("red", "blue")
    assert slots["tags"].element.kind == "text"
    assert slots["prices"].element.kind == "decimal"
    assert slots["address"].fields["city"].path == "everything.address.city"
    assert (slots["text"].required, slots["maybe"].required) == (True, False)
    with pytest.raises(TypeError, match="it has no items"):
        _ = slots["text"].element


def test_the_slot_is_found_wherever_it_is_written() -> None:
    class Places(BaseModel):
        outside: Annotated[str | None, Slot(ask="Out?")] = None
        inside: Annotated[str, Slot(ask="In?")] | None = None
        bare: str = ""

    slots = compile_domain(Places).slots
    assert [slots[name].slot.ask for name in ("outside", "inside", "bare")] == ["Out?", "In?", None]


def test_names_are_snake_case_and_may_be_given() -> None:
    class HotelBooking(BaseModel):
        city: str

    assert compile_domain(HotelBooking).name == "hotel_booking"
    assert compile_domain(HotelBooking, "hotel").slots["city"].path == "hotel.city"


class Node(BaseModel):
    children: list[Node] = []


def _model(annotation: Any, **extra: Any) -> type[BaseModel]:
    return type("Case", (BaseModel,), {"__annotations__": {"slot": annotation}, "__module__": __name__, **extra})


REFUSED = [
    (_model(int | str), "one kind of value"),
    (_model(list), "type of its items"),
    (_model(dict[int, str]), "text keys"),
    (_model(list[list[str]]), "nested model"),
    (_model(complex), "cannot hold|complex"),
    (_model(Literal[True, "x"]), "neither text nor a whole number"),
    (_model(Annotated[int, Slot(aliases={"1": ["one"]})]), "aliases are for"),
    (_model(Annotated[Literal["a"], Slot(aliases={"b": ["x"]})]), "which is no option"),
    (_model(Annotated[Literal["a"], Slot(aliases={"a": "x"})]), "must be a list"),
    (_model(Annotated[str, Slot(cues="from")]), "cues must be a collection"),
    (_model(Annotated[str, Slot(confirm=cast(Any, "explict"))]), "did you mean 'explicit'"),
    (_model(Annotated[str, Slot(evidence=cast(Any, "usr"))]), "evidence cannot be 'usr'"),
    (_model(Annotated[str, Slot(ttl=cast(Any, 5))]), "ttl must be a timedelta"),
    (_model(Annotated[str, Slot(share=cast(Any, 3))]), "share must be text"),
    (_model(Annotated[str, Slot(sensitive=cast(Any, "yes"))]), "sensitive must be True or False"),
    (_model(Annotated[str, Slot(aliases=cast(Any, ["q"]))]), "aliases must be a mapping"),
    (_model(Annotated[Literal["x", "y"], Slot(aliases={"x": ["q"], "y": ["q"]})]), "choose one"),
    (_model(Annotated[str, Slot(dont_care=True)]), "dont_care"),
    (Node, "contains itself"),
]


@pytest.mark.parametrize(("model", "remedy"), REFUSED, ids=[remedy for _, remedy in REFUSED])
def test_what_cannot_be_a_slot_is_refused_with_its_name_and_the_remedy(model: type[BaseModel], remedy: str) -> None:
    with pytest.raises(SchemaError, match=remedy) as refused:
        compile_domain(model)
    assert "\n" not in str(refused.value)
    assert model.__name__.lower() in str(refused.value)


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(SchemaError, match="not a Pydantic model"):
        compile_domain(dict)  # type: ignore[arg-type]
    with pytest.raises(SchemaError, match="declares no slots"):
        compile_domain(type("Empty", (BaseModel,), {}))
    with pytest.raises(SchemaError, match="cannot be used in a path"):
        compile_domain(Address, "a.b")


def test_several_domains_need_several_names() -> None:
    assert list(compile_domains([Address, Everything])) == ["address", "everything"]
    with pytest.raises(SchemaError, match="two domains are named"):
        compile_domains([Address, Address])
    with pytest.raises(SchemaError, match="at least one domain"):
        compile_domains([])


def test_compiled_domains_are_taken_as_they_are() -> None:
    domain = compile_domain(Address, "place")
    domains = compile_domains(domain)
    assert compile_domains(domains) is domains
    assert isinstance(domains["place"], Domain)
    assert len(domains) == 1
    assert "elsewhere" not in domains


@pytest.fixture
def both() -> Domains:
    class Trip(BaseModel):
        city: str
        street: str
        address: Address
        labels: dict[str, str] = {}

    return compile_domains([Trip, Address])


def test_paths_lead_to_slots_and_fields(both: Domains) -> None:
    assert both.resolve("trip.city")[0].path == "trip.city"
    assert both.resolve("trip.address.city") == (both["trip"].slots["address"], "city")
    assert both.resolve("trip.labels.any key") == (both["trip"].slots["labels"], "any key")
    assert both.spec("labels").path == "trip.labels"


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("trip.ctiy", "did you mean 'trip.city'"),
        ("ctiy", "did you mean 'address.city'"),
        ("trip.address.strete", "did you mean 'trip.address.street'"),
        ("trip.city.x", "has no fields"),
        ("city", "in several domains"),
        ("zzz", "known: "),
    ],
)
def test_an_unknown_path_is_told_with_a_near_name(both: Domains, path: str, hint: str) -> None:
    with pytest.raises(UnknownPath, match=hint):
        both.resolve(path)


def test_an_unknown_domain_is_told_with_a_near_name(both: Domains) -> None:
    with pytest.raises(UnknownPath, match="did you mean 'trip'"):
        _ = both["tripp"]
    with pytest.raises(KeyError):  # so that it works as a mapping
        _ = both["tripp"]


def test_a_fields_own_validators_run_and_cross_field_ones_do_not() -> None:
    class Checked(BaseModel):
        code: str
        other: str = ""

        @field_validator("code")
        @classmethod
        def upper(cls, value: str) -> str:
            if not value.isupper():
                raise ValueError("must be in capitals")
            return value

        @model_validator(mode="after")
        def together(self) -> Checked:
            raise ValueError("cross-field")

    spec = compile_domain(Checked).slots["code"]
    assert check(spec, "AB") == "AB"
    with pytest.raises(InvalidValue, match="must be in capitals"):
        check(spec, "ab")


def test_validators_of_every_mode_and_shape_run() -> None:
    class Modes(BaseModel):
        a: int
        b: str = ""
        c: str = ""

        @field_validator("a", mode="before")
        @classmethod
        def digits(cls, value: Any, info: ValidationInfo) -> Any:
            return str(value).strip("!")

        @field_validator("b", mode="wrap")
        @classmethod
        def around(cls, value: Any, handler: Any) -> Any:
            return f"<{handler(value)}>"

        @field_validator("c", mode="wrap")
        @classmethod
        def around_all(cls, value: Any, handler: Any, info: ValidationInfo) -> Any:
            return f"<{handler(value)}>"

        @field_validator("*")
        @classmethod
        def every(cls, value: Any) -> Any:
            return value

    slots = compile_domain(Modes).slots
    assert check(slots["a"], "!7!") == 7
    assert (check(slots["b"], "x"), check(slots["c"], "y")) == ("<x>", "<y>")


City = TypeAliasType("City", str)


class Odd:
    """A type that neither a slot nor JSON knows."""


def test_types_under_other_names_are_seen_through() -> None:
    class Named(BaseModel):
        city: City
        mail: EmailStr

    assert [spec.kind for spec in compile_domain(Named).slots.values()] == ["text", "email"]


def test_what_no_json_can_hold_is_refused() -> None:
    class Strange(BaseModel, arbitrary_types_allowed=True):
        slot: Odd

    class Open(BaseModel, Generic[T]):
        slot: T

    for model in (Strange, Open, _model(Any)):
        with pytest.raises(SchemaError, match="a slot cannot hold"):
            compile_domain(model)


def test_a_name_that_leads_nowhere_is_told() -> None:
    with pytest.raises(SchemaError, match=r"case: Case cannot be built: .*NotThere"):
        compile_domain(_model("NotThere"))


def test_no_preference_and_limits_go_together() -> None:
    class Cared(BaseModel):
        people: Annotated[int | None, Field(ge=1), Slot(dont_care=True)] = None
        rooms: Annotated[Annotated[int | None, Field(ge=1)], Slot(dont_care=True)] = None

    assert [spec.slot.dont_care for spec in compile_domain(Cared).slots.values()] == [True, True]


def test_a_strict_field_is_read_from_json_and_filled_with_its_own_type() -> None:
    class Strictly(BaseModel, strict=True):
        day: date
        count: Annotated[int, Field(strict=True)]

    chat = Tracker(Strictly, extractor=ScriptedExtractor()).open("s")
    chat.set("strictly.day", "2026-12-04")
    chat.set("strictly.count", "2")
    assert chat.state["strictly"]["day"].value == date(2026, 12, 4)
    assert chat.form(Strictly) == Strictly(day=date(2026, 12, 4), count=2)


@pytest.mark.parametrize("path", [None, 5, [], b"a.b"])
def test_a_path_that_is_no_text_is_told(path: Any) -> None:
    with pytest.raises(UnknownPath, match="a path is text"):
        compile_domains(Address).resolve(path)
