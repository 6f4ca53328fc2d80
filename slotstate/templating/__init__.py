"""Templates: what the sections of a prompt say, in Jinja, in a sandbox. See docs/templates.md."""

from __future__ import annotations

from slotstate.templating.escaping import as_data, escape_delimiters
from slotstate.templating.options import NAMES, NOTE, SECTIONS, SectionOptions
from slotstate.templating.sources import bundled_sets
from slotstate.templating.template import Template, load_template
from slotstate.templating.variables import Variables, empty_variables

__all__ = [
    "NAMES",
    "NOTE",
    "SECTIONS",
    "SectionOptions",
    "Template",
    "Variables",
    "as_data",
    "bundled_sets",
    "empty_variables",
    "escape_delimiters",
    "load_template",
]
