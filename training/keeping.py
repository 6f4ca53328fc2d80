"""Adapts models only where that is worth it: what is adapted must read better what it did not learn from."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from tempfile import TemporaryDirectory
from typing import Any, Final

from pydantic_core import to_json

from slotstate.contract import View
from slotstate.extractors.builtin import BuiltinExtractor
from slotstate.extractors.builtin.learned import modelfile
from slotstate.extractors.builtin.learned.known import ANY
from slotstate.extractors.builtin.learned.words import items_of as items_held
from slotstate.extractors.builtin.learned.words import plain
from slotstate.slots import SlotSpec
from slotstate.tracker import Tracker
from slotstate.values import jsonable
from training.adapting import adapt
from training.golds import Gold, is_right, items_of
from training.playing import Played

FEWEST: Final = 4
"""Dialogues that tell something: with fewer there is nothing to hold out."""
CHECKED: Final = 120
"""Dialogues that are read again to compare, at most."""
About = Mapping[str, Any]
Say = Callable[[str], None]


def adapted(
    arrays: Mapping[str, Any], about: About, dialogues: Sequence[Played], after: About, *, seed: int = 0, say: Say
) -> dict[str, Any] | None:
    """The arrays of a model file carried on with dialogues; None where those that are there are to be kept.

    Each half of the dialogues is read by models that learned from the other, and by those that are there (`about` them,
    `after` that of adapted ones). What is adapted must be better by more than chance makes of it, and must be no worse
    on the dialogues that it learned from.
    """
    order = [one for one in dialogues if any(gold for _, _, gold, _ in one.turns)]
    random.Random(seed).shuffle(order)
    if len(order) < FEWEST:
        say(f"kept as it was: {len(order)} dialogues tell what slots held, at least {FEWEST} are needed")
        return None
    halves = (order[::2], order[1::2])
    differences: list[float] = []
    for half, other in (halves, halves[::-1]):
        part = half[: CHECKED // 2]
        ours = shares(adapt(arrays, other, seed=seed), after, part)
        differences += [mine - theirs for mine, theirs in zip(ours, shares(arrays, about, part), strict=True)]
    if not is_better(differences):
        say(f"kept as it was: {told(differences)}: no gain")
        return None
    made, part = adapt(arrays, dialogues, seed=seed), order[:CHECKED]
    if fmean(shares(made, after, part)) < fmean(shares(arrays, about, part)):
        say("kept as it was: adapted models read the dialogues themselves less well")
        return None
    say(f"adapted: {told(differences)}")
    return made


def is_better(differences: Sequence[float]) -> bool:
    """Whether dialogues are read better by more than the standard error of the mean."""
    return fmean(differences) > stdev(differences) / math.sqrt(len(differences))


def told(differences: Sequence[float]) -> str:
    """In how many dialogues that were held out more slots were right, and in how many fewer."""
    better, worse = sum(one > 0 for one in differences), sum(one < 0 for one in differences)
    mean = f"{fmean(differences):+.3f} of the slots"
    return f"of {len(differences)} dialogues held out {better} are read better, {worse} worse ({mean})"


def shares(arrays: Mapping[str, Any], about: About, dialogues: Sequence[Played]) -> list[float]:
    """For each dialogue the share of its slots that are right after its turns, among those of which it is known."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "tried.slotmodel"
        file.write_bytes(modelfile.dump(dict(arrays), dict(about)))
        modelfile.read.cache_clear()
        extractor = BuiltinExtractor(str(file))
        found = [_share(extractor, one) for one in dialogues]
        modelfile.read.cache_clear()
    return found


def _share(extractor: BuiltinExtractor, dialogue: Played) -> float:
    tracker = Tracker(dialogue.domains, extractor=extractor, clock=lambda: dialogue.now, deadline=None)
    chat = tracker.open("read again")
    right = total = 0
    for index, (assistant, user, gold, _) in enumerate(dialogue.turns):
        if assistant:
            chat.assistant(assistant)
        if user.strip():
            chat.user(user)
        unknown = dialogue.unknown_in(index)
        for path, spec in dialogue.domains.specs.items():
            view = chat.state[spec.domain][path.partition(".")[2]]
            if path not in unknown and (path in gold or view.status != "empty"):
                total += 1
                right += path in gold and _holds(spec, view, gold, dialogue)
    return right / total if total else 1.0


def _holds(spec: SlotSpec, view: View, gold: Gold, dialogue: Played) -> bool:
    """Whether a slot holds what is known of it."""
    if view.dontcare or view.value is None:
        return view.dontcare and is_right(spec, ANY, gold, dialogue.now)
    held = jsonable(view.value)
    if spec.kind == "list" and len(held) != max(len(items_of(form)) for form in gold[spec.path]):
        return any(plain(" ".join(items_held(held))) == plain(form) for form in gold[spec.path])
    words = [str(one) for one in held] if spec.kind == "list" else [held if isinstance(held, str) else _text(held)]
    return all(is_right(spec, one, gold, dialogue.now, None if spec.kind == "list" else held) for one in words)


def _text(value: Any) -> str:
    return to_json(value).decode()
