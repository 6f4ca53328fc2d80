"""Numbers that stand alone and answer for an amount of money: in the currency that is known, else refused on record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from slotstate.extractors.builtin.choose import Candidate, Reason
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.profile import Profile
from slotstate.extractors.builtin.typed import Sighting, Sightings, accepted, family, given
from slotstate.extractors.builtin.words import inside, overlaps
from slotstate.parsing import Amount, Span, corrects
from slotstate.parsing.cues import given_up_at, negated_at
from slotstate.parsing.matching import compiled
from slotstate.slots import Json

_OTHERS: Final = ("date", "time", "datetime", "duration", "phone")


def bare_amounts(turn: Context, sightings: Sightings, taken: Sequence[Span]) -> Iterator[Candidate]:
    """The answer to the question for an amount, where it names no currency ("1500", 两百左右). Where none is known, it
    is proposed as it was said: the refusal is on record, and the bot can say why. Two numbers leave the amount open.
    """
    asked = [one for one in turn.asked if one.kind == "money"]
    counted = any(family(one.kind) == "number" for one in turn.asked)
    if len(asked) != 1 or counted or sightings.of("money"):
        return
    found = [one for one in sightings.of("number") if _is_free(one, sightings, turn, taken)]
    if len(found) == 2 and corrects(turn.words.part((found[0].span[1], found[1].span[0]))) is None:
        both = tuple(value for one in found for value in _values(asked[0], one, turn))
        yield Candidate(asked[0], (found[0].span[0], found[1].span[1]), both, Reason.ASKED)
    elif len(found) <= 2:
        for one in found:
            yield Candidate(asked[0], one.span, _values(asked[0], one, turn), Reason.ASKED)


def _values(one: Profile, sighting: Sighting, turn: Context) -> tuple[Json, ...]:
    """The number in the slot's currency; as it was said where the slot refuses it, or its currency is unknown."""
    currency = turn.reading(one).currency
    read: Sequence[Any] = ()
    if currency is not None:
        read = accepted(one, [Amount(value, currency) for value in sighting.values], turn)
    said = given("decimal", sighting.values[0])
    return tuple(read) or (() if said is None else (said,))


def _is_free(sighting: Sighting, sightings: Sightings, turn: Context, taken: Sequence[Span]) -> bool:
    """Whether a number stands alone: no unit behind it, no part of a date or the like, and not ruled out."""
    text, (start, end) = turn.words.text, sighting.span
    if any(overlaps(sighting.span, span) for span in taken) or not turn.fills(sighting.span):
        return False
    if negated_at(text, start) or given_up_at(text, end) or inside(sighting.span, turn.ages):
        return False
    wider = (one.span for kind in _OTHERS for one in sightings.of(kind))
    if any(first <= start and end <= last and last - first > end - start for first, last in wider):
        return False
    before, languages = text[max(0, start - 24) : start], turn.words.languages
    if any(
        compiled(one.lone_not_before).search(before) or compiled(one.hour_before).search(before) for one in languages
    ):
        return False
    return not languages or any(compiled(one.lone_after).match(text, end) for one in languages)
