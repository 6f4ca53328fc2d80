"""Compaction beside LangChain's SummarizationMiddleware and langmem, in one run, with the same canned summariser.

usage: python -m benchmarks.compaction_peers [turns] [facts] [pairs] [--seeds 5] [--budget 4000]

Needs benchmarks/compaction_peers/requirements.txt in an environment of its own. All systems get the same messages, and
o200k counts for all. The summariser answers one sentence, whatever it reads.

turns  400 user turns, each with a mark of its own: a turn is lost once its mark stands neither in the prompt nor in
       anything that the summariser was given, nor, where no model summarises, its message in what the summary covers.
       Calls of the summariser and the tokens that it read and wrote, at 4,000 and at 12,000 tokens
facts  20 constraints, decisions and refusals in 400 turns (see summary_facts): how many stand in one line of the last
       prompt. `heard` are those that the last prompt or the summariser had: what a perfect one could have kept. The
       planted ones were in view when the cues of slotstate's summariser were made; ours is also shown on those that
       were held out then, and on fresh wordings that no cue was made for (summary_facts.toml tells of both)
pairs  prompts with half a tool pair, at 54 budgets from 700 to 6,000 tokens

Every condition is printed with PASS or FAIL; the exit status is 1 when one fails, 2 when a peer is missing.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Final

PARTS: Final = ("turns", "facts", "pairs")
REMEDY: Final = "pip install -r benchmarks/compaction_peers/requirements.txt"
KEPT: Final = 16
"""Facts of 20 that must survive."""
PACKAGES: Final = ("langchain", "langchain-core", "langmem", "langgraph")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts that are named, all by default."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(PARTS))
    parser.add_argument("--seeds", type=int, default=5, help="conversations of each language")
    parser.add_argument("--turns", type=int, default=400)
    parser.add_argument("--budget", type=int, default=4_000)
    options = parser.parse_args(arguments)
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no part is called {', '.join(sorted(unknown))}: there are {', '.join(PARTS)}")
    try:
        from benchmarks.compaction_peers.systems import SYSTEMS

        for entry in SYSTEMS:
            entry.factory()
    except ModuleNotFoundError as error:
        print(f"compaction_peers: {error.name} is not installed; {REMEDY}", file=sys.stderr)
        return 2
    print(", ".join(f"{name} {version(name)}" for name in PACKAGES))
    for entry in SYSTEMS:
        print(f"  {entry.name}: {entry.setup}")
    passed: list[bool] = []
    for part in options.parts or PARTS:
        print(f"\n== {part}", flush=True)
        passed += {"turns": turns, "facts": facts, "pairs": pairs}[part](options)
    return 0 if all(passed) else 1


def turns(options: argparse.Namespace) -> list[bool]:
    """Lost turns, and what the summariser took."""
    from benchmarks.compaction_peers.measure import coverage
    from benchmarks.compaction_peers.systems import SYSTEMS
    from benchmarks.compaction_peers.talk import make_talk

    passed = []
    for budget in (options.budget, 3 * options.budget):
        print(f"{'budget ' + str(budget):<24}{'lost':>6}{'calls':>7}{'read':>9}{'written':>9}{'prompt':>8}{'most':>7}")
        talk = make_talk("en", 1, turns=options.turns, marked=True, tools=0.2)
        for entry in SYSTEMS:
            one = coverage(entry, talk, budget)
            print(
                f"{entry.name:<24}{one.lost:>6}{one.calls:>7}{one.read:>9}{one.written:>9}{one.tokens:>8.0f}{one.most:>7}"
            )
            if entry.ours:
                passed.append(verdict(one.lost == 0, f"{entry.name}, {budget}: {one.lost} turns lost, asked: 0"))
    return passed


def facts(options: argparse.Namespace) -> list[bool]:
    """Facts that survive."""
    from benchmarks.compaction_peers.measure import survivors
    from benchmarks.compaction_peers.systems import SYSTEMS
    from benchmarks.compaction_peers.talk import make_talk

    passed = []
    for language in ("en", "zh"):
        print(f"{language + ', of 20':<24}{'mean':>6}{'least':>7}{'heard':>7}")
        for entry in SYSTEMS:
            own = entry.ours and entry.free
            for chosen in ("planted", "held_out", "fresh") if own else ("planted",):
                talks = [make_talk(language, seed, turns=options.turns, chosen=chosen) for seed in range(options.seeds)]
                found = [survivors(entry, talk, options.budget) for talk in talks]
                kept = [one for one, _ in found]
                name = entry.name if chosen == "planted" else f"  {chosen.replace('_', ' ')}"
                heard = statistics.fmean(one for _, one in found)
                told = "" if own else f"{heard:>7.1f}"
                print(f"{name:<24}{statistics.fmean(kept):>6.1f}{min(kept):>7}{told}", flush=True)
                if own and chosen == "planted":
                    told = f"{language}: {entry.name}: at least {min(kept)} of 20 kept, asked: {KEPT}"
                    passed.append(verdict(min(kept) >= KEPT, told))
    return passed


def pairs(options: argparse.Namespace) -> list[bool]:
    """Broken tool pairs."""
    from benchmarks.compaction_peers.measure import pairs as count_pairs
    from benchmarks.compaction_peers.systems import SYSTEMS
    from benchmarks.compaction_peers.talk import make_talk

    passed = []
    talk = make_talk("en", 2, turns=120, tools=0.5)
    print(f"{'':<24}{'broken':>8}{'refused':>9}{'failed':>8}")
    for entry in SYSTEMS:
        one = count_pairs(entry, talk, range(700, 6_001, 100))
        print(f"{entry.name:<24}{f'{one.broken} of {one.budgets}':>8}{one.refused:>9}{len(one.failed):>8}")
        for line in one.failed[:2]:
            print(f"    {line}")
        if entry.ours:
            ok = one.broken == 0 and not one.failed
            passed.append(verdict(ok, f"{entry.name}: broken at {one.broken} budgets, asked: 0"))
    return passed


def verdict(ok: bool, text: str) -> bool:
    """Print a condition."""
    print(f"  {'PASS' if ok else 'FAIL'} {text}", flush=True)
    return ok


if __name__ == "__main__":
    sys.exit(main())
