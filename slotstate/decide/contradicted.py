"""A question that shows the user another value than the one held: a yes to it confirms nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from slotstate.decide.context import Said
from slotstate.domains import Domains
from slotstate.errors import InvalidValue
from slotstate.parsing import find, fold
from slotstate.parsing.languages import LANGUAGES
from slotstate.slots import Json, SlotSpec
from slotstate.state import State
from slotstate.values import find as find_values
from slotstate.values import normalise, same, stands_in

_NAME: Final = re.compile(r"(?<=[^.!?\s])[\"'(]? [\"'(]?(?P<name>[A-Z][\w'-]+)")
"""A word with a capital within a sentence."""
_TITLED: Final = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|Prof)\.? (?P<name>[A-Z][\w'-]+)")
_COMPOUND: Final = frozenset({"list", "composite", "map", "boolean"})


def contradicted(domains: Domains, state: State, said: Said, spec: SlotSpec) -> bool:
    """Whether the assistant's last turn names another value for a held slot, and not the one that it holds. What other
    slots hold is theirs.
    """
    slot, heard = state.slot(spec.path), said.heard
    if heard is None or not slot.is_held or slot.held.dontcare or spec.kind in _COMPOUND:
        return False
    reading = replace(said.reading(spec), asked=False)
    if stands_in(spec, slot.held.value, heard.text, reading):
        return False
    others = [one for path, one in domains.specs.items() if path != spec.path and state.slot(path).is_held]
    held = [(one, state.slot(one.path).held.value) for one in others]
    if spec.kind == "text":
        return any(not _is_of_others(name, domains, held) for name in _names(spec, heard.text))
    values = [value for found in find_values(spec, heard.text, reading) for value in found.values]
    return any(not any(_is_same(spec, value, one, known, said) for one, known in held) for value in values)


def _names(spec: SlotSpec, text: str) -> Iterator[str]:
    """Names in a text, as far as capitals and the slot's examples tell."""
    for pattern in (_NAME, _TITLED):
        yield from (match["name"] for match in pattern.finditer(text))
    words = fold(text)
    yield from (example for example in spec.slot.examples if find(example, words))


def _is_of_others(name: str, domains: Domains, held: list[tuple[SlotSpec, Json]]) -> bool:
    """Whether a word with a capital is no value of the slot: the calendar's, "I", of another slot or question."""
    word = fold(name).text
    calendars = [language.calendar for language in LANGUAGES]
    if word.partition("'")[0] == "i" or any(
        word in table
        for one in calendars
        for table in (one.months, one.weekdays, one.weekdays_short)
        if not word.isdigit()
    ):
        return True
    known = [str(value) for _, value in held if isinstance(value, str)]
    declared = [text for one in domains.specs.values() for text in (one.slot.ask or "", one.label, one.domain)]
    return any(find(name, fold(text)) is not None for text in (*known, *declared))


def _is_same(spec: SlotSpec, value: Json, other: SlotSpec, known: Json, said: Said) -> bool:
    """Whether another slot of the kind holds the value."""
    if other.kind != spec.kind:
        return False
    try:
        return same(spec, value, normalise(spec, known, said.reading(spec)))
    except InvalidValue:
        return False
