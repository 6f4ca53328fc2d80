"""What it costs to open a conversation, by its age, and what a worker that opens many keeps of them.

    python -m benchmarks.store_opening [--store URL …]

Opening: a session of 10,000 entries beside one of 10, opened in turn, in a file; twenty slots, all of them held. Fails
above twice the time. Memory: one worker opens 10,000 sessions one after the other, writes a turn into each and drops
it. Crowd: sessions of a turn each are opened once, first where there are 400 of them, then among 100,000.
"""

from __future__ import annotations

import argparse
import gc
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from pydantic import create_model

from slotstate import Budget, Tracker
from slotstate.extract import Extraction, Request
from slotstate.testing import change

SLOTS = 20
ENTRIES = 10_000
SESSIONS = 10_000
CROWD = 100_000
TIMES = 400
MOST = 2.0


class Told:
    """Finds a new value in every other turn."""

    def __init__(self) -> None:
        self.turn = 0

    def extract(self, request: Request) -> Extraction:
        self.turn += 1
        if self.turn % 2:
            return Extraction(())
        value = f"value {self.turn}"
        return Extraction((change(f"trip.slot{self.turn // 2 % SLOTS}", "set", value, value),))

    async def aextract(self, request: Request) -> Extraction:
        return self.extract(request)


def tracker(store: str) -> Tracker:
    fields: dict[str, Any] = {f"slot{at}": (str | None, None) for at in range(SLOTS)}
    return Tracker(create_model("Trip", **fields), extractor=Told(), store=store)


def talk(opened: Tracker, session: str, entries: int, budget: int | None) -> None:
    chat, told = opened.open(session), opened.extractor
    assert isinstance(told, Told)
    while chat._session.count < entries:
        chat.user(f"I would rather have value {told.turn + 1}, if that can be done before the weekend")
        if budget is not None:
            chat.prompt(Budget(budget))
        if chat._session.count < entries:
            chat.assistant("That is noted; is there anything else that you would like to change?")


def opening(store: str) -> float:
    """How much longer the long session takes than the short one."""
    with tracker(store) as opened:
        talk(opened, "short", 10, None)
        talk(opened, "long", ENTRIES, None)
        talk(opened, "long, with prompts", ENTRIES // 2, 4_000)
    names = ("short", "long", "long, with prompts")
    gc.collect()
    gc.freeze()  # a worker that opens conversations has not just held these
    with tracker(store) as opened:
        times: dict[str, list[int]] = {name: [] for name in names}
        for _ in range(TIMES):
            for name in names:
                began = time.perf_counter_ns()
                opened.open(name)
                times[name].append(time.perf_counter_ns() - began)
        first = {}
        for name in names[1:]:
            began = time.perf_counter_ns()
            opened.open(name).preview(4_000)
            first[name] = (time.perf_counter_ns() - began) / 1e6
    medians = {name: statistics.median(found) / 1_000 for name, found in times.items()}
    short = medians["short"]
    for name, found in medians.items():
        print(f"  opening, {name:20} {found:7.0f} µs  {found / short:5.2f} times the short one")
    for name, found in first.items():
        print(f"  opening and the first prompt, {name}: {found:.1f} ms")
    return max(medians.values()) / short


def memory(store: str, sessions: int) -> None:
    """Resident memory, now and then, of a worker that touches many sessions."""
    with tracker(store) as opened:
        for at in range(sessions):
            chat = opened.open(f"s{at}")
            chat.user("I would rather have value 1, if that can be done")
            chat.assistant("That is noted.")
            if at in (100, 1_000, sessions // 2, sessions - 1):
                gc.collect()
                print(f"  after {at + 1:6,} sessions: {resident():6.1f} MB resident")


def crowd(store: str, sessions: int) -> None:
    """What it takes to open a session that nobody has looked at yet, among few and among many."""
    with tracker(store) as opened:
        opened.open("model").user("I would rather have value 1, if that can be done")
        turn = opened.store.load("model")
        for upto, begun in ((TIMES, 0), (sessions, TIMES)):
            for at in range(begun, upto):
                opened.store.append(f"c{at}", turn, 0)
            took: list[int] = []
            for at in range(0, upto, max(1, upto // TIMES)):
                began = time.perf_counter_ns()
                opened.open(f"c{at}")
                took.append(time.perf_counter_ns() - began)
            print(f"  opening one of {upto:7,} sessions for the first time {statistics.median(took) / 1_000:7.0f} µs")


def resident() -> float:
    pages = Path("/proc/self/statm")
    if pages.exists():
        return int(pages.read_text().split()[1]) * resource.getpagesize() / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", action="append", help="an empty store (default: a new SQLite file)")
    parser.add_argument("--sessions", type=int, default=SESSIONS)
    parser.add_argument("--crowd", type=int, default=CROWD, help="sessions that one is opened among")
    arguments = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for store in arguments.store or [f"sqlite:///{folder}/opening.db"]:
            print(store.split("://")[0])
            wrong |= opening(store) > MOST
            memory(store, arguments.sessions)
            crowd(store, arguments.crowd)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
