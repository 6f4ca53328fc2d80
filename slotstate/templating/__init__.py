"""Templates: what the sections of a prompt say, in Jinja, in a sandbox. See docs/templates.md."""

from __future__ import annotations

from slotstate.domains import Domains
from slotstate.errors import TemplateError
from slotstate.templating.escaping import as_data, escape_delimiters, escape_markers
from slotstate.templating.findings import RULES, Finding, PlacedError
from slotstate.templating.options import NAMES, NOTE, SECTIONS, SectionOptions
from slotstate.templating.sources import bundled_sets
from slotstate.templating.template import Template, load_template
from slotstate.templating.variables import Fixed, Variables, empty_variables


def lint(template: Template | str, domains: Domains | None = None) -> tuple[Finding, ...]:
    """What is wrong in a template or costs more than it must, found without rendering it; `domains` tell more.

    What cannot be loaded is a finding, too; the other files are looked at all the same. A template that is not there
    raises TemplateError.
    """
    from slotstate.templating.linting import find_all, find_in

    if isinstance(template, str):
        return find_in(template, domains)
    try:
        engine = template.engine
    except PlacedError:
        return find_in(template.name, domains)
    return find_all(engine, domains)


__all__ = [
    "NAMES",
    "NOTE",
    "RULES",
    "SECTIONS",
    "Finding",
    "Fixed",
    "PlacedError",
    "SectionOptions",
    "Template",
    "TemplateError",
    "Variables",
    "as_data",
    "bundled_sets",
    "empty_variables",
    "escape_delimiters",
    "escape_markers",
    "lint",
    "load_template",
]
