from __future__ import annotations

from datetime import UTC, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotstate.parsing.datetimes import find_datetimes
from slotstate.parsing.durations import find_durations
from slotstate.parsing.folding import fold
from slotstate.parsing.times import find_times
from tests.parsing.known import NOW, told

TIMES = [
    ("14:00", "14:00=14:00"),
    ("2 pm", "2 pm=14:00"),
    ("2:30pm", "2:30pm=14:30"),
    ("3 a.m.", "3 a.m.=03:00"),
    ("12 am", "12 am=00:00"),
    ("12 pm", "12 pm=12:00"),
    ("half past 3", "half past 3=03:30|15:30"),
    ("half eight in the morning", "half eight in the morning=08:30"),
    ("at half eight", "half eight=08:30|20:30"),
    ("between 2 and 4pm", "2=14:00; 4pm=16:00"),
    ("2 or 3pm", "2=14:00; 3pm=15:00"),
    ("11 to 1pm", "11=11:00; 1pm=13:00"),
    ("ten to four pm", "ten to four pm=15:50"),
    ("about 1,500", ""),
    ("half two pizzas", ""),
    ("half past 3 in the afternoon", "half past 3 in the afternoon=15:30"),
    ("quarter to nine", "quarter to nine=08:45|20:45"),
    ("ten past four", "ten past four=04:10|16:10"),
    ("five to six pm", "five to six pm=17:55"),
    ("noon", "noon=12:00"),
    ("midnight", "midnight=00:00"),
    ("at 8 o'clock", "8 o'clock=08:00|20:00"),
    ("8 in the evening", "8 in the evening=20:00"),
    ("at 8", "8=08:00|20:00"),
    ("by 6", "6=06:00|18:00"),
    ("at seven thirty", "seven thirty=07:30|19:30"),
    ("at 8 tonight", "8 tonight=20:00"),
    ("tonight at 8", "tonight at 8=20:00"),
    ("09:15", "09:15=09:15"),
    ("9:15", "9:15=09:15|21:15"),
    ("12:30", "12:30=12:30"),
    ("24:00", "24:00=00:00"),
    ("a bus at 07:40 for 30 euros", "07:40=07:40"),
    ("17h30", "17h30=17:30"),
    ("下午三点", "下午三点=15:00"),
    ("早上8点半", "早上8点半=08:30"),
    ("晚上七点一刻", "晚上七点一刻=19:15"),
    ("15点20分", "15点20分=15:20"),
    ("三点", "三点=03:00|15:00"),
    ("8点到10点", "8点=08:00|20:00; 10点=10:00|22:00"),
    ("中午", "中午=12:00"),
    ("中午12点半", "中午12点半=12:30"),
    ("中午1点", "中午1点=13:00"),
    ("晚上12点", "晚上12点=00:00"),
    ("午夜十二点", "午夜十二点=00:00"),
    ("晚上六七点", "晚上六七点=18:00|19:00"),
    ("八九点", "八九点=08:00|09:00|20:00|21:00"),
    ("上午十一二点", "上午十一二点=11:00|12:00"),
    ("周六七点", "七点=07:00|19:00"),
    ("二十点", "二十点=20:00"),
    ("晚上六点或七点", "晚上六点=18:00; 七点=19:00"),
    ("晚上六点到八点半", "晚上六点=18:00; 八点半=20:30"),
    ("上午十点到三点", "上午十点=10:00; 三点=03:00|15:00"),
    ("零点", "零点=00:00"),
    ("下午一点", "下午一点=13:00"),
    ("一点钟", "一点钟=01:00|13:00"),
    ("差五分三点", "差五分三点=02:55|14:55"),
    ("今晚八点", "今晚八点=20:00"),
    ("晚上８：３０", "晚上８：３０=20:30"),
    ("for 8", ""),
    ("table for 7", ""),
    ("table for 2 tonight", ""),
    ("around 7 people", ""),
    ("at 40 pounds", ""),
    ("at 5%", ""),
    ("from 5 to 9", ""),
    ("25:00", ""),
    ("1.5 pm", ""),
    ("便宜一点", ""),
    ("早一点", ""),
    ("3小时", ""),
]


@pytest.mark.parametrize(("text", "expected"), TIMES)
def test_times(text: str, expected: str) -> None:
    assert told(text, find_times(fold(text)), lambda value: f"{value:%H:%M}") == expected


@given(st.times())
def test_iso_times_come_back(at: time) -> None:
    at = at.replace(fold=0)
    text = f"{at.isoformat('microseconds')} then"
    assert [found.values for found in find_times(fold(text))] == [(at,)]


@given(st.integers(0, 23), st.integers(0, 59))
def test_twelve_hour_times_come_back(hour: int, minute: int) -> None:
    at = time(hour, minute)
    assert [found.values for found in find_times(fold(f"{at:%I:%M %p}"))] == [(at,)]


