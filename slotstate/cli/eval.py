"""`slotstate eval`: an extractor measured on a corpus of dialogues, compared with an earlier run, told on a page."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final, TextIO, get_args

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from slotstate.cli.figures import evaluation_page
from slotstate.cli.options import clean_output, load_extractor, set_up_streams
from slotstate.cli.screen import Screen
from slotstate.errors import InputError
from slotstate.evaluating.corpora import Kinds
from slotstate.evaluating.playing import Services
from slotstate.evaluating.replies import default_folder, kept_since
from slotstate.evaluating.running import SEED, Run, Task, evaluate, samples
from slotstate.measuring.dialogues import Corpus, CorpusName
from slotstate.measuring.evaluation import Evaluation, compare, evaluation, is_worse, read_evaluation
from slotstate.tracker import DEADLINE

SUMMARY: Final = "Measure an extractor on a corpus of dialogues, and compare it with an earlier run."
USAGE: Final = (
    "%(prog)s CORPUS --data PATH [--schema S ...] [--version V] [--split NAME] [--extractor E] [--services WHICH] "
    "[--kinds WHICH] [--limit N] [--jobs N] [--deadline S] [--cache DIR] [--no-cache] [--baseline RUN.json] "
    "[--report FILE.html] [--json]"
)
EPILOG: Final = """\
corpus:       sgd, multiwoz, crosswoz, cases (conversation tests) or sessions (exported ones, with --schema); found in
              the data by what files hold, not by their names. docs/evaluation.md says where to get each
extractor E:  builtin, builtin:FILE (models of your own), builtin:rules (no models), instructor:PROVIDER/MODEL,
              local[:GGUF], chain:E,E (the second where the first is not sure), script:FILE, or package.module:object
services:     turn (those of the turn's gold frames: SGD's default), dialogue (those that it is about: the tracker finds
              out which one is meant), or all (those of the whole corpus)

Every reply of a model is kept, by all that decides it: a second run asks for nothing again, and one that was
interrupted goes on where it ended.

exit codes:   0 done, 1 a confirmed value was lost, or joint goal accuracy is surely worse than the baseline's,
              2 bad input

example:      slotstate eval sgd --data dstc8-schema-guided-dialogue --limit 20 --report report.html"""

DONE, WORSE = 0, 1
_GOES_ON: Final = "the replies that came are kept, the same command goes on from there"
_NO_FRAMES: Final = ("cases", "sessions")
_IN_ORDER: Final = ("local", "script")
"""Extractors that are not to be started several times: a model's server, a script that goes on from turn to turn."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `eval`."""
    parser.add_argument("corpus", metavar="CORPUS", choices=get_args(CorpusName), help=", ".join(get_args(CorpusName)))
    parser.add_argument("--data", metavar="PATH", required=True, help="a file, a .zip file, or a folder")
    parser.add_argument(
        "--schema", metavar="S", action="append", default=[], help="what exported sessions track; may be repeated"
    )
    parser.add_argument(
        "--version", metavar="V", help="SGD: v1 to v5 (SGD-X); MultiWOZ: 2.1, 2.2, 2.4 (default: the newest there is)"
    )
    parser.add_argument("--split", metavar="NAME", help="train, dev or test, where the data have all (default: test)")
    parser.add_argument(
        "--extractor", metavar="E", default="builtin", help="what reads the user's turns (default: builtin)"
    )
    parser.add_argument(
        "--services",
        choices=get_args(Services),
        help="which services the extractor is shown: turn, dialogue or all (default: turn for SGD, else all)",
    )
    parser.add_argument(
        "--kinds",
        choices=get_args(Kinds),
        help="how SGD's slots are declared: typed (dates, times, numbers, as their names say), or plain (texts and "
        "options, as its schema has them) (default: plain)",
    )
    parser.add_argument("--limit", metavar="N", type=_count, help="only the first N dialogues")
    parser.add_argument("--jobs", metavar="N", type=_count, help="processes (default: one for each processor)")
    parser.add_argument(
        "--deadline", metavar="S", type=float, default=DEADLINE, help="seconds for one turn (default: %(default)g)"
    )
    parser.add_argument("--cache", metavar="DIR", help=f"where models' replies are kept (default: {_default_cache()})")
    parser.add_argument("--no-cache", action="store_true", help="keep no replies, and ask for each")
    parser.add_argument("--baseline", metavar="RUN.json", help="compare with what --json printed for an earlier run")
    parser.add_argument("--report", metavar="FILE.html", help="write a page with all figures and the mistakes' turns")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _count(given: str) -> int:
    number = int(given) if given.isascii() and given.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{given!r} is no whole number from 1 on")
    return number


def _default_cache() -> str:
    """The default folder as help shows it."""
    folder, home = str(default_folder()), str(Path.home())
    return folder.replace(home, "~", 1) if folder.startswith(home) else folder


def main(arguments: argparse.Namespace) -> int:
    """Evaluate, and print what came of it. Raises SlotstateError for bad input."""
    set_up_streams(utf8_out=arguments.json)
    if not arguments.json:
        return _run(arguments, None)
    with clean_output() as out:
        return _run(arguments, out)


