from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotstate.parsing.dates import Prefer, find_dates
from slotstate.parsing.folding import fold
from tests.parsing.known import NOW, told

DATES = [
    ("圣诞节", "圣诞节=2024-12-25"),
    ("明年元旦", "明年元旦=2025-01-01"),
    ("本月最后一天", "本月最后一天=2024-05-31"),
    ("二月的最后一天", "二月的最后一天=2025-02-28"),
    ("圣诞节前", ""),
    ("圣诞树", ""),
    ("2024-05-17", "2024-05-17=2024-05-17"),
    ("2024/5/17", "2024/5/17=2024-05-17"),
    ("17.05.2024", "17.05.2024=2024-05-17"),
    ("5/6/2024", "5/6/2024=2024-06-05|2024-05-06"),
    ("13/6/2024", "13/6/2024=2024-06-13"),
    ("20/5/24", "20/5/24=2024-05-20"),
    ("17-May-2024", "17-May-2024=2024-05-17"),
    ("March 3rd", "March 3rd=2025-03-03"),
    ("3 March 2023", "3 March 2023=2023-03-03"),
    ("July 4th, 2025", "July 4th, 2025=2025-07-04"),
    ("the second of June", "second of June=2024-06-02"),
    ("the 19th", "the 19th=2024-05-19"),
    ("Sunday the 19th", "Sunday the 19th=2024-05-19"),
    ("Friday the 13th", "Friday the 13th=2024-06-13|2024-06-14|2024-09-13"),
    ("Friday 17 May", "Friday 17 May=2024-05-17"),
    ("Thursday 17 May", "Thursday 17 May=2024-05-17|2024-05-16"),
    ("on Sunday", "Sunday=2024-05-19"),
    ("on Wednesday", "Wednesday=2024-05-22"),
    ("next Friday", "next Friday=2024-05-24|2024-05-17"),
    ("Friday next week", "Friday next week=2024-05-24"),
    ("this Friday", "this Friday=2024-05-17"),
    ("this Monday", "this Monday=2024-05-20"),
    ("last Friday", "last Friday=2024-05-10"),
    ("last Tuesday", "last Tuesday=2024-05-14|2024-05-07"),
    ("sat", "sat=2024-05-18"),
    ("on sat", "sat=2024-05-18"),
    ("from March 6th to March 13th", "March 6th=2025-03-06; March 13th=2025-03-13"),
    ("today", "today=2024-05-15"),
    ("tonight", "tonight=2024-05-15"),
    ("tomorrow", "tomorrow=2024-05-16"),
    ("the day after tomorrow", "the day after tomorrow=2024-05-17"),
    ("yesterday", "yesterday=2024-05-14"),
    ("in 3 days", "in 3 days=2024-05-18"),
    ("3 days ago", "3 days ago=2024-05-12"),
    ("in two weeks", "in two weeks=2024-05-29"),
    ("in a couple of days", "in a couple of days=2024-05-17"),
    ("in a month", "in a month=2024-06-15"),
    ("a week from Friday", "a week from Friday=2024-05-24"),
    ("the 5th of next month", "the 5th of next month=2024-06-05"),
    ("from May 20, 2024 to June 3", "May 20, 2024=2024-05-20; June 3=2024-06-03"),
    ("the first Monday in June", "the first Monday in June=2024-06-03"),
    ("the third Thursday of November 2027", "the third Thursday of November 2027=2027-11-18"),
    ("the second Friday next month", "the second Friday next month=2024-06-14"),
    ("the last Friday of the month", "the last Friday of the month=2024-05-31"),
    ("the last day of the month", "the last day of the month=2024-05-31"),
    ("Friday week", "Friday week=2024-05-24"),
    ("a week on Friday", "a week on Friday=2024-05-24"),
    ("tomorrow week", "tomorrow week=2024-05-23"),
    ("Friday fortnight", "Friday fortnight=2024-05-31"),
    ("three weeks on Monday", "three weeks on Monday=2024-06-10"),
    ("the Friday after next", "the Friday after next=2024-05-24|2024-05-31"),
    ("next month on the 5th", "next month on the 5th=2024-06-05"),
    ("Friday 7/6", "Friday 7/6=2024-06-07"),
    ("Tuesday the 9th", "Tuesday the 9th=2024-07-09"),
    ("on the twelfth", "the twelfth=2024-06-12"),
    ("the 20th or 21st", "the 20th=2024-05-20; 21st=2024-05-21"),
    ("the 3rd or 4th of June", "the 3rd=2024-06-03; 4th of June=2024-06-04"),
    ("Friday after 5pm", "Friday=2024-05-17"),
    ("Christmas Eve", "Christmas Eve=2024-12-24"),
    ("on Boxing Day", "Boxing Day=2024-12-26"),
    ("new years eve 2025", "new years eve 2025=2025-12-31"),
    ("20/12", "20/12=2024-12-20"),
    ("12/20", "12/20=2024-12-20"),
    ("today's score was 20/12", "today=2024-05-15"),
    ("the Saturday before", ""),
    ("the Friday after that", ""),
    ("the day before Friday", ""),
    ("the Friday before Christmas", ""),
    ("the first Friday", ""),
    ("every Monday", ""),
    ("next Friday week", ""),
    ("今天", "今天=2024-05-15"),
    ("明早出发", "明早=2024-05-16"),
    ("今晚", "今晚=2024-05-15"),
    ("大后天", "大后天=2024-05-18"),
    ("前天", "前天=2024-05-13"),
    ("周五", "周五=2024-05-17"),
    ("礼拜天", "礼拜天=2024-05-19"),
    ("星期三", "星期三=2024-05-22"),
    ("下周五", "下周五=2024-05-24"),
    ("下下周一", "下下周一=2024-05-27"),
    ("这周六", "这周六=2024-05-18"),
    ("上周五", "上周五=2024-05-10"),
    ("三月二十六号", "三月二十六号=2025-03-26"),
    ("买四月十八的票", "四月十八=2025-04-18"),
    ("12月3号", "12月3号=2024-12-03"),
    ("5月17日(周五)", "5月17日(周五)=2024-05-17"),
    ("二零二六年五月一日", "二零二六年五月一日=2026-05-01"),
    ("2024年5月17日", "2024年5月17日=2024-05-17"),
    ("明年三月三号", "明年三月三号=2025-03-03"),
    ("下个月3号", "下个月3号=2024-06-03"),
    ("19号", "19号=2024-05-19"),
    ("3天后", "3天后=2024-05-18"),
    ("三天前", "三天前=2024-05-12"),
    ("两个月后", "两个月后=2024-07-15"),
    ("29 February", "29 February=2028-02-29"),
    ("Feb 30", ""),
    ("2024-02-30", ""),
    ("2023年2月29日", ""),
    ("99/99/2024", ""),
    ("next month", ""),
    ("I may go", ""),
    ("they may 5 times", ""),
    ("the sun is out", ""),
    ("we march to the sea", ""),
    ("wait a second", ""),
    ("the 1st option", ""),
    ("坐3号线", ""),
    ("人民路8号", ""),
    ("41 people", ""),
    ("from 2k to 3k", ""),
]


