"""List slots: their items by name or as an answer, added, taken off, or put in place of all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from slotstate.errors import InvalidValue
from slotstate.events import Op
from slotstate.extract import Change
from slotstate.extractors.builtin.answers import speaks_of_another
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.counted import counted_items
from slotstate.extractors.builtin.named import is_negated, named_spans
from slotstate.extractors.builtin.profile import Profile, profile, word_spans
from slotstate.extractors.builtin.quantities import picked_items
from slotstate.extractors.builtin.remains import answer_span, is_name, is_no_answer, says_one_thing, trimmed
from slotstate.extractors.builtin.typed import Sightings, accepted, family
from slotstate.extractors.builtin.words import cue_spans, inside
from slotstate.parsing import Span, find_all, removes, replaces
from slotstate.parsing.cues import negated_at
from slotstate.parsing.matching import compiled
from slotstate.slots import Json
from slotstate.values import normalise

Item = tuple[Span, Json]


def list_changes(turn: Context, taken: Sequence[Span]) -> list[Change]:
    """Changes to list slots; stretches in `taken` are other slots' values."""
    changes: list[Change] = []
    for one in turn.profiles:
        if one.kind == "list":
            changes += _changes(turn, one, taken)
    return changes


def _changes(turn: Context, one: Profile, taken: Sequence[Span]) -> Iterator[Change]:
    held = turn.held(one)
    own = [] if family(one.spec.element.kind) else _after_own_cue(turn, one, taken)
    items = [
        item
        for item in _held_items(turn, one, held)
        if turn.fills(item[0]) and not inside(item[0], [span for span, _ in own])
    ]
    dropped = [item for item in items if _is_dropped(turn, item[0])]
    if dropped:
        yield Change("remove", one.path, [value for _, value in dropped], _quote(turn, dropped, cue=True))
    fresh = own or [
        item for item in _fresh_items(turn, one, taken) if not any(item[1] == value for _, value in dropped)
    ]
    out = [item for item in fresh if not own and is_negated(turn, item[0])]
    for item in out:
        if one.spec.element.kind == "categorical":
            yield Change("exclude", one.path, item[1], _quote(turn, [item], cue=True))
    kept = [item for item in fresh if item not in out]
    picks = turn.is_asked(one) and one.spec.element.kind == "categorical" and not (items or fresh)
    picked = picked_items(turn, one) if picks else []
    if picked:
        yield Change("set", one.path, picked, turn.words.original((0, len(turn.words.text))))
    if kept:
        only = replaces(turn.words.folded) is not None
        op: Op = "add" if held and not only else "set"
        yield Change(op, one.path, [value for _, value in kept], _quote(turn, kept, cue=only))


def _held_items(turn: Context, one: Profile, held: object) -> Iterator[Item]:
    """Items of the list that the turn speaks of."""
    for value in held if isinstance(held, list) else ():
        if one.spec.element.kind == "categorical":
            yield from (
                (span, named) for span, named in named_spans(one.spec.element, turn.words.text) if named == value
            )
        elif isinstance(value, str):
            yield from ((turn.words.inner(outer), value) for outer in find_all(value, turn.words.folded)[:1])


def _is_dropped(turn: Context, span: Span) -> bool:
    start, end = turn.words.clause(span[0])
    return is_negated(turn, span) or removes(turn.words.part((start, end))) is not None


def _fresh_items(turn: Context, one: Profile, taken: Sequence[Span]) -> list[Item]:
    element = one.spec.element
    if turn.inquiries and not turn.is_asked(one):
        return []
    if element.kind == "categorical":
        named = named_spans(element, turn.words.text)
        held = turn.held(one)
        return [
            (span, value) for span, value in named if turn.fills(span) and not _is_dropped_item(turn, span, value, held)
        ]
    if element.kind == "composite":
        return counted_items(turn, one, taken)
    if family(element.kind) is not None:
        return _typed_items(turn, one, taken)
    if element.kind != "text":
        return []
    span = _stretch(turn, one, taken)
    return [] if span is None else list(_split(turn, one, span))


def _typed_items(turn: Context, one: Profile, taken: Sequence[Span]) -> list[Item]:
    """Numbers, dates, addresses and the like, where they are asked for, or no other slot takes such."""
    name = family(one.spec.element.kind) or ""
    alone = not any(family(other.kind) == name for other in turn.profiles if other is not one)
    meant = turn.is_asked(one) or (
        alone and (name in _SELF_TELLING or one.is_named_in(turn.words.text) or turn.sole is one)
    )
    if not meant:
        return []
    element = profile(one.spec.element)
    found: list[Item] = []
    for sighting in Sightings(turn.words, turn).of(name):
        values = accepted(element, sighting.values, turn) if turn.fills(sighting.span) else ()
        if len(values) == 1 and not inside(sighting.span, taken):
            found.append((sighting.span, values[0]))
    return found


_SELF_TELLING = frozenset({"email", "phone"})
"""Families whose values cannot be anything else."""


