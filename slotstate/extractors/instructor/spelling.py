"""Whether words say a text, though in another spelling than a model writes it."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from slotstate.parsing import Folded, Found, find_dates, find_numbers, find_times, fold, unspaced
from slotstate.slots import SlotSpec
from slotstate.values import Reading, is_negated

_MAX_TRIES: Final = 1_000
"""Places of a text that are looked at."""
_MAX_GROWTH: Final = 20
"""How many characters a character may become when it is folded, or a word when a model writes it out."""
_MARKS: Final = range(0x0300, 0x0370)
"""Accents, which people leave out; marks of other scripts are letters."""
_PLAIN: Final = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "æ": "ae", "œ": "oe"})


def spelt(spec: SlotSpec, value: str, words: str, reading: Reading) -> bool:
    """Whether `words` say the text: with other accents and punctuation ("malaga", "St Louis"), or a number, a time or a
    date in other words ("two" for "2"). What they negate they do not say, unless the reading has it so.
    """
    if len(value) > _MAX_GROWTH * len(words):  # longer than all that is said: no need to look at it
        return False
    return _bare_in(spec, value, words, reading) or _read_in(spec, value, words, reading)


def scripts(text: str) -> frozenset[str]:
    """The scripts of a text's letters, by their names in Unicode (LATIN, CJK, CYRILLIC, …)."""
    return frozenset(_script(char) for char in set(fold(text).text) if char.isalpha())


@lru_cache(maxsize=4096)
def _script(char: str) -> str:
    return unicodedata.name(char, "?").partition(" ")[0]


@dataclass(frozen=True, slots=True)
class _Bare:
    """A text without accents and all that is neither letter nor digit: `starts` maps where a word begins in it to the
    folded offset of the word.
    """

    text: str
    starts: Mapping[int, int]

    def find(self, wanted: str) -> list[int]:
        """The folded offsets of the first places where it stands as whole words."""
        found: list[int] = []
        at = self.text.find(wanted) if wanted else -1
        for _ in range(_MAX_TRIES):
            if at < 0:
                break
            end = at + len(wanted)
            if at in self.starts and (end in self.starts or end == len(self.text)):
                found.append(self.starts[at])
            at = self.text.find(wanted, at + 1)
        return found


@lru_cache(maxsize=16)
def _bared(words: str) -> _Bare:
    parts: list[str] = []
    starts: dict[int, int] = {}
    end = 0
    for bare, at in _pieces(fold(words)):
        starts[end] = at
        parts.append(bare)
        end += len(bare)
    return _Bare("".join(parts), starts)


def _bare_in(spec: SlotSpec, value: str, words: str, reading: Reading) -> bool:
    wanted = "".join(bare for bare, _ in _pieces(fold(value)))
    folded = fold(words)
    places = (folded.span(at, at + 1)[0] for at in _bared(words).find(wanted))
    return any(reading.negated or not is_negated(spec, folded, at) for at in places)


def _pieces(folded: Folded) -> Iterator[tuple[str, int]]:
    """The words of a text without accents, each with its folded offset; letters of unspaced scripts one by one."""
    text = folded.text
    at = 0
    while at < len(text):
        end = at + 1
        if text[at].isalnum() and not unspaced(text[at]):
            while end < len(text) and (text[end].isalnum() or ord(text[end]) in _MARKS) and not unspaced(text[end]):
                end += 1
        if text[at].isalnum():
            yield _bare(text[at:end]), at
        at = end


def _bare(word: str) -> str:
    if word.isascii():
        return word
    parts = unicodedata.normalize("NFD", word.translate(_PLAIN))
    return unicodedata.normalize("NFC", "".join(char for char in parts if ord(char) not in _MARKS))


def _read_in(spec: SlotSpec, value: str, words: str, reading: Reading) -> bool:
    folded = fold(words)
    for kind in _KINDS:
        own = _read(kind, value, reading)
        if len(own) != 1 or value[slice(*own[0].span)].strip() != value.strip():
            continue
        for found in _read(kind, words, reading):
            if set(own[0].values).isdisjoint(found.values):
                continue
            if reading.negated or not is_negated(spec, folded, *found.span):
                return True
    return False


@lru_cache(maxsize=16)
def _read(kind: str, words: str, reading: Reading) -> tuple[Found[Any], ...]:
    """What a text says of a kind: many values are held against the same words."""
    return tuple(_KINDS[kind](fold(words), reading))


_KINDS: Final[Mapping[str, Callable[[Folded, Reading], Iterable[Found[Any]]]]] = {
    "number": lambda text, _: find_numbers(text),
    "time": lambda text, _: find_times(text),
    "date": lambda text, reading: find_dates(text, reading.now, reading.prefer),
}


__all__ = ["scripts", "spelt"]
