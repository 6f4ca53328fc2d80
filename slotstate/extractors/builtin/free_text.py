"""Text slots: the answer to a question, and names that cues introduce ("from X to Y", 从X到Y, "the account is X")."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from slotstate.errors import InvalidValue
from slotstate.extractors.builtin.choose import Candidate, Reason
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.lexicon import FAMILIES, Lexicon
from slotstate.extractors.builtin.named import is_negated, named_spans
from slotstate.extractors.builtin.profile import Profile, around, has_word, word_spans
from slotstate.extractors.builtin.words import cue_spans, inside
from slotstate.parsing import Span, asks, bare_no, bare_yes, dont_care, fold, restarts, undoes, unspaced
from slotstate.parsing.cues import negated_at
from slotstate.parsing.languages import LANGUAGES
from slotstate.values import normalise

FAMILY_OF_PLACES = frozenset(name for name, group in FAMILIES.items() if group == "place")
_REPEATED = re.compile(r"(.)\1")
LONGEST_NAME = 6
"""Words of a name, an address or a title."""
LONGEST_STATEMENT = 40
"""Characters of a turn that can be nothing but a value, when nothing was asked."""
LONGEST_UNSPACED = 14
"""The same for scripts without spaces, in characters."""


def answers(turn: Context, taken: Sequence[Span]) -> Iterator[Candidate]:
    """The turn as the answer to the one text slot that was asked for; stretches in `taken` are other slots' values."""
    asked = [one for one in turn.asked if one.kind == "text"]
    if not asked and turn.sole is not None and turn.sole.kind == "text" and says_one_thing(turn):
        asked = [turn.sole]
    if not asked or is_no_answer(turn):
        return
    for one in asked:
        choices = alternatives_in(turn, taken)
        if choices:
            yield from (
                Candidate(one, span, (text,), Reason.ASKED) for span in choices if (text := _valid(turn, one, span))
            )
            continue
        span = _whole(turn) if "note" in one.concepts else answer_span(turn, taken)
        if span is None or span[0] == span[1]:
            continue
        long = "note" in one.concepts
        if not long and (not is_name(turn, span) or _speaks_of_another(turn, one, span)):
            continue
        value = _valid(turn, one, span)
        if value is not None:
            yield Candidate(one, span, (value,), Reason.ASKED)


def bare_place(turn: Context, taken: Sequence[Span]) -> Iterator[Candidate]:
    """A capitalised name that is all that is left of a turn beside other values ("Oslo on Friday"), for the only place."""
    places = [
        one
        for one in turn.profiles
        if one.kind == "text" and FAMILY_OF_PLACES & one.concepts and one.domain in turn.focus
    ]
    if len(places) != 1 or turn.asked or is_no_answer(turn) or turn.questions:
        return
    pieces = [span for piece in _pieces(turn, taken) if (span := trimmed(turn, piece))[1] > span[0]]
    if len(pieces) != 1 or not is_name(turn, pieces[0], asked=False):
        return
    words = turn.words.original(pieces[0]).split()
    value = _valid(turn, places[0], pieces[0])
    if value is not None and len(words) <= 3 and all(word[:1].isupper() for word in words):
        yield Candidate(places[0], pieces[0], (value,), Reason.ONLY)


def _names_slot(turn: Context, span: Span) -> bool:
    """Whether the words are the name of a slot instead of a value ("my destination")."""
    text = turn.words.text[span[0] : span[1]]
    return any(one.is_named_in(text) and text.endswith(one.names) for one in turn.profiles if one.names)


def _speaks_of_another(turn: Context, one: Profile, span: Span) -> bool:
    """Whether the words name another slot."""
    text = turn.words.text[span[0] : span[1]]
    own = set(one.names)
    names = (name for other in turn.profiles if other is not one for name in other.names if name not in own)
    return any(len(name) > 2 or (any(map(unspaced, name)) and len(name) > 1) for name in names if has_word(name, text))


def says_one_thing(turn: Context) -> bool:
    """Whether the turn can be nothing but a value for the only slot that there is."""
    text = turn.words.text
    return len(text) <= LONGEST_STATEMENT and not any(char.isdigit() or char in "[]{}()<>%@" for char in text)


def alternatives_in(turn: Context, taken: Sequence[Span]) -> list[Span]:
    """The values between which an answer leaves the choice ("either X or Y")."""
    span = answer_span(turn, taken)
    if span is None:
        return []
    for lexicon in turn.words.languages:
        language = next(one for one in LANGUAGES if one.code == lexicon.code)
        edge = " " if language.spaced else ""
        for match in re.finditer(f"{edge}(?:{language.cues.either}){edge}", turn.words.text[span[0] : span[1]]):
            parts = [trimmed(turn, (span[0], span[0] + match.start())), trimmed(turn, (span[0] + match.end(), span[1]))]
            if all(part[1] > part[0] and is_name(turn, part) for part in parts):
                return parts
    return []


