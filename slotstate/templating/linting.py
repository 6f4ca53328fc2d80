"""What is wrong in a template, or costs more than it must, found without rendering it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from jinja2 import nodes

from slotstate.domains import Domains
from slotstate.errors import near
from slotstate.templating import variables
from slotstate.templating.engine import Engine
from slotstate.templating.findings import RULES, Finding, PlacedError, Severity
from slotstate.templating.literals import Literals
from slotstate.templating.options import NAMES, SECTIONS, SectionOptions
from slotstate.templating.places import refusal
from slotstate.templating.program import ParsingSandbox
from slotstate.templating.sandbox import SECTION
from slotstate.templating.sources import ENTRY, Source, Sources, read_sources
from slotstate.templating.syntax import survey
from slotstate.templating.walking import Seen, Walk

_WARNINGS: Final = frozenset(
    {"section-order", "raw-value", "literal-value", "empty-line", "not-followed", "unused-file"}
)
_NEEDED: Final = frozenset({"system", "slots", "recent"})
_PRINTS: Final = {"slots": "domains", "summary": "summary", "quotes": "quotes", "note": "changes"}
"""The variable that a section is there for."""
_SLOT_KEYS: Final = (
    ("value", "the values", "error"),
    ("pending", "what is pending", "warning"),
    ("dontcare", "that the user has no preference", "warning"),
)


def find_all(engine: Engine, domains: Domains | None) -> tuple[Finding, ...]:
    """Everything that the rules find, in order of files and lines, each once."""
    return _in_order(_Lint(engine, domains).run())


def find_in(name: str, domains: Domains | None) -> tuple[Finding, ...]:
    """The same for a template by its name, of which files may be wrong: those are told, and the rules are held against
    the others, as far as these do not hang on them. Raises TemplateError when it is not there.
    """
    sources = read_sources(name)
    found: list[Finding] = []
    wrong: set[str] = set()
    for source in sources.own.values():
        errors = list(_wrong_in(source))
        if errors:
            found += [error.finding for error in errors]
            sources = _without(sources, source, wrong)
    while (engine := _loaded(sources, found)) is None:
        at_fault = next((one for one in sources.own.values() if one.shown == found[-1].file), None)
        if at_fault is None or at_fault.name in wrong:
            return _in_order(found)
        sources = _without(sources, at_fault, wrong)
    left_out = _HANGING if wrong else frozenset[str]()
    if ENTRY in wrong:
        left_out |= _HANGING_ON_ENTRY
    others = (one for one in _Lint(engine, domains).run() if one.rule not in left_out)
    return _in_order([*found, *others])


def _loaded(sources: Sources, found: list[Finding]) -> Engine | None:
    """The files as a template; None, and a finding more, where they do not make one."""
    try:
        return Engine(sources)
    except PlacedError as error:
        found.append(error.finding)
        return None


_HANGING: Final = frozenset({"unprinted", "unused-file"})
"""Rules that all files together are held against."""
_HANGING_ON_ENTRY: Final = frozenset({"missing-section", "section-order", "can-be-dropped", "shares", "undeclared"})
"""Rules that the entry is held against, or that what it sets decides."""


def _place(one: Finding) -> tuple[str, int, str, str, str]:
    return one.file, one.line, one.rule, one.message, one.section or ""


def _in_order(found: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(set(found), key=_place))


def _wrong_in(source: Source) -> Iterator[PlacedError]:
    """All that keeps a file from being loaded, as far as it tells by itself."""
    sandbox = ParsingSandbox()
    try:
        tree = sandbox.parse(source.text, source.name, source.name)
        errors = survey(tree, sandbox.filters, sandbox.tests)[1]
    except Exception as error:
        yield refusal(source, error)
        return
    for one in errors:
        yield refusal(source, one)


def _without(sources: Sources, source: Source, wrong: set[str]) -> Sources:
    """The template with a file that is right in the place of one that is wrong."""
    wrong.add(source.name)
    text = f'{{% extends "default/{ENTRY}" %}}' if source.name == ENTRY else ""
    return replace(sources, own={**sources.own, source.name: replace(source, text=text)})


class _Lint:
    """The rules, on one template."""

    def __init__(self, engine: Engine, domains: Domains | None) -> None:
        self._engine = engine
        self._domains = domains
        self._found: list[Finding] = []
        self._entry = engine.chain[0]

    def run(self) -> Iterator[Finding]:
        self._sections()
        self._shares()
        for section, options in self._engine.options.items():
            self._droppable(section, options)
        self._supers()
        walk = Walk(self._engine, self._report, self._expect)
        walk.run()
        for section, seen in walk.seen.items():
            self._unprinted(section, seen)
        self._unused(walk.used)
        self._literals(walk.used)
        yield from self._found

    def _report(
        self, source: Source, line: int, section: str | None, rule: str, message: str, severity: Severity | None = None
    ) -> None:
        severity = severity or ("warning" if rule in _WARNINGS else "error")
        assert rule in RULES
        self._found.append(Finding(source.shown, line, section, rule, severity, message))

    def _line(self, section: str) -> tuple[Source, int]:
        """Where the section's tag stands."""
        written = self._engine.written
        source = next(source for source in self._engine.chain if section in written[source.name].lines)
        return source, written[source.name].lines[section]

    def _sections(self) -> None:
        for name in NAMES:
            if name not in self._engine.options:
                severity: Severity = "error" if name in _NEEDED else "warning"
                message = 'it is not there: add it, or extend "default/prompt.jinja"'
                self._report(self._entry, 0, name, "missing-section", message, severity)
        for source in self._engine.chain:
            written = self._engine.written[source.name].lines
            order = [name for name in sorted(written, key=lambda one: written[one]) if name in SECTIONS]
            if order != sorted(order, key=SECTIONS.index):
                message = f"a prompt always has the order {', '.join(SECTIONS)}: put the sections into it"
                self._report(source, written[order[0]], None, "section-order", message)

    def _supers(self) -> None:
        """Whether what `super()` prints is there: in a file further down the chain."""
        chain = self._engine.chain
        for at, source in enumerate(chain):
            for block in self._engine.parse(source)[0].find_all(nodes.Block):
                section = block.name.removeprefix(SECTION)
                there = sum(section in self._engine.written[one.name].lines for one in chain[at + 1 :])
                for node, depth in _supers(block) if section != block.name else ():
                    if depth > there:
                        known = f"{there} of the files that this one extends" if there else "no file that it extends"
                        message = f"{known} has section {section!r}: leave {'super.' * (depth - 1)}super() out"
                        self._report(source, node.lineno, section, "undeclared", message)

    def _shares(self) -> None:
        for what in ("max", "min"):
            shares = {name: getattr(options, what) for name, options in self._engine.options.items()}
            total = sum(share for share in shares.values() if isinstance(share, float))
            if total > 1 + 1e-9:
                named = ", ".join(f"{name} {share:.0%}" for name, share in shares.items() if isinstance(share, float))
                message = f"{what} adds up to {total:.0%} of the budget ({named}): lower some of them"
                self._report(self._entry, 0, None, "shares", message)

    def _droppable(self, section: str, options: SectionOptions) -> None:
        source, line = self._line(section)

        def told(message: str, severity: Severity) -> None:
            self._report(source, line, section, "can-be-dropped", message, severity)

        if section in {"system", "slots"}:
            if not options.keep:
                told("keep=false lets a small budget drop it: leave keep out", "error")
            if options.max is not None:
                told("max cuts what must be kept: leave max out", "warning")
        elif options.keep and options.min is None and section != "recent":
            told("keep without min keeps no certain part of it: add min", "warning")
        if section == "recent" and options.min_turns == 0:
            told("min_turns=0 keeps no turn but the last: use min_turns=1 or more", "warning")

    def _unprinted(self, section: str, seen: Seen) -> None:
        source, line = self._line(section)
        own = [one for one in seen.files if one.name in self._engine.sources.own]
        if source.name not in self._engine.sources.own and own:  # the section is not theirs to change, the file is
            source, line = own[-1 if _PRINTS.get(section) in seen.names else 0], 0
        wanted = _PRINTS.get(section)
        if section == "recent" and not self._engine.written[source.name].prints_turns:
            self._report(source, line, section, "unprinted", "it is empty: write {{ turns }}", "warning")
        if wanted is not None and wanted not in seen.names:
            severity: Severity = "error" if section == "slots" else "warning"
            self._report(source, line, section, "unprinted", f"it never uses {wanted}: loop over it", severity)
        elif section in {"slots", "note"}:
            for key, what, grave in _SLOT_KEYS:
                if (variables.Slot, key) not in seen.keys:
                    severity = "error" if grave == "error" else "warning"
                    self._report(
                        source, line, section, "unprinted", f"it does not show {what}: print slot.{key}", severity
                    )

    def _unused(self, used: set[str]) -> None:
        own = self._engine.sources.own
        for name, source in own.items():
            domain = name.removeprefix("domains/").removesuffix(".jinja")
            if name.startswith("domains/") and self._domains is not None and domain not in self._domains:
                self._report(source, 0, None, "unknown-slot", f"no domain {domain!r}{near(domain, self._domains)}")
            elif name not in used:
                parts = {one.name.partition("/")[2] or one.name for one in self._engine.files()} - {name}
                self._report(source, 0, None, "unused-file", f"nothing includes it{near(name, parts)}")

    def _literals(self, used: set[str]) -> None:
        literals = Literals(self._domains)
        for source in self._engine.files():
            if source.name not in used or source.name not in self._engine.sources.own:
                continue
            tree, _ = self._engine.parse(source)
            for data in tree.find_all(nodes.TemplateData):
                for start, message in literals.find(data.data):
                    line = data.lineno + data.data.count("\n", 0, start)
                    self._report(source, line, None, "literal-value", message)

    def _expect(self, owner: object, key: str, text: str) -> str | None:
        """What to say of a text that a name or path is compared to, where the schema does not have it."""
        if self._domains is None:
            return None
        paths = self._domains.specs
        match owner, key:
            case ((variables.Slot | variables.Question | variables.Quote), "path"):
                known, what = set(paths), "slot"
            case variables.Slot, "name":
                known, what = {spec.name for spec in paths.values()}, "slot"
            case (variables.Slot, "domain") | (variables.Domain, "name"):
                known, what = set(self._domains), "domain"
            case _:
                return None
        return None if text in known else f"no {what} {text!r}{near(text, known)}"


def _supers(node: nodes.Node) -> Iterator[tuple[nodes.Node, int]]:
    """Where `super` stands in a block, and how many files it goes back: two for `super.super`."""
    for child in node.iter_child_nodes():
        depth, inner = 1, child
        while isinstance(inner, nodes.Getattr) and inner.attr == "super":
            depth, inner = depth + 1, inner.node
        if isinstance(inner, nodes.Name) and inner.name == "super":
            yield child, depth
        elif not isinstance(child, nodes.Block):
            yield from _supers(child)
