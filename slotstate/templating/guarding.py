"""What is known not to be none where an expression stands: by the tests around it, and by the filters of a loop."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import NoneType, UnionType
from typing import Any, Final, Union, get_args, get_origin

from jinja2 import nodes

_HOLDING: Final = frozenset("mapping sequence iterable string number integer float boolean true".split())
"""Tests that none does not pass."""
_PASSING: Final = frozenset("default d list first last length count trim string".split())
"""Filters that are true of nothing but what is true itself."""
_SAME_ITEMS: Final = frozenset("list sort unique reverse select reject selectattr rejectattr".split())
_MOST: Final = 20
"""Names that were set to each other, followed."""


class Names(dict[str, Any]):
    """What names stand for at one place. `sure` are expressions that are not none there, as `path_of` writes them, and
    `set_to` what names were set to.
    """

    def __init__(self, given: Mapping[str, Any] | None = None) -> None:
        super().__init__(given or {})
        known = given if isinstance(given, Names) else None
        self.sure: frozenset[str] = known.sure if known is not None else frozenset()
        self.set_to: dict[str, nodes.Node] = dict(known.set_to) if known is not None else {}

    def bind(self, name: str, kind: Any, value: nodes.Node | None = None) -> None:
        """Let a name stand for something else; what was known of the one before is forgotten."""
        self[name] = kind
        self.sure = frozenset(path for path in self.sure if _root(path) != name)
        self.set_to.pop(name, None)
        if value is not None and not any(
            one.name == name for one in (value, *value.find_all(nodes.Name)) if isinstance(one, nodes.Name)
        ):
            self.set_to[name] = value

    @contextmanager
    def knowing(self, paths: frozenset[str]) -> Iterator[None]:
        """These are not none meanwhile."""
        before = self.sure
        self.sure = before | paths
        yield
        self.sure &= before  # without what was set to something else meanwhile


def path_of(node: nodes.Node | None) -> str | None:
    """An expression as it is written, where it is made of a name, keys and indexes only."""
    match node:
        case nodes.Name(name=name):
            return str(name)
        case nodes.Getattr(node=owner, attr=key) | nodes.Getitem(node=owner, arg=nodes.Const(value=str(key))):
            path = path_of(owner)
            return None if path is None else f"{path}.{key}"
        case nodes.Getitem(node=owner, arg=nodes.Const(value=int(index))):
            path = path_of(owner)
            return None if path is None else f"{path}[{index}]"
        case _:
            return None


def may_be_none(node: nodes.Node, kind: Any, names: Names) -> bool:
    """Whether an expression of this kind is none at times, and nothing around it says that it is not now."""
    if get_origin(kind) not in {Union, UnionType} or NoneType not in get_args(kind):
        return False
    for _ in range(_MOST):
        path = path_of(node)
        if path is None or path in names.sure:
            return False
        if path not in names.set_to:
            break
        node = names.set_to[path]
    return True


def sure_of(test: nodes.Node, names: Names, yes: bool = True, left: int = _MOST) -> frozenset[str]:
    """What is not none where the test came out true, or false with `yes=False`."""
    match test:
        case nodes.Not(node=inner):
            return sure_of(inner, names, not yes, left)
        case nodes.And(left=one, right=other) | nodes.Or(left=one, right=other):
            known, more = sure_of(one, names, yes, left), sure_of(other, names, yes, left)
            return known | more if isinstance(test, nodes.And) == yes else known & more
        case nodes.Test():
            return _by_test(test, names, yes)
        case nodes.Compare(expr=one, ops=[nodes.Operand(op=operator, expr=other)]):
            return _by_comparison(one, operator, other, names, yes) | _by_comparison(other, operator, one, names, yes)
        case nodes.Filter(node=inner, name=name) if name in _PASSING and inner is not None:
            return sure_of(inner, names, yes, left) if yes else frozenset()
        case nodes.Name(name=name) if name in names.set_to and left:
            own = frozenset({name}) if yes else frozenset[str]()
            return own | sure_of(names.set_to[name], names, yes, left - 1)
        case _:
            return _with_owners(test, names) if yes else frozenset()


def _by_test(test: nodes.Test, names: Names, yes: bool) -> frozenset[str]:
    if test.name in {"none", "undefined"}:
        yes = not yes
    elif test.name != "defined" and test.name not in _HOLDING:
        return frozenset()
    if not yes:
        return frozenset()
    if test.name in {"defined", "undefined"}:  # of none, that it has no such key; none itself is defined
        return (
            _with_owners(test.node.node, names) if isinstance(test.node, nodes.Getattr | nodes.Getitem) else frozenset()
        )
    return _with_owners(test.node, names)


def _by_comparison(one: nodes.Node, operator: str, other: nodes.Node, names: Names, yes: bool) -> frozenset[str]:
    """What `one == other` and the like say of `one`."""
    match operator, other:
        case (("eq" | "ne"), nodes.Const(value=value)):
            holds = (operator == "eq") == (value is not None)
        case (("in" | "notin"), (nodes.List(items=items) | nodes.Tuple(items=items))):
            if not all(isinstance(item, nodes.Const) and item.value is not None for item in items):
                return frozenset()
            holds = operator == "in"
        case _:
            return frozenset()
    return _with_owners(one, names) if holds == yes else frozenset()


def _with_owners(node: nodes.Node, names: Names) -> frozenset[str]:
    """An expression that is not none, and what it is a part of."""
    found: set[str] = set()
    for _ in range(_MOST):
        path = path_of(node)
        if path is None:
            break
        found.add(path)
        if isinstance(node, nodes.Getattr | nodes.Getitem):
            node = node.node
        elif path in names.set_to:
            node = names.set_to[path]
        else:
            break
    return frozenset(found)


def picked(items: nodes.Node, names: Names, left: int = _MOST) -> frozenset[str]:
    """Keys that are not none in each of these items, as filters chose them."""
    match items:
        case nodes.Filter(node=inner, name=name) if name in _SAME_ITEMS and inner is not None and left:
            return _picked_by(items) | picked(inner, names, left - 1)
        case nodes.Getitem(node=inner, arg=nodes.Slice()):
            return picked(inner, names, left)
        case nodes.Name(name=name) if name in names.set_to and left:
            return picked(names.set_to[name], names, left - 1)
        case _:
            return frozenset()


def _picked_by(chosen: nodes.Filter) -> frozenset[str]:
    match chosen.name, chosen.args:
        case "selectattr", [nodes.Const(value=str(key))]:
            return frozenset({key})
        case "selectattr", [nodes.Const(value=str(key)), nodes.Const(value=str(test)), *_] if test in _HOLDING:
            return frozenset({key})
        case "selectattr", [nodes.Const(value=str(key)), nodes.Const(value="ne"), nodes.Const(value=None)]:
            return frozenset({key})
        case "rejectattr", [nodes.Const(value=str(key)), nodes.Const(value="none")]:
            return frozenset({key})
        case "rejectattr", [nodes.Const(value=str(key)), nodes.Const(value="eq"), nodes.Const(value=None)]:
            return frozenset({key})
        case _:
            return frozenset()


def _root(path: str) -> str:
    return re.split(r"[.\[]", path, maxsplit=1)[0]
