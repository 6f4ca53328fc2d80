"""Phrases are found as they are written, in any language, and the longest one counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotstate.compact.phrases import MARK, Phrases, Sayings, amount, content, expanded, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don’t go, please!", ["dont", "go", MARK, "please", MARK]),
        ("dont go", ["dont", "go"]),
        ("it's 18:30 - or 1,200.50", ["it's", "18:30", MARK, "or", "1,200.50"]),
        ("gluten-free <b>*@", ["gluten", "free", "b"]),
        ("我不吃鱼，ok吗？", ["我", "不", "吃", "鱼", MARK, "ok", "吗", MARK]),
        ("100% C++ #3", ["100", "%", "c", "+", "+", "#", "3"]),
        ("あア가 é", ["あ", "ア", "가", "é"]),
        ("né加é", ["né", "加", "é"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert list(words(text)) == expected


def test_braces_stand_for_either() -> None:
    assert list(expanded("{a,b} c {d,}")) == ["a c d", "a c ", "b c d", "b c "]


FOUND = [
    ("no more than", "at no more than ten", "no more than"),
    ("no more than", "no more, than", None),
    ("{has,have} to be", "they have to be here", "have to be"),
    ("turn … down", "turn the old offer down", "turn the old offer down"),
    ("turn … down", "turn, and sit down", None),
    ("turn … down", "turn " + "very " * 10 + "down", None),
    ("stop *ing", "please stop singing", "stop singing"),
    ("stop *ing", "please stop", None),
    ("<no", "well, no", "no"),
    ("<no", "ok so no", "no"),
    ("<no", "there is no way", None),
    ("error>", "an error, sadly", "error"),
    ("error>", "an error", "error"),
    ("error>", "the error message", None),
    ("不用 … 了", "这个不用再送了", "不 用 再 送 了"),
    ("不用 … 了", "不用，别送了", None),
]


@pytest.mark.parametrize(("phrase", "text", "found"), FOUND)
def test_a_phrase_is_found_as_it_is_written(phrase: str, text: str, found: str | None) -> None:
    said = words(text)
    matches = list(Phrases([(phrase, "yes")], frozenset({"ok", "so"})).matches(said))
    assert [" ".join(said[match.start : match.end]) for match in matches] == ([found] if found else [])
    assert Phrases([(phrase, "yes")], frozenset({"ok", "so"})).stands(said) == bool(found)


def test_the_longest_counts_and_of_equals_the_first() -> None:
    known = Phrases([("not", 1), ("not only", 2), ("not … but", 3), ("only", 4), ("not", 5), ("not *ly", 6)])
    assert [match.meaning for match in known.matches(words("not only"))] == [2]
    assert [match.meaning for match in known.matches(words("not now, only"))] == [1, 4]
    assert [match.meaning for match in known.matches(words("not that but only"))] == [3, 4]
    assert [match.meaning for match in known.matches(words("not really"))] == [6]


@given(
    st.lists(st.sampled_from(["a", "b", "c", MARK]), max_size=12),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=3),
)
def test_plain_phrases_are_where_a_plain_search_finds_them(said: list[str], phrase: list[str]) -> None:
    expected, at = [], 0
    while at + len(phrase) <= len(said):
        if said[at : at + len(phrase)] == phrase:
            expected.append(at)
            at += len(phrase)
        else:
            at += 1
    assert [match.start for match in Phrases([(" ".join(phrase), 1)]).matches(said)] == expected


def test_content_is_what_is_left_without_small_words() -> None:
    small = frozenset({"the", "is", "我", "不"})
    assert content(words("The dogs is 3, the boss's glass."), small) == {"dog", "3", "boss", "glass"}
    assert content(words("我不坐飞机，鱼我不"), small) == {"坐飞", "飞机", "鱼"}
    assert amount({"坐飞", "飞机"}) == 1.0
    assert amount({"鱼", "dog"}) == 2.0


def test_letters_of_two_scripts_in_one_run() -> None:
    assert words("wifi密码abc") == ("wifi", "密", "码", "abc")


FEW = st.lists(st.sampled_from(["red", "blue", MARK, "green"]), min_size=1, max_size=4).map(tuple)


@given(
    sayings=st.lists(FEW, max_size=6, unique=True), said=st.lists(st.sampled_from(["red", "blue", MARK, "green", "x"]))
)
def test_sayings_are_found_as_phrases_are(sayings: list[tuple[str, ...]], said: list[str]) -> None:
    phrases, plain = Phrases[int](), Sayings[int]()
    for number, one in enumerate(sayings):
        phrases.add(one, number)
        plain.add(one, number)
    assert list(plain.matches(said)) == list(phrases.matches(said)) == list(plain.matches(tuple(said)))
