"""A value that the user rules out is no evidence for setting it, whoever proposes it and whatever is quoted."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel

from slotstate import Chat, Slot, Tracker, Turn
from slotstate.testing import ScriptedExtractor, change

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


class Visit(BaseModel):
    doctor: Annotated[
        Literal["Smith", "Patel", "Jones"] | None,
        Slot(aliases={"Smith": ["王医生"], "Patel": ["李医生"], "Jones": ["张医生"]}),
    ] = None
    town: Annotated[str | None, Slot(cues=["from"])] = None
    avoid: Annotated[str | None, Slot(cues=["without"])] = None


def proposed(slot: str, value: Any, quote: str, text: str) -> tuple[Chat, Turn]:
    """A confirmed Dr Patel, a confirmed York, and then a turn out of which an extractor reads `value`."""
    script = [change(f"visit.{slot}", "set", value, quote)]
    chat = Tracker(Visit, extractor=ScriptedExtractor([script]), clock=lambda: NOW).open("s")
    chat.set("visit.doctor", "Patel", confirmed=True)
    chat.set("visit.town", "York", confirmed=True)
    return chat, chat.user(text)


RULED_OUT = [
    "anyone but Dr Smith",
    "anyone except Dr Smith",
    "anybody other than Dr. Smith is fine",
    "don't give me Dr Smith",
    "please don't book me in with Smith",
    "never again Dr Smith",
    "not Dr Smith please",
    "not Dr. Smith",
    "not doctor Smith",
    "neither Dr Jones nor Dr Smith",
    "not Dr Jones or Dr Smith",
    "I don't want to see Smith",
    "I don't think I want Dr Smith",
    "I'd rather not see Dr Smith",
    "I never said Smith",
    "there is no way I'm seeing Smith",
    "I can't stand Dr Smith",
    "Dr Smith is out of the question",
    "Smith is not an option",
    "Smith doesn't work for me",
]
RULED_OUT_ZH = [
    "除了王医生都行",
    "别给我安排王医生",
    "千万别再给我挂王医生",
    "不想看王医生",
    "我不想再看王医生了",
    "我不要看王医生",
    "王医生除外",
    "王医生以外的都行",
    "王医生不行",
    "不是王医生",
]
MEANT = [
    "no, Smith",
    "no problem, Smith",
    "why not Smith",
    "not only Smith",
    "not Jones but Smith",
    "not Dr Jones, Dr Smith",
    "I can't wait to see Smith",
    "I don't mind seeing Smith",
    "please don't forget Dr Smith",
    "I won't see anyone except Smith",
    "I don't want anyone but Smith",
    "nobody but Smith",
    "I have no problem with Dr Smith",
    "Dr Smith, no doubt",
]
MEANT_ZH = [
    "不,王医生",
    "没问题,王医生",
    "不只是王医生",
    "不是张医生,是王医生",
    "不得不看王医生",
    "不能不看王医生",
    "非王医生不看",
    "除了王医生我谁都不看",
    "除了王医生,别的都不要",
    "千万别忘了王医生",
]


@pytest.mark.parametrize("whole", [False, True], ids=["value quoted", "turn quoted"])
@pytest.mark.parametrize("text", [*RULED_OUT, *RULED_OUT_ZH])
def test_what_is_ruled_out_replaces_nothing(text: str, whole: bool) -> None:
    name = "Smith" if text.isascii() else "王医生"
    chat, _ = proposed("doctor", "Smith", text if whole else name, text)
    view = chat.state["visit"]["doctor"]
    assert (view.value, view.status) == ("Patel", "confirmed")


@pytest.mark.parametrize("text", [*MEANT, *MEANT_ZH])
def test_what_only_stands_near_a_negation_is_said(text: str) -> None:
    name = "Smith" if text.isascii() else "王医生"
    chat, _ = proposed("doctor", "Smith", name, text)
    view = chat.state["visit"]["doctor"]
    assert (view.value, view.grade) == ("Smith", "said")


@pytest.mark.parametrize("text", ["I'd prefer not to see Patel", "anyone but Dr Patel", "除了李医生都行"])
def test_the_held_value_is_not_said_again_where_it_is_ruled_out(text: str) -> None:
    name = "Patel" if text.isascii() else "李医生"
    (refused,) = proposed("doctor", "Patel", name, text)[1].rejected
    assert refused.reason == "does_not_follow"


@pytest.mark.parametrize("text", ["we are not leaving from York", "we don't leave from York after all"])
def test_a_word_of_the_slot_does_not_hide_the_negation_before_it(text: str) -> None:
    (refused,) = proposed("town", "York", "from York", text)[1].rejected
    assert refused.reason == "does_not_follow"


@pytest.mark.parametrize("text", ["avoid Oslo", "a trip without Oslo"])
def test_a_negation_that_is_the_slots_own_word_names_the_slot(text: str) -> None:
    chat, _ = proposed("avoid", "Oslo", "Oslo", text)
    assert chat.state["visit"]["avoid"].value == "Oslo"


def test_a_value_ruled_out_behind_it_can_be_excluded() -> None:
    script = [change("visit.doctor", "exclude", "Patel", "Dr Patel")]
    chat = Tracker(Visit, extractor=ScriptedExtractor([script]), clock=lambda: NOW).open("s")
    chat.set("visit.doctor", "Patel", confirmed=True)
    chat.user("Dr Patel is out of the question")
    view = chat.state["visit"]["doctor"]
    assert (view.status, list(view.excluded)) == ("empty", ["Patel"])
