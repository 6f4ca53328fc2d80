"""What is left of a turn without lead-ins, politeness and other slots' values, and whether it can be a name."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from slotstate.errors import InvalidValue
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.lexicon import Lexicon
from slotstate.extractors.builtin.profile import Profile
from slotstate.extractors.builtin.restraint import is_turned_down, is_verdict
from slotstate.extractors.builtin.words import END, cue_spans, inside
from slotstate.parsing import Span, asks, bare_no, bare_yes, dont_care, fold, restarts, undoes, unspaced
from slotstate.parsing.languages import LANGUAGES
from slotstate.parsing.matching import compiled
from slotstate.values import normalise

LONGEST_NAME: Final = 6
"""Words of a name, an address or a title."""
LONGEST_TEXT: Final = 80
"""The same in characters."""
LONGEST_UNSPACED: Final = 14
"""The same for scripts without spaces, in characters."""
LONGEST_ADDRESS: Final = 30
"""The same where the number of a house is told."""
LONGEST_STATEMENT: Final = 40
"""Characters of a turn that can be nothing but a value, when nothing was asked."""
_PAUSE = re.compile(r"[ ,.!?…~;:、。-]+")
_REPEATED = re.compile(r"(.)\1")
_MARKS: Final = frozenset({"So", "Sk", "Cn", "Co", "Zs", "Mn"})
"""Characters that end no value: emoji and what goes with them."""
_TAIL: Final = 64
"""Characters at the end of a stretch within which politeness is looked for."""
_OPENS = "{[#+@$€£¥《「『<"


def is_no_answer(turn: Context) -> bool:
    """Whether the turn as a whole gives no text: a question, a bare yes or no, a report, a fresh start, fillers."""
    folded = turn.words.folded
    if (
        turn.closed
        or turn.passed
        or _says_nothing(turn)
        or all(span in turn.questions for span in turn.words.sentences)
    ):
        return True
    cues = (restarts(folded), undoes(folded), dont_care(folded))
    return bare_yes(folded) or bare_no(folded) or any(cue is not None for cue in cues)


def _says_nothing(turn: Context) -> bool:
    """Whether the turn is made of words that only fill a pause ("hm, let me think")."""
    text, at = turn.words.text, 0
    fillers = [_filler(lexicon) for lexicon in turn.words.languages]
    while at < len(text):
        ends = [match.end() for pattern in (_PAUSE, *fillers) if (match := pattern.match(text, at)) is not None]
        if not ends:
            return False
        at = max(ends)
    return True


@cache
def _filler(lexicon: Lexicon) -> re.Pattern[str]:
    return re.compile(f"(?:{lexicon.fillers}){END if lexicon.spaced else ''}")


def is_empty(turn: Context, span: Span) -> bool:
    """Whether the words greet, hesitate or put off instead of answering."""
    return inside(span, cue_spans(turn.words, lambda lexicon: lexicon.empty))


def says_one_thing(turn: Context) -> bool:
    """Whether the turn can be nothing but a value for the only slot that there is."""
    text = turn.words.text
    return len(text) <= LONGEST_STATEMENT and not any(char.isdigit() or char in "[]{}()<>%@" for char in text)


def valid_text(turn: Context, one: Profile, span: Span) -> str | None:
    """The words at `span` as a value of a text slot, None when its type refuses them."""
    try:
        value = normalise(one.spec, turn.words.original(span), turn.reading(one))
    except InvalidValue:
        return None
    return value if isinstance(value, str) else None


def answer_span(turn: Context, taken: Sequence[Span]) -> Span | None:
    """What is left of an answer without lead-ins, politeness and other slots' values; None when nothing is."""
    return next(remains(turn, taken), None)


def remains(turn: Context, taken: Sequence[Span]) -> Iterator[Span]:
    """The stretches of the turn that nothing else has taken, without what means nothing."""
    for piece in _pieces(turn, taken):
        span = trimmed(turn, piece)
        if span[1] > span[0]:
            yield span


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
    start, end = span
    before = None
    while before != (start, end) and start < end:
        before = start, end
        for lexicon in turn.words.languages:
            start, end = _without_lead_and_tail(turn.words.text, start, end, lexicon)
        if turn.words.original((start + 4, start + 5)).isupper():
            start = min(after_article(turn, start), end)
        while start < end and not (turn.words.text[start].isalnum() or turn.words.text[start] in _OPENS):
            start += 1
        while start < end and unicodedata.category(turn.words.text[end - 1]) in _MARKS:
            end -= 1
    return start, end


