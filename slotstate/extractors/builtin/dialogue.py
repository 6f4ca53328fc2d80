"""What the user does beside giving values: start over, undo, clear, rule out, have no preference, ask."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from slotstate.extract import Change
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.known import names_in
from slotstate.extractors.builtin.named import is_negated, named_spans, stands_for_itself
from slotstate.extractors.builtin.profile import Profile, has_word
from slotstate.extractors.builtin.remains import valid_text
from slotstate.extractors.builtin.warrant import untitled
from slotstate.extractors.builtin.words import inside
from slotstate.parsing import Span, as_folded, clears, dont_care, find_all, fold, restarts, undoes, unspaced
from slotstate.parsing.matching import compiled
from slotstate.slots import DONTCARE, UNSET
from slotstate.values import place

_NO_PREFERENCE = 24
"""Characters beside the cue in a clause that says no more than that any value will do."""


def whole_turn_changes(turn: Context) -> list[Change]:
    """Undo, which is all that its turn says."""
    cue = undoes(turn.words.folded)
    if cue is None or turn.closed:
        return []
    last = ((path, slot.last_step) for path, slot in turn.request.state.slots.items())
    steps = {path: step for path, step in last if step is not None}
    known = {spec.path for domain in turn.request.domains.values() for spec in domain.slots.values()}
    steps = {path: step for path, step in steps.items() if path in known}
    named = [one.path for one in turn.everything if one.path in steps and one.is_named_in(turn.words.text)]
    latest = max(steps.values(), default=0)
    words = turn.words.original(turn.words.sentence(turn.words.inner(cue)[0]))
    return [
        Change("undo", path, UNSET, words) for path in named or [path for path, step in steps.items() if step == latest]
    ]


def start_changes(turn: Context) -> list[Change]:
    """A fresh start, in the domains that the turn is about, else in all that hold something."""
    cue = restarts(turn.words.folded)
    if cue is None or turn.inquiries or turn.closed:
        return []
    words = turn.words.original(turn.words.clause(turn.words.inner(cue)[0]))
    held = {path.split(".")[0] for path, slot in turn.request.state.slots.items() if slot.is_held or slot.pending}
    domains = [name for name in turn.request.domains if name in held and name in turn.focus]
    return [
        Change("start", name, UNSET, words)
        for name in domains or [name for name in turn.request.domains if name in held]
    ]


def closing_changes(turn: Context, changes: Sequence[Change]) -> list[Change]:
    """What is said about slots that got no value."""
    more = [*_no_preference(turn, changes), *_ruled_out(turn)]
    more += _cleared(turn, [*changes, *more])
    more += _requests(turn, [*changes, *more])
    return more


def _touched(changes: Sequence[Change], one: Profile) -> bool:
    return any(change.path == one.path or change.path.startswith(f"{one.path}.") for change in changes)


def _no_preference(turn: Context, changes: Sequence[Change]) -> Iterator[Change]:
    """Any value will do. Where one is ruled out with that ("anyone but Smith"), what the slot holds stays."""
    cue = dont_care(turn.words.folded)
    if cue is None or turn.closed:
        return
    clause = turn.words.clause(turn.words.inner(cue)[0])
    words = turn.words.text[clause[0] : clause[1]]
    spared = {change.path for change in _ruled_out(turn)}
    willing = [one for one in turn.everything if one.spec.slot.dont_care and not _touched(changes, one)]
    willing = [one for one in willing if one.path not in spared or turn.held(one) is None]
    named = [one for one in willing if one.is_named_in(words)]
    short = clause[1] - clause[0] - (cue[1] - cue[0]) <= _NO_PREFERENCE
    for one in named or [one for one in willing if short and turn.is_asked(one)]:
        yield Change("set", one.path, DONTCARE, turn.words.original(clause))


def _ruled_out(turn: Context) -> Iterator[Change]:
    """Options and held values that the turn negates, and not only in a question ("isn't Smith free?")."""
    for one in turn.profiles:
        if one.kind == "categorical":
            for span, value in named_spans(one.spec, turn.words.text):
                if _rules_out(turn, span) and stands_for_itself(turn, one, span):
                    yield Change("exclude", one.path, value, turn.words.original(_from_clause(turn, span)))
        elif one.kind == "text" and not one.field:
            for value in _known_texts(turn, one):
                for outer in find_all(value, turn.words.folded) or find_all(untitled(value), turn.words.folded):
                    span = turn.words.inner(outer)
                    if _rules_out(turn, span):
                        yield Change("exclude", one.path, value, turn.words.original(_from_clause(turn, span)))
            yield from _known_ruled_out(turn, one)


def _known_ruled_out(turn: Context, one: Profile) -> Iterator[Change]:
    """Other names of a text slot that are known and negated (除了王医生都行)."""
    for span in names_in(turn, one):
        value = valid_text(turn, one, span) if _rules_out(turn, span) else None
        if value is not None and value not in _known_texts(turn, one):
            yield Change("exclude", one.path, value, turn.words.original(_from_clause(turn, span)))


def _known_texts(turn: Context, one: Profile) -> list[str]:
    """The texts that the slot holds or is offered."""
    known = [turn.held(one), *(offer.value for offer in turn.slot(one).offers)]
    return list(dict.fromkeys(value for value in known if isinstance(value, str) and value))


def _rules_out(turn: Context, span: Span) -> bool:
    return is_negated(turn, span) and turn.fills(span) and not inside(span, turn.inquiries)


def _from_clause(turn: Context, span: Span) -> Span:
    return turn.words.clause(span[0])[0], span[1]


def _cleared(turn: Context, changes: Sequence[Change]) -> Iterator[Change]:
    """ "forget the …", 取消…: the slot is named or its value is."""
    known = [
        (one, held)
        for one in turn.profiles
        if (held := turn.held(one)) is not None and one.kind != "boolean" and not _touched(changes, one)
    ]
    if not known:
        return
    for start, end in turn.words.clauses:
        words = turn.words.text[start:end]
        if not turn.fills((start, end)) or (start, end) in turn.inquiries:
            continue
        cleared = clears(as_folded(words)) is not None
        for one, held in known:
            named = cleared and (
                one.is_named_in(words)
                or _is_named_by_kind(turn, one, words, [other for other, _ in known])
                or (one.kind != "list" and place(one.spec, held, words, turn.reading(one)) is not None)
            )
            none = one.kind == "list" and _has_none(turn, one, (start, end))
            listed = one.kind == "list" and any(map(unspaced, words))
            if named or none or (not listed and _is_declined(turn, one, (start, end))):
                yield Change("clear", one.path, UNSET, turn.words.original((start, end)))


def _is_named_by_kind(turn: Context, one: Profile, words: str, known: Sequence[Profile]) -> bool:
    """Whether a clause names the only held slot of a kind by that ("the time")."""
    if [other.kind for other in known].count(one.kind) != 1:
        return False
    return any(
        has_word(word, words)
        for lexicon in turn.words.languages
        for word, kind in lexicon.kind_names.items()
        if kind == one.kind
    )


def _is_declined(turn: Context, one: Profile, clause: Span) -> bool:
    """ "no cake, thanks": the slot's thing is declined by its name, as all that the clause says."""
    words = turn.words.text[clause[0] : clause[1]]
    mentions = [span for span in one.mentions(words) if is_negated(turn, (clause[0] + span[0], clause[0] + span[1]))]
    return bool(mentions) and len(words.strip()) - (mentions[0][1] - mentions[0][0]) <= _NO_PREFERENCE


def _has_none(turn: Context, one: Profile, clause: Span) -> bool:
    """Whether a clause says that there is nothing for a list, and no more (没有忌口)."""
    name = re.escape(fold(one.spec.label).text)
    words = turn.words.text[clause[0] : clause[1]].strip(" ,.!;。")
    return any(
        compiled(lexicon.has_none.replace("NAME", name)).fullmatch(words) is not None
        for lexicon in turn.words.languages
    )


def _requests(turn: Context, changes: Sequence[Change]) -> Iterator[Change]:
    """Slots that a question is about."""
    for start, end in turn.inquiries:
        words = turn.words.text[start:end]
        priced = any(re.search(lexicon.price_question, words) for lexicon in turn.words.languages)
        named = [one for one in turn.everything if not _touched(changes, one) and _is_about(one, words, priced)]
        focused = [one for one in named if one.domain in turn.focus] or named[:1]
        for one in focused:
            yield Change("request", one.path, UNSET, turn.words.original((start, end)))


def _is_about(one: Profile, question: str, priced: bool) -> bool:
    if priced and (one.kind == "money" or "price" in one.concepts):
        return True
    if one.is_named_in(question):
        return True
    return one.kind == "boolean" and bool(named_spans(one.spec, question))
