"""Processor time of one turn's assembly: from the new message to the list of messages, nothing rendered beforehand.

Each system runs in a process of its own. The processes take turns, a few conversation turns at a time, so that
whatever else the machine does falls on all alike. Garbage is collected before each stretch and not within it. Time is
that of all threads of the process.
"""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import Any

from benchmarks.assembly_peers.measure import after, end, settled, steps
from benchmarks.assembly_peers.scenario import Plan
from benchmarks.assembly_peers.systems import Entry, System

STRETCH = 10
"""Turns that a process plays before the next one has its turn."""


WINDOW = 100


@dataclass
class Timed:
    """Microseconds of each turn: of the prompt alone, and with the recording of its message."""

    entry: Entry
    prompt: list[float]
    both: list[float]

    def at(self, turn: int) -> tuple[float, float]:
        """The medians of the hundred turns up to `turn`."""
        part = slice(max(0, turn - WINDOW), turn)
        return statistics.median(self.prompt[part]), statistics.median(self.both[part])

    def mean(self, turn: int) -> float:
        """The mean of the same turns, the prompt alone: what cuts the history, or summarises it, counts in full."""
        return statistics.fmean(self.prompt[max(0, turn - WINDOW) : turn])


def race(entries: Sequence[Entry], plan: Plan, repeats: int) -> list[Timed]:
    """Time every system on the plan; of each turn, the median over the repeats."""
    turns = len(plan.turns)
    runs = [_round([(entry, 0, turns) for entry in entries], plan) for _ in range(repeats)]
    return [
        Timed(
            entry,
            [statistics.median(at) for at in zip(*(run[index][0] for run in runs), strict=True)],
            [statistics.median(at) for at in zip(*(run[index][1] for run in runs), strict=True)],
        )
        for index, entry in enumerate(entries)
    ]


def growth(entry: Entry, plan: Plan, late: int, repeats: int) -> tuple[float, float]:
    """Microseconds of the prompt: medians of the hundred turns up to the plan's end in `repeats` conversations, and of
    those up to turn `late` in one that has all its turns (the plan over and over) behind it; all side by side.
    """
    turns = len(plan.turns)
    early: list[Lane] = [(entry, turns - WINDOW, turns)] * repeats
    *young, old = _round([*early, (entry, late - WINDOW, late)], plan)
    return statistics.median(one for prompt, _ in young for one in prompt), statistics.median(old[0])


Lane = tuple[Entry, int, int]
"""A system, and the turns that are timed; those before them are played first."""


def _round(lanes: Sequence[Lane], plan: Plan) -> list[tuple[list[float], list[float]]]:
    context = multiprocessing.get_context("spawn")
    pipes: list[Connection] = []
    workers = []
    for entry, start, _ in lanes:
        mine, theirs = context.Pipe()
        worker = context.Process(target=_work, args=(theirs, entry, plan, start), daemon=True)
        worker.start()
        pipes.append(mine)
        workers.append(worker)
    took: list[tuple[list[float], list[float]]] = [([], []) for _ in lanes]
    for pipe in pipes:
        pipe.recv()  # all are ready before the first one starts
    length = lanes[0][2] - lanes[0][1]
    for offset in range(0, length, STRETCH):
        for pipe, (_, start, _), lane in zip(pipes, lanes, took, strict=True):
            pipe.send((start + offset, start + min(offset + STRETCH, length)))
            for column, more in zip(lane, pipe.recv(), strict=True):
                column.extend(more)
    for pipe, worker in zip(pipes, workers, strict=True):
        pipe.send(None)
        worker.join()
    return took


def _work(pipe: Connection, entry: Entry, plan: Plan, start: int) -> None:
    asyncio.run(_serve(pipe, entry, plan, start))


async def _serve(pipe: Connection, entry: Entry, plan: Plan, start: int) -> None:
    system = entry.factory()(plan)
    for index in range(start):
        await _turn(system, plan, index)
    gc.collect()
    gc.freeze()
    pipe.send("ready")
    while (stretch := pipe.recv()) is not None:
        gc.collect()
        gc.disable()
        result = [await _turn(system, plan, index) for index in range(*stretch)]
        gc.enable()
        pipe.send(tuple(zip(*result, strict=True)))


async def _turn(system: System, plan: Plan, index: int) -> tuple[float, float]:
    """Microseconds of the turn's requests. Behind its last turn the plan begins again, with other ids, and no pins."""
    again, at = divmod(index, len(plan.turns))
    alone = both = 0.0
    for message, ask in steps(plan.turns[at]):
        said = replace(message, id=f"{message.id}/{again}", pinned=False) if again else message
        start = time.process_time()
        system.add(said)
        added = time.process_time()
        if ask:
            await settled(system.prompt())
            done = time.process_time()
            alone += (done - added) * 1e6
            both += (done - start) * 1e6
            await after(system)
    await end(system)
    return alone, both


def rows(timed: Sequence[Timed], marks: Sequence[int]) -> list[dict[str, Any]]:
    """The numbers that are told: at each mark, the prompt alone and with its message's recording, and the mean of the
    prompt alone.
    """
    table = []
    for one in timed:
        row: dict[str, Any] = {"name": one.entry.name}
        for mark in marks:
            alone, both = one.at(mark)
            row[f"prompt@{mark}"], row[f"turn@{mark}"] = round(alone, 1), round(both, 1)
            row[f"mean@{mark}"] = round(one.mean(mark), 1)
        table.append(row)
    return table
