"""Which of many domains a text speaks of: by the words that they are declared with, in any language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import groupby
from typing import Final

from slotstate.domains import Domain
from slotstate.parsing import fold, is_small, unspaced
from slotstate.slots import SlotSpec

MAX_OPTIONS: Final = 200
"""Options of one slot whose words count."""
MAX_CHARS: Final = 600
"""Characters of a description that count."""
NAME: Final = 3.0
SLOT: Final = 1.5
TOLD: Final = 0.5
"""What a word weighs in the name of a domain, in what a slot is called, asked for by or holds, and in a description."""
_RUN: Final = re.compile(r"[^\W_]+")
_CASES: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|_")


def relevance(domains: tuple[Domain, ...], *texts: str) -> list[float]:
    """How much texts speak of each domain: the sum of what their words weigh in its declaration, less the more domains
    have a word. 0 where none of its words is there.
    """
    known, total = _index(domains), [0.0] * len(domains)
    for word in {word for text in texts for word in _words(text)}:
        for place, weight in known.get(word, ()):
            total[place] += weight
    return total


@lru_cache(maxsize=64)
def _index(domains: tuple[Domain, ...]) -> Mapping[str, tuple[tuple[int, float], ...]]:
    """By word the domains that it is declared in, by number, and what it weighs there."""
    found: dict[str, dict[int, float]] = {}
    for place, domain in enumerate(domains):
        for weight, text in _declared(domain):
            for word in _words(_CASES.sub(" ", text)):
                weights = found.setdefault(word, {})
                weights[place] = max(weights.get(place, 0.0), weight)
    return {
        word: tuple((place, weight / len(weights) ** 2) for place, weight in weights.items())
        for word, weights in found.items()
    }


def _declared(domain: Domain) -> Iterator[tuple[float, str]]:
    yield NAME, domain.name
    yield TOLD, domain.description[:MAX_CHARS]
    for spec in domain.slots.values():
        yield from _slot(spec)


def _slot(spec: SlotSpec) -> Iterator[tuple[float, str]]:
    owner = spec.item or spec
    yield from ((SLOT, text) for text in (spec.label, *spec.slot.cues))
    yield from ((SLOT, str(option)) for option in owner.options[:MAX_OPTIONS] if not isinstance(option, bool))
    yield from ((SLOT, word) for words in list(spec.slot.aliases.values())[:MAX_OPTIONS] for word in words)
    yield from ((TOLD, text) for text in (spec.description[:MAX_CHARS], spec.slot.ask or ""))


def _words(text: str) -> Iterator[str]:
    """The words of a text, plural endings aside; where words are not set apart, every two characters that follow each
    other. Numbers and small words tell of no domain.
    """
    for found in _RUN.findall(fold(text).text):
        for together, letters in groupby(found, unspaced):
            run = "".join(letters)
            if together:
                yield from (run[at : at + 2] for at in range(max(1, len(run) - 1)))
            elif not run.isdigit() and not is_small(run):
                yield run[:-1] if len(run) > 3 and run.endswith("s") else run
