"""From sources to sections: the files of a template parsed, checked, compiled, and rendered one section at a time."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NoReturn

from jinja2 import Template as Compiled
from jinja2 import TemplateError as JinjaError
from jinja2 import TemplateNotFound, TemplateRuntimeError, TemplateSyntaxError, nodes

from slotstate.errors import TemplateError, near
from slotstate.messages import storable
from slotstate.templating.bounds import Run
from slotstate.templating.filters import make_filters, make_tests
from slotstate.templating.options import SectionOptions, read_options
from slotstate.templating.sandbox import GLOBALS, RUN, SECTION, Sandbox, UnknownName, unknown
from slotstate.templating.sources import Source, Sources
from slotstate.templating.syntax import SectionExtension, Written, bounded, check, code_too_long
from slotstate.tokens import Counter

_LOCALES: Final = {"default": "en"}
"""What the bundled sets speak, where their name does not say it."""
_OPENS: Final = re.compile(r"""\{%[-+]?\s*(?:section\s*["'](\w*)["']|(endsection)\b)""")


class Engine:
    """A template's files, ready to render. It never changes."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self._sandbox = _Sandbox(self)
        self.written: dict[str, Written] = {}
        self._trees: dict[str, nodes.Template] = {}
        self._compiled: dict[str, Compiled] = {}
        self.sets = self._read_all()
        self.chain = tuple(self._chain())
        self.options: Mapping[str, SectionOptions] = MappingProxyType(self._options())
        self.locale = self._locale()
        self.fingerprint = self._fingerprint()
        for source in sources.own.values():
            self._sandbox.get_template(source.name)
        self._entry = self._sandbox.get_template(sources.entry)

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
        home = self._set_of(parent)
        candidates = [f"{home}/{name}"] if home else []
        if name.partition("/")[0] in self.sets:
            candidates.append(name)
        candidates += [f"{one}/{name}" for one in self.sets]
        bundled = self.sources.bundled
        return self.sources.own.get(name) or next((bundled[one] for one in candidates if one in bundled), None)

    def files(self) -> Iterator[Source]:
        """Every file that the template can use, in order of their names."""
        yield from sorted(self.sources.own.values(), key=lambda source: source.name)
        for name in sorted(self.sets):
            yield from (self.sources.bundled[one] for one in sorted(self.sources.bundled) if one.startswith(f"{name}/"))

    def tree(self, source: Source) -> nodes.Template:
        """A file, parsed."""
        return self._trees[source.name]

    def compiled(self, name: str, parent: str | None) -> Compiled | None:
        """The file that `name` means in the file `parent`, ready to run."""
        source = self.resolve(name, parent)
        if source is None:
            return None
        if source.name not in self._compiled:
            self._compiled[source.name] = self._compile(source)
        return self._compiled[source.name]

    def _compile(self, source: Source) -> Compiled:
        sandbox = self._sandbox
        try:
            code = sandbox.compile(bounded(self._trees[source.name]), source.name, source.name)
            return sandbox.template_class.from_code(sandbox, code, sandbox.globals)
        except Exception as error:
            _refuse(source, error)

    def _read_all(self) -> tuple[str, ...]:
        """Parse one's own files, and those of each bundled set that they name; the sets, in that order."""
        sets: list[str] = [] if self.sources.own else [self._set_of(self.sources.entry)]
        waiting = list(self.sources.own.values()) or [self.sources.bundled[self.sources.entry]]
        while waiting:
            source = waiting.pop(0)
            self._parse(source)
            for name, _ in self.written[source.name].references:
                home = name.partition("/")[0]
                if self.sources.own.get(name) is None and name in self.sources.bundled and home not in sets:
                    sets.append(home)
            if not waiting:
                waiting = [
                    file
                    for name, file in self.sources.bundled.items()
                    if name.partition("/")[0] in sets and name not in self.written
                ]
        return tuple(sets)

    def _parse(self, source: Source) -> None:
        if too_long := code_too_long(source.text):
            raise TemplateError(f"{source.shown}: {too_long}")
        try:
            tree = self._sandbox.parse(source.text, source.name, source.name)
            self.written[source.name] = check(tree, self._sandbox.filters, self._sandbox.tests)
            self._trees[source.name] = tree
        except Exception as error:
            _refuse(source, error)

    def _chain(self) -> Iterator[Source]:
        """The entry, the file that it extends, and so on. Raises TemplateError for a circle or a missing file."""
        seen: set[str] = set()
        source = self.sources.find(self.sources.entry)
        while source is not None:
            seen.add(source.name)
            yield source
            extends = self.written[source.name].extends
            source = None if extends is None else self.resolve(extends, source.name)
            if source is not None and source.name in seen:
                raise TemplateError(
                    f"{source.shown}: extends itself: extend another file, such as default/prompt.jinja"
                )

    def _options(self) -> dict[str, SectionOptions]:
        in_chain = {source.name for source in self.chain}
        for source in self.files():
            self._check_references(source)
            for section, line in self.written[source.name].lines.items():
                if source.name not in in_chain and self._is_own(source):
                    raise TemplateError(
                        f'{source.shown}:{line}: section "{section}" never reaches the prompt: put the section into '
                        f"{self.sources.entry} and include its text from here"
                    )
        options: dict[str, SectionOptions] = {}
        for source in reversed(self.chain):
            if stray := self.written[source.name].stray:
                raise TemplateError(
                    f"{source.shown}:{stray}: outside of a section nothing is printed: move it into one"
                )
            written = self.written[source.name]
            for section, given in written.sections.items():
                try:
                    options[section] = read_options(section, given, options.get(section))
                except ValueError as error:
                    where = f'{source.shown}:{written.lines[section]}: section "{section}"'
                    raise TemplateError(f"{where}: {error}") from None
        return options

    def _check_references(self, source: Source) -> None:
        for name, line in self.written[source.name].references:
            if self.resolve(name, source.name) is None:
                raise TemplateError(f"{_place(source, line)}: {self._missing(name, source.name)}")

    def _missing(self, name: str, parent: str | None) -> str:
        if not inside(name):
            return f"{name!r} leads outside of the template's folder: name a file inside, with / between folders"
        home = self._set_of(parent)
        names = [source.name.removeprefix(f"{home}/") for source in self.files()]
        return f"no file {name!r}{near(name, names)}"

    def _locale(self) -> str:
        for source in self.chain:
            if not self._is_own(source):
                home = self._set_of(source.name)
                return _LOCALES.get(home, home)
        return "en"

    def _fingerprint(self) -> str:
        digest = hashlib.sha256()
        for source in self.files():
            for part in (source.name, source.text):
                digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
        return digest.hexdigest()[:32]

    def _is_own(self, source: Source) -> bool:
        return source.name in self.sources.own

    def _set_of(self, name: str | None) -> str:
        """The bundled set that a file belongs to; "" for one's own."""
        return "" if name is None or name in self.sources.own else name.partition("/")[0]

    def _explain(self, error: Exception, section: str) -> NoReturn:
        """Raise what went wrong while rendering as a TemplateError of one line."""
        if isinstance(error, TemplateError):
            raise error
        name, line = _where(error)
        source = self.sources.find(name or self.sources.entry)
        assert source is not None
        place = f'{source.shown}{f":{line}" if line else ""}: section "{section}"'
        if isinstance(error, UnknownName):
            names = frozenset(_VARIABLES).union(*(written.names for written in self.written.values()))
            message = _short(unknown(error, names))
        elif isinstance(error, TemplateNotFound):
            message = _short(self._missing(str(error.name), source.name))
        else:
            message = _reason(error)
        raise TemplateError(f"{place}: {message}") from None


_VARIABLES: Final = ("domains", "question", "quotes", "changes", "summary", "left_out", "locale")


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
        found = self._found.get((name, parent))
        if found is None and (name, parent) not in self._found and len(name) <= _LONGEST:
            found = self._engine.compiled(name, parent)
            if len(self._found) < _MOST_NAMES:
                self._found[name, parent] = found
        return found


_MOST_NAMES: Final = 1_000
"""Names of files that are remembered; a template can make any number of them from values."""


def inside(name: str) -> bool:
    """Whether a file's name stays inside of its folder."""
    return not name.startswith("/") and "\\" not in name and ":" not in name and ".." not in name.split("/")


# Errors


def _place(source: Source, line: int | None) -> str:
    """File, line and, where it is inside of one, the section."""
    if not line:
        return source.shown
    section = None
    for number, text in enumerate(source.text.splitlines()[:line], 1):
        for found in _OPENS.finditer(text):
            section = found[1] or (section if number == line else None)
    return f"{source.shown}:{line}" + (f': section "{section}"' if section else "")


def _refuse(source: Source, error: Exception) -> NoReturn:
    """Raise what is wrong with a file as a TemplateError of one line."""
    if isinstance(error, TemplateError):
        raise error
    line = error.lineno if isinstance(error, TemplateSyntaxError) else None
    raise TemplateError(f"{_place(source, line)}: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    match error:
        case JinjaError(message=str(message)):
            text = message.rstrip(".")
            tag = re.match(r"Encountered unknown tag '(\w+)'", text)
            return f"unknown tag {tag[1]!r}{near(tag[1], _TAGS)}" if tag else _short(text)
        case RecursionError() | MemoryError() | SyntaxError():
            return "nested too deeply: make it flatter"
        case _:
            return f"{type(error).__name__}: {_short(str(error))}: check the values that this line is given"


def _short(text: str) -> str:
    """A text in one line, its start where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


_LONGEST: Final = 240
"""Characters of what went wrong that are shown."""
_TAGS: Final = (
    "section endsection if elif else endif for endfor set endset include extends import from macro endmacro call "
    "endcall filter endfilter with endwith block endblock raw endraw print".split()
)


def _where(error: Exception) -> tuple[str | None, int | None]:
    """File and line of the innermost template code that an error came through."""
    name: str | None = None
    line: int | None = None
    trace = error.__traceback__
    while trace is not None:
        template = trace.tb_frame.f_globals.get("__jinja_template__")
        if template is not None:
            name, line = template.name, template.get_corresponding_lineno(trace.tb_lineno)
        trace = trace.tb_next
    return name, line
