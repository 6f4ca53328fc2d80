"""What a user signals beside values: yes, no, corrections, negations, questions."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cache

from slotstate.parsing.folding import Folded, Span, fold
from slotstate.parsing.language import Cue, Cues, Language
from slotstate.parsing.languages import LANGUAGES, languages_of
from slotstate.parsing.matching import END, START, Pattern, compiled, cue_pattern, cue_places

Pick = Callable[[Cues], Cue]

_SEPARATORS = r"[ ,.!;:。、~…\-()\"'😀-🙏👍👌✅]+"
_SENTENCE_END = r"[.!?。;\n]"
_QUESTION = r" ?\?"
_WINDOW = 80
_BETWEEN = 160
_AFTER = 40


def _spans(text: str, pick: Pick) -> Iterator[Span]:
    """Every place, in folded offsets, where a cue of any language stands outside its traps."""
    for language in languages_of(text):
        yield from cue_places(pick(language.cues), language.spaced, text)


def _first(text: Folded, pick: Pick) -> Span | None:
    found = min(_spans(text.text, pick), default=None)
    return None if found is None else text.span(*found)


def affirms(text: Folded) -> Span | None:
    """Where the text says yes or accepts, not negated and not as a question; else None."""
    good = (span for span in _spans(text.text, lambda cues: cues.affirm) if _asserted(text.text, span))
    found = min(good, default=None)
    return None if found is None else text.span(*found)


def _asserted(text: str, span: Span) -> bool:
    if negated_at(text, span[0]) or compiled(_QUESTION).match(text, span[1]):
        return False
    head = text[max(0, span[0] - 200) : span[0]]
    begins = not head.strip(" ,.!?;:。、…") or head.rstrip()[-1:] in (",", ".", "!", "?", ";", ":", "。", "、", "…")
    if begins:
        return True
    end = compiled(_SENTENCE_END).search(text, span[1], span[1] + 200)
    return end is None or end[0] != "?"


def refuses(text: Folded) -> Span | None:
    """Where the text says no or rejects, not as a question; else None."""
    spans = _spans(text.text, lambda cues: cues.refuse)
    real = (span for span in spans if not compiled(_QUESTION).match(text.text, span[1]))
    found = min(real, default=None)
    return None if found is None else text.span(*found)


def bare_yes(text: Folded) -> bool:
    """Whether the whole text says no more than yes, politeness aside."""
    return refuses(text) is None and affirms(text) is not None and _only(text.text, lambda cues: cues.affirm)


def bare_no(text: Folded) -> bool:
    """Whether the whole text says no more than no, politeness aside."""
    return affirms(text) is None and refuses(text) is not None and _only(text.text, lambda cues: cues.refuse)


def _only(text: str, pick: Pick) -> bool:
    """Whether nothing is left beside the cue, fillers and separators."""
    patterns = [
        cue_pattern(cue, language.spaced)
        for language in languages_of(text)
        for cue in (pick(language.cues), language.cues.fillers)
    ]
    at = 0
    while at < len(text):
        gap = compiled(_SEPARATORS).match(text, at)
        if gap:
            at = gap.end()
            continue
        ends = [match.end() for pattern in patterns if (match := pattern.match(text, at)) and match["cue"] is not None]
        if not ends or max(ends) <= at:
            return False
        at = max(ends)
    return True


def yes_no(text: Folded) -> bool | None:
    """The answer to a yes/no question; None when the text gives none or both."""
    yes, no = affirms(text) is not None, refuses(text) is not None
    return None if yes == no else yes


def corrects(text: Folded) -> Span | None:
    """A cue that what follows corrects what was said before ("no, …", "I meant", 改成)."""
    return _first(text, lambda cues: cues.correct)


def clears(text: Folded) -> Span | None:
    """A cue that something said before no longer holds ("forget the …", 取消)."""
    return _first(text, lambda cues: cues.clear)


def removes(text: Folded) -> Span | None:
    """A cue that something is to be taken off a list ("without", 去掉)."""
    return _first(text, lambda cues: cues.remove)


def replaces(text: Folded) -> Span | None:
    """A cue that what follows stands instead of all before ("only", "instead", 只要)."""
    return _first(text, lambda cues: cues.replace)


def dont_care(text: Folded) -> Span | None:
    """A cue that any value will do ("I don't mind", 随便)."""
    return _first(text, lambda cues: cues.dont_care)


def undoes(text: Folded) -> Span | None:
    """A cue that the last change is to be taken back."""
    return _first(text, lambda cues: cues.undo)


def restarts(text: Folded) -> Span | None:
    """A cue that the user starts over."""
    return _first(text, lambda cues: cues.restart)


def hesitates(text: Folded) -> Span | None:
    """A cue of doubt or objection ("but", "wait", 不太确定)."""
    return _first(text, lambda cues: cues.hesitate)


def looks_back(text: Folded) -> bool:
    """Whether the declaration of a slot speaks of what is past (born, purchased, 出生)."""
    return _first(text, lambda cues: cues.past) is not None


def asks_back(text: Folded) -> bool:
    """Whether a question is about what is past ("When did it happen?")."""
    return _first(text, lambda cues: cues.past_question) is not None


def tells_back(text: Folded) -> bool:
    """Whether a statement is about what is past ("it happened on Sunday")."""
    return _first(text, lambda cues: cues.past_told) is not None


def reckons(words: str, span: Span) -> bool:
    """Whether the words work another value out of the one at `span` ("the second Friday in May", 周五后两天)."""
    return _first(fold(f"{words[: span[0]]}§{words[span[1] :]}"), lambda cues: cues.reckon) is not None


def telling(word: str) -> bool:
    """Whether a word says something by itself: "to" and 到 stand in any sentence."""
    folded = fold(word).text.strip()
    return len(folded) > 1 and not is_small(folded)


def is_small(word: str) -> bool:
    """Whether a folded word is one of the small words of a language."""
    return any(word in language.cues.small for language in LANGUAGES)


def asks(text: Folded) -> bool:
    """Whether the text asks something."""
    return "?" in text.text or _first(text, lambda cues: cues.ask) is not None


def negated(text: Folded, at: int) -> bool:
    """Whether the words right before the original offset `at` negate what starts there."""
    return negated_at(text.text, bisect_left(text.starts, at) if text.starts else at)


def denied(text: Folded, at: int) -> bool:
    """Whether a feature that starts at the original offset `at` is denied, by a prefix too ("non-smoking", 不吸烟)."""
    folded = bisect_left(text.starts, at) if text.starts else at
    before = text.text[max(0, folded - 12) : folded]
    prefixes = tuple(prefix for language in languages_of(text.text) for prefix in language.cues.denying)
    return negated_at(text.text, folded) or (bool(prefixes) and before.endswith(prefixes))


def words_before(text: Folded, at: int) -> str:
    """The folded words before an original offset, back to the last mark: where a negation of what follows stands."""
    return _before(text.text, bisect_left(text.starts, at) if text.starts else at)


def words_after(text: Folded, at: int) -> str:
    """The folded words from an original offset on, as far as they can say that nothing before it negates them."""
    return _after(text.text, bisect_left(text.starts, at) if text.starts else at)


def given_up(text: Folded, end: int) -> bool:
    """Whether the words from the original offset `end` on rule out what ends there ("… is no option", …除外)."""
    return given_up_at(text.text, bisect_left(text.starts, end) if text.starts else end)


def given_up_at(text: str, end: int) -> bool:
    """The same for an offset into folded text."""
    after = text[end : end + _AFTER]
    return any(compiled(language.cues.given_up).match(after) is not None for language in languages_of(after))


def _after(text: str, at: int) -> str:
    return text[max(0, at) : max(0, at) + _AFTER]


def _before(text: str, at: int) -> str:
    before = compiled(_titles()).sub("", text[max(0, at - _WINDOW) : max(0, at)])
    return before[max(before.rfind(mark) for mark in ",.!?;:。、") + 1 :]


def negated_at(text: str, at: int) -> bool:
    """The same for an offset into folded text."""
    return negates(_before(text, at), _after(text, at))


def negates(before: str, after: str) -> bool:
    """Whether folded words end on a negation of those after them, a few small words between."""
    return bool(before.strip()) and any(_negates(before, after, language) for language in languages_of(before))


def _negates(before: str, after: str, language: Language) -> bool:
    """Whether `before` ends on a negation, a few small words aside."""
    gap = _gap(language)
    for match in cue_pattern(language.cues.negate, language.spaced).finditer(before):
        if match["cue"] is None or gap.match(before, match.end()) is None:
            continue
        if not _numbers(match["cue"], before, after, language) and not _is_besides(match["cue"], after, language):
            return True
    return False


def _numbers(word: str, before: str, after: str, language: Language) -> bool:
    """Whether a word of negation numbers what follows ("no 5"), or is a no by itself before another number."""
    if word not in language.cues.counted_no:
        return False
    alone = before.strip() == word
    return after[:1].isdigit() or (alone and compiled(language.cues.counted_after).match(after) is not None)


@cache
def _gap(language: Language) -> re.Pattern[str]:
    return re.compile(language.cues.negate_gap)


def _is_besides(word: str, after: str, language: Language) -> bool:
    """Whether a word of negation negates nothing, for what follows (除了…还要)."""
    return any(
        word.startswith(start) and compiled(pattern).match(after) is not None
        for start, pattern in language.cues.besides.items()
    )


@cache
def _titles() -> str:
    return f"(?<![a-z0-9])(?:{'|'.join(language.cues.titles for language in LANGUAGES)})"


def alternatives(text: Folded, a: Span, b: Span) -> bool:
    """Whether the original spans `a` and `b` are offered as alternatives ("either a or b", "a、b 还是 c")."""
    first, second = sorted((a, b))
    start, end = first[1], second[0]
    if not 0 <= end - start <= _BETWEEN:
        return False
    between, after = _folded_slice(text, start, end), _folded_slice(text, second[1], second[1] + _BETWEEN)
    return any(_or_between(between, after, language) for language in LANGUAGES)


def _folded_slice(text: Folded, start: int, end: int) -> str:
    if not text.starts:
        return text.text[start:end]
    return text.text[bisect_left(text.starts, start) : bisect_left(text.starts, end)]


def _or_between(between: str, after: str, language: Language) -> bool:
    direct, listed, later = _alternation(language)
    if direct.fullmatch(between):
        return True
    if listed.fullmatch(between):
        return True
    return re.fullmatch(r" ?[,、] ?", between) is not None and later.match(after) is not None


@cache
def _alternation(language: Language) -> tuple[Pattern, Pattern, Pattern]:
    """Patterns of what stands between alternatives, of a list that ends on one, and of the rest of such a list."""
    edge = (START, END) if language.spaced else ("", "")
    word = f"{edge[0]}(?:{language.cues.either}){edge[1]}"
    small = f"(?:(?:{language.cues.either_gap}){edge[1]} ?){{0,4}}"
    item = r"[\w' \ufffc-]{1,30}"
    patterns = (
        f" ?,? ?{word} ?{small}",
        f" ?[,、] ?(?:{item}[,、] ?){{0,4}}{item},? ?{word} ?{small}",
        f"(?: ?[,、] ?{item}){{0,4}}?,? ?{word}",
    )
    first, second, third = (Pattern(pattern, edged=language.spaced) for pattern in patterns)
    return first, second, third
