"""How many turns go to a second reader at which confidence of the built-in extractor, and what that brings.

usage: python -m benchmarks.builtin_abstention --data SGD [--split dev] [--limit N] [--model FILE]

The second reader is a perfect one: it proposes what the reference says, so this is the most that a model could bring.
Beside it, the same share of turns chosen by chance. JGA is the official one, with the services of the turn given.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from slotstate.evaluating import read_corpus
from slotstate.evaluating.playing import play
from slotstate.extract import Change, Extraction, Extractor, Request
from slotstate.extractors.builtin import BuiltinExtractor
from slotstate.extractors.chained import ChainedExtractor
from slotstate.measuring.dialogues import Corpus, Dialogue
from slotstate.measuring.scoring import figure, score_dialogue, total
from slotstate.slots import DONTCARE

THRESHOLDS = (0.0, 0.3, 0.5, 0.7, 0.9, 1.01)
Sure = Callable[[Request, Extraction], bool]


@dataclass
class Reference:
    """Reads a turn as its reference does."""

    dialogue: Dialogue

    def extract(self, request: Request) -> Extraction:
        state = self.dialogue.turns[request.turn].state or {}
        changes = []
        for path, meant in state.items():
            if path.partition(".")[0] in request.domains:
                value = DONTCARE if meant.is_dontcare else meant.values[0]
                changes.append(Change("set", path, value, request.user.strip()))
        return Extraction(tuple(changes))

    async def aextract(self, request: Request) -> Extraction:
        return self.extract(request)


@dataclass
class Judge:
    """Whether the first answer is enough; counts how often it is not."""

    sure: Sure
    asked: int = 0
    turns: int = 0

    def __call__(self, request: Request, read: Extraction) -> bool:
        enough = self.sure(request, read)
        self.asked += not enough
        self.turns += 1
        return enough


def measure(corpus: Corpus, dialogues: Sequence[Dialogue], first: Extractor, judge: Judge) -> tuple[float, float]:
    """The share of turns that the second reader was asked for, and JGA."""
    scores = []
    for dialogue in dialogues:
        records = play(corpus, dialogue, ChainedExtractor(first, Reference(dialogue), sure=judge), "turn")
        scores.append(score_dialogue(corpus, dialogue, corpus.domains_of(dialogue), records))
    return judge.asked / max(1, judge.turns), figure(total(one.sums for one in scores), "jga") or 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--limit", type=int, default=100)
    parser.add_argument("--model", help="models that did not learn from the split")
    options = parser.parse_args()
    corpus = read_corpus("sgd", options.data, split=options.split, kinds="plain")
    first = BuiltinExtractor(options.model)
    dialogues = random.Random(0).sample(list(corpus.dialogues), min(options.limit, len(corpus.dialogues)))
    for threshold in THRESHOLDS:
        share, jga = measure(
            corpus, dialogues, first, Judge(lambda _, read, at=threshold: (read.confidence or 0.0) >= at)
        )
        rng = random.Random(1)
        _, chance = measure(corpus, dialogues, first, Judge(lambda *_, rng=rng, share=share: rng.random() >= share))
        print(f"threshold {threshold:4.2f}  asked {share:6.1%}  JGA {jga:.3f}  by chance {chance:.3f}", flush=True)


if __name__ == "__main__":
    main()
