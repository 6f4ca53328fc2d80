"""Domains read from JSON Schema: each becomes a Pydantic model, so that one path serves both ways of declaring."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, TypeAdapter, create_model
from typing_extensions import TypedDict

from slotstate.domains import Domain, compile_domain
from slotstate.errors import SchemaError, near
from slotstate.slots import Confirm, Email, Evidence, Money, Phone, Slot

_FORMATS: Mapping[str, Any] = {
    "date": date,
    "time": time,
    "date-time": datetime,
    "duration": timedelta,
    "decimal": Decimal,
    "email": Email,
    "phone": Phone,
    "tel": Phone,
    "money": Money,
}
_LIMITS = {
    "minimum": "ge",
    "maximum": "le",
    "exclusiveMinimum": "gt",
    "exclusiveMaximum": "lt",
    "multipleOf": "multiple_of",
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_length",
    "maxItems": "max_length",
}


def domain_from_json_schema(schema: Mapping[str, Any], name: str | None = None) -> Domain:
    """The domain that a JSON Schema object declares; `title` names it, `x-slot` of a property holds its Slot.

    Raises SchemaError, naming the property and the remedy.
    """
    if not isinstance(schema, Mapping):
        raise SchemaError("a domain's JSON Schema must be an object with title, type and properties")
    title = name or schema.get("title")
    if not isinstance(title, str) or not title:
        raise SchemaError("a domain's JSON Schema needs a title: it is the domain's name in paths")
    reader = _Reader(schema.get("$defs") or schema.get("definitions") or {})
    if schema.get("type", "object") != "object" or not isinstance(schema.get("properties"), Mapping):
        raise SchemaError(f"{title}: a domain needs type: object and properties")
    model = reader.model(schema, title, title)
    model.__doc__ = schema.get("description") or ""
    return compile_domain(model, _path_name(title))


def _path_name(title: str) -> str:
    return (
        re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", title).lower() if re.fullmatch(r"(?:[A-Z][a-z0-9]+)+", title) else title
    )


class _SlotOptions(TypedDict, total=False):
    ask: str
    aliases: dict[str, list[str]]
    examples: list[str]
    cues: list[str]
    dont_care: bool
    confirm: Confirm
    evidence: Evidence
    sensitive: bool
    ttl: timedelta
    share: str
    was: str | list[str]


@cache
def _slot_options() -> TypeAdapter[_SlotOptions]:
    return TypeAdapter(_SlotOptions)


class _Reader:
    """Turns the parts of one JSON Schema into annotations, following `$ref` into its definitions."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._definitions = definitions
        self._open: list[str] = []

    def model(self, schema: Mapping[str, Any], name: str, path: str) -> type[BaseModel]:
        """A model of an object schema's properties."""
        required = set(schema.get("required", ()))
        fields: dict[str, Any] = {}
        for key, part in schema["properties"].items():
            where = f"{path}.{key}"
            if key.startswith("_"):
                raise SchemaError(f"{where}: a slot name cannot start with _: rename it")
            if not isinstance(part, Mapping):
                raise SchemaError(f"{where}: a property must be a schema object, not {type(part).__name__}")
            annotation = self.annotation(part, where)
            if isinstance(part.get("x-slot"), Mapping) and part["x-slot"].get("dont_care"):
                annotation = annotation | None
            about = {"description": part["description"]} if "description" in part else {}
            if key in required and "default" not in part:
                fields[key] = (annotation, Field(**about))
            else:
                default = _default(part, annotation, where)
                fields[key] = (annotation | None if default is None else annotation, Field(default=default, **about))
        try:
            return create_model(re.sub(r"\W", "_", name) or "Domain", **fields)
        except Exception as error:
            raise SchemaError(f"{path}: cannot be a domain: {str(error).splitlines()[0]}") from None

    def annotation(self, part: Mapping[str, Any], path: str) -> Any:
        """The annotation of one property, its limits and its Slot included."""
        ref = part.get("$ref")
        if isinstance(ref, str):
            return self._referred(ref, part, path)
        part = self._single(part, path)
        if "$ref" in part:
            return self.annotation(part, path)
        given = part.get("x-slot", {})
        slot, kind = _slot(given, path)
        base = self._base(part, kind, path)
        limits = {ours: part[theirs] for theirs, ours in _LIMITS.items() if theirs in part}
        if "pattern" in part:
            limits["pattern"] = part["pattern"]
        extras: list[Any] = [Field(**limits)] if limits and kind != "money" else []
        if given:
            extras.append(slot)
        return Annotated[(base, *extras)] if extras else base

    def _referred(self, ref: str, part: Mapping[str, Any], path: str) -> Any:
        key = ref.rsplit("/", 1)[-1]
        if key not in self._definitions:
            raise SchemaError(f"{path}: $ref {ref!r} is not among the schema's $defs{near(key, self._definitions)}")
        if key in self._open:
            raise SchemaError(f"{path}: {key} contains itself; a slot needs a fixed shape: flatten it")
        self._open.append(key)
        try:
            beside = {name: value for name, value in part.items() if name != "$ref"}
            return self.annotation({**self._definitions[key], **beside}, path)
        finally:
            self._open.pop()

    def _single(self, part: Mapping[str, Any], path: str) -> Mapping[str, Any]:
        """The schema without its null branch: absent and null are the same to a tracker."""
        types = part.get("type")
        if isinstance(types, list):
            rest = [item for item in types if item != "null"]
            if len(rest) != 1:
                raise SchemaError(f"{path}: a slot holds one kind of value, not {types}: choose one type")
            part = {**part, "type": rest[0]}
        for union in ("anyOf", "oneOf"):
            branches = part.get(union)
            if not isinstance(branches, list):
                continue
            rest = [branch for branch in branches if branch.get("type") != "null"]
            numeric = [branch for branch in rest if branch.get("type") == "number"]
            if len(rest) == 2 and numeric and len(rest) > len(numeric):
                rest = [
                    {"type": "string", "format": "decimal", **_only_limits(numeric[0])}
                ]  # as Pydantic writes Decimal
            if len(rest) != 1:
                raise SchemaError(f"{path}: a slot holds one kind of value, not {len(rest)} of them: choose one")
            part = {**rest[0], **{key: value for key, value in part.items() if key != union}}
        return part

    def _base(self, part: Mapping[str, Any], kind: str | None, path: str) -> Any:
        if kind is not None:
            return _FORMATS[kind]
        if "const" in part or "enum" in part:
            return _choices(part["enum"] if "enum" in part else [part["const"]], path)
        if part.get("x-kind") == "money":
            return Money
        readers: Mapping[str, Callable[[], Any]] = {
            "string": lambda: _text(part, path),
            "boolean": lambda: bool,
            "integer": lambda: int,
            "number": lambda: Decimal if part.get("format") == "decimal" else float,
            "array": lambda: self._list(part, path),
            "object": lambda: self._object(part, path),
        }
        stated = part.get("type")
        if not isinstance(stated, str) or stated not in readers:
            found = "no type" if stated is None else f"type {stated!r}"
            raise SchemaError(f"{path}: {found}; use one of {', '.join(readers)}, or enum")
        return readers[stated]()

    def _list(self, part: Mapping[str, Any], path: str) -> Any:
        items = part.get("items")
        if not isinstance(items, Mapping):
            raise SchemaError(f"{path}: an array needs items with the type of its items")
        return list[self.annotation(items, path)]  # type: ignore[misc]

    def _object(self, part: Mapping[str, Any], path: str) -> Any:
        if isinstance(part.get("properties"), Mapping) and part["properties"]:
            return self.model(part, path, path)
        values = part.get("additionalProperties")
        if not isinstance(values, Mapping):
            raise SchemaError(f"{path}: an object needs properties, or additionalProperties with a type")
        return dict[str, self.annotation(values, path)]  # type: ignore[misc]


