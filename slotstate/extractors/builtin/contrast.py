"""Text slots: one value in place of another ("York instead of Leeds", "not Leeds, York", 不是北京，是南京)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from slotstate.extractors.builtin.choose import Candidate, Reason
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.profile import Profile
from slotstate.extractors.builtin.remains import alternatives_in, is_empty, is_name, says_one_thing, trimmed, valid_text
from slotstate.extractors.builtin.restraint import is_turned_down
from slotstate.extractors.builtin.words import inside
from slotstate.parsing import Span, bare_no, bare_yes, find, fold, unspaced
from slotstate.parsing.matching import compiled

_LONGEST = 120
"""Characters of a turn that says no more than which value is meant."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """Where the value stands that is meant, and the one that is not."""

    value: Span
    old: Span


def contrasted(turn: Context, taken: Sequence[Span]) -> list[Candidate]:
    """The value that is meant, for the slot that holds the other one, else for the one that was asked for."""
    for contrast in contrasts(turn, taken):
        one = _meant_slot(turn, contrast)
        if one is None:
            continue
        reason = Reason.ASKED if turn.is_asked(one) or turn.sole is one else Reason.CORRECTED
        spans = alternatives_in(turn, contrast.value) or [contrast.value]
        values = [(span, value) for span in spans if (value := valid_text(turn, one, span)) is not None]
        if values:
            return [Candidate(one, span, (value,), reason) for span, value in values]
    return []


def contrasts(turn: Context, taken: Sequence[Span]) -> list[Contrast]:
    """The readings of the turn as one value in place of another; what is `taken` is of another kind."""
    if len(turn.words.text) > _LONGEST or turn.closed or turn.inquiries:
        return []
    return [
        one
        for one in _read(turn)
        if not inside(one.value, taken)
        and not inside(one.old, taken)
        and _is_value(turn, one.value)
        and _is_value(turn, one.old)
    ]


def _read(turn: Context) -> Iterator[Contrast]:
    text = turn.words.text
    edges = len(text) - len(text.lstrip()), len(text.rstrip())
    for lexicon in turn.words.languages:
        for pattern in lexicon.contrasts:
            match = compiled(pattern).fullmatch(text, *edges)
            if match is None or _is_title(turn, match):
                continue
            start, end = match.span("value")
            value = trimmed(turn, (start, end + text.startswith(",", end)))  # some lead-ins end on a comma
            old = trimmed(turn, match.span("old"))
            if value[1] > value[0] and old[1] > old[0]:
                yield Contrast(value, old)


def _is_title(turn: Context, match: re.Match[str]) -> bool:
    """Whether the word of negation is written as a part of a name ("Peace Not War")."""
    return match.start("no") > 0 and turn.words.original(match.span("no"))[:1].isupper()


def _is_value(turn: Context, span: Span) -> bool:
    words = fold(turn.words.original(span))
    plain = is_name(turn, span, asked=False) and not is_empty(turn, span)
    return plain and not is_turned_down(words.text) and not bare_yes(words) and not bare_no(words)


def _meant_slot(turn: Context, contrast: Contrast) -> Profile | None:
    """The slot that holds the value that is not meant, else the one asked for, else the only one that there is."""
    texts = [one for one in turn.profiles if one.kind == "text" and "note" not in one.concepts]
    old = turn.words.original(contrast.old)
    holding = [one for one in texts if isinstance(held := turn.held(one), str) and find(old, fold(held)) is not None]
    if holding:
        return _latest(turn, [one for one in holding if turn.is_asked(one)] or holding)
    if not _is_like(turn, contrast):
        return None
    asked = [one for one in texts if turn.is_asked(one)]
    if not asked and turn.sole in texts and says_one_thing(turn):
        return turn.sole
    return asked[0] if len(asked) == 1 else None


def _latest(turn: Context, slots: Sequence[Profile]) -> Profile | None:
    """The slot that was changed last, where only one was."""
    latest = max(turn.slot(one).held.step for one in slots)
    found = [one for one in slots if turn.slot(one).held.step == latest]
    return found[0] if len(found) == 1 else None


def _is_like(turn: Context, contrast: Contrast) -> bool:
    """Whether both are written alike: with a capital, or in the same script."""
    value, old = turn.words.original(contrast.value)[:1], turn.words.original(contrast.old)[:1]
    return value.isupper() == old.isupper() and unspaced(value) == unspaced(old)
