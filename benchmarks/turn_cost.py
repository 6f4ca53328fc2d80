"""What one turn of decision and state costs, and that it does not grow with the conversation.

usage: python -m benchmarks.turn_cost [--turns 1000] [--repeats 5]

A scripted extractor proposes one or two changes on each user turn (20 slots, half of the changes overwrite), an
assistant turn follows. Reported: median microseconds a user turn in windows along the conversation, and the growth of a
least-squares line over the whole of it, in percent of the mean. The same for one slot that is overwritten on every
turn, where the history kept for undo is longest.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from pydantic import create_model

from slotstate import Change, Tracker
from slotstate.testing import ScriptedExtractor

NOW = datetime(2026, 1, 5, tzinfo=UTC)


def script(turns: int, slots: int) -> list[list[Change]]:
    """One or two changes a turn, quoted from what `text` says."""
    changes = []
    for turn in range(turns):
        paths = [f"trip.slot{(turn + offset) % slots}" for offset in range(1 + turn % 2)]
        changes.append([Change("set", path, f"value {turn}", f"value {turn}") for path in dict.fromkeys(paths)])
    return changes


def measure(turns: int, slots: int) -> list[float]:
    """Microseconds of each user turn."""
    model = create_model("Trip", **{f"slot{index}": (str | None, None) for index in range(slots)})
    chat = Tracker(model, extractor=ScriptedExtractor(script(turns, slots)), clock=lambda: NOW).open("bench")
    took: list[float] = []
    for turn in range(turns):
        text = f"please make it value {turn}, thank you"
        start = time.perf_counter()
        chat.user(text)
        took.append((time.perf_counter() - start) * 1e6)
        chat.assistant("Noted. What else?")
    return took


def growth(values: list[float]) -> float:
    """Growth of the fitted line over the whole run, in percent of the mean."""
    fit = statistics.linear_regression(range(len(values)), values)
    return 100 * fit.slope * len(values) / statistics.fmean(values)


def report(name: str, turns: int, slots: int, repeats: int) -> None:
    """One line for this scenario: the median over repeats of each turn's time."""
    gc.disable()
    runs = [measure(turns, slots) for _ in range(repeats)]
    gc.enable()
    typical = [statistics.median(at) for at in zip(*runs, strict=True)]
    marks = [mark for mark in (10, turns // 10, turns // 2, turns) if mark >= 10]
    windows = ", ".join(f"turn {mark}: {statistics.median(typical[max(0, mark - 10) : mark]):.0f}" for mark in marks)
    print(f"{name:<28} µs at {windows}; growth over the run {growth(typical[5:]):+.1f} %")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args(arguments)
    report("20 slots, 1.5 changes a turn", options.turns, 20, options.repeats)
    report("one slot, every turn", options.turns, 1, options.repeats)


if __name__ == "__main__":
    main()
