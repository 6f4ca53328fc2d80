"""Numbers that stand alone and answer for an amount of money: in the currency that is known, else refused on record."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from slotstate.extractors.builtin.beside import cue_distance
from slotstate.extractors.builtin.choose import Candidate, Reason
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.lexicon import Lexicon
from slotstate.extractors.builtin.profile import Profile
from slotstate.extractors.builtin.typed import Sighting, Sightings, accepted, family, given
from slotstate.extractors.builtin.words import cue_spans, inside, overlaps
from slotstate.parsing import Amount, Span, corrects
from slotstate.parsing.cues import given_up_at, negated_at
from slotstate.parsing.matching import compiled
from slotstate.slots import Json
from slotstate.values import currency_of

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


def changed_amounts(turn: Context, sightings: Sightings, taken: Sequence[Span]) -> Iterator[Candidate]:
    """A number that stands alone in a correction ("make it 300", 改成300), or behind a word of the slot (预算最多一千):
    the only amount that is held, in its currency, where no slot holds a number that it may change as well.
    """
    held = [one for one in turn.profiles if one.kind == "money" and turn.held(one) is not None]
    numbers = sightings.of("number") if len(held) == 1 and not turn.is_asked(held[0]) else []
    if len(numbers) != 1 or sightings.of("money") or inside(numbers[0].span, turn.questions):
        return
    found, one = numbers[0], held[0]
    cued = cue_distance(one, turn.words.text[turn.words.clause(found.span[0])[0] : found.span[0]]) is not None
    if not _is_free(found, sightings, turn, taken) or not (cued or _replaces(turn, one, found.span)):
        return
    currency = currency_of(one.spec, "", turn.held(one))
    if currency is not None and (cued or not _may_change_another(turn, found)):
        values = accepted(one, [Amount(value, currency) for value in found.values], turn)
        yield Candidate(one, found.span, values, Reason.CUED if cued else Reason.CORRECTED)


def _replaces(turn: Context, one: Profile, span: Span) -> bool:
    """Whether the turn corrects, and the number's clause says no more than the number ("no, I sent her 300" does)."""
    if corrects(turn.words.folded) is None:
        return False
    text, (start, end) = turn.words.text, turn.words.clause(span[0])
    cue = corrects(turn.words.part((start, end)))
    covers = [span, *one.mentions(text), *cue_spans(turn.words, lambda lexicon: lexicon.changing)]
    covers += [(start + cue[0], start + cue[1])] if cue is not None else []
    left = "".join(" " if inside((at, at + 1), covers) else text[at] for at in range(start, end))
    return any(_is_small(left, lexicon) for lexicon in turn.words.languages) or not re.search(r"\w", left)


def _is_small(text: str, lexicon: Lexicon) -> bool:
    """Whether a text is nothing but words that may stand beside a value."""
    if lexicon.spaced:
        return set(re.findall(r"[\w']+", text)) <= lexicon.chatter
    return compiled(f"(?:{lexicon.small}|{lexicon.paying}){{0,12}}").fullmatch(text) is not None


def _may_change_another(turn: Context, sighting: Sighting) -> bool:
    """Whether a number may be meant for another slot that holds a value: a count, an hour, or a day of the month."""
    held = [one for one in turn.profiles if turn.held(one) is not None]
    small = any(value <= _DAYS for value in sighting.values)
    if any(one.kind in {"date", "time", "datetime", "duration"} for one in held) and small:
        return True
    return any(family(one.kind) == "number" and accepted(one, sighting.values, turn) for one in held)


_DAYS: Final = 31
"""A larger number is no day and no hour."""


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
