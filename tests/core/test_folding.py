"""Folding and finding: offsets always point at the original words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotstate.parsing import find, find_all, fold, is_boundary, same_text, sentence, unspaced


@pytest.mark.parametrize(
    ("needle", "haystack", "found"),
    [
        ("oslo", "To OSLO now", "OSLO"),
        ("don't", "I don’t know", "don’t"),
        ("10-12", "10–12 nights", "10–12"),
        ("new york", "New \n\t York", "New \n\t York"),
        ("123", "call １２３", "１２３"),
        ("cafe\u0301", "the Café", "Café"),
        ("strasse", "Die Straße", "Straße"),
        ("oslo", "O\u200bslo", "O\u200bslo"),
        ("wednesday", "\ufffc let us say Wednesday", "Wednesday"),
        ("上海", "我去上海吧", "上海"),
        ("3", "3个人", "3"),
        ("한국", "나는 한국에서", "한국"),
        ("שלום", "אני שלום", "שלום"),
        ("8% [est", "growth near 8% [est", "8% [est"),
        ("🎉", "go 🎉!", "🎉"),
    ],
)
def test_words_are_found_where_they_stand(needle: str, haystack: str, found: str) -> None:
    span = find(needle, fold(haystack))
    assert span is not None
    assert haystack[slice(*span)] == found


@pytest.mark.parametrize(
    ("needle", "haystack"),
    [
        ("oslo", "Oslofjord"),
        ("art", "party"),
        ("5", "3.5"),
        ("5", "15:05"),
        ("500", "1,500 people"),
        ("", "anything"),
        (" ", "a b"),
        ("a_b", "xa_bx"),
    ],
)
def test_parts_of_words_and_numbers_are_not_words(needle: str, haystack: str) -> None:
    assert find(needle, fold(haystack)) is None


def test_a_list_of_numbers_is_no_number() -> None:
    assert find("2", fold("rooms 1,2,3")) == (8, 9)


def test_attached_symbols_bind_where_asked() -> None:
    text = fold("C++ and C#, not 20%")
    assert find("c", text, "+#%") is None
    assert find("c++", text, "+#%") == (0, 3)
    assert find("c", text) == (0, 1)
    assert find("20", text, "+#%") is None


def test_every_place_is_found() -> None:
    assert find_all("go", fold("go, Go and gopher go")) == [(0, 2), (4, 6), (18, 20)]


def test_an_empty_range_maps_to_an_empty_range() -> None:
    text = fold("Ａ\u200bＢ")
    assert text.text == "ab"
    assert text.span(1, 1) == (2, 2)
    assert text.span(2, 2) == (3, 3)
    assert fold("plain").span(1, 1) == (1, 1)
    assert fold("").span(0, 0) == (0, 0)


def test_boundaries_at_the_ends() -> None:
    assert is_boundary("abc", 0)
    assert is_boundary("abc", 3)
    assert unspaced("ไ")
    assert not unspaced("ñ")


def test_the_sentence_around_words() -> None:
    text = "Drop the hotel. I like olives; really? 好的。再见"
    assert sentence(text, (18, 22)).strip() == "I like olives;"
    assert sentence(text, (0, 4)) == "Drop the hotel."
    assert sentence(text, (39, 40)).strip() == "好的。"
    assert sentence(text, (42, 44)) == "再见"


anything = st.text(st.characters(codec=None))  # lone surrogates and all


@given(anything)
def test_folding_never_fails_and_points_into_the_text(text: str) -> None:
    folded = fold(text)
    for at in range(len(folded.text)):
        start, end = folded.span(at, at + 1)
        assert 0 <= start < end <= len(text)


@given(anything, anything)
def test_what_is_found_is_the_same_text(left: str, right: str) -> None:
    for needle in (left, right):
        for start, end in find_all(needle, fold(left + " " + right)):
            assert same_text((left + " " + right)[start:end], needle)


@given(anything)
def test_every_text_is_found_in_itself(text: str) -> None:
    if fold(text).text.strip():
        assert find(text, fold(text)) is not None
