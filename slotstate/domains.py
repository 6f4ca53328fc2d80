"""Domains: a Pydantic model compiled into slots, with a bad declaration refused at once."""

from __future__ import annotations

import re
import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeAlias, Union, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Strict, TypeAdapter, create_model, field_validator
from pydantic.fields import FieldInfo

from slotstate.errors import SchemaError, UnknownPath, near
from slotstate.slots import Confirm, Evidence, Kind, Money, Slot, SlotSpec

_SCALARS: Mapping[type, Kind] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    Decimal: "decimal",
    datetime: "datetime",
    date: "date",
    time: "time",
    timedelta: "duration",
    str: "text",
}
_LISTS = (list, tuple, set, frozenset, Sequence)
_MAPS = (dict, Mapping)
_KEPT_CONFIG = {
    "arbitrary_types_allowed",
    "str_strip_whitespace",
    "str_to_lower",
    "str_to_upper",
    "str_min_length",
    "str_max_length",
    "coerce_numbers_to_str",
    "regex_engine",
}
_SUPPORTED = (
    "use str, Literal or Enum, bool, int, float, Decimal, Money, date, time, datetime, timedelta, Phone, Email, "
    "list[…], dict[str, …] or a nested model"
)


@dataclass(frozen=True, slots=True, eq=False)
class Domain:
    """A compiled domain: its name, what it is for, its slots in order of declaration, and the model that `form`
    fills.
    """

    name: str
    description: str
    model: type[BaseModel]
    slots: Mapping[str, SlotSpec]


class Domains(Mapping[str, Domain]):
    """The domains of one tracker by name, with look-up of slots by path."""

    def __init__(self, domains: Iterable[Domain]) -> None:
        self._domains: dict[str, Domain] = {}
        self._paths: dict[str, SlotSpec] = {}
        self._renamed: dict[str, str] = {}
        for domain in domains:
            if domain.name in self._domains:
                raise SchemaError(f"two domains are named {domain.name!r}: rename one of the models")
            self._domains[domain.name] = domain
            self._paths.update({spec.path: spec for spec in domain.slots.values()})
        if not self._domains:
            raise SchemaError("a tracker needs at least one domain: pass a Pydantic model")
        self._rename()

    def _rename(self) -> None:
        for spec in self._paths.values():
            for name in spec.slot.earlier:
                earlier = name if "." in name else f"{spec.domain}.{name}"
                if earlier in self._paths:
                    raise SchemaError(
                        f"{spec.path}: was names {earlier!r}, which is a slot still: a log's {earlier} can only be one "
                        "of them; rename or remove that slot, or drop the name from was"
                    )
                other = self._renamed.setdefault(earlier, spec.path)
                if other != spec.path:
                    raise SchemaError(f"{earlier!r} is an earlier name of {other} and of {spec.path}: choose one")

    def __getitem__(self, name: str) -> Domain:
        try:
            return self._domains[name]
        except KeyError:
            raise UnknownPath(f"unknown domain {name!r}{near(name, self._domains)}") from None

    def __iter__(self) -> Any:
        return iter(self._domains)

    def __len__(self) -> int:
        return len(self._domains)

    def __contains__(self, name: object) -> bool:
        return name in self._domains

    @property
    def specs(self) -> Mapping[str, SlotSpec]:
        """Every slot of every domain, by path, in order of declaration."""
        return self._paths

    @property
    def renamed(self) -> Mapping[str, str]:
        """Present paths by the earlier ones that slots declare."""
        return self._renamed

    def spec(self, path: str) -> SlotSpec:
        """The slot that `path` names: `domain.slot`, or the bare slot name where only one domain has it.

        Raises UnknownPath with a near name.
        """
        if path in self._paths:
            return self._paths[path]
        homes = [spec for spec in self._paths.values() if spec.name == path]
        if len(homes) == 1:
            return homes[0]
        if len(homes) > 1:
            raise UnknownPath(f"slot {path!r} is in several domains: write {' or '.join(spec.path for spec in homes)}")
        raise UnknownPath(f"unknown slot {path!r}{near(path, self._paths)}")

    def resolve(self, path: str) -> tuple[SlotSpec, str | None]:
        """The slot that `path` names, and the field when the path goes into a composite or a map.

        Raises UnknownPath with a near name.
        """
        if not isinstance(path, str):
            raise UnknownPath(f"a path is text such as domain.slot, not {type(path).__name__}")
        domain, _, rest = path.partition(".")
        slot, _, inner = rest.partition(".")
        spec = self._paths.get(f"{domain}.{slot}")
        if spec is None or not inner:
            return self.spec(path), None
        if spec.kind == "map":
            return spec, inner
        if spec.kind != "composite":
            raise UnknownPath(f"unknown slot {path!r}: {spec.path} is a {spec.kind}, it has no fields")
        if inner not in spec.fields:
            raise UnknownPath(f"unknown slot {path!r}{near(path, [f'{spec.path}.{name}' for name in spec.fields])}")
        return spec, inner


