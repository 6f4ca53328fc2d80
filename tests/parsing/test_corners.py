"""At the ends of the calendar and of the clock: nothing raises, and what is found lies within them."""

# ruff: noqa: E501 (tables)

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from slotstate.parsing import (
    find,
    find_choice,
    find_dates,
    find_datetimes,
    find_durations,
    find_numbers,
    find_ordinals,
    find_positions,
    find_times,
    fold,
)
from slotstate.parsing.folding import is_boundary

ENDS = [
    datetime(9999, 12, 31, 23, 30, tzinfo=UTC),
    datetime(9999, 12, 31, 23, 30, tzinfo=ZoneInfo("Asia/Tokyo")),
    datetime(1, 1, 1, 0, 30, tzinfo=UTC),
    datetime(1, 1, 1, 0, 30, tzinfo=ZoneInfo("America/Los_Angeles")),
    datetime(2024, 5, 15, 12),  # noqa: DTZ001 — the finders take what they are given
    datetime(2024, 5, 15, 12, tzinfo=UTC),
    datetime(2023, 2, 1, 12, tzinfo=UTC),
    datetime(2024, 5, 15, 12, tzinfo=ZoneInfo("America/Los_Angeles")),
    datetime(9999, 12, 31, 12, tzinfo=ZoneInfo("America/Los_Angeles")),
    datetime(1, 1, 1, 12, tzinfo=ZoneInfo("Asia/Tokyo")),
]
TEXTS = [
    "in 5 days", "5 days ago", "in 3 months", "3 months ago", "in 400 years", "2 years ago", "in 9999999 days", "in a fortnight", "in 2.5 days",
    "tomorrow", "yesterday", "today", "day after tomorrow", "a week from tomorrow", "two weeks from friday", "a year from now", "a week ago",
    "next friday", "last friday", "this friday", "friday next week", "friday", "the 29th", "the 30th", "the 31st", "the 32nd", "march 45", "45 march",
    "sunday the 31st", "monday the 30th", "tuesday the 29th", "february 29", "29 feb", "30 february", "feb 29 2023", "5/6", "on 5/6", "5/6/24", "13/13/2024",
    "2024-13-45", "2024-02-30t10:00", "2024-02-29t10:00:00.5z", "2024-02-29 25:00", "in 2 hours", "2 hours ago", "in 99999999999 hours", "in 3 days",
    "99999999999999999999 days ago", "at 7", "at 7 pm", "at 23:59", "at 00:00", "midnight", "noon", "25 o'clock", "at 25", "13 am", "13 pm", "7:75",
    "half past 30", "quarter to nine", "tomorrow at 7", "at 7 tomorrow", "friday at 3 pm", "pt2h", "pt", "p1dt", "p1d", "99999999999999 weeks", "half a day",
    "one", "1", "a", "an", "one person", "a hundred", "the zeroth", "0th", "the 0th one", "the second one", "last", "number 0", "not the first", "the former",
    "5天后", "三天前", "明天", "昨天", "下周五", "上周五", "这周五", "本周五", "周五", "下下周一", "三月四十五日", "二月三十日", "二月二十九", "31号", "三十二号",
    "下个月31号", "上个月30号", "去年", "明年二月二十九日", "两小时后", "两小时前", "下午25点", "早上13点", "晚上七点", "七点", "零点", "十二点半", "中午", "24点",
    "三个半小时", "半天", "第零个", "第二个", "最后一个", "两三", "七八九", "一", "两", "九九九九九九九九年后", "周五下午三点", "明天7点",
    "coming friday", "this coming friday", "past friday", "this past friday", "the coming friday", "march 0", "0 march", "march 0th", "the 0th of march", "march 99",
    "2024-13-45t10:00:00", "2024-02-30 10:00", "99999999999999999999 hours", "option 1", "number 1", "option zero", "not option 2", "not the latter", "the latter", "一二", "五六",
    "quarter past 30", "99 past 3", "at 30:00", "30 pm", "this week", "on the 3rd of smarch", "13点75分", "99点", "晚上30点", "第一百个", "the hundredth one",
    "2024-02-30T10:00:00+02:00", "2024-02-30T10:00:00Z", "2024-02-30T10:00:00", "9999-12-31 23:30", "0001-01-01 00:10", "9999-12-31 at 11 pm", "0001-01-01 at 12:10 am", "position 0", "the 0th position", "in position zero",
    "99 o'clock", "quarter past 99", "at 99 in the morning", "7:75 pm", "seven seventy-five", "3点75分", "30点整", "㏤㏤3", "㏤", "㋀㏠", "½½", "a 1", "a one", "a", "one a",
    "1.2.3", "5.6.7.8", "1,234.5.6", "1.234,5,6",
    "thirty o'clock", "at ninety nine pm", "fifty in the morning", "三十点", "五十点半", "下午五十点", "half past fifty", "ten past fifty", "seventy past three", "ninety to five", "三点九十分", "三点七十分", "march ninety", "the ninety ninth of march", "三月九十号", "九十九号", "number none", "option the", "打七五折", "zeroth position", "position zeroth",
    "today at 11 pm", "today at 12:10 am", "tomorrow at 00:10", "march thirty-second", "the thirty-second of march", "差70分三点", "10 000.50", "2k.5", "in 003 days", "two three hours", "option 003",
    "13点 am", "morning 15", "15 in the morning", "20 in the evening", "12 am", "12 pm", "12 in the night", "3 at night", "11 at night", "12 noon",
]  # fmt: skip


