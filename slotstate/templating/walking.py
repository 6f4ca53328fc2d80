"""Following a template's names: what each expression can be, by the types of the variables, through includes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import UnionType
from typing import Any, Final, TypeAlias, Union, get_args, get_origin, get_type_hints, is_typeddict

from jinja2 import nodes

from slotstate.errors import near
from slotstate.templating import variables
from slotstate.templating.engine import Engine
from slotstate.templating.sandbox import GLOBALS, SECTION
from slotstate.templating.sources import Source

ANY: Final = Any
Kind: TypeAlias = Any
"""What an expression is: a TypedDict, list[…], str, …; Any where it is not known."""
Names: TypeAlias = dict[str, Any]


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


_VALUE: Final = {"value", "raw", "quote", "excluded", "offers"}
_THEIRS: Final[Mapping[object, set[str]]] = {
    variables.Slot: _VALUE,
    variables.Pending: {"values", "quote"},
    variables.Offer: {"value"},
    variables.Quote: {"text"},
    variables.Question: {"text"},
}
"""Keys that hold somebody's words."""
_VOLATILE: Final = {*_VALUE, "status", "dontcare", "source", "turn", "pending"}
"""Keys of a slot that change from turn to turn."""
_VOLATILE_NAMES: Final = {"question", "quotes", "changes", "summary", "left_out"}
_BUILT_IN: Final = frozenset({"loop", "self", "super", "caller", "varargs", "kwargs", *GLOBALS})
_METHODS: Final = frozenset({"get", "items", "keys", "values"})
_SAME: Final = frozenset("list sort unique reverse select reject selectattr rejectattr".split())
_BY_ATTRIBUTE: Final = frozenset("selectattr rejectattr".split())
_BY_NAME: Final[Mapping[str, int]] = {"map": 0, "select": 0, "reject": 0, "selectattr": 1, "rejectattr": 1}
"""Filters that name another one, or a test, in this argument."""
_DEEPEST: Final = 12
"""Calls of macros and includes within each other that are followed."""
_MOST: Final = 50_000
"""Parts of macros and included files that are looked at: they can call each other any number of times."""

Report = Callable[[Source, int, str | None, str, str], None]


@dataclass
class Seen:
    """What a section uses: variables, and keys of domains, slots and the like as (type, key)."""

    names: set[str] = field(default_factory=set)
    keys: set[tuple[object, str]] = field(default_factory=set)


@dataclass(frozen=True)
class Place:
    """Where the walk is."""

    source: Source
    section: str | None
    depth: int = 0


