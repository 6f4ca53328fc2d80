"""Names that are not there, and what is said about them: in a template's own words, with what was probably meant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Any, Final, cast

from jinja2 import StrictUndefined, TemplateRuntimeError, UndefinedError
from jinja2.runtime import BlockReference, LoopContext, Macro, TemplateReference
from jinja2.utils import Namespace, missing

from slotstate.errors import near

_KINDS: Final[Mapping[type | UnionType, str]] = {
    str: "a text",
    dict: "an object",
    list | tuple: "a list",
    bool: "true or false",
    int | float: "a number",
    NoneType: "null",
    Macro: "a macro",
    BlockReference: "a block",
    TemplateReference: "self",
    LoopContext: "loop",
    Namespace: "a namespace",
}


class UnknownName(UndefinedError):
    """A variable, or a key of a value (`owner`), that is not there."""

    def __init__(self, name: str, owner: object) -> None:
        super().__init__(f"{name!r} is undefined")
        self.name = name
        self.owner = owner


class Unknown(StrictUndefined):
    """Raises UnknownName when used, or SecurityError where the name is one that nobody may read."""

    __slots__ = ()

    def __init__(
        self,
        hint: str | None = None,
        obj: Any = missing,
        name: str | None = None,
        exc: type[TemplateRuntimeError] = UndefinedError,
    ) -> None:
        if hint is None:
            # The base class calls it with its message to make the exception.
            exc = cast(type[TemplateRuntimeError], lambda _: UnknownName(str(name), obj))
        super().__init__(hint, obj, name, exc)


def kind_of(obj: object) -> str:
    """What a value is, in words."""
    for kind, name in _KINDS.items():
        if isinstance(obj, kind):
            return name
    return "a value of this kind"


_OWNER: Final = r"(?<![\w.\]])([A-Za-z_][\w.]*(?:\[[^\[\]]*\][\w.]*?)*?)"
"""A name with keys and indexes behind it."""


def unknown(error: UnknownName, names: frozenset[str], line: str) -> str:
    """What to say about a name that is not there; `names` are those known where it stands, in `line`."""
    if error.owner is missing:
        return f"{error.name!r} is undefined{near(error.name, names)}"
    if isinstance(error.owner, dict):
        keys = [key for key in error.owner if isinstance(key, str)]
        return f"no {error.name!r} in this object{near(error.name, keys)}"
    if error.owner is None:
        key = re.escape(str(error.name))
        owners = dict.fromkeys(re.findall(rf"{_OWNER}(?:\.{key}\b|\[['\"]{key}['\"]\])", line))
        guard = f"{{% if {next(iter(owners))} %}}" if len(owners) == 1 else "{% if … %}"
        return f"null has no {error.name!r}: guard it with {guard}"
    return f"{kind_of(error.owner)} has no {error.name!r}: look up what the documented variables hold"
