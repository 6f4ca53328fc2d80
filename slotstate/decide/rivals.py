"""Rivals: several values for one slot in one turn."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from slotstate.decide.context import Said
from slotstate.decide.deliberation import Deliberation
from slotstate.decide.drafts import Draft
from slotstate.events import Superseded
from slotstate.parsing import corrects, fold
from slotstate.slots import Json
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
        values = _distinct(group)
        if len(values) < 2:
            continue
        corrected = _correction_point(deliberation.said, group)
        losers = group[:corrected] if corrected else group
        for loser in losers:
            dropped.add(id(loser))
            if deliberation.outdated(loser.spec.path) or corrected:
                deliberation.record(Superseded, loser, loser.claim.value, detail="corrected in the same turn")
            else:
                deliberation.pend_ambiguous(loser, tuple(values))
    return [one for one in drafts if id(one) not in dropped]


def _distinct(group: Sequence[Draft]) -> list[Json]:
    values: list[Json] = []
    for one in group:
        value = one.claim.value
        if not any(value is other or same(one.spec, value, other) for other in values):
            values.append(value)
    return values


def _correction_point(said: Said, group: Sequence[Draft]) -> int:
    """The index from which the group counts: after the last correction cue between two of its values, 0 for none."""
    point = 0
    for index, (first, second) in enumerate(pairwise(group), start=1):
        start, (until, end) = _value_span(said, first)[1], _value_span(said, second)
        cue = corrects(fold(said.text[start:end]))  # with the value behind it: a cue may need a word that follows
        if cue is not None and start + cue[0] < until:
            point = index
    rest = _distinct(group[point:])
    return point if len(rest) == 1 else 0


def _value_span(said: Said, one: Draft) -> tuple[int, int]:
    """Where the draft's value stands in the turn, or its quote where the value cannot be placed."""
    span = one.evidence.span or (0, 0)
    words = said.text[span[0] : span[1]]
    where = place(one.spec, one.claim.value, words, said.reading(one.spec)) if one.evidence.grade == "said" else None
    return (span[0] + where[0], span[0] + where[1]) if where is not None else span
