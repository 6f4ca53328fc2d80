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


@lru_cache(maxsize=1024)
def stems_of(text: str) -> tuple[str, ...]:
    """The stems of a text's words, number words as digits."""
    return tuple(_NUMBER_WORDS.get(token.text.lower(), stem(token.text)) for token in tokenize(text))


@lru_cache(maxsize=8192)
def option_words(option: str) -> tuple[str, ...]:
    """The stems of an option's words."""
    return tuple(stem(word) for word in re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", option).lower()))


def option_match(option: str, words: Sequence[str], known: frozenset[str]) -> float:
    """How much of an option stands in a text: 1 for all of it in a row, below that the share of its words."""
    parts = option_words(option)
    if not parts or not known.intersection(parts):
        return 0.0
    size = len(parts)
    if size == 1 or any(tuple(words[i : i + size]) == parts for i in range(len(words) - size + 1)):
        return 1.0
    return 0.8 * sum(part in known for part in parts) / size


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


def told(value: Any) -> str:
    """A value as words."""
    if isinstance(value, bool):
        return "True" if value else "False"
    return str(value)