Declarable: TypeAlias = type[BaseModel] | Domain


def compile_domains(declared: Declarable | Domains | Iterable[Declarable]) -> Domains:
    """Compile one model, several, or compiled domains. Raises SchemaError, naming the slot and the remedy."""
    if isinstance(declared, Domains):
        return declared
    if isinstance(declared, (Domain, type)):
        declared = [declared]
    return Domains(item if isinstance(item, Domain) else compile_domain(item) for item in declared)


def compile_domain(model: type[BaseModel], name: str | None = None) -> Domain:
    """Compile a Pydantic model into a Domain; its name is the model's in snake case unless `name` is given.

    Raises SchemaError for what cannot be a domain (a recursive model, a type that no slot can hold, a bad name).
    """
    if not _is_model(model):
        raise SchemaError(f"{model!r} is not a Pydantic model class: a domain is declared as class Name(BaseModel)")
    name = name or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", model.__name__).lower()
    _check_name(name, "domain")
    if not model.model_fields:
        raise SchemaError(f"domain {name!r} declares no slots: add fields to {model.__name__}")
    slots = _compile_fields(model, name, ())
    return Domain(name, " ".join((model.__doc__ or "").split()), model, slots)


def _is_model(given: object) -> bool:
    return isinstance(given, type) and issubclass(given, BaseModel)


def _check_name(name: str, what: str) -> None:
    if not re.fullmatch(r"[^\W\d][\w-]*", name):
        raise SchemaError(f"{what} name {name!r} cannot be used in a path: use letters, digits and _, a letter first")


def _compile_fields(model: type[BaseModel], prefix: str, above: tuple[type[BaseModel], ...]) -> Mapping[str, SlotSpec]:
    if model in above:
        raise SchemaError(
            f"{prefix}: {model.__name__} contains itself; a slot needs a fixed shape: flatten it or use dict"
        )
    try:
        model.model_rebuild()
    except Exception as error:
        raise SchemaError(f"{prefix}: {model.__name__} cannot be built: {str(error).splitlines()[0]}") from None
    specs: dict[str, SlotSpec] = {}
    for name, info in model.model_fields.items():
        path = f"{prefix}.{name}"
        _check_name(name, f"{path}: slot")
        metadata = [item for item in info.metadata if not isinstance(item, Slot | Strict)]  # values come as JSON
        slot = next((item for item in info.metadata if isinstance(item, Slot)), None)
        annotation: Any = Annotated[(info.annotation, *metadata)] if metadata else info.annotation
        checker = _one_field(model, name, annotation)
        spec = _compile_slot(annotation, path, slot, checker, (*above, model), info)
        specs[name] = spec
    if above:
        _check_fields_were(prefix, specs)
    return MappingProxyType(specs)


def _check_fields_were(prefix: str, fields: Mapping[str, SlotSpec]) -> None:
    taken: dict[str, str] = {}
    for spec in fields.values():
        for name in spec.slot.earlier:
            if "." in name:
                raise SchemaError(
                    f"{spec.path}: was must name a field of the same slot, not {name!r}: write a bare name"
                )
            if name in fields:
                raise SchemaError(f"{spec.path}: was names {name!r}, which is a field still: drop it from was")
            if taken.setdefault(name, spec.name) != spec.name:
                raise SchemaError(f"{prefix}: {name!r} is an earlier name of two fields: choose one")


