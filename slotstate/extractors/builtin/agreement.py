"""Yes and no to what the assistant repeated."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from slotstate.extract import Change
from slotstate.extractors.builtin.asking import last_question
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.profile import Profile
from slotstate.extractors.builtin.words import Words, cue_spans
from slotstate.parsing import affirms, bare_no, bare_yes, corrects, find, fold, hesitates, refuses
from slotstate.slots import UNSET
from slotstate.values import place, stands_in

_ECHO = 40
"""Characters of a question that only repeats values ("Oslo on Friday?")."""


def agreement_changes(turn: Context, changes: Sequence[Change]) -> Iterator[Change]:
    """Confirm or deny for held slots that the assistant repeated and asked about. A bare yes or no to a slot that was
    asked for is left to `decide`.
    """
    heard = turn.request.state.heard
    if heard is not None and heard.offers:  # the answer is to the offer
        return
    words = turn.words.folded
    yes, no = affirms(words) is not None, refuses(words) is not None
    begun = _begins_with_yes(turn, changes)
    settled = begun or _agrees_first(turn, changes)
    if (yes == no and not begun) or (yes and (turn.inquiries or (corrects(words) is not None and not settled))):
        return
    bare = bare_yes(words) or bare_no(words)
    for one in _repeated(turn):
        changed = [change for change in changes if change.path.startswith(one.path)]
        if any(change.value != turn.held(one) for change in changed) or (bare and one.path in turn.request.asked):
            continue
        if begun or (yes and (hesitates(words) is None or settled)):
            yield Change("confirm", one.path, UNSET, _quote(turn, one))
        elif no and not changes and not turn.inquiries:
            yield Change("deny", one.path, UNSET, turn.words.original((0, len(turn.words.text))))


def _begins_with_yes(turn: Context, changes: Sequence[Change]) -> bool:
    """Whether the turn says yes, and what it objects to behind that are other slots' values, which are read
    ("yes, but make it 4pm", 对，不要靠窗).
    """
    clauses = [turn.words.part(span) for span in turn.words.clauses]
    agreed = list(takewhile(bare_yes, clauses))
    objecting = [
        one.original
        for one in clauses[len(agreed) :]
        if corrects(one) is not None or refuses(one) is not None or hesitates(one) is not None
    ]
    quotes = [fold(change.quote or "").text for change in changes if change.op != "request"]
    return bool(agreed) and all(any(quote and quote in one for quote in quotes) for one in objecting)


def _agrees_first(turn: Context, changes: Sequence[Change]) -> bool:
    """Whether the turn begins with a plain yes, and all that it changes is said behind it ("yes, but make it 4pm")."""
    start, end = turn.words.clauses[0] if turn.words.clauses else (0, 0)
    if not bare_yes(turn.words.part((start, end))) or not changes:
        return False
    places = [find(change.quote or "", turn.words.folded) for change in changes]
    return all(place is not None and turn.words.inner(place)[0] >= end for place in places)


def _repeated(turn: Context) -> list[Profile]:
    """Held slots whose value the assistant's question repeats to be checked, or that the user repeats with a yes."""
    question = last_question(turn.assistant)
    if not question:
        return []
    asked_to_check = bool(cue_spans(Words(question), lambda lexicon: lexicon.check_question))
    checked = asked_to_check or _is_echo(question)
    spoken = turn.request.assistant if asked_to_check else question
    found: list[Profile] = []
    for one in turn.everything:
        slot = turn.slot(one)
        if not slot.is_held or slot.held.dontcare or slot.held.status == "confirmed" or one.kind == "boolean":
            continue
        said_again = place(one.spec, slot.held.value, turn.request.user, turn.reading(one)) is not None
        told = stands_in(one.spec, slot.held.value, spoken, turn.reading(one))
        if (told and (checked or said_again)) or (said_again and one.path in turn.request.asked):
            found.append(one)
    return found


def _is_echo(question: str) -> bool:
    """Whether a question does no more than repeat values ("Oslo on Friday?")."""
    words = Words(question)
    inquiring = any(re.search(pattern, question) for lexicon in words.languages for pattern in lexicon.question_kinds)
    return len(question) <= _ECHO and not inquiring


def _quote(turn: Context, one: Profile) -> str:
    held = turn.held(one)
    for start, end in turn.words.sentences:
        words = turn.words.original((start, end))
        if held is not None and place(one.spec, held, words, turn.reading(one)) is not None:
            return words
    cue = affirms(turn.words.folded)
    clause = turn.words.clause(turn.words.inner(cue)[0]) if cue is not None else (0, len(turn.words.text))
    return turn.words.original(clause)
