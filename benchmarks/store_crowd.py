"""Many processes write to the same few sessions: nothing is lost, nothing doubled, each one's order is kept.

usage: python -m benchmarks.store_crowd [--url sqlite:///crowd.db] [--workers 8] [--turns 200] [--sessions 10] [--json]

Each worker appends its turns, of two entries, to sessions drawn at random; a stale one loads what is new and tries
again. Reported: turns a second over all, how often a writer was stale, and what is wrong with the logs afterwards. Exit
1 when anything is.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from slotstate import StaleWriter
from slotstate.events import UserTurn
from slotstate.log import Entry
from slotstate.stores import open_store

AT = datetime(2026, 1, 5, tzinfo=UTC)


def made(seq: int, worker: int, turn: int, half: int) -> Entry:
    """Half of a worker's turn."""
    return Entry(seq, AT, UserTurn(turn=seq, id=f"{worker}-{turn}-{half}", text="x" * 200, at=AT))


def work(url: str, worker: int, turns: int, sessions: int) -> int:
    """Write turns; how often this worker was stale."""
    store = open_store(url)
    rng = random.Random(worker)
    lengths = dict.fromkeys(range(sessions), 0)
    stale = 0
    for turn in range(turns):
        session = rng.randrange(sessions)
        while True:
            length = lengths[session]
            try:
                entries = [made(length + half, worker, turn, half) for half in range(2)]
                store.append(f"{session}", entries, length)
                lengths[session] = length + 2
                break
            except StaleWriter:
                stale += 1
                lengths[session] = length + len(store.load(f"{session}", length))
    store.close()
    return stale


def faults(url: str, workers: int, turns: int, sessions: int) -> list[str]:
    """What is wrong with the logs."""
    store = open_store(url)
    seen: Counter[str] = Counter()
    found: list[str] = []
    for session in range(sessions):
        newest: dict[str, int] = {}
        events = [entry.event for entry in store.load(f"{session}")]
        texts = [event.id for event in events if isinstance(event, UserTurn)]
        for first, second in zip(texts[::2], texts[1::2], strict=True):
            worker, turn, _ = first.split("-")
            if (first, second) != (f"{worker}-{turn}-0", f"{worker}-{turn}-1"):
                found.append(f"session {session}: {first} and {second} are no turn")
            if int(turn) <= newest.get(worker, -1):
                found.append(f"session {session}: {first} stands behind turn {newest[worker]}")
            newest[worker] = int(turn)
            seen[f"{worker}-{turn}"] += 1
    store.close()
    found += [f"turn {name} is there {times} times" for name, times in seen.items() if times > 1]
    missing = workers * turns - len(seen)
    return [*found, f"{missing} turns are missing"] if missing else found


def measure(url: str, workers: int, turns: int, sessions: int) -> dict[str, Any]:
    """Figures of a run."""
    store = open_store(url)
    store.forget()
    store.close()
    began = time.perf_counter()
    pipes = []
    for worker in range(workers):
        reading, telling = os.pipe()
        if not os.fork():
            try:
                os.write(telling, str(work(url, worker, turns, sessions)).encode())
            except BaseException as error:
                print(f"worker {worker}: {type(error).__name__}: {error}", file=sys.stderr)
            os._exit(0)
        os.close(telling)
        pipes.append(reading)
    answers = [os.read(reading, 64) for reading in pipes]
    for _ in pipes:
        os.wait()
    seconds = time.perf_counter() - began
    wrong = faults(url, workers, turns, sessions)
    return {
        "turns": workers * turns,
        "per_second": round(workers * turns / seconds),
        "stale": sum(int(answer or 0) for answer in answers),
        "failed_workers": answers.count(b""),
        "faults": wrong[:20],
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url")
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--sessions", type=int, default=10)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        url = options.url or f"sqlite:///{Path(folder) / 'crowd.db'}?timeout=60"
        figures = measure(url, options.workers, options.turns, options.sessions)
    print(json.dumps(figures) if options.json else "\n".join(f"{name:>14} {value}" for name, value in figures.items()))
    return 1 if figures["faults"] or figures["failed_workers"] else 0


if __name__ == "__main__":
    sys.exit(main())
