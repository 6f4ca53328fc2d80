"""Reads the same dialogues in several ways with one real model, and compares them.

usage: python -m benchmarks.llm_paths CORPUS --data PATH (--gguf MODEL | --url URL) --out FOLDER --cache DIR [--limit N]
           [--seed N] [--kinds typed|plain] [--services WHICH] [--ways WAY ...] [--against WAY] [--retries N] [--jobs N]

Ways: `whole` (a model fills the whole state from the whole history), `changes` (slotstate's default), `set` (that
operation alone: enough where nothing is taken back, and shorter), and, each `set` but for one thing, `own` (what the
user takes up of the assistant's words is left to the model), `loose` (what nobody said is proposed, too), `fields` (a
nullable field for each slot), `bare` (no examples), `keen` (examples that change something alone), `hints` (what the
built-in extractor reads as candidates), `doubted` (what its models speak against is left out), `checked` (that and
`keen`, as for small models), `guided` (that and `hints`), `few@N` (N domains at most); `builtin`, and `chain@T` (the
same, and `set` where its confidence is below T).

Each way's evaluation goes to FOLDER, as `slotstate eval --json` prints it; a way that is there is not run again. Every
reply is kept. With --url a server that runs already is asked, for --jobs dialogues at a time.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.llm_paths.forms import Fields
from benchmarks.llm_paths.whole_state import WholeState
from slotstate.evaluating import read_corpus
from slotstate.evaluating.playing import SERVICES, Services, domains_for, play
from slotstate.evaluating.replies import Replies, scope_of
from slotstate.evaluating.running import samples
from slotstate.extract import Extraction, Extractor, Request
from slotstate.extractors.builtin import BuiltinExtractor
from slotstate.extractors.chained import ChainedExtractor
from slotstate.extractors.instructor import InstructorExtractor
from slotstate.extractors.instructor.examples import EXAMPLES, KEEN
from slotstate.measuring.dialogues import Corpus, Dialogue
from slotstate.measuring.evaluation import Evaluation, compare, evaluation, read_evaluation
from slotstate.measuring.records import TurnRecord
from slotstate.measuring.scoring import DialogueScore, score_dialogue
from slotstate.providers import keeping
from slotstate.providers.server import Host

WAYS = ("whole", "changes", "set", "builtin", "chain@0.7")
COMPARED = ("jga", "jga_exact", "slot_f1", "invented_rate")


@dataclass
class Address:
    """How the server is reached."""

    name: str
    extra: Mapping[str, Any]

    def close(self) -> None:
        pass


@dataclass
class Counted:
    """An extractor, and how often it was asked."""

    inner: Extractor
    asked: int = 0

    def extract(self, request: Request) -> Extraction:
        self.asked += 1
        return self.inner.extract(request)

    async def aextract(self, request: Request) -> Extraction:
        self.asked += 1
        return await self.inner.aextract(request)


@dataclass
class Ways:
    """The ways of reading, by name."""

    corpus: Corpus
    services: Services
    deadline: float
    address: Callable[[], Address]
    retries: int
    counted: Counted | None = field(default=None)

    def records(self, way: str) -> Callable[[Dialogue], Sequence[TurnRecord]]:
        """What plays a dialogue this way."""
        kind, _, threshold = way.partition("@")
        make: Mapping[str, Callable[[], Extractor]] = {
            "changes": lambda: self._asking(InstructorExtractor),
            "set": lambda: self._asking(InstructorExtractor, ops=("set",)),
            "bare": lambda: self._asking(InstructorExtractor, ops=("set",), examples=()),
            "fields": lambda: self._asking(Fields, ops=("set",)),
            "hints": lambda: self._asking(InstructorExtractor, ops=("set",), hints=True),
            "keen": lambda: self._asking(InstructorExtractor, ops=("set",), examples=KEEN),
            "doubted": lambda: self._asking(InstructorExtractor, ops=("set",), checked=True, examples=EXAMPLES),
            "checked": lambda: self._asking(InstructorExtractor, ops=("set",), checked=True),
            "guided": lambda: self._asking(InstructorExtractor, ops=("set",), checked=True, hints=True),
            "few": lambda: self._asking(InstructorExtractor, ops=("set",), max_domains=int(threshold or 2)),
            "loose": lambda: self._asking(InstructorExtractor, ops=("set",), grounded=False),
            "own": lambda: self._asking(InstructorExtractor, ops=("set",), offers=False),
            "builtin": BuiltinExtractor,
            "chain": lambda: self._chained(float(threshold or 0.7)),
        }
        if kind == "whole":
            address = self.address()
            whole = WholeState(address.name, mode="JSON_SCHEMA", extra=address.extra, retries=self.retries)
            return lambda dialogue: tuple(whole.play(self.corpus, dialogue, self.services, self.deadline))
        extractor = make[kind]()
        return partial(self._played, extractor)

    def _asking(self, kind: type[InstructorExtractor], **options: Any) -> InstructorExtractor:
        address = self.address()
        return kind(address.name, mode="JSON_SCHEMA", extra=address.extra, retries=self.retries, **options)

    def _chained(self, threshold: float) -> Extractor:
        self.counted = Counted(self._asking(InstructorExtractor, ops=("set",)))
        return ChainedExtractor(BuiltinExtractor(), self.counted, threshold=threshold)

    def _played(self, extractor: Extractor, dialogue: Dialogue) -> Sequence[TurnRecord]:
        return play(self.corpus, dialogue, extractor, self.services, deadline=self.deadline)


def run(way: str, ways: Ways, replies: Replies, settings: Mapping[str, Any], jobs: int) -> Evaluation:
    """Play all dialogues one way."""
    corpus, scores = ways.corpus, list[DialogueScore]()
    records_of = ways.records(way)

    def score(dialogue: Dialogue) -> DialogueScore:
        with keeping(replies):
            records = records_of(dialogue)
        return score_dialogue(corpus, dialogue, domains_for(corpus, dialogue, ways.services), records)

    with ThreadPoolExecutor(jobs) as pool:
        for number, one in enumerate(pool.map(score, corpus.dialogues)):
            scores.append(one)
            print(f"\r{way}: {number + 1} of {len(corpus.dialogues)} ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    asked = {} if ways.counted is None else {"asked": ways.counted.asked}
    ways.counted = None
    return evaluation(corpus, way, scores, samples, settings={**settings, **asked}, replies=replies.counts())


def line(name: str, one: Evaluation) -> str:
    """A row of the table."""
    figures, turns = one.figures, max(one.turns, 1)
    lost = figures.get("lost_rate")
    asked = one.settings.get("asked")
    shown = {key: figures[key].value for key in ("precision", "recall", "invented_rate") if key in figures}
    return (
        f"{name:12} JGA {one.jga or 0:.3f}  exact {one.jga_exact or 0:.3f}  F1 {one.slot_f1 or 0:.3f}  "
        + "  ".join(f"{key} {value:.3f}" for key, value in shown.items())
        + (f"  lost {round(lost.value * lost.n)} of {lost.n}" if lost else "")
        + f"  confirmed lost {one.lost_confirmed} of {one.confirmed} ({one.at_risk} at risk)"
        + f"  tokens {(one.tokens_in or 0) / turns:.0f}/{(one.tokens_out or 0) / turns:.0f}"
        + f"  failed {one.failed_turns}  turns {one.turns}"
        + f"  {(one.ms_per_turn_p50 or 0) / 1000:.1f} s"
        + (f"  asked {asked / turns:.1%}" if asked is not None else "")
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpus")
    parser.add_argument("--data", required=True)
    served = parser.add_mutually_exclusive_group(required=True)
    served.add_argument("--gguf", type=Path)
    served.add_argument("--url", help="an OpenAI-compatible server, with /v1")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--split")
    parser.add_argument("--kinds", default="plain", choices=("typed", "plain"))
    parser.add_argument("--services")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--seed", type=int, help="draw the dialogues, rather than take the first ones")
    parser.add_argument("--ways", nargs="+", default=WAYS)
    parser.add_argument("--against", default="whole")
    parser.add_argument("--retries", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--cache", type=Path, required=True)
    options = parser.parse_args()
    corpus = read_corpus(options.corpus, options.data, split=options.split, kinds=options.kinds)
    dialogues = list(corpus.dialogues)
    if options.seed is not None:
        random.Random(options.seed).shuffle(dialogues)
    corpus = replace(corpus, dialogues=tuple(dialogues[: options.limit]))
    services: Services = options.services or SERVICES[options.corpus]
    host = None if options.gguf is None else Host(options.gguf, Address)
    there = Address("openai/local", {"base_url": options.url, "api_key": "none"})
    reached = (lambda: there) if host is None else (lambda: host.begin().result(120))
    ways = Ways(corpus, services, 600.0, reached, options.retries)
    options.out.mkdir(parents=True, exist_ok=True)
    found: dict[str, Evaluation] = {}
    try:
        for way in options.ways:
            file = options.out / f"{way}.json"
            if file.exists():
                found[way] = read_evaluation(file.read_bytes(), str(file))
            else:
                replies = Replies(options.cache, scope_of(f"local:{options.gguf}") if host else "")
                settings = {"kinds": options.kinds, "services": services, "retries": options.retries}
                found[way] = run(way, ways, replies, settings, options.jobs)
                file.write_text(found[way].model_dump_json(), encoding="utf-8")
            print(line(way, found[way]), flush=True)
    finally:
        if host is not None:
            host.close()
    base = found.get(options.against)
    for way, one in found.items():
        if base is not None and one is not base:
            found_changes = compare(one, base, samples).changes
            changes = {key: found_changes[key] for key in COMPARED if key in found_changes}
            told = (
                f"{key} {changes[key].difference:+.3f} ({changes[key].low} to {changes[key].high})" for key in COMPARED
            )
            print(f"{way} against {options.against}: " + "; ".join(told))


if __name__ == "__main__":
    main()
