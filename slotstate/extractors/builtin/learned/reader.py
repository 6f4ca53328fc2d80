"""Reads changes out of a turn: candidates, scored twice, the best for each slot where it is sure enough."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from slotstate.extract import Change, Request, Suggestion
from slotstate.extractors.builtin.learned.cues import lifted
from slotstate.extractors.builtin.learned.known import ANY, Candidate
from slotstate.extractors.builtin.learned.models import Models
from slotstate.extractors.builtin.learned.rivals import second_rows
from slotstate.extractors.builtin.learned.view import View
from slotstate.extractors.builtin.learned.words import TYPED, plain
from slotstate.extractors.builtin.words import overlaps
from slotstate.parsing import find, fold
from slotstate.slots import DONTCARE

SURE: Final = -0.3
"""The logit above which a change is proposed: below even odds, for models doubt services that they never saw."""
MAX_BESIDE: Final = 1000
"""Candidates that are looked at beside each other, the likeliest by themselves: a usual turn has some ten."""
OFFERED: Final = 0.0
"""The logit of fitting a slot above which words of the assistant count as an offer."""
_TRIMMED: Final = re.compile(r"\A[^\w!-~€£¥]+|[^\w!-~€£¥]+\Z")
"""Pictures and marks around a value that are no part of it."""
_LATIN: Final = re.compile(r"[A-Za-zÀ-ɏ]")
_UNSPACED: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class Scored:
    """A view with its candidates and the logit of each."""

    view: View
    candidates: Sequence[Candidate]
    scores: Any


def reads(request: Request, models: Models) -> bool:
    """Whether a turn is in a language that the models learned."""
    if _UNSPACED.search(request.user) is not None:
        return "zh" in models.languages
    return _LATIN.search(request.user) is not None and "en" in models.languages


def scored(request: Request, models: Models, rules: Mapping[str, Sequence[Any]]) -> Scored:
    """The candidates of a turn with their scores."""
    view = View(request, models, rules)
    candidates, rows = view.rows()
    if not candidates or models.first is None:
        return Scored(view, candidates, [0.0] * len(candidates))
    scores = models.first.scores(rows)
    if len(candidates) > MAX_BESIDE:
        best = np.sort(np.argsort(-scores, kind="stable")[:MAX_BESIDE])
        candidates, rows, scores = [candidates[place] for place in best], rows[best], scores[best]
    if models.second is not None:
        scores = models.second.scores(second_rows(view, candidates, rows, scores))
    return Scored(view, candidates, lifted(view, candidates, rows, scores))


def picked(turn: Scored, sure: float = SURE) -> Iterator[tuple[Candidate, float]]:
    """The best candidate of each slot, and all items of a list, where they are new and sure enough."""
    best: dict[int, int] = {}
    listed = {slot for slot in turn.view.fillable if turn.view.every[slot].kind == "list"}
    for place, one in enumerate(turn.candidates):
        if one.slot not in best or turn.scores[place] > turn.scores[best[one.slot]]:
            best[one.slot] = place
    for place in (*best.values(), *_more(turn, best, listed)):
        one = turn.candidates[place]
        if turn.scores[place] > sure and not turn.view.is_held(one):
            yield one, float(turn.scores[place])


def _more(turn: Scored, best: Mapping[int, int], listed: set[int]) -> Iterator[int]:
    """What else may be an item of a list, the likeliest first; of words that cross only the likelier count."""
    taken = [turn.candidates[best[slot]] for slot in best.keys() & listed]
    order = sorted(range(len(turn.candidates)), key=lambda place: (-turn.scores[place], place)) if listed else ()
    for place in order:
        one = turn.candidates[place]
        if one.slot not in listed or one.value == ANY or place == best[one.slot]:
            continue
        where = said_at(turn, one)
        beside = [said_at(turn, other) for other in taken if other.slot == one.slot]
        if where is not None and not any(spot and overlaps(spot, where) for spot in beside):
            taken.append(one)
            yield place


def is_put_forward(turn: Scored, one: Candidate) -> bool:
    """Whether a candidate stands in the assistant's last turn and not in the user's."""
    texts = {turn.view.mentions[place].text for place in one.mentions}
    return 1 in texts and 0 not in texts


def said_at(turn: Scored, one: Candidate) -> tuple[int, int] | None:
    """Where a candidate's words stand in the user's turn, None where it comes from elsewhere."""
    stretches = [turn.view.mentions[place].stretch for place in one.mentions if turn.view.mentions[place].text == 0]
    return (stretches[0].start, stretches[0].end) if stretches else None


def as_change(turn: Scored, one: Candidate, logit: float) -> Change:
    """The proposal of a candidate, with the user's words for it: those that say the value, else the turn."""
    spec = turn.view.every[one.slot]
    request = turn.view.request
    value: Any = DONTCARE if one.value == ANY else one.value == "True" if spec.kind == "boolean" else one.value
    if one.canonical is not None:
        value = one.canonical
    if spec.kind == "categorical":
        value = next((option for option in spec.options if str(option) == one.value), value)
    quote = request.user.strip()
    for place in one.mentions:
        mention = turn.view.mentions[place]
        if mention.text == 0 and find(mention.words, fold(request.user)) is not None:
            literal = plain(mention.words) == plain(one.value) or spec.kind in TYPED
            quote = mention.words if literal else _around(request.user, mention.stretch.start)
            break
    if spec.kind in {"text", "list"} and isinstance(value, str):
        value = _TRIMMED.sub("", value) or value
    op: Literal["set", "add"] = "add" if spec.kind == "list" and one.value != ANY else "set"
    return Change(op, spec.path, value, quote, confidence=round(probability(logit), 3))


