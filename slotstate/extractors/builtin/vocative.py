"""A name at the start of a turn that goes on with other values ("Ana, code is 4411"): who speaks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slotstate.extractors.builtin.answers import PLACES
from slotstate.extractors.builtin.choose import Candidate, Reason
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.remains import is_empty, is_name, valid_text
from slotstate.parsing import Span, affirms, fold, refuses
from slotstate.parsing.matching import compiled


def named_first(turn: Context, taken: Sequence[Span]) -> Iterator[Candidate]:
    """The name, where one slot is a person's name, none is a place, and what follows names another slot."""
    names = [one for one in turn.profiles if one.kind == "text" and "name" in one.concepts]
    if len(names) != 1 or turn.held(names[0]) is not None or turn.questions:
        return
    if any(one.kind == "text" and one.concepts & PLACES for one in turn.profiles):
        return
    for lexicon in turn.words.languages:
        match = compiled(lexicon.vocative).match(turn.words.text)
        span = match.span("name") if match is not None else (0, 0)
        words = turn.words.original(span)
        if match is None or not words[:1].isupper() or not all(word[:1].isupper() for word in words.split()):
            continue
        others = [one for one in turn.profiles if one is not names[0]]
        goes_on = any(one.is_named_in(turn.words.text[match.end() :]) for one in others)
        if not goes_on or not is_name(turn, span, asked=False) or is_empty(turn, span) or not turn.fills(span):
            continue
        value = None if affirms(fold(words)) or refuses(fold(words)) else valid_text(turn, names[0], span)
        if value is not None:
            yield Candidate(names[0], span, (value,), Reason.ONLY)
