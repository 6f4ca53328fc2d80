"""One value against one slot: brought to canonical form, compared, and followed back to the words it came from."""

from slotstate.values.checking import FORMS, canonical, check, is_plain_number, jsonable, to_python
from slotstate.values.comparing import distinct, identity, same
from slotstate.values.finding import find, follows, is_negated, place, stands_in
from slotstate.values.normalising import normalise
from slotstate.values.reading import Reading, currency_of, direction, spellings

__all__ = [
    "FORMS",
    "Reading",
    "canonical",
    "check",
    "currency_of",
    "direction",
    "distinct",
    "find",
    "follows",
    "identity",
    "is_negated",
    "is_plain_number",
    "jsonable",
    "normalise",
    "place",
    "same",
    "spellings",
    "stands_in",
    "to_python",
]