class Walk:
    """Walks through a template's sections, and reports names and keys that there are none of."""

    def __init__(self, engine: Engine, report: Report, expect: Callable[[object, str, str], str | None]) -> None:
        self._engine = engine
        self._report = report
        self._expect = expect
        self.seen: dict[str, Seen] = {}
        self.used: set[str] = set()
        self._trees: dict[str, nodes.Template] = {}
        self._called: dict[object, int] = {}
        self._left = _MOST
        self._statements: Mapping[type[nodes.Node], Callable[[Any, Names, Place], None]] = {
            nodes.Output: self._output,
            nodes.For: self._for,
            nodes.If: self._if,
            nodes.Assign: self._set,
            nodes.AssignBlock: self._set_block,
            nodes.With: self._with,
            nodes.Block: self._inner,
            nodes.FilterBlock: self._inner,
            nodes.Macro: self._macro,
            nodes.CallBlock: self._call_block,
            nodes.Include: self._include,
            nodes.Import: self._import,
            nodes.FromImport: self._import,
        }

    def run(self) -> None:
        """Walk through every section of the template, each as it comes out: that of the last file that has it."""
        given: Names = dict(get_type_hints(variables.Variables))
        given["summary"] = list[Words]
        names = dict(given)
        for source in reversed(self._engine.chain):
            self.used.add(source.name)
            for node in self._tree(source).body:
                if not isinstance(node, nodes.Block):
                    self._statement(node, names, Place(source, None))
        for source in reversed(self._engine.chain):
            for block in self._tree(source).find_all(nodes.Block):
                if block.name.startswith(SECTION):
                    section = block.name.removeprefix(SECTION)
                    if section not in self.seen or not _calls_super(block):
                        self.seen[section] = Seen()
                    self._body(block.body, dict(names), Place(source, section))

    def _tree(self, source: Source) -> nodes.Template:
        if source.name not in self._trees:
            self._trees[source.name] = self._engine.parse(source)[0]
        return self._trees[source.name]

    # Statements. Assignments change `names` in place; loops, macros and includes have names of their own.

    def _body(self, body: Sequence[nodes.Node], names: Names, place: Place) -> None:
        for node in body:
            self._statement(node, names, place)

    def _statement(self, node: nodes.Node, names: Names, place: Place) -> None:
        self._left -= place.depth > 0
        handler = self._statements.get(type(node))
        if handler is not None:
            handler(node, names, place)
        elif isinstance(node, nodes.Expr):
            self._kind(node, names, place)
        else:
            for child in node.iter_child_nodes():
                self._statement(child, names, place)

    def _output(self, node: nodes.Output, names: Names, place: Place) -> None:
        for part in node.nodes:
            self._printed(part, names, place)

    def _if(self, node: nodes.If, names: Names, place: Place) -> None:
        self._kind(node.test, names, place)
        for body in (node.body, node.elif_, node.else_):
            self._body(body, names, place)

    def _set(self, node: nodes.Assign, names: Names, place: Place) -> None:
        self._assign(node.target, self._kind(node.node, names, place), names)

    def _set_block(self, node: nodes.AssignBlock, names: Names, place: Place) -> None:
        self._body(node.body, dict(names), place)
        self._assign(node.target, str, names)

    def _with(self, node: nodes.With, names: Names, place: Place) -> None:
        inner = dict(names)
        for target, value in zip(node.targets, node.values, strict=True):
            self._assign(target, self._kind(value, names, place), inner)
        self._body(node.body, inner, place)

    def _inner(self, node: nodes.Block | nodes.FilterBlock, names: Names, place: Place) -> None:
        self._body(node.body, dict(names), place)

    def _macro(self, node: nodes.Macro, names: Names, place: Place) -> None:
        names[node.name] = Callee(node, names, place.source)
        self._callable(node, names, place)

    def _call_block(self, node: nodes.CallBlock, names: Names, place: Place) -> None:
        self._kind(node.call, names, place)
        self._callable(node, names, place)

    def _callable(self, node: nodes.Macro | nodes.CallBlock, names: Names, place: Place) -> None:
        for default in node.defaults:
            self._kind(default, names, place)
        self._body(node.body, {**names, **_parameters(node)}, place)

    def _for(self, node: nodes.For, names: Names, place: Place) -> None:
        items = self._kind(node.iter, names, place)
        inner = dict(names)
        self._assign(node.target, item_of(items), inner)
        if node.test is not None:
            self._kind(node.test, inner, place)
        self._body(node.body, inner, place)
        self._body(node.else_, dict(names), place)

    def _assign(self, target: nodes.Node, kind: Kind, names: Names) -> None:
        if isinstance(target, nodes.Name):
            names[target.name] = kind
        else:
            for name in target.find_all(nodes.Name):
                names[name.name] = ANY

    def _call(self, node: nodes.Call, names: Names, place: Place) -> None:
        """A call of a macro: its body, with what it is given."""
        callee = self._quiet(node.node, names)
        if not isinstance(callee, Callee) or place.depth >= _DEEPEST:
            return
        inner = {**callee.names, **_parameters(callee.node)}
        for argument, given in zip(callee.node.args, node.args, strict=False):
            inner[argument.name] = self._quiet(given, names)
        for keyword in node.kwargs:
            inner[keyword.key] = self._quiet(keyword.value, names)
        called = callee.node, place.section, frozenset((name, _shape(kind)) for name, kind in inner.items())
        if place.depth < self._called.get(called, _DEEPEST) and self._follows(node, place):
            self._called[called] = place.depth
            self._body(callee.node.body, inner, Place(callee.source, place.section, place.depth + 1))

    def _follows(self, node: nodes.Node, place: Place) -> bool:
        """Whether there is room to look into one more macro or file."""
        if self._left < 0:
            message = "macros or files call each other too often to be followed from here: call them less"
            self._tell(node, place, "not-followed", message)
        return self._left >= 0

    def _include(self, node: nodes.Include, names: Names, place: Place) -> None:
        self._kind(node.template, names, place)
        self._inside(node.template, names, place)

    def _inside(self, expression: nodes.Node, names: Names, place: Place) -> Names:
        """Walk through the files that an include or import names; the names that they have at their ends."""
        found: Names = {}
        for source in self.named(expression, place.source):
            self.used.add(source.name)
            if place.depth < _DEEPEST and self._follows(expression, place):
                inner = dict(names)
                self._body(self._tree(source).body, inner, Place(source, place.section, place.depth + 1))
                found |= inner
        return found

    def _import(self, node: nodes.Import | nodes.FromImport, names: Names, place: Place) -> None:
        self._kind(node.template, names, place)
        found = self._inside(node.template, names, place)
        if isinstance(node, nodes.Import):
            names[node.target] = Module(found)
            return
        for one in node.names:
            name, known_as = (one, one) if isinstance(one, str) else one
            names[known_as] = found.get(name, ANY)

    def named(self, expression: nodes.Node, parent: Source) -> Iterator[Source]:
        """The files that an include can mean; of a name put together from parts, all that fit."""
        match expression:
            case nodes.Const(value=str(name)):
                source = self._engine.resolve(name, parent.name)
                if source is not None:
                    yield source
            case nodes.List(items=items) | nodes.Tuple(items=items):
                for item in items:
                    yield from self.named(item, parent)
            case nodes.Concat(nodes=[nodes.Const(value=str(head)), *_, nodes.Const(value=str(tail))]):
                own = self._engine.sources.own
                yield from (one for name, one in own.items() if name.startswith(head) and name.endswith(tail))
            case nodes.CondExpr(expr1=one, expr2=other):
                yield from self.named(one, parent)
                if other is not None:
                    yield from self.named(other, parent)
            case _:
                return

    # Expressions

    def _printed(self, node: nodes.Node, names: Names, place: Place) -> None:
        kind = self._kind(node, names, place)
        for part in _parts(node):
            if self._is_words(part, names, place):
                self._tell(
                    part, place, "raw-value", f"{_written(part)} is printed as it came: write {_written(part)} | data"
                )
        if place.section == "system" and (is_typeddict(item_of(kind)) or kind in (variables.Slot, variables.Domain)):
            self._tell(node, place, "volatile-prefix", f"{_written(node)} holds values, which change: print its name")

    def _is_words(self, node: nodes.Node, names: Names, place: Place) -> bool:
        if isinstance(node, nodes.Getattr):
            return node.attr in _THEIRS.get(_bare(self._quiet(node.node, names)), ())
        return isinstance(node, nodes.Name) and names.get(node.name) is Words

    def _quiet(self, node: nodes.Node, names: Names) -> Kind:
        """What an expression is, nothing being reported."""
        match node:
            case nodes.Name(name=name):
                return names.get(name, ANY)
            case nodes.Getattr(node=owner, attr=attr) | nodes.Getitem(node=owner, arg=nodes.Const(value=str(attr))):
                return key_of(self._quiet(owner, names), attr)
            case nodes.Getitem(node=owner):
                return item_of(self._quiet(owner, names))
            case nodes.Filter(node=value, name=name) if value is not None:
                kind = self._quiet(value, names)
                return kind if name in _SAME else item_of(kind) if name in {"first", "last"} else ANY
            case _:
                return ANY

    def _kind(self, node: nodes.Node, names: Names, place: Place) -> Kind:
        """What an expression is; what is wrong in it is reported."""
        self._left -= place.depth > 0
        match node:
            case nodes.Name(name=name, ctx="load"):
                self._name(node, name, names, place)
            case nodes.Getattr(node=owner, attr=attr) | nodes.Getitem(node=owner, arg=nodes.Const(value=str(attr))):
                self._kind(owner, names, place)
                self._key(node, self._quiet(owner, names), attr, place)
            case nodes.Filter() | nodes.Test():
                self._filter(node, names, place)
            case nodes.Compare():
                self._compare(node, names, place)
            case nodes.Call():
                for child in node.iter_child_nodes():
                    self._kind(child, names, place)
                self._call(node, names, place)
            case _:
                for child in node.iter_child_nodes():
                    self._kind(child, names, place)
        return self._quiet(node, names)

    def _name(self, node: nodes.Node, name: str, names: Names, place: Place) -> None:
        if name not in names and name not in _BUILT_IN:
            self._tell(node, place, "undeclared", f"{name!r} is undefined{near(name, names)}")
        if place.section is not None:
            self.seen[place.section].names.add(name)
        if place.section == "system" and name in _VOLATILE_NAMES:
            self._tell(
                node, place, "volatile-prefix", f"{name} changes from turn to turn: move it to section {_home(name)}"
            )

    def _key(self, node: nodes.Node, kind: Kind, key: str, place: Place) -> None:
        owner = _bare(kind)
        if not is_typeddict(owner):
            return
        known = get_type_hints(owner)
        if place.section is not None:
            self.seen[place.section].keys.add((owner, key))
        if key not in known and key not in _METHODS:
            what = owner.__name__.lower()
            self._tell(node, place, "unknown-attribute", f"a {what} has no {key!r}{near(key, known)}")
        if place.section == "system" and owner is variables.Slot and key in _VOLATILE:
            self._tell(
                node, place, "volatile-prefix", f"a slot's {key} changes from turn to turn: move it to section slots"
            )

    def _filter(self, node: nodes.Filter | nodes.Test, names: Names, place: Place) -> None:
        for child in node.iter_child_nodes():
            self._kind(child, names, place)
        self._named_filter(node, place)
        if not isinstance(node, nodes.Filter) or node.node is None:
            return
        item = item_of(self._quiet(node.node, names))
        attribute = next((one.value for one in node.kwargs if one.key == "attribute"), None)
        if attribute is None and node.name in _BY_ATTRIBUTE and node.args:
            attribute = node.args[0]
        if isinstance(attribute, nodes.Const) and isinstance(attribute.value, str):
            first = attribute.value.partition(".")[0]
            self._key(node, item, first, place)
            self._values(node, item, first, node.args[2:], place)

    def _named_filter(self, node: nodes.Filter | nodes.Test, place: Place) -> None:
        at = _BY_NAME.get(node.name)
        if at is None or len(node.args) <= at or not isinstance(node.args[at], nodes.Const):
            return
        name = getattr(node.args[at], "value", None)
        known = self._engine.sandbox.filters if node.name == "map" else self._engine.sandbox.tests
        if name not in known:
            what = "filter" if node.name == "map" else "test"
            self._tell(node, place, "unknown-filter", f"no {what} {name!r}{near(str(name), known)}")

    def _compare(self, node: nodes.Compare, names: Names, place: Place) -> None:
        operands = [node.expr, *(operand.expr for operand in node.ops)]
        for one in operands:
            self._kind(one, names, place)
        for one in operands:
            if isinstance(one, nodes.Getattr):
                self._values(node, self._quiet(one.node, names), one.attr, operands, place)

    def _values(self, node: nodes.Node, kind: Kind, key: str, others: Iterable[nodes.Node], place: Place) -> None:
        """Whether the texts that a name or path is compared to are in the schema."""
        for other in others:
            for text in (one for one in (other, *other.find_all(nodes.Const)) if isinstance(one, nodes.Const)):
                wrong = self._expect(_bare(kind), key, text.value) if isinstance(text.value, str) else None
                if wrong is not None:
                    self._tell(node, place, "unknown-slot", wrong)

    def _tell(self, node: nodes.Node, place: Place, rule: str, message: str) -> None:
        self._report(place.source, node.lineno, place.section, rule, message)


