"""Where something is wrong in a template, and what: errors of one line."""

from __future__ import annotations

import re
from collections.abc import Mapping
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
_CODE: Final = re.compile(r"\{%[-+]?\s*(\w*)(?:[^%]|%(?!\}))*|\{\{(?:[^}]|\}(?!\}))*")
_AROUND: Final = frozenset("section if for macro call filter with block autoescape".split())
_NESTED: Final = 15
"""Tags around a line that are nothing to blame."""
_DIGITS: Final = re.compile(r"\d[\d_]{999}")
_OTHER: Final = "a value that cannot be used here"
_KINDS: Final[Mapping[type, str]] = {
    ZeroDivisionError: "a division by zero",
    OverflowError: "a number that is too large",
    TypeError: "values or arguments that do not fit together",
    LookupError: "something that is not there",
}
"""What Python's errors mean to somebody who writes a template."""
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
    line = getattr(error, "lineno", None) if isinstance(error, JinjaError) else _hardest(source.text, error)
    rule = "unknown-filter" if isinstance(error, UnknownFilter) else "invalid"
    return PlacedError(source.shown, line or 0, section_at(source, line or 0), reason(error), rule)


def _hardest(text: str, error: Exception) -> int:
    """The line that is to blame where what failed does not say: with a number of thousands of digits, with the most
    tags around it, or with the longest tag.
    """
    number = _DIGITS.search(text) if isinstance(error, ValueError) else None
    if number is not None:
        return text.count("\n", 0, number.start()) + 1
    deepest, most, longest, size, around = 0, 0, 0, 0, 0
    for found in _CODE.finditer(text):
        name = found[1] or ""
        around += -1 if name.startswith("end") else name in _AROUND
        if around > most:
            deepest, most = found.start(), around
        if found.end() - found.start() > size:
            longest, size = found.start(), found.end() - found.start()
    return text.count("\n", 0, deepest if most > _NESTED else longest) + 1


def reason(error: Exception) -> str:
    """An error in words, with a remedy."""
    match error:
        case JinjaError(message=str(message)):
            text = message.rstrip(".")
            tag = re.match(r"Encountered unknown tag '(\w+)'", text)
            return f"unknown tag {tag[1]!r}{near(tag[1], _TAGS)}" if tag else short(text)
        case RecursionError() | MemoryError() | SyntaxError():
            return "nested too deeply: make it flatter"
        case ValueError() if "integer string conversion" in str(error):
            return "a number of thousands of digits: write a smaller one"
        case _:
            words = next((words for kind, words in _KINDS.items() if isinstance(error, kind)), _OTHER)
            return f"{words}: check the values that this line is given"


def short(text: str, most: int = _LONGEST) -> str:
    """A text in one line, its start where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most]}…"


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
