"""Text slots: names that cues introduce ("from X to Y", 从X到Y), and values after a name ("the account is X")."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Final

from slotstate.extractors.builtin.choose import Candidate, Reason
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.known import is_title
from slotstate.extractors.builtin.lexicon import Lexicon
from slotstate.extractors.builtin.named import is_negated, named_spans
from slotstate.extractors.builtin.profile import Profile, around, word_spans
from slotstate.extractors.builtin.remains import (
    LONGEST_NAME,
    after_article,
    is_empty,
    is_name,
    stop_words,
    trimmed,
    valid_text,
)
from slotstate.extractors.builtin.restraint import leads_nowhere
from slotstate.extractors.builtin.words import inside
from slotstate.parsing import Span, unspaced
from slotstate.parsing.cues import negated_at

_NEAR = 48
_PLACES: Final = frozenset({"destination", "origin", "place", "venue"})
_MANY: Final = 16
"""Cues of one kind that are looked at in a turn."""
_LOWER_CASE: Final = 3
"""Words of a name in lower case: only right after a cue of motion."""
_SPACE = re.compile(" ")
_WORD = re.compile(r"[^\s,.!?;:()\"]+(?:\.(?= [A-Z]))?")


def introduced(turn: Context, taken: Sequence[Span]) -> Iterator[Candidate]:
    """Values that a cue introduces, or that the schema gives another word for."""
    for one in _named_things(turn):
        more = _stands_in_for(turn, one)
        for lexicon in turn.words.languages:
            yield from _after_cue(turn, one, lexicon, taken, more)
            yield from _before_cue(turn, one, lexicon, taken)
        yield from _by_alias(turn, one)


def labelled(turn: Context, taken: Sequence[Span]) -> Iterator[Candidate]:
    """Values that follow the slot's name."""
    for one in _named_things(turn):
        for lexicon in turn.words.languages:
            yield from _after_name(turn, one, lexicon, taken)


def _named_things(turn: Context) -> list[Profile]:
    return [one for one in turn.profiles if one.kind == "text" and "note" not in one.concepts]


def _after_cue(
    turn: Context, one: Profile, lexicon: Lexicon, taken: Sequence[Span], more: Sequence[str]
) -> Iterator[Candidate]:
    """ "from X", "to X", 从X, 去X, by the slot's own cues and by those of what it is about, and of `more`."""
    text = turn.words.text
    for start, end in _cues(one, text, lexicon, more):
        if negated_at(text, start) or _changes_another(text, start, lexicon):
            continue
        opening = _opening(lexicon).match(text, end)
        if opening is not None and _PLACES & one.concepts and leads_nowhere(text, (start, end), opening.end()):
            continue
        span = _name_at(turn, opening.end(), lexicon, taken) if opening is not None else None
        if span is not None and turn.fills(span) and not _is_slot_name(turn, span) and not negated_at(text, span[0]):
            value = None if _is_other_kind(one, turn.words.text[slice(*span)], lexicon) else valid_text(turn, one, span)
            if value is not None and "@" not in value:
                yield Candidate(one, span, (value,), Reason.CUED, quote=(start, span[1]))


def _is_other_kind(one: Profile, words: str, lexicon: Lexicon) -> bool:
    """Whether words are a kind of place (医院) where the slot's name is another kind (餐厅)."""
    if _compiled(lexicon.kinds_of_place).fullmatch(words) is None:
        return False
    return any(kind in name for kind in lexicon.concepts["venue"].slots for name in one.names)


def _cues(one: Profile, text: str, lexicon: Lexicon, more: Sequence[str]) -> Iterator[Span]:
    """Where the slot's own cues stand, and those of what it is about."""
    for cue in one.cue_words:
        yield from islice(word_spans(cue, text), _MANY)
    for concept in (*sorted(one.concepts), *more):
        yield from (match.span() for match in islice(around(concept, lexicon, after=False).finditer(text), _MANY))


def _stands_in_for(turn: Context, one: Profile) -> tuple[str, ...]:
    """Concepts whose cues a slot takes over because no other slot is about them ("to Rome" for a city)."""
    if "place" not in one.concepts:
        return ()
    others = [other for other in turn.profiles if other.kind == "text" and other is not one]
    near = frozenset[str]().union(*(other.concepts for other in others if other.domain == one.domain))
    anywhere = frozenset[str]().union(*(other.concepts for other in others))
    alone = () if near & {"destination", "origin", "place", "recipient"} else ("destination",)
    return alone if "venue" in anywhere else (*alone, "venue")


@cache
def _opening(lexicon: Lexicon) -> re.Pattern[str]:
    """What stands between a cue and a name."""
    return re.compile(r" (?=[^ ])" if lexicon.spaced else r"(?=[^ ,.!?;:])")


def _changes_another(text: str, at: int, lexicon: Lexicon) -> bool:
    """Whether the cue belongs to a change of something else ("change it to X")."""
    return _compiled(lexicon.not_before_name).search(text[max(0, at - _NEAR) : at]) is not None


_compiled = cache(re.compile)


def _is_slot_name(turn: Context, span: Span) -> bool:
    """Whether the words are the name of a slot instead of a value ("my destination")."""
    text = turn.words.text[span[0] : span[1]]
    return any(one.names and text.endswith(one.names) and one.is_named_in(text) for one in turn.profiles)


