"""What is rendered in any supported wording is read back as the same value. The renderers know nothing of the tables."""

# ruff: noqa: E501 (tables)

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotstate.parsing import (
    dont_care,
    find_dates,
    find_money,
    find_numbers,
    find_positions,
    find_times,
    find_weeks,
    fold,
    telling,
)

NOW = datetime(2024, 5, 15, 12, tzinfo=UTC)  # a Wednesday
MONTHS = "January February March April May June July August September October November December".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
HAN = "零一二三四五六七八九"


def ordinal(day: int) -> str:
    ending = "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


def han(number: int) -> str:
    """Below a hundred, as it is said."""
    tens, ones = divmod(number, 10)
    if not tens:
        return HAN[ones]
    return ("" if tens == 1 else HAN[tens]) + "十" + (HAN[ones] if ones else "")


DATE_WORDINGS: list[Callable[[date], str]] = [
    lambda day: day.isoformat(),
    lambda day: f"{day.day} {MONTHS[day.month - 1]} {day.year}",
    lambda day: f"{MONTHS[day.month - 1]} {day.day}, {day.year}",
    lambda day: f"the {ordinal(day.day)} of {MONTHS[day.month - 1]} {day.year}",
    lambda day: f"{MONTHS[day.month - 1]} {ordinal(day.day)} {day.year}",
    lambda day: f"{DAYS[day.weekday()]}, {day.day} {MONTHS[day.month - 1]} {day.year}",
    lambda day: f"{day.year}年{day.month}月{day.day}日",
    lambda day: f"{day.year}年{han(day.month)}月{han(day.day)}号",
    lambda day: f"{day.year}/{day.month}/{day.day}",
]
FRAMES = ["{}", "on {} please", "I leave {}.", "我{}去", "{}，可以吗"]


@given(
    st.dates(date(1950, 1, 1), date(2080, 12, 31)), st.sampled_from(DATE_WORDINGS), st.sampled_from(FRAMES)
)  # fmt: skip
def test_dates_come_back(day: date, wording: Callable[[date], str], frame: str) -> None:
    text = frame.format(wording(day))
    assert [found.values for found in find_dates(fold(text), NOW)] == [(day,)], text


