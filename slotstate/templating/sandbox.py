"""The sandbox: what a template's expressions may read, call and make."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import BuiltinFunctionType
from typing import Any, Final, cast

from jinja2 import Environment, Template, TemplateRuntimeError, nodes, pass_context
from jinja2.compiler import CodeGenerator, Frame
from jinja2.environment import TemplateModule
from jinja2.exceptions import SecurityError
from jinja2.nodes import EvalContext
from jinja2.runtime import BlockReference, Context, LoopContext, Macro, TemplateReference, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Cycler, Joiner, Namespace, missing

from slotstate.templating.bounds import CHARACTERS, DEPTH, Run, TooMuch, search_cost
from slotstate.templating.escaping import as_data, as_text, behind_open
from slotstate.templating.remembering import REMEMBERED
from slotstate.templating.unknown import Unknown, kind_of
from slotstate.templating.variables import Fixed

RUN: Final = "·run"
"""Carries the Run of a rendering from file to file; no template can write such a name."""
_LEVEL: Final = "·level"

MAX_RANGE: Final = 10_000
_TEXT_METHODS: Final = frozenset(
    "capitalize casefold count endswith find isalnum isalpha isdigit islower isupper join lower lstrip partition "
    "removeprefix removesuffix replace rfind rpartition rsplit rstrip split splitlines startswith strip title "
    "upper".split()
)
_LOOP: Final = frozenset(
    "changed cycle depth depth0 first index index0 last length nextitem previtem revindex revindex0".split()
)
_ATTRIBUTES: Final[Mapping[type, frozenset[str]]] = {
    str: _TEXT_METHODS,
    dict: frozenset({"get", "items", "keys", "values"}),
    LoopContext: _LOOP,
    Cycler: frozenset({"current", "next", "reset"}),
    BlockReference: frozenset({"super"}),
    tuple: frozenset({"grouper", "list"}),  # what groupby gives
}


class Rendered(str):
    """Text that a template has rendered already: its data is escaped, its own words are left alone."""

    __slots__ = ()


_NO_NAMES: Final[set[str]] = set()
_NOTHING: Final[Mapping[int, tuple[str, int, int]]] = {}


class RunContext(Context):
    """A context that knows what its rendering may still use."""

    def __init__(
        self,
        environment: Environment,
        parent: dict[str, Any],
        name: str | None,
        blocks: Mapping[str, Any],
        globals: Any = None,
    ) -> None:
        # Not the base class's: one is made for each file that is included, and most of its parts never differ.
        self.environment = environment
        self.parent = parent
        self.name = name
        self.vars = {}
        self.exported_vars = set()
        self.blocks = {key: [block] for key, block in blocks.items()} if blocks else {}
        self.eval_ctx = environment.eval_ctx  # type: ignore[attr-defined]  # all environments are Sandboxes here
        self.globals_keys = _NO_NAMES
        self.run: Run = parent[RUN]


class BoundedTemplate(Template):
    """A template whose includes and imports are counted."""

    def new_context(
        self, vars: dict[str, Any] | None = None, shared: bool = False, locals: Mapping[str, Any] | None = None
    ) -> Context:
        """A context for this file; `shared`: it is included or imported by another one."""
        parent = dict(vars) if shared and vars else {**self.globals, **(vars or {})}
        parent[_LEVEL] = level = parent.get(_LEVEL, 0) + shared
        if level > DEPTH:
            raise TooMuch(f"files include each other more than {DEPTH} deep: does {self.name} include itself?")
        for name, value in locals.items() if locals else ():
            if value is not missing:
                parent[name] = value
        return RunContext(self.environment, parent, self.name, self.blocks)


class _Generator(CodeGenerator):
    """Code in which sections render only when they are asked for, and our own checks are called directly."""

    def visit_Block(self, node: nodes.Block, frame: Frame) -> None:
        if not (frame.toplevel and node.name.startswith(SECTION)):
            super().visit_Block(node, frame)

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:
        if not isinstance(node.node, nodes.Name):
            super().visit_Getattr(node, frame)
            return
        holder = frame.symbols.ref(node.node.name)  # a plain object needs no check of ours
        self.write(f"({holder}[{node.attr!r}] if isinstance({holder}, dict) and {node.attr!r} in {holder} else ")
        super().visit_Getattr(node, frame)
        self.write(")")

    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:
        if node.ctx != KNOWN:
            super().visit_Getitem(node, frame)
            return
        holder, key = cast(nodes.Name, node.node).name, cast(nodes.Const, node.arg).value
        self.write(f"{frame.symbols.ref(holder)}[{key!r}]")

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        self.write(finalize.src)  # what it gives is a text already

    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        self.write(")")

    def visit_For(self, node: nodes.For, frame: Frame) -> None:
        marked = node.iter
        if not (isinstance(marked, nodes.Filter) and marked.name == REMEMBERED):
            super().visit_For(node, frame)
            return
        call = cast(nodes.Call, marked.node)  # of each_, with what the loop runs over and the steps of its body
        texts, untold, at = (self.temporary_identifier() for _ in range(3))
        loop = cast(nodes.Const, marked.args[0]).value
        self.writeline(f"{texts}, {untold} = environment.told_(context, {loop}, ", node)
        self.visit(call.args[0], frame)
        self.write(", ")
        self.visit(call.args[1], frame)
        self.write(")")
        inner = frame.inner()
        inner.symbols.analyze_node(node, for_branch="body")
        self.writeline(f"for {at}, ")
        self.visit(node.target, inner)
        self.write(f" in {untold}:")
        self.indent()
        self.enter_frame(inner)
        self.buffer(inner)
        self.blockvisit(node.body, inner)
        item = inner.symbols.ref(cast(nodes.Name, node.target).name)
        self.writeline(f"{texts}[{at}] = environment.tell_(context, {loop}, {item}, concat({inner.buffer}))")
        self.outdent()
        self.leave_frame(inner)
        self.writeline(f"yield from {texts}" if frame.buffer is None else f"{frame.buffer}.extend({texts})")

    def visit_FilterBlock(self, node: nodes.FilterBlock, frame: Frame) -> None:
        if node.filter.name != WHOLE:
            super().visit_FilterBlock(node, frame)
            return
        inner = frame.inner()
        inner.symbols.analyze_node(node)
        self.enter_frame(inner)
        self.buffer(inner)
        self.blockvisit(node.body, inner)
        self.start_write(frame, node)
        self.write(f"concat({inner.buffer})")
        self.end_write(frame)
        self.leave_frame(inner)

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:
        if not isinstance(node.node, nodes.EnvironmentAttribute):
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        if node.node.name == "spend_":
            self.write("context.run.spend(")
            self.visit(node.args[0], frame)
        else:
            self.visit(node.node, frame)
            self.write("(context")
            self.signature(node, frame)
        self.write(")")


SECTION: Final = "section_"
"""In front of a section's name, the name of the block that it is."""
KNOWN: Final = "·known"
"""In place of `load`: the key is there."""
WHOLE: Final = "·whole"
"""The filter that hands on what it is given; no template can write such a name."""


