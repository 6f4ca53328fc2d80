"""What the user's words say outright of a candidate, whatever the scorers learned: added to their logits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from slotstate.extractors.builtin.learned.columns import AT
from slotstate.extractors.builtin.learned.known import ANY, Candidate, Known
from slotstate.extractors.builtin.learned.nearness import are_alike, sorts_of, told_of
from slotstate.extractors.builtin.learned.tokens import content
from slotstate.extractors.builtin.learned.words import (
    NOTHING,
    TYPED,
    is_without,
    option_words,
    options_for,
    plain,
    stems_of,
)
from slotstate.parsing import affirms, find_ordinals, fold
from slotstate.slots import SlotSpec

POINTED: Final = 3.0
"""What "there" and "that day" add for the value of another domain that they point to."""
WITHOUT: Final = 4.5
"""What "no subtitles" adds for the option that stands for none."""
NEEDED: Final = 2.0
"""What "with wifi" adds for yes."""
AT_HOME: Final = 1.0
"""What a value in the user's words gains where the turn names what its domain is about, more than any other's."""
AWAY: Final = 2.0
"""What it loses where the turn names another's."""
ALONE: Final = 2.5
"""What an option that the user says word for word adds where no other slot has it."""
HERE: Final = 5.0
"""The same where it is the only slot of the domain that the turn is about."""
MOST: Final = 1.9
"""The logit up to which an option is lifted: below that from which on guards let a value be."""
FOCUS: Final = 1.0
"""What a date, a time or a number gains in the domain that the turn is about, and loses elsewhere, where both could
have it.
"""
NAMESAKE: Final = 3.0
"""What an option loses that is called like its domain: "a hotel" says what the turn is about."""
NEXT: Final = 2
"""How many words behind "no" what there is none of may stand."""
HALF: Final = 0.5
"""How much more the words of a turn tell of one domain than of another to count."""
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
_NEED: Final = re.compile(
    r"\b(?:with|has|have|having|includes?|including|needs?|wants?|should|must|offers?|offering|provides?|require)\b"
)
_SENTENCE: Final = re.compile(r"[^.?!]+[.?!]?")


def lifted(view: Known, candidates: Sequence[Candidate], rows: Any, scores: Any) -> Any:
    """The logits of candidates with what the user's words add to them."""
    more = np.zeros(len(candidates))
    if len(view.domains) > 1:
        more += _at_home(view, candidates, rows)
    more += _literal(view, candidates, rows, scores)
    back, none = pointed(view.request.user), rows[:, AT["o_none"]]
    needs = _needs(view.request.user)
    for place, one in enumerate(candidates):
        if one.value == ANY or view.held[one.slot] is not None:
            continue
        spec = view.every[one.slot]
        if none[place] and plain(one.value) in NOTHING and _is_declined(view, spec):
            more[place] += WITHOUT
        elif spec.kind == "boolean" and one.value == "True":
            more[place] += NEEDED * any(_needed(spec, text) for text in needs)
        elif _is_namesake(spec, one) and spec.path not in view.request.asked:
            more[place] -= NAMESAKE
        elif back and one.held and _is_meant(view, one, back):
            more[place] += POINTED
    return scores + more


def _is_declined(view: Known, spec: SlotSpec) -> bool:
    """Whether the user wants none of what a slot is about, or the assistant says so and the user agrees."""
    about, request = content(spec.label), view.request
    if is_without(stems_of(request.user), about, NEXT):
        return True
    agreed = affirms(fold(request.user[:1000])) is not None
    return agreed and is_without(stems_of(request.assistant), about, NEXT)


def _at_home(view: Known, candidates: Sequence[Candidate], rows: Any) -> Any:
    """What candidates gain or lose by what the turn is about."""
    said = (rows[:, AT["u"]] > 0) | (rows[:, AT["o_user"]] == 1)
    ahead = {name: found[1] for name, found in view.topical.items()}
    about = np.array([ahead[view.every[one.slot].domain] for one in candidates])
    return np.where(said & (about >= HALF), AT_HOME, 0.0) - np.where(said & (about <= -HALF), AWAY, 0.0)


