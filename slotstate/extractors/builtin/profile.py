"""What a slot's declaration says about how users speak of it: its concepts, and the words around its values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from slotstate.extractors.builtin.lexicon import FAMILIES, Lexicon
from slotstate.extractors.builtin.lexicons import LEXICONS
from slotstate.parsing import fold, unspaced
from slotstate.parsing.matching import END, START
from slotstate.slots import Kind, SlotSpec

NUMERIC: Final = frozenset({"integer", "number", "decimal"})
_TEXT_FAMILIES = frozenset({"place", "person", "text"})
_GENERIC = frozenset({"place", "venue", "name", "code"})
_DECLARED_WORD = 5
"""Shorter words of a question or description are too common to say what a slot is about."""


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """One slot, seen through its declaration. `names` are the ways to name it, folded, the longest first; `stems` the
    stems of its name's words; `before` and `after` match the words around a value of it, by language."""

    spec: SlotSpec
    names: tuple[str, ...]
    stems: frozenset[str]
    concepts: frozenset[str]
    before: tuple[tuple[Lexicon, re.Pattern[str]], ...]
    after: tuple[tuple[Lexicon, re.Pattern[str]], ...]
    named: re.Pattern[str]

    @property
    def kind(self) -> Kind:
        """The slot's kind."""
        return self.spec.kind

    @property
    def path(self) -> str:
        """The slot's path."""
        return self.spec.path

    @property
    def domain(self) -> str:
        """The slot's domain."""
        return self.spec.domain


@lru_cache(maxsize=4096)
def profile(spec: SlotSpec) -> Profile:
    """The profile of a slot."""
    names = _names(spec)
    concepts = _concepts(spec)
    return Profile(
        spec=spec,
        names=names,
        stems=frozenset(stem(word) for word in fold(spec.label).text.split() if len(word) > 1),
        concepts=concepts,
        before=tuple(_around(names, concepts, lexicon, after=False) for lexicon in LEXICONS),
        after=tuple(_around(_units(names), concepts, lexicon, after=True) for lexicon in LEXICONS),
        named=re.compile("|".join(bounded(name) for name in names) or "(?!)"),
    )


def stem(word: str) -> str:
    """A word without its plural ending."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def bounded(word: str) -> str:
    """A pattern for a literal word or phrase, as a whole word where its script has words; hyphen, space and plural aside."""
    literal = re.escape(word).replace(r"\ ", "[ -]").replace(r"\-", "[ -]")
    if unspaced(word[:1]) or unspaced(word[-1:]):
        return literal
    plural = "s?" if word[-1:].isalpha() and not word.endswith("s") else ""
    return f"{START}{literal}{plural}{END}"


def _names(spec: SlotSpec) -> tuple[str, ...]:
    label = fold(spec.label).text.strip()
    words = label.split()
    names = {label, *(fold(cue).text.strip() for cue in spec.slot.cues)}
    prefixes = {prefix for lexicon in LEXICONS for prefix in lexicon.prefixes}
    if len(words) > 1 and words[0] in prefixes:
        names.add(" ".join(words[1:]))
    return tuple(sorted((name for name in names if name), key=lambda name: (-len(name), name)))


def _units(names: tuple[str, ...]) -> tuple[str, ...]:
    """What may follow a value as its unit: names of the slot, without the small ones that mean much else."""
    units = {name.removeprefix("number of ").removeprefix("num ") for name in names}
    return tuple(unit for unit in units if len(unit) > 2 or unspaced(unit[:1]))


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
    declared = (
        (" ".join((spec.label, *spec.slot.cues)), 1),
        (spec.slot.ask or "", _DECLARED_WORD),
        (spec.description, _DECLARED_WORD),
    )
    hits: dict[str, list[tuple[int, str]]] = {}
    for text, least in declared:
        for name, size in _spoken_of(text, least).items():
            family = _family(name)
            if family in _families(spec.kind):
                hits.setdefault("text" if family in _TEXT_FAMILIES else family, []).append((size, name))
        found = {_best(options) for options in hits.values()}
        if found - _GENERIC:
            return frozenset(found)
    return frozenset(_best(options) for options in hits.values())


def _family(concept: str) -> str:
    return FAMILIES[concept]


def _best(options: list[tuple[int, str]]) -> str:
    """The concept that the longest words point at, a telling one before a generic one."""
    return max(options, key=lambda option: (option[1] not in _GENERIC, option[0]))[1]


def _spoken_of(text: str, least: int) -> dict[str, int]:
    """The concepts whose words stand in a declaration, with the length of the longest such word."""
    folded = fold(text).text
    found: dict[str, int] = {}
    if not folded.strip():
        return found
    for lexicon in LEXICONS:
        for name, concept in lexicon.concepts.items():
            for word in concept.slots:
                short = lexicon.spaced and len(word) < least and " " not in word
                if not short and word.split()[0] in folded and re.search(bounded(word), folded):
                    found[name] = max(found.get(name, 0), len(word))
    return found


def _around(
    names: tuple[str, ...], concepts: frozenset[str], lexicon: Lexicon, *, after: bool
) -> tuple[Lexicon, re.Pattern[str]]:
    """A pattern for what stands right before (or after) a value of the slot, in one language."""
    literal = [re.escape(name).replace(r"\ ", " ") + ("s?" if lexicon.spaced else "") for name in names]
    own = [one for one, name in zip(literal, names, strict=True) if unspaced(name[:1]) is not lexicon.spaced]
    known = [lexicon.concepts[name] for name in sorted(concepts) if name in lexicon.concepts]
    fragments = [*own, *(part for concept in known for part in (concept.after if after else concept.before))]
    words = "|".join(fragments) or "(?!)"
    edges = (START, END) if lexicon.spaced else ("", "")
    if after:
        return lexicon, re.compile(f"(?:{lexicon.unit_gap})(?:{words}){edges[1]}")
    return lexicon, re.compile(f"{edges[0]}(?P<cue>{words}){lexicon.gap}")
