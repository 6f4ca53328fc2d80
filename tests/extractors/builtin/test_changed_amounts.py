"""A bare number in a correction: it changes the amount that is held, in its currency, and no free text."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from slotstate import Chat, Money, Slot, Tracker
from slotstate.extractors.builtin import BuiltinExtractor
from slotstate.testing import ScriptedExtractor, change
from slotstate.values import jsonable
from tests.extractors.builtin.scene import NOW


class Gift(BaseModel):
    """Order a gift card."""

    worth: Annotated[Money, Slot(ask="What shall it be worth?", cues=["worth", "金额"])]
    owner: Annotated[str, Slot(ask="Who is it for?")]
    greeting: Annotated[str | None, Slot(ask="What shall it say?", cues=["greeting"])] = None
    sent_on: Annotated[date | None, Slot(ask="When shall it be sent?")] = None
    cards: Annotated[int | None, Field(ge=1, le=20), Slot(ask="How many cards?")] = None


HELD = {"gift.worth": "60 GBP", "gift.owner": "Olga Berg", "gift.greeting": "all the best"}


def opened(extractor: Any = None, **more: Any) -> Chat:
    chat = Tracker(Gift, extractor=extractor or BuiltinExtractor(), clock=lambda: NOW).open("s")
    for path, value in {**HELD, **{f"gift.{name}": value for name, value in more.items()}}.items():
        chat.set(path, value, confirmed=True)
    return chat


def held(chat: Chat) -> dict[str, Any]:
    return {name: jsonable(view.value) for name, view in chat.state["gift"].items() if view.status != "empty"}


@pytest.mark.parametrize(
    "text",
    [
        "make it 75",
        "actually 75",
        "no, 75",
        "sorry, 75 please",
        "change it to 75",
        "不对，75",
        "改成75吧",
        "错了，转75",
    ],
)
def test_a_correction_changes_the_amount(text: str) -> None:
    chat = opened()
    chat.user(text)
    assert held(chat) == {
        "worth": {"value": "75", "currency": "GBP"},
        "owner": "Olga Berg",
        "greeting": "all the best",
    }


@pytest.mark.parametrize(
    "text",
    [
        "no, I gave her 75",
        "actually my sister owes me 75",
        "wait, I only have 75",
        "75",
        "is it more like 75?",
        "no, 75 or 80",
    ],
)
def test_a_number_in_a_remark_does_not(text: str) -> None:
    chat = opened()
    chat.user(text)
    assert held(chat)["worth"] == {"value": "60", "currency": "GBP"}
    assert held(chat)["owner"] == "Olga Berg"


def test_a_count_or_a_day_goes_first() -> None:
    chat = opened(cards=2)
    chat.user("make it 3")
    assert (held(chat)["cards"], held(chat)["worth"]["value"]) == (3, "60")
    chat = opened(sent_on="2024-06-01")
    chat.user("make it 12")
    assert held(chat)["worth"]["value"] == "60"
    chat.user("make it 120")
    assert held(chat)["worth"]["value"] == "120"


def test_an_amount_that_its_name_introduces_is_asked_about() -> None:
    chat = opened()
    chat.user("金额90")
    pending = chat.state["gift"]["worth"].pending
    assert pending is not None
    assert jsonable(pending.values[0]) == {"value": "90", "currency": "GBP"}


def test_a_models_amount_follows_from_a_correction() -> None:
    script = [[change("gift.worth", value="75 GBP", quote="75")]]
    chat = opened(ScriptedExtractor(script))
    assert [one.outcome for one in chat.user("make it 75").changes] == ["overwritten"]
    chat = opened(ScriptedExtractor(script))
    assert [one.outcome for one in chat.user("75 of them said so").changes] == ["pending"]
