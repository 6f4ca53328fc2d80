"""What `lint` finds in a template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Severity: TypeAlias = Literal["error", "warning"]


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
    "unknown-filter": "a filter or test, named in a text, that there is none of",
    "unknown-slot": "a domain or slot that the schema does not have",
    "unprinted": "a section does not print what it is there for",
    "volatile-prefix": "what changes from turn to turn stands in the stable part",
    "raw-value": "somebody's words are printed as they are",
    "literal-value": "text that looks like a slot's value or a placeholder",
    "unused-file": "a file that nothing includes",
}
"""The rules, and what each finds."""