def _calls_super(block: nodes.Block) -> bool:
    return any(node.name == "super" for node in block.find_all(nodes.Name))


def item_of(kind: Kind) -> Kind:
    """What a list holds; Any for anything else."""
    bare: Any = _bare(kind)
    origin: object = get_origin(bare)
    return get_args(bare)[0] if origin is list else ANY


def _shape(kind: Kind) -> object:
    """What tells kinds apart: a macro is the same however often its file was read."""
    if isinstance(kind, Callee):
        return kind.node
    return frozenset(kind.names) if isinstance(kind, Module) else kind


def _parameters(node: nodes.Macro | nodes.CallBlock) -> Names:
    return dict.fromkeys((argument.name for argument in node.args), ANY)


def key_of(kind: Kind, key: str) -> Kind:
    """What an object holds under a key; Any where that is not known."""
    if isinstance(kind, Module):
        return kind.names.get(key, ANY)
    kind = _bare(kind)
    return get_type_hints(kind).get(key, ANY) if is_typeddict(kind) else ANY


def _bare(kind: Kind) -> Kind:
    """Without None as an alternative."""
    if get_origin(kind) in {Union, UnionType}:
        parts = [part for part in get_args(kind) if part is not type(None)]
        return parts[0] if len(parts) == 1 else ANY
    return kind


def _parts(node: nodes.Node) -> Iterator[nodes.Node]:
    """What an expression prints, where it prints one of several or puts several together."""
    match node:
        case nodes.Concat(nodes=parts):
            for part in parts:
                yield from _parts(part)
        case nodes.CondExpr(expr1=one, expr2=other):
            yield from _parts(one)
            if other is not None:
                yield from _parts(other)
        case _:
            yield node


def _written(node: nodes.Node) -> str:
    """An expression about as it was written."""
    match node:
        case nodes.Name(name=name):
            return name
        case nodes.Getattr(node=owner, attr=attr):
            return f"{_written(owner)}.{attr}"
        case _:
            return "this"


def _home(name: str) -> str:
    return {"question": "slots", "changes": "note", "left_out": "summary"}.get(name, name)
