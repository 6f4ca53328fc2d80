"""Text slots: the answer to a question, a correction of what was just said, a bare name beside other values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from slotstate.extractors.builtin.asking import last_question
from slotstate.extractors.builtin.choose import Candidate, Reason
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.contrast import contrasts
from slotstate.extractors.builtin.lexicon import FAMILIES
from slotstate.extractors.builtin.profile import Profile, has_word
from slotstate.extractors.builtin.remains import (
    alternatives_in,
    answer_span,
    is_empty,
    is_name,
    is_no_answer,
    refuses_part,
    remains,
    says_one_thing,
    trimmed,
    valid_text,
)
from slotstate.extractors.builtin.restraint import before_age, is_idle
from slotstate.extractors.builtin.warrant import is_agreed
from slotstate.extractors.builtin.words import Words, cue_spans
from slotstate.parsing import Span, affirms, bare_no, corrects, find_all, fold, refuses, unspaced
from slotstate.parsing.cues import negated_at
from slotstate.parsing.matching import compiled
from slotstate.values import stands_in

PLACES: Final = frozenset(name for name, group in FAMILIES.items() if group == "place")
_QUOTED = "{[(\"'#+@$€£¥"
_TYPED = frozenset("{}[]<>|\\^")
_FEW = 3


def answers(turn: Context, taken: Sequence[Span]) -> Iterator[Candidate]:
    """The turn as the answer to the text slots that were asked for; stretches in `taken` are other slots' values."""
    asked = [one for one in turn.asked if one.kind == "text"]
    if not asked and turn.sole is not None and turn.sole.kind == "text" and says_one_thing(turn):
        asked = [turn.sole]
    if not asked or is_no_answer(turn):
        return
    for one in asked:
        if _is_checked(turn, one) and not _objects(turn, taken):
            continue
        agreed = is_agreed(turn, one)
        for span in _spans(turn, one, taken):
            value = valid_text(turn, one, span)
            if value is not None and not (agreed and not value[:1].isupper()):
                yield Candidate(one, span, (value,), Reason.ASKED)


def _is_checked(turn: Context, one: Profile) -> bool:
    """Whether the assistant had the value checked that the slot holds, in a script without spaces (海底捞，对吗？)."""
    held = turn.held(one)
    if held is None or not any(map(unspaced, turn.words.text)):
        return False
    checking = cue_spans(Words(last_question(turn.assistant)), lambda lexicon: lexicon.check_question)
    return bool(checking) and stands_in(one.spec, held, turn.request.assistant, turn.reading(one))


def _objects(turn: Context, taken: Sequence[Span]) -> bool:
    """Whether the turn says no, corrects, or is nothing but a few words of its own: then these may be the value."""
    words = turn.words.folded
    alone = not taken and affirms(words) is None and len(words.text.strip(" ,.!。")) <= _FEW_UNSPACED
    return alone or refuses(words) is not None or corrects(words) is not None


_FEW_UNSPACED: Final = 6
"""Characters of an answer that is a name by itself."""


def _spans(turn: Context, one: Profile, taken: Sequence[Span]) -> list[Span]:
    """The stretches that answer: several where the user leaves the choice open."""
    span = _whole(turn) if "note" in one.concepts else answer_span(turn, taken)
    if span is None or span[0] == span[1] or is_empty(turn, span):
        return []
    if "note" in one.concepts:
        return [span]
    if contrasts(turn, taken) or refuses_part(turn, span):
        return []
    located = any(FAMILIES[concept] in {"place", "person"} for concept in one.concepts)
    span = before_age(turn.words.text, span) if located else span
    if located and is_idle(turn.words.text[span[0] : span[1]]):
        return []
    if _is_typed(turn, one):
        return [_whole(turn)]
    choices = alternatives_in(turn, span)
    if choices:
        return choices
    fits = is_name(turn, span) and not speaks_of_another(turn, one, span) and not _is_asked_for(turn, one, span)
    return [span] if fits else []


def _is_typed(turn: Context, one: Profile) -> bool:
    """Whether the answer holds signs that nobody says: it is kept as it was typed."""
    free = not any(FAMILIES[concept] in {"place", "person"} for concept in one.concepts)
    return free and any(char in _TYPED for char in turn.words.text)


def _is_asked_for(turn: Context, one: Profile, span: Span) -> bool:
    """Whether the words are a thing that the user asks for ("find me tickets"), where a place or person is wanted."""
    if not any(FAMILIES[concept] in {"place", "person"} for concept in one.concepts):
        return False
    before = turn.words.text[max(0, span[0] - 40) : span[0]]
    asked_for = any(re.search(lexicon.asks_for, before) for lexicon in turn.words.languages)
    return asked_for and turn.words.original(span).islower()


def _whole(turn: Context) -> Span:
    """The whole turn, spaces and closing marks aside: a note is kept as it is said."""
    text = turn.words.text
    start, end = 0, len(text)
    while start < end and not (text[start].isalnum() or text[start] in _QUOTED):
        start += 1
    while end > start and text[end - 1] in " .。,;!":
        end -= 1
    return start, end


