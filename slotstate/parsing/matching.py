"""Shared machinery of the finders: templates compiled from the tables, and the choice among overlapping hits."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import Generic, NamedTuple, TypeVar

from slotstate.parsing.folding import Folded, without_unspaced
from slotstate.parsing.found import Found
from slotstate.parsing.language import Cue, Language
from slotstate.parsing.needed import Needs, lacks, needed, united

T = TypeVar("T")

START = r"(?<!\w)"
END = r"(?!\w)"
"""Edges of words in patterns that are read through `edged`, which hides the letters of scripts without spaces."""
_STOP = ",.!?;:…。、~()"
_CLAUSE_START = f"(?:^|(?<=[{_STOP}])|(?<=[{_STOP}] ))"
_CLAUSE_END = f"(?= ?(?:[{_STOP}]|\\Z))"
_PLACEHOLDER = r"\{([a-z_]+)(\d?)\}"


class Hit(NamedTuple, Generic[T]):
    """A match in folded offsets [start, end), with its readings, the likeliest first."""

    start: int
    end: int
    values: tuple[T, ...]


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, compiled when it is first used: importing the package stays cheap."""
    return re.compile(pattern)


class Pattern:
    """A compiled pattern. With `edged`, letters of scripts without spaces are no letters to it: they may stand right
    beside a word of another script ("去Oslo吧"). To leave them out of the text is far cheaper than to leave them out
    of every class in every pattern.
    """

    __slots__ = ("_compiled", "_edged", "_source", "needs")

    def __init__(self, pattern: str, *, edged: bool) -> None:
        self._source = pattern
        self._compiled: re.Pattern[str] | None = None
        self._edged = edged
        self.needs = needed(pattern)
        """Strings one of which every text holds that has a match."""

    @property
    def _pattern(self) -> re.Pattern[str]:
        if self._compiled is None:  # many are never needed
            self._compiled = re.compile(self._source)
        return self._compiled

    def _seen(self, text: str) -> str:
        return text if not self._edged or text.isascii() else without_unspaced(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Every match; offsets are those of `text`."""
        return iter(()) if lacks(text, self.needs) else self.all(text)

    def all(self, text: str) -> Iterator[re.Match[str]]:
        """The same for a text that is known to hold something of what is needed."""
        return self._pattern.finditer(self._seen(text))

    def search(self, text: str, at: int = 0) -> re.Match[str] | None:
        """The first match from `at` on."""
        return None if lacks(text, self.needs) else self._pattern.search(self._seen(text), at)

    def match(self, text: str, at: int = 0) -> re.Match[str] | None:
        """The match that starts at `at`."""
        return self._pattern.match(self._seen(text), at)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """The match of the whole text."""
        return self._pattern.fullmatch(self._seen(text))


@cache
def edged(pattern: str) -> Pattern:
    """The pattern with `START` and `END` in it, compiled when it is first used."""
    return Pattern(pattern, edged=True)


@cache
def plain(pattern: str) -> Pattern:
    """The pattern without such edges, compiled when it is first used."""
    return Pattern(pattern, edged=False)


def longest(hits: Iterable[Hit[T]]) -> list[Hit[T]]:
    """Non-overlapping hits by start; where two overlap, the longer one stays, of equals the earlier one."""
    starts: list[int] = []
    kept: list[Hit[T]] = []
    for hit in sorted(hits, key=lambda hit: (hit.start - hit.end, hit.start)):
        at = bisect_left(starts, hit.start)
        free_left = at == 0 or kept[at - 1].end <= hit.start
        if free_left and (at == len(kept) or kept[at].start >= hit.end):
            starts.insert(at, hit.start)
            kept.insert(at, hit)
    return kept


def publish(text: Folded, hits: Iterable[Hit[T]]) -> list[Found[T]]:
    """The hits as found values, in original offsets."""
    found: list[Found[T]] = []
    for hit in hits:
        span = text.span(hit.start, hit.end)
        # Folding may make several characters of one ("㏤"), so that hits side by side meet in the original.
        if hit.values and (not found or found[-1].span[1] <= span[0]):
            found.append(Found(span, hit.values))
    return found


def distinct(values: Iterable[T]) -> tuple[T, ...]:
    """The values without repeats, in order."""
    return tuple(dict.fromkeys(values))


class Ranges:
    """A set of sorted, non-overlapping ranges that answers whether a range touches it."""

    __slots__ = ("_ends", "_starts")

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        merged: list[tuple[int, int]] = []
        for start, end in sorted(ranges):
            if merged and start < merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        self._starts = [start for start, _ in merged]
        self._ends = [end for _, end in merged]

    def touches(self, start: int, end: int) -> bool:
        at = bisect_right(self._ends, start)
        return at < len(self._starts) and self._starts[at] < end

    def crosses(self, at: int) -> bool:
        """Whether a range begins before `at` and ends after it."""
        index = bisect_right(self._ends, at)
        return index < len(self._starts) and self._starts[index] < at


def either(words: Iterable[str]) -> str:
    """One fragment that matches any of the literal words, the longest first; apostrophes may be left out."""
    ordered = sorted(set(words), key=lambda word: (-len(word), word))
    return "|".join(re.escape(word).replace("'", "'?").replace(r"\ ", " ") for word in ordered) or "(?!)"


def bounded(fragment: str, language: Language) -> str:
    """The fragment as a whole word where the language has words between spaces."""
    return f"{START}(?:{fragment}){END}" if language.spaced else f"(?:{fragment})"


@cache
def words_pattern(fragment: str, *, spaced: bool) -> Pattern:
    """The fragment as whole words where the language has words between spaces."""
    return Pattern(f"{START}(?:{fragment}){END}" if spaced else f"(?:{fragment})", edged=spaced)


@cache
def trap_pattern(traps: tuple[str, ...], language: Language) -> Pattern:
    """The pattern of the phrases of a table in which its forms mean nothing."""
    return Pattern(bounded("|".join(traps) or "(?!)", language), edged=language.spaced)


@cache
def template(form: str, language_code: str) -> Pattern:
    """The compiled template; `{name}` and `{name2}` become the groups `name` and `name2`."""
    language = _by_code()[language_code]
    fragments = _fragments(language_code)
    expanded = compiled(_PLACEHOLDER).sub(lambda place: f"(?P<{place[1]}{place[2]}>{fragments[place[1]]})", form)
    return Pattern(bounded(expanded, language), edged=language.spaced)


def scan(form: str, language: Language, text: str) -> Iterator[re.Match[str]]:
    """Every match of the template in the folded text."""
    if not applies(language, text):
        return iter(())
    return template(form, language.code).finditer(text)


class Forms:
    """Forms of one table, with their kinds: most texts hold nothing that any of them needs."""

    __slots__ = ("_language", "_needs", "_patterns", "_traps")

    def __init__(self, forms: Iterable[tuple[str, str]], language: Language, traps: tuple[str, ...] = ()) -> None:
        patterns = [(kind, template(form, language.code)) for kind, form in forms]
        self._language = language
        self._patterns = [(kind, pattern, frozenset(pattern.needs or ("",))) for kind, pattern in patterns]
        self._needs = frozenset[str]().union(*(needs for _, _, needs in self._patterns))  # "" is in every text
        self._traps = traps

    def scan(self, text: str) -> Iterator[tuple[str, re.Match[str]]]:
        """Every match in the folded text that touches no trap, with its kind."""
        present = set(filter(text.__contains__, self._needs))
        if not present or not applies(self._language, text):
            return
        traps: Ranges | None = None
        for kind, pattern, needs in self._patterns:
            for match in () if needs.isdisjoint(present) else pattern.all(text):
                if traps is None:
                    traps = trap_ranges(self._traps, self._language, text)
                if not traps.touches(*match.span()):
                    yield kind, match


def trap_ranges(traps: tuple[str, ...], language: Language, text: str) -> Ranges:
    """Where phrases stand in the folded text in which the forms of a table mean nothing."""
    return Ranges(match.span() for match in trap_pattern(traps, language).finditer(text)) if traps else Ranges(())


@lru_cache(maxsize=1024)
def applies(language: Language, text: str) -> bool:
    """Whether the text holds anything that this language's table could match."""
    return compiled(language.script).search(text) is not None


@cache
def _by_code() -> dict[str, Language]:
    from slotstate.parsing.languages import LANGUAGES

    return {language.code: language for language in LANGUAGES}


@cache
def _fragments(language_code: str) -> dict[str, str]:
    language = _by_code()[language_code]
    calendar, clock = language.calendar, language.clock
    tables = {
        "month": calendar.months,
        "weekday": calendar.weekdays,
        "weekday_short": calendar.weekdays_short,
        "relative": calendar.relative,
        "week": calendar.week_shift,
        "month_shift": calendar.month_shift,
        "holiday": calendar.holidays,
        "year_shift": calendar.year_shift,
        "part": clock.parts,
        "named": clock.named,
        "minute_word": clock.minutes,
        "unit": language.spans.units,
        "ordinal": language.choices.ordinals,
        "pair": language.choices.pair,
    }
    return {name: either(words) for name, words in tables.items()} | dict(language.fragments)


def _sugar(fragment: str) -> str:
    """`<` and `>` outside of groups such as (?<= and (?P<name> stand for the edges of a clause."""
    opened = re.sub(r"(?<!\?)(?<!\?P)<", lambda _: _CLAUSE_START, fragment)
    return re.sub(r">\Z", lambda _: _CLAUSE_END, opened)


@cache
def cue_pattern(cue: Cue, spaced: bool) -> Pattern:
    """Traps first, so that at one place a trap wins; the group `cue` is set where the cue itself matched."""
    edges = (START, END) if spaced else ("", "")
    traps = "|".join(map(_sugar, cue.traps)) or "(?!)"
    words = "|".join(map(_sugar, cue.words)) or "(?!)"
    pattern = f"{edges[0]}(?:(?:{traps}){edges[1]}|(?P<cue>{words}){edges[1]})".replace("'", "'?")
    return Pattern(pattern, edged=spaced)


@cache
def _cue_needs(cue: Cue) -> Needs:
    """What a text must hold for the cue to stand in it, whatever its traps."""
    return united(needed(_sugar(word).replace("'", "'?")) for word in cue.words)


@lru_cache(maxsize=4096)
def cue_places(cue: Cue, spaced: bool, text: str) -> tuple[tuple[int, int], ...]:
    """Where the cue stands in a folded text, outside its traps. Extraction and decision ask the same of a turn."""
    if lacks(text, _cue_needs(cue)):
        return ()
    return tuple(match.span() for match in cue_pattern(cue, spaced).finditer(text) if match["cue"] is not None)
