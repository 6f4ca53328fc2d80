"""What a turn costs the built-in extractor as a conversation gets longer: the same ten things said again and again.

usage: python -m benchmarks.builtin_length [--turns N]
"""

from __future__ import annotations

import argparse
import statistics

from benchmarks.builtin_precision import Recorder
from slotstate import Tracker
from slotstate.loading import load_domains

SAID = (
    "I want to go from Oslo to Bergen on Friday",
    "make it two people",
    "actually the day after",
    "first class please",
    "is there wifi?",
    "no, second class",
    "thanks",
    "a table for four at half past seven",
    "yes, that works",
    "change it to 8 pm",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=1_000)
    turns: int = parser.parse_args().turns
    recorder = Recorder()
    domains = [domain for name in ("travel", "support", "restaurant") for domain in load_domains(name)]
    chat = Tracker(domains, extractor=recorder).open("long")
    for turn in range(turns):
        chat.assistant("Fine. Which day do you want to travel?")
        chat.user(SAID[turn % len(SAID)])
    for begin, end in ((10, 100), (turns // 2 - 50, turns // 2 + 50), (turns - 100, turns)):
        print(f"turns {begin:>6,} to {end:>6,}: {statistics.median(recorder.ms[begin:end]):.2f} ms CPU a turn (median)")


if __name__ == "__main__":
    main()
