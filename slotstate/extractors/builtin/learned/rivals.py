"""The second look: each candidate beside its competitors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

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
    told: list[float] = scores.tolist()
    homes = [view.every[one.slot].domain for one in candidates]
    fresh = [not view.is_held(one) for one in candidates]
    slots = _grouped(one.slot for one in candidates)
    values = _grouped(plain(one.value) for one in candidates)
    new = [told[i] if fresh[i] else NONE for i in range(len(told))]
    spans = [_spans(view, one) for one in candidates]
    spoken = [i for i, span in enumerate(spans) if span]
    turn_best = max(new)
    domains = {home: (sorted(new[i] for i in some)[::-1], some) for home, some in _grouped(homes).items()}
    more = []
    for place, one in enumerate(candidates):
        score = told[place]
        others = sorted((told[i] for i in slots[one.slot] if i != place), reverse=True)
        same = [i for i in values[plain(one.value)] if i != place]
        best, members = domains[homes[place]]
        rest = best[1:] if fresh[place] and best[0] == score else best
        crossing = [told[i] for i in spoken if i != place and _crosses(spans[i], spans[place])]
        more.append(
            (
                score,
                score - (others[0] if others else NONE),
                sum(other > score for other in others),
                max((told[i] for i in slots[one.slot] if not fresh[i]), default=NONE),
                score - max((told[i] for i in same), default=NONE),
                sum(told[i] > score for i in same),
                max((told[i] for i in same if homes[i] == homes[place]), default=NONE),
                score - max(crossing, default=NONE) if spans[place] else NONE,
                rest[0] if rest else NONE,
                sum(fresh[i] and told[i] > 0 for i in members),
                turn_best,
                others[1] if len(others) > 1 else NONE,
            )
        )
    return np.round(np.hstack([rows, np.array(more, np.float64)]), 4)


def _grouped(keys: Iterable[Any]) -> dict[Any, list[int]]:
    found: dict[Any, list[int]] = {}
    for place, key in enumerate(keys):
        found.setdefault(key, []).append(place)
    return found


def _spans(view: View, one: Candidate) -> list[tuple[int, int]]:
    mentioned = (view.mentions[i] for i in one.mentions)
    return [(mention.stretch.first, mention.stretch.last) for mention in mentioned if mention.text == 0]


def _crosses(some: list[tuple[int, int]], others: list[tuple[int, int]]) -> bool:
    return any(a < d and c < b for a, b in some for c, d in others)