def _name_at(turn: Context, at: int, lexicon: Lexicon, taken: Sequence[Span]) -> Span | None:
    """The name that starts at `at`: capitalised words, or few lower-case ones right after a cue of motion."""
    first, at = at, after_article(turn, at)
    end = _end_of_name(turn, at, lexicon, taken)
    if end <= at:
        return None
    span = at, at + len(turn.words.text[at:end].rstrip(" ,.'\""))
    if not lexicon.spaced:
        return span if span[1] - span[0] > 1 and is_name(turn, span, asked=False) else None
    proper = _proper(turn, at, end, lexicon)
    if proper is not None or first != at or turn.words.original(span) != turn.words.original(span).lower():
        return proper
    before = turn.words.text[max(0, at - _NEAR) : at]
    if _compiled(lexicon.motion).search(before) is None or len(turn.words.text[slice(*span)].split()) > _LOWER_CASE:
        return None
    return span if is_name(turn, span, asked=False) and not is_empty(turn, span) else None


def _end_of_name(turn: Context, at: int, lexicon: Lexicon, taken: Sequence[Span]) -> int:
    text = turn.words.text
    stops = (match for match in _compiled(lexicon.name_end).finditer(text, at) if not turn.words.abbreviates(match))
    ends = [next((match.start() for match in stops), len(text))]
    ends += [span[0] for span in taken if span[0] >= at]
    end = min([*ends, *(at for span in taken if span[0] < at < span[1])])
    house = _compiled(lexicon.house).match(text, end) if end > at else None
    return house.end() if house is not None else end


def _proper(turn: Context, at: int, end: int, lexicon: Lexicon) -> Span | None:
    """Capitalised words from `at` to `end` at the most, small linking words between them."""
    offset = turn.words.folded.span(at, len(turn.words.text))[0]
    original = turn.words.folded.original
    words = list(islice(_WORD.finditer(original, offset), LONGEST_NAME + 2))
    last = offset
    for before, word in zip([None, *words], words, strict=False):
        if before is not None and original[before.end() : word.start()].strip(" "):
            break
        if word[0][:1].isupper() or (before is not None and word[0].isdigit()):
            last = word.end()
        elif before is None or word[0] not in lexicon.name_links:
            break
    stop = turn.words.inner((offset, last))[1] if last < len(original) else len(turn.words.text)
    span = at, min(stop, end)
    found = turn.words.text[span[0] : span[1]].split()
    return span if last > offset and found and not all(word in stop_words(lexicon, True) for word in found) else None


def _before_cue(turn: Context, one: Profile, lexicon: Lexicon, taken: Sequence[Span]) -> Iterator[Candidate]:
    """X出发: a cue after the value, where the language has such."""
    if lexicon.spaced:
        return
    known = [lexicon.concepts[name].after for name in sorted(one.concepts) if name in lexicon.concepts]
    own = [re.escape(cue.strip()) for cue in one.cue_words if len(cue) > 1 and all(map(unspaced, cue.strip()))]
    own = [cue for cue in own if not is_title(cue)]  # a title is a part of the name before it
    fragments = "|".join([*(part for parts in known for part in parts), *own])
    if not fragments:
        return
    for match in _followed(fragments).finditer(turn.words.text):
        span = match.span("value")
        if inside(span, taken) or not turn.fills(span) or not is_name(turn, span, asked=False):
            continue
        value = valid_text(turn, one, span)
        if value is not None and not _compiled(lexicon.not_in_name).search(value):
            yield Candidate(one, span, (value,), Reason.CUED)


@cache
def _followed(fragments: str) -> re.Pattern[str]:
    return re.compile(f"(?:\\A|[,.!?;。 ])(?P<value>[\u3400-\u9fff]{{2,6}})(?:{fragments})")


def _after_name(turn: Context, one: Profile, lexicon: Lexicon, taken: Sequence[Span]) -> Iterator[Candidate]:
    """ "the account is X", "subject: X", 名字是X; "the account to X" only where something is changed."""
    text = turn.words.text
    for start, name_end in one.mentions(text):
        match = _compiled(lexicon.copula).match(text, name_end) or _set_beside(turn, one, name_end)
        if match is None or inside((start, name_end), turn.questions) or not turn.fills((start, match.end())):
            continue
        if _is_possessive(turn, match):
            continue
        if match.groupdict().get("to") and not _changes_another(text, start, lexicon):
            continue
        end = min([turn.words.clause(match.end())[1], *(span[0] for span in taken if span[0] >= match.end())])
        span = trimmed(turn, (match.end(), end))
        if span[1] > span[0] and is_name(turn, span) and not is_empty(turn, span) and not negated_at(text, span[0]):
            value = valid_text(turn, one, span)
            if value is not None:
                yield Candidate(one, span, (value,), Reason.UNIT, quote=(start, span[1]))


def _is_possessive(turn: Context, match: re.Match[str]) -> bool:
    """Whether the slot's name only owns what follows ("a doctor's appointment")."""
    following = turn.words.original((match.end(), match.end() + 1))
    return match[0].startswith(("'s", " 's")) and not (following.isupper() or following.isdigit())


def _set_beside(turn: Context, one: Profile, at: int) -> re.Match[str] | None:
    """ "first name Ines, last name Duarte": a name of several words, or of a field, right before a proper name."""
    told = one.field or any(" " in name for name in one.names)
    match = _SPACE.match(turn.words.text, at) if told else None
    original = turn.words.original((match.end(), match.end() + 1)) if match is not None else ""
    return match if original.isupper() or original.isdigit() else None


def _by_alias(turn: Context, one: Profile) -> Iterator[Candidate]:
    """Aliases of a text slot's values: the schema says what they stand for."""
    for span, value in named_spans(one.spec, turn.words.text) if one.spec.slot.aliases else ():
        if turn.fills(span) and not is_negated(turn, span):
            yield Candidate(one, span, (value,), Reason.NAMED)
