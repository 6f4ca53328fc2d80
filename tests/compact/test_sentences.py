"""Sentences are what a person would read as one, and stand in the text as they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotstate.compact.sentences import LONGEST, head, pieces


def cut(text: str) -> list[str]:
    return [piece.text for piece in pieces(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t ", []),
        ("One thing", ["One thing"]),
        ("We leave at 9.30. Is that fine? Good!", ["We leave at 9.30.", "Is that fine?", "Good!"]),
        ("Ask Dr. Moss or Mr. Lee.", ["Ask Dr. Moss or Mr. Lee."]),
        ("It closes at 5 p.m. on Sundays.", ["It closes at 5 p.m. on Sundays."]),
        ("It closes at 5 p.m. We go at 4.", ["It closes at 5 p.m.", "We go at 4."]),
        ("Signed, J. Moss. Thanks.", ["Signed, J. Moss.", "Thanks."]),
        ('He said "no way." Then he left.', ['He said "no way."', "Then he left."]),
        ("Really?! Well... fine.", ["Really?!", "Well...", "fine."]),
        ("我不吃鱼。你呢？好！", ["我不吃鱼。", "你呢？", "好！"]),
        ("他说“不去。”然后走了。", ["他说“不去。”", "然后走了。"]),
        ("first line\nsecond line", ["first line", "second line"]),
        ("- no nuts\n- no stairs\n3. no dogs", ["no nuts", "no stairs", "no dogs"]),
        ("1. no nuts 2", ["no nuts 2"]),
        ("(2) 不吃辣\n三、不坐飞机", ["不吃辣", "不坐飞机"]),
        ("We pay; my friends drive", ["We pay;", "my friends drive"]),
    ],
)
def test_sentences_in_both_languages(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


def test_a_long_sentence_is_cut_behind_its_clauses() -> None:
    text = ", ".join(
        f"the {word} room must have a window" for word in ("red", "blue", "green", "grey", "pink", "white")
    )
    found = list(pieces(text))
    assert len(found) > 1
    assert all(piece.text.endswith(",") for piece in found[:-1])
    assert [piece.begins for piece in found] == [True, *[False] * (len(found) - 1)]


def test_without_clauses_it_is_cut_between_words_and_without_words_anywhere() -> None:
    words = list(pieces("lorem " * 80))
    assert all(piece.text.split() == ["lorem"] * len(piece.text.split()) for piece in words)
    assert [len(piece.text) for piece in pieces("x" * 450)] == [200, 200, 50]


@given(
    st.text()
    | st.lists(st.sampled_from(["no", " ", ". ", "。", ",", "\n", "- ", "x" * 90, "Mr. ", "1. "])).map("".join)
)
def test_pieces_stand_in_the_text_in_order_and_leave_out_no_letter(text: str) -> None:
    found = list(pieces(text))
    behind = 0
    for piece in found:
        assert text[piece.start : piece.end] == piece.text
        assert behind <= piece.start < piece.end <= piece.start + LONGEST
        left_out = text[behind : piece.start]
        assert not any(char.isalpha() and char not in "一二三四五六七八九十" for char in left_out)
        behind = piece.end
    assert not text[behind:].strip()


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        ("short", 10, "short"),
        ("line one\nline two\nline three", 20, "line one\nline two"),
        ('{"id": 1}, {"id": 2}, {"id": 3}', 24, '{"id": 1}, {"id": 2}'),
        ("alpha, beta, gamma, delta", 16, "alpha, beta"),
        ("some words without marks", 16, "some words"),
        ("房间已订好。晚餐还没有。", 10, "房间已订好。"),
        ("x" * 30, 10, "x" * 10),
    ],
)
def test_a_head_ends_where_something_ends(text: str, most: int, expected: str) -> None:
    assert head(text, most) == expected
