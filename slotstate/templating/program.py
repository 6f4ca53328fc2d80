"""A template's files compiled, and run one section at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from jinja2 import Template as Compiled
from jinja2 import TemplateNotFound, TemplateRuntimeError, nodes

from slotstate.messages import storable
from slotstate.templating.bounds import Run
from slotstate.templating.filters import make_filters, make_tests
from slotstate.templating.inlining import inlined
from slotstate.templating.listing import Listing, Loop, line_of, loop_of
from slotstate.templating.places import refusal
from slotstate.templating.remembering import remembering
from slotstate.templating.sandbox import GLOBALS, RUN, SECTION, RunContext, Sandbox
from slotstate.templating.sources import Source
from slotstate.templating.syntax import SectionExtension, Written, bounded
from slotstate.tokens import Counter

_LONGEST_NAME: Final = 200
"""Characters of a file's name."""
_MOST_NAMES: Final = 1_000
"""Names of files that are remembered; a template can make any number of them from values."""


_NO_BLOCKS: Final[Mapping[str, Any]] = {}


class Files(Protocol):
    """A template's files."""

    def resolve(self, name: str, parent: str | None) -> Source | None:
        """The file that `name` means in the file `parent`."""
        ...

    def parse(self, source: Source) -> tuple[nodes.Template, Written]:
        """A file's syntax tree, a new one each time, and what it says. Raises TemplateError."""
        ...


class Program:
    """A template's files, each compiled when it is first needed. With `inline`, what is included is compiled where it
    is included: faster, but an error does not tell the file that it is in.
    """

    def __init__(self, files: Files, entry: Source, *, inline: bool, only_sections: bool) -> None:
        self._files = files
        self._entry = entry
        self._inline = inline
        self._only_sections = only_sections
        self._sandbox = _Linked(self.find)
        self._compiled: dict[str, Compiled] = {}
        self._begun: tuple[Compiled, dict[str, list[Any]]] | None = None
        self._loops: dict[tuple[str, str], Loop] = {}
        """By file and section, the loop of a section that is a list."""

    def rendered(self, section: str, variables: Mapping[str, Any], locale: str, counter: Counter | None) -> str:
        """One section's text. Raises whatever goes wrong."""
        given = {**self._sandbox.globals, **variables, RUN: Run(locale, counter)}
        if self._begun is not None:
            entry, blocks = self._begun
            context = RunContext(self._sandbox, given, entry.name, _NO_BLOCKS)
            context.blocks = blocks
        else:
            entry = self.compiled(self._entry)
            context = RunContext(self._sandbox, given, entry.name, entry.blocks)
            for _ in entry.root_render_func(context):
                pass  # what stands outside of sections: only assignments, macros and imports matter
            if self._only_sections:
                self._begun = entry, context.blocks
        text = "".join(context.blocks[SECTION + section][0](context)).strip("\r\n")
        return text if text.isascii() else storable(text)

    def listing(self, section: str, holder: Source, locale: str) -> Listing | None:
        """A section as a list, if it is one; `holder` is the file that has the last word on it."""
        if not (self._inline and self._only_sections):
            return None
        compiled = self.compiled(holder)
        loop = self._loops.get((holder.name, section))
        if loop is None:
            return None
        blocks = compiled.blocks
        return Listing(loop, self._sandbox, blocks[SECTION + section], blocks[f"{SECTION}·{loop.number}"], locale)

    def compiled(self, source: Source) -> Compiled:
        """A file ready to run. Raises TemplateError."""
        known = self._compiled.get(source.name)
        if known is None:
            known = self._compiled[source.name] = self._compile(source)
        return known

    def find(self, name: str, parent: str | None) -> Compiled | None:
        """The file that `name` means in the file `parent`, ready to run. Raises TemplateError."""
        source = self._files.resolve(name, parent)
        return None if source is None else self.compiled(source)

    def _compile(self, source: Source) -> Compiled:
        sandbox = self._sandbox
        tree, _ = self._files.parse(source)
        if self._inline:
            tree = inlined(tree, source.name, self._included)
        try:
            tree = bounded(tree)
            if self._inline:
                self._remember(remembering(tree), source.name)
            code = sandbox.compile(tree, source.name, source.name)
            return sandbox.template_class.from_code(sandbox, code, sandbox.globals)
        except Exception as error:
            raise refusal(source, error) from None

    def _remember(self, tree: nodes.Template, name: str) -> None:
        """Find the sections that are lists, and give the body of their loop a block of its own."""
        for block in [part for part in tree.body if isinstance(part, nodes.Block)]:
            loop = loop_of(block)
            if loop is not None:
                self._loops[name, block.name.removeprefix(SECTION)] = loop
                tree.body.append(nodes.Block(f"{SECTION}·{loop.number}", [line_of(loop)], False, False).set_lineno(1))

    def _included(self, name: str, parent: str) -> tuple[str, nodes.Template] | None:
        source = self._files.resolve(name, parent)
        return None if source is None else (source.name, self._files.parse(source)[0])


class ParsingSandbox(Sandbox):
    """A sandbox that knows the section tag, and all filters and tests."""

    def __init__(self) -> None:
        super().__init__(extensions=[SectionExtension])
        self.filters.update(make_filters())
        self.tests.update(make_tests())
        self.globals.update(GLOBALS)


class _Linked(ParsingSandbox):
    """The sandbox of one program: its includes find that program's files."""

    def __init__(self, find: Callable[[str, str | None], Compiled | None]) -> None:
        super().__init__()
        self._find_file = find
        self._found: dict[tuple[str, str | None], Compiled | None] = {}

    def get_template(self, name: Any, parent: str | None = None, globals: Any = None) -> Compiled:
        """The file that `name` means in the file `parent`. Raises TemplateNotFound."""
        found = self._find(name, parent)
        if found is None:
            raise TemplateNotFound(name)
        return found

    def select_template(self, names: Any, parent: str | None = None, globals: Any = None) -> Compiled:
        """The first file of these names that there is. Raises TemplateNotFound."""
        found = next((found for name in names if (found := self._find(name, parent)) is not None), None)
        if found is None:
            raise TemplateNotFound(names[0] if names else "")
        return found

    def get_or_select_template(
        self, template_name_or_list: Any, parent: str | None = None, globals: Any = None
    ) -> Compiled:
        """The file of this name, or the first of several. Raises TemplateNotFound."""
        several = isinstance(template_name_or_list, list | tuple)
        return (self.select_template if several else self.get_template)(template_name_or_list, parent)

    def _find(self, name: Any, parent: str | None) -> Compiled | None:
        if not isinstance(name, str):
            raise TemplateRuntimeError("the name of a file is a text, or a list of texts")
        key = (name, parent)
        found = self._found.get(key)
        if found is None and key not in self._found and len(name) <= _LONGEST_NAME:
            found = self._find_file(name, parent)
            if len(self._found) < _MOST_NAMES:
                self._found[key] = found
        return found
