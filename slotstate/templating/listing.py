"""Sections that are lists: what stands around the items is written once, and so is each item."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeAlias

from jinja2 import nodes

from slotstate.messages import storable
from slotstate.templating.bounds import CHARACTERS, STEPS, Run
from slotstate.templating.remembering import REMEMBERED
from slotstate.templating.sandbox import KNOWN, RUN, WHOLE, RunContext, Sandbox
from slotstate.templating.variables import Fixed, Quote, Slot
from slotstate.tokens import Counter

_AROUND: Final = (nodes.Output, nodes.If, nodes.For, nodes.Scope)
"""Statements that leave nothing behind and look at nothing but variables."""
_HERE: Final = "\0"

_MOST: Final = 1_024
"""Items that are remembered."""

Block: TypeAlias = Callable[[RunContext], Iterable[str]]
Told: TypeAlias = tuple[str, int, int, int]
"""What a list says of an item, the steps and characters that it takes, and its measure."""


class Loop(NamedTuple):
    """A loop that remembers: its number, the variables that it runs over and that hold an item, the steps that each
    item takes beside those of its body, and that body.
    """

    number: int
    items: str
    item: str
    steps: int
    body: list[nodes.Node]


def loop_of(block: nodes.Block) -> Loop | None:
    """The loop of a section that is a list: one that remembers, over a variable of which nothing else in the section
    knows, between texts, values and conditions.
    """
    loops: list[Loop] = []
    for part in _statements(block.body):
        loop = _remembering(part)
        if loop is not None:
            loops.append(loop)
        elif not all(_stands_around(one) for one in (part, *part.find_all(nodes.Node))):
            return None
    names = [name.name for name in block.find_all(nodes.Name)]
    return loops[0] if len(loops) == 1 and names.count(loops[0].items) == 1 else None


def _statements(body: Iterable[nodes.Node]) -> Iterator[nodes.Node]:
    """Statements in order, those of files that are included among them; what pays for them left out."""
    for part in body:
        if isinstance(part, nodes.Scope) or (isinstance(part, nodes.FilterBlock) and part.filter.name == WHOLE):
            yield from _statements(part.body)
        elif not isinstance(part, nodes.ExprStmt):
            yield part


def _remembering(part: nodes.Node) -> Loop | None:
    match part:
        case nodes.For(
            target=nodes.Name(name=item),
            iter=nodes.Filter(
                name=name,
                node=nodes.Call(args=[nodes.Name(name=items), nodes.Const(value=steps)]),
                args=[nodes.Const(value=number)],
            ),
        ) if name == REMEMBERED:
            return Loop(number, items, item, steps, part.body)
        case _:
            return None


def _stands_around(part: nodes.Node) -> bool:
    if isinstance(part, nodes.Call):
        return isinstance(part.node, nodes.EnvironmentAttribute)
    return isinstance(part, _AROUND) or not isinstance(part, nodes.Stmt)


def line_of(loop: Loop) -> nodes.Node:
    """The body of a loop by itself, for an item that is an object with all the documented keys."""
    whole = nodes.Filter(None, WHOLE, [], [], None, None).set_lineno(1)
    return nodes.FilterBlock([_copied(part, loop.item) for part in loop.body], whole).set_lineno(1)


def _copied(part: Any, item: str) -> Any:
    """A part of a tree again, in which keys of the item are looked up without asking first whether they are there."""
    match part:
        case nodes.Getattr(node=nodes.Name(name=name), attr=key) if name == item and key in _KEYS:
            return nodes.Getitem(nodes.Name(item, "load"), nodes.Const(key), KNOWN).set_lineno(part.lineno)
        case nodes.Node():
            fields = [_copied(value, item) for _, value in part.iter_fields()]
            return type(part)(*fields).set_lineno(part.lineno)
        case list():
            return [_copied(one, item) for one in part]
        case _:
            return part


_KEYS: Final = frozenset((*Slot.__annotations__, *Quote.__annotations__))
"""What is known of an item that lacks one: it is rendered with all else."""


class Around(NamedTuple):
    """What stands in front of a list's items and behind them, and the steps and characters that are left for these."""

    before: str
    behind: str
    steps: int
    size: int