class Sandbox(ImmutableSandboxedEnvironment):
    """An environment in which a template can neither reach anything nor run away."""

    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%", "**"})
    code_generator_class = _Generator
    context_class = RunContext
    template_class = BoundedTemplate

    def __init__(self, **options: Any) -> None:
        super().__init__(
            undefined=Unknown,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            autoescape=False,
            optimized=False,  # folding constants would work them out at load time
            finalize=printed,
            auto_reload=False,
            cache_size=-1,
            **options,
        )
        self.globals.clear()
        self.filters.clear()
        self.tests.clear()
        self.eval_ctx = EvalContext(self)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """`obj.attribute`: a key of an object, or one of the few attributes that are open."""
        if isinstance(obj, dict) and attribute in obj:
            return obj[attribute]
        if isinstance(obj, Undefined):
            str(obj)  # raises
        if not attribute.startswith("_"):
            if isinstance(obj, TemplateReference):
                return obj[attribute] if attribute in _blocks(obj) else self.undefined(obj=obj, name=attribute)
            names = _open(obj)
            if names is None or attribute in names:
                try:
                    return getattr(obj, attribute)
                except AttributeError:
                    return self.undefined(obj=obj, name=attribute)
        if hasattr(obj, attribute):
            return self.unsafe_undefined(obj, attribute)
        return self.undefined(obj=obj, name=attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """`obj[argument]`: a key or an index, and for filters by attribute what `getattr` gives."""
        if not isinstance(argument, str | int):
            raise TemplateRuntimeError(f"{kind_of(argument)} is no key: use a text or a whole number")
        try:
            return obj[argument]
        except (TypeError, LookupError):
            if isinstance(argument, str):
                return self.getattr(obj, argument)
        return self.undefined(obj=obj, name=str(argument))

    def unsafe_undefined(self, obj: Any, attribute: str) -> Undefined:
        """What stands for an attribute that is closed."""
        hint = f"{attribute!r} of {kind_of(obj)} is closed to templates: use the documented variables"
        return self.undefined(hint, obj=obj, name=attribute, exc=SecurityError)

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805 — as Jinja calls it
        """Call a macro, a block, or one of the few functions and methods that are open."""
        kwargs.pop("_loop_vars", None)
        kwargs.pop("_block_vars", None)
        run = run_of(__context)
        if isinstance(__obj, Macro | BlockReference):
            return Rendered(run.within(__obj, *args, **kwargs))
        owner = getattr(__obj, "__self__", None)
        if isinstance(owner, str) and isinstance(__obj, BuiltinFunctionType) and __obj.__name__ in _TEXT_METHODS:
            return _text_method(run, __obj, owner, args, kwargs)
        if isinstance(owner, dict | Cycler | LoopContext) or isinstance(__obj, Joiner | _Open):
            for one in args:
                run.weigh(one)
            return run.own(__obj(*args, **kwargs))
        if isinstance(__obj, Undefined):
            __obj()
        raise SecurityError(f"{kind_of(__obj)} cannot be called: only macros and a few functions can")

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """An arithmetic operator, its result within bounds."""
        run = run_of(context)
        if operator in _CHECKS:
            _CHECKS[operator](run, left, right)
        return run.own(self.binop_table[operator](left, right))

    # Called by the code that `syntax.bounded` makes of a template, each with its context; `spend_` is its run's.

    def each_(self, context: Context, items: Any, steps: int) -> Any:
        """What a loop runs over, paid for: `steps` for each item."""
        run = run_of(context)
        if type(items) is not list and not isinstance(items, list | tuple | dict | str | range):
            items = run.own(iter(items))
        run.left -= len(items) * steps
        if run.left < 0:
            run.spend(0)  # raises
        return items

    def told_(
        self, context: RunContext, loop: int, items: Iterable[Any], steps: int
    ) -> tuple[list[str | None], list[tuple[int, Any]]]:
        """What a loop wrote of each item that has not changed, paid for again; and the items of which it has to be
        written, each with its place.
        """
        run = context.run
        if type(items) is not list:
            items = list(self.each_(context, items, 0))
        known = [getattr(item, "told", _NOTHING).get(loop) if type(item) is Fixed else None for item in items]
        texts: list[str | None]
        if known and None not in known:
            untold: list[tuple[int, Any]] = []
            texts, paid, sizes = map(list, zip(*known, strict=True))
        else:
            untold = [(at, item) for at, item in enumerate(items) if known[at] is None]
            texts = [None if one is None else one[0] for one in known]
            paid, sizes = [one[1] for one in known if one], [one[2] for one in known if one]
        run.left -= len(items) * steps + sum(paid)
        run.written += sum(sizes)
        if run.left < 0 or run.written > CHARACTERS:
            run.write(0)  # raises
        run.marked = run.left, run.written
        return texts, untold

    def tell_(self, context: RunContext, loop: int, item: Any, text: str) -> str:
        """What a loop wrote of an item, remembered."""
        run = context.run
        if type(item) is Fixed:
            left, written = run.marked
            if not hasattr(item, "told"):
                item.told = {}
            item.told[loop] = text, left - run.left, run.written - written
        run.marked = run.left, run.written
        return text

    def join_(self, context: Context, *parts: Any) -> str:
        """`a ~ b`."""
        texts = [part if isinstance(part, str) else _text(run_of(context), part) for part in parts]
        run_of(context).room(sum(map(len, texts)))
        return "".join(texts)

    def cut_(self, context: Context, value: Any, start: Any, stop: Any, step: Any) -> Any:
        """`value[start:stop:step]`."""
        run_of(context).touch(value)
        return value[start:stop:step]

    def weigh_(self, context: Context, value: Any) -> Any:
        """An operand of a comparison, paid for."""
        run_of(context).weigh(value)
        return value

    def behind_(self, context: Context, value: Any) -> str:
        """What is printed right behind a `<` of the template's own."""
        run = run_of(context)
        text = value if isinstance(value, Rendered) else as_text(_text(run, value))
        return Rendered(behind_open(text))

    def has_(self, context: Context, item: Any, items: Any) -> bool:
        """`item in items`."""
        return contains(run_of(context), item, items)


def run_of(context: Context) -> Run:
    """What the rendering of this context may still use."""
    run: Run = context.run  # type: ignore[attr-defined]  # all contexts are RunContexts here
    return run


def contains(run: Run, item: Any, items: Any) -> bool:
    """Whether `items` holds `item`, paid for."""
    if isinstance(items, str) and isinstance(item, str):
        run.spend(search_cost(items, item))
    else:
        run.weigh(item)
        if not isinstance(items, dict):
            run.weigh(items)
    return item in items


class _Open:
    """A function that templates may call."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)


def _range(*args: int) -> range:
    numbers = range(*args)
    if len(numbers) > MAX_RANGE:
        raise TooMuch(f"range() of more than {MAX_RANGE:,} numbers: count less far")
    return numbers


GLOBALS: Final[Mapping[str, Any]] = {
    "range": _Open(_range),
    "namespace": _Open(Namespace),
    "joiner": _Open(Joiner),
    "cycler": _Open(Cycler),
}


def _open(obj: object) -> frozenset[str] | None:
    """The attributes of a value that are open; None where all are that do not begin with `_`."""
    for kind, names in _ATTRIBUTES.items():
        if isinstance(obj, kind):
            return names
    if isinstance(obj, Namespace | TemplateModule):
        return None
    return frozenset()


def _blocks(reference: TemplateReference) -> Mapping[str, Any]:
    context: Context = getattr(reference, "_TemplateReference__context")  # noqa: B009 — it has no other way
    return context.blocks


# Texts


@pass_context
def printed(context: RunContext, value: Any) -> str:
    """What `{{ value }}` prints: words of anybody's that cannot close a delimiter, JSON for what is no text."""
    run = context.run
    kind = type(value)
    if kind is str:
        if not (value.isascii() and value.isprintable() and "<" not in value):
            value = as_text(value)
    elif kind is not Rendered:
        value = as_text(_text(run, value))
    size = len(value)  # from here on as Run.write has it: this is called for each thing that is printed
    run.written += size
    run.left -= size >> 4
    if run.left < 0 or run.written > CHARACTERS:
        run.write(0)
    return value  # type: ignore[no-any-return]


def _text(run: Run, value: Any) -> str:
    match value:
        case str():
            return value
        case None:
            return ""
        case bool() | list() | tuple() | dict():
            run.weigh(value)
            return as_data(value)
        case int() | float() | Undefined():  # an undefined one raises
            return str(value)
        case _:
            raise TemplateRuntimeError(
                f"{kind_of(value)} cannot be printed: print a text, a number or one of its parts"
            )


def _text_method(run: Run, method: Any, owner: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    run.touch(owner)
    for one in args:
        if isinstance(one, str):
            run.spend(len(owner) * len(one) >> 8 if "strip" in method.__name__ else search_cost(owner, one))
        run.weigh(one)
    if method.__name__ == "join":
        check_join(run, owner, args[0] if args else ())
    elif method.__name__ == "replace":
        old, new = [*args, "", ""][:2]
        check_replace(run, owner, str(old), str(new))
    return run.own(method(*args, **kwargs))


def check_join(run: Run, separator: Any, items: Any) -> None:
    """Whether joining the items makes a text within bounds."""
    run.room(len(str(separator)) * len(items) if isinstance(items, str | list | tuple | dict) else 0)


def check_replace(run: Run, text: str, old: str, new: str) -> None:
    """Whether replacing makes a text within bounds."""
    run.spend(search_cost(text, old))
    run.room(len(text) + text.count(old) * len(new))


# Operators


def _check_times(run: Run, left: Any, right: Any) -> None:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, str | list | tuple) and isinstance(other, int):
            run.room(len(one) * max(other, 0))


def _check_power(run: Run, left: Any, right: Any) -> None:
    if isinstance(left, int) and isinstance(right, int) and right > 1:
        run.whole(1 << min(left.bit_length() * right, 10_000))


def _check_remainder(run: Run, left: Any, right: Any) -> None:
    if isinstance(left, str):
        raise SecurityError("% does not format texts here: join them with ~")


_CHECKS: Final[Mapping[str, Callable[[Run, Any, Any], None]]] = {
    "*": _check_times,
    "**": _check_power,
    "%": _check_remainder,
}
