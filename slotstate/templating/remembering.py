"""Loops that remember what they wrote: an item that never changes is written once, and copied from then on."""

from __future__ import annotations

from itertools import count
from typing import Final, cast

from jinja2 import nodes
from jinja2.visitor import NodeTransformer

REMEMBERED: Final = "·remembered"
"""The filter that marks what a loop runs over, with the loop's number; no template can write such a name."""

_LOOPS: Final = count(1)
"""Numbers for the loops of all templates of this process."""
_PLAIN: Final = (nodes.Output, nodes.If, nodes.Scope)
"""Statements that leave nothing behind."""
_PURE: Final = frozenset(
    "capitalize count d data default first join label last length list lower string title tojson trim upper".split()
)
"""Filters that look at nothing but what they are given."""
_CHECKS: Final = frozenset({"behind_", "cut_", "has_", "join_", "weigh_"})
"""The sandbox's checks that do no more than pay."""


def remembering(tree: nodes.Template) -> nodes.Template:
    """The tree with each loop marked whose body depends on nothing but its item."""
    _Marker().visit(tree)
    return tree


class _Marker(NodeTransformer):
    def visit_For(self, node: nodes.For) -> nodes.Node:
        target = node.target
        plain = isinstance(target, nodes.Name) and node.test is None and not node.else_
        if plain and all(_depends_on(part, cast(nodes.Name, target).name) for part in node.body):
            items, number = cast(nodes.Expr, node.iter), nodes.Const(next(_LOOPS))
            node.iter = nodes.Filter(items, REMEMBERED, [number], [], None, None).set_lineno(node.lineno)
            return node
        self.generic_visit(node)
        return node


def _depends_on(part: nodes.Node, name: str) -> bool:
    """Whether what this part of a loop's body writes follows from the variable `name` alone."""
    match part:
        case nodes.Name():
            own = part.name == name and part.ctx == "load"
        case nodes.Filter():
            own = part.name in _PURE
        case nodes.Call():
            own = isinstance(part.node, nodes.EnvironmentAttribute) and part.node.name in _CHECKS
        case nodes.Stmt():
            own = isinstance(part, _PLAIN)
        case _:
            own = True
    return own and all(_depends_on(child, name) for child in part.iter_child_nodes())
