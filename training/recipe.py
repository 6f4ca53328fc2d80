"""The whole recipe: tagger, linear models, then the two scorers on the extractor's own states."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import numpy as np

from slotstate.errors import InputError
from slotstate.extractors.builtin.learned.modelfile import built, quantised
from slotstate.extractors.builtin.learned.models import CROSSED, Models
from slotstate.extractors.builtin.learned.rivals import second_rows
from slotstate.extractors.builtin.learned.tagger import Tagger
from slotstate.extractors.builtin.learned.trees import Trees
from training import sgd
from training.boosting import fit_trees
from training.lessons import Lessons, Service, learn_dialogue
from training.linear import fit_crossed, fit_several
from training.playing import Player, labels
from training.tagging import fit_tagger

BITS: Final = {"fits": 20, "asks": 19, "tells": 19, "option": 19, "carries": 18, "routes": 18, "open": 18}
ACT_BITS: Final = 16
MAX_PAIRS: Final = {"fits": 700_000}
MAX_OTHERS: Final = 260_000
"""Pairs that one model learns from at most; those with a whole turn in them have many features."""
GIVEN: Final = 0.6
CROWDED: Final = 0.25
TYPED: Final = 0.1
"""Shares of the dialogues: with the services of the turn given; with services beside that they are not about; with
slots for dates, times and whole numbers."""
STRANGERS: Final = (1, 6)
"""How many services stand beside."""
REWORDED: Final = 2
"""In how many rewordings, drawn anew, the linear models read a dialogue beside the published one."""
PUBLISHED: Final = 0.4
"""The share of the dialogues that the scorers read under the schema as published."""
PLAYS: Final = 2
"""How often the scorers read a dialogue on states of their own, each time with other chances."""
GROUPS: Final = 3
"""Kinds of services that are held out in turn, so that the scorers learn how far to trust models that never saw one."""
Say = Callable[[str], None]


@dataclass(frozen=True)
class Sizes:
    """How many dialogues each step learns from."""

    tagger: int = 4000
    linear: int = 4500
    held_out: int = 1700
    taught: int = 450
    own: int = 2000
    second: int = 3600


def arrays_of(tagger: Mapping[str, Any], linear: Mapping[str, Any]) -> dict[str, Any]:
    """The quantised arrays of a model file, trees aside."""
    found = {
        "tagger.keys": tagger["keys"],
        **quantised("tagger", tagger["table"]),
        **quantised("moves", tagger["moves"]),
    }
    for name, (weights, bias) in linear.items():
        found |= quantised(name, weights)
        found[f"{name}.bias"] = np.atleast_1d(np.asarray(bias, "<f4"))
    return found


def group_of(service: str) -> int:
    """The group of a service, by its kind: all hotels are in one."""
    kinds = sorted(_KINDS)
    kind = service.split("_", maxsplit=1)[0]
    return (kinds.index(kind) if kind in _KINDS else sum(map(ord, kind))) % GROUPS


_KINDS: Final = (
    "Banks Buses Calendar Events Flights Homes Hotels Media Movies Music RentalCars Restaurants RideSharing Services "
    "Travel Weather"
).split()


class Corpus:
    """Training splits with their schemas, in a fixed shuffled order."""

    def __init__(self, folders: Sequence[Path], seed: int) -> None:
        splits = [sgd.schemas(folder) for folder in folders]
        wordings = min(map(len, splits), default=0)
        self.schemas = [
            {name: service for split in reversed(splits) for name, service in split[at].items()}
            for at in range(wordings)
        ]
        self.dialogues = [dialogue for folder in folders for dialogue in sgd.dialogues(folder)]
        random.Random(seed).shuffle(self.dialogues)
        self._services: dict[tuple[int, str, bool], Service] = {}

    def service(self, variant: int, name: str, *, typed: bool = False) -> Service:
        """A service in one of its wordings. `typed`: with slots for dates, times and whole numbers."""
        key = variant, name, typed
        if key not in self._services:
            self._services[key] = Service.of(self.schemas[0][name], self.schemas[variant][name], typed=typed)
        return self._services[key]

    def wording(self, rng: random.Random, published: float = 0.0) -> int:
        """The schema as published that share of the time, else one of its rewordings where there are any."""
        return 0 if len(self.schemas) == 1 or rng.random() < published else rng.randrange(1, len(self.schemas))

    def names(self) -> list[str]:
        """The services that dialogues use."""
        return sorted({name for dialogue in self.dialogues for name in dialogue["services"]})


def learn(
    folders: Sequence[Path], *, seed: int = 0, sizes: Sizes | None = None, jobs: int = 1, say: Say = print
) -> dict[str, Any]:
    """All arrays of a model file, from the training splits in `folders`. `jobs` processes share the work; the result
    does not depend on them.
    """
    sizes = sizes or Sizes()
    corpus = Corpus(folders, seed)
    if not corpus.dialogues:
        where = ", ".join(map(str, folders))
        raise InputError(f"there are no dialogues in {where}: give the folder with SGD's dialogues_*.json of a split")
    half = (len(corpus.dialogues) * 4) // 7
    reading, playing = corpus.dialogues[:half], corpus.dialogues[half:]
    say(f"{len(corpus.dialogues)} dialogues, {len(corpus.schemas)} wordings of {len(corpus.names())} services")
    tasks: dict[int | None, tuple[Sequence[Any], Sequence[Any]]] = {
        None: (reading[: sizes.tagger], reading[: sizes.linear])
    }
    for group in range(GROUPS):
        others = [one for one in reading if all(group_of(name) != group for name in one["services"])]
        if others and len(others) < len(reading):
            tasks[group] = (others[: sizes.held_out], others[: sizes.held_out])
    made = dict(zip(tasks, shared(jobs, partial(_readers, corpus, seed), list(tasks.values())), strict=True))
    say(f"{len(made)} sets of taggers and linear models")
    readers = {group: built(arrays) for group, arrays in made.items()}
    return {**made[None], **_scorers(corpus, playing, readers, sizes, seed, jobs, say)}


def shared(jobs: int, work: Callable[[Any], Any], parts: Sequence[Any]) -> list[Any]:
    """What `work` makes of each part, in order, done by so many processes."""
    if jobs == 1 or len(parts) == 1:
        return [work(part) for part in parts]
    _WORK.append(work)  # the children are forked and find it here
    try:
        with ProcessPoolExecutor(jobs, mp_context=get_context("fork")) as pool:
            return list(pool.map(_done, parts))
    finally:
        _WORK.pop()


_WORK: list[Callable[[Any], Any]] = []


def _done(part: Any) -> Any:
    return _WORK[-1](part)


def _readers(corpus: Corpus, seed: int, material: tuple[Sequence[Any], Sequence[Any]]) -> dict[str, Any]:
    """Tagger and linear models, quantised, from the dialogues for either."""
    marked, told = material
    weights = fit_tagger(sgd.marked(marked))
    tagger = Tagger(weights["keys"], weights["table"], weights["moves"])
    rng = random.Random(seed + 1)
    names = corpus.names()
    lessons = Lessons()
    for dialogue in told:
        kinds = {name.split("_")[0] for name in dialogue["services"]}
        for reading in range(1 + (REWORDED if len(corpus.schemas) > 1 else 0)):
            services = {name: corpus.service(corpus.wording(rng, not reading), name) for name in dialogue["services"]}
            others = [name for name in rng.sample(names, min(4, len(names))) if name.split("_")[0] not in kinds]
            beside = [corpus.service(corpus.wording(rng, PUBLISHED), name) for name in others]
            learn_dialogue(dialogue, services, tagger, rng, lessons, beside)
    linear: dict[str, Any] = {
        name: fit_crossed(_thinned(getattr(lessons, name), MAX_PAIRS.get(name, MAX_OTHERS), seed), BITS[name])
        for name in CROSSED
    }
    linear["user_acts"] = fit_several(lessons.user_rows, np.array(lessons.user_labels), ACT_BITS)
    linear["system_acts"] = fit_several(lessons.system_rows, np.array(lessons.system_labels), ACT_BITS)
    return arrays_of(weights, linear)


def _thinned(pairs: list[Any], most: int, seed: int) -> list[Any]:
    """All pairs that belong together, and as many others as are enough."""
    if len(pairs) <= most:
        return pairs
    right = [pair for pair in pairs if pair[2]]
    wrong = [pair for pair in pairs if not pair[2]]
    rng = random.Random(seed + 2)
    kept = right + rng.sample(wrong, max(0, most - len(right)))
    rng.shuffle(kept)
    return kept


def _strangers(corpus: Corpus, names: Sequence[str], dialogue: Any, rng: random.Random) -> list[str]:
    """Services that a dialogue is not about, of other kinds than its own: a tracker often has more loaded than one."""
    taken = {name.split("_")[0] for name in dialogue["services"]}
    found: list[str] = []
    for name in rng.sample(names, min(len(names), rng.randint(*STRANGERS) * 2)):
        kind = name.split("_")[0]
        if kind not in taken and len(found) < STRANGERS[1]:
            taken.add(kind)
            found.append(name)
    return found


def _scorers(
    corpus: Corpus,
    dialogues: Sequence[Any],
    readers: Mapping[int | None, Models],
    sizes: Sizes,
    seed: int,
    jobs: int,
    say: Say,
) -> dict[str, Any]:
    """The trees of both scorers, each on the states to which what was learned before it leads."""
    cuts = np.cumsum([0, sizes.taught, sizes.own, sizes.second // 2, sizes.second - sizes.second // 2])
    parts = [
        [
            (int(at) + play * len(dialogues), dialogues[at])
            for play in range(PLAYS if place else 1)
            for at in range(a, min(b, len(dialogues)))
        ]
        for place, (a, b) in enumerate(pairwise(cuts))
    ]
    gather = partial(_gather, corpus, readers, seed, jobs)
    taught = gather(parts[0], None, None)
    trees = Trees(**fit_trees(taught[0], taught[1], 120, seed=seed + 7))
    say(f"{len(taught[0])} candidates on gold states")
    both = _joined(taught, gather(parts[1], trees, None))
    first = fit_trees(both[0], both[1], 300, seed=seed + 7)
    trees = Trees(**first)
    say(f"{len(both[0])} with those on its own states")
    beside = gather(parts[2], trees, None, beside=True)
    both = _joined(
        beside, gather(parts[3], trees, Trees(**fit_trees(beside[0], beside[1], 120, seed=seed + 7)), beside=True)
    )
    second = fit_trees(both[0], both[1], 260, seed=seed + 7)
    say(f"{len(both[0])} candidates beside their rivals")
    named = {f"first.{name}": array for name, array in first.items()}
    return named | {f"second.{name}": array for name, array in second.items()}


def _joined(one: Sequence[Any], other: Sequence[Any]) -> list[Any]:
    return [np.concatenate([some, more]) for some, more in zip(one, other, strict=True)]


def _gather(
    corpus: Corpus,
    readers: Mapping[int | None, Models],
    seed: int,
    jobs: int,
    dialogues: Sequence[tuple[int, Any]],
    first: Trees | None,
    second: Trees | None,
    *,
    beside: bool = False,
) -> list[Any]:
    """The rows of the candidates in dialogues and whether each is right, on gold states where no scorer is given.
    `beside` adds what the first scorer says of their rivals.
    """
    size = -(-len(dialogues) // jobs) or 1
    parts = [dialogues[at : at + size] for at in range(0, len(dialogues), size)]
    found = shared(jobs, partial(_played, corpus, readers, seed, first, second, beside), parts)
    rows = [table for some, _ in found for table in some]
    if not rows:
        raise InputError("there are too few dialogues to learn from: give a whole training split")
    return [np.vstack(rows), np.concatenate([labels for _, some in found for labels in some])]


def _played(
    corpus: Corpus,
    readers: Mapping[int | None, Models],
    seed: int,
    first: Trees | None,
    second: Trees | None,
    beside: bool,
    dialogues: Sequence[tuple[int, Any]],
) -> tuple[list[Any], list[Any]]:
    rows: list[Any] = []
    right: list[Any] = []
    names = corpus.names()
    for number, dialogue in dialogues:
        rng = random.Random(f"{seed} {number}")
        share, wording = rng.random(), corpus.wording(rng, PUBLISHED)
        groups = sorted({group_of(name) for name in dialogue["services"]} & set(readers))
        group = rng.choice(groups) if groups and rng.random() > 0.35 else None
        strangers = _strangers(corpus, names, dialogue, rng) if share >= 1 - CROWDED else []
        typed = rng.random() < TYPED
        services = {
            name: corpus.service(wording, name, typed=typed)
            for name in dict.fromkeys([*dialogue["services"], *strangers])
        }
        player = Player(sgd.played(dialogue, services), share < GIVEN)
        homes = {service.domain.name: group_of(name) for name, service in services.items()}
        for view, candidates, found, gold in player.views(readers[group]):
            if not candidates:
                player.teach(gold, view, candidates) if first is None else None
                continue
            scores = None if first is None else first.scores(found)
            full = second_rows(view, candidates, found, scores) if beside else found
            kept = np.array([group is None or homes[view.every[one.slot].domain] == group for one in candidates])
            rows.append(full[kept].astype(np.float32))
            right.append(labels(view, candidates, gold)[kept])
            if scores is None:
                player.teach(gold, view, candidates)
            else:
                player.follow(view, candidates, scores if second is None else second.scores(full))
    return rows, right