def suggested(turn: Scored) -> Iterator[Suggestion]:
    """The value that fits each free slot best in the assistant's last turn, where it fits no other slot better."""
    view = turn.view
    best: dict[int, tuple[float, int]] = {}
    for place, mention in enumerate(view.mentions):
        if mention.text != 1:
            continue
        fits = view.fits[place]
        for slot in view.fillable:
            fit = float(fits[slot])
            if fit > OFFERED and view.every[slot].kind == "text" and fit > best.get(slot, (OFFERED, 0))[0]:
                best[slot] = fit, place
    for slot, (_, place) in best.items():
        yield Suggestion(view.every[slot].path, _TRIMMED.sub("", view.mentions[place].words))


def probability(logit: float) -> float:
    """A logit as a probability."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))


def confidence(turn: Scored) -> float:
    """How likely it is that every slot gets what it should: its best candidate where that is taken, else none."""
    taken: dict[int, float] = {}
    for place, one in enumerate(turn.candidates):
        if not turn.view.is_held(one):
            taken[one.slot] = max(taken.get(one.slot, -30.0), float(turn.scores[place]))
    return math.prod(probability(abs(logit)) for logit in taken.values())


def _around(text: str, at: int) -> str:
    """The sentence that holds offset `at`: words beside a value tell more than "one" does."""
    start = max(text.rfind(mark, 0, at) + 1 for mark in ".?!")
    ends = [end for mark in ".?!" if (end := text.find(mark, at)) >= 0]
    return text[start : min(ends, default=len(text))].strip()


UNKNOWN: Final = 9.0
"""The worth of what the models cannot judge."""


def worth(turn: Scored, change: Change) -> float:
    """The logit that the models give a change; UNKNOWN for a slot or a value that they do not look at."""
    for place, one in enumerate(turn.candidates):
        if turn.view.every[one.slot].path == change.path and is_value(one, change.value):
            return float(turn.scores[place])
    return UNKNOWN


def is_value(one: Candidate, value: Any) -> bool:
    """Whether a candidate stands for a value."""
    if one.value == ANY or value is DONTCARE:
        return one.value == ANY and value is DONTCARE
    return bool(one.canonical == value) if one.canonical is not None else plain(one.value) == plain(str(value))
