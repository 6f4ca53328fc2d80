"""Changes about one slot, each with a sentence and with what the oracle is to know of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from pydantic_core import to_json

from slotstate.events import Op
from slotstate.extract import Change
from slotstate.slots import DONTCARE, UNSET, Json, SlotSpec
from slotstate.testing.kinds import refused
from slotstate.testing.oracle import Oracle
from slotstate.testing.pools import Dice, Pools, chance
from slotstate.testing.told import Heard, Told
from slotstate.testing.words import cues, repeats, sayings, sentence_for

F = TypeVar("F")
VAGUE: Final = ("As my cousin described", "The same as they had", "Think of the lighthouse", "老样子")
UNSAID: Final = ("Zanzibar by moonlight", "forty-two thousand elephants", "没说过的话")
ANSWERS: Final = frozenset({"affirm", "choice", "ask"})
OBJECTIONS: Final = frozenset({"refuse", "correct", "hesitate"})


@dataclass(frozen=True)
class Probe:
    """A sentence, the change that is proposed for it, and what the oracle is told, if a slot is meant."""

    sentence: str
    change: Change
    told: Told | None = None


def quote_of(spec: SlotSpec, value: Any, dice: Dice, frame: str = "") -> str | None:
    """Words that say the value and signal nothing else."""
    if value is DONTCARE:
        return "I don't mind"
    fit = [words for words in sayings(spec, value) if not cues(frame or sentence_for(spec, words)) and not cues(words)]
    return dice.choice(fit) if fit else None


def _value_told(spec: SlotSpec, value: Any, part: str | None) -> tuple[str, Any, Any]:
    """Path and value as proposed, and the value as it is told: a part goes into its composite."""
    if part is None or value is DONTCARE or part not in value:
        return spec.path, value, value
    return f"{spec.path}.{part}", value[part], {part: value[part]}


def _op_of(spec: SlotSpec, dice: Dice) -> Op:
    return dice.choice(("set", "add")) if spec.kind == "list" else "set"


def _said(pools: Pools, dice: Dice, spec: SlotSpec, _: Oracle) -> Probe | None:
    path, value, told = _value_told(spec, pools.value(spec, dice), pools.part(spec, dice))
    quote = quote_of(spec, told, dice)
    if quote is None:
        return None
    op = "set" if value is DONTCARE else _op_of(spec, dice)
    sentence = f"{quote}." if value is DONTCARE else sentence_for(spec, quote)
    return Probe(sentence, Change(op, path, value, quote), Told(op, spec.path, told))


def _meant(pools: Pools, dice: Dice, spec: SlotSpec, oracle: Oracle) -> Probe | None:
    path, value, told = _value_told(spec, pools.value(spec, dice), pools.part(spec, dice))
    quote = dice.choice(VAGUE)
    if value is not DONTCARE and _may_say(spec, told, quote):
        return None
    op = "set" if value is DONTCARE else _op_of(spec, dice)
    if (
        spec.slot.evidence == "user"
        and value is not DONTCARE
        and oracle.heard
        and _in_last(spec, told, oracle.heard, oracle)
    ):
        return None  # it may come from the offer, which does not count here
    return Probe(f"{quote}.", Change(op, path, value, quote), Told(op, spec.path, told, "meant"))


def _may_say(spec: SlotSpec, value: Json, words: str) -> bool:
    return repeats(spec, to_json(value).decode(), words) or (
        spec.kind == "boolean" and repeats(spec, to_json(not value).decode(), words)
    )


def _in_last(spec: SlotSpec, value: Json, heard: Heard, oracle: Oracle) -> bool:
    """Whether a value stands in the assistant's last turn."""
    return value in oracle.offered(heard, spec.path) or repeats(spec, to_json(value).decode(), heard.text)


def _unsupported(pools: Pools, dice: Dice, spec: SlotSpec, _: Oracle) -> Probe:
    """A sensible change without a quote, or with one that was never said."""
    ops: tuple[Op, ...] = ("set", "clear", "undo", "deny", "confirm", "exclude")
    op = dice.choice(ops)
    value = pools.value(spec, dice) if op in {"set", "exclude"} else UNSET
    quote = dice.choice((None, "", *UNSAID))
    return Probe("It is a fine day.", Change(op, spec.path, value, quote), Told(op, spec.path, None, "none"))