def is_no_answer(turn: Context) -> bool:
    """Whether the turn as a whole gives no text: a question, a refusal, a greeting, hesitation."""
    folded = turn.words.folded
    if turn.questions and not any(span for span in turn.words.sentences if span not in turn.questions):
        return True
    if (
        restarts(folded) is not None
        or bare_yes(folded)
        or bare_no(folded)
        or undoes(folded) is not None
        or dont_care(folded) is not None
    ):
        return True
    return bool(turn.closed) or bool(cue_spans(turn.words, lambda lexicon: lexicon.empty))


def _valid(turn: Context, one: Profile, span: Span) -> str | None:
    try:
        value = normalise(one.spec, turn.words.original(span), turn.reading(one))
    except InvalidValue:
        return None
    return value if isinstance(value, str) else None


def _whole(turn: Context) -> Span:
    text = turn.words.text
    start, end = 0, len(text)
    while start < end and not (text[start].isalnum() or text[start] in "{[(\"'#+@$€£¥"):
        start += 1
    while end > start and text[end - 1] in " .。,;!":
        end -= 1
    return start, end


def answer_span(turn: Context, taken: Sequence[Span]) -> Span | None:
    """What is left of an answer without lead-ins, politeness and other slots' values; None when nothing is."""
    for piece in _pieces(turn, taken):
        span = trimmed(turn, piece)
        if span[1] > span[0]:
            return span
    return None


def _pieces(turn: Context, taken: Sequence[Span]) -> Iterator[Span]:
    """The sentences of the turn between the stretches that are taken, questions left out."""
    for start, end in turn.words.sentences:
        if (start, end) in turn.questions:
            continue
        at = start
        for first, last in sorted(span for span in taken if start <= span[0] < end):
            if first > at:
                yield at, first
            at = max(at, last)
        if at < end:
            yield at, end


def trimmed(turn: Context, span: Span) -> Span:
    """A stretch without lead-ins and tails, and without small words at its edges."""
    text = turn.words.text
    start, end = span
    changed = True
    while changed and start < end:
        before = (start, end)
        for lexicon in turn.words.languages:
            match = _lead(lexicon).match(text, start, end)
            start = match.end() if match is not None and match.end() <= end else start
            match = _tail(lexicon).search(text[start:end])
            end = start + match.start() if match is not None else end
            start, end = _without_edges(text, start, end, lexicon)
        start = (
            min(_after_article(turn, start), end) if turn.words.original((start + 4, start + 5)).isupper() else start
        )
        while start < end and not (text[start].isalnum() or text[start] in "{[#+@$€£¥"):
            start += 1
        changed = (start, end) != before
    return start, end


@cache
def _lead(lexicon: Lexicon) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{fragment})" for fragment in lexicon.lead_ins))


@cache
def _tail(lexicon: Lexicon) -> re.Pattern[str]:
    return re.compile(f"(?:{'|'.join(lexicon.tails)})\\Z")


def _without_edges(text: str, start: int, end: int, lexicon: Lexicon) -> Span:
    if not lexicon.spaced:
        return start, end
    words = list(re.finditer(r"[^ ]+", text[start:end]))
    edges = frozenset(lexicon.edges)
    while words and words[-1][0].strip(",.;:!") in edges:
        words.pop()
    return (start, start + words[-1].end()) if words else (start, start)


def is_name(turn: Context, span: Span, *, asked: bool = True) -> bool:
    """Whether a stretch can be a name or a short value: few words, none of them a pronoun or a verb. Words of the
    calendar can be one as an answer, where no slot is after a date.
    """
    text = turn.words.text[span[0] : span[1]]
    if any(mark in text for mark in "?!;。") or asks(fold(text)) or not re.search(r"\w", text):
        return False
    if any(map(unspaced, text)):
        chinese = [lexicon for lexicon in turn.words.languages if not lexicon.spaced]
        starts = any(text.startswith(word) for lexicon in chinese for word in lexicon.name_stop)
        return len(text) <= LONGEST_UNSPACED and "," not in text and not starts and not _REPEATED.fullmatch(text)
    words = [word.strip(",.'\"()") for word in text.split()]
    words = words[1:] if len(words) > 1 and words[0] in {"my", "our", "the"} else words
    dated = not asked or any(one.kind in {"date", "time", "datetime"} for one in turn.profiles)
    stops = [_stops(lexicon, dated) for lexicon in turn.words.languages if lexicon.spaced]
    stopped = sum(any(word in stop for stop in stops) for word in words)
    proper = [word for word in turn.words.original(span).split() if word[:1].isupper()]
    return len(words) <= LONGEST_NAME and (
        stopped == 0 or (stopped < len(words) and len(proper) + stopped >= len(words) > 1)
    )