def _only_limits(part: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in part.items() if key in _LIMITS}


def _text(part: Mapping[str, Any], path: str) -> Any:
    stated = part.get("format")
    return _FORMATS.get(stated, str) if isinstance(stated, str) else str


def _choices(options: Any, path: str) -> Any:
    chosen = [option for option in options if option is not None] if isinstance(options, list) else []
    if not chosen or any(isinstance(option, bool) or not isinstance(option, str | int) for option in chosen):
        raise SchemaError(f"{path}: enum must list texts or whole numbers, at least one; put yes and no in quotes")
    return Literal[tuple(chosen)]


def _slot(given: Any, path: str) -> tuple[Slot, str | None]:
    if not isinstance(given, Mapping):
        raise SchemaError(f"{path}: x-slot must be an object, such as {{ask: Which day?}}")
    known = {*_SlotOptions.__annotations__, "type"}
    unknown = sorted(set(given) - known)
    if unknown:
        raise SchemaError(f"{path}: x-slot has no {unknown[0]!r}{near(unknown[0], known)}")
    kind = given.get("type")
    if kind is not None and kind not in _FORMATS:
        raise SchemaError(f"{path}: x-slot type {kind!r} is unknown{near(str(kind), _FORMATS)}")
    try:
        options = _slot_options().validate_python({key: value for key, value in given.items() if key != "type"})
    except ValueError as error:
        first = str(error).splitlines()
        raise SchemaError(f"{path}: x-slot {first[1]}: {first[2].strip().split(' [')[0]}") from None
    return Slot(**options), kind


def _default(part: Mapping[str, Any], annotation: Any, path: str) -> Any:
    if part.get("default") is None:
        return None
    try:
        return TypeAdapter(annotation).validate_python(part["default"])
    except ValueError as error:
        raise SchemaError(
            f"{path}: default {part['default']!r} does not fit: {str(error).splitlines()[1].strip()}"
        ) from None
