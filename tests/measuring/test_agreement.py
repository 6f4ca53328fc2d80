from __future__ import annotations

from typing import Any

import pytest

from slotstate.domains import Domains
from slotstate.jsonschema import domain_from_json_schema
from slotstate.measuring.agreement import agree, agrees, label, spoken, stands, words_of
from slotstate.measuring.dialogues import NOW, Reference, domain_schema
from slotstate.measuring.records import Found

KINDS: dict[str, Any] = {
    "day": {"type": "string", "format": "date"},
    "start": {"type": "string", "format": "time"},
    "people": {"type": "integer"},
    "wifi": {"type": "boolean"},
    "title": {"type": "string"},
    "seat": {"type": "string", "enum": ["second", "first"], "x-slot": {"aliases": {"second": ["2nd class"]}}},
    "price": {"type": "string", "format": "money"},
    "dishes": {"type": "array", "items": {"type": "string"}},
}
SPECS = Domains([domain_from_json_schema(domain_schema("trip", "", KINDS))]).specs


def slot(name: str) -> Any:
    return SPECS[f"trip.{name}"]


@pytest.mark.parametrize(
    ("name", "reference", "value", "right"),
    [
        ("day", Reference(("March 1st",)), "2019-03-01", True),
        ("day", Reference(("the day after tomorrow",), ("2019-03-03",)), "2019-03-03", True),
        ("day", Reference(("March 1st",)), "2019-03-02", False),
        ("start", Reference(("half past 7 in the evening",)), "19:30", True),
        ("start", Reference(("7:30",)), "19:30", False),
        ("people", Reference(("two", "2")), 2, True),
        ("wifi", Reference(("True",)), True, True),
        ("wifi", Reference(("yes",)), False, False),
        ("title", Reference(("The  Kettle",)), "the kettle", True),
        ("title", Reference(("Kettle",)), "The Kettle", False),
        ("seat", Reference(("2nd class",)), "second", True),
        ("seat", Reference(("third",)), "second", False),  # no option of the slot: nothing is the same as it
        ("dishes", Reference(("面片 烤鸭",)), ["烤鸭", "面片"], True),
        ("dishes", Reference(("面片 烤鸭",)), ["面片"], False),
        ("dishes", Reference(("fish and chips",)), ["Fish and chips"], True),
        ("dishes", Reference(("面片",)), "面片", True),
        ("dishes", Reference(('["面片", "烤鸭"]',)), ["面片", "烤鸭"], True),
        ("dishes", Reference(('["面片", "烤鸭"]',)), ["烤鸭"], False),
        ("dishes", Reference(("[面片]",)), ["[面片]"], True),  # no JSON
        ("price", Reference(('{"value": 40, "currency": "GBP"}',)), {"value": "40", "currency": "GBP"}, True),
        ("price", Reference(("£40",)), {"value": "41", "currency": "GBP"}, False),
        ("title", Reference(("[rec]",)), "[REC]", True),
    ],
)
def test_values_agree_in_canonical_form(name: str, reference: Reference, value: Any, right: bool) -> None:
    assert agrees(slot(name), reference, Found(value), NOW) is right


def test_nothing_agrees_with_nothing_only() -> None:
    assert agrees(slot("title"), None, None, NOW)
    assert not agrees(slot("title"), None, Found("x"), NOW)
    assert not agrees(slot("title"), Reference(("x",)), None, NOW)


def test_no_preference_agrees_with_itself_only() -> None:
    dontcare = Reference(("dontcare",))
    assert agrees(slot("seat"), dontcare, Found(dontcare=True), NOW)
    assert not agrees(slot("seat"), dontcare, Found("first"), NOW)
    assert not agrees(slot("seat"), Reference(("first",)), Found(dontcare=True), NOW)
    assert not agrees(slot("title"), dontcare, Found("dontcare"), NOW)  # the word is not the thing


def test_references_mean_the_same_when_they_share_a_form() -> None:
    assert agree(Reference(("May 2nd",), ("2019-05-02",)), Reference(("2019-05-02",)))
    assert not agree(Reference(("May 2nd",)), Reference(("May 3rd",)))


@pytest.mark.parametrize(
    ("name", "reference", "text", "there"),
    [
        ("title", Reference(("The Kettle",)), "Is the kettle any good?", True),
        ("title", Reference(("The Kettle",)), "Is it any good?", False),
        ("start", Reference(("19:30",)), "at half past 7 in the evening", True),
        ("people", Reference(("3",)), "three of us", True),
        ("people", Reference(("3",)), "we all", False),
        ("seat", Reference(("unknown",)), "first class", False),
        ("dishes", Reference(("面片",)), "我想吃面片", True),
    ],
)
def test_a_value_stands_in_a_text(name: str, reference: Reference, text: str, there: bool) -> None:
    assert stands(slot(name), reference, text, NOW) is there


def test_the_words_of_a_value_are_those_of_the_dialogue() -> None:
    start = slot("start")
    texts = ["Yes, please.", "It starts at 7:30 pm.", "Half past seven in the evening?"]
    assert words_of(start, "19:30", None, texts, NOW) == "7:30 pm"  # the newest that says it
    assert words_of(start, "19:30", "half past seven in the evening", texts, NOW) == "half past seven in the evening"
    assert words_of(start, "19:30", "yes", texts, NOW) == "7:30 pm"  # a yes says no time
    assert words_of(start, "08:00", None, texts, NOW) == "08:00"
    assert words_of(start, "07:30", None, ["at 7:30"], NOW) == "7:30"  # one of two readings
    assert words_of(slot("title"), "The Kettle", "that one", texts, NOW) == "The Kettle"
    assert words_of(slot("dishes"), ["面片", "烤鸭"], None, [], NOW) == "面片 烤鸭"


def test_values_are_written_as_the_corpora_write_them() -> None:
    assert (spoken(True), spoken(3), spoken(["a", "b"])) == ("True", "3", "a b")
    assert spoken({"城": "北京"}) == '{"城": "北京"}'
    assert (label(Found(dontcare=True)), label(Found("x"))) == ("dontcare", "x")
