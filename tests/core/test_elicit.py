"""Elicitation: what is missing, in which order, and how it is asked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from slotstate import Chat, Missing, MissingExtra, Money, Slot, Tracker, domain_from_json_schema
from slotstate.elicit import say_value
from slotstate.slots import DONTCARE
from slotstate.testing import ScriptedExtractor, change

START = datetime(2026, 11, 30, 9, tzinfo=UTC)


class Street(BaseModel):
    name: str
    number: int | None = None


class Address(BaseModel):
    street: Street
    city: str


class Order(BaseModel):
    dish: Annotated[str, Slot(ask="Which dish?")]
    address: Address
    at: Annotated[str | None, Slot(ttl=timedelta(minutes=5))] = None
    price: Money | None = None
    sauce: Annotated[str | None, Slot(dont_care=True, confirm="explicit")] = None


class Guest(BaseModel):
    name: Annotated[str, Slot(ask="请问您贵姓？")]
    room: str


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


def chat_with(script: Any = (), clock: Any = lambda: START) -> Chat:
    return Tracker([Order, Guest], extractor=ScriptedExtractor(script), clock=clock).open("s")


def asked(chat: Chat, domain: str = "order") -> tuple[str, str, str]:
    question = chat.next_question(domain)
    assert question is not None
    return question.path, question.text, question.reason


def test_parts_of_composites_are_asked_for_down_to_the_innermost() -> None:
    chat = chat_with()
    chat.set("order.dish", "soup")
    assert asked(chat) == ("order.address", "What is the address?", "empty")
    chat.set("order.address.street", {"number": 3})
    assert chat.missing(Order) == (
        Missing("order.address.street.name", "empty"),
        Missing("order.address.city", "empty"),
    )
    assert asked(chat) == ("order.address.street.name", "What is the name?", "empty")
    chat.set("order.address", {"street": {"name": "Elm Road"}, "city": "York"})
    assert chat.missing(Order) == ()


def test_each_reason_has_its_words() -> None:
    conflict = [change("order.dish", "set", "salad", "something green")]
    chat = chat_with([conflict])
    chat.set("order.dish", "soup", confirmed=True)
    chat.user("something green")
    assert asked(chat) == ("order.dish", "dish: salad now. Is that right?", "conflict")
    chat.assistant("salad now. Is that right?", asks=["order.dish"])
    chat.user("yes")
    assert chat.state["order"]["dish"].value == "salad"
    chat.assistant("salad, right?", asks=["order.dish"])
    chat.user("no")
    assert asked(chat) == ("order.dish", "Which dish?", "denied")


def test_a_conflict_about_taking_back_asks_whether_the_value_still_holds() -> None:
    chat = chat_with([[change("order.dish", "clear", quote="hm, the soup")]])
    chat.set("order.dish", "soup", confirmed=True)
    chat.user("hm, the soup")
    assert asked(chat) == ("order.dish", "dish: still soup?", "conflict")


def test_a_value_that_is_out_of_date_is_asked_about_and_stays() -> None:
    clock = Clock()
    chat = chat_with(clock=clock)
    chat.set("order.at", "noon", confirmed=True)
    clock.now = START + timedelta(hours=1)
    chat.user("hello")
    view = chat.state["order"]["at"]
    assert (view.value, view.status) == ("noon", "filled")
    assert asked(chat) == ("order.at", "at: still noon?", "stale")
    chat.assistant("Still noon?", asks=["order.at"])
    chat.user("yes")
    assert chat.state["order"]["at"].status == "confirmed"


def test_questions_follow_the_language_of_the_schema() -> None:
    chat = chat_with([[change("guest.name", "set", "王", "王"), change("guest.name", "set", "黄", "黄")]])
    chat.user("王 黄")
    assert asked(chat, "guest") == ("guest.name", "请问您贵姓？王还是黄？", "ambiguous")


def test_the_domain_last_spoken_of_is_asked_about_first() -> None:
    chat = chat_with([[change("guest.room", "set", "12", "room 12")]])
    chat.user("room 12")
    question = chat.next_question()
    assert question is not None
    assert question.path == "guest.name"


def test_a_preference_not_held_is_confirmed_like_a_value() -> None:
    chat = chat_with()
    chat.set("order.sauce", DONTCARE)
    assert Missing("order.sauce", "unconfirmed") in chat.missing(Order)
    for path, value in {"dish": "soup", "address": {"street": {"name": "Elm"}, "city": "York"}}.items():
        chat.set(f"order.{path}", value)
    assert asked(chat)[1] == "sauce: no preference. Is that right?"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "–"),
        ("dontcare", "no preference"),
        (True, "yes"),
        (False, "no"),
        ({"value": "40", "currency": "GBP"}, "40 GBP"),
        ({"city": "York", "open": True}, "city: York, open: yes"),
        (["a", 2], "a, 2"),
        (3.5, "3.5"),
    ],
)
def test_values_in_words(value: Any, words: str) -> None:
    assert say_value(value) == words


def test_slots_of_a_schema_without_required_ones_are_not_asked_for() -> None:
    domain = domain_from_json_schema({"title": "t", "type": "object", "properties": {"a": {"type": "string"}}})
    assert Tracker(domain, extractor=ScriptedExtractor()).open("s").next_question() is None


def test_a_missing_extra_says_what_to_install() -> None:
    assert str(MissingExtra("xllamacpp", "local")).endswith("pip install 'slotstate[local]'")
    assert repr(DONTCARE) == "DONTCARE"


def test_a_whole_composite_waits_for_its_confirmation() -> None:
    class Delivery(BaseModel):
        """Bring it."""

        address: Annotated[Address, Slot(confirm="explicit")]

    chat = Tracker(Delivery, clock=lambda: START).open("s")
    chat.set("delivery.address", {"street": {"name": "High"}, "city": "Bath"})
    assert chat.missing(Delivery) == (Missing("delivery.address", "unconfirmed"),)
    chat.confirm("delivery.address")
    assert chat.missing(Delivery) == ()