def _run(arguments: argparse.Namespace, json_to: TextIO | None) -> int:
    task = _task(arguments)
    baseline = None if arguments.baseline is None else _baseline(Path(arguments.baseline))
    report = None if arguments.report is None else _writable(Path(arguments.report))
    corpus = task.read()
    run = _evaluated(task, corpus, arguments.jobs or _jobs(task))
    replies = run.replies if any(run.replies.values()) else None
    late = sum(ms > arguments.deadline * 1_000 for score in run.scores for ms in score.ms)
    if late:
        told = f"{late} turns took longer than --deadline {arguments.deadline:g}"
        print(f"slotstate: {told}: it is the extractor that has to keep request.deadline", file=sys.stderr)
    settings = _settings(task, corpus)
    found = evaluation(corpus, task.extractor, run.scores, samples, settings=settings, replies=replies)
    if baseline is not None:
        found = found.model_copy(update={"comparison": compare(found, baseline, samples)})
    if report is not None:
        _write(report, found, corpus, run)
    if json_to is not None:
        print(found.model_dump_json(indent=2), file=json_to)
    else:
        Screen().show(*evaluation_page(found), *([f"page: {report}"] if report else []))
    worse = found.comparison is not None and is_worse(found.comparison)
    return WORSE if worse or found.lost_confirmed else DONE


def _task(arguments: argparse.Namespace) -> Task:
    if arguments.schema and arguments.corpus != "sessions":
        raise InputError(f"--schema is for exported sessions: {arguments.corpus} brings its own schemas")
    if arguments.kinds and arguments.corpus != "sgd":
        raise InputError(f"--kinds is for sgd: {arguments.corpus} is declared in one way only")
    if arguments.services == "turn" and arguments.corpus in _NO_FRAMES:
        raise InputError(f"--services turn needs frames of services: {arguments.corpus} has none")
    if arguments.deadline <= 0:
        raise InputError("--deadline is a number of seconds above 0")
    if arguments.no_cache and arguments.cache is not None:
        raise InputError("--cache and --no-cache exclude each other")
    if arguments.cache is not None:
        try:
            Path(arguments.cache).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"--cache {arguments.cache} can be no folder for replies: {error.strerror}") from None
    kept = None if arguments.no_cache else str(arguments.cache or default_folder())
    return Task(
        arguments.corpus,
        arguments.data,
        arguments.extractor,
        arguments.version,
        arguments.split,
        tuple(arguments.schema),
        arguments.kinds or "plain",
        arguments.services,
        arguments.limit,
        arguments.deadline,
        kept,
    )


def _baseline(path: Path) -> Evaluation:
    try:
        return read_evaluation(path.read_text(encoding="utf-8-sig"), str(path))
    except UnicodeDecodeError:
        raise InputError(f"{path}: not what slotstate eval --json prints (no UTF-8 text)") from None


def _writable(path: Path) -> Path:
    """The file of the report: whether its folder is there shows before the work is done."""
    if path.is_dir() or not path.parent.is_dir():
        raise InputError(f"cannot write the report to {str(path)!r}: name a file in a folder that there is")
    return path


def _jobs(task: Task) -> int:
    if any(name in task.extractor for name in _IN_ORDER):
        return 1
    return max(1, min(os.cpu_count() or 1, 8))


def _evaluated(task: Task, corpus: Corpus, jobs: int) -> Run:
    extractor = load_extractor(task.extractor)
    started = time.time()
    try:
        with _progress(len(corpus.dialogues), task) as done:
            return evaluate(task, corpus, extractor, jobs, done)
    except KeyboardInterrupt:
        kept = task.replies is not None and kept_since(Path(task.replies), started)
        raise KeyboardInterrupt(_GOES_ON if kept else "") from None
    finally:
        close = getattr(extractor, "close", None)
        if close is not None:
            close()


@contextlib.contextmanager
def _progress(count: int, task: Task) -> Iterator[Callable[[], None]]:
    """A bar on standard error, with the time that is left, while someone looks on."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda: None
        return
    shown = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("dialogues"),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
    )
    with Progress(*shown, console=console, transient=True) as progress:
        bar = progress.add_task(task.corpus, total=count)
        yield lambda: progress.advance(bar)


def _settings(task: Task, corpus: Corpus) -> Mapping[str, Any]:
    told: dict[str, Any] = {**asdict(task), "services": task.shown, "files": list(corpus.files)}
    told["schemas"] = list(task.schemas) or None
    told["kinds"] = task.kinds if task.corpus == "sgd" else None
    return {**{name: one for name, one in told.items() if one is not None}, "seed": SEED, "slotstate": _version()}


def _version() -> str:
    try:
        return version("slotstate")
    except PackageNotFoundError:  # a checkout that is not installed
        return "(not installed)"


def _write(path: Path, found: Evaluation, corpus: Corpus, run: Run) -> None:
    from slotstate.evaluating.page import render  # Jinja is not needed otherwise

    path.write_text(render(found, corpus, run.scores), encoding="utf-8")
    if sys.stderr.isatty():
        Console(stderr=True).print(f"page: {path}", markup=False, highlight=False)
