"""What compaction saves in a task with tools, whether all that the task needs is found again, and 2,000 turns.

usage: python -m benchmarks.compaction_task [task] [turns] [--seeds 3] [--turns 2000] [--windows 0,32000,16000,8000]

task    fifteen steps with tools (see task_script): searches, tables, logs and terms of 10 to 60 kB, failures and
        retries, a prompt for each call of the model. Compared with the same messages as they are, behind the same
        system message, in tokens of o200k by a count of its own. At the end every fact that the task needs must stand
        in the prompt, or in what `chat.recall` brings back for a reference that stands in the prompt: a blob, a
        message's id or a range of messages. Windows of 0 are without a limit.
turns   small talk, slot changes and tool traffic under a budget of 4,000 tokens: tokens of the prompt and processor
        time of a turn (message, prompts, reply; the median of three runs for each turn): medians of stretches of 200
        turns, the growth of the line fitted through those from the second on, and the same for the means, in which
        the turns that compact count.

Every condition is printed with PASS or FAIL; the exit status is 1 when one fails.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

from pydantic import BaseModel

from benchmarks.assembly_peers.counting import prompt_tokens, text_of
from benchmarks.long_talk import BUDGET, Turn, hold
from benchmarks.task_script import Task, make_task
from slotstate import Budget, Chat, Tracker, recall_tool
from slotstate.errors import InputError
from slotstate.testing import ScriptedExtractor

NOW: Final = datetime(2026, 5, 4, 9, tzinfo=UTC)
SAVED: Final = 0.6
STRETCH: Final = 200
FLAT: Final = 0.1
FLAT_MEAN: Final = 0.2
"""Means have the turns that compact in them, a few dozen in a stretch."""
_REFERENCES: Final = re.compile(r"blob:[0-9a-f]{16}|\b\d+\.\.\d+\b")


class Fair(BaseModel):
    """Prepare a fair."""

    site: str | None = None
    tent: str | None = None
    stage: str | None = None


@dataclass
class TaskRun:
    """What came of one task under one budget."""

    tokens: int = 0
    plain: int = 0
    requests: int = 0
    last: int = 0
    versions: int = 0
    standing: list[str] = field(default_factory=list)
    recalled: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    stored: int = 0
    """Of the lost ones, those that a reference brings back which the prompt does not show."""


def run_task(task: Task, window: int | None) -> TaskRun:
    """Play a task to its end."""
    tools = [recall_tool()]
    budget = Budget(window, counter="o200k_base", tools=tools)
    chat = Tracker(Fair, extractor=ScriptedExtractor(), clock=lambda: NOW).open("task")
    run, plain, pending = TaskRun(), list[dict[str, Any]](), 0
    messages: list[dict[str, Any]] = []
    for event in task.events:
        chat.add(event)
        plain.append({key: value for key, value in event.items() if key != "id"})
        pending += len(event.get("tool_calls", ())) - (event["role"] == "tool")
        if event["role"] in ("user", "tool") and not pending:
            messages = chat.prompt(budget).messages
            run.last = prompt_tokens(messages, tools)
            run.tokens += run.last
            run.plain += prompt_tokens([messages[0], *plain])
            run.requests += 1
    run.versions = chat.summary.version
    _find(task, chat, messages, run)
    return run


def _find(task: Task, chat: Chat, messages: Sequence[dict[str, Any]], run: TaskRun) -> None:
    """Where each needed fact is at the end."""
    text = "\n".join(map(text_of, messages))
    near = [chat.recall(reference) for reference in _shown(chat, text)]
    far = [found for message in chat.messages for found in _behind(chat, message.id)]
    for fact in task.needed:
        if fact in text:
            run.standing.append(fact)
        elif any(fact in one for one in near):
            run.recalled.append(fact)
        else:
            run.lost.append(fact)
            run.stored += any(fact in one for one in far)


def _shown(chat: Chat, text: str) -> Iterator[str]:
    """The references that stand in a prompt and that can be recalled."""
    ids = [message.id for message in chat.messages if re.search(rf"(?<![\w-]){re.escape(message.id)}(?![\w-])", text)]
    for reference in dict.fromkeys([*_REFERENCES.findall(text), *ids]):
        try:
            chat.recall(reference)
        except InputError:
            continue
        yield reference


def _behind(chat: Chat, ident: str) -> Iterator[str]:
    """A message, and what the references in it stand for."""
    text = chat.recall(ident)
    yield text
    for reference in _REFERENCES.findall(text):
        if reference.startswith("blob:"):
            yield chat.recall(reference)


def task(options: argparse.Namespace) -> list[bool]:
    """The task under each budget."""
    passed = []
    for window in map(int, options.windows.split(",")):
        runs = [run_task(make_task(seed), window or None) for seed in range(1, options.seeds + 1)]
        name = f"{window:,} tokens" if window else "no limit"
        ours, plain = sum(run.tokens for run in runs), sum(run.plain for run in runs)
        facts = sum(len(run.standing) + len(run.recalled) + len(run.lost) for run in runs)
        lost = [fact for run in runs for fact in run.lost]
        print(
            f"\n{name}: {len(runs)} tasks of {runs[0].requests} requests, {ours / len(runs):,.0f} tokens each, as they "
            f"are {plain / len(runs):,.0f}\n  last prompt {statistics.fmean(run.last for run in runs):,.0f} tokens, "
            f"compactions {statistics.fmean(run.versions for run in runs):.1f}; of {facts} facts "
            f"{sum(len(run.standing) for run in runs)} in the prompt, {sum(len(run.recalled) for run in runs)} one "
            f"recall away, {len(lost)} neither ({sum(run.stored for run in runs)} of these behind references that the "
            "prompt does not show)"
        )
        saved = 1 - ours / plain
        passed += [
            verdict(saved >= SAVED, f"{name}: tokens {saved:.1%} below, asked: {SAVED:.0%}"),
            verdict(not lost, f"{name}: {facts - len(lost)} of {facts} facts in the prompt or one recall away"),
        ]
        if lost:
            print(f"       missing: {', '.join(lost)}")
    return passed


def turns(options: argparse.Namespace) -> list[bool]:
    """The long conversation."""
    passed = []
    for language in ("en", "zh"):
        held = _typical([hold(language, options.turns, seed=7) for _ in range(options.repeats)])
        stretches = [held[at : at + STRETCH] for at in range(0, len(held), STRETCH)]
        print(f"\n{language}: {len(held)} turns, budget {BUDGET}, {held[-1].version} compactions")
        for name, figures in (("tokens", [turn.tokens for turn in held]), ("ms", [turn.ms for turn in held])):
            parts = [figures[at : at + STRETCH] for at in range(0, len(figures), STRETCH)]
            medians, means = [statistics.median(part) for part in parts], [statistics.fmean(part) for part in parts]
            print(f"  {name}, medians: {_row(medians)}\n  {name}, means:   {_row(means)}")
            for kind, values, most in (("medians", medians, FLAT), ("means", means, FLAT_MEAN)):
                grown = growth(values[1:])
                told = f"{language}: {name}, {kind}: fitted growth {grown:+.1%}, asked: at most {most:.0%}"
                passed.append(verdict(grown <= most, told))
        most = max(turn.tokens for turn in held)
        passed.append(verdict(most <= BUDGET, f"{language}: at most {most} tokens in a prompt, asked: {BUDGET}"))
        print(f"  compactions by stretch: {_row([_versions(stretch) for stretch in stretches])}")
    return passed


def _typical(runs: Sequence[Sequence[Turn]]) -> list[Turn]:
    """The median over the repeats of each turn's time; all else is the same in all."""
    return [replace(turn[0], ms=statistics.median(one.ms for one in turn)) for turn in zip(*runs, strict=True)]


