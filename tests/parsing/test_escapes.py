"""Texts with escapes: read as JSON reads them, at every level, with offsets into what was written."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from slotstate.parsing import unescaped

TEXT = st.text(st.characters(codec="utf-8"), max_size=12)


@given(text=TEXT, depth=st.integers(1, 5), escaped=st.booleans())
def test_json_in_json_is_read_at_its_level(text: str, depth: int, escaped: bool) -> None:
    written = text
    for _ in range(depth):
        written = f"<{json.dumps(written, ensure_ascii=escaped)}>"
    levels = [written, *(read.text for read in unescaped(written))]
    assert any(text in level for level in levels)


@given(text=st.text('\\u00e9d83de4"ntbfr/&lt;x', max_size=20))
def test_offsets_are_those_of_the_original(text: str) -> None:
    before = text
    for read in unescaped(text):
        assert len(read.text) == len(read.starts) == len(read.ends) < len(before)
        before = read.text
        joined = [text[slice(*read.span(at, at + 1))] for at in range(len(read.text))]
        assert "".join(joined) == text


def test_json_is_read_six_levels_deep() -> None:
    written = "é"
    for _ in range(9):
        written = json.dumps(written)
    assert len(list(unescaped(written))) == 6


def test_what_holds_no_escape_has_no_other_reading() -> None:
    assert list(unescaped("plain")) == list(unescaped("a\\q")) == []
    assert [read.text for read in unescaped("\\ud83d\\ude00 \\ud83d \\t&lt;b")] == ["😀 \ufffd \t<b"]
