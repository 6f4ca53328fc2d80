"""User turns whose meaning is known: sentences made together with the changes that they do, or do not, support."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final, TypeVar

from hypothesis import Phase, Verbosity, given, settings
from hypothesis import strategies as st
from pydantic_core import to_json

from slotstate.domains import Domains
from slotstate.events import Op
from slotstate.extract import Change
from slotstate.parsing import find, find_all, fold
from slotstate.slots import DONTCARE, UNSET, Json, SlotSpec
from slotstate.testing.kinds import accepts, looks, refused, values
from slotstate.testing.oracle import Heard, Oracle, Told
from slotstate.testing.words import cues, repeats, sayings, sentence_for

Dice = Random
F = TypeVar("F")
KNOWN: Final = 40
VAGUE: Final = ("As my cousin described", "The same as they had", "Think of the lighthouse", "老样子")
YES: Final = ("Yes please.", "好的。")
NO: Final = ("No thanks.", "不用了。")
UNSAID: Final = ("Zanzibar by moonlight", "forty-two thousand elephants", "没说过的话")
_ANSWERS: Final = frozenset({"affirm", "choice", "ask"})
_OBJECTIONS: Final = frozenset({"refuse", "correct", "hesitate"})


@dataclass(frozen=True)
class Probe:
    """A sentence with the change that is proposed for it, and what the oracle is told; nothing, where no slot is meant."""

    sentence: str
    change: Change
    told: Told | None = None


@dataclass(frozen=True)
class Speech:
    """A whole user turn: its text, what is proposed, what it means."""

    text: str
    changes: tuple[Change, ...]
    told: tuple[Told, ...]
    plain: str | None = None
    objects: bool = False
    rivals: tuple[str, ...] = ()


def chance(dice: Dice) -> bool:
    """Heads or tails."""
    return dice.random() < 0.5


class Speaker:
    """Makes user turns about the slots of `domains`, from a few values a slot."""

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

    def speech(self, dice: Dice, oracle: Oracle) -> Speech:
        """A turn about some slots, or one that only makes sense alone."""
        if dice.random() < 0.2:
            spec = self.slot(dice)
            return dice.choice(_fit(spec, _ALONE))(self, dice, spec) or _compose([])
        made = [self._probe(dice, spec, oracle) for spec in self.slots(dice, 2)]
        return _compose([probe for probe in made if probe is not None])

    def _probe(self, dice: Dice, spec: SlotSpec, oracle: Oracle) -> Probe | None:
        return dice.choice(_fit(spec, _KINDS))(self, dice, spec, oracle)

    def answer(self, dice: Dice, heard: Heard, oracle: Oracle, silent: bool = False) -> Speech:
        """A bare yes or no to what the assistant just said."""
        plain = dice.choice(["yes", "yes", "no"])
        text = dice.choice(YES if plain == "yes" else NO)
        specs = [] if silent or chance(dice) else self.slots(dice, 2)
        made = [_answered(self, dice, spec, text, plain, heard, oracle) for spec in specs]
        older = [
            (path, value)
            for path in self.domains.specs
            for value, turn in oracle.tracks[path].offers
            if turn < heard.turn
        ]
        if older and plain == "yes" and not silent and chance(dice):
            made = [
                _older(self.domains.specs[path], value, text, heard, oracle) for path, value in [dice.choice(older)]
            ]
        probes = [probe for probe in made if probe is not None]
        told = tuple(probe.told for probe in probes if probe.told is not None)
        return Speech(text, tuple(probe.change for probe in probes), told, plain, objects=plain == "no")


def known_values(domains: Domains) -> dict[str, list[Json]]:
    """Some values of every slot; of a list, some items. The same ones each time, so that failures can be told again."""
    found: dict[str, dict[str, Json]] = {path: {} for path in domains.specs}

    @settings(
        max_examples=KNOWN,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
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


def _quote(spec: SlotSpec, value: Any, dice: Dice, frame: str = "") -> str | None:
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


def _said(self: Speaker, dice: Dice, spec: SlotSpec, _: Oracle) -> Probe | None:
    path, value, told = _value_told(spec, self.value(spec, dice), self.part(spec, dice))
    quote = _quote(spec, told, dice)
    if quote is None:
        return None
    op = "set" if value is DONTCARE else _op_of(spec, dice)
    sentence = f"{quote}." if value is DONTCARE else sentence_for(spec, quote)
    return Probe(sentence, Change(op, path, value, quote), Told(op, spec.path, told))


def _meant(self: Speaker, dice: Dice, spec: SlotSpec, oracle: Oracle) -> Probe | None:
    path, value, told = _value_told(spec, self.value(spec, dice), self.part(spec, dice))
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


def _unsupported(self: Speaker, dice: Dice, spec: SlotSpec, _: Oracle) -> Probe:
    """A sensible change without a quote, or with one that was never said."""
    op = dice.choice(("set", "clear", "undo", "deny", "confirm", "exclude"))
    value = self.value(spec, dice) if op in {"set", "exclude"} else UNSET
    quote = dice.choice((None, "", *UNSAID))
    return Probe("It is a fine day.", Change(op, spec.path, value, quote), Told(op, spec.path, None, "none"))


def _impossible(_: Speaker, dice: Dice, spec: SlotSpec, __: Oracle) -> Probe:
    """A value that the slot refuses, or null, with words that were said."""
    value = dice.choice((None, *refused(spec)))
    quote = dice.choice(VAGUE)
    return Probe(f"{quote}.", Change("set", spec.path, value, quote), Told("set", spec.path, None, "none"))


def _misplaced(self: Speaker, dice: Dice, spec: SlotSpec, _: Oracle) -> Probe:
    """A slot or domain that does not exist, or an operation that the slot has no use for."""
    quote = dice.choice(VAGUE)
    paths = (f"{spec.path}_x", f"{spec.domain}x.{spec.name}", spec.domain, f"{spec.path}.no such field", "", ".")
    known = set(self.domains.specs) | {one.name for one in self.domains.specs.values()}
    path = dice.choice([path for path in paths if path not in known and not (spec.kind == "map" and "such" in path)])
    return Probe(f"{quote}.", Change("set", path, self.value(spec, dice), quote))


def _cleared(self: Speaker, dice: Dice, spec: SlotSpec, _: Oracle) -> Probe | None:
    part, meant = self.part(spec, dice), chance(dice)
    label = (part or spec.name).replace("_", " ")
    quote = dice.choice(VAGUE) if meant else f"Forget the {label}"
    if not meant and cues(quote) != {"clear"}:
        return None
    path = spec.path if part is None else f"{spec.path}.{part}"
    return Probe(
        f"{quote}.",
        Change("clear", path, UNSET, quote),
        Told("clear", spec.path, None, "meant" if meant else "said", part),
    )


def _excluded(self: Speaker, dice: Dice, spec: SlotSpec, _: Oracle) -> Probe | None:
    value, meant = self.value(spec, dice), chance(dice)
    inner = spec.element if spec.kind == "list" else spec
    value = value[0] if spec.kind == "list" and value is not DONTCARE else value
    if value is DONTCARE or spec.kind in {"composite", "map"}:
        return None
    words = dice.choice(VAGUE) if meant else _quote(inner, value, dice)
    if words is None or (meant and _may_say(inner, value, words)) or (not meant and spec.kind == "boolean"):
        return None
    quote = words if meant else f"Not {words}"
    if cues(f"{quote}.") & (_ANSWERS | _OBJECTIONS):
        return None
    return Probe(
        f"{quote}.",
        Change("exclude", spec.path, value, quote),
        Told("exclude", spec.path, value, "meant" if meant else "said"),
    )


def _removed(self: Speaker, dice: Dice, spec: SlotSpec, _: Oracle) -> Probe | None:
    value = self.value(spec, dice)
    words = _quote(spec, value, dice) if spec.kind == "list" and value is not DONTCARE else None
    quote = f"Remove {words}"
    if words is None or not {"remove"} <= cues(f"{quote}.") <= {"remove", "clear"}:
        return None
    return Probe(f"{quote}.", Change("remove", spec.path, value, quote), Told("remove", spec.path, value))


def _taken_back(_: Speaker, dice: Dice, spec: SlotSpec, __: Oracle) -> Probe | None:
    meant = chance(dice)
    quote = dice.choice(VAGUE) if meant else f"Undo the {spec.label}"
    if not meant and cues(quote) != {"undo"}:
        return None
    return Probe(
        f"{quote}.",
        Change("undo", spec.path, UNSET, quote),
        Told("undo", spec.path, None, "meant" if meant else "said"),
    )


def _denied(_: Speaker, dice: Dice, spec: SlotSpec, __: Oracle) -> Probe:
    quote = dice.choice(VAGUE)
    return Probe(f"{quote}.", Change("deny", spec.path, UNSET, quote), Told("deny", spec.path))


Kind = Callable[[Speaker, Dice, SlotSpec, Oracle], Probe | None]


def _approved(_: Speaker, dice: Dice, spec: SlotSpec, oracle: Oracle) -> Probe:
    """A confirmation in words that name nothing: it counts for what the assistant asked for or repeated."""
    quote = dice.choice(VAGUE)
    grade = "said" if oracle.heard is not None and _shown(spec, oracle, oracle.heard) else "none"
    return Probe(f"{quote}.", Change("confirm", spec.path, UNSET, quote), Told("confirm", spec.path, None, grade))


def _shown(spec: SlotSpec, oracle: Oracle, heard: Heard) -> bool:
    """Whether what the slot holds stands before the user."""
    kept = oracle.tracks[spec.path].kept
    if kept.status == "empty":
        return False
    if spec.path in heard.asks:
        return True
    return kept.value is not DONTCARE and repeats(spec, to_json(kept.value).decode(), heard.text)


def _hopeless(self: Speaker, dice: Dice, spec: SlotSpec, oracle: Oracle) -> Probe | None:
    """A change that cannot count."""
    kinds: tuple[Kind, ...] = (_unsupported, _impossible, _misplaced)
    return dice.choice(kinds)(self, dice, spec, oracle)


SCALAR, LISTS, PARTS = "scalar", "list", "parts"
_KINDS: tuple[tuple[Kind, int, tuple[str, ...]], ...] = (
    (_said, 4, (SCALAR, LISTS, PARTS)),
    (_meant, 4, (SCALAR, LISTS, PARTS)),
    (_excluded, 2, (SCALAR, LISTS)),
    (_removed, 3, (LISTS,)),
    (_cleared, 2, (SCALAR, LISTS, PARTS)),
    (_taken_back, 2, (SCALAR, LISTS, PARTS)),
    (_hopeless, 3, (SCALAR, LISTS, PARTS)),
    (_denied, 1, (SCALAR, LISTS, PARTS)),
    (_approved, 1, (SCALAR, LISTS, PARTS)),
)


def _answered(
    self: Speaker, dice: Dice, spec: SlotSpec, text: str, plain: str, heard: Heard, oracle: Oracle
) -> Probe | None:
    """What an extractor may propose for a bare yes or no."""
    op = dice.choice(("set", "set", "confirm", "deny"))
    track = oracle.tracks[spec.path]
    if op == "confirm":
        grade = "said" if plain == "yes" and _shown(spec, oracle, heard) else "none"
        return Probe(text, Change("confirm", spec.path, UNSET, text), Told("confirm", spec.path, None, grade))
    if op == "deny":
        grade = "said" if plain == "no" else "none"
        return Probe(text, Change("deny", spec.path, UNSET, text), Told("deny", spec.path, None, grade))
    known = [*oracle.offered(heard, spec.path), *(value for value, _ in track.offers)]
    value = dice.choice(known) if known and chance(dice) else self.value(spec, dice)
    grade = None if value is DONTCARE else _answer_grade(spec, value, plain, heard, oracle)
    return (
        None
        if grade is None
        else Probe(text, Change("set", spec.path, value, text), Told("set", spec.path, value, grade))
    )


def _older(spec: SlotSpec, value: Json, text: str, heard: Heard, oracle: Oracle) -> Probe | None:
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


def _negated(self: Speaker, dice: Dice, spec: SlotSpec) -> Speech | None:
    """A value that the words rule out."""
    value = self.value(spec, dice)
    if spec.kind in {"boolean", "list", "composite", "map"} or value is DONTCARE:
        return None
    quote = _quote(spec, value, dice)
    text = f"Not {quote}."
    if quote is None or cues(text) & _ANSWERS:
        return None
    told = Told("set", spec.path, value, "none")
    return Speech(text, (Change("set", spec.path, value, quote),), (told,), objects=bool(cues(text) & _OBJECTIONS))


def _only(self: Speaker, dice: Dice, spec: SlotSpec) -> Speech | None:
    """A list said to be no more than this."""
    value = self.value(spec, dice)
    quote = _quote(spec, value, dice) if spec.kind == "list" and value is not DONTCARE else None
    if quote is None or cues(f"Only {quote}.") != {"replace"}:
        return None
    return Speech(
        f"Only {quote}.", (Change("set", spec.path, value, quote),), (Told("set", spec.path, value, replaces=True),)
    )


def _two(self: Speaker, dice: Dice, spec: SlotSpec) -> tuple[Json, str, Json, str] | None:
    pool = self.pools[spec.path]
    if spec.kind in {"list", "map", "composite"} or len(pool) < 2:
        return None
    first, second = _quote(spec, pool[0], dice), _quote(spec, pool[1], dice)
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
    if cues(text) & _ANSWERS or "correct" not in cues(text):
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
    quote, clear = (None if value is DONTCARE else _quote(spec, value, dice)), f"Forget the {spec.label}"
    if quote is None or cues(clear) != {"clear"}:
        return None
    text = f"{clear}. {sentence_for(spec, quote)}"
    if cues(text) & (_ANSWERS | {"replace"}) or not _once(quote, text):
        return None
    both = (Change("clear", spec.path, UNSET, clear), Change("set", spec.path, value, quote))
    told = (Told("clear", spec.path), Told("set", spec.path, value))
    return Speech(text, both if chance(dice) else both[::-1], told, objects=bool(cues(text) & _OBJECTIONS))


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


def _fit(spec: SlotSpec, weighed: Sequence[tuple[F, int, tuple[str, ...]]]) -> list[F]:
    """What makes sense for a slot of this kind, each as often as its weight says."""
    shape = LISTS if spec.kind == "list" else PARTS if spec.kind in {"composite", "map"} else SCALAR
    return [one for one, weight, shapes in weighed for _ in range(weight) if shape in shapes]


def _compose(probes: Sequence[Probe]) -> Speech:
    """The sentences as one turn, judged by offset; sentences that would answer something are left out."""
    used = [probe for probe in probes if not cues(probe.sentence) & _ANSWERS]
    text = " ".join(probe.sentence for probe in used)
    if cues(text) & _ANSWERS:
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
        objects=bool(signals & _OBJECTIONS),
    )


def fitting(spec: SlotSpec, value: Json) -> Json | None:
    """The value in the slot's form, or None where the slot refuses it."""
    return value if accepts(spec, value) else None


def shown(change: Change) -> str:
    """A proposed change in one line."""
    value: Mapping[str, str] = {} if change.value is UNSET else {"value": repr(change.value)}
    return f"{change.op} {change.path} {' '.join(value.values())} (quote {change.quote!r})".replace("  ", " ")
