"""Values as words: compared, matched against options, and taken from what a slot holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

from slotstate.extractors.builtin.learned.tokens import stem, tokenize
from slotstate.slots import SlotSpec
from slotstate.state import Held

READ: Final = frozenset({"text", "categorical", "boolean"})
TYPED: Final = frozenset({"date", "time", "datetime", "integer", "number", "decimal", "money", "duration"})
"""Kinds whose parser must make a value of the words."""
MAX_OPTIONS: Final = 60
MAX_RANGE: Final = 40


@lru_cache(maxsize=8192)
def plain(value: str) -> str:
    """A value for comparison: small letters, no marks."""
    return " ".join(re.findall(r"[\w+#]+", value.lower()))


_NUMBER_WORDS: Final = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "nine": "9", "ten": "10", "single": "1", "couple": "2", "both": "2", "zero": "0",
}  # fmt: skip


_ADVERB: Final = re.compile(r"(?<=\w{4})ly\Z")
_BRITISH: Final = ((re.compile(r"(?<=\w{3})tre?\Z"), "ter"), (re.compile(r"(?<=\w{3})our\Z"), "or"))
"""Two ways of spelling: "theatre" and its stem "theatr" are "theater" here."""


@lru_cache(maxsize=8192)
def _met(word: str) -> str:
    """A word as it is compared: its stem, "moderately" as "moderate", spelt in one way, a number word as digits."""
    word = word.lower()
    if word in _NUMBER_WORDS:
        return _NUMBER_WORDS[word]
    found = stem(_ADVERB.sub("", word))
    for ending, other in _BRITISH:
        found = ending.sub(other, found)
    return found


@lru_cache(maxsize=1024)
def stems_of(text: str) -> tuple[str, ...]:
    """The stems of a text's words, number words as digits."""
    return tuple(_NUMBER_WORDS.get(token.text.lower(), stem(token.text)) for token in tokenize(text))


@lru_cache(maxsize=1024)
def met_in(text: str) -> tuple[str, ...]:
    """The words of a text as those of options are compared with them."""
    return tuple(_met(token.text) for token in tokenize(text))


@lru_cache(maxsize=8192)
def option_words(option: str) -> tuple[str, ...]:
    """An option's words as they are compared."""
    words = re.findall(r"[A-Za-z0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", option))
    return tuple(word.lower() if word.lower() in _NUMBER_WORDS else _met(word) for word in words)


def option_match(option: str, words: Sequence[str], known: frozenset[str]) -> float:
    """How much of an option stands in a text: 1 for all of it in a row, below that the share of its words."""
    parts = option_words(option)
    size = len(parts)
    if size > 1 and "".join(parts) in known:  # "guesthouse" for "guest house"
        return 1.0
    if known.isdisjoint(parts):
        return 0.0
    if size == 1 or any(tuple(words[i : i + size]) == parts for i in range(len(words) - size + 1)):
        return 1.0
    return 0.8 * sum(part in known for part in parts) / size


def might_match(option: str, known: frozenset[str]) -> bool:
    """Whether any of the words of an option stands in a text."""
    parts = option_words(option)
    return not known.isdisjoint(parts) or "".join(parts) in known


@lru_cache(maxsize=1024)
def singles_of(text: str) -> tuple[str, ...]:
    """The words of a text, plural endings aside: "check" is not "checking" here."""
    return tuple(_single(token.text) for token in tokenize(text))


@lru_cache(maxsize=8192)
def _single(word: str) -> str:
    word = word.lower()
    return (
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else _NUMBER_WORDS.get(word, word)
    )


@lru_cache(maxsize=8192)
def _option_singles(option: str) -> tuple[str, ...]:
    return tuple(map(_single, re.findall(r"[A-Za-z0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", option))))


def stands_exactly(option: str, words: Sequence[str]) -> bool:
    """Whether an option's words stand in a row among words as `singles_of` gives them."""
    parts = _option_singles(option)
    size = len(parts)
    return (
        bool(parts)
        and parts[0] in words
        and any(tuple(words[i : i + size]) == parts for i in range(len(words) - size + 1))
    )


