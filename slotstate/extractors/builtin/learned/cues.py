"""What the user's words say outright of a candidate, whatever the scorers learned: added to their logits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from slotstate.extractors.builtin.learned.columns import AT
from slotstate.extractors.builtin.learned.known import ANY, Candidate, Known
from slotstate.extractors.builtin.learned.nearness import are_alike, sorts_of
from slotstate.extractors.builtin.learned.words import NOTHING, options_for, plain
from slotstate.parsing import affirms, fold

POINTED: Final = 2.0
"""What "there" and "that day" add for the value of another domain that they point to."""
WITHOUT: Final = 4.5
"""What "no subtitles" adds for the option that stands for none."""
_BACK: Final = (
    (
        "place",
        re.compile(
            r"\b(?:there|nearby|near by|close by|around here|"
            r"(?:that|same|said) (?:area|city|place|town|location|region|neighbou?rhood))\b"
        ),
    ),
    ("date", re.compile(r"\b(?:that|same) (?:day|date)\b")),
    ("time", re.compile(r"\b(?:that|same) time\b")),
)
"""Words that stand for a value said before, by what it is about."""
_NO_PLACE: Final = re.compile(
    r"\b(?:is|are|were|was|if|whether|do|does|think|will be|would be) there\b|\bthere(?:'s| is| are| was| will)\b"
)
"""Where "there" is no place."""


def lifted(view: Known, candidates: Sequence[Candidate], rows: Any, scores: Any) -> Any:
    """The logits of candidates with what the user's words add to them."""
    more = np.zeros(len(candidates))
    back, none = pointed(view.request.user), rows[:, AT["o_none"]]
    agreed = affirms(fold(view.request.user[:1000])) is True
    for place, one in enumerate(candidates):
        if one.value == ANY or view.held[one.slot] is not None:
            continue
        if none[place] and plain(one.value) in NOTHING and (none[place] == 1 or agreed):
            more[place] = WITHOUT
        elif back and one.held and _is_meant(view, one, back):
            more[place] = POINTED
    return scores + more


def _is_meant(view: Known, one: Candidate, back: frozenset[str]) -> bool:
    """Whether a value that a slot of another domain holds is the only one, or the newest, that words point back to."""
    spec = view.every[one.slot]
    sorts = sorts_of(spec)
    if (
        options_for(spec) is not None
        or sorts & {"origin"}
        or not sorts & back
        or any(view.mentions[place].text == 0 for place in one.mentions)
    ):
        return False
    ages = {path: age for path, _, age in view.others}
    mine = [ages[path] for path in one.held if path.partition(".")[0] != spec.domain and are_alike(path, spec)]
    theirs = [
        age
        for path, words, age in view.others
        if path.partition(".")[0] != spec.domain and are_alike(path, spec) and plain(words) != plain(one.value)
    ]
    return bool(mine) and min(mine) < min(theirs, default=99)


@lru_cache(maxsize=256)
def pointed(text: str) -> frozenset[str]:
    """The sorts of values that a text points back to."""
    said = _NO_PLACE.sub(" ", text.lower())
    return frozenset(sort for sort, words in _BACK if words.search(said) is not None)
