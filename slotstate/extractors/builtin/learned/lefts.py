"""What the hashed models see: of a stretch in its text, of a turn, of a slot, an option, a domain."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

from slotstate.domains import Domain
from slotstate.extractors.builtin.learned.hashing import ids
from slotstate.extractors.builtin.learned.nearness import senses, sorts_of, topics
from slotstate.extractors.builtin.learned.tagger import Stretch
from slotstate.extractors.builtin.learned.tokens import Token, content, key_of, shape_of, stem, tokenize
from slotstate.slots import SlotSpec

MAX_TURN: Final = 60
"""Tokens of a turn that its features are taken from, from its end."""


def stretch_features(tokens: Sequence[Token], one: Stretch, speaker: str) -> list[str]:
    """A stretch in its context."""
    before = [token.key for token in tokens[max(0, one.first - 6) : one.first]]
    after = [token.key for token in tokens[one.last : one.last + 4]]
    last = ["", "", "", *before]
    found = [
        speaker,
        f"k{one.kind}",
        f"{speaker}-1{last[-1]}",
        f"-1{last[-1]}",
        f"-2{last[-2]} {last[-1]}",
        f"-3{last[-3]} {last[-2]} {last[-1]}",
        f"+1{after[0] if after else ''}",
        f"+2{' '.join(after[:2])}",
        f"s{''.join(shape_of(token.text) for token in tokens[one.first : one.last][:3])}",
        f"{speaker}k{one.kind}",
    ]
    found += [f"c{stem(word)}" for word in before]
    found += [f"a{stem(word)}" for word in after]
    found += [f"v{stem(token.key)}" for token in tokens[one.first : one.last][:5]]
    return found


@lru_cache(maxsize=256)
def turn_features(text: str, speaker: str) -> tuple[str, ...]:
    """The words of a turn, alone and in pairs."""
    words = [stem(token.key) for token in tokenize(text)[-MAX_TURN:]]
    pairs = [f"{one} {two}" for one, two in pairwise(words)]
    start = " ".join(words[:3])
    return tuple(dict.fromkeys([speaker, f"{speaker}{len(words) // 3}", f"^{start}", *words, *pairs]))


@lru_cache(maxsize=4096)
def slot_features(spec: SlotSpec) -> tuple[str, ...]:
    """A slot by the words of its name, description, cues and question."""
    name = content(spec.label)
    told = content(" ".join([spec.description[:400], spec.slot.ask or "", *spec.slot.cues]))
    words = dict.fromkeys([*name, *told])
    kind = spec.kind if spec.kind in {"categorical", "boolean"} else "text"
    sorts = sorted(sorts_of(spec))
    meant = dict.fromkeys(sense for word in name for sense in senses(word)[1:])
    return (
        "b",
        f"k{kind}",
        *(f"K{sort}" for sort in sorts),
        *(f"n{word}" for word in name),
        *(f"n{sense}" for sense in meant),
        *words,
    )


@lru_cache(maxsize=4096)
def option_features(spec: SlotSpec, option: str) -> tuple[str, ...]:
    """An option of a slot: its words, alone and with each word of the slot's name."""
    words = content(option) or (key_of(option),)
    name = content(spec.label)
    aliases = content(" ".join(spec.slot.aliases.get(option, ())))
    return (
        "b",
        f"o{' '.join(words)}",
        *(f"n{word}" for word in name),
        *words,
        *aliases,
        *(f"{word}/{part}" for word in words for part in name),
    )


@lru_cache(maxsize=1024)
def domain_features(domain: Domain) -> tuple[str, ...]:
    """A domain by the words of its name and description."""
    name = content(domain.name.replace("_", " "))
    meant = dict.fromkeys(f"n{sense}" for word in name for sense in topics(word)[1:])
    return ("b", *meant, *dict.fromkeys([*name, *content(domain.description[:800])]))


@lru_cache(maxsize=8192)
def _ids(features: tuple[str, ...]) -> Any:
    return ids(features)


def numbers(features: Sequence[str]) -> Any:
    """The numbers of features."""
    return _ids(features) if isinstance(features, tuple) else ids(features)
