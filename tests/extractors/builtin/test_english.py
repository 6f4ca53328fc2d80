# ruff: noqa: E501 (tables)

from __future__ import annotations

from typing import Any

import pytest

from tests.extractors.builtin.scene import Pizza, Stay, Trip, after, held

ANSWERS: list[tuple[Any, list[str], dict[str, Any]]] = [
    (Trip, ["A: Where do you leave from?", "Lisbon"], {"origin": "Lisbon"}),
    (Trip, ["A: Where do you leave from?", "from Lisbon please"], {"origin": "Lisbon"}),
    (Trip, ["A: Where do you leave from?", "I'm leaving from Lisbon"], {"origin": "Lisbon"}),
    (Trip, ["A: Where do you leave from?", "it's New York, thanks"], {"origin": "New York"}),
    (Trip, ["A: Which city do you set out from? I mean, leave from?", "porto"], {"origin": "porto"}),
    (Trip, ["A: And where to?", "Porto"], {"destination": "Porto"}),
    (Trip, ["A: Where do you want to go?", "We want to go to Stratford upon Avon"], {"destination": "Stratford upon Avon"}),
    (Trip, ["A: Where do you want to go?", "Porto, on Friday"], {"destination": "Porto", "outbound_on": "2024-05-17"}),
    (Trip, ["A: Which day do you leave?", "Friday"], {"outbound_on": "2024-05-17"}),
    (Trip, ["A: Which day do you come back?", "the day after tomorrow"], {"return_on": "2024-05-17"}),
    (Trip, ["A: What time do you want to leave?", "half past three in the afternoon"], {"departs_at": "15:30"}),
    (Trip, ["A: What time do you want to leave?", "16:20"], {"departs_at": "16:20"}),
    (Trip, ["A: What time do you want to leave?", "I don't mind"], {"departs_at": "dontcare"}),
    (Trip, ["A: How many people travel?", "two"], {"people": 2}),
    (Trip, ["A: How many people travel?", "just 3"], {"people": 3}),
    (Trip, ["A: How many bags?", "none, well, 1"], {"bags": 1}),
    (Trip, ["A: Which class?", "first please"], {"seat": "first"}),
    (Trip, ["A: Which class?", "economy would be fine"], {"seat": "second"}),
    (Trip, ["A: Do you need wifi?", "yes please"], {"wifi": True}),
    (Trip, ["A: Do you need wifi?", "No, thanks."], {"wifi": False}),
    (Trip, ["A: Your email?", "it's jo@example.org"], {"email": "jo@example.org"}),
    (Trip, ["A: Your phone number?", "+44 20 7946 0958"], {"phone": "+442079460958"}),
    (Trip, ["A: What is your budget?", "80 euros"], {"budget": {"value": "80", "currency": "EUR"}}),
    (Stay, ["A: What is your name?", "it's Anna Vale"], {"guest": "Anna Vale"}),
    (Stay, ["A: What is your name?", "My name is Anna Vale."], {"guest": "Anna Vale"}),
    (Stay, ["A: Any wishes?", "a balcony and a sea view"], {"wishes": ["balcony", "sea view"]}),
    (Pizza, ["A: Which toppings?", "mushrooms, olives and ham"], {"toppings": ["mushrooms", "olives", "ham"]}),
    (Pizza, ["A: Which size?", "M"], {"size": "M"}),
    (Pizza, ["A: Any note for the driver?", "use {code} at the back door, don't ring"], {"note": "use {code} at the back door, don't ring"}),
]  # fmt: skip

