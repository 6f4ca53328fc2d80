"""Texts of a template that look like a slot's value, or like a placeholder that nothing fills."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from slotstate.domains import Domains
from slotstate.slots import SlotSpec
from slotstate.templating.escaping import MARKERS
from slotstate.templating.variables import NAMES_GIVEN

_VALUES: Final = {
    "a date": r"(?<!\d)(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{4}|\d{4}年\d{1,2}月\d{1,2}日)(?!\d)",
    "a time": r"(?<![\d:])(?:[01]?\d|2[0-3]):[0-5]\d(?![\d:])",
    "an email address": r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    "a phone number": r"(?<![\w.])\+?\d(?:[ ()/-]{0,2}\d){6,14}(?![\w-])",
    "an amount of money": r"[$€£¥]\s?\d[\d.,]*|(?<![\w.])\d[\d.,]*\s?(?:[€£¥元]|EUR|USD|GBP|CNY|RMB)(?!\w)",
}
_VALUE: Final = {what: re.compile(pattern) for what, pattern in _VALUES.items()}
_PLACEHOLDER: Final = re.compile(r"\$?\{([^\W\d][\w.]*)\}|\[([^\W\d][\w.]*)\]|<([^\W\d][\w.]*)>|%([^\W\d]\w*)%")
_QUOTED: Final = re.compile(r"[\"'“‘「『]([^\"'”’」』\n]{1,80})[\"'”’」』]")


class Literals:
    """Finds them, by the schema where there is one."""

    def __init__(self, domains: Domains | None) -> None:
        specs = list(domains.specs.values()) if domains is not None else []
        self._names = {spec.name: spec.path for spec in specs} | {spec.path: spec.path for spec in specs}
        self._schema = domains is not None
        self._known = {word.casefold(): path for path, word in _words(specs)}
        self._telling = [(word, path) for path, word in _words(specs) if _is_telling(word)]

    def find(self, text: str) -> Iterator[tuple[int, str]]:
        """Where in the text something is, and what to say about it. Each place once."""
        seen: set[int] = set()
        for start, end, message in (*self._placeholders(text), *self._of_schema(text), *self._shaped(text)):
            if seen.isdisjoint(range(start, end)):
                seen.update(range(start, end))
                yield start, message

    def _placeholders(self, text: str) -> Iterator[tuple[int, int, str]]:
        for found in _PLACEHOLDER.finditer(text):
            name = next(group for group in found.groups() if group is not None)
            known = name in self._names or name in NAMES_GIVEN
            if name not in MARKERS and (known or (found[1] and not self._schema)):
                remedy = f"print {self._names[name]} from domains" if name in self._names else f"write {{{{ {name} }}}}"
                yield found.start(), found.end(), f"{found[0]!r} is printed as it stands: {remedy}"

    def _of_schema(self, text: str) -> Iterator[tuple[int, int, str]]:
        for found in _QUOTED.finditer(text):
            path = self._known.get(found[1].casefold())
            if path is not None:
                yield found.start(), found.end(), _told(found[1], f"a value of {path}")
        for word, path in self._telling:
            for found in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)" if word.isascii() else re.escape(word), text):
                yield found.start(), found.end(), _told(word, f"a value of {path}")

    def _shaped(self, text: str) -> Iterator[tuple[int, int, str]]:
        for what, pattern in _VALUE.items():
            for found in pattern.finditer(text):
                yield found.start(), found.end(), _told(found[0], what)


def _told(literal: str, what: str) -> str:
    return f"{literal!r} looks like {what}: it stays the same whatever the slot holds; print the slot instead"


def _words(specs: list[SlotSpec]) -> Iterator[tuple[str, str]]:
    """Options, aliases and examples of the slots, each with its slot's path."""
    for spec in specs:
        owner = spec.item or spec
        words = [*owner.options, *spec.slot.examples, *(word for group in spec.slot.aliases.values() for word in group)]
        yield from ((spec.path, str(word).strip()) for word in words if str(word).strip())
        yield from _words(list(spec.fields.values()))


def _is_telling(word: str) -> bool:
    """Whether a word is unlikely to stand in a text by chance."""
    if len(word) < 3 and word.isascii():
        return False
    return not word.isascii() or any(one.isdigit() or one.isspace() for one in word) or not word[:1].islower()
