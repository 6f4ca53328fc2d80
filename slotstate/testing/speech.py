"""User turns whose meaning is known: sentences made together with the changes that they do, or do not, support."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from slotstate.extract import Change
from slotstate.parsing import find, find_all, fold
from slotstate.slots import DONTCARE, UNSET, Json, SlotSpec
from slotstate.testing.kinds import NOW, accepts
from slotstate.testing.oracle import Oracle
from slotstate.testing.pools import Dice, Pools, chance
from slotstate.testing.probes import (
    ANSWERS,
    KINDS,
    LISTS,
    OBJECTIONS,
    PARTS,
    SCALAR,
    Probe,
    answered,
    fit,
    older,
    quote_of,
)
from slotstate.testing.told import Heard, Told
from slotstate.testing.words import cues, sentence_for
from slotstate.values import Reading, normalise

F = TypeVar("F")
YES: Final = ("Yes please.", "好的。")
NO: Final = ("No thanks.", "不用了。")


@dataclass(frozen=True)
class Speech:
    """A whole user turn: its text, what is proposed, what it means."""

    text: str
    changes: tuple[Change, ...]
    told: tuple[Told, ...]
    plain: str | None = None
    objects: bool = False
    rivals: tuple[str, ...] = ()


class Speaker(Pools):
    """Makes user turns about the slots of `domains`, from a few values a slot."""

    def speech(self, dice: Dice, oracle: Oracle) -> Speech:
        """A turn about some slots, or one that only makes sense alone."""
        if dice.random() < 0.2:
            spec = self.slot(dice)
            return dice.choice(fit(spec, _ALONE))(self, dice, spec) or _compose([])
        made = [self._probe(dice, spec, oracle) for spec in self.slots(dice, 2)]
        return _compose([probe for probe in made if probe is not None])

    def _probe(self, dice: Dice, spec: SlotSpec, oracle: Oracle) -> Probe | None:
        return dice.choice(fit(spec, KINDS))(self, dice, spec, oracle)

    def answer(self, dice: Dice, heard: Heard, oracle: Oracle, silent: bool = False) -> Speech:
        """A bare yes or no to what the assistant just said."""
        plain = dice.choice(["yes", "yes", "no"])
        text = dice.choice(YES if plain == "yes" else NO)
        specs = [] if silent or chance(dice) else self.slots(dice, 2)
        made = [answered(self, dice, spec, text, plain, heard, oracle) for spec in specs]
        open_ones = [
            (path, value)
            for path in self.domains.specs
            for value, turn in oracle.tracks[path].offers
            if turn < heard.turn
        ]
        if open_ones and plain == "yes" and not silent and chance(dice):
            made = [
                older(self.domains.specs[path], value, text, heard, oracle) for path, value in [dice.choice(open_ones)]
            ]
        probes = [probe for probe in made if probe is not None]
        told = tuple(probe.told for probe in probes if probe.told is not None)
        return Speech(text, tuple(probe.change for probe in probes), told, plain, objects=plain == "no")


def _negated(self: Speaker, dice: Dice, spec: SlotSpec) -> Speech | None:
    """A value that the words rule out."""
    value = self.value(spec, dice)
    if spec.kind in {"boolean", "list", "composite", "map"} or value is DONTCARE:
        return None
    quote = quote_of(spec, value, dice)
    text = f"Not {quote}."
    if quote is None or cues(text) & ANSWERS:
        return None
    told = Told("set", spec.path, value, "none")
    return Speech(text, (Change("set", spec.path, value, quote),), (told,), objects=bool(cues(text) & OBJECTIONS))


def _only(self: Speaker, dice: Dice, spec: SlotSpec) -> Speech | None:
    """A list said to be no more than this."""
    value = self.value(spec, dice)
    quote = quote_of(spec, value, dice) if spec.kind == "list" and value is not DONTCARE else None
    if quote is None or cues(f"Only {quote}.") != frozenset({"replace"}):
        return None
    return Speech(
        f"Only {quote}.", (Change("set", spec.path, value, quote),), (Told("set", spec.path, value, replaces=True),)
    )


def _two(self: Speaker, dice: Dice, spec: SlotSpec) -> tuple[Json, str, Json, str] | None:
    pool = self.pools[spec.path]
    if spec.kind in {"list", "map", "composite"} or len(pool) < 2:
        return None
    first, second = quote_of(spec, pool[0], dice), quote_of(spec, pool[1], dice)
    if first is None or second is None or find(first, fold(second)) or find(second, fold(first)):
        return None
    return pool[0], first, pool[1], second


def _corrected(self: Speaker, dice: Dice, spec: SlotSpec) -> Speech | None:
    """A value, and another that corrects it."""
    two = _two(self, dice, spec)
    if two is None:
        return None
    old, first, new, second = two
    text = f"{sentence_for(spec, first)} Sorry, I meant {second}."
    if cues(text) & ANSWERS or "correct" not in cues(text):
        return None
    both = (Change("set", spec.path, old, first), Change("set", spec.path, new, second))
    changes = both if chance(dice) else both[::-1]
    return Speech(text, changes, (Told("set", spec.path, new),), objects=True)


def _rivals(self: Speaker, dice: Dice, spec: SlotSpec) -> Speech | None:
    """Two values, and nothing that tells which of them counts."""
    two = _two(self, dice, spec)
    if two is None or spec.slot.evidence == "tool":
        return None
    old, first, new, second = two
    text = f"{sentence_for(spec, first)} {sentence_for(spec, second)}"
    if cues(text):
        return None
    return Speech(
        text, (Change("set", spec.path, old, first), Change("set", spec.path, new, second)), (), rivals=(spec.path,)
    )


def _afresh(self: Speaker, dice: Dice, spec: SlotSpec) -> Speech | None:
    """A slot cleared and then filled in one breath, proposed in any order: what was said last counts."""
    value = self.value(spec, dice)
    quote, clear = (None if value is DONTCARE else quote_of(spec, value, dice)), f"Forget the {spec.label}"
    if quote is None or cues(clear) != frozenset({"clear"}):
        return None
    text = f"{clear}. {sentence_for(spec, quote)}"
    if cues(text) & (ANSWERS | {"replace"}) or not _once(quote, text):
        return None
    both = (Change("clear", spec.path, UNSET, clear), Change("set", spec.path, value, quote))
    told = (Told("clear", spec.path), Told("set", spec.path, value))
    return Speech(text, both if chance(dice) else both[::-1], told, objects=bool(cues(text) & OBJECTIONS))


def _once(quote: str, text: str) -> bool:
    return len(find_all(quote, fold(text))) == 1


def _start(_: Speaker, __: Dice, spec: SlotSpec) -> Speech | None:
    text = "Let's start over."
    return Speech(text, (Change("start", spec.domain, UNSET, text),), (Told("start", spec.domain),))


Alone = Callable[[Speaker, Dice, SlotSpec], Speech | None]
_ALONE: tuple[tuple[Alone, int, tuple[str, ...]], ...] = (
    (_negated, 1, (SCALAR,)),
    (_corrected, 2, (SCALAR,)),
    (_rivals, 2, (SCALAR,)),
    (_afresh, 2, (SCALAR, LISTS, PARTS)),
    (_only, 3, (LISTS,)),
    (_start, 1, (SCALAR, LISTS, PARTS)),
)


def _compose(probes: Sequence[Probe]) -> Speech:
    """The sentences as one turn, judged by offset; sentences that would answer something are left out."""
    used = [probe for probe in probes if not cues(probe.sentence) & ANSWERS]
    text = " ".join(probe.sentence for probe in used)
    if cues(text) & ANSWERS:
        return _compose(used[:-1])
    text = text or "Hello there."
    signals, folded = cues(text), fold(text)

    def place(probe: Probe) -> tuple[bool, int]:
        where = find(probe.change.quote, folded) if probe.change.quote else None
        return probe.change.op in {"confirm", "deny"}, where[0] if where else -1

    told = [probe.told for probe in sorted(used, key=place) if probe.told is not None]
    return Speech(
        text,
        tuple(probe.change for probe in used),
        tuple(replace(one, replaces="replace" in signals) for one in told),
        objects=bool(signals & OBJECTIONS),
    )


def fitting(spec: SlotSpec, value: Json) -> Json | None:
    """The value in the slot's form, or None where the slot refuses it."""
    return normalise(spec, value, Reading(NOW)) if accepts(spec, value) else None


def shown(change: Change) -> str:
    """A proposed change in one line."""
    value: Mapping[str, str] = {} if change.value is UNSET else {"value": repr(change.value)}
    return f"{change.op} {change.path} {' '.join(value.values())} (quote {change.quote!r})".replace("  ", " ")