SENTENCES: list[tuple[Any, list[str], dict[str, Any]]] = [
    (Trip, ["from Lisbon to Porto on Friday for two people"],
     {"origin": "Lisbon", "destination": "Porto", "outbound_on": "2024-05-17", "people": 2}),
    (Trip, ["I want to travel to Bergen tomorrow, leaving from Oslo"],
     {"origin": "Oslo", "destination": "Bergen", "outbound_on": "2024-05-16"}),
    (Trip, ["going to lisbon"], {"destination": "lisbon"}),
    (Trip, ["leaving on Friday, returning on Sunday"], {"outbound_on": "2024-05-17", "return_on": "2024-05-19"}),
    (Trip, ["from 20 May to 24 May"], {"outbound_on": "2024-05-20", "return_on": "2024-05-24"}),
    (Trip, ["coming back on Monday"], {"return_on": "2024-05-20"}),
    (Trip, ["we are 4 people with 2 bags"], {"people": 4, "bags": 2}),
    (Trip, ["3 passengers, first class"], {"people": 3, "seat": "first"}),
    (Trip, ["no more than 90 pounds"], {"budget": {"value": "90", "currency": "GBP"}}),
    (Trip, ["I need wifi"], {"wifi": True}),
    (Trip, ["no wifi please"], {"wifi": False}),
    (Trip, ["can you book a train to Porto with wifi?"], {"destination": "Porto", "wifi": True}),
    (Trip, ["my email is jo@example.org"], {"email": "jo@example.org"}),
    (Trip, ["departing at 4:45 pm"], {"departs_at": "16:45"}),
    (Trip, ["Could you find me a train from Oslo to Bergen on Saturday?"],
     {"origin": "Oslo", "destination": "Bergen", "outbound_on": "2024-05-18"}),
    (Stay, ["a hotel in Bergen for three nights, 2 rooms"], {"city": "Bergen", "nights": 3, "rooms": 2}),
    (Stay, ["my voucher is ABC1234"], {"voucher": "ABC1234"}),
    (Stay, ["checking in on Friday and checking out on Monday"], {"check_in": "2024-05-17", "check_out": "2024-05-20"}),
    (Stay, ["my name is Anna Vale and I need parking"], {"guest": "Anna Vale", "parking": True}),
    (Stay, ["Oslo on Friday"], {"city": "Oslo", "check_in": "2024-05-17"}),
    (Pizza, ["ready in 45 minutes"], {"ready_in": "PT45M"}),
    (Pizza, ["size L"], {"size": "L"}),
]  # fmt: skip

NOTHING: list[tuple[Any, list[str]]] = [
    (Trip, ["hey there"]),
    (Trip, ["I'd like to book a trip"]),
    (Trip, ["A: Where do you leave from?", "What are my options?"]),
    (Trip, ["A: Where do you leave from?", "let me check first"]),
    (Trip, ["A: Where do you leave from?", "I don't know yet"]),
    (Trip, ["A: Where do you leave from?", "no"]),
    (Trip, ["A: Where do you leave from?", "thank you"]),
    (Trip, ["A: Where do you leave from?", "why do you ask?"]),
    (Trip, ["A: Which class?", "let me check the price first"]),
    (Trip, ["A: Which class?", "the first one you have"]),
    (Trip, ["A: What time do you want to leave?", "the soonest one you have"]),
    (Trip, ["A: How many people travel?", "-2"]),
    (Trip, ["A: How many people travel?", "I stay 3 nights"]),
    (Trip, ["if I took the train from Oslo to Bergen on Friday, would it be cheaper"]),
    (Trip, ["my friend said Stavanger is nicer on Fridays"]),
    (Trip, ["is there wifi?"]),
    (Trip, ["what does first class cost?"]),
    (Trip, ["I have 2 questions"]),
    (Trip, ["number 4 on the list"]),
    (Trip, ["I went to Rome last year"]),
    (Trip, ["A: Anything else I can do?", "No. I appreciate your help."]),
    (Stay, ["code ABC12 please"]),
    (Stay, ["A: Do you want the voucher?", "ABC-1234-9"]),
    (Pizza, ["A: Which size?", "let me check the oven first"]),
    (Pizza, ["A: Which size?", "a normal one"]),
    (Pizza, ["it was 12.50 last time"]),
]  # fmt: skip


@pytest.mark.parametrize(("domain", "lines", "expected"), ANSWERS + SENTENCES)
def test_values_are_read(domain: Any, lines: list[str], expected: dict[str, Any]) -> None:
    assert held(after(domain, lines)) == expected


