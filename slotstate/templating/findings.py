"""What is said about a template: errors with their place, and what `lint` finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from slotstate.errors import TemplateError

Severity: TypeAlias = Literal["error", "warning"]


class PlacedError(TemplateError):
    """A template's error with its place: the file as shown, the line (0 where unknown), the section, the reason, and
    the rule that finds it.
    """

    def __init__(self, file: str, line: int, section: str | None, reason: str, rule: str = "invalid") -> None:
        place = (f"{file}:{line}" if line else file) + (f': section "{section}"' if section else "")
        super().__init__(f"{place}: {reason}")
        self.file = file
        self.line = line
        self.section = section
        self.reason = reason
        self.rule = rule

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return _placed, (self.file, self.line, self.section, self.reason, self.rule)

    @property
    def finding(self) -> Finding:
        """The error as `lint` tells it."""
        return Finding(self.file, self.line, self.section, self.rule, "error", self.reason)


def _placed(file: str, line: int, section: str | None, reason: str, rule: str) -> PlacedError:
    return PlacedError(file, line, section, reason, rule)


PlacedError.__name__ = PlacedError.__qualname__ = "TemplateError"  # what people see is documented
PlacedError.__module__ = TemplateError.__module__


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """Something in a template that is wrong or costs something; `line` is 0 where it is about the whole file."""

    file: str
    line: int
    section: str | None
    rule: str
    severity: Severity
    message: str


RULES: Final[dict[str, str]] = {
    "invalid": "the template cannot be loaded",
    "missing-section": "a section that a prompt needs is not there",
    "section-order": "the sections stand in another order than in the prompt",
    "can-be-dropped": "what must be kept can be left out or cut",
    "shares": "the sections' shares of the budget do not add up",
    "undeclared": "a variable that there is none of",
    "unknown-attribute": "a key that a variable does not have",
    "unknown-filter": "a filter or test that there is none of",
    "unguarded": "a key of what may be none: with none there, no prompt is made",
    "unknown-slot": "a domain or slot that the schema does not have",
    "unprinted": "a section does not print what it is there for",
    "volatile-prefix": "what changes from turn to turn stands in the stable part",
    "raw-value": "somebody's words are printed as they are",
    "literal-value": "text that looks like a slot's value or a placeholder",
    "empty-line": "a file's last line break stands beside another one",
    "not-followed": "macros or files call each other too often to be looked at each time",
    "unused-file": "a file that nothing includes",
}
"""The rules, and what each finds."""
