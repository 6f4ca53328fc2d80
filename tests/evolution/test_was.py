"""Earlier names: how they are declared, and what is refused."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, create_model

from slotstate import SchemaError, Slot, domain_from_json_schema
from slotstate.domains import compile_domain, compile_domains


class Address(BaseModel):
    street: str
    postcode: Annotated[str, Slot(was=["zip", "plz"])] = ""


class Trip(BaseModel):
    destination: Annotated[str, Slot(was=["city", "town"])]
    hotel: Annotated[str, Slot(was="stay.hotel")] = ""
    at: Address | None = None


def _domain(**fields: Any) -> Any:
    return compile_domain(create_model("Trip", **fields))


def test_names_are_of_the_same_domain_unless_they_say_another() -> None:
    domains = compile_domains(Trip)
    assert domains.renamed == {
        "trip.city": "trip.destination",
        "trip.town": "trip.destination",
        "stay.hotel": "trip.hotel",
    }
    assert compile_domains(compile_domain(Address, "stay")).renamed == {
        "stay.zip": "stay.postcode",
        "stay.plz": "stay.postcode",
    }


@pytest.mark.parametrize(
    ("fields", "hint"),
    [
        (
            {"a": (Annotated[str, Slot(was="b")], ""), "b": (str, "")},
            "trip.a: was names 'trip.b', which is a slot still",
        ),
        ({"a": (Annotated[str, Slot(was="b")], ""), "b": (Annotated[str, Slot(was="a")], "")}, "a slot still"),
        ({"a": (Annotated[str, Slot(was="a")], "")}, "a slot still"),
        ({"a": (Annotated[str, Slot(was="c")], ""), "b": (Annotated[str, Slot(was="c")], "")}, "choose one"),
        ({"a": (Annotated[str, Slot(was="trip.c")], ""), "b": (Annotated[str, Slot(was="c")], "")}, "choose one"),
        ({"a": (Annotated[str, Slot(was="")], "")}, "write an earlier slot's name"),
        ({"a": (Annotated[str, Slot(was=["x", ""])], "")}, "write an earlier slot's name"),
        ({"a": (Annotated[str, Slot(was="two words")], "")}, "write an earlier slot's name"),
        ({"a": (Annotated[str, Slot(was="a.b.c")], "")}, "domain.slot"),
        ({"a": (Annotated[str, Slot(was=3)], "")}, "a name or a list of names, not 3"),  # type: ignore[arg-type]
        ({"a": (Annotated[str, Slot(was=[3])], "")}, "a name or a list of names"),  # type: ignore[list-item]
        ({"a": (list[Annotated[str, Slot(was="x")]], [])}, "not to its items"),
    ],
)
def test_a_name_that_cannot_be_is_refused(fields: dict[str, Any], hint: str) -> None:
    with pytest.raises(SchemaError, match=hint) as refused:
        compile_domains(_domain(**fields))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("street", "postcode", "hint"),
    [
        (Slot(), Slot(was="street"), "a field still"),
        (Slot(was="x"), Slot(was="x"), "two fields"),
        (Slot(), Slot(was="trip.zip"), "write a bare name"),
    ],
)
def test_so_is_one_of_a_field(street: Slot, postcode: Slot, hint: str) -> None:
    inner = create_model("Inner", street=(Annotated[str, street], ""), postcode=(Annotated[str, postcode], ""))
    with pytest.raises(SchemaError, match=hint):
        _domain(at=(inner | None, None))


def test_one_name_listed_twice_is_one_name() -> None:
    assert compile_domains(_domain(a=(Annotated[str, Slot(was=["b", "b", "trip.b"])], ""))).renamed == {
        "trip.b": "trip.a"
    }


def test_a_json_schema_says_it_too() -> None:
    schema = {
        "title": "trip",
        "type": "object",
        "properties": {
            "destination": {"type": "string", "x-slot": {"was": "city"}},
            "hotel": {"type": "string", "x-slot": {"was": ["stay.hotel", "inn"]}},
        },
    }
    domains = compile_domains(domain_from_json_schema(schema))
    assert domains.renamed == {"trip.city": "trip.destination", "stay.hotel": "trip.hotel", "trip.inn": "trip.hotel"}


def test_what_a_model_writes_can_be_read_back() -> None:
    again = compile_domains(domain_from_json_schema(Trip.model_json_schema(), "trip"))
    assert again.renamed == compile_domains(Trip).renamed
    assert again.specs["trip.at"].fields["postcode"].slot.earlier == ("zip", "plz")


def test_a_bad_one_in_a_json_schema_is_refused() -> None:
    part = {"type": "string", "x-slot": {"was": 3}}
    with pytest.raises(SchemaError, match="was"):
        domain_from_json_schema({"title": "trip", "type": "object", "properties": {"a": part}})