@pytest.mark.parametrize(("text", "expected"), DATES)
def test_dates(text: str, expected: str) -> None:
    assert told(text, find_dates(fold(text), NOW)) == expected


@pytest.mark.parametrize(
    ("text", "today", "prefer", "expected"),
    [
        ("on Sunday", "2024-05-15", "past", "2024-05-12"),
        ("on Wednesday", "2024-05-15", "past", "2024-05-08"),
        ("March 15th", "2024-05-15", "past", "2024-03-15"),
        ("December 24", "2024-05-15", "past", "2023-12-24"),
        ("the 19th", "2024-05-15", "past", "2024-04-19"),
        ("29 February", "2025-03-01", "past", "2024-02-29"),
        ("the 31st", "2024-04-30", "future", "2024-05-31"),
        ("January 2", "2024-12-31", "future", "2025-01-02"),
        ("tomorrow", "2024-12-31", "future", "2025-01-01"),
        ("tomorrow", "2024-02-28", "future", "2024-02-29"),
        ("明天", "2023-02-28", "future", "2023-03-01"),
        ("on Friday", "2024-12-31", "future", "2025-01-03"),
        ("下周五", "2024-12-31", "future", "2025-01-10"),
        ("in a month", "2024-01-31", "future", "2024-02-29"),
        ("in 1 year", "2024-02-29", "future", "2025-02-28"),
        ("元旦前三天是12月29日", "2024-12-30", "future", "2025-12-29"),
        ("29 February", "2096-03-01", "future", "2104-02-29"),
    ],
)
def test_dates_of_other_days(text: str, today: str, prefer: Prefer, expected: str) -> None:
    now = datetime.fromisoformat(f"{today}T09:00:00+00:00")
    assert [str(found.value) for found in find_dates(fold(text), now, prefer)] == [expected]


def test_today_is_the_users() -> None:
    late = datetime(2024, 5, 16, 2, 30, tzinfo=UTC).astimezone(ZoneInfo("America/New_York"))
    assert find_dates(fold("tonight"), late)[0].value == date(2024, 5, 15)


@given(st.dates(date(1000, 1, 1), date(2999, 12, 31)))
def test_iso_dates_come_back(day: date) -> None:
    text = f"on {day.isoformat()}, please"
    (found,) = find_dates(fold(text), NOW)
    assert (found.values, text[slice(*found.span)]) == ((day,), day.isoformat())


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)))
def test_written_dates_come_back(day: date) -> None:
    for text in (f"{day:%d %B} {day.year}", f"{day:%B} {day.day}, {day.year}", f"{day.year}年{day.month}月{day.day}日"):
        assert [found.values for found in find_dates(fold(text), NOW)] == [(day,)]


@given(st.dates(date(1970, 1, 1), date(2100, 1, 1)), st.sampled_from(("monday", "friday", "周日", "星期二")))
def test_a_weekday_is_within_a_week(today: date, word: str) -> None:
    now = datetime(today.year, today.month, today.day, tzinfo=UTC)
    (ahead,) = find_dates(fold(word), now)
    (back,) = find_dates(fold(word), now, "past")
    assert timedelta(0) < ahead.value - today <= timedelta(7)
    assert timedelta(0) < today - back.value <= timedelta(7)


@given(st.text(), st.datetimes(timezones=st.just(UTC)), st.sampled_from(("future", "past")))
def test_any_now_will_do(text: str, now: datetime, prefer: Prefer) -> None:
    for cue in ("tomorrow", "last friday", "in 3 years", "the 31st", "上周一", "29 february", text):
        find_dates(fold(cue), now, prefer)
