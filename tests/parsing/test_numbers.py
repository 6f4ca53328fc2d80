from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotstate.parsing.folding import fold
from slotstate.parsing.numbers import find_choice, find_numbers, find_ordinals
from tests.parsing.known import told

NUMBERS = [
    ("add 12 and 7", "12=12; 7=7"),
    ("four thousand three hundred euros", "four thousand three hundred=4300"),
    ("forty-two guests", "forty-two=42"),
    ("a dozen roses", "a dozen=12"),
    ("two dozen", "two dozen=24"),
    ("half a dozen", "half a dozen=6"),
    ("between 5k and 7k", "5k=5000; 7k=7000"),
    ("from -15 up to +25", "-15=-15; +25=25"),
    ("it is −4 outside", "−4=-4"),
    ("1,234.5", "1,234.5=1234.5"),
    ("1.234,5", "1.234,5=1234.5"),
    ("1.234", "1.234=1.234|1234"),
    ("1,234", "1,234=1234"),
    ("0.125", "0.125=0.125"),
    ("2,50", "2,50=2.50"),
    ("4,5,6", "4=4; 5=5; 6=6"),
    ("3 million", "3 million=3000000"),
    ("two and a half million", "two and a half million=2500000"),
    ("half a million", "half a million=500000"),
    ("2 thousand 500", "2 thousand 500=2500"),
    ("five thousand six thousand", "five thousand=5000; six thousand=6000"),
    ("one hundred and five", "one hundred and five=105"),
    ("two and three", "two=2; three=3"),
    ("five six seven", "five=5; six=6; seven=7"),
    ("10 000 units", "10 000=10000"),
    ("1 000.50 in all", "1 000.50=1000.50"),
    ("2-3 people", "2=2; 3=3"),
    ("a 3-day pass", "3=3"),
    ("around 9%", "9=9"),
    ("about 5", "5=5"),
    ("one ticket", "one=1"),
    ("just one", "one=1"),
    ("three apples and one pear", "three=3; one=1"),
    ("the one", ""),
    ("that one", ""),
    ("this one please", ""),
    ("one of them", ""),
    ("the cheaper one works", ""),
    ("one way", ""),
    ("a room", ""),
    ("an apple", ""),
    ("08:45 on 2024-06-19", ""),
    ("B-2077 and 14C and iphone15", ""),
    ("version 1.2.3", ""),
    ("my pin is 0042", ""),
    ("03187", ""),
    ("jo.99@example.org", ""),
    ("+47 555 01 99", ""),
    ("on 4 May 2023 at 120", "120=120"),
    ("March 3rd", ""),
    ("3 nights", "3=3"),
    ("120 over 80", "120=120; 80=80"),
    ("20kg", "20=20"),
    ("三万零一十五", "三万零一十五=30015"),
    ("二万三千亿", "二万三千亿=2300000000000"),
    ("1.5亿", "1.5亿=150000000"),
    ("3万5千", "3万5千=35000"),
    ("三万五", "三万五=35000"),
    ("一百二", "一百二=120"),
    ("一百零二", "一百零二=102"),
    ("十二个", "十二=12"),
    ("二零二六", "二零二六=2026"),
    ("兩個人", "兩=2"),
    ("我们俩", "俩=2"),
    ("两三个人", "两三=2|3"),
    ("要两杯咖啡和一个面包", "两=2; 一=1"),
    ("一个半小时", "一个半=1.5"),
    ("百分之八", "八=8"),
    ("人数是三", "三=3"),
    ("三", "三=3"),
    ("人均80-120元", "80=80; 120=120"),
    ("½", ""),
    ("1½", ""),
    ("３６０ 元", "３６０=360"),
    ("我看一下", ""),
    ("便宜一点", ""),
    ("我们一起去", ""),
    ("一样的", ""),
    ("有一些", ""),
    ("一定要", ""),
    ("万一下雨", ""),
    ("千万别忘", ""),
    ("十分好", ""),
    ("十分钟", "十=10"),
    ("三明治", ""),
    ("四川菜", ""),
    ("第三个", ""),
    ("周三", ""),
    ("下午三点", ""),
]


@pytest.mark.parametrize(("text", "expected"), NUMBERS)
def test_numbers(text: str, expected: str) -> None:
    assert told(text, find_numbers(fold(text)), lambda value: f"{value:f}") == expected


@given(st.integers(-(10**40), 10**40))
def test_digits_come_back(number: int) -> None:
    text = f"it is {number} then"
    if 7 <= len(str(abs(number))) <= 15 and number < 0:
        return
    assert [found.value for found in find_numbers(fold(text))] == [Decimal(number)]