@cache
def _stops(lexicon: Lexicon, dated: bool) -> frozenset[str]:
    return (lexicon.name_stop | (lexicon.calendar_words if dated else frozenset())) - lexicon.name_links


def introduced(turn: Context, taken: Sequence[Span]) -> Iterator[Candidate]:
    """Values that a cue introduces, or that the schema gives another word for."""
    for one in _named_things(turn):
        yield from _introduced(turn, one, taken)
        yield from _exemplified(turn, one)


def labelled(turn: Context, taken: Sequence[Span]) -> Iterator[Candidate]:
    """Values that follow the slot's name."""
    for one in _named_things(turn):
        yield from _labelled(turn, one, taken)


def _named_things(turn: Context) -> list[Profile]:
    return [one for one in turn.profiles if one.kind == "text" and "note" not in one.concepts]


def _introduced(turn: Context, one: Profile, taken: Sequence[Span]) -> Iterator[Candidate]:
    """ "from X", "to X", 从X, 去X, by the slot's own cues and by those of what it is about."""
    text = turn.words.text
    for lexicon in turn.words.languages:
        for start, end in _cues(one, text, lexicon, _stands_in_for(turn, one)):
            opening = _opening(lexicon).match(text, end)
            if opening is None or _changes_another(text, start, lexicon):
                continue
            span = name_after(turn, opening.end(), start, lexicon, taken)
            if span is not None and turn.fills(span) and not negated_at(text, start) and not _names_slot(turn, span):
                value = _valid(turn, one, span)
                if value is not None:
                    yield Candidate(one, span, (value,), Reason.CUED, quote=(start, span[1]))
        yield from _followed(turn, one, lexicon, taken)


def _followed(turn: Context, one: Profile, lexicon: Lexicon, taken: Sequence[Span]) -> Iterator[Candidate]:
    """X出发: a cue after the value, where the language has such."""
    if lexicon.spaced:
        return
    fragments = [part for name in one.concepts if name in lexicon.concepts for part in lexicon.concepts[name].after]
    if not fragments:
        return
    for match in re.finditer(
        f"(?:\\A|[,.!?;。 ]|我|我们|从)(?P<value>[\u3400-\u9fff]{{2,6}})(?:{'|'.join(fragments)})", turn.words.text
    ):
        span = match.span("value")
        if not inside(span, list(taken)) and is_name(turn, span) and turn.fills(span):
            value = _valid(turn, one, span)
            if value is not None and not re.search(r"[从到去天日号点]", value):
                yield Candidate(one, span, (value,), Reason.CUED)


def _stands_in_for(turn: Context, one: Profile) -> tuple[str, ...]:
    """Concepts whose cues a slot takes over because no other slot of its domain is about them ("to Rome" for a city)."""
    if "place" not in one.concepts:
        return ()
    others = [other for other in turn.profiles if other.kind == "text" and other is not one]
    near = [other for other in others if other.domain == one.domain]
    alone = not any(other.concepts & {"destination", "origin", "place", "recipient"} for other in near)
    return (
        *(("destination",) if alone else ()),
        *(() if any("venue" in other.concepts for other in others) else ("venue",)),
    )


def _cues(one: Profile, text: str, lexicon: Lexicon, more: Sequence[str]) -> Iterator[Span]:
    """Where the slot's own cues stand, and those of what it is about."""
    for cue in one.spec.slot.cues:
        yield from word_spans(fold(cue).text, text)
    for concept in (*one.concepts, *more):
        yield from (match.span() for match in around(concept, lexicon, after=False).finditer(text))


@cache
def _opening(lexicon: Lexicon) -> re.Pattern[str]:
    """What stands between a cue and a name."""
    return re.compile(r" (?=[^ ])" if lexicon.spaced else r"(?=[^ ,.!?;:])")


@cache
def _copula(lexicon: Lexicon) -> re.Pattern[str]:
    return re.compile(lexicon.copula)


def _changes_another(text: str, at: int, lexicon: Lexicon) -> bool:
    """Whether the cue belongs to a change of something else ("change it to X")."""
    return re.search(lexicon.not_before_name, text[max(0, at - 40) : at]) is not None


