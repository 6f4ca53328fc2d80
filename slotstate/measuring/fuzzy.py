"""How alike two texts are, as the evaluation of SGD counts it: `token_sort_ratio` of fuzzywuzzy 0.18."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_LATIN_1: Final = dict.fromkeys(range(128, 256))
"""Letters that fuzzywuzzy leaves out before it compares."""


@lru_cache(maxsize=65_536)
def token_sort_ratio(one: str, other: str) -> int:
    """From 0 to 100: how alike the words of two texts are, their order and letter case aside.

    Each text loses what is no letter, digit or underscore, is lowered, and its words are sorted; then
    200 x (longest common subsequence) / (both lengths), rounded. Two equal texts, empty ones included, are 100 alike.
    """
    first, second = _sorted_words(one), _sorted_words(other)
    if first == second:
        return 100
    return round(200 * _common(first, second) / (len(first) + len(second)))


def _sorted_words(text: str) -> str:
    plain = re.sub(r"\W", " ", text.translate(_LATIN_1)).lower()
    return " ".join(sorted(plain.split()))


def _common(one: str, other: str) -> int:
    """The length of the longest common subsequence, a column of the table in the bits of one number."""
    places: dict[str, int] = {}
    for index, letter in enumerate(one):
        places[letter] = places.get(letter, 0) | 1 << index
    full = (1 << len(one)) - 1
    column = full
    for letter in other:
        matched = column & places.get(letter, 0)
        column = ((column + matched) | (column - matched)) & full
    return len(one) - column.bit_count()
