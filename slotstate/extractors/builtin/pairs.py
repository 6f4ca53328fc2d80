"""Numbers said as a pair ("120 over 80", "3 to 1", 二比一) for two slots that are declared side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from slotstate.extractors.builtin.choose import Candidate, Reason
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.lexicon import HIGH, LOW
from slotstate.extractors.builtin.profile import Profile
from slotstate.extractors.builtin.typed import Sighting, accepted
from slotstate.parsing.matching import compiled


def paired(turn: Context, profiles: Sequence[Profile], found: Sequence[Sighting]) -> Iterator[Candidate]:
    """The two values of the only pair, for the two slots that the words or the question name, or that remain."""
    joined = [(one, other) for one, other in pairwise(found) if _is_pair(turn, one, other)]
    if len(joined) != 1:
        return
    slots = _meant(turn, profiles)
    for one, sighting in zip(slots, joined[0], strict=False):
        values = accepted(one, sighting.values, turn)
        if values:
            yield Candidate(one, sighting.span, values, Reason.ASKED)


def _is_pair(turn: Context, one: Sighting, other: Sighting) -> bool:
    between = turn.words.text[one.span[1] : other.span[0]]
    return any(compiled(lexicon.pair_joins).fullmatch(between) for lexicon in turn.words.languages)


def _meant(turn: Context, profiles: Sequence[Profile]) -> list[Profile]:
    """Two neighbours in the order of declaration. Slots that come in an order of their own (from and to, least and
    most) are dealt with where ranges are.
    """
    plain = [one for one in profiles if not one.concepts & (LOW | HIGH) and turn.held(one) is None]
    asked = [one for one in plain if turn.is_asked(one)]
    neighbours = [[one, other] for one, other in pairwise(plain) if one.domain == other.domain]
    if len(asked) == 2 and asked in neighbours:
        return asked
    alike = [pair for pair in neighbours if _belong(pair[0], pair[1], turn)]
    unnamed = [pair for pair in alike if not any(one.is_named_in(turn.words.text) for one in pair)]
    return unnamed[0] if len(unnamed) == 1 else []


def _belong(one: Profile, other: Profile, turn: Context) -> bool:
    """Whether two slots are of one kind and of one thing: a word in common, or no third number that it could be."""
    if one.kind != other.kind:
        return False
    others = [third for third in turn.profiles if third.kind == one.kind and third not in (one, other)]
    return bool(one.stems & other.stems) or not others