def _impossible(_: Pools, dice: Dice, spec: SlotSpec, __: Oracle) -> Probe:
    """A value that the slot refuses, or null, with words that were said."""
    value = None if dice.random() < 0.3 else dice.choice(refused(spec))
    quote = dice.choice(VAGUE)
    return Probe(f"{quote}.", Change("set", spec.path, value, quote), Told("set", spec.path, None, "none"))


def _misplaced(pools: Pools, dice: Dice, spec: SlotSpec, _: Oracle) -> Probe:
    """A slot or domain that does not exist, or an operation that the slot has no use for."""
    quote = dice.choice(VAGUE)
    paths = (f"{spec.path}_x", f"{spec.domain}x.{spec.name}", spec.domain, f"{spec.path}.no such field", "", ".")
    known = set(pools.domains.specs) | {one.name for one in pools.domains.specs.values()}
    path = dice.choice([path for path in paths if path not in known and not (spec.kind == "map" and "such" in path)])
    return Probe(f"{quote}.", Change("set", path, pools.value(spec, dice), quote))


def _cleared(pools: Pools, dice: Dice, spec: SlotSpec, _: Oracle) -> Probe | None:
    part, meant = pools.part(spec, dice), chance(dice)
    label = (part or spec.name).replace("_", " ")
    quote = dice.choice(VAGUE) if meant else f"Forget the {label}"
    if not meant and cues(quote) != frozenset({"clear"}):
        return None
    path = spec.path if part is None else f"{spec.path}.{part}"
    return Probe(
        f"{quote}.",
        Change("clear", path, UNSET, quote),
        Told("clear", spec.path, None, "meant" if meant else "said", part),
    )


def _known(pools: Pools, dice: Dice, spec: SlotSpec, oracle: Oracle) -> Any:
    """What the slot holds, or another of its values."""
    track = oracle.tracks[spec.path]
    return track.kept.value if track.held and dice.random() < 0.7 else pools.value(spec, dice)


def _excluded(pools: Pools, dice: Dice, spec: SlotSpec, oracle: Oracle) -> Probe | None:
    value, meant = _known(pools, dice, spec, oracle), chance(dice)
    inner = spec.element if spec.kind == "list" else spec
    value = value[0] if spec.kind == "list" and value is not DONTCARE else value
    if value is DONTCARE or spec.kind in {"composite", "map"}:
        return None
    words = dice.choice(VAGUE) if meant else quote_of(inner, value, dice)
    if words is None or (meant and _may_say(inner, value, words)) or (not meant and spec.kind == "boolean"):
        return None
    quote = words if meant else f"Not {words}"
    if cues(f"{quote}.") & (ANSWERS | OBJECTIONS):
        return None
    return Probe(
        f"{quote}.",
        Change("exclude", spec.path, value, quote),
        Told("exclude", spec.path, value, "meant" if meant else "said"),
    )


def _removed(pools: Pools, dice: Dice, spec: SlotSpec, oracle: Oracle) -> Probe | None:
    value = _known(pools, dice, spec, oracle)
    words = quote_of(spec, value, dice) if spec.kind == "list" and value is not DONTCARE else None
    quote = f"Remove {words}"
    if words is None or not {"remove"} <= cues(f"{quote}.") <= {"remove", "clear"}:
        return None
    return Probe(f"{quote}.", Change("remove", spec.path, value, quote), Told("remove", spec.path, value))


def _taken_back(_: Pools, dice: Dice, spec: SlotSpec, __: Oracle) -> Probe | None:
    meant = chance(dice)
    quote = dice.choice(VAGUE) if meant else f"Undo the {spec.label}"
    if not meant and cues(quote) != frozenset({"undo"}):
        return None
    return Probe(
        f"{quote}.",
        Change("undo", spec.path, UNSET, quote),
        Told("undo", spec.path, None, "meant" if meant else "said"),
    )


def _denied(_: Pools, dice: Dice, spec: SlotSpec, __: Oracle) -> Probe:
    quote = dice.choice(VAGUE)
    return Probe(f"{quote}.", Change("deny", spec.path, UNSET, quote), Told("deny", spec.path))


