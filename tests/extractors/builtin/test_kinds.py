# ruff: noqa: E501 (tables)

from __future__ import annotations

from datetime import date, time
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel

from slotstate import Money, Slot, Tracker, values
from slotstate.domains import compile_domains
from slotstate.extractors.builtin import RulesExtractor
from slotstate.extractors.builtin.nearly import _one_edit
from tests.extractors.builtin.scene import NOW, Stay, Trip, after, held


class Claim(BaseModel):
    """A claim after a damage."""

    damage_on: Annotated[date | None, Slot(ask="When did the damage happen?")] = None
    visit_on: Annotated[date | None, Slot(ask="Which day may the expert come?")] = None


class Passport(BaseModel):
    """A passport."""

    born_on: Annotated[date | None, Slot(cues=["出生"])] = None
    issued_on: date | None = None
    expires_on: Annotated[date | None, Slot(ask="When does your passport expire?")] = None


class Court(BaseModel):
    """A tennis court."""

    day: Annotated[date | None, Slot(ask="Which day?")] = None
    at: Annotated[time | None, Slot(ask="What time?")] = None
    part: Literal["morning", "evening"] | None = None


class Call(BaseModel):
    """A call."""

    at: Annotated[time | None, Slot(ask="What time?")] = None


class Address(BaseModel):
    street: str
    city: str
    postcode: str | None = None


class Item(BaseModel):
    name: str
    qty: int


class Person(BaseModel):
    first_name: str
    last_name: str


class Delivery(BaseModel):
    """A delivery of goods."""

    address: Address | None = None
    items: Annotated[list[Item], Slot(ask="What would you like to order?")] = []
    recipient: Person | None = None


class Checkup(BaseModel):
    """A medical check-up."""

    systolic: int | None = None
    diastolic: int | None = None
    temperature: float | None = None


class Match(BaseModel):
    """The result of a match."""

    home_goals: int | None = None
    away_goals: int | None = None


class Room(BaseModel):
    """A room to stay in."""

    smoking: Annotated[bool | None, Slot(cues=["吸烟"])] = None
    wifi: bool | None = None
    parking: Annotated[bool | None, Slot(cues=["停车位"])] = None
    receipt: bool | None = None


class Table(BaseModel):
    """A table to be made."""

    material: Annotated[Literal["walnut", "marble", "bamboo"] | None, Slot(ask="Which material?")] = None
    finish: Annotated[Literal["matte", "matter"] | None, Slot(ask="Which finish?")] = None
    colour: str | None = None
    legs: Annotated[int | None, Slot(cues=["legs"])] = None
    price: Money | None = None


class Mood(BaseModel):
    """How somebody is."""

    mood: Literal["good", "bad"] | None = None


class Floor(BaseModel):
    """An office."""

    floor: Annotated[int | None, Slot(ask="Which floor?")] = None
    people: int | None = None


class Letter(BaseModel):
    """A letter."""

    greeting: Annotated[str | None, Slot(ask="How should it begin?")] = None
    title: Annotated[str | None, Slot(ask="What is the title?")] = None


class Account(BaseModel):
    """An account."""

    name: str | None = None
    code: Annotated[str | None, Slot(cues=["code"])] = None


class Weather(BaseModel):
    """The weather."""

    city: Annotated[str | None, Slot(cues=["天气"])] = None
    day: date | None = None


class Lottery(BaseModel):
    """Lists of typed values."""

    numbers: Annotated[list[int], Slot(ask="Which numbers?")] = []
    days: Annotated[list[date], Slot(ask="哪几天请假？")] = []


class Parcel(BaseModel):
    """A parcel."""

    length_cm: int | None = None
    weight_kg: float | None = None
    storage: Annotated[int | None, Slot(cues=["GB"])] = None