def _after_own_cue(turn: Context, one: Profile, taken: Sequence[Span]) -> list[Item]:
    """Items that a word of the schema introduces ("avoid X"): even if it sounds like a negation, it names the list."""
    if one.spec.element.kind != "text" or turn.questions:
        return []
    for cue in one.cue_words:
        for start, end in word_spans(cue, turn.words.text):
            if not turn.fills((start, end)) or negated_at(turn.words.text, start):
                continue
            stop = min([turn.words.sentence(start)[1], *(span[0] for span in taken if span[0] >= end)])
            span = trimmed(turn, (end, stop))
            items = list(_split(turn, one, span)) if span[1] > span[0] else []
            if items:
                return items
    return []


def _is_dropped_item(turn: Context, span: Span, value: Json, held: object) -> bool:
    return isinstance(held, list) and value in held and _is_dropped(turn, span)


def _stretch(turn: Context, one: Profile, taken: Sequence[Span]) -> Span | None:
    """Where the turn lists items: what follows a word of adding or "only", or the answer when it was asked for."""
    if is_no_answer(turn):
        return None
    if _drops(turn):
        return None
    span = _after_own_name(turn, one, taken) or (_after_cue(turn, taken) if _is_meant(turn, one) else None)
    alone = turn.sole is one and turn.held(one) is None and says_one_thing(turn)
    return answer_span(turn, taken) if span is None and (alone or turn.is_asked(one)) else span


def _after_own_name(turn: Context, one: Profile, taken: Sequence[Span]) -> Span | None:
    """What follows the list's name ("symptoms: …", "the symptoms are …", 症状是…)."""
    text = turn.words.text
    for start, name_end in one.mentions(text):
        for lexicon in turn.words.languages:
            match = compiled(lexicon.copula).match(text, name_end)
            if match is None or match.groupdict().get("to") or negated_at(text, start):
                continue
            end = min([turn.words.sentence(start)[1], *(span[0] for span in taken if span[0] >= match.end())])
            span = trimmed(turn, (match.end(), end))
            if span[1] > span[0] and turn.fills(span):
                return span
    return None


def _after_cue(turn: Context, taken: Sequence[Span]) -> Span | None:
    """What follows a word of adding, or "only"."""
    cues = cue_spans(turn.words, lambda lexicon: lexicon.adds)
    only = replaces(turn.words.folded)
    starts = [span[1] for span in cues] + ([turn.words.inner(only)[1]] if only is not None else [])
    for at in starts:
        end = min([turn.words.sentence(at - 1)[1], *(span[0] for span in taken if span[0] >= at)])
        span = trimmed(turn, (at, end))
        if span[1] > span[0]:
            return span
    return None


def _drops(turn: Context) -> bool:
    return removes(turn.words.folded) is not None


def _is_meant(turn: Context, one: Profile) -> bool:
    """Whether words of adding mean this list: named in the turn, or the only one that is held."""
    if one.is_named_in(turn.words.text) or turn.sole is one:
        return True
    lists = [other for other in turn.profiles if other.kind == "list" and turn.held(other) is not None]
    return lists == [one] and turn.slot(one).changed == max(slot.changed for slot in turn.request.state.slots.values())


def _split(turn: Context, one: Profile, span: Span) -> Iterator[Item]:
    """The items of an enumeration; nothing when a part of it cannot be one."""
    joins = "|".join(f"(?:{lexicon.joins})" for lexicon in turn.words.languages)
    parts: list[Span] = []
    at = span[0]
    for match in re.finditer(joins, turn.words.text[span[0] : span[1]]) if joins else ():
        parts.append((at, span[0] + match.start()))
        at = span[0] + match.end()
    parts.append((at, span[1]))
    trimmed_parts = [_bare_item(turn, trimmed(turn, part)) for part in parts]
    trimmed_parts = [part for part in trimmed_parts if part[1] > part[0] and not speaks_of_another(turn, one, part)]
    if not all(is_name(turn, part) for part in trimmed_parts):
        return
    for part in trimmed_parts:
        try:
            yield part, normalise(one.spec.element, turn.words.original(part), turn.reading(one))
        except InvalidValue:
            continue


def _bare_item(turn: Context, span: Span) -> Span:
    """An item without the words that only say that there is one ("he has a cough", 我有点头疼)."""
    for lexicon in turn.words.languages:
        lead = compiled(lexicon.item_leads).match(turn.words.text, *span)
        said = turn.words.original((span[0], lead.end())) if lead is not None else ""
        if lead is not None and lead.end() < span[1] and not said[1:2].isupper() and said.split()[-1:] != ["A"]:
            span = lead.end(), span[1]
    return span


def _quote(turn: Context, items: Sequence[Item], *, cue: bool) -> str:
    start, end = min(span[0] for span, _ in items), max(span[1] for span, _ in items)
    if cue:
        start, end = turn.words.clause(start)[0], max(turn.words.clause(end - 1)[1], end)
    return turn.words.original((start, end))
