"""Whether the built-in extractor is right as often as its confidence says, for changes and for whole turns.

usage: python -m benchmarks.builtin_calibration CORPUS --data PATH [--split dev] [--limit N] [--model FILE]

A change is right where the slot then holds what it should; a turn where every slot does that was told of or proposed.
For each tenth of confidence: how many there are, the confidence in the mean, and the share that is right; then the
expected calibration error (Naeini et al. 2015): the difference of the two, weighted by how many there are.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from slotstate.domains import Domains
from slotstate.evaluating import read_corpus
from slotstate.evaluating.playing import SERVICES, domains_for, play
from slotstate.extract import Extraction, Request
from slotstate.extractors.builtin import BuiltinExtractor
from slotstate.measuring.agreement import agrees
from slotstate.measuring.dialogues import Dialogue, Reference
from slotstate.measuring.records import TurnRecord

BINS = 10
Judged = tuple[float, bool]
"""A confidence, and whether what it was told of was right."""


@dataclass
class Heard:
    """The extractor, with what it read in each turn."""

    inner: BuiltinExtractor
    read: dict[int, Extraction] = field(default_factory=dict[int, Extraction])

    def extract(self, request: Request) -> Extraction:
        found = self.inner.extract(request)
        self.read.setdefault(request.turn, found)  # a second tracker takes the same proposals
        return found

    async def aextract(self, request: Request) -> Extraction:
        return self.extract(request)


def judged(
    dialogue: Dialogue, domains: Domains, records: Sequence[TurnRecord], heard: Heard
) -> tuple[list[Judged], list[Judged]]:
    """The changes and the turns of a dialogue."""
    changes, turns = list[Judged](), list[Judged]()
    before: Mapping[str, Reference] = {}
    for record in records:
        gold = dialogue.turns[record.turn].state or {}
        read = heard.read.get(record.turn)
        if read is None:
            continue
        right = {
            path: agrees(spec, gold.get(path), record.held.get(path), dialogue.now)
            for path, spec in domains.specs.items()
        }
        sets = [change for change in read.changes if change.op == "set" and change.path in right]
        changes += [(change.confidence, right[change.path]) for change in sets if change.confidence is not None]
        told = {path for path in gold if path in right and gold[path] != before.get(path)}
        if read.confidence is not None:
            turns.append((read.confidence, all(right[path] for path in told | {change.path for change in sets})))
        before = gold
    return changes, turns


def table(name: str, found: Sequence[Judged]) -> None:
    """Print the share that is right for each tenth of confidence."""
    error = 0.0
    print(f"{name}: {len(found)}")
    for place in range(BINS):
        inside = [one for one in found if min(int(one[0] * BINS), BINS - 1) == place]
        if inside:
            mean = sum(confidence for confidence, _ in inside) / len(inside)
            share = sum(right for _, right in inside) / len(inside)
            error += abs(mean - share) * len(inside) / len(found)
            print(
                f"  {place / BINS:.1f} to {(place + 1) / BINS:.1f}  {len(inside):5}  told {mean:.3f}  right {share:.3f}"
            )
    print(f"  expected calibration error {error:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpus", choices=("sgd", "multiwoz", "crosswoz"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--limit", type=int, default=100)
    parser.add_argument("--model", help="models that did not learn from the split")
    options = parser.parse_args()
    corpus = read_corpus(options.corpus, options.data, split=options.split, kinds="plain")
    services = SERVICES[options.corpus]
    dialogues = random.Random(0).sample(list(corpus.dialogues), min(options.limit, len(corpus.dialogues)))
    extractor = BuiltinExtractor(options.model)
    changes, turns = list[Judged](), list[Judged]()
    for dialogue in dialogues:
        heard = Heard(extractor)
        records = tuple(play(corpus, dialogue, heard, services))
        more = judged(dialogue, domains_for(corpus, dialogue, services), records, heard)
        changes += more[0]
        turns += more[1]
    table("changes", changes)
    table("turns", turns)


if __name__ == "__main__":
    main()
