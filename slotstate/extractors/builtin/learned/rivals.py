"""The second look: each candidate beside its competitors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from slotstate.extractors.builtin.learned.columns import AT
from slotstate.extractors.builtin.learned.known import Candidate
from slotstate.extractors.builtin.learned.view import View
from slotstate.extractors.builtin.learned.words import plain

EXTRA: Final = (
    "first", "slot_margin", "slot_rank", "slot_held", "value_margin", "value_rank", "value_best_same_domain",
    "cover_margin", "domain_best", "domain_count", "turn_best", "slot_second",
)  # fmt: skip
NONE: Final = -9.0


def second_rows(view: View, candidates: Sequence[Candidate], rows: Any, scores: Any) -> Any:
    """The rows with what the first scores say of each candidate's rivals: other values for its slot, other slots for
    its value, and other readings of the words that it comes from.
    """
    fresh = rows[:, AT["same_held"]] == 0
    slots = _numbered(one.slot for one in candidates)
    homes = _numbered(view.every[one.slot].domain for one in candidates)
    values = _numbered(plain(one.value) for one in candidates)
    at_home = homes[:, None] == homes
    apart = ~np.eye(len(candidates), dtype=bool)
    own = slots[:, None] == slots
    others, same = own & apart, (values[:, None] == values) & apart
    higher = scores > scores[:, None]
    new = np.where(fresh, scores, NONE)
    best, second = _best_two(others, scores)
    leader, follower = _best_two(at_home, new)
    spoken, crossing = _crossing(view, candidates)
    more = (
        scores,
        scores - best,
        (others & higher).sum(axis=1),
        _best(own & ~fresh, scores),
        scores - _best(same, scores),
        (same & higher).sum(axis=1),
        _best(same & at_home, scores),
        np.where(spoken, scores - _best(crossing & apart, scores), NONE),
        np.where(fresh & (leader == scores), follower, leader),
        (at_home & (fresh & (scores > 0))).sum(axis=1),
        np.full(len(candidates), new.max()),
        second,
    )
    return np.round(np.column_stack([rows, *more]), 4)


def _numbered(keys: Iterable[Any]) -> Any:
    """Keys as numbers, equal ones alike."""
    known: dict[Any, int] = {}
    return np.array([known.setdefault(key, len(known)) for key in keys])


def _best(among: Any, scores: Any) -> Any:
    """For each row of a table of pairs the best score among those that it names, NONE where it names none."""
    best = np.where(among, scores, -np.inf).max(axis=1)
    return np.where(best == -np.inf, NONE, best)


def _best_two(among: Any, scores: Any) -> tuple[Any, Any]:
    """The best and the second best."""
    table = np.where(among, scores, -np.inf)
    at = table.argmax(axis=1)[:, None]
    best = np.take_along_axis(table, at, axis=1)[:, 0]
    np.put_along_axis(table, at, -np.inf, axis=1)
    second = table.max(axis=1)
    return np.where(best == -np.inf, NONE, best), np.where(second == -np.inf, NONE, second)


def _crossing(view: View, candidates: Sequence[Candidate]) -> tuple[Any, Any]:
    """Whether each candidate stands in the user's words, and for each pair whether they share a word there."""
    spans = [
        (place, mention.stretch.first, mention.stretch.last)
        for place, one in enumerate(candidates)
        for mention in (view.mentions[i] for i in one.mentions)
        if mention.text == 0
    ]
    covers = np.zeros((len(candidates), max((last for _, _, last in spans), default=0)), np.float32)
    for place, first, last in spans:
        covers[place, first:last] = 1.0
    return covers.any(axis=1), covers @ covers.T > 0
