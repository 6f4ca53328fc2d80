"""A template's syntax: the section tag, what else is allowed, and the bounds put around each part."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn, cast

from jinja2 import TemplateSyntaxError, nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.visitor import NodeTransformer

from slotstate.errors import near
from slotstate.templating.escaping import ends_open, is_open
from slotstate.templating.options import NAMES
from slotstate.templating.sandbox import SECTION, WHOLE
from slotstate.templating.variables import TURNS

_WEIGHTS: Final[Mapping[type[nodes.Node], int]] = {
    nodes.Call: 6,
    nodes.Filter: 8,
    nodes.Test: 3,
    nodes.Include: 60,
    nodes.Import: 60,
    nodes.FromImport: 60,
    nodes.For: 6,
    nodes.Getattr: 2,
    nodes.Getitem: 2,
}


MAX_TAGS: Final = 1_000
"""Tags and expressions in one file; in all of a folder twice as many."""
MAX_CODE: Final = 20_000
"""Characters inside of them, likewise."""


def code_size(text: str) -> tuple[int, int]:
    """Tags and expressions of a file, and the characters in them: what compiling it takes."""
    tags, size, at = 0, 0, 0
    while (found := _TAG.search(text, at)) is not None:
        end = text.find(_CLOSES[found[0]], found.end())
        at = len(text) if end < 0 else end
        tags, size = tags + 1, size + at - found.end()
    return tags, size


def too_long(tags: int, size: int, files: int = 1) -> str:
    """What to say of so much code that compiling it would take long; "" where it is not."""
    if tags > files * MAX_TAGS:
        return f"more than {files * MAX_TAGS:,} tags and expressions"
    return f"more than {files * MAX_CODE:,} characters of code" if size > files * MAX_CODE else ""


_TAG: Final = re.compile(r"\{[{%]")
_CLOSES: Final = {"{{": "}}", "{%": "%}"}


@dataclass(slots=True)
class Written:
    """What a file says: its sections with their options, where each stands, and the files that it names."""

    sections: dict[str, dict[str, Any]] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    extends: str | None = None
    references: list[tuple[str, int]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    prints_turns: bool = True
    only_sections: bool = True
    """Whether nothing happens outside of sections."""
    stray: int = 0
    """The line of the first thing to be printed that stands outside of any section."""


class SectionExtension(Extension):
    """`{% section "name" option=value … %} … {% endsection %}`: a block of the prompt, with its options."""

    tags = {"section"}  # noqa: RUF012 — Jinja declares it so

    def parse(self, parser: Parser) -> nodes.Node:
        """Turn the tag into a block; its name and options stand in a statement at the start of it."""
        line = next(parser.stream).lineno
        if not parser.stream.current.test("string"):
            parser.fail('a section needs its name in quotes: {% section "slots" %}', line)
        name = next(parser.stream).value
        if name not in NAMES:
            parser.fail(f"unknown section {name!r}{near(name, NAMES)}", line)
        options = dict(_options(parser))
        body = parser.parse_statements(("name:endsection",), drop_needle=True)
        head = nodes.ExprStmt(nodes.Const((name, options)))
        return nodes.Block(SECTION + name, [head, *body], False, False).set_lineno(line)


def _options(parser: Parser) -> Iterator[tuple[str, Any]]:
    """The options of a section tag. Their values are constants."""
    seen: set[str] = set()
    while not parser.stream.current.test("block_end"):
        parser.stream.skip_if("comma")
        line = parser.stream.current.lineno
        if not parser.stream.current.test("name") or not parser.stream.look().test("assign"):
            parser.fail('after the name of a section come options, as in max="25%"', line)
        key = next(parser.stream).value
        next(parser.stream)
        try:
            value = parser.parse_unary().as_const(nodes.EvalContext(parser.environment))
        except nodes.Impossible:
            parser.fail(f"{key} must be written out: a number, a text, true or false", line)
        if key in seen:
            parser.fail(f"{key} is given twice", line)
        seen.add(key)
        yield key, value


class UnknownFilter(TemplateSyntaxError):
    """A filter or a test that there is none of."""


def check(tree: nodes.Template, filters: Collection[str], tests: Collection[str]) -> Written:
    """What the file says. Raises TemplateSyntaxError for what may not stand in a template."""
    written, wrong = survey(tree, filters, tests)
    if wrong:
        raise wrong[0]
    return written


def survey(
    tree: nodes.Template, filters: Collection[str], tests: Collection[str]
) -> tuple[Written, list[TemplateSyntaxError]]:
    """What the file says, and all in it that may not stand in a template."""
    wrong: list[TemplateSyntaxError] = []
    only = all(isinstance(node, nodes.Block | nodes.Output | nodes.Extends) for node in tree.body)
    written = Written(only_sections=only, stray=_stray(tree.body))
    try:
        _check_sections(tree, written)
    except TemplateSyntaxError as error:
        wrong.append(error)
    for node in tree.find_all(nodes.Node):
        if isinstance(node, nodes.Filter) and node.name not in filters:
            wrong.append(UnknownFilter(no_filter(node.name, filters), node.lineno))
        if isinstance(node, nodes.Test) and node.name not in tests:
            wrong.append(UnknownFilter(f"no test {node.name!r}{near(node.name, tests)}", node.lineno))
        if type(node) in _CHECKS:
            try:
                _CHECKS[type(node)](node, written)
            except TemplateSyntaxError as error:
                wrong.append(error)
    return written, wrong


def _check_sections(tree: nodes.Template, written: Written) -> None:
    top = [node for node in tree.body if isinstance(node, nodes.Block)]
    for block in list(tree.find_all(nodes.Block)):
        if not block.name.startswith(SECTION):
            continue
        if not any(block is one for one in top):
            _fail("a section stands by itself: move it out of the tag around it", block)
        head = block.body.pop(0) if block.body else None
        if not isinstance(head, nodes.ExprStmt):
            _fail(f"a block cannot be named {block.name}: rename it, or make it a section", block)
        name, options = cast(tuple[str, dict[str, Any]], cast(nodes.Const, head.node).value)
        if name in written.sections:
            _fail(f"section {name!r} stands here twice: join the two", block)
        written.sections[name] = options
        written.lines[name] = block.lineno
        if name == "recent":
            written.prints_turns = _check_recent(block)


def _stray(body: Iterable[nodes.Node]) -> int:
    """The line of the first thing that would be printed; 0 where there is none."""
    for node in body:
        if isinstance(node, nodes.Include | nodes.For | nodes.CallBlock | nodes.FilterBlock):
            return node.lineno
        for part in node.nodes if isinstance(node, nodes.Output) else ():
            if not isinstance(part, nodes.TemplateData):
                return part.lineno
            if text := part.data.lstrip():
                return part.lineno + part.data.count("\n", 0, len(part.data) - len(text))
    return 0


def _check_recent(block: nodes.Block) -> bool:
    """Section recent is `{{ turns }}` and nothing else: the messages come as messages. Whether it is there."""
    printed = [part for node in block.body if isinstance(node, nodes.Output) for part in node.nodes]
    turns = [part for part in printed if isinstance(part, nodes.Name) and part.name == TURNS]
    blank = [part for part in printed if isinstance(part, nodes.TemplateData) and not part.data.strip()]
    others = len(block.body) - sum(isinstance(node, nodes.Output) for node in block.body)
    if len(turns) > 1 or len(turns) + len(blank) != len(printed) or others:
        _fail('section "recent" holds {{ turns }} and nothing else: the messages come as messages', block)
    block.body.clear()
    return bool(turns)


def _check_name(node: nodes.Name, written: Written) -> None:
    if node.name == TURNS:
        _fail('turns are messages: only section "recent" may print {{ turns }}', node)
    if node.ctx != "load":
        written.names.add(node.name)


def _check_file(node: nodes.Include | nodes.Import | nodes.FromImport, written: Written) -> None:
    """What it includes sees all variables, as what it may still use is one of them."""
    node.with_context = True
    if isinstance(node.template, nodes.Const) and not getattr(node, "ignore_missing", False):
        written.references.append((str(node.template.value), node.lineno))


def _check_extends(node: nodes.Extends, written: Written) -> None:
    if not isinstance(node.template, nodes.Const) or not isinstance(node.template.value, str):
        _fail('the file to extend must be written out, as in {% extends "default/prompt.jinja" %}', node)
    if written.extends is not None:
        _fail("a file extends one other: remove this {% extends %}", node)
    written.extends = node.template.value
    written.references.append((node.template.value, node.lineno))


def _check_loop(node: nodes.For, written: Written) -> None:
    if node.recursive:
        _fail("a recursive loop cannot be bounded: use a macro that calls itself", node)


def _check_object(node: nodes.Dict, written: Written) -> None:
    if not all(isinstance(pair.key, nodes.Const) for pair in node.items):
        _fail('a key must be written out, as in {"city": value}', node)


def _check_chain(node: nodes.Compare, written: Written) -> None:
    if len(node.ops) > 1 and any(one.op in {"in", "notin"} for one in node.ops):
        _fail("comparisons with in do not chain: join them with and", node)


def _refuse_escaping(node: nodes.Node, written: Written) -> None:
    _fail("a prompt is no web page: leave {% autoescape %} out", node)


_CHECKS: Final[Mapping[type[nodes.Node], Callable[[Any, Written], None]]] = {
    nodes.Name: _check_name,
    nodes.Extends: _check_extends,
    nodes.Include: _check_file,
    nodes.Import: _check_file,
    nodes.FromImport: _check_file,
    nodes.For: _check_loop,
    nodes.Dict: _check_object,
    nodes.Compare: _check_chain,
    nodes.ScopedEvalContextModifier: _refuse_escaping,
}
_INSTEAD: Final = {
    "safe": "; nothing is escaped here but the prompt's own markers: leave it out",
    "escape": "; use data or quote",
    "e": "; use data or quote",
    "forceescape": "; use data or quote",
    "format": "; join texts with ~",
    "attr": "; write .name",
    "random": "; a prompt must come out the same each time",
    "pprint": "; use data",
    "wordwrap": "; models need no line breaks: leave it out",
    "center": "; models need no alignment: leave it out",
}


def no_filter(name: str, filters: Iterable[str]) -> str:
    """What to say of a filter that there is none of."""
    return f"no filter {name!r}{_INSTEAD.get(name) or near(name, filters)}"


def _fail(message: str, node: nodes.Node) -> NoReturn:
    raise TemplateSyntaxError(message, node.lineno)


# Bounds


def bounded(tree: nodes.Template) -> nodes.Template:
    """The template with each loop, call and comparison paid for."""
    bounds = _Bounds()
    bounds.visit(tree)
    tree.body.insert(0, _pay(tree.body, tree.lineno))
    for block in list(tree.find_all((nodes.Block, nodes.Macro, nodes.CallBlock))):
        body = cast(nodes.Block, block).body
        body.insert(0, _pay(body, block.lineno))
        if isinstance(block, nodes.Block):
            block.body = [_at_once(body, block.lineno)]
    if all(isinstance(node, _PRINTING) for node in tree.body):  # nothing that other files could use
        tree.body = [_at_once(tree.body, tree.lineno)]
    return tree


_PRINTING: Final = (nodes.Output, nodes.If, nodes.For, nodes.Include, nodes.ExprStmt)


def _at_once(body: list[nodes.Node], line: int) -> nodes.Node:
    """Statements whose text is handed on as one piece: piece by piece through all who include them takes longer."""
    whole = nodes.Filter(None, WHOLE, [], [], None, None).set_lineno(line)
    return nodes.FilterBlock(body, whole).set_lineno(line)


def _pay(body: Sequence[nodes.Node], line: int) -> nodes.Node:
    steps = sum(map(_weight, body)) + 1
    return nodes.ExprStmt(_ours("spend_", [nodes.Const(steps)], line)).set_lineno(line)


def _weight(node: nodes.Node) -> int:
    """Steps that a node takes each time, without the bodies that pay for themselves."""
    if isinstance(node, nodes.TemplateData):
        return 1 + len(node.data) // 4
    if isinstance(node, nodes.Const) and isinstance(node.value, str):
        return 1 + len(node.value) // 16
    inside: Iterator[nodes.Node]
    if isinstance(node, nodes.Macro | nodes.Block):
        inside = iter(())
    elif isinstance(node, nodes.CallBlock):
        inside = iter((node.call,))
    elif isinstance(node, nodes.For):
        inside = iter((node.iter, *node.else_))
    else:
        inside = node.iter_child_nodes()
    return _WEIGHTS.get(type(node), 1) + sum(map(_weight, inside))


def _ours(name: str, arguments: list[nodes.Expr], line: int) -> nodes.Call:
    """A call of one of the sandbox's own checks."""
    call = nodes.Call(nodes.EnvironmentAttribute(name), arguments, [], None, None)
    call.set_lineno(line)
    return call


