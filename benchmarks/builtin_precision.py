"""How much of what the built-in rules propose is right, on three corpora, and what a turn costs them.

usage: python -m benchmarks.builtin_precision [sgd] [multiwoz] [crosswoz] [--data DIR] [--limit N] [--json] [--wrong N]

The dialogues are read from DIR (`$SLOTSTATE_DATA`, else `../shared/data`). Each runs through a tracker with its own
services as domains; the assistant's turns are those of the corpus. Reported per corpus and kind of slot:

precision  of the values proposed for slots that the gold state holds at that turn, the share that is the gold value
clean      the same of all values proposed, those for slots without a gold value counted as wrong
recall     of the gold slots that are new or changed in a turn, the share that was proposed rightly in it
invented   values proposed for slots that the gold state does not hold, a turn
ms         of processor time in the extractor, with three domains loaded; growth: of a fitted line over a dialogue

A slot for which several values are proposed in one turn is left to a question: it counts as none.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any

from benchmarks.builtin_corpora import CORPORA, NOW, Dialogue, matches
from slotstate import Tracker
from slotstate.domains import Domains, compile_domains
from slotstate.extract import Change, Extraction, Request
from slotstate.extractors.builtin import RulesExtractor
from slotstate.jsonschema import domain_from_json_schema
from slotstate.slots import DONTCARE

LOADED = 3
"""Domains that are loaded while time is taken."""


class Recorder:
    """The rules, with what they proposed last and how long that took."""

    def __init__(self) -> None:
        self._inner = RulesExtractor()
        self.changes: tuple[Change, ...] = ()
        self.ms: list[float] = []

    def extract(self, request: Request) -> Extraction:
        """Extract, and remember."""
        start = time.thread_time()
        extraction = self._inner.extract(request)
        self.ms.append((time.thread_time() - start) * 1e3)
        self.changes = extraction.changes
        return extraction

    async def aextract(self, request: Request) -> Extraction:
        """The same."""
        return self.extract(request)


@dataclass
class Score:
    """Counts by kind of slot."""

    right: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    invented: Counter[str] = field(default_factory=Counter)
    due: Counter[str] = field(default_factory=Counter)
    met: Counter[str] = field(default_factory=Counter)
    asked: int = 0
    turns: int = 0
    dialogues: int = 0
    examples: list[str] = field(default_factory=list)


def proposals(changes: Iterable[Change]) -> dict[str, list[Any]]:
    """The values proposed for each slot; parts of composites and exclusions aside."""
    found: dict[str, list[Any]] = {}
    for change in changes:
        if change.op in {"set", "add"}:
            value = "dontcare" if change.value is DONTCARE else change.value
            found.setdefault(change.path, []).extend(value if isinstance(value, list) else [value])
    return found


def play(dialogue: Dialogue, recorder: Recorder, schemas: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, str]]:
    """Run a dialogue; yields the index and text of each user turn after it was taken."""
    domains = _compiled(tuple(json.dumps(schema) for schema in schemas))
    chat = Tracker(domains, extractor=recorder, clock=lambda: NOW).open(dialogue.name)
    for index, turn in enumerate(dialogue.turns):
        if turn.role == "assistant":
            chat.assistant(turn.text)
            continue
        recorder.changes = ()
        done = chat.user(turn.text)
        if done.extraction != "ok":
            raise RuntimeError(f"{dialogue.name}, turn {index}: {done.extraction}")
        yield index, turn.text


@cache
def _compiled(schemas: tuple[str, ...]) -> Domains:
    return compile_domains([domain_from_json_schema(json.loads(schema)) for schema in schemas])


def judge(dialogue: Dialogue, score: Score) -> None:
    """Count what the extractor proposes in one dialogue."""
    recorder = Recorder()
    kinds = dialogue.kinds()
    before: Mapping[str, frozenset[str]] = {}
    score.dialogues += 1
    for index, text in play(dialogue, recorder, dialogue.schemas):
        gold = dialogue.turns[index].gold
        score.turns += 1
        proposed = proposals(recorder.changes)
        several = {path for path, values in proposed.items() if len(set(map(str, values))) > 1}
        score.asked += len(several)
        for path, values in proposed.items():
            if path not in several and path in kinds:
                _count(score, path, values[0], gold, kinds[path], f"{dialogue.name} {index}: {text!r}")
        for path in (path for path in gold if gold[path] != before.get(path)):
            score.due[kinds[path]] += 1
            good = path in proposed and path not in several and matches(proposed[path][0], gold[path])
            score.met[kinds[path]] += good
        before = gold


def _count(score: Score, path: str, value: Any, gold: Mapping[str, frozenset[str]], kind: str, where: str) -> None:
    if path not in gold:
        score.invented[kind] += 1
        score.examples.append(f"invented {path}={value!r} in {where}")
    elif matches(value, gold[path]):
        score.right[kind] += 1
    else:
        score.wrong[kind] += 1
        score.examples.append(f"wrong {path}={value!r}, gold {sorted(gold[path])} in {where}")


def cost(dialogues: Sequence[Dialogue]) -> dict[str, float]:
    """Time of a turn with three domains loaded, and how it grows along a dialogue."""
    spare = {str(schema["title"]): schema for dialogue in dialogues for schema in dialogue.schemas}
    everything: list[float] = []
    by_turn: dict[int, list[float]] = {}
    for dialogue in dialogues:
        names = {schema["title"] for schema in dialogue.schemas}
        others = [schema for name, schema in spare.items() if name not in names]
        recorder = Recorder()
        for _ in play(dialogue, recorder, [*dialogue.schemas, *others][: max(LOADED, len(names))]):
            pass
        for turn, ms in enumerate(recorder.ms):
            by_turn.setdefault(turn, []).append(ms)
        everything += recorder.ms
    points = [(turn, statistics.median(ms)) for turn, ms in by_turn.items() if turn and len(ms) >= 5]
    fit = statistics.linear_regression(*zip(*points, strict=True)) if len(points) > 2 else None
    growth = 0.0 if fit is None else 100 * fit.slope * len(points) / statistics.fmean(ms for _, ms in points)
    ordered = sorted(everything)
    return {
        "ms_p50": round(statistics.median(ordered), 3),
        "ms_p95": round(ordered[int(len(ordered) * 0.95)], 3),
        "growth_percent": round(growth, 1),
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None


def _line(score: Score, pick: Callable[[Counter[str]], int]) -> dict[str, Any]:
    right, wrong, invented = pick(score.right), pick(score.wrong), pick(score.invented)
    return {
        "proposed": right + wrong + invented,
        "precision": _share(right, right + wrong),
        "clean": _share(right, right + wrong + invented),
        "recall": _share(pick(score.met), pick(score.due)),
        "invented_per_turn": round(invented / max(score.turns, 1), 4),
    }


def measure(corpus: str, data: Path, limit: int | None) -> tuple[dict[str, Any], list[str]]:
    """Everything about one corpus, and the values that were not right."""
    dialogues = CORPORA[corpus](data)[:limit]
    score = Score()
    for dialogue in dialogues:
        judge(dialogue, score)
    kinds = sorted({*score.right, *score.wrong, *score.invented, *score.due})
    result = {
        "corpus": corpus,
        "dialogues": score.dialogues,
        "turns": score.turns,
        "left_open": score.asked,
        "all": _line(score, lambda counter: counter.total()),
        "kinds": {kind: _line(score, itemgetter(kind)) for kind in kinds},
        "cost": cost(dialogues),
    }
    return result, score.examples


def _show(result: Mapping[str, Any]) -> None:
    print("{corpus}: {dialogues} dialogues, {turns} user turns, {left_open} slots left to a question".format(**result))
    for kind, line in (("all", result["all"]), *result["kinds"].items()):
        print(f"  {kind:12}", *(f"{name} {value}" for name, value in line.items()), sep="  ")
    print("  cost        ", *(f"{name} {value}" for name, value in result["cost"].items()), sep="  ")


def main(argv: Sequence[str] | None = None) -> None:
    """Measure the corpora that are named, all by default."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("corpora", nargs="*", help="sgd, multiwoz, crosswoz")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("SLOTSTATE_DATA", "../shared/data")))
    parser.add_argument("--limit", type=int)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--wrong", type=int, default=0, metavar="N", help="show N values that were not right")
    options = parser.parse_args(argv)
    for corpus in options.corpora or CORPORA:
        result, examples = measure(corpus, options.data, options.limit)
        print(json.dumps(result, ensure_ascii=False)) if options.json else _show(result)
        for example in examples[: options.wrong]:
            print("   ", example)


if __name__ == "__main__":
    main()