def _without_lead_and_tail(text: str, start: int, end: int, lexicon: Lexicon) -> Span:
    lead = _lead(lexicon).match(text, start, end)
    start = lead.end() if lead is not None else start
    window = max(start, end - _TAIL)
    tail = _tail(lexicon).search(text[window:end])
    end = window + tail.start() if tail is not None else end
    if not lexicon.spaced:
        return start, end
    while end > start:
        word = max(text.rfind(" ", start, end) + 1, start)
        if word < end and text[word:end].strip(",.;:!") not in lexicon.edges:
            break
        end = max(word - 1, start) if word == end else word
    return start, end


@cache
def _lead(lexicon: Lexicon) -> re.Pattern[str]:
    pauses = f"(?:{lexicon.fillers})[,.!;:…~]{{1,3}} ?"
    return re.compile("|".join(f"(?:{fragment})" for fragment in (*lexicon.lead_ins, pauses)))


@cache
def _tail(lexicon: Lexicon) -> re.Pattern[str]:
    return re.compile(f"(?:{'|'.join(lexicon.tails)})\\Z")


def after_article(turn: Context, at: int) -> int:
    """Past a small "the": with a capital it is part of the name."""
    for lexicon in turn.words.languages:
        for article in lexicon.articles:
            small = turn.words.original((at, at + len(article))).islower()
            if small and turn.words.text.startswith(f"{article} ", at):
                return at + len(article) + 1
    return at


def alternatives_in(turn: Context, span: Span) -> list[Span]:
    """The values between which an answer leaves the choice ("either X or Y")."""
    codes = {lexicon.code for lexicon in turn.words.languages}
    for language in (language for language in LANGUAGES if language.code in codes):
        edge = " " if language.spaced else ""
        words = turn.words.text[span[0] : min(span[1], span[0] + 2 * LONGEST_TEXT)]
        for match in re.finditer(f"{edge}(?:{language.cues.either}){edge}", words):
            parts = [trimmed(turn, (span[0], span[0] + match.start())), trimmed(turn, (span[0] + match.end(), span[1]))]
            if all(part[1] > part[0] and is_name(turn, part) for part in parts):
                return parts
    return []


def refuses_part(turn: Context, span: Span) -> bool:
    """Whether a clause within the stretch turns something down ("Leeds, York, not Bath")."""
    return any(
        span[0] < start < span[1]
        and is_turned_down(turn.words.text[start:end].lstrip())
        and not turn.words.original((start, end))[:1].isupper()
        for start, end in turn.words.clauses
    )


def is_name(turn: Context, span: Span, *, asked: bool = True) -> bool:
    """Whether a stretch can be a name or a short value: few words, none of them a pronoun or a verb. Words of the
    calendar can be one as an answer, where no slot is after a date.
    """
    text = turn.words.text[span[0] : span[1]]
    if (
        len(text) > LONGEST_TEXT
        or any(mark in text for mark in "?!;。")
        or asks(fold(text))
        or not re.search(r"\w", text)
    ):
        return False
    if is_verdict(text) and turn.words.original(span)[:1].islower():
        return False
    return _is_unspaced_name(turn, text) if any(map(unspaced, text)) else _is_spaced_name(turn, span, text, asked)


def _is_unspaced_name(turn: Context, text: str) -> bool:
    stops = [lexicon.name_stop for lexicon in turn.words.languages if not lexicon.spaced]
    stopped = any(text.startswith(word) for stop in stops for word in stop)
    stopped = stopped or any(compiled(lexicon.no_name).search(text) for lexicon in turn.words.languages)
    stopped = stopped or any(text == fold(name).text for name in turn.request.domains)
    housed = any(compiled(lexicon.house).search(text) for lexicon in turn.words.languages)
    longest = LONGEST_ADDRESS if housed else LONGEST_UNSPACED
    return not stopped and len(text) <= longest and "," not in text and not _REPEATED.fullmatch(text)


def _is_spaced_name(turn: Context, span: Span, text: str, asked: bool) -> bool:
    words = [word.strip(",.'\"()") for word in text.split()]
    if len(words) > 1 and any(words[0] in lexicon.determiners for lexicon in turn.words.languages):
        words = words[1:]
    dated = not asked or any(one.kind in {"date", "time", "datetime"} for one in turn.profiles)
    stops = [stop_words(lexicon, dated) for lexicon in turn.words.languages if lexicon.spaced]
    stopped = [word for word in words if any(word in stop for stop in stops)]
    telling = [word for word in turn.words.original(span).split() if word.strip(",.'\"()").lower() not in stopped]
    titled = turn.words.original(span)[:1].isupper() and bool(telling) and all(word[:1].isupper() for word in telling)
    return len(words) <= LONGEST_NAME and (not stopped or titled)


@cache
def stop_words(lexicon: Lexicon, dated: bool) -> frozenset[str]:
    """Words that no name holds; those of the calendar too where days are meant as days."""
    return (lexicon.name_stop | (lexicon.calendar_words if dated else frozenset())) - lexicon.name_links
