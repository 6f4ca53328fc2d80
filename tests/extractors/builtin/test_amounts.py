"""Amounts of money that name no currency: read where one is known, else refused on record."""

from __future__ import annotations

from datetime import time
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from slotstate import Chat, Decision, Money, Slot, Tracker
from slotstate.parsing import currencies_in, fold
from slotstate.testing import ScriptedExtractor, change
from slotstate.values import jsonable
from tests.extractors.builtin.scene import NOW


class Party(BaseModel):
    """Order catering for a party."""

    budget: Annotated[Money, Slot(ask="What is your budget?")]
    guests: Annotated[int | None, Field(ge=5, le=200), Slot(ask="How many guests?")] = None
    starts_at: Annotated[time | None, Slot(ask="When does it start?")] = None


class Declared(Party):
    """Order catering for a party."""

    budget: Annotated[Money, Slot(ask="What is your budget?", examples=["200 euros", "€1,500"])]


class Yuan(BaseModel):
    """在餐厅订座位。"""  # noqa: D415

    each: Annotated[Money, Slot(ask="人均预算多少元？")]
    people: Annotated[int | None, Slot(ask="几位？")] = None


def told(model: type[BaseModel], said: str, question: str, held: str | None = None) -> tuple[Chat, list[Decision]]:
    chat = Tracker(model, extractor="builtin", clock=lambda: NOW).open("s")
    path = f"{model.__name__.lower()}.{next(iter(model.model_fields))}"
    if held is not None:
        chat.set(path, held, confirmed=True)
    chat.assistant(question, asks=[path])
    turn = chat.user(said)
    return chat, [*turn.changes, *turn.rejected]


def amount(chat: Chat) -> Any:
    (slots,) = chat.state.values()
    return jsonable(next(iter(slots.values())).value)


BARE = [
    ("1500", "1500"),
    ("2k", "2000"),
    ("about 1,500", "1500"),
    ("make it two thousand please", "2000"),
    ("1500 for 40 guests", "1500"),
    ("1500, no, 2000", "2000"),
]


@pytest.mark.parametrize(("said", "value"), BARE)
def test_a_number_that_answers_is_in_the_currency_that_the_slot_declares(said: str, value: str) -> None:
    chat, _ = told(Declared, said, "What is your budget?")
    assert amount(chat) == {"value": value, "currency": "EUR"}
    assert chat.state["declared"]["budget"].grade == "said"
    assert chat.state["declared"]["starts_at"].pending is None


@pytest.mark.parametrize(
    ("said", "value"), [("两百", "200"), ("200左右", "200"), ("一千五", "1500"), ("两百吧", "200")]
)
def test_numbers_in_chinese_too(said: str, value: str) -> None:
    chat, _ = told(Yuan, said, "人均预算多少元？")
    assert amount(chat) == {"value": value, "currency": "CNY"}


def test_the_question_goes_before_what_is_held_and_that_before_the_declaration() -> None:
    assert amount(told(Party, "1500", "What is your budget?", held="900 GBP")[0])["currency"] == "GBP"
    assert amount(told(Declared, "1500", "What is your budget?", held="900 GBP")[0])["currency"] == "GBP"
    assert amount(told(Declared, "1500", "What is your budget in dollars?", held="900 GBP")[0])["currency"] == "USD"
    assert amount(told(Declared, "£1500", "What is your budget?")[0]) == {"value": "1500", "currency": "GBP"}


@pytest.mark.parametrize("question", ["What is your budget?", "What is your budget, in euros or in pounds?"])
@pytest.mark.parametrize("said", ["1500", "about 1,500"])
def test_without_a_currency_the_refusal_is_on_record(said: str, question: str) -> None:
    chat, (one,) = told(Party, said, question)
    assert (one.path, one.value, one.outcome, one.reason) == ("party.budget", "1500", "rejected", "invalid_value")
    assert "an amount and its currency, like 120 EUR" in (one.detail or "")
    assert chat.state["party"]["starts_at"].pending is None
    kept, _ = told(Party, said, "In euros or in pounds?", held="900 GBP")
    assert amount(kept) == {"value": "900", "currency": "GBP"}


@pytest.mark.parametrize("said", ["not 1500", "40 guests", "I don't know", "at 3", "room 12"])
def test_other_numbers_are_no_amounts(said: str) -> None:
    chat, made = told(Declared, said, "What is your budget?")
    assert amount(chat) is None
    assert "declared.budget" not in {one.path for one in made}


@pytest.mark.parametrize("said", ["between 500 and 800", "500 or 800"])
def test_two_numbers_leave_the_amount_open(said: str) -> None:
    pending = told(Declared, said, "What is your budget?")[0].state["declared"]["budget"].pending
    assert pending is not None
    assert (pending.why, [jsonable(one)["value"] for one in pending.values]) == ("ambiguous", ["500", "800"])


def test_a_model_may_leave_the_currency_out_too() -> None:
    script = [[change("declared.budget", value="1500", quote="1500")]]
    chat = Tracker(Declared, extractor=ScriptedExtractor(script)).open("s")
    chat.assistant("What is your budget?", asks=["declared.budget"])
    chat.user("1500")
    assert amount(chat) == {"value": "1500", "currency": "EUR"}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("in Canadian dollars", ("CAD",)),
        ("euros or pounds", ("EUR", "GBP")),
        ("how much (CHF)?", ("CHF",)),
        ("HK$ please", ("HKD",)),
        ("人均多少元？", ("CNY",)),
        ("多少¥？", ("CNY",)),
        ("how many ¥?", ("CNY", "JPY")),
        ("you won a prize", ()),
        ("what is your budget?", ()),
    ],
)
def test_the_currencies_that_a_text_names(text: str, named: tuple[str, ...]) -> None:
    assert currencies_in(fold(text)) == named
