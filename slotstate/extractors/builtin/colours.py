"""Colours: text slots that are named for one, filled by the words for colours that each language's table lists."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from slotstate.extractors.builtin.choose import Candidate, Reason
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.lexicons import LEXICONS
from slotstate.extractors.builtin.named import is_negated
from slotstate.extractors.builtin.profile import Profile, word_spans
from slotstate.extractors.builtin.remains import valid_text
from slotstate.extractors.builtin.words import inside


def coloured(turn: Context) -> Iterator[Candidate]:
    """The colour that the turn names, where one slot is a colour and one colour is named."""
    wanting = [one for one in turn.profiles if one.kind == "text" and _is_colour(one)]
    if len(wanting) != 1:
        return
    spans = [
        span
        for lexicon in turn.words.languages
        for colour in sorted(lexicon.colours, key=len, reverse=True)
        for span in word_spans(colour, turn.words.text)
    ]
    spans = [
        span
        for span in spans
        if not any(other != span and other[0] <= span[0] and span[1] <= other[1] for other in spans)
    ]
    usable = [
        span for span in spans if turn.fills(span) and not inside(span, turn.inquiries) and not is_negated(turn, span)
    ]
    if len(usable) == 1:
        value = valid_text(turn, wanting[0], usable[0])
        if value is not None:
            yield Candidate(wanting[0], usable[0], (value,), Reason.CUED)


@lru_cache(maxsize=1024)
def _is_colour(one: Profile) -> bool:
    return any(name in lexicon.colour_slots for lexicon in LEXICONS for name in one.names)