def _one_field(model: type[BaseModel], name: str, annotation: Any) -> type[BaseModel]:
    """A model of this one field: it checks one value with the field's own validators and no cross-field ones."""
    validators: dict[str, Any] = {}
    for key, decorator in model.__pydantic_decorators__.field_validators.items():
        if name in decorator.info.fields or "*" in decorator.info.fields:
            again = field_validator("value", mode=decorator.info.mode)
            validators[key] = again(staticmethod(partial(decorator.func)))  # unbound, or Pydantic counts cls twice
    config: dict[str, Any] = {key: value for key, value in model.model_config.items() if key in _KEPT_CONFIG}
    return create_model(
        f"{model.__name__}_{name}",
        __config__=cast(ConfigDict, config),
        __validators__=validators,
        value=(annotation, ...),
    )


def _compile_slot(
    annotation: Any,
    path: str,
    slot: Slot | None,
    checker: type[BaseModel],
    above: tuple[type[BaseModel], ...],
    info: FieldInfo | None = None,
) -> SlotSpec:
    bare, inner_slot = _strip(annotation, path)
    slot = slot or inner_slot or Slot()
    kind, options, parts = _kind(bare, annotation, path)
    fields: Mapping[str, SlotSpec] = MappingProxyType({})
    item: SlotSpec | None = None
    if kind == "composite":
        fields = _compile_fields(parts, path, above)
    elif kind in {"list", "map"}:
        _, inner = _strip(parts, path)
        checks = _one_field(BaseModel, "item", parts)
        if inner is not None and inner.was:
            raise SchemaError(f"{path}: was belongs to the slot, not to its items: move it into the outer Slot")
        item = _compile_slot(parts, path, inner or Slot(aliases=slot.aliases), checks, above)
        if item.kind in {"list", "map"}:
            raise SchemaError(f"{path}: a {kind} of {item.kind}s has no stable words for its items; use a nested model")
    spec = SlotSpec(
        path=path,
        name=path.rsplit(".", 1)[-1],
        kind=kind,
        slot=slot,
        model=checker,
        description=(info.description or "") if info else "",
        required=info.is_required() if info else False,
        options=options,
        item=item,
        fields=fields,
    )
    _check_slot(spec, annotation)
    return spec


def _strip(annotation: Any, path: str) -> tuple[Any, Slot | None]:
    """The annotation without Annotated and Optional, and a Slot found on the way."""
    slot: Slot | None = None
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            slot = next((item for item in annotation.__metadata__ if isinstance(item, Slot)), slot)
            annotation = annotation.__origin__
        elif origin in (Union, types.UnionType):
            members = [member for member in get_args(annotation) if member is not type(None)]
            if len(members) != 1:
                raise SchemaError(f"{path}: a slot holds one kind of value, not {annotation}; {_SUPPORTED}")
            annotation = members[0]
        elif isinstance(annotation, types.GenericAlias | type) or origin is not None:
            return annotation, slot
        elif hasattr(annotation, "__value__"):
            annotation = annotation.__value__
        else:
            return annotation, slot


def _may_be_none(annotation: Any) -> bool:
    if get_origin(annotation) is Annotated:
        return _may_be_none(annotation.__origin__)
    return get_origin(annotation) in (Union, types.UnionType) and type(None) in get_args(annotation)


def _kind(bare: Any, annotation: Any, path: str) -> tuple[Kind, tuple[Any, ...], Any]:
    """The kind of a stripped annotation, its options when categorical, and its item type or nested model."""
    origin = get_origin(bare)
    if origin is Literal:
        return "categorical", _options(get_args(bare), path), None
    if origin in _LISTS or bare in _LISTS:
        return "list", (), _items(bare, path)
    if origin in _MAPS or bare in _MAPS:
        return "map", (), _values(bare, path)
    if isinstance(bare, type):
        if issubclass(bare, Enum):
            return "categorical", _options(tuple(member.value for member in bare), path), None
        if issubclass(bare, BaseModel):
            extra = bare.model_config.get("json_schema_extra")
            money = issubclass(bare, Money) or (isinstance(extra, dict) and extra.get("x-kind") == "money")
            return ("money", (), None) if money else ("composite", (), bare)
        for scalar, kind in _SCALARS.items():
            if issubclass(bare, scalar):
                return (_text_kind(annotation) if kind == "text" else kind), (), None
        if _schema(annotation).get("format") == "email":
            return "email", (), None
    raise SchemaError(f"{path}: a slot cannot hold {bare!r}; {_SUPPORTED}")


