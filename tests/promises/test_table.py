"""Every cell of the decision table, written down from the design, in two languages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from slotstate import Change
from slotstate.events import Op
from tests.promises.talk import Talk, change, outcomes

CITY = "trip.city"


@dataclass(frozen=True)
class Words:
    """How people say it. `old` is what the slot holds where it holds something, `new` what they come with."""

    old: str
    new: str
    said: str
    meant: str
    restated: str
    yes: str
    no: str
    offer: str
    look: str
    wait: str
    clear: str
    clear_value: str
    clear_meant: str
    not_old: str
    not_new: str
    not_meant: str
    repeat: str


ENGLISH = Words(
    old="Oslo",
    new="Bergen",
    said="I am off to Bergen.",
    meant="Where my sister lives.",
    restated="Oslo it stays.",
    yes="Yes please.",
    no="No thanks.",
    offer="How about Bergen?",
    look="Show me a picture of the place.",
    wait="Here you are.",
    clear="Forget the city.",
    clear_value="Forget about the Oslo idea.",
    clear_meant="The plans have fallen through.",
    not_old="Not Oslo.",
    not_new="Not Bergen.",
    not_meant="My ex lives there.",
    repeat="So it is Oslo, is that right?",
)
CHINESE = Words(
    old="奥斯陆",
    new="卑尔根",
    said="我想去卑尔根。",
    meant="我妹妹住的地方。",
    restated="还是去奥斯陆。",
    yes="好的。",
    no="不用了。",
    offer="去卑尔根怎么样？",
    look="给我看张照片。",
    wait="请看。",
    clear="城市取消。",
    clear_value="不要奥斯陆了。",
    clear_meant="计划泡汤了。",
    not_old="不要奥斯陆。",
    not_new="不要卑尔根。",
    not_meant="前任住在那儿。",
    repeat="目的地是奥斯陆，对吗？",
)
LANGUAGES = [pytest.param(ENGLISH, id="en"), pytest.param(CHINESE, id="zh")]


@dataclass(frozen=True)
class Cell:
    """What the slot is afterwards: what became of the change, its status, which value it holds, why it is pending."""

    outcome: str | None
    status: str
    value: str | None = None
    why: str | None = None
    excluded: tuple[str, ...] = ()


NOTHING = Cell("unchanged", "empty")
REJECTED = (Cell("rejected", "empty"), Cell("rejected", "filled", "old"), Cell("rejected", "confirmed", "old"))
NEW = (Cell("filled", "filled", "new"), Cell("overwritten", "filled", "new"), Cell("overwritten", "filled", "new"))
CONFLICT = Cell("pending", "confirmed", "old", "conflict")
EMPTIED = Cell("emptied", "empty")
SAME = (None, Cell("restated", "filled", "old"), Cell("restated", "confirmed", "old"))

TABLE: dict[str, tuple[Cell | None, Cell, Cell]] = {
    "set said": NEW,
    "set accepted": NEW,
    "set accepted, extractor silent": NEW,
    "set accepted older": (NEW[0], Cell("pending", "filled", "old", "conflict"), CONFLICT),
    "set meant": (NEW[0], NEW[1], CONFLICT),
    "set without quote": REJECTED,
    "set, quote never said": REJECTED,
    "set, value negated": REJECTED,
    "set, accepted from nowhere": REJECTED,
    "clear without quote": REJECTED,
    "exclude without quote": REJECTED,
    "set again said": SAME,
    "set again meant": SAME,
    "clear said": (NOTHING, EMPTIED, EMPTIED),
    "clear said by value": (None, EMPTIED, EMPTIED),
    "clear meant": (NOTHING, EMPTIED, CONFLICT),
    "exclude other said": (
        Cell("excluded", "empty", excluded=("new",)),
        Cell("excluded", "filled", "old", excluded=("new",)),
        Cell("excluded", "confirmed", "old", excluded=("new",)),
    ),
    "exclude other meant": (
        Cell("excluded", "empty", excluded=("new",)),
        Cell("excluded", "filled", "old", excluded=("new",)),
        Cell("excluded", "confirmed", "old", excluded=("new",)),
    ),
    "exclude held said": (
        None,
        Cell("emptied", "empty", excluded=("old",)),
        Cell("emptied", "empty", excluded=("old",)),
    ),
    "exclude held meant": (None, Cell("emptied", "empty", excluded=("old",)), CONFLICT),
    "deny": (
        Cell("denied", "empty"),
        Cell("denied", "filled", "old", "denied"),
        Cell("denied", "filled", "old", "denied"),
    ),
    "confirm, repeated": (
        Cell("rejected", "empty"),
        Cell("confirmed", "confirmed", "old"),
        Cell("unchanged", "confirmed", "old"),
    ),
    "confirm, asked": (
        Cell("rejected", "empty"),
        Cell("confirmed", "confirmed", "old"),
        Cell("unchanged", "confirmed", "old"),
    ),
    "confirm, restated": (
        Cell("rejected", "empty"),
        Cell("confirmed", "confirmed", "old"),
        Cell("unchanged", "confirmed", "old"),
    ),
}


def speak(talk: Talk, row: str, w: Words) -> tuple[str, list[Change]]:
    """What is said before, what the user says, and what the extractor proposes, for a row of the table."""
    if row.startswith("set accepted") or row == "deny":
        talk.bot(w.offer, offers={CITY: w.new})
    if row == "set accepted older":
        talk.says(w.look)
        talk.bot(w.wait)
    if row == "confirm, repeated":
        talk.bot(w.repeat)
    if row == "confirm, asked":
        talk.bot(w.wait, asks=[CITY])
    return words_for(row, w)


def words_for(row: str, w: Words) -> tuple[str, list[Change]]:
    """The user's words, and what is proposed for them."""
    said: dict[str, tuple[str, list[Change]]] = {
        "set said": (w.said, _set(w.new, w.new)),
        "set accepted": (w.yes, _set(w.new, w.yes)),
        "set accepted older": (w.yes, _set(w.new, w.yes)),
        "set accepted, extractor silent": (w.yes, []),
        "set, accepted from nowhere": (w.yes, _set(w.new, w.yes)),
        "set meant": (w.meant, _set(w.new, w.meant)),
        "set without quote": (w.said, _set(w.new, None)),
        "set, quote never said": (w.wait, _set(w.new, w.new)),
        "set, value negated": (w.not_new, _set(w.new, w.new)),
        "clear without quote": (w.clear, _op("clear", None)),
        "exclude without quote": (w.not_new, _op("exclude", None, w.new)),
        "set again said": (w.restated, _set(w.old, w.old)),
        "set again meant": (w.meant, _set(w.old, w.meant)),
        "clear said": (w.clear, _op("clear", w.clear)),
        "clear said by value": (w.clear_value, _op("clear", w.clear_value)),
        "clear meant": (w.clear_meant, _op("clear", w.clear_meant)),
        "exclude other said": (w.not_new, _op("exclude", w.not_new, w.new)),
        "exclude other meant": (w.not_meant, _op("exclude", w.not_meant, w.new)),
        "exclude held said": (w.not_old, _op("exclude", w.not_old, w.old)),
        "exclude held meant": (w.not_meant, _op("exclude", w.not_meant, w.old)),
        "deny": (w.no, _op("deny", w.no)),
        "confirm, repeated": (w.yes, _op("confirm", w.yes)),
        "confirm, asked": (w.yes, _op("confirm", w.yes)),
        "confirm, restated": (w.restated, _op("confirm", w.restated)),
    }
    return said[row]


