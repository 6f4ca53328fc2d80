"""Domains from JSON Schema, by hand and from what Pydantic writes."""

from __future__ import annotations

from typing import Any

import pytest

from slotstate import DONTCARE, SchemaError, Tracker, domain_from_json_schema
from slotstate.testing import ScriptedExtractor, change
from tests.core.test_domains import KINDS, Everything


def schema(**properties: Any) -> dict[str, Any]:
    return {"title": "case", "type": "object", "properties": properties}


def test_what_pydantic_writes_is_read_back_with_the_same_kinds() -> None:
    domain = domain_from_json_schema(Everything.model_json_schema(mode="validation"))
    assert {name: spec.kind for name, spec in domain.slots.items()} == KINDS
    assert domain.name == "everything"
    assert [name for name, spec in domain.slots.items() if not spec.required] == ["maybe"]


def test_the_declaration_travels_in_x_slot() -> None:
    from datetime import timedelta
    from typing import Annotated, Literal

    from pydantic import BaseModel

    from slotstate import Slot

    slot = Slot(
        ask="Which?",
        aliases={"a": ["first"]},
        examples=["a"],
        cues=["letter"],
        dont_care=True,
        confirm="explicit",
        evidence="user",
        sensitive=True,
        ttl=timedelta(hours=1),
        share="letters",
    )

    class Letters(BaseModel):
        letter: Annotated[Literal["a", "b"] | None, slot] = None

    again = domain_from_json_schema(Letters.model_json_schema()).slots["letter"].slot
    assert again.declared() == slot.declared()
    assert again.ttl == timedelta(hours=1)


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        ({"type": "string"}, "text"),
        ({"type": "string", "enum": ["yes", "no"]}, "categorical"),
        ({"const": "x"}, "categorical"),
        ({"type": ["integer", "null"]}, "integer"),
        ({"type": "string", "format": "decimal"}, "decimal"),
        ({"type": "number", "format": "decimal"}, "decimal"),
        ({"type": "string", "format": "date-time"}, "datetime"),
        ({"type": "string", "format": "hostname"}, "text"),
        ({"type": "string", "format": "tel"}, "phone"),
        ({"oneOf": [{"type": "boolean"}, {"type": "null"}]}, "boolean"),
        ({"type": "object", "x-slot": {"type": "money"}, "properties": {}}, "money"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "map"),
        ({"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}}, "list"),
    ],
)
def test_kinds(part: dict[str, Any], kind: str) -> None:
    assert domain_from_json_schema(schema(slot=part)).slots["slot"].kind == kind


@pytest.mark.parametrize(
    ("part", "hint"),
    [
        ({}, "no type"),
        ({"type": "text"}, "type 'text'"),
        ({"type": ["string", "integer"]}, "one kind of value"),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "one kind of value"),
        ({"type": "array"}, "needs items"),
        ({"type": "object"}, "needs properties"),
        ({"enum": []}, "at least one"),
        ({"enum": [True, False]}, "in quotes"),
        ({"$ref": "#/$defs/Nowhere"}, "not among"),
        ({"type": "string", "x-slot": {"asks": "?"}}, "did you mean 'ask'"),
        ({"type": "string", "x-slot": ["ask"]}, "must be an object"),
        ({"type": "string", "x-slot": {"dont_care": "perhaps"}}, "dont_care"),
        ({"type": "string", "x-slot": {"type": "colour"}}, "x-slot type"),
        ({"type": "integer", "default": "many"}, "default 'many' does not fit"),
        ("string", "must be a schema object"),
    ],
)
def test_a_bad_property_is_refused_by_name(part: Any, hint: str) -> None:
    with pytest.raises(SchemaError, match=hint) as refused:
        domain_from_json_schema(schema(slot=part))
    assert "case.slot" in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ([], "must be an object"),
        ({"type": "object", "properties": {}}, "needs a title"),
        ({"title": "case", "type": "array"}, "type: object and properties"),
        (schema(_hidden={"type": "string"}), "cannot start with _"),
        (schema(), "declares no slots"),
        (schema(model_config={"type": "string"}), "cannot be a domain|model_config"),
    ],
)
def test_a_bad_domain_is_refused(given: Any, hint: str) -> None:
    with pytest.raises(SchemaError, match=hint):
        domain_from_json_schema(given)


def test_a_recursive_schema_is_refused() -> None:
    given = schema(node={"$ref": "#/$defs/Node"})
    given["$defs"] = {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}}
    with pytest.raises(SchemaError, match="contains itself"):
        domain_from_json_schema(given)


def test_patterns_and_numeric_limits_hold() -> None:
    code = {"type": "string", "pattern": "^[A-Z]{2}[0-9]{2}$", "minLength": 4}
    care = {"type": "integer", "minimum": 1, "x-slot": {"dont_care": True}}
    domain = domain_from_json_schema(schema(code=code, care=care))
    script = [[change("case.code", "set", "ab12", "ab12"), change("case.care", "set", DONTCARE, "any")]]
    chat = Tracker(domain, extractor=ScriptedExtractor(script)).open("s")
    assert [one.reason for one in chat.user("ab12, any").rejected] == ["invalid_value"]
    assert chat.state["case"]["care"].dontcare


def test_limits_and_defaults_hold() -> None:
    part = {"type": "integer", "minimum": 1, "maximum": 9, "default": 2, "description": "How many?"}
    domain = domain_from_json_schema(schema(people=part, any={"type": "string", "x-slot": {"dont_care": True}}))
    assert domain.slots["people"].description == "How many?"
    script = [[change("case.people", "set", 12, "12"), change("case.any", "set", DONTCARE, "any is fine")]]
    chat = Tracker(domain, extractor=ScriptedExtractor(script)).open("s")
    turn = chat.user("12 of us, any is fine")
    assert [one.reason for one in turn.rejected] == ["invalid_value"]
    assert chat.state["case"]["any"].dontcare
    assert chat.form(domain.model).model_dump() == {"people": 2, "any": None}


def test_what_a_union_refers_to_is_followed() -> None:
    place = {"anyOf": [{"$ref": "#/$defs/Place"}, {"type": "null"}], "default": None}
    given = schema(
        place=place, amount={"anyOf": [{"type": "number", "minimum": 1}, {"type": "string"}, {"type": "null"}]}
    )
    given["$defs"] = {"Place": {"type": "object", "properties": {"city": {"type": "string"}}}}
    slots = domain_from_json_schema(given).slots
    assert (slots["place"].kind, slots["place"].fields["city"].kind, slots["amount"].kind) == (
        "composite",
        "text",
        "decimal",
    )
