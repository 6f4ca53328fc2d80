"""Where something is wrong in a template, and what: errors of one line."""

from __future__ import annotations

import re
from typing import Final

from jinja2 import TemplateError as JinjaError

from slotstate.errors import near
from slotstate.templating.findings import PlacedError
from slotstate.templating.sources import Source
from slotstate.templating.syntax import UnknownFilter

_OPENS: Final = re.compile(r"""\{%[-+]?\s*(?:section\s*["'](\w*)["']|(endsection)\b)""")
_TAGS: Final = (
    "section endsection if elif else endif for endfor set endset include extends import from macro endmacro call "
    "endcall filter endfilter with endwith block endblock raw endraw print".split()
)
_LONGEST: Final = 240
"""Characters of what went wrong that are shown."""


def section_at(source: Source, line: int) -> str | None:
    """The section that a line is in or opens, by the tags before it."""
    section: str | None = None
    for number, text in enumerate(source.text.splitlines()[:line], 1):
        for found in _OPENS.finditer(text):
            section = found[1] or (section if number == line else None)
    return section


def refusal(source: Source, error: Exception) -> PlacedError:
    """What went wrong while a file was read, as an error to raise."""
    line = getattr(error, "lineno", None) if isinstance(error, JinjaError) else None
    rule = "unknown-filter" if isinstance(error, UnknownFilter) else "invalid"
    return PlacedError(source.shown, line or 0, section_at(source, line or 0), reason(error), rule)


def reason(error: Exception) -> str:
    """An error in words, with a remedy."""
    match error:
        case JinjaError(message=str(message)):
            text = message.rstrip(".")
            tag = re.match(r"Encountered unknown tag '(\w+)'", text)
            return f"unknown tag {tag[1]!r}{near(tag[1], _TAGS)}" if tag else short(text)
        case RecursionError() | MemoryError() | SyntaxError():
            return "nested too deeply: make it flatter"
        case _:
            return f"{type(error).__name__}: {short(str(error))}: check the values that this line is given"


def short(text: str) -> str:
    """A text in one line, its start where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def innermost(error: Exception) -> tuple[str | None, int]:
    """Name and line of the innermost file of a template that an error came through."""
    name, line = None, 0
    trace = error.__traceback__
    while trace is not None:
        template = trace.tb_frame.f_globals.get("__jinja_template__")
        if template is not None:
            name, line = template.name, template.get_corresponding_lineno(trace.tb_lineno)
        trace = trace.tb_next
    return name, line
