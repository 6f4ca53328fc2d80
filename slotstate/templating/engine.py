"""From sources to sections: the files of a template parsed, checked, compiled, and rendered one section at a time."""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NoReturn

from jinja2 import Template as Compiled
from jinja2 import TemplateNotFound, TemplateRuntimeError, nodes

from slotstate.errors import SlotstateError, near
from slotstate.messages import storable
from slotstate.templating.bounds import Run
from slotstate.templating.filters import make_filters, make_tests
from slotstate.templating.findings import PlacedError
from slotstate.templating.options import SectionOptions, read_options
from slotstate.templating.places import innermost, reason, refusal, section_at, short
from slotstate.templating.sandbox import GLOBALS, RUN, SECTION, Sandbox, UnknownName, unknown
from slotstate.templating.sources import ENTRY, Source, Sources
from slotstate.templating.syntax import SectionExtension, Written, bounded, check, code_size, too_long
from slotstate.templating.variables import NAMES_GIVEN
from slotstate.tokens import Counter

_LOCALES: Final = {"default": "en"}
"""What the bundled sets speak, where their name does not say it."""
_LONGEST_NAME: Final = 200
"""Characters of a file's name."""
_MOST_NAMES: Final = 1_000
"""Names of files that are remembered; a template can make any number of them from values."""


