"""Included files put where they are included, before anything is compiled: an include takes as long as ten lines do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from jinja2 import nodes
from jinja2.visitor import NodeTransformer

Find = Callable[[str, str], "tuple[str, nodes.Template] | None"]
"""The name and the tree of the file that a name means in the file of another name."""

MOST: Final = 40
"""Includes in one file that are replaced: files that include each other are small, but can come out at any size."""
_PLAIN: Final = (nodes.Output, nodes.If, nodes.For, nodes.Include)
"""Statements that leave nothing behind and look at nothing but variables."""
_SPECIAL: Final = frozenset({"loop", "self", "caller", "varargs", "kwargs"})
"""Names that mean something else in another place."""


def inlined(tree: nodes.Template, name: str, find: Find) -> nodes.Template:
    """The tree of file `name`, with what it includes in its place, as far as that cannot make a difference."""
    _Inliner(name, find).visit(tree)
    return tree


class _Inliner(NodeTransformer):
    def __init__(self, name: str, find: Find) -> None:
        self._within = [name]
        self._find = find
        self._left = MOST

    def visit_Include(self, node: nodes.Include) -> nodes.Node:
        name = node.template.value if isinstance(node.template, nodes.Const) else None
        if not isinstance(name, str) or node.ignore_missing or not self._left:
            return node
        self._left -= 1
        found = self._find(name, self._within[-1])
        if found is None or found[0] in self._within or not _is_plain(found[1]):
            return node
        self._within.append(found[0])
        self.generic_visit(found[1])
        self._within.pop()
        return nodes.Scope(found[1].body).set_lineno(node.lineno)


def _is_plain(tree: nodes.Template) -> bool:
    return all(isinstance(node, _PLAIN) for node in tree.find_all(nodes.Stmt)) and not any(
        node.name in _SPECIAL for node in tree.find_all(nodes.Name)
    )
