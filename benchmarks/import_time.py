"""What importing slotstate costs above a bare interpreter, beside what Pydantic alone costs.

usage: python -m benchmarks.import_time [--repeats 10]

Each import runs in a process of its own; the least CPU time (user and system) of all repeats is reported.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
from collections.abc import Sequence

WHAT = {
    "bare Python": "pass",
    "import slotstate": "import slotstate",
    "from slotstate import Slot, Tracker": "from slotstate import Slot, Tracker",
    "pydantic, one model": "from pydantic import BaseModel\nclass Model(BaseModel):\n    x: int",
}


def cpu_ms(code: str) -> float:
    """CPU milliseconds of one interpreter that runs `code`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=10)
    options = parser.parse_args(arguments)
    least = {name: min(cpu_ms(code) for _ in range(options.repeats)) for name, code in WHAT.items()}
    bare = least["bare Python"]
    for name, took in least.items():
        print(f"{name:<36} {took:6.0f} ms ({took - bare:+.0f} ms)")


if __name__ == "__main__":
    main()