def growth(values: Sequence[float]) -> float:
    """How much the fitted line grows from the first to the last value, as a share of their mean."""
    fit = statistics.linear_regression(range(len(values)), values)
    return fit.slope * (len(values) - 1) / statistics.fmean(values)


def _versions(stretch: Sequence[Turn]) -> float:
    return stretch[-1].version - stretch[0].version


def _row(values: Sequence[float]) -> str:
    return " ".join(f"{value:,.0f}" if value >= 20 else f"{value:.2f}" for value in values)


def verdict(ok: bool, text: str) -> bool:
    """Print a condition."""
    print(f"  {'PASS' if ok else 'FAIL'} {text}", flush=True)
    return ok


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="part", help="task, turns")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--turns", type=int, default=2_000)
    parser.add_argument("--repeats", type=int, default=3, help="of the long conversation")
    parser.add_argument("--windows", default="0,32000,16000,8000")
    options = parser.parse_args(arguments)
    parts = {"task": task, "turns": turns}
    if unknown := set(options.parts) - set(parts):
        parser.error(f"no part is called {', '.join(sorted(unknown))}: there are {', '.join(parts)}")
    passed: list[bool] = []
    for part in options.parts or parts:
        print(f"== {part}", flush=True)
        passed += parts[part](options)
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
