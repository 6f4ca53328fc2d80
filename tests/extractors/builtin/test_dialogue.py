"""What users do beside giving values, through the tracker: every proposal has to stand before `decide`."""

from __future__ import annotations

from typing import Any

import pytest

from slotstate import Tracker
from slotstate.events import Rejected
from slotstate.extractors.builtin import BuiltinExtractor
from tests.extractors.builtin.scene import NOW, Pizza, Stay, Trip, after, held


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        (["to Porto", "A: To Porto, right?", "yes, Porto is right"], "confirmed"),
        (["to Porto", "A: To Porto, is that right?", "yes, that's right"], "confirmed"),
        (["去北京", "A: 去北京，对吗？", "对的"], "confirmed"),
        (["to Porto", "A: Where do you want to go?", "yes, Porto is right"], "confirmed"),
        (["to Porto", "A: To Porto, right? Do you need wifi?", "no"], "filled"),
        (["to Porto", "A: So you'd like a quiet room near the sea in Porto?", "yes, that's right"], "confirmed"),
        (["to Porto", "A: You want to go to Porto with two more bags than last year?", "yes"], "confirmed"),
        (["to Porto", "A: Would you like to hear more about Porto and all there is?", "yes"], "filled"),
        (["to Porto", "A: What would you like to see when you are in Porto in May?", "yes"], "filled"),
        (["to Porto", "A: Noted. Do you need wifi?", "yes"], "filled"),
        (["to Porto", "A: To Porto, right?", "is there wifi?"], "filled"),
        (["to Porto", "A: To Porto, right?", "yes, but from Lisbon or Braga?"], "filled"),
    ],
)
def test_a_yes_confirms_only_what_was_repeated(lines: list[str], status: str) -> None:
    assert after(Trip, lines).state["trip"]["destination"].status == status


def test_a_no_to_a_repeated_value_keeps_it_and_asks() -> None:
    chat = after(Trip, ["to Porto", "A: To Porto, right?", "no, that's wrong"])
    view = chat.state["trip"]["destination"]
    assert view.value == "Porto"
    assert view.pending is not None
    assert view.pending.why == "denied"


@pytest.mark.parametrize(
    ("lines", "excluded", "expected"),
    [
        (["not first class"], ["first"], {}),
        (["不要一等座"], ["first"], {}),
        (["first class", "not first class"], ["first"], {}),
        (["not first class, economy"], ["first"], {"seat": "second"}),
        (["I don't want first class, I want economy"], ["first"], {"seat": "second"}),
    ],
)
def test_negated_options_are_ruled_out(lines: list[str], excluded: list[str], expected: dict[str, Any]) -> None:
    chat = after(Trip, lines)
    assert held(chat) == expected
    assert list(chat.state["trip"]["seat"].excluded) == excluded


def test_a_negated_text_is_ruled_out() -> None:
    chat = after(Stay, ["a hotel in Bergen", "not Bergen after all"])
    assert held(chat) == {}
    assert list(chat.state["stay"]["city"].excluded) == ["Bergen"]


@pytest.mark.parametrize(
    ("lines", "requested"),
    [
        (["is there wifi?"], ["trip.wifi"]),
        (["what's the budget?"], ["trip.budget"]),
        (["有wifi吗？"], ["trip.wifi"]),
        (["how much is it?"], ["trip.budget"]),
        (["with wifi please"], []),
        (["can you book wifi?"], []),
    ],
)
def test_questions_request_slots(lines: list[str], requested: list[str]) -> None:
    chat = Tracker(Trip, extractor=BuiltinExtractor(), clock=lambda: NOW).open("test")
    turn = chat.user(lines[0])
    assert list(turn.requested) == requested


