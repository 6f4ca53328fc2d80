"""Writers that are killed at any instant: what they were told is kept, is kept.

usage: python -m benchmarks.store_kills [--url sqlite:///kills.db] [--kills 200] [--seed 1] [--json]

A process appends turns of two entries, with a snapshot now and then, and says after each through a pipe that it was
acknowledged. It is killed (SIGKILL) after a random time; then the log is read: it must hold each acknowledged turn, at
most the one behind it, in order, and whole. Then the next process goes on. Reported: kills, turns, how many kills hit
while a turn was being written, and how many of those turns are there although nobody was told. Exit 1 when one is lost.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from slotstate import StaleWriter, Store
from slotstate.events import UserTurn
from slotstate.log import Entry, Snapshot, fingerprint
from slotstate.stores import open_store

AT = datetime(2026, 1, 5, tzinfo=UTC)
OUTSIDE, INSIDE = 0, 1
AT_ONE = 5
"""Kills at one session, before the next one: a long log takes long to check."""


def made(seq: int) -> Entry:
    """An entry that its number decides."""
    return Entry(seq, AT, UserTurn(turn=seq, id=f"m{seq}", text=f"message {seq} " + "x" * (seq * 37 % 600), at=AT))


def write(url: str, session: str, told: int, state: mmap.mmap) -> None:
    """Append turns for ever."""
    store = open_store(url)
    length = len(store.load(session))
    while True:
        entries = [made(length), made(length + 1)]
        kept = [Snapshot("head", length, fingerprint(made(length - 1)), "v1", "{}" * 400)] if length % 6 == 4 else []
        state[0] = INSIDE
        try:
            store.append(session, entries, length, snapshots=kept)
        except StaleWriter:  # a server finished the last statement of the one before, after its death
            length = len(store.load(session))
            continue
        state[0] = OUTSIDE
        length += 2
        os.write(told, f"{length}\n".encode())


def killed(url: str, session: str, after: float) -> tuple[int, bool]:
    """Start a writer, and kill it some time after its first turn; what it was told, and whether it was writing."""
    reading, telling = os.pipe()
    state = mmap.mmap(-1, 1)
    child = os.fork()
    if not child:
        os.close(reading)  # should the parent die, this one ends with it
        try:
            write(url, session, telling, state)
        except BaseException as error:
            print(f"writer: {type(error).__name__}: {error}", file=sys.stderr)
        os._exit(1)
    os.close(telling)
    told = os.read(reading, 64)  # the first turn: from here on it is writing all the time
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while more := os.read(reading, 1 << 16):
        told += more
    os.close(reading)
    lines = told.split(b"\n")
    return int(lines[-2]) if len(lines) > 1 else 0, state[0] == INSIDE


def check(store: Store, session: str, acknowledged: int) -> int:
    """The length of the log. Raises AssertionError where it is not what the writer was told."""
    log = store.load(session)
    if not acknowledged <= len(log) <= acknowledged + 2 or len(log) % 2:
        raise AssertionError(f"{acknowledged} entries were acknowledged, {len(log)} are there")
    if list(log) != [made(seq) for seq in range(len(log))]:
        raise AssertionError("the log is not what was written")
    opened = store.open(session, "v1")
    if opened.snapshot is not None and fingerprint(opened.entries[0]) != opened.snapshot.last:
        raise AssertionError("the snapshot is not of this log")
    return len(log)


def measure(url: str, kills: int, seed: int) -> dict[str, Any]:
    """Figures of a run."""
    rng = random.Random(seed)
    lengths: dict[str, int] = {}
    inside = untold = lost = 0
    store = open_store(url)
    store.forget()
    store.close()
    for kill in range(kills):
        session = f"session {kill // AT_ONE}"
        acknowledged, writing = killed(url, session, rng.random() ** 2 * 0.03)
        store = open_store(url)
        try:
            lengths[session] = check(store, session, acknowledged)
            untold += lengths[session] > acknowledged
        except AssertionError as error:
            print(error, file=sys.stderr)
            lost += 1
        finally:
            store.close()
        inside += writing
    store = open_store(url)
    # A server may finish the last statement of a client that is dead: a turn more is no loss.
    lost += sum(check(store, session, length) < length for session, length in lengths.items())
    store.close()
    turns = sum(lengths.values()) // 2
    return {"kills": kills, "turns": turns, "while_writing": inside, "kept_untold": untold, "lost": lost}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(options.url or f"sqlite:///{Path(folder) / 'kills.db'}", options.kills, options.seed)
    print(json.dumps(figures) if options.json else "\n".join(f"{name:>14} {value}" for name, value in figures.items()))
    return 1 if figures["lost"] else 0


if __name__ == "__main__":
    sys.exit(main())