def name_after(turn: Context, at: int, cue: int, lexicon: Lexicon, taken: Sequence[Span]) -> Span | None:
    """The name that starts at `at`: capitalised words, or few lower-case ones right after a cue of motion."""
    at = _after_article(turn, at)
    end = _until(turn, at, lexicon, taken)
    if end <= at:
        return None
    if not lexicon.spaced:
        span = at, at + len(turn.words.text[at:end].rstrip())
        return span if 1 < span[1] - span[0] <= LONGEST_UNSPACED - 4 and is_name(turn, span, asked=False) else None
    proper = _proper(turn, at, end, lexicon)
    if proper is not None:
        return proper
    original = turn.words.original((at, end))
    mixed = original != original.lower() or turn.words.text[max(0, at - 4) : at] == "the "
    moved = not mixed and re.search(lexicon.motion, turn.words.text[max(0, cue - 48) : cue]) is not None
    words = turn.words.text[at:end].split()
    span = at, at + len(turn.words.text[at:end].rstrip(" ,.'\""))
    return span if moved and 0 < len(words) <= 3 and is_name(turn, span, asked=False) else None


def _after_article(turn: Context, at: int) -> int:
    """Past a small "the": with a capital it is part of the name."""
    return (
        at + 4 if turn.words.text.startswith("the ", at) and not turn.words.original((at, at + 3))[:1].isupper() else at
    )


def _until(turn: Context, at: int, lexicon: Lexicon, taken: Sequence[Span]) -> int:
    text = turn.words.text
    stop = _end(lexicon).search(text, at)
    # a name may hold a stop word inside ("Stratford upon Avon", "Bowness on Windermere"): the proper-name reader looks past it
    end = stop.start() if stop is not None else len(text)
    return min([end, *(span[0] for span in taken if span[0] >= at), *(at for span in taken if span[0] < at < span[1])])


@cache
def _end(lexicon: Lexicon) -> re.Pattern[str]:
    return re.compile(lexicon.name_end)


def _proper(turn: Context, at: int, end: int, lexicon: Lexicon) -> Span | None:
    """Capitalised words from `at`, small linking words between them."""
    outer = turn.words.folded.span(at, len(turn.words.text))
    original = turn.words.folded.original[outer[0] : outer[1]]
    last = 0
    for count, match in enumerate(re.finditer(r"[^\s,.!?;:()\"]+(?:\.(?= [A-Z]))?", original)):
        word = match[0]
        gap = original[last : match.start()]
        if count >= LONGEST_NAME or (count and gap.strip(" ")):
            break
        if word[:1].isupper() or (word[:1].isdigit() and count and word.isalnum()):
            last = match.end()
        elif not (count and word in lexicon.name_links and word != "-"):
            break
        if not count and not word[:1].isupper():
            return None
    if not last:
        return None
    inner_end = turn.words.inner((0, outer[0] + last))[1] if turn.words.folded.starts else outer[0] + last
    span = at, min(inner_end, max(end, at)) if end > at else inner_end
    words = turn.words.text[span[0] : span[1]].split()
    return span if words and not all(word.strip("'") in _stops(lexicon, True) for word in words) else None


def _labelled(turn: Context, one: Profile, taken: Sequence[Span]) -> Iterator[Candidate]:
    """ "the account is X", "subject: X", 名字是X."""
    text = turn.words.text
    for lexicon in turn.words.languages:
        for start, name_end in one.mentions(text):
            match = _copula(lexicon).match(text, name_end)
            moved = match is not None and match.groupdict().get("to") and not _changes_another(text, start, lexicon)
            if (
                match is None
                or moved
                or inside((start, name_end), turn.questions)
                or not turn.fills((start, match.end()))
            ):
                continue
            end = min([turn.words.clause(match.end())[1], *(span[0] for span in taken if span[0] >= match.end())])
            span = trimmed(turn, (match.end(), end))
            if span[1] > span[0] and is_name(turn, span) and not negated_at(text, span[0]):
                value = _valid(turn, one, span)
                if value is not None:
                    yield Candidate(one, span, (value,), Reason.UNIT, quote=(start, span[1]))


def _exemplified(turn: Context, one: Profile) -> Iterator[Candidate]:
    """Aliases of a text slot's values: the schema says what they stand for."""
    for span, value in named_spans(one.spec, turn.words.text):
        if turn.fills(span) and not is_negated(turn, span):
            yield Candidate(one, span, (value,), Reason.NAMED)
