"""Options of categorical slots that are named nearly: in the plural, with one typo, by the opposite of the other."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final

from slotstate.extractors.builtin.choose import Candidate, Reason
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.lexicons import LEXICONS
from slotstate.extractors.builtin.named import is_negated, named_spans
from slotstate.extractors.builtin.profile import Profile
from slotstate.extractors.builtin.remains import answer_span, says_one_thing, stop_words
from slotstate.extractors.builtin.words import overlaps
from slotstate.parsing import Span, fold
from slotstate.parsing.matching import compiled
from slotstate.slots import Json, SlotSpec
from slotstate.values import spellings

_SHORTEST: Final = 5
"""Letters of a word in which one typo is forgiven."""
_WORDS: Final = r"[^\W\d_]+"


def nearly_named(turn: Context) -> Iterator[Candidate]:
    """Candidates for categorical slots whose options the turn does not name as they are declared."""
    for one in turn.profiles:
        if one.kind != "categorical" or named_spans(one.spec, turn.words.text):
            yield from _opposite(turn, one) if one.kind == "categorical" else ()
            continue
        if turn.is_asked(one) or turn.sole is one:
            for span, value in _mistyped(turn, one):
                if turn.fills(span) and not is_negated(turn, span) and not _is_inquired(turn, span):
                    yield Candidate(one, span, (value,), Reason.ASKED)


def _is_inquired(turn: Context, span: Span) -> bool:
    return any(overlaps(span, other) for other in turn.hard_questions)


def _mistyped(turn: Context, one: Profile) -> Iterator[tuple[Span, Json]]:
    """Words of the turn that are one edit away from the words of one option, and of no other."""
    options = _words(one.spec)
    for match in compiled(_WORDS).finditer(turn.words.text[:400]):
        word = match[0]
        if len(word) < _SHORTEST or not word.isalpha() or _is_common(word):
            continue
        near = {str(value): value for known, value in options if _one_edit(word, known)}
        if len(near) == 1:
            yield match.span(), next(iter(near.values()))


@cache
def _is_common(word: str) -> bool:
    return any(word in stop_words(lexicon, True) or word in lexicon.weak for lexicon in LEXICONS)


@lru_cache(maxsize=1024)
def _words(spec: SlotSpec) -> tuple[tuple[str, Json], ...]:
    """The single words that name an option, without those that two options share."""
    folded = [(fold(word).text.strip(), value) for word, value in spellings(spec)]
    return tuple((word, value) for word, value in folded if len(word) >= _SHORTEST and " " not in word)


def _one_edit(one: str, other: str) -> bool:
    """Whether a letter was left out, added, changed, or swapped with the next one."""
    if one == other or abs(len(one) - len(other)) > 1 or one[0] != other[0]:
        return False
    at = next(
        (index for index, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    rest, rest_other = one[at:], other[at:]
    if len(one) == len(other):
        swapped = rest[:2] == rest_other[1::-1] and len(rest) > 1 and rest[2:] == rest_other[2:]
        return rest[1:] == rest_other[1:] or swapped
    return rest[1:] == rest_other or rest == rest_other[1:]


def _opposite(turn: Context, one: Profile) -> Iterator[Candidate]:
    """The other one of two opposite options, where the turn negates one of them ("I don't feel good")."""
    if not _are_opposites(one.spec) or not (turn.is_asked(one) or says_one_thing(turn)):
        return
    named = named_spans(one.spec, turn.words.text)
    if len(named) != 1 or turn.inquiries or answer_span(turn, ()) is None:
        return
    span, value = named[0]
    if is_negated(turn, span) and turn.fills(span):
        other = next(option for option in one.spec.options if option != value)
        yield Candidate(one, span, (other,), Reason.NAMED, quote=(turn.words.clause(span[0])[0], span[1]))


@lru_cache(maxsize=1024)
def _are_opposites(spec: SlotSpec) -> bool:
    """Whether the slot has two options, and they are each other's opposite in some language."""
    if len(spec.options) != 2:
        return False
    first, second = (fold(str(option)).text for option in spec.options)
    return any(lexicon.opposites.get(first) == second or lexicon.opposites.get(second) == first for lexicon in LEXICONS)
