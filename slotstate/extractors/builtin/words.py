"""A text as the built-in extractor handles it: folded, in folded offsets, cut into sentences and clauses."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import cached_property

from slotstate.extractors.builtin.lexicon import Lexicon
from slotstate.extractors.builtin.lexicons import LEXICONS
from slotstate.parsing import Folded, Span, as_folded, corrects, fold
from slotstate.parsing.language import Cue
from slotstate.parsing.matching import compiled, cue_places

START = "(?<![a-z0-9_à-ÿ])"
END = "(?![a-z0-9_à-ÿ])"
"""Edges of words in patterns for languages with spaces; cheap to compile, which many patterns must be."""
_SENTENCE = re.compile(r"[!?;。]+|[.…]+(?= |\Z)")
_TITLE = re.compile(
    r"(?<![\w'.])(?:mr|mrs|ms|mx|dr|prof|st|ste|rev|fr|sgt|capt|lt|gen|hon|sra?|srta|dra|mme|mlle|(?P<initial>[a-hj-z]))\Z"
)
"""A word that is written with a period within names."""
_TITLES = 6
"""Characters in which such a word is looked for."""
_NAME = re.compile(r" ([^\W\d_][\w'-]*)")
_MARK = re.compile("[!?;。.…,:-]")
"""One of these stands in every mark; it is quickly looked for."""
_CLAUSE = re.compile(r"[!?;。]+|[.…]+(?= |\Z)|[,:](?![0-9])|(?<![0-9])[,:]| - ")


class Words:
    """A text with its folded form. All spans are folded offsets; `original` gives back what was written there."""

    def __init__(self, text: str) -> None:
        self.folded = fold(text)
        self.text = self.folded.text

    @cached_property
    def plain(self) -> Folded:
        """The folded text as a text of its own, whose offsets are the folded ones."""
        return as_folded(self.text)

    def part(self, span: Span) -> Folded:
        """A stretch of the folded text as a text of its own."""
        return as_folded(self.text[span[0] : span[1]])

    def inner(self, span: Span) -> Span:
        """The folded span of an original one."""
        starts = self.folded.starts
        return (bisect_left(starts, span[0]), bisect_left(starts, span[1])) if starts else span

    def original(self, span: Span) -> str:
        """The original words at a folded span, outer white space left out."""
        end = min(span[1], len(self.text))
        start, end = self.folded.span(min(span[0], end), end)
        return self.folded.original[start:end].strip(" ,，;；、")

    @cached_property
    def sentences(self) -> list[Span]:
        """Where the sentences stand, their end marks included."""
        return _split(self.text, _SENTENCE, self.abbreviates)

    @cached_property
    def clauses(self) -> list[Span]:
        """Where the clauses stand: what commas and sentence marks part."""
        return _split(self.text, _CLAUSE, self.abbreviates)

    def abbreviates(self, mark: re.Match[str]) -> bool:
        """Whether a period stands behind a title or an initial, and the name goes on ("Dr. Ana Ruiz", "Jo F. Hale")."""
        if mark[0] != ".":
            return False
        title = _TITLE.search(self.text[max(0, mark.start() - _TITLES) : mark.start()])
        following = _NAME.match(self.text, mark.end())
        if title is None or following is None or not self.original(following.span(1))[:1].isupper():
            return False
        if any(
            following[1] in lexicon.name_stop | lexicon.edges | lexicon.calendar_words for lexicon in self.languages
        ):
            return False
        return title["initial"] is None or self._is_initial(mark.start() - 1)

    def _is_initial(self, at: int) -> bool:
        """Whether the letter at `at` is a capital behind a name or another initial, or one that opens the text."""
        before = self.text.rfind(" ", 0, max(at - 1, 0)) + 1
        return self.original((at, at + 1)).isupper() and (at == 0 or self.original((before, before + 1)).isupper())

    def sentence(self, at: int) -> Span:
        """The sentence that holds offset `at`."""
        return _holding(self.sentences, at, len(self.text))

    def clause(self, at: int) -> Span:
        """The clause that holds offset `at`."""
        return _holding(self.clauses, at, len(self.text))

    @cached_property
    def languages(self) -> tuple[Lexicon, ...]:
        """The languages whose words may stand here."""
        spaced = re.search("[a-z]", self.text) is not None
        unspaced = re.search("[\u3400-\u9fff]", self.text) is not None
        return tuple(lexicon for lexicon in LEXICONS if (spaced if lexicon.spaced else unspaced))


def _split(text: str, marks: re.Pattern[str], passes: Callable[[re.Match[str]], bool]) -> list[Span]:
    spans: list[Span] = []
    start = 0
    for match in marks.finditer(text) if _MARK.search(text) is not None else ():
        if match.end() > start and not passes(match):
            spans.append((start, match.end()))
            start = match.end()
    if start < len(text) or not spans:
        spans.append((start, len(text)))
    return spans


def _holding(spans: list[Span], at: int, length: int) -> Span:
    index = bisect_left(spans, (at + 1,)) - 1
    return spans[max(index, 0)] if spans else (0, length)


def is_spread(words: Words, first: Span, second: Span) -> bool:
    """Whether two values, the first one first, are the ends of a range or alternatives ("35 to 45", "2 or 3")."""
    between, before = words.text[first[1] : second[0]], words.text[max(0, first[0] - 24) : first[0]]
    return any(
        compiled(lexicon.spread).fullmatch(between) is not None
        or (compiled(lexicon.spread_after).search(before) is not None and between in lexicon.range_joins)
        for lexicon in words.languages
    )


def is_correction(words: Words, first: Span, second: Span, most: int = 1) -> bool:
    """Whether the second of two values corrects the first, with no more than its unit between ("6 people, no wait, 7"):
    of `most` so many words.
    """
    if first[1] > second[0]:
        return False
    cue = corrects(words.part((first[1], second[1])))  # with the value behind it: a cue may need a word after it
    if cue is None or first[1] + cue[0] >= second[0]:
        return False
    return len(words.text[first[1] : first[1] + cue[0]].split()) <= most


def is_swapped(words: Words, span: Span) -> bool:
    """Whether another value is to come in place of the one at `span` ("swap it for …", "move it from … to …")."""
    before = words.text[max(0, span[0] - 48) : span[0]]
    return any(
        compiled(lexicon.swapped).search(before) is not None
        and compiled(lexicon.swapped_after).match(words.text, span[1]) is not None
        for lexicon in words.languages
    )


def overlaps(one: Span, other: Span) -> bool:
    """Whether two spans share a character."""
    return one[0] < other[1] and other[0] < one[1]


def inside(span: Span, ranges: Iterable[Span]) -> bool:
    """Whether a span touches any of the ranges."""
    return any(overlaps(span, other) for other in ranges)


def cue_spans(words: Words, pick: Callable[[Lexicon], Cue]) -> list[Span]:
    """Every place where a cue stands, in any language, outside its traps."""
    found: list[Span] = []
    for lexicon in words.languages:
        found += cue_places(pick(lexicon), lexicon.spaced, words.text)
    return sorted(found)