def _set(value: str, quote: str | None) -> list[Change]:
    return [change(CITY, "set", value, quote)]


def _op(name: Op, quote: str | None, value: str | None = None) -> list[Change]:
    return [change(CITY, name, value, quote)]


def cells() -> list[Any]:
    statuses = ("empty", "filled", "confirmed")
    return [
        pytest.param(row, status, cell, id=f"{row}-{status}".replace(" ", "_"))
        for row, three in TABLE.items()
        for status, cell in zip(statuses, three, strict=True)
        if cell is not None
    ]


@pytest.mark.parametrize("words", LANGUAGES)
@pytest.mark.parametrize(("row", "status", "cell"), cells())
def test_cell(row: str, status: str, cell: Cell, words: Words) -> None:
    names = {"old": words.old, "new": words.new}
    talk = Talk()
    talk.says(words.look)
    talk.give(CITY, words.old, status)
    text, changes = speak(talk, row, words)
    turn = talk.says(text, *changes)

    assert outcomes(turn, CITY) == [cell.outcome]
    found = talk.holds(CITY)
    assert (found.status, found.value) == (cell.status, names.get(cell.value or ""))
    assert (found.pending.why if found.pending else None) == cell.why
    assert found.excluded == [names[one] for one in cell.excluded]


@pytest.mark.parametrize("words", LANGUAGES)
def test_a_denied_offer_is_open_no_more(words: Words) -> None:
    talk = Talk()
    talk.bot(words.offer, offers={CITY: words.new})
    assert [offer.value for offer in talk.holds(CITY).offers] == [words.new]
    talk.says(words.no, change(CITY, "deny", None, words.no))
    assert talk.holds(CITY).offers == []


