"""What a slot's declaration says about how users speak of it: its names, its concepts, the words around its values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from slotstate.extractors.builtin.lexicon import FAMILIES, Lexicon
from slotstate.extractors.builtin.lexicons import LEXICONS
from slotstate.extractors.builtin.words import END, START
from slotstate.parsing import Span, fold, is_boundary, telling, unspaced
from slotstate.parsing.cues import is_small
from slotstate.parsing.languages import LANGUAGES
from slotstate.parsing.matching import Pattern
from slotstate.slots import Kind, SlotSpec

_TIMES: Final = frozenset(unit for language in LANGUAGES for unit in language.spans.units)
NUMERIC: Final = frozenset({"integer", "number", "decimal"})
_TEXT_FAMILIES = frozenset({"place", "person", "text"})
GENERIC: Final = frozenset({"place", "venue", "name", "code"})
"""Concepts whose words say little: a slot's telling words go before them."""
_TOLD = frozenset({"place", "side", "count", "past", "bound", "price"})
"""Families of which a slot's question and description are evidence too, not only its name."""
_LONGEST_NAME = 6
"""Characters of a description that is no more than a name, in a script without spaces."""
_DECLARED_WORD = 5
"""Shorter words of a question or description are too common to say what a slot is about."""


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """One slot, seen through its declaration. `words` are its label and cues, folded, the longest first; `names` those
    that can name it in a sentence; `cue_words` the cues alone; `stems` the stems of its label's words; `concepts` what
    it is about. `slot` is the path of the slot itself where it is a `field` of a composite, else its own.
    """

    spec: SlotSpec
    words: tuple[str, ...]
    names: tuple[str, ...]
    cue_words: tuple[str, ...]
    stems: frozenset[str]
    concepts: frozenset[str]
    kind: Kind
    path: str
    domain: str
    slot: str
    field: str

    @property
    def counts(self) -> bool:
        """Whether the slot is a number of things."""
        return any(FAMILIES[concept] == "count" for concept in self.concepts)

    def named_by(self, text: str) -> int:
        """The length of the longest name of the slot in a folded text, 0 for none."""
        for name in self.names:
            if has_word(name, text):
                return len(name)
        return 0

    def mentions(self, text: str) -> list[Span]:
        """Where a folded text names the slot."""
        return [span for name in self.names if may_stand(name, text) for span in word_spans(name, text)]

    def is_named_in(self, text: str) -> bool:
        """Whether a folded text names the slot."""
        return any(has_word(name, text) for name in self.names)

    def cues(self, text: str, lexicon: Lexicon) -> Iterator[Span]:
        """Where words stand that introduce a value of the slot."""
        for word in self.words:
            if may_stand(word, text):
                yield from word_spans(word, text)
        for concept in self.concepts:
            yield from (match.span() for match in around(concept, lexicon, after=False).finditer(text))

    def unit_end(self, text: str, at: int, lexicon: Lexicon) -> int | None:
        """Where a unit of the slot ends that starts at `at`, small words aside; None without one."""
        gap = unit_gap(lexicon).match(text, at)
        if gap is None:
            return None
        ends = [
            match.end()
            for concept in self.concepts
            if (match := around(concept, lexicon, after=True).match(text, gap.end()))
        ]
        for name in self.words:
            unit = _uncounted(name)
            end = gap.end() + len(unit)
            counted = lexicon.spaced or len(unit) == 1 or gap.end() == at or name in self.cue_words
            wordy = telling(unit) or (unspaced(unit[:1]) and not is_small(unit))
            if unit and counted and wordy and text.startswith(unit, gap.end()):
                end += text.startswith("s", end)
                ends += [end] if is_boundary(text, end) and (unit not in _TIMES or self.counts) else []
        return max(ends, default=None)


@cache
def _uncounted(name: str) -> str:
    """The thing that a slot counts, by its name ("number of bowls", 碗数)."""
    for lexicon in LEXICONS:
        for word in lexicon.counters:
            bare = name.removeprefix(word) if word.endswith(" ") else name.removesuffix(word)
            if bare != name and bare.strip():
                return bare.strip()
    return name


@lru_cache(maxsize=4096)
def profile(spec: SlotSpec) -> Profile:
    """The profile of a slot."""
    prefixes = {prefix for lexicon in LEXICONS for prefix in lexicon.prefixes}
    words = [word for word in fold(spec.label).text.split() if len(word) > 1 and word not in prefixes]
    names = _names(spec, prefixes)
    telling = tuple(name for name in names if _tells(name))
    domain, name, field = (*spec.path.split("."), "")[:3]
    return Profile(
        spec,
        words=names,
        names=telling,
        cue_words=tuple(fold(cue).text for cue in spec.slot.cues),
        stems=frozenset(map(stem, words)),
        concepts=_concepts(spec),
        kind=spec.kind,
        path=spec.path,
        domain=spec.domain,
        slot=f"{domain}.{name}",
        field=field,
    )


def _tells(name: str) -> bool:
    """Whether a word names something, rather than being a small word ("to", 到)."""
    if any(map(unspaced, name)):
        return len(name) > 1
    return len(name) > 1 and not any(name in lexicon.name_stop or name in lexicon.weak for lexicon in LEXICONS)


