"""What a turn must say before it changes what a slot holds: words beside a value may speak of something else.

A confirmed value gives way to words of change or of a wish, to the slot's name, to an answer to its question, or to a
sentence that says no more than the new value. A remark ("my train leaves at 16:20") changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from slotstate.extract import Change
from slotstate.extractors.builtin.asking import last_question
from slotstate.extractors.builtin.beside import cue_distance, unit_after
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.lexicon import Lexicon
from slotstate.extractors.builtin.named import named_spans
from slotstate.extractors.builtin.profile import NUMERIC, Profile, stem
from slotstate.extractors.builtin.unwished import counts_others, happens_in, is_past, is_unwished
from slotstate.extractors.builtin.words import Words, cue_spans, inside
from slotstate.parsing import Span, affirms, corrects, find, find_all, fold, same_text
from slotstate.parsing.durations import shift_hits
from slotstate.parsing.matching import compiled
from slotstate.slots import DONTCARE
from slotstate.values import find as find_values
from slotstate.values import place, same, stands_in

_VALUED: Final = frozenset({"set", "add"})
_WORD: Final = compiled(r"[\w']+")


def warranted(turn: Context, changes: Sequence[Change]) -> list[Change]:
    """The changes without those of held values that the words do not ask for; a held text of which the turn names a
    part stays as it is.
    """
    known = {one.path: one for one in turn.profiles}
    kept: list[Change] = []
    for change in changes:
        one = known.get(change.path)
        if change.op not in _VALUED or change.value is DONTCARE or one is None:
            kept.append(change)
        elif _names_nothing(turn, one, change.value) or _is_no_total(turn, one, change):
            continue
        elif turn.held(one) is None:
            kept.append(change)
        elif _is_restated(turn, one, change.value):
            kept.append(_restated(turn, one, change))
        elif not _is_remark(turn, one, change, changes):
            kept.append(change)
    return kept


def _names_nothing(turn: Context, one: Profile, value: Any) -> bool:
    """Whether a text is no value of a name: a slot's own name with words in front, or nothing but small words and words
    of the calendar, where days have slots of their own ("in the evening").
    """
    if one.kind != "text" or not isinstance(value, str) or "note" in one.concepts:
        return False
    if turn.held(one) is not None and _SENTENCE.match(value) is not None:
        return True
    if not value.islower():
        return False
    words = fold(value).text.split()
    owned = [name for other in turn.profiles for name in other.names if f" {name}" in f" {' '.join(words[1:])}"]
    if any(words[-1:] == name.split()[-1:] and _OWNS.search(" ".join(words[:-1])) for name in owned):
        return True
    dated = any(other.kind in {"date", "time", "datetime"} for other in turn.profiles)
    small = [lexicon.name_stop | lexicon.edges | lexicon.calendar_words for lexicon in turn.words.languages]
    calendar = any(word in lexicon.calendar_words for word in words for lexicon in turn.words.languages)
    return dated and calendar and any(known.issuperset(words) for known in small)


_SENTENCE: Final = compiled(r"(?:I|We|You|He|She|They|It)(?:'\w+)? [a-z]")
"""A sentence about somebody, as a name is not written."""
_OWNS: Final = compiled(r"\b(?:the|my|our|your|his|her|their)\Z")


def _is_no_total(turn: Context, one: Profile, change: Change) -> bool:
    """Whether a number is no value by itself: what is added to the held one, a part of it, a time from now."""
    if one.kind not in NUMERIC | {"money", "duration"}:
        return False
    span = _where(turn, one, change)
    if span is None:
        return False
    if turn.held(one) is not None and (counts_others(turn, one, span) or happens_in(turn, one, span)):
        return True
    before, text = turn.words.text[max(0, span[0] - 48) : span[0]], turn.words.text
    for lexicon in turn.words.languages:
        added = compiled(lexicon.more_before).search(before) or compiled(lexicon.more_after).match(text, span[1])
        part = compiled(lexicon.part_after).match(text, span[1]) is not None
        if (added and turn.held(one) is not None) or (part and unit_after(one, text, span[1]) is None):
            return True
    if one.kind != "duration" or turn.is_asked(one) or cue_distance(one, before) is not None:
        return False
    return _is_from_now(turn, span)


def _is_from_now(turn: Context, span: Span) -> bool:
    """Whether a stretch of time tells when instead of how long ("in 10 minutes")."""
    return any(hit.start < span[1] and span[0] < hit.end for hit in shift_hits(turn.words.text, turn.request.now))


def _is_restated(turn: Context, one: Profile, value: Any) -> bool:
    """Whether a text is what the slot holds, without its title or with one ("Smith" for "Dr Smith")."""
    held = turn.held(one)
    if one.kind != "text" or not isinstance(held, str) or not isinstance(value, str):
        return False
    return same_text(untitled(held), untitled(value)) or (
        held in turn.request.user and find(value, fold(held)) is not None
    )


def untitled(text: str) -> str:
    """A text without a title in front."""
    rest = _TITLE.sub("", text.strip())
    return rest or text


_TITLE: Final = re.compile(r"\A(?:dr|doctor|mr|mrs|ms|prof)\.? (?=\S)", re.IGNORECASE)


def _restated(turn: Context, one: Profile, change: Change) -> Change:
    held = str(turn.held(one))
    places = find_all(held, turn.words.folded)
    quote = turn.request.user[slice(*places[0])] if places else change.quote
    return replace(change, value=held, quote=quote)


def _is_remark(turn: Context, one: Profile, change: Change, changes: Sequence[Change]) -> bool:
    """Whether a new value for a held slot stands in words that ask for no change of it."""
    if same(one.spec, turn.held(one), change.value):
        return False
    checked = is_agreed(turn, one)
    lexicon = _lexicon(turn)
    span = _where(turn, one, change)
    past = span is not None and is_past(turn, one, span)
    if turn.slot(one).held.status != "confirmed" and not (checked and (one.kind == "text" or past)):
        return False
    if past and lexicon is not None:
        return True
    if lexicon is None or span is None or (turn.slot(one).pending is not None and not checked):
        return False
    if (turn.is_asked(one) or one.path in turn.request.asked) and not checked:
        return False
    if is_unwished(turn, one, span):
        return True
    return not _asks_for_change(turn, one, span, lexicon) and not _says_no_more(turn, changes, span, lexicon)


def is_agreed(turn: Context, one: Profile) -> bool:
    """Whether the assistant had the held value checked, and the user says yes: then the question is answered."""
    if turn.held(one) is None or affirms(turn.words.folded) is None or corrects(turn.words.folded) is not None:
        return False
    checked = cue_spans(Words(last_question(turn.assistant)), lambda lexicon: lexicon.check_question)
    return bool(checked) and stands_in(one.spec, turn.held(one), turn.request.assistant, turn.reading(one))


def _lexicon(turn: Context) -> Lexicon | None:
    """The language of the turn, where it is known by which words users ask for a change in it."""
    if any(not lexicon.spaced for lexicon in turn.words.languages):
        return None
    words = [match[0] for match in _WORD.finditer(turn.words.text)]
    found = max(turn.words.languages, key=lambda one: sum(word in one.name_stop for word in words), default=None)
    return found if found is not None and found.chatter else None


def _where(turn: Context, one: Profile, change: Change) -> Span | None:
    """Where the value stands in the turn; None where the words do not hold it, as in a choice among offers."""
    quoted = find(change.quote or "", turn.words.folded)
    if quoted is None:
        return None
    words = turn.request.user[slice(*quoted)]
    spec = one.spec.element if one.kind == "list" else one.spec
    value = change.value[0] if isinstance(change.value, list) and change.value else change.value
    found = place(spec, value, words, turn.reading(one))
    if found is None:
        open_readings = [hit.span for hit in find_values(spec, words, turn.reading(one)) if value in hit.values]
        found = open_readings[0] if open_readings else None
    return turn.words.inner((quoted[0] + found[0], quoted[0] + found[1])) if found is not None else None


def _asks_for_change(turn: Context, one: Profile, span: Span, lexicon: Lexicon) -> bool:
    """Whether the sentence of a value holds words of change or of a wish, or says what the slot is."""
    if corrects(turn.words.folded) is not None or turn.passed:
        return True
    start, end = turn.words.sentence(span[0])
    asking = cue_spans(turn.words, lambda known: known.changing)
    asking += cue_spans(turn.words, lambda known: known.adds) if one.kind == "list" else []
    if inside((start, end), asking):
        return True
    before = turn.words.text[start : span[0]]
    end = turn.words.clause(span[0])[1]
    mentions = [(start + at, start + to) for at, to in one.mentions(turn.words.text[start:end])]
    named = any(not _is_beside(one, mention, span) for mention in mentions)
    named = named or any(stem(part) in before for part in fold(one.domain).text.split("_") if len(part) > 2)
    owned = one.kind == "categorical" and compiled(lexicon.telling.has).search(before) is not None
    return named or owned or compiled(lexicon.stating).search(before) is not None


def _is_beside(one: Profile, name: Span, value: Span) -> bool:
    """Whether a slot's name is only a part, the title or the unit of the value ("Dr Patel", "5 guests")."""
    if one.kind == "text":
        return 0 <= value[0] - name[1] <= 2 or inside(name, [value])
    if one.kind == "categorical" and inside(name, [value]):
        return True
    return one.kind in NUMERIC | {"categorical"} and 0 <= name[0] - value[1] <= 2


def _says_no_more(turn: Context, changes: Sequence[Change], span: Span, lexicon: Lexicon) -> bool:
    """Whether the sentence of a value holds no more than it, values of other slots and small words."""
    start, end = turn.words.sentence(span[0])
    taken = [span]
    known = {one.path: one for one in turn.profiles}
    for change in changes:
        one = known.get(change.path)
        where = _where(turn, one, change) if one is not None and change.op in _VALUED else None
        taken += [where] if where is not None else []
    for one in turn.profiles:
        named = one.spec.element if one.kind == "list" else one.spec
        taken += [where for where, _ in named_spans(named, turn.words.text)] if named.options else []
    names = {stem(word) for one in turn.profiles for name in one.names for word in name.split()}
    return all(
        inside(match.span(), taken) or match[0] in lexicon.chatter or stem(match[0]) in names
        for match in _WORD.finditer(turn.words.text, start, end)
    )
