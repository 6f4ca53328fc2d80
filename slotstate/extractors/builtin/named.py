"""Values that the schema names: options and aliases of categorical slots, booleans by their words and by yes or no."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from slotstate.extractors.builtin.beside import NEAR, cue_distance
from slotstate.extractors.builtin.choose import Candidate, Reason
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.lexicons import LEXICONS
from slotstate.extractors.builtin.profile import Profile, stem
from slotstate.extractors.builtin.remains import answer_span
from slotstate.extractors.builtin.restraint import other_sense
from slotstate.extractors.builtin.words import cue_spans, is_swapped, overlaps
from slotstate.parsing import Span, clears, corrects, denied, fold, is_boundary, negated, unspaced, yes_no
from slotstate.parsing.cues import given_up_at
from slotstate.parsing.languages import LANGUAGES
from slotstate.slots import Json, SlotSpec
from slotstate.values import spellings

_ATTACHED = "+#%"
_MANY = 16
"""Values of one slot that are looked at in a text."""
_BESIDE = 12
"""Characters between a weak option and the slot's name."""


@lru_cache(maxsize=2048)
def _index(spec: SlotSpec) -> dict[str, Json]:
    """Folded spellings of the slot's values, the longest first, with hyphens as spaces and plurals beside them."""
    index: dict[str, Json] = {}
    for word, value in spellings(spec):
        folded = fold(word).text.strip()
        for form in (folded, folded.replace("-", " "), folded.replace("_", " ")):
            if form:
                index.setdefault(form, value)
    return dict(sorted(index.items(), key=lambda pair: -len(pair[0])))


def named_spans(spec: SlotSpec, text: str) -> Sequence[tuple[Span, Json]]:
    """Where values of the slot stand in a folded text by name, in order, none inside a longer one."""
    return _named_spans(spec, text) if _index(spec) else ()


@lru_cache(maxsize=256)
def _named_spans(spec: SlotSpec, text: str) -> tuple[tuple[Span, Json], ...]:
    found: list[tuple[Span, Json]] = []
    loose = text.replace("-", " ")
    index = _index(spec)
    for word in filter(f"{text}\0{loose}".__contains__, index):
        value, source = index[word], text if "-" in word else loose
        at = source.find(word)
        while at >= 0 and len(found) < _MANY:
            end = at + len(word)
            end += len(word) > 2 and source.startswith("s", end) and is_boundary(text, end + 1)
            whole = is_boundary(text, at, _ATTACHED) and is_boundary(text, end, _ATTACHED)
            if whole and not any(overlaps((at, end), span) for span, _ in found):
                found.append(((at, end), value))
            at = source.find(word, at + 1)
    return tuple(sorted(found, key=lambda item: item[0]))


def named_candidates(turn: Context) -> Iterator[Candidate]:
    """Categorical and boolean slots whose values the turn names, negated ones left out."""
    for one in turn.profiles:
        if one.kind in {"categorical", "boolean"}:
            yield from _named(turn, one)
        if one.kind == "boolean":
            yield from _spoken_of(turn, one)


def _named(turn: Context, one: Profile) -> Iterator[Candidate]:
    for span, value in named_spans(one.spec, turn.words.text):
        no = is_negated(turn, span)
        if one.kind == "categorical" and other_sense(turn.words.text, span):
            continue
        if is_swapped(turn.words, span):
            continue
        if not turn.fills(span) or (one.kind == "boolean" and _asks_about(turn, span)):
            continue
        if one.kind == "boolean":
            yield Candidate(one, span, ((not value) if no else value,), Reason.NAMED)
        elif not no and not _about_it(turn, span) and not _gives_up(turn, one, span, value):
            reason = _strength(turn, one, span)
            if reason is not None:
                distance = cue_distance(one, turn.words.text[max(0, span[0] - NEAR) : span[0]])
                yield Candidate(one, span, (value,), reason, NEAR if distance is None else distance)


def is_negated(turn: Context, span: Span) -> bool:
    """Whether the words before a stretch negate it, or those behind it give it up (芒果的不要了)."""
    return given_up_at(turn.words.text, span[1]) or negated(turn.words.folded, turn.words.folded.span(*span)[0])