def _schema(annotation: Any) -> dict[str, Any]:
    try:
        schema = TypeAdapter(annotation).json_schema()
    except Exception:  # a type without a JSON Schema has no format either
        return {}
    return next((part for part in schema.get("anyOf", ()) if part.get("type") != "null"), schema)


def _text_kind(annotation: Any) -> Kind:
    match _schema(annotation).get("format"):
        case "email":
            return "email"
        case "phone":
            return "phone"
        case _:
            return "text"


def _options(options: tuple[Any, ...], path: str) -> tuple[Any, ...]:
    options = tuple(option.value if isinstance(option, Enum) else option for option in options)
    bad = [option for option in options if not isinstance(option, str | int) or isinstance(option, bool)]
    if bad:
        raise SchemaError(f"{path}: option {bad[0]!r} is neither text nor a whole number; write it as text")
    return options


def _items(bare: Any, path: str) -> Any:
    arguments = [item for item in get_args(bare) if item is not Ellipsis]
    if len(arguments) != 1:
        raise SchemaError(f"{path}: a list needs the type of its items, e.g. list[str]")
    return arguments[0]


def _values(bare: Any, path: str) -> Any:
    arguments = get_args(bare)
    if len(arguments) != 2 or arguments[0] is not str:
        raise SchemaError(f"{path}: a map needs text keys and the type of its values, e.g. dict[str, int]")
    return arguments[1]


def _check_options(spec: SlotSpec) -> None:
    """Python takes any value for an option of Slot; a slip there must not pass for a choice."""
    slot = spec.slot
    for name, allowed in (("confirm", get_args(Confirm)), ("evidence", get_args(Evidence))):
        given = getattr(slot, name)
        if given not in allowed:
            raise SchemaError(f"{spec.path}: {name} cannot be {given!r}{near(str(given), allowed)}")
    kinds: tuple[tuple[str, Any, str], ...] = (
        ("ask", str | None, "text"),
        ("share", str | None, "text"),
        ("dont_care", bool, "True or False"),
        ("sensitive", bool, "True or False"),
        ("ttl", timedelta | None, "a timedelta"),
        ("aliases", Mapping, "a mapping from each option to other words for it"),
        ("examples", Sequence, "a collection"),
        ("cues", Sequence, "a collection"),
    )
    for name, kind, noun in kinds:
        given = getattr(slot, name)
        if not isinstance(given, kind) or (kind is Sequence and isinstance(given, str)):
            raise SchemaError(f"{spec.path}: {name} must be {noun}, not {given!r}")
    _check_was(spec)
    taken: dict[str, str] = {}
    for option, words in slot.aliases.items():
        if isinstance(words, str) or not isinstance(words, Sequence):
            raise SchemaError(f"{spec.path}: the aliases of {option!r} must be a list: [{words!r}]")
        for word in words:
            if taken.setdefault(word, option) != option:
                raise SchemaError(f"{spec.path}: {word!r} is an alias of {taken[word]!r} and of {option!r}: choose one")


def _check_was(spec: SlotSpec) -> None:
    given: object = spec.slot.was
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise SchemaError(f"{spec.path}: was must be a name or a list of names, not {given!r}")
    for name in names:
        parts = name.split(".")
        if len(parts) > 2 or not all(re.fullmatch(r"[^\W\d][\w-]*", part) for part in parts):
            raise SchemaError(f"{spec.path}: was names {name!r}: write an earlier slot's name, or domain.slot")


def _check_slot(spec: SlotSpec, annotation: Any) -> None:
    slot = spec.slot
    _check_options(spec)
    if slot.dont_care and not _may_be_none(annotation):
        remedy = "let it be None: `… | None`" if spec.required else "let it be None: `… | None = None`"
        raise SchemaError(f"{spec.path}: dont_care=True needs a value for no preference; {remedy}")
    if not slot.aliases:
        return
    owner = spec.item if spec.kind in {"list", "map"} and spec.item is not None else spec
    if owner.kind not in {"categorical", "boolean", "text"}:
        raise SchemaError(
            f"{spec.path}: aliases are for categorical, boolean and text values, not {owner.kind}; remove them"
        )
    known = {"true", "false"} if owner.kind == "boolean" else {str(option) for option in owner.options}
    for option in slot.aliases:
        if known and option not in known:
            raise SchemaError(f"{spec.path}: aliases name {option!r}, which is no option{near(option, known)}")
