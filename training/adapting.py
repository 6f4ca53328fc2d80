"""Carries models on with dialogues that tell no more than the state after each turn: corpora, or a user's sessions."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

import numpy as np

from slotstate.extractors.builtin.learned.lefts import (
    domain_features,
    option_features,
    slot_features,
    stretch_features,
)
from slotstate.extractors.builtin.learned.looking import options_of, path_features, stretches, with_acts
from slotstate.extractors.builtin.learned.modelfile import built, quantised
from slotstate.extractors.builtin.learned.models import Models
from slotstate.extractors.builtin.learned.rivals import second_rows
from slotstate.extractors.builtin.learned.tagger import Stretch
from slotstate.extractors.builtin.learned.tokens import tokenize
from slotstate.extractors.builtin.learned.trees import Trees
from slotstate.extractors.builtin.learned.words import options_for, plain
from slotstate.slots import SlotSpec
from training.boosting import fit_trees, joined
from training.golds import Gold, items_of, places
from training.linear import carry_on
from training.playing import Played, Player, is_known, labels
from training.tagging import Marked, fit_tagger

LEARNT: Final = ("fits", "tells", "option", "carries", "routes", "open")
"""The linear models that states alone can teach."""
FOUND: Final = 0.5
"""A tagger that finds fewer of the values is made anew."""
ROUNDS: Final = 80


@dataclass
class Material:
    """Pairs for the linear models, and the texts with the values in them."""

    pairs: dict[str, list[Any]] = field(default_factory=lambda: {name: [] for name in LEARNT})
    marked: list[Marked] = field(default_factory=list)
    found: int = 0
    missed: int = 0


def adapt(arrays: Mapping[str, Any], dialogues: Sequence[Played], *, seed: int = 0) -> dict[str, Any]:
    """The arrays of a model file carried on with dialogues. The scorers learn on each half beside linear models that
    learned from the other: so they see how far to trust them. The linear models that are kept learned from both.
    """
    order = list(dialogues)
    random.Random(seed).shuffle(order)
    base = _with_tagger(dict(arrays), order, seed)
    halves = (order[::2], order[1::2])
    if not halves[1]:
        return _with_trees(_with_linear(base, order, seed), [(base, order)])
    played = [(_with_linear(base, other, seed), half) for half, other in (halves, halves[::-1])]
    return _with_trees(_with_linear(base, order, seed), played)


def _with_tagger(arrays: dict[str, Any], dialogues: Sequence[Played], seed: int) -> dict[str, Any]:
    """A tagger that finds the values: the one that is there, or one made anew."""
    material = _material(dialogues, built(arrays), seed)
    if material.found >= FOUND * (material.found + material.missed):
        return arrays
    weights = fit_tagger(material.marked)
    made = quantised("tagger", weights["table"]) | quantised("moves", weights["moves"])
    return arrays | {"tagger.keys": weights["keys"]} | made


def _with_linear(arrays: dict[str, Any], dialogues: Sequence[Played], seed: int) -> dict[str, Any]:
    """The linear models carried on."""
    material, made = _material(dialogues, built(arrays), seed), dict(arrays)
    for name in LEARNT:
        if len({pair[2] for pair in material.pairs[name]}) == 2:
            weights, bias = carry_on(material.pairs[name], *_now(made, name))
            made |= quantised(name, weights)
            made[f"{name}.bias"] = np.array([bias], "<f4")
    return made


def _now(arrays: Mapping[str, Any], name: str) -> tuple[Any, float]:
    return arrays[name].astype(np.float32) * arrays[f"{name}.step"][0], float(arrays[f"{name}.bias"][0])


def _trees(arrays: Mapping[str, Any], which: str) -> dict[str, Any]:
    return {name: arrays[f"{which}.{name}"] for name in ("feature", "threshold", "masks", "starts", "leaves")}


def _with_trees(arrays: dict[str, Any], parts: Sequence[tuple[dict[str, Any], Sequence[Played]]]) -> dict[str, Any]:
    """More trees for both scorers, on the extractor's own states as they were before. `parts` are dialogues with the
    arrays of the models that read them.
    """
    both = {which: _trees(arrays, which) for which in ("first", "second")}
    first, second = Trees(**both["first"]), Trees(**both["second"])
    seen = [one for made, some in parts for one in _seen(replace(built(made), lists=True), some, first, second)]
    if not any(known.any() for *_, known in seen):
        return arrays
    table = np.vstack([found for _, _, found, _, _ in seen])
    truth, known = (np.concatenate(parts) for parts in zip(*((right, sure) for *_, right, sure in seen), strict=True))
    both["first"] = joined(both["first"], _more(table, truth, known, first))
    first = Trees(**both["first"])
    beside = np.vstack([second_rows(view, some, found, first.scores(found)) for view, some, found, _, _ in seen])
    both["second"] = joined(both["second"], _more(beside, truth, known, second))
    return arrays | {f"{which}.{name}": array for which, trees in both.items() for name, array in trees.items()}


def _more(rows: Any, truth: Any, known: Any, trees: Trees) -> dict[str, Any]:
    """More trees for a scorer. What nobody knows teaches nothing, neither right nor wrong: it holds the scorer to what
    it says already, lest that drifts with what is learned of others.
    """
    start = trees.scores(rows)
    goal = np.where(known, truth, 1 / (1 + np.exp(-start)))
    return fit_trees(rows, goal, ROUNDS, start=start, learning_rate=0.05, objective="cross_entropy")


def _seen(models: Models, dialogues: Sequence[Played], first: Trees, second: Trees) -> Iterator[tuple[Any, ...]]:
    """Every turn with candidates: its view, the candidates, their rows, whether each is right, and whether anybody
    says so.
    """
    for dialogue in dialogues:
        player = Player(dialogue)
        for view, candidates, found, gold in player.views(models):
            if candidates:
                unknown = dialogue.unknown_in(player.turn // 2)
                yield view, candidates, found, labels(view, candidates, gold), is_known(view, candidates, unknown)
                scores = second.scores(second_rows(view, candidates, found, first.scores(found)))
                player.follow(view, candidates, scores)


def _material(dialogues: Sequence[Played], models: Models, seed: int) -> Material:
    rng = random.Random(seed + 1)
    material = Material()
    for dialogue in dialogues:
        before: Gold = {}
        for index, (assistant, user, gold, about) in enumerate(dialogue.turns):
            changed = {path: values for path, values in gold.items() if before.get(path) != values}
            unknown = dialogue.unknown_in(index)
            _turn(material, dialogue, models, (assistant, user), before, changed, about, unknown, rng)
            before = gold
    return material


def _turn(
    material: Material,
    dialogue: Played,
    models: Models,
    texts: tuple[str, str],
    before: Gold,
    changed: Gold,
    about: frozenset[str],
    unknown: frozenset[str],
    rng: random.Random,
) -> None:
    assistant, user = texts
    known = {path: spec for path, spec in dialogue.domains.specs.items() if path not in unknown}
    specs = [spec for spec in known.values() if spec.slot.evidence != "tool"]
    whole = not unknown
    said = _stretches(material, models, user, "u", specs, changed, whole, dialogue.now, rng)
    heard = {path: values for path, values in changed.items() if path not in said}
    _stretches(material, models, assistant, "s", specs, heard, whole, dialogue.now, rng)
    words = with_acts(models, user, assistant)
    pairs = material.pairs
    spoken = {path for path in changed if path in said or options_for(dialogue.domains.specs[path]) is not None}
    for spec in specs:
        free = list(changed.get(spec.path, ())[:1]) == ["dontcare"]
        if changed or rng.random() < 0.3:
            pairs["tells"].append((words, slot_features(spec), spec.path in spoken or free))
            pairs["open"].append((words, slot_features(spec), free))
        options = options_for(spec)
        if options is not None and (spec.path in changed or rng.random() < 0.15):
            right = {plain(value) for value in changed.get(spec.path, ())}
            pairs["option"] += [(words, option_features(spec, one), plain(one) in right) for one in options]
    homes = about or frozenset(path.split(".")[0] for path in changed)
    if homes:
        doubtful = {path.split(".")[0] for path in unknown} - homes
        pairs["routes"] += [
            (words, domain_features(domain), name in homes)
            for name, domain in dialogue.domains.items()
            if name not in doubtful
        ]
    _carried(material, specs, user, before, changed, rng)


def _stretches(
    material: Material,
    models: Models,
    text: str,
    speaker: str,
    specs: Sequence[SlotSpec],
    values: Gold,
    whole: bool,
    now: datetime,
    rng: random.Random,
) -> frozenset[str]:
    """Note the stretches of a text and the slots that they are values of; returns the paths that were found. `whole`:
    all values in it are known; else a text in which none is found may hold some all the same.
    """
    if not text:
        return frozenset()
    tokens = tokenize(text)
    seen = {(one.start, one.end): one for one in stretches(models.tagger, text, speaker, options_of(tuple(specs)))}
    gold: dict[tuple[int, int], set[str]] = {}
    listed = {spec.path for spec in specs if options_for(spec) is not None}
    spans = sorted(seen)
    told = [(spec, form) for spec in specs for form in _items(spec, values.get(spec.path, ()))]
    for spec, forms in told:
        for place in places(spec, text, forms, now, spans):
            gold.setdefault(place, set()).add(spec.path)
            if spec.path not in listed:  # options are found by their words, whatever the tagger sees
                material.found += place in seen
                material.missed += place not in seen
    for place in gold.keys() - seen.keys():
        inside = [i for i, token in enumerate(tokens) if token.start >= place[0] and token.end <= place[1]]
        if inside:
            seen[place] = Stretch(inside[0], inside[-1] + 1, place[0], place[1], "name")
    for place in sorted(seen):
        right = gold.get(place, set())
        if right or rng.random() < 0.5:
            left = tuple(stretch_features(tokens, seen[place], speaker))
            material.pairs["fits"] += [(left, slot_features(spec), spec.path in right) for spec in specs]
    if whole or gold:
        material.marked.append((text, speaker, [(*place, "name") for place in sorted(gold)]))
    return frozenset(path for paths in gold.values() for path in paths)


def _items(spec: SlotSpec, forms: Sequence[str]) -> list[Sequence[str]]:
    """The forms of a value, or those of each item of a list."""
    return [[item] for item in items_of(forms[0])] if spec.kind == "list" and forms else [forms] if forms else []


def _carried(
    material: Material, specs: Sequence[SlotSpec], user: str, before: Gold, changed: Gold, rng: random.Random
) -> None:
    text = plain(user)
    for spec in specs:
        values = {plain(one) for one in changed.get(spec.path, ())}
        if spec.path in before or any(one and one in text for one in values):
            continue
        for path, theirs in before.items():
            label = bool(values & {plain(one) for one in theirs})
            if label or rng.random() < (0.3 if values else 0.05):
                material.pairs["carries"].append((path_features(path), slot_features(spec), label))