def _is_denied(turn: Context, span: Span) -> bool:
    """The same for a feature, which a prefix denies too ("non-smoking", 不吸烟)."""
    return is_negated(turn, span) or denied(turn.words.folded, turn.words.folded.span(*span)[0])


def _gives_up(turn: Context, one: Profile, span: Span, value: Json) -> bool:
    """Whether the clause does away with the value that the slot holds ("cancel the battery")."""
    start, end = turn.words.clause(span[0])
    return turn.held(one) == value and clears(turn.words.part((start, end))) is not None


def _asks_about(turn: Context, span: Span) -> bool:
    return any(overlaps(span, other) for other in turn.inquiries)


def _about_it(turn: Context, span: Span) -> bool:
    return any(overlaps(span, other) for other in turn.hard_questions)


def _strength(turn: Context, one: Profile, span: Span) -> Reason | None:
    """How strongly a named option speaks for its slot; None for words that mean much else and stand alone."""
    text = turn.words.text[span[0] : span[1]]
    beside = _beside_name(turn, one, span)
    if _weak(text) or stem(text) == stem(one.domain):
        meant = turn.is_asked(one) or (turn.held(one) is not None and corrects(turn.words.folded) is not None)
        alone = meant and answer_span(turn, ()) == span
        return Reason.NAMED if beside or alone else None
    return Reason.NAMED


def stands_for_itself(turn: Context, one: Profile, span: Span) -> bool:
    """Whether an option at `span` can be meant: it is no small word, or it stands beside the slot's name."""
    return not _weak(turn.words.text[span[0] : span[1]]) or _beside_name(turn, one, span)


@lru_cache(maxsize=1024)
def _weak(text: str) -> bool:
    """Words that are no name on their own: single letters, numbers, ordinals, yes and no, small words."""
    if len(text) == 1 and not unspaced(text):
        return True
    if text.isdigit() or any(text in language.choices.ordinals for language in LANGUAGES):
        return True
    return any(text in lexicon.weak for lexicon in LEXICONS) or yes_no(fold(text)) is not None


def _beside_name(turn: Context, one: Profile, span: Span) -> bool:
    words = turn.words.text
    before, after = words[max(0, span[0] - _BESIDE) : span[0]], words[span[1] : span[1] + _BESIDE]
    heads = [name.split()[-1] for name in one.names] + list(one.names)
    return any(_gap.sub("", before).endswith(head) or after.lstrip(" -").startswith(head) for head in heads)


_gap = re.compile(r"(?: is| are|[ :=]|是|为)+\Z")


def _spoken_of(turn: Context, one: Profile) -> Iterator[Candidate]:
    """A boolean slot by its name ("with wifi", "no parking"), and by yes or no where it was asked for."""
    wants = cue_spans(turn.words, lambda lexicon: lexicon.wants)
    for span in one.mentions(turn.words.text):
        clause = turn.words.clause(span[0])
        if not turn.fills(span) or _asks_about(turn, span) or "confirmation" in one.concepts:
            continue
        if other_sense(turn.words.text, span):
            continue
        no = _is_denied(turn, span)
        wanted = any(clause[0] <= start and end <= span[0] for start, end in wants)
        fragment = clause[1] - clause[0] <= span[1] - span[0] + _BESIDE
        if no or wanted or fragment:
            quote = (
                max([clause[0], *(start for start, end in wants if clause[0] <= start and end <= span[0])]),
                span[1],
            )
            yield Candidate(one, span, (not no,), Reason.CUED, quote=(clause[0], span[1]) if no else quote)
    if turn.is_asked(one) and turn.held(one) is not True and not (turn.inquiries and "confirmation" in one.concepts):
        answer = _answer(turn)
        if answer is not None:
            yield Candidate(one, answer[0], (answer[1],), Reason.ASKED)


def _answer(turn: Context) -> tuple[Span, bool] | None:
    """The yes or no of the turn, from its first clause that gives one."""
    whole = yes_no(turn.words.folded)
    for span in turn.words.clauses[:2]:
        answer = yes_no(turn.words.part(span))
        if answer is not None and whole in (answer, None):
            return span, answer
    return None
