from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotstate.parsing.needed import lacks, needed, united


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("monday", {"monday"}),
        ("mondays?", {"monday"}),
        ("(?:sat|sun)urday|mon", {"urday", "mon"}),
        ("in (?P<count>[0-9]{1,2}|a) days?", {" day"}),
        ("[0-9]{1,2}h", {"h"}),
        ("[ap]m{1,2}", {"m"}),
        ("[ap].", {"a", "p"}),
        (r"\$[0-9]+", {"$"}),
        (r"(?<=at )(?:noon)(?! tea)", {"noon"}),
        ("今天|明天", {"今天", "明天"}),
        ("(?P<mark>[-/])x(?P=mark)", {"x"}),
        ("yes, (?:please )?do", {"yes, "}),
        ("a{0,3}", None),
        ("x?|y", None),
        ("[^a]", None),
        (r"\w+", None),
        ("(?!)", None),
        ("(?i)monday", None),
        (r"\u4e00", None),
        ("(monday", None),
        ("monday)", None),
        ("[monday", None),
    ],
)
def test_needed(pattern: str, expected: set[str] | None) -> None:
    found = needed(pattern)
    assert (None if found is None else set(found)) == expected


def test_what_one_of_several_needs() -> None:
    assert united([("day",), ("monday", "week")]) == ("day", "week")
    assert united([("day",), None]) is None
    assert lacks("nothing of it", ("day", "week"))
    assert not lacks("any day", ("day", "week"))
    assert not lacks("anything", None)


_PARTS = [
    "a",
    "b",
    "ab",
    "[ab]",
    "[^a]",
    "(?:a|b)",
    "(?:ab|c)",
    "(?=a)",
    "(?!b)",
    "(?<=a)",
    r"\b",
    ".",
    r"\Z",
    "a?",
    "(?:bc)*",
]
_PARTS += ["(?:ab){0,2}", "c{2}", "[a-c]", "|", "(?:a?|c)", "(?P<one>b)", "(a)", "b+", "c++", r"\w"]


@given(st.lists(st.sampled_from(_PARTS), max_size=6), st.text("abcd", max_size=8))
def test_no_match_lacks_what_is_needed(parts: list[str], text: str) -> None:
    try:
        pattern = re.compile("".join(parts))
    except re.error:  # a group's name twice
        return
    if pattern.search(text) is not None:
        assert not lacks(text, needed(pattern.pattern))
