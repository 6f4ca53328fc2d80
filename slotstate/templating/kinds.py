"""What an expression of a template can be, as far as the types of the variables tell."""

from __future__ import annotations

from dataclasses import dataclass
from types import UnionType
from typing import Any, Final, TypeAlias, Union, get_args, get_origin, get_type_hints, is_typeddict

from jinja2 import nodes

from slotstate.templating.guarding import Names
from slotstate.templating.sources import Source

ANY: Final = Any
Kind: TypeAlias = Any
"""What an expression is: a TypedDict, list[…], str, …; Any where it is not known."""


class Words(str):
    """Stands for the type of a text that is somebody's words."""


@dataclass(frozen=True, eq=False)
class Callee:
    """A macro, and what it sees beside its arguments."""

    node: nodes.Macro
    names: Names
    source: Source


@dataclass(frozen=True, eq=False)
class Module:
    """What `import … as` gives."""

    names: Names


def item_of(kind: Kind) -> Kind:
    """What a list holds; Any for anything else."""
    found: Any = bare(kind)
    origin: object = get_origin(found)
    return get_args(found)[0] if origin is list else ANY


def shape_of(kind: Kind) -> object:
    """What tells kinds apart: a macro is the same however often its file was read."""
    if isinstance(kind, Callee):
        return kind.node
    return frozenset(kind.names) if isinstance(kind, Module) else kind


def key_of(kind: Kind, key: str) -> Kind:
    """What an object holds under a key; Any where that is not known."""
    if isinstance(kind, Module):
        return kind.names.get(key, ANY)
    kind = bare(kind)
    return get_type_hints(kind).get(key, ANY) if is_typeddict(kind) else ANY


def bare(kind: Kind) -> Kind:
    """Without None as an alternative."""
    if get_origin(kind) in {Union, UnionType}:
        parts = [part for part in get_args(kind) if part is not type(None)]
        return parts[0] if len(parts) == 1 else ANY
    return kind