DATETIMES = [
    ("tomorrow at 7pm", "tomorrow at 7pm=2024-05-16T19:00+02:00"),
    ("at 7pm tomorrow", "7pm tomorrow=2024-05-16T19:00+02:00"),
    ("8 pm today", "8 pm today=2024-05-15T20:00+02:00"),
    ("3pm on Friday", "3pm on Friday=2024-05-17T15:00+02:00"),
    ("Friday, 3pm", "Friday, 3pm=2024-05-17T15:00+02:00"),
    ("on Friday at 9:15", "Friday at 9:15=2024-05-17T09:15+02:00|2024-05-17T21:15+02:00"),
    ("noon tomorrow", "noon tomorrow=2024-05-16T12:00+02:00"),
    ("monday 9am to tuesday 5pm", "monday 9am=2024-05-20T09:00+02:00; tuesday 5pm=2024-05-21T17:00+02:00"),
    ("at 7", "7=2024-05-15T19:00+02:00|2024-05-16T07:00+02:00"),
    ("in 2 hours", "in 2 hours=2024-05-15T14:00+02:00"),
    ("half an hour ago", "half an hour ago=2024-05-15T11:30+02:00"),
    ("2024-05-17 10:00", "2024-05-17 10:00=2024-05-17T10:00+02:00"),
    ("2024-05-17T10:00:00Z", "2024-05-17T10:00:00Z=2024-05-17T10:00+00:00"),
    ("2024-05-17T10:00-07:00", "2024-05-17T10:00-07:00=2024-05-17T10:00-07:00"),
    ("明天下午三点", "明天下午三点=2024-05-16T15:00+02:00"),
    ("下周五晚上8点", "下周五晚上8点=2024-05-24T20:00+02:00"),
    ("今晚八点", "今晚八点=2024-05-15T20:00+02:00"),
    ("两小时后", "两小时后=2024-05-15T14:00+02:00"),
    ("半小时后", "半小时后=2024-05-15T12:30+02:00"),
    ("31 March 2024 at 02:30", "31 March 2024 at 02:30=2024-03-31T03:30+02:00"),
    ("27 October 2024 at 02:30", "27 October 2024 at 02:30=2024-10-27T02:30+02:00"),
    ("tomorrow", ""),
    ("hello", ""),
]


@pytest.mark.parametrize(("text", "expected"), DATETIMES)
def test_datetimes(text: str, expected: str) -> None:
    assert told(text, find_datetimes(fold(text), NOW), lambda value: value.isoformat(timespec="minutes")) == expected


@pytest.mark.parametrize(
    ("text", "now", "expected"),
    [
        ("in 2 hours", "2024-03-31T01:00", "2024-03-31T04:00+02:00"),
        ("in 2 hours", "2024-10-27T01:30", "2024-10-27T02:30+01:00"),
        ("tomorrow at 02:30", "2024-03-30T12:00", "2024-03-31T03:30+02:00"),
        ("at 09:00", "2024-12-31T10:00", "2025-01-01T09:00+01:00"),
    ],
)
def test_clocks_that_change(text: str, now: str, expected: str) -> None:
    berlin = datetime.fromisoformat(now).replace(tzinfo=ZoneInfo("Europe/Berlin"))
    (found,) = find_datetimes(fold(text), berlin)
    assert found.value.isoformat(timespec="minutes") == expected


def test_a_time_in_the_past() -> None:
    (found,) = find_datetimes(fold("at 09:00"), NOW, "past")
    assert found.value.isoformat() == "2024-05-15T09:00:00+02:00"
    (found,) = find_datetimes(fold("at 13:00"), NOW, "past")
    assert found.value.isoformat() == "2024-05-14T13:00:00+02:00"


_FIRST, _LAST = (datetime(year, 1, 1, tzinfo=UTC).replace(tzinfo=None) for year in (3, 9998))


@given(st.datetimes(_FIRST, _LAST, timezones=st.just(timezone(timedelta(hours=-3)))))
def test_iso_datetimes_come_back(at: datetime) -> None:
    text = f"<{at.isoformat()}>"
    assert [found.values for found in find_datetimes(fold(text), NOW)] == [(at,)]


@given(st.text(), st.datetimes(timezones=st.just(UTC)), st.sampled_from(("future", "past")))
def test_any_now_will_do(text: str, now: datetime, prefer: object) -> None:
    for cue in ("at 7", "in 5 hours", "tomorrow at 9am", "yesterday at 9am", text):
        find_datetimes(fold(cue), now, "past" if prefer == "past" else "future")


DURATIONS = [
    ("2 hours", "2 hours=2:00:00"),
    ("an hour and a half", "an hour and a half=1:30:00"),
    ("two and a half hours", "two and a half hours=2:30:00"),
    ("half an hour", "half an hour=0:30:00"),
    ("three quarters of an hour", "three quarters of an hour=0:45:00"),
    ("90 min", "90 min=1:30:00"),
    ("1h30m", "1h30m=1:30:00"),
    ("2 hours and 30 minutes", "2 hours and 30 minutes=2:30:00"),
    ("3 nights", "3 nights=3 days, 0:00:00"),
    ("two weeks", "two weeks=14 days, 0:00:00"),
    ("PT2H", "PT2H=2:00:00"),
    ("P1DT12H", "P1DT12H=1 day, 12:00:00"),
    ("两个小时", "两个小时=2:00:00"),
    ("一个半小时", "一个半小时=1:30:00"),
    ("半小时", "半小时=0:30:00"),
    ("2小时30分钟", "2小时30分钟=2:30:00"),
    ("三天", "三天=3 days, 0:00:00"),
    ("两晚", "两晚=2 days, 0:00:00"),
    ("两天半", "两天半=2 days, 12:00:00"),
    ("一刻钟", "一刻钟=0:15:00"),
    ("3 days ago", ""),
    ("3天后", ""),
    ("wait a second", ""),
    ("每天", ""),
    ("周三天气", ""),
    ("第三天", ""),
    ("2 months", ""),
]


@pytest.mark.parametrize(("text", "expected"), DURATIONS)
def test_durations(text: str, expected: str) -> None:
    assert told(text, find_durations(fold(text))) == expected


@given(st.integers(2, 10_000), st.sampled_from((("minutes", 60), ("hours", 3600), ("days", 86400), ("分钟", 60))))
def test_durations_come_back(count: int, unit: tuple[str, int]) -> None:
    (found,) = find_durations(fold(f"{count} {unit[0]}"))
    assert found.values == (timedelta(seconds=count * unit[1]),)
