"""A few values for every slot, and which slots a conversation is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import strategies as st

from slotstate.domains import Domains
from slotstate.slots import DONTCARE, Json, SlotSpec
from slotstate.testing.kinds import looks, values

Dice = Random
KNOWN: Final = 40


def chance(dice: Dice) -> bool:
    """Heads or tails."""
    return dice.random() < 0.5


class Pools:
    """The values that a conversation over `domains` plays with: few, so that they meet again."""

    def __init__(self, domains: Domains, known: Mapping[str, Sequence[Json]], turn: int) -> None:
        self.domains = domains
        self.topic = list(domains.specs)
        self.pools = {path: _few(found, turn) for path, found in known.items()}

    def slot(self, dice: Dice) -> SlotSpec:
        """One of the slots that this conversation is about."""
        return self.domains.specs[dice.choice(self.topic)]

    def slots(self, dice: Dice, most: int) -> list[SlotSpec]:
        """Some of them."""
        paths = dice.sample(self.topic, min(dice.randint(1, most), len(self.topic)))
        return [self.domains.specs[path] for path in paths]

    def value(self, spec: SlotSpec, dice: Dice) -> Any:
        """One of the slot's few values."""
        pool = self.pools[spec.path]
        if spec.slot.dont_care and dice.random() < 0.15:
            return DONTCARE
        if spec.kind != "list":
            return dice.choice(pool)
        return dice.sample(pool, min(dice.randint(1, 2), len(pool)))

    def part(self, spec: SlotSpec, dice: Dice) -> str | None:
        """The name of a part of a composite, or sometimes the whole."""
        return dice.choice([None, *spec.fields]) if spec.kind == "composite" else None


def known_values(domains: Domains) -> dict[str, list[Json]]:
    """Some values of every slot; of a list, some items. The same ones each time, so that failures can be told again."""
    found: dict[str, dict[str, Json]] = {path: {} for path in domains.specs}

    @settings(
        max_examples=KNOWN,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
        verbosity=Verbosity.quiet,
    )
    @given(st.data())
    def collect(data: st.DataObject) -> None:
        for path, spec in domains.specs.items():
            value = data.draw(values(spec.element if spec.kind == "list" else spec))
            found[path].setdefault(looks(value), value)

    collect()
    return {path: list(values.values()) for path, values in found.items()}


def _few(found: Sequence[Json], turn: int) -> list[Json]:
    """Two or three of the known values, others at each turn of the wheel."""
    size = min(len(found), 2 + turn % 2)
    return [found[(turn * 2 + index) % len(found)] for index in range(size)]