class _Bounds(NodeTransformer):
    """Puts the sandbox's checks into a tree."""

    def visit_For(self, node: nodes.For) -> nodes.Node:
        steps = sum(map(_weight, node.body)) + (_weight(node.test) if node.test else 0) + 1
        self.generic_visit(node)
        node.iter = _ours("each_", [cast(nodes.Expr, node.iter), nodes.Const(steps)], node.lineno)
        return node

    def visit_Output(self, node: nodes.Output) -> nodes.Node:
        """Text that ends with `<`: what is printed right behind it is looked at; before a tag it is escaped."""
        self.generic_visit(node)
        opened: nodes.TemplateData | None = None
        for at, part in enumerate(node.nodes):
            if isinstance(part, nodes.TemplateData):
                opened = part if is_open(part.data) else None
            elif opened is not None:
                node.nodes[at] = _ours("behind_", [part], node.lineno)
        if opened is not None:
            opened.data = ends_open(opened.data)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        self.generic_visit(node)
        return _ours("join_", node.nodes, node.lineno)

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:
        self.generic_visit(node)
        if not isinstance(node.arg, nodes.Slice):
            return node
        part = node.arg
        edges = [edge or nodes.Const(None) for edge in (part.start, part.stop, part.step)]
        return _ours("cut_", [node.node, *edges], node.lineno)

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:
        self.generic_visit(node)
        if len(node.ops) == 1 and node.ops[0].op in {"in", "notin"}:
            found = _ours("has_", [node.expr, node.ops[0].expr], node.lineno)
            return found if node.ops[0].op == "in" else nodes.Not(found).set_lineno(node.lineno)
        operands = [node.expr, *(operand.expr for operand in node.ops)]
        if sum(not isinstance(one, nodes.Const) for one in operands) > 1 or len(operands) > 2:
            node.expr = _ours("weigh_", [node.expr], node.lineno)
            for operand in node.ops:
                operand.expr = _ours("weigh_", [operand.expr], node.lineno)
        return node

    def visit_AssignBlock(self, node: nodes.AssignBlock) -> nodes.Node:
        self.generic_visit(node)
        if node.filter is None:
            node.filter = nodes.Filter(None, RENDERED, [], [], None, None)
            node.filter.set_lineno(node.lineno)
        return node

    def visit_FilterBlock(self, node: nodes.FilterBlock) -> nodes.Node:
        self.generic_visit(node)
        node.filter = nodes.Filter(node.filter, PRINTED, [], [], None, None)
        node.filter.set_lineno(node.lineno)
        return node


RENDERED: Final = "·rendered"
"""The filter that marks a text as rendered by the template itself."""
PRINTED: Final = "·printed"
"""The filter that prints what a block filter made: no longer the template's own words."""