def speaks_of_another(turn: Context, one: Profile, span: Span) -> bool:
    """Whether the words name another slot."""
    text = turn.words.text[span[0] : span[1]]
    names = {name for other in turn.profiles if other is not one for name in other.names} - set(one.names)
    return any((len(name) > 2 or any(map(unspaced, name))) and has_word(name, text) for name in names)


def corrected(turn: Context, taken: Sequence[Span]) -> Iterator[Candidate]:
    """What a correction puts in place of a text ("no, Bergen"): of the one that the assistant just repeated,
    else of the one that was changed last.
    """
    if taken or is_no_answer(turn) or turn.questions:
        return
    one = _corrected_slot(turn)
    pieces = list(_clauses_of(turn, taken))
    found = [span for span in pieces if not _is_given_up(turn, one, span)]
    if corrects(turn.words.folded) is None and len(found) == len(pieces):
        return
    if len(found) != 1 or not is_name(turn, found[0], asked=False) or is_empty(turn, found[0]):
        return
    value = valid_text(turn, one, found[0]) if one is not None else None
    if value is not None and (_holds_amount(turn) if value.isdecimal() else is_idle(value.casefold())):
        return
    few = any(map(unspaced, value or "")) or len((value or "").split()) <= _FEW
    if one is not None and value is not None and few and not speaks_of_another(turn, one, found[0]):
        yield Candidate(one, found[0], (value,), Reason.CORRECTED)


def _holds_amount(turn: Context) -> bool:
    """Whether a bare number may change an amount of money rather than a text."""
    return any(one.kind == "money" and turn.held(one) is not None for one in turn.profiles)


def _clauses_of(turn: Context, taken: Sequence[Span]) -> Iterator[Span]:
    """What is left of the turn, clause by clause."""
    for start, end in remains(turn, taken):
        for first, last in turn.words.clauses:
            if first < end and start < last:
                span = trimmed(turn, (max(start, first), min(end, last)))
                if span[1] > span[0] and not _only_takes_back(turn, span):
                    yield span


def _only_takes_back(turn: Context, span: Span) -> bool:
    """Whether a clause is a bare no, or no more than a cue of correction ("scratch that, …")."""
    words = fold(turn.words.original(span))
    cue = corrects(words)
    return bare_no(words) or (cue is not None and cue[0] == 0 and cue[1] >= len(words.original.rstrip(" .,!")))


def _is_given_up(turn: Context, one: Profile | None, span: Span) -> bool:
    """Whether the words are the value that the correction does away with ("not Oslo, Bergen")."""
    held = turn.held(one) if one is not None else None
    if isinstance(held, str):
        places = [turn.words.inner(place) for place in find_all(held, turn.words.folded)]
        inner = [place for place in places if span[0] <= place[0] and place[1] <= span[1]]
        if any(place == span or negated_at(turn.words.text, place[0]) for place in inner):
            return True
    return negated_at(turn.words.text, span[0])


def repeated_question(turn: Context, taken: Sequence[Span]) -> Iterator[Candidate]:
    """ "what about Bergen?", 那广州呢: the last question again, another value for the slot that was changed last."""
    one = _corrected_slot(turn)
    if one is None or taken or turn.asked:
        return
    for lexicon in turn.words.languages:
        match = compiled(lexicon.ellipsis).fullmatch(turn.words.text.strip())
        span = trimmed(turn, match.span("value")) if match is not None else (0, 0)
        if span[1] > span[0] and is_name(turn, span, asked=False) and not speaks_of_another(turn, one, span):
            value = valid_text(turn, one, span)
            if value is not None and _is_like(turn, one, value):
                yield Candidate(one, span, (value,), Reason.CORRECTED)


def _is_like(turn: Context, one: Profile, value: str) -> bool:
    """Whether a value can stand in place of the held one: capitalised like it, or in the same script."""
    held = str(turn.held(one))
    return value[:1].isupper() == held[:1].isupper() and unspaced(value[:1]) == unspaced(held[:1])


def _corrected_slot(turn: Context) -> Profile | None:
    latest = max((slot.held.step for slot in turn.request.state.slots.values()), default=0)
    held = [one for one in turn.profiles if one.kind == "text" and turn.held(one) is not None]
    repeated = [one for one in held if stands_in(one.spec, turn.held(one), turn.request.assistant, turn.reading(one))]
    last = [one for one in held if turn.slot(one).held.step == latest]
    for choice in (repeated, last):
        if len(choice) == 1:
            return choice[0]
    return None


def bare_place(turn: Context, taken: Sequence[Span]) -> Iterator[Candidate]:
    """A capitalised name that is all that is left beside other values ("Oslo on Friday"), for the only place."""
    places = [one for one in turn.profiles if one.kind == "text" and PLACES & one.concepts and one.domain in turn.focus]
    if len(places) != 1 or turn.asked or is_no_answer(turn) or turn.questions:
        return
    found = list(remains(turn, taken))
    if len(found) != 1 or not is_name(turn, found[0], asked=False) or is_empty(turn, found[0]):
        return
    words = turn.words.original(found[0]).split()
    value = valid_text(turn, places[0], found[0])
    if value is not None and len(words) <= _FEW and all(word[:1].isupper() for word in words):
        yield Candidate(places[0], found[0], (value,), Reason.ONLY)
