"""Dates, times and numbers that only the assistant has said: what it takes for the user to have taken one up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.learned.known import Candidate
from slotstate.extractors.builtin.learned.reader import Scored
from slotstate.extractors.builtin.learned.words import TYPED
from slotstate.extractors.builtin.quantities import quantity
from slotstate.extractors.builtin.words import cue_spans
from slotstate.parsing import affirms, find_choice, hesitates
from slotstate.slots import SlotSpec

_LISTED: Final = re.compile(
    r"\s*(?:[,/;、]|,?\s*\b(?:and|or)\b|或者?|和|还是)\s*(?:(?:and|or)\s+)?(?:(?:at|on|for)\s+)?(?:the\s+)?",
    re.IGNORECASE,
)
"""What stands between two values that are offered side by side."""


def is_left_alone(turn: Scored, one: Candidate, context: Context) -> bool:
    """Whether the value is not the user's: only the assistant said it, or an earlier turn that left it open, and the
    words neither accept it, nor choose it, nor go on with what it belongs to.
    """
    spec = turn.view.every[one.slot]
    texts = {turn.view.mentions[place].text for place in one.mentions}
    if 0 in texts or _is_ruled(turn, one, spec):
        return False
    if spec.kind not in TYPED:
        return spec.kind == "categorical" and 1 in texts and quantity(context) is not None
    if _is_open(turn, spec):
        return True
    if 1 not in texts:
        return False
    return len(_beside(turn, one)) > 1 or not _takes_up(turn, spec, context)


def _is_ruled(turn: Scored, one: Candidate, spec: SlotSpec) -> bool:
    """Whether the rules read the value: they know the words by which users choose."""
    value = one.value if one.canonical is None else one.canonical
    return value in turn.view.rules.get(spec.path, ())


def _is_open(turn: Scored, spec: SlotSpec) -> bool:
    """Whether it is open which of several readings is meant: only words about that settle it."""
    pending = turn.view.request.state.slot(spec.path).pending
    return pending is not None and pending.why == "ambiguous"


def _beside(turn: Scored, one: Candidate) -> set[str]:
    """The values that are offered for the slot side by side with this one, itself included."""
    view = turn.view
    path = view.every[one.slot].path
    found = {str(offer.value) for offer in view.request.offers if offer.path == path} | {_told(one)}
    for other in turn.candidates:
        if other.slot == one.slot and _told(other) not in found and _is_listed(turn, one, other):
            found.add(_told(other))
    return found


def _told(one: Candidate) -> str:
    return str(one.value if one.canonical is None else one.canonical)


def _is_listed(turn: Scored, one: Candidate, other: Candidate) -> bool:
    """Whether the assistant's words put two candidates next to each other ("at 7 or at 8")."""
    text = turn.view.request.assistant
    pairs = (sorted((a, b)) for a in _heard(turn, one) for b in _heard(turn, other))
    return any(_LISTED.fullmatch(text, first[1], second[0]) is not None for first, second in pairs)


def _heard(turn: Scored, one: Candidate) -> Iterator[tuple[int, int]]:
    """Where the assistant's last turn says a candidate."""
    for place in one.mentions:
        mention: Any = turn.view.mentions[place]
        if mention.text == 1:
            yield mention.stretch.start, mention.stretch.end


def _takes_up(turn: Scored, spec: SlotSpec, context: Context) -> bool:
    """Whether the user agrees, chooses, or tells more of the same task."""
    words = context.words
    if cue_spans(words, lambda lexicon: lexicon.taking):
        return True
    if any(path != spec.path and path.partition(".")[0] == spec.domain for path in turn.view.rules):
        return True
    agrees = affirms(words.folded) is not None or bool(cue_spans(words, lambda lexicon: lexicon.accepting))
    return find_choice(words.folded, 1) is not None or (agrees and hesitates(words.folded) is None)
