"""The prompt assembler beside its peers, in one run, with one tokenizer.

usage: python -m benchmarks.assembly_peers [cost] [tools] [dialogues] [time] [growth] [--only WORD,…] [--chart FILE]

Needs benchmarks/assembly_peers/requirements.txt in an environment of its own: `make bench-peers`. All systems get the
same messages. A turn is a user message and the reply to it, some 60 tokens together.

cost       400 turns, 4,000 tokens: fresh-token equivalents a turn under four rules of caching (see accounting.py),
           summariser calls included; tokens and messages in the prompt on average; what is kept
tools      the same with a tool call on every fifth turn
dialogues  real dialogues (from $SLOTSTATE_DATA, else ../shared/data) chained into sessions of 200 turns, 1,500 tokens:
           share of the gold slot values and of the pinned sentences that stand in the prompt, over all turns
time       processor time of assembling a turn's prompt, turns 300 to 400
growth     ours at turn 100,000 against turn 400

Every condition is printed with PASS or FAIL; the exit status is 1 when one fails, 2 when a peer is missing.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

PARTS = ("cost", "tools", "dialogues", "time", "growth")
REMEDY = "pip install -r benchmarks/assembly_peers/requirements.txt"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts that are named, all by default."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(PARTS))
    parser.add_argument("--only", default="", help="systems whose names hold one of these words")
    parser.add_argument("--turns", type=int, default=400)
    parser.add_argument("--tokens", type=int, default=60, help="of a turn")
    parser.add_argument("--budget", type=int, default=4_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--repeats", type=int, default=3, help="of time and growth")
    parser.add_argument("--late", type=int, default=100_000, help="the turn that growth looks at")
    parser.add_argument("--sessions", type=int, help="of each corpus, at most")
    parser.add_argument("--corpora", default="multiwoz,sgd")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("SLOTSTATE_DATA", "../shared/data")))
    parser.add_argument("--chart", type=Path, help="write a chart of the cost part here (PNG, SVG or PDF)")
    parser.add_argument("--json", type=Path, help="write all numbers here")
    options = parser.parse_args(arguments)
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no part is called {', '.join(sorted(unknown))}: there are {', '.join(PARTS)}")
    if find_spec("toktok") is None:
        return _missing("toktok, which counts for all, is not installed")
    from benchmarks.assembly_peers.running import Missing, Run

    try:
        run = Run(options)
    except Missing as error:
        return _missing(str(error))
    for part in options.parts or PARTS:
        print(f"\n== {part}", flush=True)
        getattr(run, part)()
    if options.json:
        options.json.write_text(json.dumps(run.numbers, ensure_ascii=False, indent=1), encoding="utf-8")
    return 0 if all(verdict.ok for verdict in run.verdicts) else 1


def _missing(what: str) -> int:
    print(f"assembly_peers: {what}; {REMEDY}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
