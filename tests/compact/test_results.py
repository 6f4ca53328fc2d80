"""What stands for long results: bounds, structure and honesty, against oracles that know only the original."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotstate.compact.policy import ToolPolicy, reference
from slotstate.compact.results import fold, kind_of, left_out, preview
from slotstate.errors import InputError

REF = "blob:0123456789abcdef"
LEAST = 130
NOTE = re.compile(r"\[(?:binary, )?([\d,]+) (?:characters|bytes) in blob:0123456789abcdef(; recall it for more)?\]")
LINES = re.compile(r'(?:\[… |\{"…":")([\d,]+) (lines?|rows?) left out(?:\]|"\})')
LONG = re.compile(r"\[… a (line|row) of ([\d,]+) characters: (.*)\]")

limits = st.integers(LEAST, 3_000)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
long_texts = st.builds(lambda part, times: part * times, st.text(min_size=1, max_size=40), st.integers(1, 80))
values: st.SearchStrategy[Any] = st.recursive(
    scalars | long_texts,
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=12), inner, max_size=30),
    max_leaves=60,
)
documents = st.dictionaries(st.text(max_size=12), values, max_size=30) | st.lists(values, max_size=60) | long_texts
any_text = st.text() | long_texts | documents.map(json.dumps) | st.binary().map(lambda raw: raw.decode("latin-1"))


def number(text: str) -> int:
    return int(text.replace(",", ""))


def told(shown: str) -> re.Match[str]:
    (note,) = NOTE.finditer(shown)
    return note


@given(any_text, limits, limits)
def test_bounds_reference_size_and_stability(text: str, limit: int, smaller: int) -> None:
    first = preview(text, limit, REF)
    assert len(first) <= limit
    assert number(told(first)[1]) == len(text)
    assert "\0" not in first
    assert first.encode().decode() == first
    assert preview(text, limit, REF) == first == preview(first, limit, REF)
    again = fold(first, smaller, REF)
    assert len(again) <= smaller
    assert number(told(again)[1]) == len(text)
    assert fold(again, smaller, REF) == again


@given(documents, limits, st.booleans(), st.sampled_from([None, 1]))
def test_json_is_json_again_and_each_part_is_the_original_s(
    value: Any, limit: int, plain: bool, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=plain, indent=indent)
    first = preview(text, limit, REF)
    check_part(json.loads(first), value, top=True)
    check_part(json.loads(fold(first, LEAST, REF)), value, top=True)


def check_part(shown: Any, original: Any, *, top: bool = False) -> None:
    """Whether `shown` is some of `original`, and counts the rest rightly."""
    assert type(shown) is type(original)
    if isinstance(original, dict):
        _check_object(dict(shown), original, top=top)
    elif isinstance(original, list):
        _check_array(list(shown), original, top=top)
    elif isinstance(original, str):
        body = re.sub(r"\n?" + NOTE.pattern, "", shown) if top else shown
        _check_text(body, safe(original))
    else:
        assert shown == original


def _check_object(shown: dict[str, Any], original: dict[str, Any], *, top: bool) -> None:
    last = next(reversed(shown), "")
    missing = 0
    if last and not last.strip("…") and last not in original:
        said = shown.pop(last)
        count = re.match(r"([\d,]+) more keys?", said)
        assert count or (top and NOTE.fullmatch(said))
        missing = number(count[1]) if count else 0
    assert len(shown) + missing == len(original)
    order = [key for key in map(safe, original) if key in shown]
    assert list(shown) == order
    for key, part in shown.items():
        check_part(part, {safe(name): part for name, part in original.items()}[key])


def _check_array(shown: list[Any], original: list[Any], *, top: bool) -> None:
    missing = 0
    if top or (shown and re.fullmatch(r"… [\d,]+ more items?", str(shown[-1]))):
        said = shown.pop()
        count = re.match(r"… ([\d,]+) more items?", said)
        assert count or (top and NOTE.fullmatch(said))
        missing = number(count[1]) if count else 0
    assert len(shown) + missing == len(original)
    for part, whole in zip(shown, original, strict=False):
        check_part(part, whole)


def _check_text(shown: str, original: str) -> None:
    """A text is whole, or its beginning and end with a mark between, or by structure in turn."""
    mark = re.search(r"(?:\n|^)\[… (?:([\d,]+) )?(?:characters?|lines?|rows?) left out\](?:\n|$)", shown)
    if mark is None:
        cut = shown.removesuffix("…")
        assert original.startswith(cut) or kind_of(original) in {"json", "binary"}
    elif kind_of(original) == "text":
        assert original.startswith(shown[: mark.start()])
        assert mark.end() == len(shown) or original.rstrip().endswith(shown[mark.end() :].rstrip())


def safe(text: str) -> str:
    return text.replace("\0", "\ufffd")


@given(st.lists(st.text(st.characters(exclude_characters="\n\0", exclude_categories=["Cs", "Cc"])), min_size=8), limits)
def test_lines_of_a_log_are_whole_and_counted(messages: list[str], limit: int) -> None:
    lines = [f"2031-02-03 04:05:{at % 60:02} INFO {message}" for at, message in enumerate(messages)]
    text = "\n".join(lines * 20)
    if kind_of(text) == "log":
        for shown in (preview(text, limit, REF), fold(preview(text, 3_000, REF), limit, REF)):
            check_lines(shown, text.split("\n"))


@given(
    st.lists(st.tuples(st.text("ab, \n。", max_size=30), st.integers()), min_size=40, max_size=90),
    st.sampled_from([",", "\t", ";"]),
    limits,
)
def test_rows_of_a_table_are_whole_and_the_header_stays(
    rows: list[tuple[str, int]], separator: str, limit: int
) -> None:
    text = "\n".join([f"name{separator}note{separator}count", *(f'n{separator}"{a}"{separator}{b}' for a, b in rows)])
    assert kind_of(text) == "table"
    shown = preview(text, limit, REF)
    assert shown.startswith(f"name{separator}note{separator}count\n")
    check_lines(shown, text.split("\n"))
    body = re.sub(r"\[….*?\]\n|\n\[[\d,]+ characters in.*", "", shown, flags=re.DOTALL)
    assert body.count('"') % 2 == 0  # no row is torn inside a field


def check_lines(shown: str, lines: list[str]) -> None:
    """Whether the lines are of the original, in its order, and the marks between add up."""
    *body, note = shown.split("\n")
    assert NOTE.fullmatch(note)
    at = 0
    for line in body:
        if count := LINES.fullmatch(line):
            at += number(count[1])
        elif LONG.fullmatch(line):
            at += 1
        else:
            at = lines.index(line, at) if line in lines[at : at + 1] else -1
            assert at >= 0, line
            at += 1
    assert at == len(lines) or not body


@given(st.lists(st.dictionaries(st.sampled_from(["id", "status", "note"]), scalars, min_size=1), min_size=30), limits)
def test_json_lines_stay_json_lines(records: list[dict[str, Any]], limit: int) -> None:
    text = "\n".join(json.dumps(record) for record in records)
    for shown in (preview(text, limit, REF), fold(preview(text, 1_500, REF), limit, REF)):
        *parts, last = [json.loads(line) for line in shown.split("\n")]
        assert NOTE.fullmatch(last["…"])
        at = 0
        for part in parts:
            count = re.fullmatch(r"([\d,]+) lines? left out", str(part.get("…", "")))
            if count:
                at += number(count[1])
            else:
                check_part(part, records[at])
                at += 1
        assert at == len(records) or not parts


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Mn", "Mc", "Me"]), min_size=1), limits)
def test_plain_text_is_its_beginning_and_its_end(part: str, limit: int) -> None:
    text = f"It was {part}. Then more followed; " * 120
    if kind_of(text) != "text":
        return
    body = NOTE.sub("", preview(text, limit, REF))
    begun, mark, ended = body.partition("[… ")
    count, _, ended = ended.partition(" characters left out]")
    begun, ended = begun.removesuffix("\n"), ended.removeprefix("\n").removesuffix("\n")
    assert text.startswith(begun)
    assert text.endswith(ended)
    assert not mark or len(begun) + number(count) + len(ended) == len(text)


def test_cuts_fall_at_sentences_lines_and_words() -> None:
    for sentence in ("He said (twice) that it rains. ", "他说明天会下雨。", "One line without a stop\n"):
        text = sentence * 300
        begun, _, ended = preview(text, 800, REF).partition("\n[… ")
        ended = ended.partition("]\n")[2].partition("\n[")[0]
        assert begun.endswith(sentence.strip())
        assert ended.startswith(sentence.strip())
    words = preview("alpha " * 1_000, 800, REF).partition("\n[… ")[0]
    assert set(words.split()) == {"alpha"}


@pytest.mark.parametrize("char", ["e\u0301", "👨‍👩‍👧‍👦", "👍🏽", "🇫🇷🇩🇪", "\u1112\u1161\u11ab", "❤\ufe0f"])
@pytest.mark.parametrize("limit", range(200, 216))
def test_no_character_is_torn(char: str, limit: int) -> None:
    begun, _, ended = preview(char * 800, limit, REF).partition("\n[… ")
    ended = ended.partition("]\n")[2].partition("\n[")[0]
    flag = "🇫🇷" if "🇫" in char else char
    assert len(begun) % len(flag) == len(ended) % len(flag) == 0


def test_endless_marks_are_cut_anyway() -> None:
    assert len(preview("e" + "\u0301" * 5_000, 300, REF)) <= 300


@pytest.mark.parametrize("limit", [0, 30, 60])
def test_a_limit_that_does_not_hold_the_note_is_refused(limit: int) -> None:
    for text in ("x" * 1_000, json.dumps(["x"] * 1_000), b"\xff\xfe\xfd" * 999):
        with pytest.raises(InputError, match="characters at least, not"):
            preview(text, limit, REF)


@pytest.mark.parametrize("ref", ["", "a b", 'a"b', "a]b", "a\nb", "a\0", "x" * 201])
def test_a_reference_that_cannot_be_quoted_is_refused(ref: str) -> None:
    with pytest.raises(InputError, match="a reference is"):
        preview("text", 500, ref)


def test_what_fits_is_whole() -> None:
    assert preview("two\nlines\n", 500, REF) == f"two\nlines\n[10 characters in {REF}]"
    assert preview("", 500, REF) == f"[0 characters in {REF}]"
    assert json.loads(preview('{"a": 1.10}', 500, REF)) == {"a": 1.1, "…": f"[11 characters in {REF}]"}
    assert json.loads(preview("[1]", 500, REF)) == [1, f"[3 characters in {REF}]"]
    assert json.loads(preview('"so"', 500, REF)) == f"so\n[4 characters in {REF}]"
    spread = json.dumps(list(range(100)), indent=20)
    assert json.loads(preview(spread, 500, REF))[:-1] == list(range(100))


def test_what_was_whole_can_be_folded() -> None:
    whole = preview("Some words here. " * 40, 2_000, REF)
    folded = fold(whole, 300, REF)
    assert len(folded) <= 300
    assert told(whole)[2] is None
    assert told(folded)[2]


def test_left_out_results_are_a_line() -> None:
    assert left_out("x" * 1_234, REF) == f"[1,234 characters in {REF}; recall it to read it]"
    assert left_out(b"\xff\xfe\xfd", REF) == f"[3 bytes in {REF}; recall it to read it]"


def test_references_are_the_content_s() -> None:
    assert reference(b"abc") == "blob:ba7816bf8f01cfea"
    assert reference(b"abc") != reference(b"abd")


@pytest.mark.parametrize(
    "options",
    [{"limit": 0}, {"limit": True}, {"limit": 2.5e3}, {"fold": 199}, {"fold": "many"}, {"keep": 1}, {"drop": ""}],
)
def test_policies_refuse_what_makes_no_sense(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="|".join(options)):
        ToolPolicy(**options)


def test_policies() -> None:
    assert ToolPolicy() == ToolPolicy(limit=10_000, fold=4_000, keep=False, drop=False)
    assert ToolPolicy(limit=200, fold=200, keep=True).keep
    with pytest.raises(InputError, match="contradict"):
        ToolPolicy(keep=True, drop=True)
