"""Where somebody's words stand, however spaces are set beside marks."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotstate.parsing import find_quote, fold

WORDS = st.lists(
    st.sampled_from("I'll don't leave from Oslo at 9 on , . ? - 我 想 订 两张 票 。 7:30 U.S. €20".split(" ")),
    min_size=1,
)
"""Words, some with marks of their own."""


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("I'm leaving from Bergen", "I 'm leaving from Bergen on Friday", "I 'm leaving from Bergen"),
        ("I can't leave", "No , I ca n't leave early", "I ca n't leave"),
        ("Hi! Is there", "Hi ! Is there a boat ?", "Hi ! Is there"),
        ("我要2张票", "我要 2 张票 。", "我要 2 张票"),
        ("我要 2 张票", "我要2张票。", "我要2张票"),
        ("at the pier, please", "Meet me at the pier ,please", "at the pier ,please"),
    ],
)
def test_spaces_beside_marks_do_not_count(quote: str, text: str, found: str) -> None:
    assert [text[start:end] for start, end in find_quote(quote, fold(text))] == [found]


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("osl", "Oslo"),
        ("3", "13 , 4"),
        ("in Oslo", "in. Oslo"),
        ("cat", "ca t"),
        ("to day", "today"),
        ("can't", "can"),
    ],
)
def test_other_words_are_not_found(quote: str, text: str) -> None:
    assert find_quote(quote, fold(text)) == []


def letters(text: str) -> str:
    return re.sub(r"\W", "", text.casefold())


@given(WORDS, st.data())
def test_what_was_said_is_found_with_other_spaces_and_nothing_else(words: list[str], data: st.DataObject) -> None:
    tokens = [part for word in words for part in re.findall(r"n't|[^\W_]+?(?=n't)|\w+|[^\w\s]", word)]
    text = " ".join(tokens)  # as tokenised corpora write it
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    quote = " ".join(words[first : last + 1])
    places = [text[start:end] for start, end in find_quote(quote, fold(text))]
    assert places
    assert {letters(place) for place in places} == {letters(quote)}
