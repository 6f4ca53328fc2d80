"""Following a template's names: what each expression can be, by the types of the variables, through includes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeGuard, cast, get_type_hints, is_typeddict

from jinja2 import nodes

from slotstate.errors import near
from slotstate.templating import variables
from slotstate.templating.engine import Engine
from slotstate.templating.guarding import Names, may_be_none, path_of, picked, sure_of
from slotstate.templating.kinds import ANY, Callee, Kind, Module, Words, bare, item_of, key_of, shape_of
from slotstate.templating.sandbox import GLOBALS, SECTION
from slotstate.templating.sources import Source

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
_VOLATILE_NAMES: Final = {"question", "quotes", "changes", "summary", "left_out", "left_out_ref"}
_BUILT_IN: Final = frozenset({"loop", "self", "super", "caller", "varargs", "kwargs", *GLOBALS})
_METHODS: Final = frozenset({"get", "items", "keys", "values"})
_SAME: Final = frozenset("list sort unique reverse select reject selectattr rejectattr".split())
_BY_ATTRIBUTE: Final = frozenset("selectattr rejectattr".split())
_BY_NAME: Final[Mapping[str, int]] = {"map": 0, "select": 0, "reject": 0, "selectattr": 1, "rejectattr": 1}
"""Filters that name another one, or a test, in this argument."""
_LACKING: Final = frozenset("default d defined undefined".split())
"""Filters and tests of what may not be there."""
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
    files: list[Source] = field(default_factory=list)
    """The files that it includes, in their order."""


@dataclass(frozen=True)
class Place:
    """Where the walk is."""

    source: Source
    section: str | None
    depth: int = 0
    loose: bool = False
    """In a macro that may be called from anywhere: what is none is not known here."""
    own: tuple[Source, int] | None = None
    """In a bundled file: the line in a file of one's own that it was included at."""


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
        names = Names(get_type_hints(variables.Variables))
        names["summary"] = list[Words]
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
                    self._body(block.body, Names(names), Place(source, section))

    def _tree(self, source: Source) -> nodes.Template:
        if source.name not in self._trees:
            self._trees[source.name] = self._engine.parse(source)[0]
        return self._trees[source.name]

    # Statements. Assignments change `names` in place; loops, macros and includes have names of their own.

    def _body(self, body: Sequence[nodes.Node], names: Names, place: Place) -> None:
        for at, node in enumerate(body):
            self._statement(node, names, place)
            if isinstance(node, nodes.Include) and _edge(body[at + 1 : at + 2], first=True).startswith("\n"):
                self._empty_line(node, place)

    def _empty_line(self, node: nodes.Include, place: Place) -> None:
        """An include with a line break of its own behind it: the file must not end with another one."""
        for source in self.named(node.template, place.source):
            if source.name in self._engine.sources.own and _edge(self._tree(source).body, first=False).endswith("\n"):
                message = (
                    "its last line break and the one behind {% include … +%} make an empty line: close its last "
                    "expression with -}}, or end the file without a line break"
                )
                self._report(source, source.text.count("\n"), place.section, "empty-line", message)

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
        sure: frozenset[str] = frozenset()
        for branch in (node, *node.elif_):
            with names.knowing(sure):
                self._kind(branch.test, names, place)
                with names.knowing(sure_of(branch.test, names)):
                    self._body(branch.body, names, place)
            sure |= sure_of(branch.test, names, False)
        with names.knowing(sure):
            self._body(node.else_, names, place)

    def _set(self, node: nodes.Assign, names: Names, place: Place) -> None:
        self._assign(node.target, self._kind(node.node, names, place), names, node.node)

    def _set_block(self, node: nodes.AssignBlock, names: Names, place: Place) -> None:
        self._body(node.body, Names(names), place)
        self._assign(node.target, str, names)

    def _with(self, node: nodes.With, names: Names, place: Place) -> None:
        inner = Names(names)
        for target, value in zip(node.targets, node.values, strict=True):
            self._assign(target, self._kind(value, names, place), inner, value)
        self._body(node.body, inner, place)

    def _inner(self, node: nodes.Block | nodes.FilterBlock, names: Names, place: Place) -> None:
        self._body(node.body, Names(names), place)

    def _macro(self, node: nodes.Macro, names: Names, place: Place) -> None:
        names.bind(node.name, Callee(node, names, place.source))
        self._callable(node, names, replace(place, loose=True))

    def _call_block(self, node: nodes.CallBlock, names: Names, place: Place) -> None:
        self._kind(node.call, names, place)
        self._callable(node, names, place)

    def _callable(self, node: nodes.Macro | nodes.CallBlock, names: Names, place: Place) -> None:
        for default in node.defaults:
            self._kind(default, names, place)
        inner = Names(names)
        for argument in node.args:
            inner.bind(argument.name, ANY)
        self._body(node.body, inner, place)

    def _for(self, node: nodes.For, names: Names, place: Place) -> None:
        items = self._kind(node.iter, names, place)
        inner = Names(names)
        self._assign(node.target, item_of(items), inner)
        inner.sure |= {f"{path_of(node.target)}.{key}" for key in picked(node.iter, names)}
        if node.test is not None:
            self._kind(node.test, inner, place)
            inner.sure |= sure_of(node.test, inner)
        self._body(node.body, inner, place)
        self._body(node.else_, Names(names), place)

    def _assign(self, target: nodes.Node, kind: Kind, names: Names, value: nodes.Node | None = None) -> None:
        if isinstance(target, nodes.Name):
            names.bind(target.name, kind, value)
        else:
            for name in target.find_all(nodes.Name):
                names.bind(name.name, ANY)

    def _call(self, node: nodes.Call, names: Names, place: Place) -> None:
        """A call of a macro: its body, with what it is given."""
        callee = self._quiet(node.node, names)
        if not isinstance(callee, Callee) or place.depth >= _DEEPEST:
            return
        inner = Names(callee.names)
        inner.sure |= names.sure
        given = dict(zip((one.name for one in callee.node.args), node.args, strict=False))
        given |= {keyword.key: keyword.value for keyword in node.kwargs}
        for argument in callee.node.args:
            value = given.get(argument.name)
            kind = ANY if value is None else self._quiet(value, names)
            inner.bind(argument.name, kind)
            if value is not None and not may_be_none(value, kind, names):
                inner.sure |= {argument.name}
        shapes = frozenset((name, shape_of(kind)) for name, kind in inner.items())
        called = callee.node, place.section, place.loose, inner.sure, shapes
        if place.depth < self._called.get(called, _DEEPEST) and self._follows(node, place):
            self._called[called] = place.depth
            self._body(callee.node.body, inner, self._within(place, callee.source, node))

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
        found = Names()
        for source in self.named(expression, place.source):
            self.used.add(source.name)
            if place.section is not None and source not in self.seen[place.section].files:
                self.seen[place.section].files.append(source)
            if place.depth < _DEEPEST and self._follows(expression, place):
                inner = Names(names)
                self._body(self._tree(source).body, inner, self._within(place, source, expression))
                found.update(inner)
        return found

    def _within(self, place: Place, source: Source, node: nodes.Node) -> Place:
        """The place inside of a file that is included, or of a macro that is called, at this one."""
        own = self._engine.sources.own
        outer = (place.source, node.lineno) if place.source.name in own else place.own
        return replace(place, source=source, depth=place.depth + 1, own=None if source.name in own else outer)

    def _import(self, node: nodes.Import | nodes.FromImport, names: Names, place: Place) -> None:
        self._kind(node.template, names, place)
        found = self._inside(node.template, names, place)
        if isinstance(node, nodes.Import):
            names.bind(node.target, Module(found))
            return
        for one in node.names:
            name, known_as = (one, one) if isinstance(one, str) else one
            names.bind(known_as, found.get(name, ANY))

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
        match node:
            case nodes.Getattr(node=owner, attr=key) | nodes.Getitem(node=owner, arg=nodes.Const(value=str(key))):
                return key in _THEIRS.get(bare(self._quiet(owner, names)), ())
            case _:
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
            case _ if _is_part(node):
                self._part(node, names, place)
            case nodes.And(left=one, right=other) | nodes.Or(left=one, right=other):
                self._kind(one, names, place)
                with names.knowing(sure_of(one, names, isinstance(node, nodes.And))):
                    self._kind(other, names, place)
            case nodes.CondExpr(test=test, expr1=one, expr2=other):
                self._kind(test, names, place)
                for part, yes in ((one, True), (other, False)):
                    if part is not None:
                        with names.knowing(sure_of(test, names, yes)):
                            self._kind(part, names, place)
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

    def _part(self, node: nodes.Getattr | nodes.Getitem, names: Names, place: Place, *, may_lack: bool = False) -> None:
        """A key of something; `may_lack`: what has no such key does no harm here."""
        key = node.attr if isinstance(node, nodes.Getattr) else cast(nodes.Const, node.arg).value
        self._kind(node.node, names, place)
        kind = self._quiet(node.node, names)
        known = self._key(node, kind, key, place)
        if not known or may_lack or place.loose or place.section == "system":
            return
        if may_be_none(node.node, kind, names):
            owner = path_of(node.node)
            guard = f"{{% if {owner} %}} … {{% endif %}}"
            self._tell(node, place, "unguarded", f"{owner} may be none, which has no {key!r}: write {guard} around it")

    def _name(self, node: nodes.Node, name: str, names: Names, place: Place) -> None:
        if name not in names and name not in _BUILT_IN:
            self._tell(node, place, "undeclared", f"{name!r} is undefined{near(name, names)}")
        if place.section is not None:
            self.seen[place.section].names.add(name)
        if place.section == "system" and name in _VOLATILE_NAMES:
            self._tell(
                node, place, "volatile-prefix", f"{name} changes from turn to turn: move it to section {_home(name)}"
            )

    def _key(self, node: nodes.Node, kind: Kind, key: str, place: Place) -> bool:
        """Look at a key of something; whether it can be there."""
        owner = bare(kind)
        if not is_typeddict(owner):
            return True
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
        return key in known or key in _METHODS

    def _filter(self, node: nodes.Filter | nodes.Test, names: Names, place: Place) -> None:
        for child in node.iter_child_nodes():
            if child is node.node and node.name in _LACKING and _is_part(child):
                self._part(child, names, place, may_lack=True)
            else:
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
                wrong = self._expect(bare(kind), key, text.value) if isinstance(text.value, str) else None
                if wrong is not None:
                    self._tell(node, place, "unknown-slot", wrong)

    def _tell(self, node: nodes.Node, place: Place, rule: str, message: str) -> None:
        source, line = place.source, node.lineno
        if place.own is not None:
            message = f"in {source.shown} as it is included here, {message}"
            source, line = place.own
        self._report(source, line, place.section, rule, message)