def stem(word: str) -> str:
    """A word without its plural ending."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def word_spans(word: str, text: str) -> Iterator[Span]:
    """Where a folded word or phrase stands in a folded text as a whole; plural endings and hyphens aside."""
    source = text.replace("-", " ") if "-" in text and "-" not in word else text
    at = source.find(word)
    while at >= 0:
        end = at + len(word)
        if is_boundary(source, at):
            if is_boundary(source, end):
                yield at, end
            elif source.startswith("s", end) and is_boundary(source, end + 1):
                yield at, end + 1
        at = source.find(word, at + 1)


def may_stand(word: str, text: str) -> bool:
    """Whether it is worth looking for a word in a text: its letters are there, or hyphens may hide them."""
    return word in text or "-" in text


def has_word(word: str, text: str) -> bool:
    """Whether a folded word or phrase stands in a folded text."""
    return may_stand(word, text) and any(True for _ in word_spans(word, text))


@cache
def around(concept: str, lexicon: Lexicon, *, after: bool) -> Pattern:
    """What stands before (or after) a value of a concept in one language."""
    known = lexicon.concepts.get(concept)
    fragments = () if known is None else known.after if after else known.before
    if not fragments:
        return _NEVER
    words = "|".join(fragments)
    if not lexicon.spaced:
        return Pattern(words, edged=False)
    return Pattern(f"(?:{words}){END}" if after else f"{START}(?:{words}){END}", edged=False)


_NEVER: Final = Pattern("(?!)", edged=False)


@cache
def unit_gap(lexicon: Lexicon) -> re.Pattern[str]:
    """What may stand between a value and its unit."""
    return re.compile(lexicon.unit_gap)


@cache
def cue_gap(lexicon: Lexicon) -> re.Pattern[str]:
    """What may stand between a cue and its value."""
    return re.compile(lexicon.gap)


def _names(spec: SlotSpec, prefixes: set[str]) -> tuple[str, ...]:
    label = fold(spec.label).text.strip()
    words = label.split()
    names = {label, *(fold(cue).text.strip() for cue in spec.slot.cues)}
    if len(words) > 1 and words[0] in prefixes:
        names.add(" ".join(words[1:]))
    if len(words) > 1 and any(words[-1] in lexicon.measures for lexicon in LEXICONS):
        names.add(" ".join(words[:-1]))
    names |= _described(spec)
    if spec.kind == "boolean":
        names |= _feature_words(names)
    return tuple(sorted((name for name in names if name), key=lambda name: (-len(name), name)))


def _described(spec: SlotSpec) -> set[str]:
    """The slot's name in a language whose names are few letters, where the description is no more than that."""
    text = fold(spec.description).text.strip(" .。")
    short = 1 < len(text) <= _LONGEST_NAME and all(map(unspaced, text))
    if not short or not any(lexicon.described for lexicon in LEXICONS):
        return set()
    prefix = next((prefix for lexicon in LEXICONS for prefix in lexicon.prefixes if text.startswith(prefix)), "")
    return {text} | ({text[len(prefix) :]} if len(text) - len(prefix) > 1 else set())


def _feature_words(names: set[str]) -> set[str]:
    """Other words for a feature that a yes/no slot is about."""
    return {
        word
        for lexicon in LEXICONS
        for feature, words in lexicon.features.items()
        if any(
            feature in name.split() or name in words or (unspaced(name[:1]) and any(one in name for one in words))
            for name in names
        )
        for other in LEXICONS
        for word in other.features.get(feature, ())
    }


def _families(kind: Kind) -> frozenset[str]:
    match kind:
        case "text" | "phone" | "email":
            return _TEXT_FAMILIES
        case "date" | "datetime":
            return frozenset({"side", "past", "bound"})
        case "time" | "duration":
            return frozenset({"side", "bound"})
        case "integer" | "number" | "decimal" | "money":
            return frozenset({"bound", "count", "price", "order"})
        case "boolean":
            return frozenset({"confirmation"})
        case "categorical":
            return frozenset({"place", "count", "price", "side"})
        case _:
            return frozenset(FAMILIES.values())


def _concepts(spec: SlotSpec) -> frozenset[str]:
    """What the slot is about: by its name and cues, else by its question, else by its description."""
    declared = (" ".join((spec.label, *spec.slot.cues)), spec.slot.ask or "", spec.description)
    hits: dict[str, list[tuple[int, str]]] = {}
    for index, text in enumerate(declared):
        for name, size in _spoken_of(text, _DECLARED_WORD if index else 1).items():
            group = FAMILIES[name]
            if group in _families(spec.kind) and (not index or group in _TOLD):
                hits.setdefault("text" if group in _TEXT_FAMILIES else group, []).append((size, name))
        found = {_best(options) for options in hits.values()}
        if found - GENERIC:
            return frozenset(found)
    return frozenset(_best(options) for options in hits.values())


def _best(options: list[tuple[int, str]]) -> str:
    """The concept that the longest words point at, a telling one before a generic one."""
    return max(options, key=lambda option: (option[1] not in GENERIC, option[0]))[1]


def _spoken_of(text: str, least: int) -> dict[str, int]:
    """The concepts whose words stand in a declaration, with the length of the longest such word."""
    folded = fold(text).text
    loose = folded.replace("-", " ")
    found: dict[str, int] = {}
    for word, name, spaced in _concept_words() if folded.strip() else ():
        short = spaced and len(word) < least and " " not in word
        if not short and word in (folded if "-" in word else loose) and has_word(word, folded):
            found[name] = max(found.get(name, 0), len(word))
    return found


@cache
def _concept_words() -> tuple[tuple[str, str, bool], ...]:
    """Words that stand for a concept in a declaration, with the concept and whether their language has spaces."""
    return tuple(
        (word, name, lexicon.spaced)
        for lexicon in LEXICONS
        for name, concept in lexicon.concepts.items()
        for word in concept.slots
    )