@pytest.mark.parametrize("now", ENDS, ids=str)
def test_nothing_leaves_the_calendar(now: datetime) -> None:
    for text in TEXTS:
        words = fold(text)
        for prefer in ("future", "past"):
            for day in find_dates(words, now, prefer):
                assert all(date.min <= value <= date.max for value in day.values), text
            for moment in find_datetimes(words, now, prefer):
                assert all(isinstance(value, datetime) for value in moment.values), text
                assert 0 <= moment.span[0] < moment.span[1] <= len(text)


def test_nothing_leaves_the_clock() -> None:
    for text in TEXTS:
        words = fold(text)
        for at in find_times(words):
            assert all(0 <= value.hour < 24 for value in at.values), text
        for length in find_durations(words):
            assert all(value >= timedelta(0) for value in length.values), text
        assert all(value.is_finite() for number in find_numbers(words) for value in number.values), text
        assert all(value != 0 for ordinal in find_ordinals(words) for value in ordinal.values), text
        assert all(value > 0 for place in find_positions(words) for value in place.values), text
        for count in (1, 2, 3):
            chosen = find_choice(words, count)
            assert chosen is None or 0 <= chosen < count, text


def test_what_is_no_day_and_no_minute_leaves_the_rest() -> None:
    now = datetime(2024, 5, 15, 12, tzinfo=UTC)
    assert find_dates(fold("on March thirty-second or on April 2nd"), now)[0].values == (date(2025, 4, 2),)
    assert [at.values for at in find_times(fold("差七十分三点，下午四点"))][-1] == (time(16),)


def test_there_is_no_night_after_the_last_one() -> None:
    last = datetime(9999, 12, 31, 12, tzinfo=ZoneInfo("America/Los_Angeles"))
    assert find_datetimes(fold("today at 11 pm"), last) == []
    assert len(find_datetimes(fold("today at 1 pm"), last)) == 1


def test_zeros_in_front_of_a_count_are_none() -> None:
    assert find_choice(fold("option 003"), 5) == 2
    assert find_durations(fold("for 003 days"))[0].value == timedelta(days=3)


def test_symbols_that_bind_to_each_other() -> None:
    assert not is_boundary("c++", 2, "+")
    assert is_boundary("c++ x", 3, "+")
    assert find("c", fold("c++ or c"), "+") == (7, 8)


def test_digits_that_belong_together() -> None:
    assert find("5", fold("1.5 or 5")) == (7, 8)
    assert find("5", fold("5:30, 5")) == (6, 7)
    assert find("1", fold("1,000 and 1,5")) == (10, 11)
    assert find("000", fold("1,000")) is None
    assert find("", fold("nothing to look for")) is None