@pytest.mark.parametrize("words", LANGUAGES)
def test_a_bare_no_denies_without_a_proposal(words: Words) -> None:
    talk = Talk()
    talk.bot(words.offer, offers={CITY: words.new})
    assert outcomes(talk.says(words.no), CITY) == ["denied"]
    assert talk.holds(CITY).offers == []


@pytest.mark.parametrize("words", LANGUAGES)
def test_confirm_of_what_nobody_spoke_of_is_rejected(words: Words) -> None:
    talk = Talk()
    talk.says(words.look)
    talk.give(CITY, words.old)
    turn = talk.says(words.yes, change(CITY, "confirm", None, words.yes))
    assert [(one.outcome, one.reason) for one in turn.rejected] == [("rejected", "nothing_asked")]
    assert talk.holds(CITY).status == "filled"


@pytest.mark.parametrize(
    ("quote", "text", "reason"),
    [
        (None, "I am off to Bergen.", "no_quote"),
        ("  ", "I am off to Bergen.", "no_quote"),
        ("Bergen", "I am off.", "quote_not_found"),
        ("ergen", "I am off to Bergen.", "quote_not_found"),
        ("Bergen", "Anywhere but not Bergen.", "does_not_follow"),
    ],
)
def test_the_reason_of_a_rejection(quote: str | None, text: str, reason: str) -> None:
    talk = Talk()
    turn = talk.says(text, change(CITY, "set", "Bergen", quote))
    assert [one.reason for one in turn.rejected] == [reason]
    assert talk.holds(CITY).status == "empty"


@pytest.mark.parametrize(
    ("path", "value", "reason", "hint"),
    [
        ("trip.ctiy", "Bergen", "unknown_slot", "trip.city"),
        ("tirp.city", "Bergen", "unknown_slot", "trip.city"),
        ("trip.people", "many", "invalid_value", "many"),
        ("trip.people", 12, "invalid_value", "9"),
        ("trip.people", True, "invalid_value", "number"),
        ("trip.city", None, "invalid_value", "null"),
        ("trip.city", {"a": 1}, "invalid_value", "string"),
        ("trip.hotel", {"name": None}, "invalid_value", "part"),
        ("trip.quota", 3, "not_allowed", "tools"),
        ("trip.city.street", "Bergen", "unknown_slot", "fields"),
        ("trip.hotel.strs", 3, "unknown_slot", "trip.hotel.stars"),
    ],
)
def test_an_impossible_change_is_recorded_and_its_sibling_counts(
    path: str, value: object, reason: str, hint: str
) -> None:
    talk = Talk()
    turn = talk.says(
        "To Bergen with many friends.",
        Change("set", path, value, "Bergen"),
        change("support.topic", "set", "friends", "friends"),
    )
    assert [one.reason for one in turn.rejected] == [reason]
    assert hint in (turn.rejected[0].detail or "")
    assert talk.has("support.topic") == "friends"
    assert talk.has(CITY) is None


def test_the_first_words_count_after_the_application_set_a_slot_before_them() -> None:
    talk = Talk()
    talk.give(CITY, "Oslo", "confirmed")
    talk.chat.reset("support")
    turn = talk.says(
        "To Bergen, about a refund.",
        change(CITY, "set", "Bergen", "Bergen"),
        change("support.topic", "set", "refund", "refund"),
    )
    assert [one.outcome for one in turn.changes] == ["overwritten", "filled"]