def test_what_tools_fill_can_be_asked_about_but_not_said() -> None:
    chat = Tracker(Pizza, extractor=BuiltinExtractor(), clock=lambda: NOW).open("test")
    assert list(chat.user("what is the price?").requested) == ["pizza.price"]
    chat.user("the price is 12")
    assert held(chat) == {}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["for 2 people", "for 3 people", "undo that"], {"people": 2}),
        (["两个人", "三个人", "撤销"], {"people": 2}),
        (["for 2 people", "to Porto", "undo the destination"], {"people": 2}),
        (["for 2 people to Porto", "start over"], {}),
        (["从上海出发", "重新开始"], {}),
        (["for 2 people to Porto", "start over, I want to go to Faro"], {"destination": "Faro"}),
        (["to Porto on Friday", "forget the destination"], {"outbound_on": "2024-05-17"}),
        (["start over"], {}),
        (["undo"], {}),
    ],
)
def test_undo_clear_and_start_over(lines: list[str], expected: dict[str, Any]) -> None:
    assert held(after(Trip, lines)) == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["A: Which class?", "I don't mind"], {"seat": "dontcare"}),
        (["any class is fine"], {"seat": "dontcare"}),
        (["A: Which class?", "都可以"], {"seat": "dontcare"}),
        (["A: How many people travel?", "I don't care"], {}),
        (["A: Which class?", "do you care?"], {}),
    ],
)
def test_no_preference_needs_a_slot_that_takes_it(lines: list[str], expected: dict[str, Any]) -> None:
    assert held(after(Trip, lines)) == expected


def test_an_open_time_is_asked_about_and_settled_later() -> None:
    chat = after(Trip, ["leaving at 7"])
    view = chat.state["trip"]["departs_at"]
    assert view.value is None
    assert view.pending is not None
    assert view.pending.why == "ambiguous"
    chat.assistant("In the morning or in the evening?")
    chat.user("in the evening")
    assert held(chat) == {"departs_at": "19:00"}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["trip to Porto", "A: A hotel too?", "yes, a hotel in Faro for 3 nights"],
         {"trip.destination": "Porto", "stay.city": "Faro", "stay.nights": 3}),
        (["A: How many nights?", "2"], {"stay.nights": 2}),
        (["A: How many people travel?", "2"], {"trip.people": 2}),
        (["2"], {}),
        (["on Friday"], {}),
        (["for 3 nights", "A: Noted.", "2 rooms"], {"stay.nights": 3, "stay.rooms": 2}),
        (["4 people", "A: Noted.", "make it 5"], {"trip.people": 5}),
        (["A: Which toppings?", "ham and olives", "A: Anything else?", "a trip from Oslo to Bergen"],
         {"pizza.toppings": ["ham", "olives"], "trip.origin": "Oslo", "trip.destination": "Bergen"}),
    ],
)  # fmt: skip
def test_nothing_bleeds_between_domains(lines: list[str], expected: dict[str, Any]) -> None:
    assert held(after([Trip, Stay, Pizza], lines)) == expected


@pytest.mark.parametrize(
    ("lines", "pending"),
    [
        (["A: Which city?", "either Oslo or Bergen"], ("Oslo", "Bergen")),
        (["A: 城市？", "上海或者杭州"], ("上海", "杭州")),
    ],
)
def test_alternatives_are_asked_about(lines: list[str], pending: tuple[str, ...]) -> None:
    view = after(Stay, lines).state["stay"]["city"]
    assert view.value is None
    assert view.pending is not None
    assert tuple(view.pending.values) == pending


@pytest.mark.parametrize(
    "lines",
    [
        ["There are 12 of us."],
        ["我们一共12个人。"],
        ["A: How many people travel?", "12"],
    ],
)
def test_a_value_that_the_slot_refuses_is_put_on_record(lines: list[str]) -> None:
    chat = after(Trip, lines)
    (refused,) = [entry.event for entry in chat.entries if isinstance(entry.event, Rejected)]
    assert (refused.path, refused.value, refused.reason) == ("trip.people", 12, "invalid_value")
    assert held(chat) == {}
