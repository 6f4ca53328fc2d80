"""How many of what was listed: "all four", "the first two", "both", "just one"."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.lexicon import Part
from slotstate.extractors.builtin.named import named_spans
from slotstate.extractors.builtin.profile import Profile
from slotstate.parsing import Span, find_numbers, find_ordinals, fold
from slotstate.parsing.cues import given_up_at, is_small, negated_at
from slotstate.parsing.matching import compiled
from slotstate.slots import Json

_WORD: Final = re.compile(r"\w+")
_POLITE: Final = frozenset("please thanks thank you just only yes ok okay ones number option".split())
_SHORT: Final = 40
"""Characters of a turn that does no more than pick."""


class Quantity(NamedTuple):
    """Which part of a list is meant and how many; None where the words count nothing ("all of them")."""

    part: Part
    number: int | None


def quantity(turn: Context) -> Quantity | None:
    """What the turn says of a list, where it says no more than that."""
    text = turn.words.text.strip(" ,.!。")
    for lexicon in turn.words.languages:
        for part, pattern in lexicon.quantities.items():
            match = compiled(pattern).fullmatch(text)
            if match is not None:
                return Quantity(part, 2 if match.groupdict().get("both") else _count(match.groupdict().get("n")))
    return None


def _count(said: str | None) -> int | None:
    found = find_numbers(fold(said)) if said else []
    return int(found[0].value) if found else None


def picked_items(turn: Context, one: Profile) -> list[Json]:
    """The options of a list that the turn picks, by how many or by number, out of those that the assistant named."""
    named = dict.fromkeys(value for _, value in sorted(named_spans(one.spec.element, turn.assistant.text), key=_place))
    listed = list(named)
    if len(listed) < 2 or len(turn.words.text) > _SHORT:
        return []
    meant = quantity(turn)
    if meant is None:
        return _numbered(turn, listed)
    count = len(listed) if meant.number is None else meant.number
    if meant.part == "some" or count > len(listed) or (meant.part == "all" and count < len(listed)):
        return []
    return listed[-count:] if meant.part == "last" else listed[:count]


def _place(item: tuple[Span, Json]) -> Span:
    return item[0]


def _numbered(turn: Context, listed: list[Json]) -> list[Json]:
    """Those that ordinals point at ("the first and the third"), none where one points at nothing or is ruled out, or
    more is said.
    """
    text, picked, at = turn.words.text, list[Json](), 0
    rest: list[str] = []
    for found in find_ordinals(turn.words.folded):
        start, end = turn.words.inner(found.span)
        rest, at = [*rest, *_WORD.findall(text[at:start])], end
        index = found.value - 1 if found.value > 0 else len(listed) + found.value
        if not 0 <= index < len(listed) or negated_at(text, start) or given_up_at(text, end):
            return []
        picked.append(listed[index])
    rest += _WORD.findall(text[at:])
    return list(dict.fromkeys(picked)) if all(is_small(word) or word in _POLITE for word in rest) else []
