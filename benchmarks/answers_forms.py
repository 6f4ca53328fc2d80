"""The ways in which an answer may write the value of a corpus's slot."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from benchmarks.builtin_corpora import NOW
from slotstate.errors import InvalidValue
from slotstate.slots import SlotSpec
from slotstate.values import Reading, normalise

_NUMBERS: Final = "zero one two three four five six seven eight nine ten".split()
_UNASKED: Final = frozenset({"true", "false", "yes", "no", "free", "dontcare", "none", "", "免费"})


def forms_of(spec: SlotSpec, values: Iterable[str]) -> frozenset[str]:
    """The spellings of a value: the corpus's, the slot's, and numbers in digits and in words; none for a yes or no."""
    forms = set(values)
    if spec.kind == "boolean" or any(form.casefold() in _UNASKED for form in forms):
        return frozenset()
    forms |= {str(read) for form in values if (read := read_as(spec, form)) is not None}
    for digits, word in enumerate(_NUMBERS):
        if forms & {str(digits), word, word.title()}:
            forms |= {str(digits), word}
    return frozenset(forms)


def read_as(spec: SlotSpec, text: str) -> object:
    """What the slot would hold for a text; None when it would refuse it."""
    try:
        return normalise(spec, text.strip(" .!。“”\"'"), Reading(NOW))
    except InvalidValue:
        return None
