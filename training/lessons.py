"""What the linear models learn from: pairs out of annotated dialogues."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from slotstate.domains import Domain
from slotstate.extractors.builtin.learned.lefts import (
    domain_features,
    option_features,
    slot_features,
    stretch_features,
    turn_features,
)
from slotstate.extractors.builtin.learned.looking import options_of, path_features, stretches
from slotstate.extractors.builtin.learned.models import SYSTEM_ACTS, USER_ACTS
from slotstate.extractors.builtin.learned.tagger import Stretch, Tagger
from slotstate.extractors.builtin.learned.tokens import tokenize
from slotstate.extractors.builtin.learned.words import met_in, plain
from slotstate.jsonschema import domain_from_json_schema
from slotstate.slots import SlotSpec
from training.sgd import domain_schema, kind_of

Pair = tuple[Any, Any, bool]


@dataclass
class Lessons:
    """Pairs for each model."""

    fits: list[Pair] = field(default_factory=list)
    asks: list[Pair] = field(default_factory=list)
    tells: list[Pair] = field(default_factory=list)
    option: list[Pair] = field(default_factory=list)
    carries: list[Pair] = field(default_factory=list)
    routes: list[Pair] = field(default_factory=list)
    open: list[Pair] = field(default_factory=list)
    user_rows: list[Any] = field(default_factory=list)
    user_labels: list[list[bool]] = field(default_factory=list)
    system_rows: list[Any] = field(default_factory=list)
    system_labels: list[list[bool]] = field(default_factory=list)


def with_gold_acts(user: str, acts: Iterable[str]) -> tuple[str, ...]:
    words = turn_features(user, "u")
    acts = list(acts)
    if not acts:
        return (*words, "@START")
    did = [f"@{name}" for name in SYSTEM_ACTS if name in acts]
    return (*words, *did, *[f"{act}{word}" for act in did for word in words[2:8]])


@dataclass
class Service:
    """A service as a domain, with its slots by their original names."""

    domain: Domain
    slots: Mapping[str, SlotSpec]

    @classmethod
    def of(cls, original: Mapping[str, Any], worded: Mapping[str, Any], *, typed: bool = False) -> Service:
        """A service in a wording: both list their slots in one order."""
        domain = domain_from_json_schema(domain_schema(worded, original if typed else None))
        pairs = zip(original["slots"], worded["slots"], strict=True)
        return cls(domain, {one["name"]: domain.slots[other["name"]] for one, other in pairs})


def learn_dialogue(
    dialogue: Mapping[str, Any],
    services: Mapping[str, Service],
    tagger: Tagger,
    rng: random.Random,
    out: Lessons,
    extra: Sequence[Service] = (),
) -> None:
    """Add what one dialogue teaches."""
    assistant, acts = "", []
    before: dict[str, dict[str, list[str]]] = {}
    known = [(name, slot, spec) for name, service in services.items() for slot, spec in service.slots.items()]
    for turn in dialogue["turns"]:
        _spans(turn, services, known, tagger, rng, out)
        if turn["speaker"] != "USER":
            assistant = turn["utterance"]
            acts = [action["act"] for frame in turn["frames"] for action in frame["actions"]]
            out.system_rows.append(turn_features(assistant, "s"))
            out.system_labels.append([act in acts for act in SYSTEM_ACTS])
            asked = {(f["service"], a["slot"]) for f in turn["frames"] for a in f["actions"] if a["act"] == "REQUEST"}
            if asked or rng.random() < 0.3:
                out.asks += [
                    (turn_features(assistant, "s"), slot_features(spec), (name, slot) in asked)
                    for name, slot, spec in known
                ]
            continue
        words = with_gold_acts(turn["utterance"], acts)
        mine = [action["act"] for frame in turn["frames"] for action in frame["actions"]]
        out.user_rows.append(words)
        out.user_labels.append([act in mine for act in USER_ACTS])
        active = {frame["service"] for frame in turn["frames"]}
        for name, service in services.items():
            out.routes.append((words, domain_features(service.domain), name in active))
        for one in extra:
            out.routes.append((words, domain_features(one.domain), False))
        told = {
            (f["service"], a["slot"]): a["canonical_values"] for f in turn["frames"] for a in f["actions"]
            if a["act"] == "INFORM" and a["slot"] in services[f["service"]].slots
        }  # fmt: skip
        free = {key for key, values in told.items() if values[:1] == ["dontcare"]}
        for name, slot, spec in known:
            if spec.slot.evidence == "tool":
                continue
            if told or rng.random() < 0.3:
                out.tells.append((words, slot_features(spec), (name, slot) in told))
            if free or rng.random() < 0.1:
                out.open.append((words, slot_features(spec), (name, slot) in free))
            if spec.kind in {"boolean", "categorical"} and ((name, slot) in told or rng.random() < 0.15):
                options = ["True", "False"] if spec.kind == "boolean" else [str(one) for one in spec.options]
                for option in options:
                    out.option.append((words, option_features(spec, option), option in told.get((name, slot), ())))
        state = {frame["service"]: frame["state"]["slot_values"] for frame in turn["frames"]}
        _carried(turn, state, before, services, rng, out)
        before |= state


def _spans(turn: Any, services: Any, known: Any, tagger: Tagger, rng: random.Random, out: Lessons) -> None:
    text, speaker = turn["utterance"], "u" if turn["speaker"] == "USER" else "s"
    tokens = tokenize(text)
    options = options_of(tuple(spec for _, _, spec in known))
    seen = {(one.start, one.end): one for one in stretches(tagger, text, speaker, options)}
    gold = _marked(turn, services, seen)
    for place, slots in gold.items():
        inside = [i for i, token in enumerate(tokens) if token.start >= place[0] and token.end <= place[1]]
        if place not in seen and inside:
            kind = kind_of(next(iter(slots))[1])
            seen[place] = Stretch(inside[0], inside[-1] + 1, place[0], place[1], kind)
    for place, one in seen.items():
        right = gold.get(place, {})
        if not right and rng.random() < 0.5:
            continue
        left = tuple(stretch_features(tokens, one, speaker))
        for name, slot, spec in known:
            if right or rng.random() < 0.5:
                out.fits.append((left, slot_features(spec), (name, slot) in right))


def _marked(turn: Any, services: Any, seen: Mapping[tuple[int, int], Any]) -> dict[Any, dict[tuple[str, str], None]]:
    """The places of a turn that are values, with the slots that they are values of."""
    gold: dict[tuple[int, int], dict[tuple[str, str], None]] = {}
    for frame in turn["frames"]:
        for span in frame["slots"]:
            gold.setdefault((span["start"], span["exclusive_end"]), {})[frame["service"], span["slot"]] = None
    text = turn["utterance"]
    for key, meant in _options_told(turn, services):
        for place in seen:
            if " ".join(met_in(text[place[0] : place[1]])) in meant:
                gold.setdefault(place, {})[key] = None
    return gold


def _options_told(turn: Any, services: Any) -> Iterator[tuple[tuple[str, str], set[str]]]:
    """The categorical slots of which a turn tells a value, with the words for it."""
    for frame in turn["frames"]:
        for action in frame["actions"]:
            spec = services[frame["service"]].slots.get(action["slot"])
            if spec is not None and spec.kind == "categorical":
                values = [*action["values"], *action["canonical_values"]]
                yield (frame["service"], action["slot"]), {" ".join(met_in(value)) for value in values}


def _carried(turn: Any, state: Any, before: Any, services: Any, rng: random.Random, out: Lessons) -> None:
    sources = [
        (name, slot, values)
        for name, slots in before.items()
        for slot, values in slots.items()
        if values != ["dontcare"]
    ]
    text = plain(turn["utterance"])
    for name, slots in state.items():
        for slot, spec in services[name].slots.items():
            if spec.slot.evidence == "tool" or slot in before.get(name, {}):
                continue
            values = {plain(one) for one in slots.get(slot, ())}
            if any(one in text for one in values):
                continue
            for home, source, theirs in sources:
                label = bool(values & {plain(one) for one in theirs})
                if label or rng.random() < (0.3 if values else 0.05):
                    path = services[home].slots[source].path
                    out.carries.append((path_features(path), slot_features(spec), label))