@pytest.mark.parametrize(("domain", "lines"), NOTHING)
def test_nothing_is_invented(domain: Any, lines: list[str]) -> None:
    assert held(after(domain, lines)) == {}


CORRECTIONS: list[tuple[Any, list[str], dict[str, Any]]] = [
    (Trip, ["to Porto", "A: To Porto, right?", "no, Bergen"], {"destination": "Bergen"}),
    (Trip, ["to Porto", "no, to Bergen"], {"destination": "Bergen"}),
    (Trip, ["from Lisbon to Porto", "A: Lisbon to Porto?", "no, from Braga"], {"origin": "Braga", "destination": "Porto"}),
    (Trip, ["for 2 people", "actually make it 3"], {"people": 3}),
    (Trip, ["leaving on Monday, back on Friday", "I meant Saturday"], {"outbound_on": "2024-05-20", "return_on": "2024-05-18"}),
    (Trip, ["leaving on Friday", "sorry, I leave on Saturday"], {"outbound_on": "2024-05-18"}),
    (Trip, ["to Porto, no, to Bergen"], {"destination": "Bergen"}),
    (Trip, ["change the destination to Faro"], {"destination": "Faro"}),
    (Stay, ["two rooms", "the nights should be 4"], {"rooms": 2, "nights": 4}),
]  # fmt: skip


@pytest.mark.parametrize(("domain", "lines", "expected"), CORRECTIONS)
def test_corrections_change_what_was_said(domain: Any, lines: list[str], expected: dict[str, Any]) -> None:
    assert held(after(domain, lines)) == expected


OFFERS: list[tuple[Any, list[str], dict[str, Any]]] = [
    (Trip, ["A: There is a train at 09:15, take it?", "yes, that one"], {"departs_at": "09:15"}),
    (Trip, ["A: There is a train at 09:15. Shall I book it?", "Sounds good"], {"departs_at": "09:15"}),
    (Trip, ["A: There are trains at 09:15, 10:40 and 14:05. Which one?", "the second one"], {"departs_at": "10:40"}),
    (Trip, ["A: There is a train at 09:15, take it?", "no"], {}),
    (Trip, ["A: There is a train at 09:15, take it?", "what does it cost?"], {}),
    (Trip, ["A: There is a train at 09:15, take it?", "maybe, let me think"], {}),
    (Trip, ["A: We have 12 trains. Shall I list them?", "yes"], {}),
    (Trip, ["A: We left at 09:15 yesterday.", "ok"], {}),
]  # fmt: skip


@pytest.mark.parametrize(("domain", "lines", "expected"), OFFERS)
def test_offers_in_words_are_taken_up(domain: Any, lines: list[str], expected: dict[str, Any]) -> None:
    assert held(after(domain, lines)) == expected


LISTS: list[tuple[Any, list[str], dict[str, Any]]] = [
    (Pizza, ["A: Which toppings?", "olives and ham", "also mushrooms"], {"toppings": ["olives", "ham", "mushrooms"]}),
    (Pizza, ["A: Which toppings?", "olives and ham", "A: Noted.", "take the olives off"], {"toppings": ["ham"]}),
    (Pizza, ["A: Which toppings?", "olives and ham", "A: Noted.", "no ham please"], {"toppings": ["olives"]}),
    (Pizza, ["A: Which toppings?", "olives and ham", "A: Which toppings?", "only basil"], {"toppings": ["basil"]}),
    (Stay, ["with a balcony", "and a kitchen"], {"wishes": ["balcony", "kitchen"]}),
    (Stay, ["balcony and kitchen", "without the kitchen"], {"wishes": ["balcony"]}),
]  # fmt: skip


@pytest.mark.parametrize(("domain", "lines", "expected"), LISTS)
def test_lists_grow_and_shrink(domain: Any, lines: list[str], expected: dict[str, Any]) -> None:
    assert held(after(domain, lines)) == expected
