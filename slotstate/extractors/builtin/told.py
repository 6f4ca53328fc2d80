"""Offered values told apart by what they are ("the 10.30", "nine", "the morning one", "the middle one")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import time
from typing import Final

from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.pending import in_part
from slotstate.extractors.builtin.profile import Profile
from slotstate.parsing import find_numbers, find_times
from slotstate.parsing.cues import negated_at
from slotstate.parsing.matching import compiled
from slotstate.slots import Json

_WORD: Final = re.compile(r"\w+")
_CLOCK: Final = re.compile(r"(?<![0-9.:])(?P<hour>[01]?[0-9]|2[0-3])[.:h](?P<minute>[0-5][0-9])(?![0-9])")


def told_apart(turn: Context, one: Profile, values: Sequence[Json]) -> list[Json]:
    """The offered values that the turn tells from the others, several where it leaves it open; none where it names
    none of them.
    """
    if len(values) < 2 or turn.hard_questions or _is_negated(turn.words.text):
        return []
    middle = _in_the_middle(turn, values)
    if middle or one.kind != "time":
        return middle
    times = [(value, time.fromisoformat(str(value))) for value in values]
    read = {at for found in find_times(turn.words.folded) for at in found.values}
    read |= {time(int(match["hour"]), int(match["minute"])) for match in _CLOCK.finditer(turn.words.text)}
    hours = {int(found.value) for found in find_numbers(turn.words.folded) if found.value == int(found.value)}
    named = [value for value, at in times if at in read] or (
        [value for value, at in times if at.minute == 0 and at.hour % 12 in {hour % 12 for hour in hours if hour <= 24}]
        if not read
        else []
    )
    return named or (list(in_part([value for value, _ in times], turn)) if not read and not hours else [])


def _is_negated(text: str) -> bool:
    """Whether any word of a short text is negated ("not the morning one")."""
    return any(negated_at(text, word.start()) for word in _WORD.finditer(text))


def _in_the_middle(turn: Context, values: Sequence[Json]) -> list[Json]:
    """The one in the middle of three or five."""
    said = any(compiled(lexicon.middle).search(turn.words.text) is not None for lexicon in turn.words.languages)
    return [values[len(values) // 2]] if said and len(values) % 2 else []
