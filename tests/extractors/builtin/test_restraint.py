from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from slotstate import Slot, Tracker
from slotstate.extractors.builtin import BuiltinExtractor
from tests.extractors.builtin.scene import NOW, Trip, after, held


class Person(BaseModel):
    """Who travels."""

    name: str
    age: int


class Booking(BaseModel):
    """A booking with somebody to call."""

    contact: Annotated[Person | None, Slot(ask="Who is the contact?")] = None


_TO = "A: Where do you want to go?"
_TO_ZH = "A: 您要去哪儿？"

NOTHING: list[list[str]] = [
    # amounts
    ["A: What is your budget?", "200"],
    ["my budget is 200"],
    ["A: 您的预算？", "两千"],
    ["预算两千"],
    # hours
    ["I have a meeting with Bob at 3, so be quick"],
    ["My lunch is at about 1"],
    # negation
    [_TO, "Not Paris"],
    ["I'm not going to Paris"],
    ["any day but Friday"],
    ["A: What day do you leave?", "any day but Friday"],
    ["don't write to bob@example.org"],
    ["我不去上海"],
    [_TO_ZH, "别去上海"],
    ["除了周五都行"],
    ["别发到bob@example.org"],
    # answers that are none
    *([_TO, text] for text in ("asdf", "lol", "this is stupid", "42", "https://example.org/x", 'print("x")')),
    *([_TO, text] for text in ("still thinking", "have not decided yet")),
    *([_TO_ZH, text] for text in ("还没决定", "人工客服", "从来没有", "自己来", "我想去厕所", "真烦", "42")),
    # cues that lead nowhere
    ["from time to time"],
    ["I travel to learn"],
    ["thanks to Mary"],
    ["I listen to Mozart"],
    ["I go to bed"],
    ["compared to Paris it is cheap"],
    ["please avoid repeating yourself"],
    ["从来没有"],
    ["我想去厕所"],
    ["自己来"],
    # reported speech and code
    ["他对我说从北京去上海"],
    ["my boss said: from Leeds to York"],
    ['def travel(origin="Leeds"): go(to="York")'],
    ["SELECT * FROM trips WHERE destination = 'Leeds'"],
    ["https://example.org/from/Leeds/to/York?people=2"],
    # other units, and what is past
    ["It takes from 3 to 5 hours"],
    ["I'm on cloud nine"],
    ["two people told me that"],
    ["4 tickets were already sold yesterday"],
    ["有两个人告诉我"],
    ["昨天已经卖了四张票"],
    ["要三到五个小时"],
    # other senses
    ["the economy is bad"],
    ["second class is a scam"],
    ["头等大事"],
]

VALUES: list[tuple[list[str], dict[str, Any]]] = [
    (["budget 200, two people"], {"people": 2}),
    (["to Leeds", "not Leeds, York"], {"destination": "York"}),
    (["to Leeds", "York, not Leeds"], {"destination": "York"}),
    (["to Leeds", "York instead of Leeds"], {"destination": "York"}),
    (["去北京", "不是北京，是南京"], {"destination": "南京"}),
    (["去北京", "要南京不要北京"], {"destination": "南京"}),
    (["second class", "first class, not second class"], {"seat": "first"}),
    (["二等座", "要一等座不要二等座"], {"seat": "first"}),
    (["周五出发", "要周六不要周五"], {"outbound_on": "2024-05-18"}),
    ([_TO, "Leeds"], {"destination": "Leeds"}),
    ([_TO, "leeds"], {"destination": "leeds"}),
    ([_TO_ZH, "无锡"], {"destination": "无锡"}),
    (["economy is fine"], {"seat": "second"}),
    (["second class please"], {"seat": "second"}),
    (["A: What time do you want to leave? There are 15:00 and 18:30.", "half past six"], {"departs_at": "18:30"}),
    (["A: 几点出发？有15:00和18:30的车。", "六点半"], {"departs_at": "18:30"}),
]


@pytest.mark.parametrize("lines", NOTHING)
def test_what_only_looks_like_a_value_is_none(lines: list[str]) -> None:
    assert held(after(Trip, lines)) == {}


@pytest.mark.parametrize(("lines", "expected"), VALUES)
def test_restraint_leaves_values_alone(lines: list[str], expected: dict[str, Any]) -> None:
    assert held(after(Trip, lines)) == expected


@pytest.mark.parametrize(
    ("asked", "text", "expected"),
    [
        ("age", "two nights from 4 June", {}),
        ("name", "It's Anna Schmidt and I'm 34", {"name": "Anna Schmidt", "age": 34}),
        ("", "Anna Schmidt, I am 34 years old", {"name": "Anna Schmidt", "age": 34}),
        ("name", "李雷，今年34岁", {"name": "李雷", "age": 34}),
    ],
)
def test_fields_of_a_composite_take_what_is_theirs(asked: str, text: str, expected: dict[str, Any]) -> None:
    chat = Tracker(Booking, extractor=BuiltinExtractor(), clock=lambda: NOW).open("test")
    chat.assistant("And?", asks=[f"booking.contact.{asked}".rstrip(".")])
    chat.user(text)
    assert held(chat).get("contact", {}) == expected


def test_a_bare_date_overwrites_no_other() -> None:
    assert held(after(Trip, ["leaving on 4 June", "the day after tomorrow"])) == {"outbound_on": "2024-06-04"}