def _literal(view: Known, candidates: Sequence[Candidate], rows: Any, scores: Any) -> Any:
    """What options gain that the user says word for word, by how few slots they can be for."""
    more = np.zeros(len(candidates))
    said = np.flatnonzero(rows[:, AT["o_user"]] == 1).tolist()
    places = [place for place in said if _is_word(view, candidates[place])]
    told = np.flatnonzero(rows[:, AT["u"]] > 0).tolist() if len(view.domains) > 1 else []
    told = [place for place in told if view.every[candidates[place].slot].kind in TYPED]
    if not places and not told:
        return more
    focus = _focus(view, candidates, rows, scores)
    kinds = {view.every[index].kind for index in view.fillable if view.every[index].domain == focus}
    for place in told:
        spec = view.every[candidates[place].slot]
        if spec.kind in kinds:
            more[place] += FOCUS if spec.domain == focus else -FOCUS
    for place in places:
        one = candidates[place]
        spec, words = view.every[one.slot], option_words(one.value)
        inside, others = view.option_homes[spec.domain, words], view.option_homes["", words]
        gain = ALONE if others == 1 else HERE if inside == 1 and spec.domain == focus else 0.0
        more[place] = max(0.0, min(gain, MOST - float(scores[place])))
    return more


def _is_word(view: Known, one: Candidate) -> bool:
    """Whether a candidate is an option in words, other than the name of its domain, of a slot that is empty."""
    spec = view.every[one.slot]
    if spec.kind != "categorical" or view.held[one.slot] is not None or one.value == ANY:
        return False
    return not _counts(one.value) and not _is_namesake(spec, one)


@lru_cache(maxsize=4096)
def _counts(option: str) -> bool:
    """Whether an option is a number or an ordinal: "let me check first" is none of a class."""
    return all(word.isdigit() for word in option_words(option)) or bool(find_ordinals(fold(option)))


def _is_namesake(spec: SlotSpec, one: Candidate) -> bool:
    return spec.kind == "categorical" and option_words(one.value) == option_words(spec.domain.replace("_", " "))


def _focus(view: Known, candidates: Sequence[Candidate], rows: Any, scores: Any) -> str | None:
    """The domain that a turn is about: the one it names, else that of the surest value in it, else the one that changed
    last.
    """
    if len(view.domains) == 1:
        return view.domains[0].name
    ahead = {name: found[1] for name, found in view.topical.items()}
    best = max(ahead, key=ahead.__getitem__)
    if ahead[best] >= HALF:
        return best
    sure = [
        (float(scores[place]), view.every[one.slot].domain)
        for place, one in enumerate(candidates)
        if scores[place] > 0 and rows[place, AT["u"]] > 0
    ]
    if sure:
        return max(sure)[1]
    recent = [(-age, path.partition(".")[0]) for path, _, age in view.others]
    return max(recent)[1] if recent else None


@lru_cache(maxsize=256)
def _needs(text: str) -> tuple[str, ...]:
    """The sentences of a text that tell of a need and ask nothing."""
    sentences = _SENTENCE.findall(text[:1000].lower())
    return tuple(one for one in sentences if not one.endswith("?") and _NEED.search(one) is not None)


def _needed(spec: SlotSpec, text: str) -> bool:
    """Whether a sentence tells of all that a slot's name is about, and does not do without it."""
    return told_of(spec, text) == 1 and not is_without(stems_of(text), content(spec.label))


def _is_meant(view: Known, one: Candidate, back: frozenset[str]) -> bool:
    """Whether words point back to a value that slots of other domains hold: the newest of its sort."""
    spec = view.every[one.slot]
    sorts = sorts_of(spec)
    if options_for(spec) is not None or "origin" in sorts or sorts.isdisjoint(back):
        return False
    if any(view.mentions[place].text == 0 for place in one.mentions):
        return False
    mine, theirs = [99], [99]
    for path, words, age in view.others:
        if path.partition(".")[0] != spec.domain and are_alike(path, spec):
            (mine if plain(words) == plain(one.value) else theirs).append(age)
    return min(mine) < min(theirs)


@lru_cache(maxsize=256)
def pointed(text: str) -> frozenset[str]:
    """The sorts of values that a text points back to."""
    said = _NO_PLACE.sub(" ", text[:1000].lower())
    return frozenset(sort for sort, words in _BACK if words.search(said) is not None)
