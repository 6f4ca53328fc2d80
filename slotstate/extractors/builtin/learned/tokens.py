"""Words of an English text with their places, as the learned models see them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(r"[A-Za-zÀ-ɏ]+(?:'[a-z]+)?|\d+|[\u3400-\u9fff]|[^\w\s]|[^\W\d_\u3400-\u9fff]+")
_DIGIT: Final = re.compile(r"\d")
_STOP: Final = frozenset(
    "a an the of or and to in on at by for from with is are be it its that this these those whether if which where "
    "when what who any indicating flag boolean would will can should their there into as".split()
)


class Token(NamedTuple):
    """A word or mark with its place; `key` is its lower form, digits made alike."""

    text: str
    key: str
    start: int
    end: int


@lru_cache(maxsize=512)
def tokenize(text: str) -> tuple[Token, ...]:
    """The words and marks of a text."""
    return tuple(
        Token(one, key_of(one), match.start(), match.end()) for match in _TOKEN.finditer(text) if (one := match.group())
    )


@lru_cache(maxsize=8192)
def key_of(word: str) -> str:
    """A word as the models know it."""
    return _DIGIT.sub("0", word.lower())


@lru_cache(maxsize=8192)
def shape_of(word: str) -> str:
    """A word's shape: capitals, small letters, digits, runs cut to two."""
    out: list[str] = []
    for char in word[:12]:
        kind = "X" if char.isupper() else "x" if char.islower() else "0" if char.isdigit() else char
        if len(out) < 2 or out[-1] != kind or out[-2] != kind:
            out.append(kind)
    return "".join(out)


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A word without its commonest endings: enough to let "bookings" meet "booking"."""
    word = word.lower()
    for ending, rest in (("ies", "y"), ("ing", ""), ("es", ""), ("ed", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: len(word) - len(ending)] + rest
    return word


@lru_cache(maxsize=4096)
def content(text: str) -> tuple[str, ...]:
    """The stems of the words of a text that tell something, each once, in order."""
    words = re.findall(r"[a-z]+|\d+|[\u3400-\u9fff]", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower())
    return tuple(dict.fromkeys(stem(word) for word in words if word not in _STOP))
