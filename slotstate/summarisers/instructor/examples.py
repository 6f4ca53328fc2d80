"""The example that the prompt shows: synthetic, so that its content cannot pass for an answer, and in two languages,
because notes are to stay in the language of what they tell.
"""

from __future__ import annotations

import json
from typing import Any, Final

from slotstate.compact.items import Span, Spoken
from slotstate.events import Item
from slotstate.state import Summary

SUMMARY: Final = Summary(
    version=1,
    covered=7,
    items=(
        Item(ident=1, kind="open", text="The user will say on which day the van comes.", sources=("turn-2",)),
        Item(ident=2, kind="fact", text="The flat is on the third floor; there is a lift.", sources=("turn-4",)),
        Item(ident=4, kind="fact", text="A piano is to be moved as well.", sources=("turn-6",)),
    ),
    made=4,
)
SPAN: Final = Span(
    messages=(
        Spoken(
            "turn-7",
            7,
            "user",
            "The van comes on 14 May then. Please, no boxes over 18 kg, my back is bad. And the lift is out of order "
            "until the 20th.",
        ),
        Spoken("turn-8", 8, "tool", '{"small": 79, "large": 119, "currency": "EUR"}', tool="van_prices"),
        Spoken("turn-9", 9, "assistant", "The small van is 79 EUR, the large one 119 EUR."),
        Spoken("turn-10", 10, "user", "钢琴已经卖掉了,所以小车就够。"),
        Spoken("turn-11", 11, "assistant", "好的,那就订小车。"),
        Spoken("turn-12", 12, "user", "Thanks!"),
    ),
    slots={"move.date": "2025-05-14"},
)
REPLY: Final[dict[str, list[dict[str, Any]]]] = {
    "amend": [
        {
            "item": 2,
            "quote": "the lift is out of order until the 20th",
            "sources": ["turn-7"],
            "text": "The flat is on the third floor; the lift is out of order until the 20th.",
        }
    ],
    "add": [
        {
            "quote": "no boxes over 18 kg, my back is bad",
            "sources": ["turn-7"],
            "kind": "constraint",
            "text": "The user wants no boxes over 18 kg, because of a bad back.",
        },
        {
            "quote": "",
            "sources": ["turn-8"],
            "kind": "tool",
            "text": "van_prices: small 79 EUR, large 119 EUR.",
        },
        {
            "quote": "小车就够",
            "sources": ["turn-10", "turn-11"],
            "kind": "decision",
            "text": "用户决定订小车,因为钢琴已经卖掉了。",
        },
    ],
    "drop": [
        {"item": 1, "reason": "answered: the date is in the slots"},
        {"item": 4, "reason": "the piano has been sold"},
    ],
    "left_out": [{"text": "Thanks!", "reason": "a courtesy"}],
}


def reply_text() -> str:
    """The reply as a model should write it."""
    return json.dumps(REPLY, ensure_ascii=False)
