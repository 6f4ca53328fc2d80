"""Evidence: how well the user's own words support a change.

said: the words are in this turn and the value follows from them. accepted: the words take up a value that the assistant
or a tool put forward. meant: the words are in this turn, the value cannot be derived from them. none: everything else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from slotstate.decide.context import Said
from slotstate.events import Grade, Op, Reason, Source
from slotstate.parsing import (
    Folded,
    Span,
    affirms,
    bare_yes,
    clears,
    dont_care,
    find,
    find_choice,
    find_quote,
    fold,
    refuses,
    removes,
    restarts,
    sentence,
    undoes,
)
from slotstate.slots import DONTCARE, Json, SlotSpec
from slotstate.state import SlotState
from slotstate.values import find as find_values
from slotstate.values import is_negated, place, same, stands_in


@dataclass(frozen=True, slots=True)
class Evidence:
    """A grade with what it rests on. `raw` are the words that the value came from; `older` marks an accepted value that
    only an earlier offer holds; `reason` says why there is no evidence.
    """

    grade: Grade
    span: Span | None = None
    source: Source = "user"
    raw: str | None = None
    older: bool = False
    reason: Reason | None = None


MAX_QUOTE: Final = 1_000
"""Characters of a quote in which a value is looked for: longer ones point at nothing in particular."""
MAX_PLACES: Final = 8
"""Places of a quote in the turn that are looked at."""
_RANK: Final[dict[Grade, int]] = {"none": 0, "meant": 1, "accepted": 2, "said": 3}


@dataclass(frozen=True, slots=True)
class Claim:
    """A change to be judged: `value` is canonical, or DONTCARE, or UNSET; `field` goes into a composite or a map."""

    op: Op
    spec: SlotSpec
    value: Json
    quote: str | None
    field: str | None = None


def weigh(claim: Claim, slot: SlotState, said: Said) -> Evidence:
    """The best evidence for a claim among all the places where its quote stands in the turn."""
    if not claim.quote or not claim.quote.strip():
        return Evidence("none", reason="no_quote")
    spans = find_quote(claim.quote, fold(said.text), limit=MAX_PLACES)
    if not spans:
        return Evidence("none", reason="quote_not_found")
    return max((_weigh_at(span, claim, slot, said) for span in spans), key=lambda evidence: _RANK[evidence.grade])


def _weigh_at(span: Span, claim: Claim, slot: SlotState, said: Said) -> Evidence:
    words = said.text[span[0] : min(span[1], span[0] + MAX_QUOTE)]
    judge = _JUDGES.get(claim.op, _judge_value)
    evidence = judge(claim, slot, said, span, fold(words))
    return replace(evidence, span=span)


def _judge_value(claim: Claim, slot: SlotState, said: Said, span: Span, words: Folded) -> Evidence:
    if claim.value is DONTCARE:
        return Evidence("said" if dont_care(words) else "meant", raw=words.original)
    reading = said.reading(claim.spec)
    where = place(claim.spec, claim.value, words.original, reading)
    if where is not None:
        compound = claim.spec.kind in {"list", "composite", "map"}
        if not compound and claim.spec.kind != "boolean" and _is_ruled_out(claim.spec, said, span[0], where):
            return Evidence("none", reason="does_not_follow")
        return Evidence("said", raw=words.original[where[0] : where[1]])
    if _contradicts(claim, words, said):
        return Evidence("none", reason="does_not_follow")
    return _judge_offer(claim, slot, said, words)


def _is_ruled_out(spec: SlotSpec, said: Said, start: int, where: Span) -> bool:
    """Whether the turn rules out the value at `where`, counted from `start`, whatever of it was quoted."""
    return is_negated(spec, fold(said.text), start + where[0], start + where[1])


def _contradicts(claim: Claim, words: Folded, said: Said) -> bool:
    """Whether the words say the opposite: they negate the value, or answer a yes/no slot the other way."""
    reading = said.reading(claim.spec)
    if claim.spec.kind == "boolean":
        return any(not found.ambiguous for found in find_values(claim.spec, words.original, reading))
    return place(claim.spec, claim.value, words.original, replace(reading, negated=True)) is not None


def _judge_offer(claim: Claim, slot: SlotState, said: Said, words: Folded) -> Evidence:
    """Whether the words take up something that was put forward."""
    spec = claim.spec
    options = listed_options(spec, slot, said)
    choice = find_choice(words, len(options)) if options else None
    if choice is not None:
        follows = same(spec, options[choice], claim.value)
        return Evidence("said", source="offer", raw=words.original) if follows else _NO
    yes, no = affirms(words) is not None, refuses(words) is not None
    if _put_forward(claim, slot, said):
        if no and not yes:
            return _NO
        return Evidence(
            "accepted" if yes else "meant", source="offer", raw=words.original, older=yes and not said.fresh
        )
    if yes and any(same(spec, offer.value, claim.value) for offer in slot.offers):
        return Evidence("accepted", source="offer", raw=words.original, older=True)
    open_question = said.heard is not None and spec.kind in {"boolean", "categorical"}
    if bare_yes(words) and not open_question:
        return Evidence("none", reason="nothing_asked" if said.heard is None else "unknown_offer")
    return Evidence("meant", raw=words.original)


def _put_forward(claim: Claim, slot: SlotState, said: Said) -> bool:
    """Whether the value stands in the last assistant turn, among its offers or in its words."""
    if any(same(claim.spec, offer.value, claim.value) for offer in said.offers(claim.spec, slot)):
        return True
    return said.heard is not None and stands_in(claim.spec, claim.value, said.heard.text, said.reading(claim.spec))


_NO: Final = Evidence("none", reason="does_not_follow")


def listed_options(spec: SlotSpec, slot: SlotState, said: Said) -> tuple[Json, ...]:
    """The values for this slot that the last assistant turn listed, in order: its offers, else those its text names."""
    if said.heard is None:
        return ()
    offered = tuple(offer.value for offer in said.offers(spec, slot))
    if offered:
        return offered
    reading = replace(said.reading(spec), asked=False, currency=None)
    values: list[Json] = []
    for found in find_values(spec, said.heard.text, reading):
        if not any(same(spec, found.value, other) for other in values):
            values.append(found.value)
    return tuple(values)


def _judge_removal(claim: Claim, slot: SlotState, said: Said, span: Span, words: Folded) -> Evidence:
    """For remove and exclude: the value in the quote, and a word of removal or negation in its sentence."""
    spec = claim.spec.element if claim.spec.kind == "list" else claim.spec
    reading = replace(said.reading(spec), negated=True)
    items = claim.value if claim.op == "remove" and isinstance(claim.value, list | tuple) else [claim.value]
    places = [place(spec, item, words.original, reading) for item in items]
    found = [where for where in places if where is not None]
    if not found or len(found) < len(places):
        return Evidence("meant", raw=words.original)
    around = fold(sentence(said.text, span))
    cue = removes(around) or clears(around) or refuses(around)
    ruled_out = all(_is_ruled_out(spec, said, span[0], where) for where in found)
    raw = words.original[found[0][0] : found[-1][1]]
    return Evidence("said" if cue or ruled_out else "meant", raw=raw)


def _judge_clear(claim: Claim, slot: SlotState, said: Said, span: Span, words: Folded) -> Evidence:
    """A clear cue, and the slot's name or its value."""
    if clears(words) is None:
        return Evidence("none", reason="does_not_follow") if bare_yes(words) else Evidence("meant")
    return Evidence("said" if _names(claim, slot, said, words) else "meant")


