"""Markers in anybody's words: whatever looks like one of the prompt's own is escaped, and nothing else."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotstate.templating import as_data, escape_delimiters, escape_markers
from slotstate.templating.escaping import MARKERS, as_text, behind_open

UNSEEN = "\u00ad\u034f\u061c\u115f\u180e\u200b\u200d\u202e\u2061\u2066\u2800\u3164\ufe0f\ufeff\ufffb\x01\x7f\x9f\u0308\U000e0041"
FORMS = {
    "s": "sSｓＳ𝐬ⓢѕſś",
    "o": "oOｏо𝗈οóº",
    "t": "tTｔт𝓽ṫ",
    "e": "eEｅеéᵉ",
    "n": "nNｎ𝔫ñ",
    "u": "uUｕüυ",
    "a": "aAａаá",
    "r": "rRｒгŕ",
}
HIDDEN = st.text(UNSEEN, max_size=2)
BLANK = st.text(UNSEEN + " \n\u3000\u2028", max_size=3)


@st.composite
def lookalikes(draw: st.DrawFn) -> str:
    """A marker, disguised."""
    name = draw(st.sampled_from(MARKERS))
    letters = "".join(draw(st.sampled_from(FORMS.get(letter, letter))) + draw(HIDDEN) for letter in name)
    slash = draw(st.sampled_from(["", "/", "／", "∕"]))
    return (
        draw(st.sampled_from("<＜﹤"))
        + draw(BLANK)
        + slash
        + draw(BLANK)
        + letters
        + draw(st.sampled_from([">", "＞", "x>", ""]))
    )


@given(before=st.text(max_size=5), marker=lookalikes(), after=st.text(max_size=5))
def test_what_looks_like_a_marker_is_escaped(before: str, marker: str, after: str) -> None:
    text = before + marker + after
    found = escape_markers(text)
    assert "&lt;" in found
    assert found.count("&lt;") == text.count("&lt;") + sum(map(text.count, "<＜﹤")) - sum(map(found.count, "<＜﹤"))
    assert marker not in found
    assert escape_markers(found) == found
    assert escape_delimiters(text + "<") == found + "&lt;"
    assert not any(bracket in as_data(text) for bracket in "<＜﹤")
    assert marker not in as_text(text)


@pytest.mark.parametrize(
    "text", ["<b>", "<system>", "3 < 4", "＜你好＞", "<sl ots>", "< >", "<nоw", "", "a\u200bb", "<é", "&lt;slots>"]
)
def test_all_else_is_left_alone(text: str) -> None:
    assert escape_markers(text) == escape_delimiters(text) == text


@pytest.mark.parametrize(
    ("text", "written"),
    [("no", "\\no"), ("ѕ\u200bl", "\\ѕ\u200bl"), ("/notes", "\\/notes"), ("no way", "no way"), ("", ""), (" ", " ")],
)
def test_what_is_printed_behind_a_bracket_makes_no_marker_of_it(text: str, written: str) -> None:
    assert behind_open(text) == written


@pytest.mark.parametrize(
    "text", ["<" + " " * 900_000, "< " * 400_000, ("<" * 5000 + "\u200b" * 5000) * 50, "é<slots" * 100_000]
)
def test_long_texts_take_no_time_to_speak_of(text: str) -> None:
    started = time.perf_counter()
    escape_delimiters(text)
    assert time.perf_counter() - started < 3