class Engine:
    """A template's files, ready to render. It never changes.

    `written`: what each file says, by name; `chain`: the entry, the file that it extends, and so on.
    """

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.sandbox = _Sandbox(self)
        self.written: dict[str, Written] = {}
        self._compiled: dict[str, Compiled] = {}
        self._check_sizes()
        self.sets = self._read_all()
        self.chain = tuple(self._chain())
        self._check_files()
        self.options: Mapping[str, SectionOptions] = MappingProxyType(self._options())
        self.locale = self._locale()
        self.fingerprint = self._fingerprint()
        for source in sources.own.values():
            self.sandbox.get_template(source.name)
        self._entry = self.sandbox.get_template(sources.entry)

    def render(self, section: str, variables: Mapping[str, Any], counter: Counter | None) -> str:
        """One section. Raises TemplateError, naming file, line and section."""
        block = SECTION + section
        try:
            context = self._entry.new_context({**variables, RUN: Run(self.locale, counter)})
            for _ in self._entry.root_render_func(context):
                pass  # what stands outside of sections: only assignments, macros and imports matter
            return storable("".join(context.blocks[block][0](context)).strip("\r\n"))
        except Exception as error:
            self._explain(error, section)

    def resolve(self, name: str, parent: str | None) -> Source | None:
        """The file that `name` means in the file `parent`: one's own, one of the parent's set, or of a set in use."""
        if not inside(name):
            return None
        name = posixpath.normpath(name)
        home = self.set_of(parent)
        candidates = [f"{home}/{name}"] if home else []
        if name.partition("/")[0] in self.sets:
            candidates.append(name)
        candidates += [f"{one}/{name}" for one in self.sets]
        bundled = self.sources.bundled
        return self.sources.own.get(name) or next((bundled[one] for one in candidates if one in bundled), None)

    def files(self) -> Iterator[Source]:
        """Every file that the template can use: one's own by name, then the sets in use."""
        yield from sorted(self.sources.own.values(), key=lambda source: source.name)
        for name in sorted(self.sets):
            yield from (self.sources.bundled[one] for one in sorted(self.sources.bundled) if one.startswith(f"{name}/"))

    def parse(self, source: Source) -> tuple[nodes.Template, Written]:
        """A file's syntax tree, and what it says. Raises TemplateError."""
        try:
            tree = self.sandbox.parse(source.text, source.name, source.name)
            return tree, check(tree, self.sandbox.filters, self.sandbox.tests)
        except Exception as error:
            raise refusal(source, error) from None

    def compiled(self, name: str, parent: str | None) -> Compiled | None:
        """The file that `name` means in the file `parent`, ready to run. Raises TemplateError."""
        source = self.resolve(name, parent)
        if source is None:
            return None
        if source.name not in self._compiled:
            self._compiled[source.name] = self._compile(source)
        return self._compiled[source.name]

    def set_of(self, name: str | None) -> str:
        """The bundled set that a file belongs to; "" for one's own."""
        return "" if name is None or name in self.sources.own else name.partition("/")[0]

    def _compile(self, source: Source) -> Compiled:
        sandbox = self.sandbox
        tree, _ = self.parse(source)
        try:
            code = sandbox.compile(bounded(tree), source.name, source.name)
            return sandbox.template_class.from_code(sandbox, code, sandbox.globals)
        except Exception as error:
            raise refusal(source, error) from None

    def _check_sizes(self) -> None:
        """Whether compiling one's own files takes no time to speak of. Raises TemplateError."""
        all_tags, all_code = 0, 0
        for source in self.sources.own.values():
            tags, code = code_size(source.text)
            all_tags, all_code = all_tags + tags, all_code + code
            if long := too_long(tags, code):
                raise PlacedError(source.shown, 0, None, f"{long}: split it into several files")
        if long := too_long(all_tags, all_code, 2):
            raise PlacedError(self.sources.home, 0, None, f"{long} in all files: make it smaller")

    def _read_all(self) -> tuple[str, ...]:
        """Read one's own files, and those of each bundled set that they name; the sets, in that order."""
        bundled = self.sources.bundled
        sets: list[str] = [] if self.sources.own else [self.set_of(self.sources.entry)]
        waiting = list(self.sources.own.values()) or [bundled[self.sources.entry]]
        while waiting:
            source = waiting.pop(0)
            self.written[source.name] = self.parse(source)[1]
            for name, _ in self.written[source.name].references:
                home = name.partition("/")[0]
                if name in bundled and name not in self.sources.own and home not in sets:
                    sets.append(home)
            if not waiting:
                missing = (file for name, file in bundled.items() if name.partition("/")[0] in sets)
                waiting = [file for file in missing if file.name not in self.written]
        return tuple(sets)

    def _chain(self) -> Iterator[Source]:
        """The entry, the file that it extends, and so on. Raises TemplateError for a circle."""
        seen: set[str] = set()
        source = self.sources.find(self.sources.entry)
        while source is not None:
            seen.add(source.name)
            yield source
            extends = self.written[source.name].extends
            source = None if extends is None else self.resolve(extends, source.name)
            if source is not None and source.name in seen:
                remedy = "extend another file, such as default/prompt.jinja"
                raise PlacedError(source.shown, 0, None, f"extends itself: {remedy}")

    def _check_files(self) -> None:
        """Whether the files fit together. Raises TemplateError."""
        for source in self.files():
            for name, line in self.written[source.name].references:
                if self.resolve(name, source.name) is None:
                    raise PlacedError(source.shown, line, section_at(source, line), self._missing(name, source.name))
        in_chain = {source.name for source in self.chain}
        for source in self.files():
            written = self.written[source.name]
            for section, line in written.lines.items():
                if source.name in self.sources.own and source.name not in in_chain:
                    remedy = f"put the section into {self.sources.entry} and include its text from here"
                    raise PlacedError(source.shown, line, section, f"it never reaches the prompt: {remedy}")
            if written.stray and source.name in in_chain:
                message = "outside of a section nothing is printed: move it into one"
                raise PlacedError(source.shown, written.stray, None, message)

    def _missing(self, name: str, parent: str | None) -> str:
        if not inside(name):
            return f"{short(name)!r} leads outside of the template's folder: name a file inside it, with / for folders"
        home = self.set_of(parent)
        names = [source.name.removeprefix(f"{home}/") for source in self.files() if source.name != self.sources.entry]
        return f"no file {short(name)!r}{near(name, names) or f': put it beside {ENTRY}'}"

    def _options(self) -> dict[str, SectionOptions]:
        options: dict[str, SectionOptions] = {}
        for source in reversed(self.chain):
            written = self.written[source.name]
            for section, given in written.sections.items():
                try:
                    options[section] = read_options(section, given, options.get(section))
                except ValueError as error:
                    raise PlacedError(source.shown, written.lines[section], section, str(error)) from None
        return options

    def _locale(self) -> str:
        homes = [home for source in self.chain if (home := self.set_of(source.name))]
        return _LOCALES.get(homes[0], homes[0]) if homes else "en"

    def _fingerprint(self) -> str:
        digest = hashlib.sha256()
        for source in self.files():
            for part in (source.name, source.text):
                digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
        return digest.hexdigest()[:32]

    def _explain(self, error: Exception, section: str) -> NoReturn:
        """Raise what went wrong while rendering as a TemplateError of one line."""
        if isinstance(error, SlotstateError):  # a counter's own
            raise error
        name, line = innermost(error)
        source = self.sources.find(name or self.sources.entry) or self.chain[0]
        if isinstance(error, UnknownName):
            names = frozenset(NAMES_GIVEN).union(*(written.names for written in self.written.values()))
            message = short(unknown(error, names))
        elif isinstance(error, TemplateNotFound):
            message = self._missing(str(error.name), source.name)
        else:
            message = reason(error)
        raise PlacedError(source.shown, line, section, message) from None


class _Sandbox(Sandbox):
    """The sandbox of one template: its includes find that template's files."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(extensions=[SectionExtension])
        self._engine = engine
        self._found: dict[tuple[str, str | None], Compiled | None] = {}
        self.filters.update(make_filters())
        self.tests.update(make_tests())
        self.globals.update(GLOBALS)

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
            found = self._engine.compiled(name, parent)
            if len(self._found) < _MOST_NAMES:
                self._found[key] = found
        return found


def inside(name: str) -> bool:
    """Whether a file's name stays inside of its folder."""
    return not name.startswith("/") and "\\" not in name and ":" not in name and ".." not in name.split("/")
