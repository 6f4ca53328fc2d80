"""Rivals: several values for one slot in one turn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from slotstate.decide.context import Said
from slotstate.decide.deliberation import Deliberation
from slotstate.decide.drafts import Draft
from slotstate.decide.evidence import MAX_PLACES
from slotstate.events import Superseded
from slotstate.parsing import Span, corrects, find_quote, fold
from slotstate.slots import Json, SlotSpec
from slotstate.values import place, same


def without_rivals(deliberation: Deliberation, drafts: list[Draft]) -> list[Draft]:
    """The drafts to be judged, after two values for one slot in one turn were dealt with: a correction between them
    makes the last one count, else none does and the slot is asked about.
    """
    rivals: dict[tuple[str, str | None], list[Draft]] = {}
    for one in drafts:
        if one.claim.op == "set" and one.spec.kind not in {"list", "map"} and one.evidence.grade != "none":
            rivals.setdefault((one.spec.path, one.claim.field), []).append(one)
    dropped: set[int] = set()
    for group in rivals.values():
        spec = group[0].spec
        values = _distinct(spec, (one.claim.value for one in group))
        if len(values) < 2:
            continue
        corrected = _corrected(deliberation.said, group)
        for loser in (one for one in group if not any(_one(spec, one.claim.value, left) for left in corrected)):
            dropped.add(id(loser))
            if deliberation.outdated(loser.spec.path) or corrected:
                deliberation.record(Superseded, loser, loser.claim.value, detail="corrected in the same turn")
            else:
                deliberation.pend_ambiguous(loser, tuple(values))
    return [one for one in drafts if id(one) not in dropped]


def _distinct(spec: SlotSpec, values: Iterable[Json]) -> list[Json]:
    kept: list[Json] = []
    for value in values:
        if not any(_one(spec, value, other) for other in kept):
            kept.append(value)
    return kept


def _one(spec: SlotSpec, value: Json, other: Json) -> bool:
    return value is other or same(spec, value, other)


def _corrected(said: Said, group: Sequence[Draft]) -> list[Json]:
    """The value that a correction leaves, alone in a list; nothing where none does. A value may be said again ("Oslo,
    no, Bergen, sorry, Oslo it is"), or its words be the slot's name: all its places count, or the first of each where
    those leave several values.
    """
    spec = group[0].spec
    every = [_Mention(one.claim.value, place) for one in group for place in _places(said, one)]
    first = [_Mention(one.claim.value, _value_span(said, one, one.evidence.span or (0, 0))) for one in group]
    for mentions in (every, first):
        mentions.sort(key=lambda one: one.span)
        left = _distinct(spec, (one.value for one in mentions[_correction_point(said, mentions) :]))
        if len(left) == 1:
            return left
    return []


class _Mention(NamedTuple):
    """A value, and where it stands in the turn."""

    value: Json
    span: Span


def _correction_point(said: Said, mentions: Sequence[_Mention]) -> int:
    """The index from which mentions count: after the last correction cue between two of them, 0 for none."""
    point = 0
    for index, (first, second) in enumerate(pairwise(mentions), start=1):
        start, (until, end) = first.span[1], second.span
        cue = corrects(fold(said.text[start:end]))  # with the value behind it: a cue may need a word that follows
        if cue is not None and start + cue[0] < until:
            point = index
    return point


def _places(said: Said, one: Draft) -> list[Span]:
    """Where the draft's value stands in the turn."""
    spans = find_quote(one.claim.quote or "", fold(said.text), limit=MAX_PLACES)
    return [_value_span(said, one, span) for span in spans] or [(0, 0)]


def _value_span(said: Said, one: Draft, span: Span) -> Span:
    """Where the value stands in the quote at `span`, or the quote where the value cannot be placed."""
    words = said.text[span[0] : span[1]]
    where = place(one.spec, one.claim.value, words, said.reading(one.spec)) if one.evidence.grade == "said" else None
    return (span[0] + where[0], span[0] + where[1]) if where is not None else span