CASES: list[tuple[Any, list[str], dict[str, Any]]] = [
    # which way a date looks
    (Claim, ["A: When did the damage happen?", "on Sunday"], {"damage_on": "2024-05-12"}),
    (Claim, ["A: Which day may the expert come?", "on Sunday"], {"visit_on": "2024-05-19"}),
    (Passport, ["issued on 4 March"], {"issued_on": "2024-03-04"}),
    (Passport, ["A: When does your passport expire?", "on 2 June", "A: Of which year?", "2031"], {"expires_on": "2031-06-02"}),
    (Passport, ["出生于1990年3月4日"], {"born_on": "1990-03-04"}),
    # counted from what is known
    (Court, ["a court on Saturday", "A: Saturday is taken.", "then the day after"], {"day": "2024-05-19"}),
    (Court, ["a court on Saturday", "A: Taken.", "and the morning after that?"], {"day": "2024-05-19", "part": "morning"}),
    (Court, ["a court on Saturday", "A: Taken.", "a week later then"], {"day": "2024-05-25"}),
    (Court, ["some time next week", "A: Which day?", "Thursday"], {"day": "2024-05-23"}),
    (Court, ["下周吧", "A: 哪一天？", "周四"], {"day": "2024-05-23"}),
    (Court, ["周六有吗", "A: 没有了。", "那第二天呢"], {"day": "2024-05-19"}),
    (Call, ["A: What time?", "7 am", "A: 7 am it is.", "make it the evening"], {"at": "19:00"}),
    (Call, ["A: What time?", "at 7", "A: In the morning?", "the evening"], {"at": "19:00"}),
    # composites
    (Delivery, ["to 3 Mill Lane, York, YO1 7AA"], {"address": {"street": "3 Mill Lane", "city": "York", "postcode": "YO1 7AA"}}),
    (Delivery, ["to Elm Road 14, 28195 Bremen"], {"address": {"street": "Elm Road 14", "city": "Bremen", "postcode": "28195"}}),
    (Delivery, ["to 3 Mill Lane, York", "A: Noted.", "Sorry, the street is 14 Elm Road"], {"address": {"street": "14 Elm Road", "city": "York"}}),
    (Delivery, ["A: What would you like to order?", "two aubergines and one loaf"], {"items": [{"name": "aubergines", "qty": 2}, {"name": "loaf", "qty": 1}]}),
    (Delivery, ["A: What would you like to order?", "a loaf and two aubergines"], {"items": [{"name": "loaf", "qty": 1}, {"name": "aubergines", "qty": 2}]}),
    (Delivery, ["first name Ines, last name Duarte"], {"recipient": {"first_name": "Ines", "last_name": "Duarte"}}),
    (Delivery, ["first name Ines, last name Duarte", "A: Ok.", "the last name is Lima"], {"recipient": {"first_name": "Ines", "last_name": "Lima"}}),
    # pairs, lists of typed values, units
    (Checkup, ["pressure 120 over 80 and temperature 37.2"], {"systolic": 120, "diastolic": 80, "temperature": 37.2}),
    (Match, ["A: What was the score, home and away?", "3 to 1"], {"home_goals": 3, "away_goals": 1}),
    (Lottery, ["A: Which numbers?", "7, 19 and 33"], {"numbers": [7, 19, 33]}),
    (Lottery, ["A: 哪几天请假？", "5月20号和5月22号"], {"days": ["2024-05-20", "2024-05-22"]}),
    (Parcel, ["the length is 40 and the weight is 2.5"], {"length_cm": 40, "weight_kg": 2.5}),
    (Parcel, ["with 256 GB"], {"storage": 256}),
    (Floor, ["A: Which floor?", "the third"], {"floor": 3}),
    (Floor, ["take 4 people to the 21st floor"], {"floor": 21, "people": 4}),
    # yes or no by the words of the schema
    (Room, ["with wifi please"], {"wifi": True}),
    (Room, ["non-smoking please"], {"smoking": False}),
    (Room, ["I need a receipt"], {"receipt": True}),
    (Room, ["要停车位，不吸烟"], {"parking": True, "smoking": False}),
    (Room, ["no parking needed"], {"parking": False}),
    (Room, ["is there parking?"], {}),
    (Room, ["有停车位吗？"], {}),
    # categorical
    (Table, ["A: Which material?", "walnutt"], {"material": "walnut"}),
    (Table, ["A: Which material?", "wlanut"], {"material": "walnut"}),
    (Table, ["A: Which material?", "stone"], {}),
    (Table, ["A: Which finish?", "mattes"], {"finish": "matte"}),
    (Table, ["a blue table on four legs"], {"colour": "blue", "legs": 4}),
    (Table, ["not blue"], {}),
    (Table, ["is it blue?"], {}),
    (Mood, ["I don't feel good at all"], {"mood": "bad"}),
    (Mood, ["A: How are you?", "not bad"], {"mood": "good"}),
    # text
    (Letter, ["A: How should it begin?", "Dear {name}"], {"greeting": "Dear {name}"}),
    (Letter, ["A: What is the title?", "fix {% raw %} in the page"], {"title": "fix {% raw %} in the page"}),
    (Letter, ["A: What is the title?", "《山间来信》"], {"title": "《山间来信》"}),
    (Letter, ["A: What is the title?", "🎉 Harvest 🎉"], {"title": "Harvest"}),
    (Account, ["Ana, code is 4411"], {"name": "Ana", "code": "4411"}),
    (Account, ["Great, code is 4411"], {"code": "4411"}),
    (Weather, ["weather in Ghent", "A: Rain.", "what about Bruges?"], {"city": "Bruges"}),
    (Weather, ["深圳天气怎么样", "A: 晴。", "那广州呢"], {"city": "广州"}),
    (Stay, ["A: Which city?", "上海", "A: 上海，对吗？", "不是上海，是苏州"], {"city": "苏州"}),
    (Stay, ["A: Which city?", "Oslo", "A: Oslo, right?", "no, not Oslo, Bergen"], {"city": "Bergen"}),
    (Trip, ["A: How many people travel?", "eight, no, nine"], {"people": 9}),
    # small talk
    (Court, ["nice weather today"], {}),
    (Court, ["今天天气不错"], {}),
    (Court, ["I'm so tired today"], {}),
    (Court, ["today please"], {"day": "2024-05-15"}),
]  # fmt: skip


