"""The documentation of the profiles: complete, and its code runs."""

from __future__ import annotations

import re
from pathlib import Path

from slotstate.caching import find_profile, profile_names
from slotstate.caching.table import as_markdown

PAGE = Path(__file__).resolve().parents[2] / "docs" / "caching.md"


def test_every_profile_and_model_has_its_row_and_every_source_its_link() -> None:
    page = as_markdown()
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    for name in profile_names():
        profile = find_profile(name)
        assert [row for row in rows if row.startswith(f"| `{name}` | {profile.rule} |")]
        assert profile.note in page
        for model in profile.models:
            (row,) = [row for row in rows if row.startswith(f"| `{model.name}` |")]
            assert f"`{name}`" in row
            assert model.source in row
        for url in (profile.source, *profile.also):
            assert f"]({url})" in page


def test_rows_are_readable() -> None:
    page = as_markdown()
    assert "| `anthropic-1h` | breakpoints | 4,096 | 1 | 60 min | 0.1 | 2 | 4, looking back 20 | 2026-10-01 |" in page
    assert "| `vllm` | blocks | 16 | 16 | until room is needed | 0 | 1 |  | 2026-11-01 |" in page
    assert "| `none` | none | 0 | 1 | never | 1 | 1 |  |" in page
    assert "| `claude-opus-5-5` | `anthropic`, `anthropic-1h` | 512 | 4 | 0.2 | 20 |" in page
    assert "| `gemini-2.5-pro` | `gemini` | 2,048 |  |  |  |" in page
    widths = {line.count(" |") for line in page.splitlines() if line.startswith("|")}
    assert widths == {9}


def test_the_pages_code_runs() -> None:
    names: dict[str, object] = {}
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        exec(compile(block, "caching.md", "exec", dont_inherit=True), names)
