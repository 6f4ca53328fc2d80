"""Typed values and cues found in a text: pure functions, English and Chinese."""

from slotstate.parsing.contacts import find_emails, find_phones
from slotstate.parsing.cues import (
    affirms,
    alternatives,
    asks,
    bare_no,
    bare_yes,
    clears,
    corrects,
    dont_care,
    hesitates,
    negated,
    refuses,
    removes,
    replaces,
    restarts,
    undoes,
    yes_no,
)
from slotstate.parsing.dates import find_dates
from slotstate.parsing.datetimes import find_datetimes
from slotstate.parsing.durations import find_durations
from slotstate.parsing.folding import Folded, Span, find, find_all, fold, is_boundary, same_text, sentence, unspaced
from slotstate.parsing.found import Found
from slotstate.parsing.money import Amount, find_money
from slotstate.parsing.numbers import find_choice, find_numbers, find_ordinals
from slotstate.parsing.times import find_times

__all__ = [
    "Amount",
    "Folded",
    "Found",
    "Span",
    "affirms",
    "alternatives",
    "asks",
    "bare_no",
    "bare_yes",
    "clears",
    "corrects",
    "dont_care",
    "find",
    "find_all",
    "find_choice",
    "find_dates",
    "find_datetimes",
    "find_durations",
    "find_emails",
    "find_money",
    "find_numbers",
    "find_ordinals",
    "find_phones",
    "find_times",
    "fold",
    "hesitates",
    "is_boundary",
    "negated",
    "refuses",
    "removes",
    "replaces",
    "restarts",
    "same_text",
    "sentence",
    "undoes",
    "unspaced",
    "yes_no",
]