_NUMERAL: Final = {word: int(number) for word, number in _NUMBER_WORDS.items() if word != "both"} | {
    "a": 1, "an": 1, "few": 3, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20
}  # fmt: skip
_AGO: Final = re.compile(r"\b(\w{1,8}) years? (?:ago|back|earlier)\b")
_COUNT: Final = re.compile(r"[0-9]{1,3}")
_LAST: Final = re.compile(r"\b(this|last|previous) year\b")
_SHORT: Final = re.compile(r"(?<![\w'])'(\d\d)\b")


def years_told(text: str, this: int) -> frozenset[str]:
    """The years that a text tells without naming them: "seven years ago", "last year", "'14"."""
    said = text.lower()
    counts = [_NUMERAL.get(word) or (int(word) if _COUNT.fullmatch(word) else None) for word in _AGO.findall(said)]
    found = {this - count for count in counts if count is not None}
    found |= {this - (which != "this") for which in _LAST.findall(said)}
    for short in _SHORT.findall(said.replace("\u2019", "'")):
        century = this // 100 * 100
        found.add(century + int(short) if century + int(short) <= this + 10 else century - 100 + int(short))
    return frozenset(map(str, found))


NOTHING: Final = frozenset({"none", "no", "0", "nothing"})
"""Options, in small letters, that stand for having none of what the slot is about."""
_NEGATIONS: Final = frozenset({"no", "without", "not", "don't", "doesn't", "zero", "0", "any"})

_SAYINGS: Final = frozenset(map(stem, "idea clue doubt problem worries wonder thanks".split()))
"""What is there none of in sayings that deny nothing: "no idea what the subtitles are"."""


def is_without(words: Sequence[str], about: Sequence[str], reach: int = 4) -> bool:
    """Whether stems of a text say that there is none of what other stems are about: "no subtitles". Those stand at most
    `reach` words behind the negation.
    """
    meant = {one.removesuffix("e") for one in about}  # "subtitles" has lost its "e", "subtitle" has not
    return any(
        word in _NEGATIONS
        and not _SAYINGS.intersection(words[place + 1 : place + 2])
        and any(one.removesuffix("e") in meant for one in words[place + 1 : place + reach + 1])
        for place, word in enumerate(words)
    )


@lru_cache(maxsize=4096)
def options_for(spec: SlotSpec) -> tuple[str, ...] | None:
    """The values that a slot can hold, where they are few."""
    if spec.kind == "boolean":
        return ("True", "False")
    if spec.kind == "categorical":
        return tuple(str(option) for option in spec.options[:MAX_OPTIONS])
    if spec.kind == "integer":
        least, most = _range(spec)
        return tuple(map(str, range(least, most + 1))) if 0 <= most - least < MAX_RANGE else None
    return None


def _range(spec: SlotSpec) -> tuple[int, int]:
    """The limits of a whole number; a wide range where there are none."""
    limits = dict(_limits(spec.model.model_fields["value"].metadata))
    least = limits.get("ge", limits.get("gt", 0))
    most = limits.get("le", limits.get("lt", least + 2 * MAX_RANGE))
    return int(least), int(most)


def _limits(metadata: Iterable[Any]) -> Iterator[tuple[str, float]]:
    for one in metadata:
        for name in ("ge", "gt", "le", "lt"):
            if isinstance(limit := getattr(one, name, None), int | float):
                yield name, limit + (name == "gt") - (name == "lt")


def held_words(spec: SlotSpec | None, held: Held) -> str:
    """What is held, in the words that it came from where its form is another."""
    typed = spec is not None and spec.kind in TYPED and options_for(spec) is None
    return held.raw if typed and held.raw else told(held.value)


def items_of(value: Any) -> list[str]:
    """The items of what a list holds, as words."""
    return [told(one) for one in value] if isinstance(value, list | tuple) else [told(value)]


def told(value: Any) -> str:
    """A value as words."""
    if isinstance(value, list | tuple):
        return ", ".join(map(told, value))
    if isinstance(value, bool):
        return "True" if value else "False"
    return str(value)