def english(number: int) -> str:
    """Below a million, in words."""
    if number < 20:
        return ONES[number]
    if number < 100:
        return TENS[number // 10] + (f"-{ONES[number % 10]}" if number % 10 else "")
    for size, name in ((1000, "thousand"), (100, "hundred")):
        if number >= size:
            rest = number % size
            joined = f"{english(number // size)} {name}"
            return joined + (f"{' and ' if rest < 100 else ' '}{english(rest)}" if rest else "")
    raise AssertionError(number)


def chinese(number: int) -> str:
    """Below ten thousand, as it is written."""
    text, zero = "", False
    for size, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, number = divmod(number, size)
        if digit:
            text += ("零" if zero else "") + HAN[digit] + name
            zero = False
        elif text:
            zero = True
    return text


NUMBER_WORDINGS: list[Callable[[int], str]] = [str, lambda n: f"{n:,}", english]


@given(
    st.integers(2, 999_999),
    st.sampled_from(NUMBER_WORDINGS),
    st.sampled_from(["{}", "we need {} of them", "about {} people"]),
)
def test_numbers_come_back(number: int, wording: Callable[[int], str], frame: str) -> None:
    text = frame.format(wording(number))
    assert Decimal(number) in {value for found in find_numbers(fold(text)) for value in found.values}, text


@given(st.integers(11, 9_999), st.sampled_from(["{}", "一共{}个", "{}元"]))
def test_chinese_numbers_come_back(number: int, frame: str) -> None:
    text = frame.format(chinese(number))
    assert [found.value for found in find_numbers(fold(text))] == [Decimal(number)], text


def clock(at: time) -> str:
    return f"{at.hour % 12 or 12}:{at.minute:02}"


TIME_WORDINGS: list[Callable[[time], str]] = [
    lambda at: at.isoformat("minutes") if at.hour >= 13 else f"{clock(at)} {'am' if at.hour < 12 else 'pm'}",
    lambda at: f"{clock(at)} {'a.m.' if at.hour < 12 else 'p.m.'}",
    lambda at: f"at {clock(at)}{'am' if at.hour < 12 else 'pm'}",
    lambda at: (
        f"{'上午' if at.hour < 12 else '下午'}{at.hour % 12 or 12}点{han(at.minute)}分"
        if at.minute > 9 and at.hour not in (0, 12)
        else f"{at.hour:02}:{at.minute:02}:00"
    ),
]


@given(st.builds(time, st.integers(0, 23), st.integers(1, 59)), st.sampled_from(TIME_WORDINGS))
def test_times_come_back(at: time, wording: Callable[[time], str]) -> None:
    assert [found.values for found in find_times(fold(wording(at)))] == [(at,)], wording(at)


SCRIPTS = [
    "0123456789",
    "０１２３４５６７８９",
    "٠١٢٣٤٥٦٧٨٩",
    "۰۱۲۳۴۵۶۷۸۹",
    "०१२३४५६७८९",
    "০১২৩৪৫৬৭৮৯",
    "๐๑๒๓๔๕๖๗๘๙",
    "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗",
]


@pytest.mark.parametrize("digits", SCRIPTS)
@given(number=st.integers(1, 99_999))
def test_digits_of_any_script_are_alike(digits: str, number: int) -> None:
    table = {ord(one): other for one, other in zip("0123456789", digits, strict=True)}
    for text in (f"{number} people", f"2031-06-{number % 28 + 1:02}", f"at {number % 24:02}:30", f"{number} euros"):
        plain, other = fold(text), fold(text.translate(table))
        assert plain.text == other.text
        assert [f.values for f in find_numbers(plain)] == [f.values for f in find_numbers(other)]
        assert [f.values for f in find_dates(plain, NOW)] == [f.values for f in find_dates(other, NOW)]
        assert [f.values for f in find_times(plain)] == [f.values for f in find_times(other)]
        assert [f.values for f in find_money(plain)] == [f.values for f in find_money(other)]


SIGNED = [
    ("minus eighteen", -18),
    ("it is minus 4 outside", -4),
    ("negative two", -2),
    ("零下五度", -5),
    ("负十二", -12),
    ("-7", -7),
    ("the list minus 3 apples", 3),
]


@pytest.mark.parametrize(("text", "value"), SIGNED)
def test_signs_in_words(text: str, value: int) -> None:
    assert [found.value for found in find_numbers(fold(text))] == [value]


@pytest.mark.parametrize(
    ("text", "value"),
    [("the third", 3), ("the 21st floor", 21), ("第五排", 5), ("第12层", 12), ("the 3rd of May", None)],
)
def test_positions(text: str, value: int | None) -> None:
    assert [found.value for found in find_positions(fold(text))] == ([] if value is None else [value])


@pytest.mark.parametrize(
    ("text", "first", "days"),
    [
        ("some time next week", date(2024, 5, 20), 7),
        ("下周吧", date(2024, 5, 20), 7),
        ("this week", date(2024, 5, 15), 5),
        ("Friday next week", None, 0),
        ("下周五", None, 0),
        ("next month", None, 0),
    ],
)
def test_weeks_without_a_day(text: str, first: date | None, days: int) -> None:
    found = find_weeks(fold(text), NOW)
    assert [(one.value, len(one.values)) for one in found] == ([] if first is None else [(first, days)])
    assert all(one.values[-1] - one.values[0] == timedelta(days=days - 1) for one in found)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("8:05 am, 9:30 am and 11:00 am", [time(8, 5), time(9, 30), time(11)]),
        ("that one", []),
        ("1:30 pm or 2:45 pm", [time(13, 30), time(14, 45)]),
        ("yes, that one please", []),
    ],
)
def test_times_beside_each_other(text: str, values: list[time]) -> None:
    assert [found.value for found in find_times(fold(text))] == values


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("any time", True),
        ("any time is fine", True),
        ("I'm flexible", True),
        ("a flexible ticket", False),
        ("is a flexible fare cheaper?", False),
        ("any", True),
        ("随便", True),
        ("at any cost", False),
    ],
)
def test_no_preference(text: str, expected: bool) -> None:
    assert (dont_care(fold(text)) is not None) is expected


@pytest.mark.parametrize(
    ("text", "values"),
    [("1.200 €", ["1200"]), ("1,200 euros", ["1200"]), ("1.20 €", ["1.20"]), ("12.345.678 USD", ["12345678"])],
)
def test_points_between_thousands_of_money(text: str, values: list[str]) -> None:
    assert [str(amount.value) for found in find_money(fold(text)) for amount in found.values] == values


@pytest.mark.parametrize(
    ("word", "expected"), [("to", False), ("到", False), ("city", True), ("人", False), ("城市", True), ("x", False)]
)
def test_small_words_point_at_nothing(word: str, expected: bool) -> None:
    assert telling(word) is expected