def _calls_super(block: nodes.Block) -> bool:
    return any(node.name == "super" for node in block.find_all(nodes.Name))


def _edge(body: Sequence[nodes.Node], *, first: bool) -> str:
    """The text that these begin or end with, "" where it is not known before."""
    node = body[0 if first else -1] if body else None
    if isinstance(node, nodes.If | nodes.For):
        return _edge(node.body, first=first)
    if isinstance(node, nodes.Output):
        part = node.nodes[0 if first else -1]
        return part.data if isinstance(part, nodes.TemplateData) else ""
    return ""


def _is_part(node: nodes.Node) -> TypeGuard[nodes.Getattr | nodes.Getitem]:
    """Whether it is `x.key`, or `x["key"]`."""
    return isinstance(node, nodes.Getattr) or (
        isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Const) and isinstance(node.arg.value, str)
    )


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
        case nodes.Getattr(node=nodes.Filter() as owner, attr=attr):
            return f"({_written(owner)}).{attr}"
        case nodes.Filter(node=value, name=name) if value is not None:
            return f"{_written(value)} | {name}"
        case _:
            return path_of(node) or "this"


def _home(name: str) -> str:
    return {"question": "slots", "changes": "note", "left_out": "summary", "left_out_ref": "summary"}.get(name, name)