_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split()
_UNITS += ["seventeen", "eighteen", "nineteen"]
_TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()


def english(number: int) -> str:
    if number < 20:
        return _UNITS[number]
    if number < 100:
        return _TENS[number // 10] + (f"-{_UNITS[number % 10]}" if number % 10 else "")
    for size, name in ((1000, "thousand"), (100, "hundred")):
        if number >= size:
            rest = number % size
            joint = " and " if 0 < rest < 100 and size == 100 else " "
            return f"{english(number // size)} {name}" + (f"{joint}{english(rest)}" if rest else "")
    raise AssertionError


@given(st.integers(2, 999_999))
def test_english_words_come_back(number: int) -> None:
    text = f"{english(number)} people"
    assert told(text, find_numbers(fold(text)), lambda value: f"{value:f}") == f"{english(number)}={number}"


def chinese(number: int) -> str:
    """Standard numerals, by the rule of four-digit groups."""
    digits = "零一二三四五六七八九"
    if number == 0:
        return "零"
    groups = []
    while number:
        groups.append(number % 10_000)
        number //= 10_000
    parts: list[str] = []
    gap = False
    for at in range(len(groups) - 1, -1, -1):
        group = groups[at]
        if not group:
            gap = True
            continue
        if parts and (gap or group < 1000):
            parts.append("零")
        gap = False
        inner, zero = "", False
        for place, unit in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
            digit = group // place % 10
            if digit:
                inner += ("零" if zero and inner else "") + digits[digit] + unit
                zero = False
            else:
                zero = True
        parts.append(inner + ("", "万", "亿")[at])
    return "".join(parts)


@given(st.integers(2, 10**11))
def test_chinese_numerals_come_back(number: int) -> None:
    text = f"{chinese(number)}个"
    assert told(text, find_numbers(fold(text)), lambda value: f"{value:f}") == f"{chinese(number)}={number}"


ORDINALS = [
    ("the second one", "second=2"),
    ("the 2nd option", "2nd=2"),
    ("third", "third=3"),
    ("read the third message", "third=3"),
    ("the twenty-first", "the twenty-first=21"),
    ("the last one", "last=-1"),
    ("第二个", "第二个=2"),
    ("第12项", "第12项=12"),
    ("最后一个", "最后一个=-1"),
    ("倒数第二个", "倒数第二个=-2"),
    ("last friday", ""),
    ("my last name", ""),
    ("first class", ""),
    ("first of all", ""),
    ("wait a second", ""),
    ("the first week of june", ""),
    ("第一次来", ""),
    ("第二分店", ""),
]


@pytest.mark.parametrize(("text", "expected"), ORDINALS)
def test_ordinals(text: str, expected: str) -> None:
    assert told(text, find_ordinals(fold(text))) == expected


CHOICES = [
    ("2", 4, 1),
    ("two", 3, 1),
    ("option 2", 4, 1),
    ("number two please", 4, 1),
    ("#3", 3, 2),
    ("the second one", 3, 1),
    ("I'll take the third", 3, 2),
    ("the last one", 3, 2),
    ("the last one", 5, 4),
    ("the former", 2, 0),
    ("the latter", 2, 1),
    ("the latter", 3, None),
    ("not the first one, the third one", 3, 2),
    ("I'll take number 3 please", 3, 2),
    ("第二个", 3, 1),
    ("最后一个", 3, 2),
    ("中间那个", 3, 1),
    ("中间那个", 2, None),
    ("不要中间那个", 3, None),
    ("后面那家", 2, 1),
    ("前一个吧", 2, 0),
    ("后面那家", 3, None),
    ("后面那个不行", 2, None),
    ("第二个不要了", 3, None),
    ("以后一家", 2, None),
    ("选2", 3, 1),
    ("2号", 3, 1),
    ("第三家吧", 3, 2),
    ("前者", 2, 0),
    ("后者", 2, 1),
    ("5", 3, None),
    ("0", 3, None),
    ("the fourth one", 3, None),
    ("the first or the second", 3, None),
    ("2 or 3", 3, None),
    ("motor 3", 4, None),
    ("2 people", 3, None),
    ("the first week of may", 3, None),
    ("the 2nd of may", 3, None),
    ("Oslo", 3, None),
    ("", 3, None),
    ("2", 0, None),
]


@pytest.mark.parametrize(("text", "count", "expected"), CHOICES)
def test_choice(text: str, count: int, expected: int | None) -> None:
    assert find_choice(fold(text), count) == expected


@given(st.text(), st.integers(0, 20))
def test_choice_is_in_range(text: str, count: int) -> None:
    chosen = find_choice(fold(text), count)
    assert chosen is None or 0 <= chosen < count
