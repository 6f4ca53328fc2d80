"""Writes the documentation pages that come out of the code.

usage: python docs/generate.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from slotstate.archive import export_schema
from slotstate.caching.table import as_markdown as cache_profiles
from slotstate.contract import json_schema
from slotstate.decide.table import as_markdown
from slotstate.measuring.evaluation import json_schema as evaluation_schema

HERE = Path(__file__).parent
TABLE_HEAD = """# The decision table

Generated from `slotstate/decide/table.py` by `python docs/generate.py`; do not edit.

A model proposes changes, each with the user's words as evidence; this table decides what becomes of them. Evidence is
graded: **said** (the words stand in this user turn and the value follows from them), **accepted** (the words take up a
value that the assistant or a tool put forward), **meant** (the words stand there, the value cannot be derived from
them), **none** (everything else). `decide` looks at what the slot holds when the change's turn comes to be judged.

"""
TABLE_TAIL = """
Beyond the table:

- A confirmed value that goes stale in a turn is still confirmed to what is only meant in that turn: nobody has asked
  about it yet.
- An older open offer is one that the application made before the assistant's last turn, or one that the extractor read
  in the assistant's words when the user did not yet take it up. A denial, a new value or a reset closes it.
- No preference (`DONTCARE`) is a value like others, in the same rows, where the slot allows it.
- A `set` that would drop items of a held list needs a word of replacement ("only", "instead", 只要); without one the
  items are added and the user is asked. Removing an item that is not there is rejected.
- Composites and maps merge field by field. A null is never a value.
- Setting an excluded value lifts its exclusion.
- Two values for one slot in one turn: the later one counts after a correction between them ("no, …", 不对), else the
  slot keeps what it had and is pending: ambiguous.
- Within a turn, changes are judged in the order of their words; confirm and deny last.
- A change read from a turn that is older than the slot's last change is superseded.
- Implicit confirmation, where a slot asks for it: the assistant repeats the value and the user's next turn goes on
  without objecting.
- A time to live never empties: a confirmed value becomes filled and is pending: stale.
"""


def pages() -> dict[Path, str]:
    """Each generated file with its text."""
    return {
        HERE / "decision-table.md": TABLE_HEAD + as_markdown() + TABLE_TAIL,
        HERE / "caching.md": _filled((HERE / "caching.md").read_text(encoding="utf-8"), cache_profiles()),
        HERE / "contract.schema.json": _written(json_schema("run")),
        HERE / "test.schema.json": _written(json_schema("test")),
        HERE / "export.schema.json": _written(export_schema()),
        HERE / "eval.schema.json": _written(evaluation_schema()),
    }


def _filled(page: str, tables: str) -> str:
    """The page with the tables after the comment that says they are generated."""
    prose, mark, _ = page.partition("do not edit. -->\n\n")
    return prose + mark + tables


def _written(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