Kind = Callable[[Pools, Dice, SlotSpec, Oracle], Probe | None]


def _approved(_: Pools, dice: Dice, spec: SlotSpec, oracle: Oracle) -> Probe:
    """A confirmation in words that name nothing: it counts for what the assistant asked for or repeated."""
    quote = dice.choice(VAGUE)
    return Probe(f"{quote}.", Change("confirm", spec.path, UNSET, quote), Told("confirm", spec.path))


def _hopeless(pools: Pools, dice: Dice, spec: SlotSpec, oracle: Oracle) -> Probe | None:
    """A change that cannot count."""
    kinds: tuple[Kind, ...] = (_unsupported, _impossible, _misplaced)
    return dice.choice(kinds)(pools, dice, spec, oracle)


SCALAR, LISTS, PARTS = "scalar", "list", "parts"
KINDS: tuple[tuple[Kind, int, tuple[str, ...]], ...] = (
    (_said, 4, (SCALAR, LISTS, PARTS)),
    (_meant, 4, (SCALAR, LISTS, PARTS)),
    (_excluded, 4, (SCALAR, LISTS)),
    (_removed, 3, (LISTS,)),
    (_cleared, 2, (SCALAR, LISTS, PARTS)),
    (_taken_back, 3, (SCALAR, LISTS, PARTS)),
    (_hopeless, 3, (SCALAR, LISTS, PARTS)),
    (_denied, 1, (SCALAR, LISTS, PARTS)),
    (_approved, 1, (SCALAR, LISTS, PARTS)),
)


def fit(spec: SlotSpec, weighed: Sequence[tuple[F, int, tuple[str, ...]]]) -> list[F]:
    """What makes sense for a slot of this kind, each as often as its weight says."""
    shape = LISTS if spec.kind == "list" else PARTS if spec.kind in {"composite", "map"} else SCALAR
    return [one for one, weight, shapes in weighed for _ in range(weight) if shape in shapes]


def answered(
    pools: Pools, dice: Dice, spec: SlotSpec, text: str, plain: str, heard: Heard, oracle: Oracle
) -> Probe | None:
    """What an extractor may propose for a bare yes or no."""
    op = dice.choice(("set", "set", "confirm", "deny"))
    track = oracle.tracks[spec.path]
    if op == "confirm":
        grade = "said" if plain == "yes" else "none"
        return Probe(text, Change("confirm", spec.path, UNSET, text), Told("confirm", spec.path, None, grade))
    if op == "deny":
        grade = "said" if plain == "no" else "none"
        return Probe(text, Change("deny", spec.path, UNSET, text), Told("deny", spec.path, None, grade))
    known = [*oracle.offered(heard, spec.path), *(value for value, _ in track.offers)]
    value = dice.choice(known) if known and chance(dice) else pools.value(spec, dice)
    how = None if value is DONTCARE else _answer_grade(spec, value, plain, heard, oracle)
    return (
        None if how is None else Probe(text, Change("set", spec.path, value, text), Told("set", spec.path, value, how))
    )


def older(spec: SlotSpec, value: Json, text: str, heard: Heard, oracle: Oracle) -> Probe | None:
    """An offer from before the assistant's last turn, taken up by a bare yes."""
    grade = _answer_grade(spec, value, "yes", heard, oracle)
    return (
        None
        if grade is None
        else Probe(text, Change("set", spec.path, value, text), Told("set", spec.path, value, grade))
    )


def _answer_grade(spec: SlotSpec, value: Json, plain: str, heard: Heard, oracle: Oracle) -> str | None:
    """How well a bare answer supports a value; None where that is a matter of taste."""
    if spec.kind == "boolean":
        return None if spec.path not in heard.asks else "said" if value is (plain == "yes") else "none"
    if _in_last(spec, value, heard, oracle):
        return "accepted" if plain == "yes" else "none"
    if plain == "yes" and value in [offered for offered, _ in oracle.tracks[spec.path].offers]:
        return "older"
    return "none" if plain == "yes" and spec.kind != "categorical" else None