@pytest.mark.parametrize(("domain", "lines", "expected"), CASES, ids=[" / ".join(lines) for _, lines, _ in CASES])
def test_kinds(domain: Any, lines: list[str], expected: dict[str, Any]) -> None:
    assert held(after(domain, lines)) == expected


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("walnut", "walnutt", True),
        ("walnut", "wlanut", True),
        ("walnut", "walnt", True),
        ("walnut", "walrut", True),
        ("walnut", "walnut", False),
        ("walnut", "alnut", False),
        ("walnut", "wallnutt", False),
    ],
)
def test_one_typo(one: str, other: str, near: bool) -> None:
    assert _one_edit(other, one) is near


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("with wifi", True),
        ("no wifi", False),
        ("is there wifi?", None),
        ("nothing of it", None),
        ("needs a receipt", None),
    ],
)
def test_decide_sees_the_name_of_a_yes_or_no_slot(words: str, value: bool | None) -> None:
    spec = compile_domains(Room).specs["room.wifi"]
    found = values.find(spec, words, values.Reading(NOW))
    assert [one.value for one in found] == ([] if value is None else [value])


@pytest.mark.parametrize(
    ("path", "question", "words", "expected"),
    [
        ("claim.damage_on", "", "", "past"),
        ("claim.visit_on", "", "", "future"),
        ("claim.visit_on", "When did he come?", "", "past"),
        ("claim.visit_on", "When did you want to come?", "", "future"),
        ("claim.visit_on", "", "it happened on Monday", "past"),
        ("claim.visit_on", "什么时候发生的？", "", "past"),
    ],
)
def test_direction(path: str, question: str, words: str, expected: str) -> None:
    assert values.direction(compile_domains(Claim).specs[path], question, words) == expected


class Meter(BaseModel):
    """Read a meter."""

    level: int | None = None


@pytest.mark.parametrize(("text", "level"), [("It stands at 96", 96), ("We meet at 3", None)])
def test_a_number_that_no_clock_shows_is_no_hour(text: str, level: int | None) -> None:
    chat = Tracker(Meter, extractor=RulesExtractor()).open("s")
    chat.user(text)
    assert chat.state["meter"]["level"].value == level
