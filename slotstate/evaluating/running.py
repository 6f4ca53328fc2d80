"""A whole corpus played and scored: in this process, or with dialogues spread over several."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from slotstate.errors import ExtractorError, InputError
from slotstate.evaluating.corpora import Kinds, read_corpus
from slotstate.evaluating.playing import SERVICES, Services, domains_for, play
from slotstate.evaluating.replies import Replies, scope_of
from slotstate.extract import Extractor
from slotstate.extractors import make_extractor
from slotstate.loading import importable
from slotstate.measuring.dialogues import Corpus
from slotstate.measuring.scoring import DialogueScore, score_dialogue
from slotstate.providers import keeping
from slotstate.tracker import DEADLINE

SEED: Final = 1
PICKS: Final = 2_000_000
"""Dialogues drawn for the intervals in all: as many samples as that allows, between 1,000 and 10,000."""


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be evaluated, so that another process can read it as well."""

    corpus: str
    data: str
    extractor: str
    version: str | None = None
    split: str | None = None
    schemas: tuple[str, ...] = ()
    kinds: Kinds = "plain"
    services: Services | None = None
    limit: int | None = None
    deadline: float | None = DEADLINE
    replies: str | None = None
    """The folder in which models' replies are kept; None for not at all."""

    def read(self) -> Corpus:
        """The corpus, cut to the first `limit` dialogues. Raises InputError."""
        corpus = read_corpus(
            self.corpus,
            self.data,
            version=self.version,
            split=self.split,
            schemas=self.schemas,
            kinds=self.kinds,
        )
        return replace(corpus, dialogues=corpus.dialogues[: self.limit])

    @property
    def shown(self) -> Services:
        """Which services the extractor is shown."""
        return self.services or SERVICES[self.corpus]


@dataclass
class Run:
    """The scores of all dialogues, in their order, and what became of the models' calls."""

    scores: list[DialogueScore]
    replies: dict[str, int] = field(default_factory=dict[str, int])


@dataclass
class Evaluator:
    """Plays and scores dialogues of one corpus in this process."""

    corpus: Corpus
    extractor: Extractor
    services: Services
    deadline: float | None = DEADLINE
    replies: Replies | None = None

    def score(self, index: int) -> DialogueScore:
        """The score of a dialogue."""
        dialogue = self.corpus.dialogues[index]
        replies = self.replies
        with keeping(replies):
            records = play(
                self.corpus,
                dialogue,
                self.extractor,
                self.services,
                deadline=self.deadline,
                saved=lambda: 0.0 if replies is None else replies.saved_ms,
            )
        return score_dialogue(self.corpus, dialogue, domains_for(self.corpus, dialogue, self.services), records)

    def close(self) -> None:
        """Release what the extractor holds open."""
        close = getattr(self.extractor, "close", None)
        if close is not None:
            close()


def evaluate(
    task: Task, corpus: Corpus, extractor: Extractor, jobs: int = 1, done: Callable[[], None] = lambda: None
) -> Run:
    """Evaluate, with `jobs` processes; `done` is called after each dialogue. Raises ExtractorError when no turn could
    be read.
    """
    count = len(corpus.dialogues)
    if not count:
        raise InputError(f"{task.data}: there is no dialogue to evaluate")
    run = Run([])
    scores: list[DialogueScore | None] = [None] * count
    here = _evaluator(task, corpus, extractor)
    spread = _spread(task, count, jobs) if jobs > 1 else _alone(here, count)
    for index, score, replies in spread:
        scores[index] = score
        for name, number in replies.items():
            run.replies[name] = run.replies.get(name, 0) + number
        done()
    run.scores = [score for score in scores if score is not None]
    if all(score.failed == score.turns for score in run.scores):
        raise ExtractorError(f"not one turn could be read: {run.scores[0].error or 'no dialogue has a user turn'}")
    return run


def samples(count: int) -> Iterator[Sequence[int]]:
    """Samples of `count` dialogues with replacement, the same ones each time."""
    chance = random.Random(SEED)
    dialogues = range(count)
    for _ in range(max(1_000, min(10_000, PICKS // max(count, 1)))):
        yield chance.choices(dialogues, k=count)


Scored = tuple[int, DialogueScore, dict[str, int]]
"""The number of a dialogue, its score, and how many calls were made and kept for it."""


def _evaluator(task: Task, corpus: Corpus, extractor: Extractor) -> Evaluator:
    replies = None if task.replies is None else Replies(Path(task.replies), scope_of(task.extractor))
    return Evaluator(corpus, extractor, task.shown, task.deadline, replies)


def _alone(evaluator: Evaluator, count: int) -> Iterator[Scored]:
    for index in range(count):
        yield _scored(evaluator, index)


def _scored(evaluator: Evaluator, index: int) -> Scored:
    before = dict(evaluator.replies.counts()) if evaluator.replies else {}
    score = evaluator.score(index)
    after = dict(evaluator.replies.counts()) if evaluator.replies else {}
    return index, score, {name: number - before.get(name, 0) for name, number in after.items()}


# Other processes

_HERE: list[Evaluator] = []
"""The evaluator of a process that was started for it."""


def _spread(task: Task, count: int, jobs: int) -> Iterator[Scored]:
    """The dialogues as they are done. The processes begin afresh: one that is split off from a program with threads may
    stand still for ever.
    """
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(jobs, count), mp_context=context, initializer=_begin, initargs=(task,))
    try:
        futures = [pool.submit(_score_here, index) for index in range(count)]
        for future in as_completed(futures):
            yield future.result()
    except BrokenProcessPool:
        time.sleep(0.5)  # an interrupt that ended it is on its way here too
        raise ExtractorError("a process ended before its dialogues were done: find out with --jobs 1 why") from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _begin(task: Task) -> None:
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))  # the process that waits for this one tells of it
    with importable(Path.cwd()):
        extractor = make_extractor(task.extractor)
    _HERE.append(_evaluator(task, task.read(), extractor))


def _score_here(index: int) -> Scored:
    return _scored(_HERE[0], index)


__all__ = ["Evaluator", "Run", "Task", "evaluate", "samples"]
