"""What holds for every finder and every text: no exception, spans inside the text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotstate.parsing import cues
from slotstate.parsing.contacts import find_emails, find_phones
from slotstate.parsing.dates import find_dates
from slotstate.parsing.datetimes import find_datetimes
from slotstate.parsing.durations import find_durations
from slotstate.parsing.folding import Folded, fold
from slotstate.parsing.found import Found
from slotstate.parsing.money import find_money
from slotstate.parsing.numbers import find_choice, find_numbers, find_ordinals
from slotstate.parsing.times import find_times
from tests.parsing.known import NOW

FINDERS: dict[str, Callable[[Folded], Sequence[Found[Any]]]] = {
    "numbers": find_numbers,
    "ordinals": find_ordinals,
    "dates": lambda text: find_dates(text, NOW),
    "times": find_times,
    "datetimes": lambda text: find_datetimes(text, NOW),
    "durations": find_durations,
    "money": find_money,
    "emails": find_emails,
    "phones": find_phones,
}
SPANS = "affirms refuses corrects clears removes replaces dont_care undoes restarts hesitates".split()
FLAGS = ("bare_yes", "bare_no", "yes_no", "asks")

PIECES = (
    "at 7 pm|next friday|the 3rd|3 March|2024-02-29|half past|quarter to|"
    "two thousand|hundred|and a half|a dozen|1,234.5|$20|¥|usd|12:30|in 2 hours|"
    "ago|no|not|yes|or|one|一|三|十|百|万|亿|零|点|半|块|元|号|月|年|周|星期|下|"
    "个|小时|天后|上午|不|要|好|吗|第|最后|还是| |,|.|-|+|:|/|@|(|)|?|!|ﬁ|ß|İ|½|"
    "②|\u0301|\u200b|\u202e|\ud800|\x00|　|，|。|１|：|مرحبا|😀"
).split("|")
texts = st.one_of(
    st.text(st.characters(codec=None, categories=None)),
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join),
)


@given(texts)
def test_spans_stand_in_the_text(text: str) -> None:
    for name, finder in FINDERS.items():
        end = 0
        for found in finder(fold(text)):
            assert end <= found.span[0] < found.span[1] <= len(text), name
            assert found.values, name
            assert len(set(found.values)) == len(found.values), name
            end = found.span[1]


@given(texts)
def test_cues_stand_in_the_text(text: str) -> None:
    for name in SPANS:
        span = getattr(cues, name)(fold(text))
        assert span is None or 0 <= span[0] < span[1] <= len(text), name
    for name in FLAGS:
        assert getattr(cues, name)(fold(text)) in (True, False, None)
    find_choice(fold(text), 3)


@given(texts, st.integers(-5, 60), st.integers(-5, 60), st.integers(0, 9))
def test_offsets_of_any_kind(text: str, one: int, other: int, size: int) -> None:
    assert cues.negated(fold(text), one) in (True, False)
    assert cues.alternatives(fold(text), (one, one + size), (other, other + size)) in (True, False)


@given(texts)
def test_bare_answers_are_answers(text: str) -> None:
    folded = fold(text)
    assert not (cues.bare_yes(folded) and cues.bare_no(folded))
    if cues.bare_yes(folded):
        assert cues.yes_no(folded) is True
    if cues.bare_no(folded):
        assert cues.yes_no(folded) is False


LONG = 5_000
REPEATED = (
    "1|一|a |no, |one |1.|1 |1:|1-|may |5 may |at 7 |1,000,|$|a@|a.|三点|一万|"
    "一百万亿|不要|好|not |a or |(|+|1 000 | |今天|1 hour |1 hour 1 minute |一块|"
    "monday |any time |a hundred |one thousand |and a half |take a |x|the |.|1/|"
    "半|零|十|from |what |yes? |that is ok |三 |a-|-|1h|12 34 |(1) |\ud800|á|第|"
    "两三|$40 or |50 to €60 "
).split("|")


@pytest.mark.parametrize("piece", REPEATED)
def test_one_thing_over_and_over_is_survived(piece: str) -> None:
    text = (piece * (LONG // len(piece)))[:LONG]
    folded = Folded(text, text)
    for finder in FINDERS.values():
        for found in finder(folded):
            assert 0 <= found.span[0] < found.span[1] <= len(text)
    for name in (*SPANS, *FLAGS):
        getattr(cues, name)(folded)


def test_long_digits_are_exact() -> None:
    digits = "7" * LONG
    (found,) = find_numbers(Folded(digits, digits))
    assert format(found.value, "f") == digits