class Listing:
    """A section that lists the items of the variable `items`: its text is what stands around them, with what the body
    of its loop tells of each in between, no line breaks around the whole.
    """

    def __init__(self, loop: Loop, sandbox: Sandbox, whole: Block, line: Block, locale: str) -> None:
        self.items = loop.items
        self.steps = loop.steps
        """What each item takes beside what its line does."""
        self._number = loop.number
        self._item = loop.item
        self._sandbox = sandbox
        self._whole = whole
        self._line = line
        self._locale = locale

    def around(self, variables: Mapping[str, Any], counter: Counter) -> Around | None:
        """What stands around the items, with these variables; None where only rendering can tell."""
        run, mark = Run(self._locale, counter), Fixed({})
        mark.told = {self._number: (_HERE, 0, 0)}
        given = {**self._sandbox.globals, **variables, self.items: [mark], RUN: run}
        try:
            text = "".join(self._whole(RunContext(self._sandbox, given, None, _NO_BLOCKS)))
        except Exception:  # what is wrong is told by rendering all of it
            return None
        if text.count(_HERE) != 1:
            return None
        before, _, behind = storable(text).partition(_HERE)
        return Around(before.lstrip("\r\n"), behind.rstrip("\r\n"), run.left, CHARACTERS - run.written)

    def remembered(self, measure: Callable[[str], int]) -> Remembered:
        """What is told of each item, from now on; written when it is first asked for."""
        return Remembered(self._line, self._item, self._sandbox, self._locale, measure)


_NO_BLOCKS: Final[Mapping[str, Any]] = {}


class Listed:
    """A list as it is written time and again: what stands around the items is written once as long as the `question`
    stays the same, and what is told of each item once. `measure` gives a number that is kept with each text.
    """

    def __init__(self, listing: Listing, counter: Counter, measure: Callable[[str], int]) -> None:
        self._listing = listing
        self._counter = counter
        self._question: object = None
        self._around: Around | None = None
        self._told = listing.remembered(measure)

    def parts(
        self, items: Sequence[Fixed], question: object, given: Callable[[], dict[str, Any]]
    ) -> tuple[Around, Sequence[Told]] | None:
        """What stands around these items and what is told of each; `given` makes the section's other variables, which
        may differ only when the question does. None where the section has to be rendered, if only to tell why it
        cannot be.
        """
        around = self._around
        if around is None or question != self._question:
            self._question = question
            around = self._around = self._listing.around(given(), self._counter)
            if around is None:
                return None
        try:
            told = [*map(self._told.__getitem__, items)]
        except Untold:
            return None
        steps = len(told) * self._listing.steps + sum(map(_STEPS, told))
        if steps > around.steps or sum(map(_SIZE, told)) > around.size:
            return None
        return around, told


class Untold(Exception):
    """What a list tells of an item could not be written."""


class Remembered(dict[Fixed, Told]):
    """What a list tells of items. A full memory is emptied, so that it stays small. Raises Untold."""

    def __init__(self, line: Block, item: str, sandbox: Sandbox, locale: str, measure: Callable[[str], int]) -> None:
        super().__init__()
        self._line = line
        self._item = item
        self._measure = measure
        self._run = Run(locale, None)
        self._given: dict[str, Any] = {RUN: self._run}
        self._context = RunContext(sandbox, self._given, None, _NO_BLOCKS)

    def __missing__(self, item: Fixed) -> Told:
        run = self._run
        run.left, run.written, self._given[self._item] = STEPS, 0, item
        try:
            text = "".join(self._line(self._context))
        except Exception:  # where it went wrong, and whether it does, is told by rendering all of it
            raise Untold from None
        if len(self) >= _MOST:
            self.clear()
        if not text.isascii():
            text = storable(text)
        told = self[item] = text, STEPS - run.left, run.written, self._measure(text)
        return told


_STEPS: Final[Callable[[Told], int]] = itemgetter(1)
_SIZE: Final[Callable[[Told], int]] = itemgetter(2)
