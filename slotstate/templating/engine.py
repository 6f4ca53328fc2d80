"""From sources to sections: the files of a template parsed, checked, compiled, and rendered one section at a time."""

from __future__ import annotations

import hashlib
import posixpath
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NoReturn

from jinja2 import TemplateNotFound, nodes

from slotstate.errors import SlotstateError, near
from slotstate.templating.findings import PlacedError
from slotstate.templating.listing import Listing
from slotstate.templating.options import SectionOptions, read_options
from slotstate.templating.places import innermost, reason, refusal, section_at, short
from slotstate.templating.program import ParsingSandbox, Program
from slotstate.templating.sources import ENTRY, Source, Sources
from slotstate.templating.syntax import Written, check, code_size, too_long
from slotstate.templating.unknown import UnknownName, unknown
from slotstate.templating.variables import NAMES_GIVEN
from slotstate.tokens import Counter

_LOCALES: Final = {"default": "en"}
"""What the bundled sets speak, where their name does not say it."""


_LONGEST_NAME: Final = 60
"""Characters of a file's name that are shown."""


class Engine:
    """A template's files, ready to render. It never changes.

    `written`: what each file says, by name; `chain`: the entry, the file that it extends, and so on.
    """

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.sandbox = ParsingSandbox()
        self.written: dict[str, Written] = {}
        self._check_sizes()
        self.sets = self._read_all()
        self.chain = tuple(self._chain())
        self._check_files()
        self.options: Mapping[str, SectionOptions] = MappingProxyType(self._options())
        self.locale = self._locale()
        self.fingerprint = self._fingerprint()
        plain = all(self.written[source.name].only_sections for source in self.chain)
        self._exact = Program(self, self.chain[0], inline=False, only_sections=plain)
        self._fast = Program(self, self.chain[0], inline=True, only_sections=plain)
        for source in sources.own.values():
            self._exact.compiled(source)

    def render(self, section: str, variables: Mapping[str, Any], counter: Counter | None) -> str:
        """One section. Raises TemplateError, naming file, line and section."""
        try:
            return self._fast.rendered(section, variables, self.locale, counter)
        except Exception:  # where it went wrong, only the files as they were written can tell
            try:
                return self._exact.rendered(section, variables, self.locale, counter)
            except Exception as error:
                self._explain(error, section)

    def listing(self, section: str) -> Listing | None:
        """The section as a list of the items of one variable, if it is one."""
        holder = next((source for source in self.chain if section in self.written[source.name].sections), None)
        return None if holder is None else self._fast.listing(section, holder, self.locale)

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

    def set_of(self, name: str | None) -> str:
        """The bundled set that a file belongs to; "" for one's own."""
        return "" if name is None or name in self.sources.own else name.partition("/")[0]

    def _check_sizes(self) -> None:
        """Whether compiling one's own files takes no time to speak of. Raises TemplateError."""
        all_tags, all_code = 0, 0
        for source in self.sources.own.values():
            tags, code = code_size(source.text)
            all_tags, all_code = all_tags + tags, all_code + code
            if long := too_long(tags, code):
                lines = source.text.splitlines(keepends=True)
                line = 1 + bisect_left(
                    range(1, len(lines)), True, key=lambda n: bool(too_long(*code_size("".join(lines[:n]))))
                )
                raise PlacedError(source.shown, line, section_at(source, line), f"{long}: split it into several files")
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
            remedy = "name a file inside it, with / for folders"
            return f"{short(name, _LONGEST_NAME)!r} leads outside of the template's folder: {remedy}"
        home = self.set_of(parent)
        names = [source.name.removeprefix(f"{home}/") for source in self.files() if source.name != self.sources.entry]
        return f"no file {short(name, _LONGEST_NAME)!r}{near(name, names) or f': put it beside {ENTRY}'}"

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
            lines = source.text.splitlines()
            message = short(unknown(error, names, lines[line - 1] if 0 < line <= len(lines) else ""))
        elif isinstance(error, TemplateNotFound):
            message = self._missing(str(error.name), source.name)
        else:
            message = reason(error)
        raise PlacedError(source.shown, line, section, message) from None


def inside(name: str) -> bool:
    """Whether a file's name stays inside of its folder."""
    return not name.startswith("/") and "\\" not in name and ":" not in name and ".." not in name.split("/")
