"""The parts of the benchmark, one method each."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import Any, Final

from benchmarks.assembly_peers import report
from benchmarks.assembly_peers.measure import Result, play
from benchmarks.assembly_peers.scenario import Plan, make_plan
from benchmarks.assembly_peers.systems import Entry, MissingPeer, find
from benchmarks.assembly_peers.timing import growth, race, rows

Missing = MissingPeer
_PACKAGES: Final = ("pydantic-ai-harness", "langchain", "langchain-core", "prompt-poet", "openai-agents", "toktok-rs")
_KEPT: Final = {
    "slots": "slots",
    "pins_share": "pins",
    "prefix": "eq/turn",
    "steps": "1,024/128",
    "tokens": "tokens",
    "prefix_share": "prefix",
    "over": "turns over",
    "slots_in_lines": "in lines",
    "stale_lines": "out of date",
    "epochs": "epochs",
    "overruled": "overruled",
    "unset": "not settable",
    "miscounted": "miscounted",
}


class Run:
    """One run, with what it found. Raises MissingPeer before anything else."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._entries = find(options.only)
        for entry in self._entries:
            entry.factory()
        self.verdicts: list[report.Verdict] = []
        self.numbers: dict[str, Any] = {"versions": {name: version(name) for name in _PACKAGES}}
        self._keeping: set[str] = set()
        print(", ".join(f"{name} {number}" for name, number in self.numbers["versions"].items()))

    def cost(self) -> None:
        """What a conversation costs, and what is kept."""
        results = self._cost("cost", self._plan())
        if self._options.chart:
            from benchmarks.assembly_peers.chart import draw

            draw(results, self._options.chart)

    def tools(self) -> None:
        """The same with tool calls."""
        self._cost("tools", self._plan(tools=True), judge=False)

    def _cost(self, part: str, plan: Plan, *, judge: bool = True) -> list[Result]:
        results = [play(entry, plan) for entry in self._able(plan)]
        told = [(result.entry, result.row()) for result in results]
        self.numbers[part] = [row for _, row in told]
        print(report.table([row for _, row in told], report.COLUMNS))
        print(report.own_lines(told))
        if judge:
            facts = len(plan.facts)
            self._keeping = {
                entry.name
                for entry, row in told
                if entry.judged and entry.pins and row["pins"] == facts and not row["over"]
            }
            self._judge(report.cost_verdicts(told, facts))
        return results

    def dialogues(self) -> None:
        """What real dialogues leave in the prompt."""
        from benchmarks.assembly_peers.dialogues import sessions

        for corpus in self._options.corpora.split(","):
            plans = [_like_ours(plan) for plan in sessions(corpus, self._options.data, self._options.sessions)]
            print(f"{corpus}: {len(plans)} sessions of {len(plans[0].turns)} turns, budget {plans[0].budget}")
            kept = [report.kept_row(entry, [play(entry, plan) for plan in plans]) for entry in self._entries]
            self.numbers[f"dialogues {corpus}"] = kept
            print(report.table(kept, _KEPT))
            self._judge(
                report.Verdict(f"{row['name']}, {corpus}: all gold values and pins in the prompt", whole)
                for entry, row in zip(self._entries, kept, strict=True)
                if entry.ours
                for whole in [row["slots"] == 1 and row["pins_share"] == 1 and not row["over"]]
            )

    def time(self) -> None:
        """How long a turn takes."""
        turns = self._options.turns
        marks = sorted({mark for mark in (40, 100) if mark < turns} | {turns})
        timed = race(self._entries, self._plan(), self._options.repeats)
        table = rows(timed, marks)
        self.numbers["time"] = table
        print("µs of a hundred turns: medians of the prompt alone, and with the recording of its message; its mean")
        print(report.table(table, {key: key for key in table[0] if key != "name"}))
        keeping = self._keeping or {entry.name for entry in self._entries if entry.judged and entry.pins}
        self._judge(report.time_verdicts(timed, keeping, turns))

    def growth(self) -> None:
        """Whether ours grows with the conversation."""
        late, plan = self._options.late, self._plan()
        for entry in self._entries:
            if entry.ours:
                early, old = growth(entry, plan, late, self._options.repeats)
                self.numbers.setdefault("growth", []).append({"name": entry.name, "early": early, "late": old})
                self._judge([report.growth_verdict(entry, early, old, len(plan.turns), late)])

    def _plan(self, *, tools: bool = False) -> Plan:
        asked = self._options
        return _like_ours(
            make_plan(turns=asked.turns, tokens=asked.tokens, budget=asked.budget, tools=tools, seed=asked.seed)
        )

    def _able(self, plan: Plan) -> Sequence[Entry]:
        return [entry for entry in self._entries if entry.tools or not plan.tools]

    def _judge(self, verdicts: Iterable[report.Verdict]) -> None:
        for verdict in verdicts:
            self.verdicts.append(verdict)
            self.numbers.setdefault("verdicts", []).append(str(verdict))
            print(verdict, flush=True)


def _like_ours(plan: Plan) -> Plan:
    """The plan with our own system text for the peers, so that theirs is as long."""
    from benchmarks.assembly_peers.ours import system_text

    return replace(plan, system=system_text(plan))