def _names(claim: Claim, slot: SlotState, said: Said, words: Folded) -> bool:
    spec = claim.spec
    value = slot.held.value
    if claim.field is not None:
        spec = spec.fields[claim.field] if spec.kind == "composite" else spec.element
        value = value.get(claim.field) if isinstance(value, dict) else None
    labels = (claim.field or spec.label, spec.label, *spec.slot.cues)
    if any(find(label.replace("_", " "), words) for label in labels):
        return True
    reading = replace(said.reading(spec), negated=True)
    return value is not None and place(spec, value, words.original, reading) is not None


def _judge_confirm(claim: Claim, slot: SlotState, said: Said, span: Span, words: Folded) -> Evidence:
    if refuses(words) is not None and affirms(words) is None:
        return _NO
    held = slot.held.value
    restated = held is not None and place(claim.spec, held, words.original, said.reading(claim.spec)) is not None
    return Evidence("said" if restated or affirms(words) is not None else "meant")


def _judge_deny(claim: Claim, slot: SlotState, said: Said, span: Span, words: Folded) -> Evidence:
    if refuses(words) is None and affirms(words) is not None:
        return _NO
    return Evidence("said" if refuses(words) is not None else "meant")


def _judge_undo(claim: Claim, slot: SlotState, said: Said, span: Span, words: Folded) -> Evidence:
    return Evidence("said" if undoes(words) is not None else "meant")


def _judge_start(claim: Claim, slot: SlotState, said: Said, span: Span, words: Folded) -> Evidence:
    named = clears(words) is not None and find(claim.spec.domain.replace("_", " "), words) is not None
    return Evidence("said" if named or restarts(words) is not None else "meant")


def _judge_request(claim: Claim, slot: SlotState, said: Said, span: Span, words: Folded) -> Evidence:
    return Evidence("meant")


Judge = Callable[[Claim, SlotState, Said, Span, Folded], Evidence]
_JUDGES: Final[dict[Op, Judge]] = {
    "remove": _judge_removal,
    "exclude": _judge_removal,
    "clear": _judge_clear,
    "confirm": _judge_confirm,
    "deny": _judge_deny,
    "undo": _judge_undo,
    "start": _judge_start,
    "request": _judge_request,
}
