"""The page on tokens says what is so."""

from __future__ import annotations

import re
from pathlib import Path

from slotstate.tokens import IMAGE, TEMPLATED, Overhead

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "tokens.md").read_text(encoding="utf-8")


def test_its_code_runs() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "tokens.md", "exec", dont_inherit=True), {"__name__": "page"})


def test_its_table_of_overheads_is_that_of_the_code() -> None:
    table = PAGE.partition("| tokens for |")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    fields = ["message", "name", "reply", "call", "tool", "tools"]
    assert [row[1:] for row in rows] == [
        *([str(getattr(Overhead(), field)), str(getattr(TEMPLATED, field))] for field in fields),
        [f"{IMAGE:,}"] * 2,
    ]
