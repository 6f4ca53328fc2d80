"""Text compared as a person compares it: folded, found at word boundaries, mapped back to what was written."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

Span = tuple[int, int]
"""Half-open [start, end) character offsets into the original text."""

_APOSTROPHES = dict.fromkeys(map(ord, "‘’‛ʼ′`´＇"), "'")
_QUOTES = dict.fromkeys(map(ord, "“”„‟″«»"), '"')
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−﹣－"), "-")
_ALIKE = _APOSTROPHES | _QUOTES | _DASHES
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)
_MOVED = re.compile(r"[\t-\r\x1c-\x1f]")
"""White space of ASCII that folds to a space."""
_SENTENCE_END = re.compile(r"[.!?;](?=\s|$)|[。！？；\n]")
_CLAUSE_END = re.compile(_SENTENCE_END.pattern + r"|,(?=\s|$)|[，、]")
_LOOSE = re.compile(r" (?=[^\w\s])| (?=n't\b)|(?<=[^\w\s]) ")
_COMPARED = 4_000_000
"""Characters that one search may compare."""
_CLUSTER_JAMO = range(0x1160, 0x1200)


@dataclass(frozen=True, slots=True)
class Folded:
    """A text after NFKC, casefold and the folding of white space, apostrophes, dashes and zero-width characters.

    `text` is what to search; `span` maps offsets in it back to the original. `starts[i]` and `ends[i]` are the original
    offsets of the folded character i; both are empty when folding moved nothing.
    """

    text: str
    original: str
    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()

    def span(self, start: int, end: int) -> Span:
        """The original [start, end) of the folded [start, end); an empty range maps to an empty range."""
        if not self.starts:
            return start, end
        if end <= start:
            at = self.starts[start] if start < len(self.starts) else len(self.original)
            return at, at
        return self.starts[start], self.ends[end - 1]


def _clusters(text: str, joining: set[str]) -> list[Span]:
    """Base characters with the marks that combine with them: what NFKC may turn into one character."""
    starts = [at for at in range(len(text)) if not at or text[at] not in joining]
    return list(zip(starts, [*starts[1:], len(text)], strict=True))


@lru_cache(maxsize=4096)
def _joins(char: str) -> bool:
    """Whether a character combines with the one before it."""
    return unicodedata.combining(char) != 0 or ord(char) in _CLUSTER_JAMO


@lru_cache(maxsize=4096)
def _fold_cluster(written: str) -> str:
    """What one character with its marks becomes: nothing, itself, another character, or several."""
    plain = unicodedata.normalize("NFKC", written.translate(_ALIKE)).translate(_ALIKE).casefold()
    return "".join(
        " " if raw.isspace() else str(unicodedata.decimal(raw)) if raw.isdecimal() else raw
        for raw in plain
        if unicodedata.category(raw) != "Cf"
    )


@lru_cache(maxsize=256)
def fold(text: str) -> Folded:
    """Fold `text` for comparison. Runs of white space become one space; zero-width and bidi controls vanish; digits of
    any script become ASCII ones.
    """
    if text.isascii() and "`" not in text and "  " not in text and (text.isprintable() or not _MOVED.search(text)):
        return Folded(text.lower(), text)
    used = set(text)
    joining = {char for char in used if _joins(char)}
    single = {char: _fold_cluster(char) for char in used}
    if not joining and all(len(folded) == 1 for folded in single.values()):
        found = "".join([single[char] for char in text])
        if "  " not in found:
            return Folded(found, text)
    return _fold_with_offsets(text, _clusters(text, joining))


def _fold_with_offsets(text: str, clusters: list[Span]) -> Folded:
    chars: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in clusters:
        for char in _fold_cluster(text[start:end]):
            if char == " " and chars and chars[-1] == " ":
                ends[-1] = end
                continue
            chars.append(char)
            starts.append(start)
            ends.append(end)
    return Folded("".join(chars), text, tuple(starts), tuple(ends))


def as_folded(text: str) -> Folded:
    """A stretch of a text that is folded already, with its own offsets: folding it again would change nothing."""
    return Folded(text, text)


def unspaced(char: str) -> bool:
    """Whether `char` belongs to a script written without spaces between words (Chinese, Japanese, Thai, …)."""
    return _UNSPACED.match(char) is not None


@lru_cache(maxsize=256)
def without_unspaced(text: str) -> str:
    """The text with a mark in place of every letter of such a script: as long as before."""
    return _UNSPACED.sub("\ufffc", text)


def is_boundary(text: str, at: int, attached: str = "") -> bool:
    """Whether a word may start or end at offset `at` of the folded `text`.

    Letters and digits of spaced scripts bind to each other, digits also across a decimal point, a colon or a thousands
    comma; `attached` names symbols that bind as well ("C++" does not end after "C" when "+" is attached).
    """
    if at <= 0 or at >= len(text):
        return True
    left, right = text[at - 1], text[at]
    if unspaced(left) or unspaced(right):
        return True
    left_word, right_word = left.isalnum() or left == "_", right.isalnum() or right == "_"
    if left_word and right_word:
        return False
    if (left_word and right in attached) or (left in attached and right_word):
        return False
    if left in attached and right in attached:
        return False
    if left.isdigit() and right in ".:," and at + 1 < len(text) and text[at + 1].isdigit():
        return right == "," and re.match(r",\d{3}(?!\d)", text[at:]) is None
    if right.isdigit() and left in ".:," and at > 1 and text[at - 2].isdigit():
        return left == "," and re.match(r"\d{3}(?!\d)", text[at:]) is None
    return True


def find_all(needle: str, haystack: Folded, attached: str = "", limit: int = 1000) -> list[Span]:
    """The first `limit` places, in original offsets, where `needle` stands in `haystack` at word boundaries."""
    wanted = fold(needle).text.strip()
    found: list[Span] = []
    if not wanted:
        return found
    tries = max(8, _COMPARED // len(wanted))  # a long needle that nearly stands everywhere must not take for ever
    at = haystack.text.find(wanted)
    while at >= 0 and len(found) < limit and tries:
        tries -= 1
        end = at + len(wanted)
        if is_boundary(haystack.text, at, attached) and is_boundary(haystack.text, end, attached):
            found.append(haystack.span(at, end))
        at = haystack.text.find(wanted, at + 1)
    return found


def find_quote(quote: str, haystack: Folded, limit: int = 1000) -> list[Span]:
    """The first `limit` places, in original offsets, where somebody's words stand; spaces beside marks and beside
    letters of unspaced scripts do not count where they do not stand as they are: models set them as they see fit.
    """
    return find_all(quote, haystack, limit=limit) or find_all(_tight(fold(quote)).text, _tight(haystack), limit=limit)


def _tight(text: Folded) -> Folded:
    """Without the spaces that carry nothing: tokenised corpora write "I 'll", "do n't" and "here ?"."""
    folded = text.text
    loose = {match.start() for match in _LOOSE.finditer(folded)}
    loose |= {
        at for at, char in enumerate(folded) if char == " " and any(map(unspaced, folded[max(0, at - 1) : at + 2]))
    }
    if not loose:
        return text
    kept = [at for at in range(len(folded)) if at not in loose]
    spans = [text.span(at, at + 1) for at in kept]
    return Folded(
        "".join([folded[at] for at in kept]),
        text.original,
        tuple(start for start, _ in spans),
        tuple(end for _, end in spans),
    )


def find(needle: str, haystack: Folded, attached: str = "") -> Span | None:
    """The first place where `needle` stands in `haystack` at word boundaries, or None."""
    places = find_all(needle, haystack, attached, 1)
    return places[0] if places else None


def same_text(one: str, other: str) -> bool:
    """Whether two texts are the same after folding, outer white space aside."""
    return fold(one).text.strip() == fold(other).text.strip()


def sentences(text: str) -> list[str]:
    """The sentences of a text, their closing marks included."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    return [
        text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True) if text[start:end].strip()
    ]


def clause(text: str, span: Span) -> str:
    """The clause that `span` of `text` stands in: its sentence, cut at commas outside of the span."""
    return _around(text, span, _CLAUSE_END)


def sentence(text: str, span: Span) -> str:
    """The sentence that `span` of `text` stands in: from one closing mark or line end to the next, at most 500
    characters to either side.
    """
    return _around(text, span, _SENTENCE_END)


def _around(text: str, span: Span, end: re.Pattern[str]) -> str:
    first, last = max(0, span[0] - 500), min(len(text), span[1] + 500)
    before = [match.end() for match in end.finditer(text, first, span[0])]
    after = end.search(text, span[1], last)
    return text[before[-1] if before else first : after.end() if after else last]
