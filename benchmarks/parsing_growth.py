"""How the time of each finder grows with the length of a text that repeats one thing.

usage: python -m benchmarks.parsing_growth [--size 20000]

Sixteen times the text should take about sixteen times as long; quadratic time would be 256 times. Reported: for each
finder the worst growth over all repeated pieces, with the piece, and the time for the long text.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

from slotstate.parsing import Folded
from tests.parsing.test_any_text import FINDERS, FLAGS, REPEATED, SPANS, cues


def cpu(finder: object, text: str) -> float:
    """CPU seconds of one call, the least of three."""
    folded = Folded(text, text)
    took: list[float] = []
    for _ in range(3):
        start = time.process_time()
        finder(folded)  # type: ignore[operator]
        took.append(time.process_time() - start)
    return min(took)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=20_000)
    size = parser.parse_args(arguments).size
    finders = FINDERS | {name: getattr(cues, name) for name in (*SPANS, *FLAGS)}
    for name, finder in finders.items():
        finder(Folded("warm up 1 yes", "warm up 1 yes"))
        worst = (0.0, 0.0, "")
        for piece in REPEATED:
            short, long = (cpu(finder, (piece * (length // len(piece)))[:length]) for length in (size // 16, size))
            worst = max(worst, (long / max(short, 1e-4), long, piece))
        print(f"{name:<12} worst growth {worst[0]:6.1f} times for 16 times the text ({worst[2]!r}), {worst[1]:.2f} s")


if __name__ == "__main__":
    main()
