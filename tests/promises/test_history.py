"""Undo, reset, repeated messages, and answers to what the assistant asked or offered."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from slotstate import DONTCARE, Chat, MessageConflict, NotHeld, UnknownPath, ValueChanged
from tests.promises.talk import Talk, change

CITY, TOWN, SEAT, PEOPLE, DIRECT, AVOID = (
    "trip.city",
    "trip.town",
    "trip.seat",
    "trip.people",
    "trip.direct",
    "trip.avoid",
)


def says_city(talk: Talk, *cities: str) -> None:
    for city in cities:
        talk.says(f"To {city}.", change(CITY, "set", city, city))


def waits(talk: Talk, path: str = CITY) -> str | None:
    pending = talk.holds(path).pending
    return None if pending is None else pending.why


def test_undo_goes_back_step_by_step_and_then_refuses() -> None:
    talk = Talk()
    says_city(talk, "Oslo", "Bergen", "Tromso")
    seen = [talk.has(CITY)]
    for _ in range(3):
        talk.chat.undo(CITY)
        seen.append(talk.has(CITY))
    assert seen == ["Tromso", "Bergen", "Oslo", None]
    with pytest.raises(NotHeld):
        talk.chat.undo(CITY)


def test_undo_brings_back_status() -> None:
    talk = Talk()
    says_city(talk, "Oslo")
    talk.chat.confirm(CITY)
    says_city(talk, "Bergen")
    assert talk.holds(CITY).status == "filled"
    talk.chat.undo(CITY)
    assert (talk.has(CITY), talk.holds(CITY).status) == ("Oslo", "confirmed")
    talk.chat.undo(CITY)
    assert (talk.has(CITY), talk.holds(CITY).status) == ("Oslo", "filled")


def test_undo_reaches_back_across_a_reset() -> None:
    talk = Talk()
    says_city(talk, "Oslo")
    talk.chat.reset("trip")
    assert talk.holds(CITY).status == "empty"
    talk.chat.undo(CITY)
    assert talk.has(CITY) == "Oslo"
    talk.chat.undo(CITY)
    assert talk.holds(CITY).status == "empty"


def test_undo_without_a_path_takes_back_the_whole_last_step() -> None:
    talk = Talk()
    says_city(talk, "Oslo")
    talk.says(
        "To Bergen with 2 friends.", change(CITY, "set", "Bergen", "Bergen"), change(PEOPLE, "set", 2, "2 friends")
    )
    talk.chat.undo()
    assert (talk.has(CITY), talk.has(PEOPLE)) == ("Oslo", None)


def test_undo_takes_back_all_that_one_turn_did_to_a_slot() -> None:
    talk = Talk()
    talk.says("Nuts.", change(AVOID, "add", ["nuts"], "Nuts"))
    talk.says("Fish. And milk.", change(AVOID, "add", ["fish"], "Fish"), change(AVOID, "add", ["milk"], "milk"))
    talk.chat.undo(AVOID)
    assert talk.has(AVOID) == ["nuts"]


@pytest.mark.parametrize(("text", "status", "city"), [("Undo that.", "filled", "Oslo"), ("撤销。", "filled", "Oslo")])
def test_undo_said_by_the_user(text: str, status: str, city: str) -> None:
    talk = Talk()
    says_city(talk, "Oslo", "Bergen")
    talk.says(text, change(CITY, "undo", None, text))
    assert (talk.holds(CITY).status, talk.has(CITY)) == (status, city)


def test_reset_cleans_one_domain_and_only_that() -> None:
    talk = Talk()
    says_city(talk, "Oslo")
    talk.says("Not Bergen.", change(CITY, "exclude", "Bergen", "Not Bergen"))
    talk.bot("Tromso?", offers={TOWN: "Tromso"})
    talk.chat.set("support.topic", "refund", confirmed=True)
    talk.chat.reset("trip")
    for path in (CITY, TOWN):
        view = talk.holds(path)
        assert (view.status, view.value, view.excluded, view.offers, view.pending) == ("empty", None, [], [], None)
    assert (talk.has("support.topic"), talk.holds("support.topic").status) == ("refund", "confirmed")


@pytest.mark.parametrize(("op", "path"), [("start", "trip"), ("clear", "trip.*")])
@pytest.mark.parametrize("text", ["Let's start over.", "重新开始。"])
def test_the_user_starts_a_domain_afresh(op: str, path: str, text: str) -> None:
    talk = Talk()
    talk.give(CITY, "Oslo", "confirmed")
    talk.give("support.topic", "refund", "confirmed")
    talk.says("Hello there.")
    talk.says(text, change(path, op, None, text))  # type: ignore[arg-type]
    assert talk.holds(CITY).status == "empty"
    assert (talk.has("support.topic"), talk.holds("support.topic").status) == ("refund", "confirmed")


def test_a_fresh_start_that_was_only_meant_leaves_confirmed_slots() -> None:
    talk = Talk()
    talk.says("Hello there.")
    talk.give(CITY, "Oslo", "confirmed")
    talk.give(PEOPLE, 2)
    talk.says("The plans have fallen through.", change("trip", "start", None, "The plans have fallen through"))
    assert (talk.has(CITY), talk.holds(CITY).status) == ("Oslo", "confirmed")
    assert talk.holds(PEOPLE).status == "empty"


def test_the_same_message_again_returns_the_stored_turn() -> None:
    talk = Talk()
    first = talk.says("To Oslo.", change(CITY, "set", "Oslo", "Oslo"), id="m1")
    length = len(talk.chat.entries)
    assert talk.says("To Oslo.", change(CITY, "set", "Bergen", "Oslo"), id="m1") == first
    assert len(talk.chat.entries) == length


def test_another_text_under_the_same_id_is_a_conflict_and_writes_nothing() -> None:
    talk = Talk()
    talk.says("To Oslo.", change(CITY, "set", "Oslo", "Oslo"), id="m1")
    talk.chat.assistant("Fine.", id="m2")
    length = len(talk.chat.entries)
    for text, ident in (("To Bergen.", "m1"), ("Fine.", "m2"), ("To Bergen.", "m2")):
        with pytest.raises(MessageConflict):
            talk.says(text, change(CITY, "set", "Bergen", "Bergen"), id=ident)
    with pytest.raises(MessageConflict):
        talk.chat.assistant("Other.", id="m2")
    assert (len(talk.chat.entries), talk.has(CITY)) == (length, "Oslo")


def test_the_same_assistant_message_again_is_written_once() -> None:
    talk = Talk()
    talk.chat.assistant("Fine.", id="m2")
    length = len(talk.chat.entries)
    talk.chat.assistant("Fine.", id="m2")
    assert len(talk.chat.entries) == length


# Offers and questions


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The second one.", "Bergen"),
        ("The first one please.", "Oslo"),
        ("第二个。", "Bergen"),
        ("The last one.", "Tromso"),
    ],
)
@pytest.mark.parametrize("proposed", [True, False])
def test_the_number_of_an_option_just_listed(text: str, expected: str, proposed: bool) -> None:
    talk = Talk()
    talk.bot("Here are three towns.", offers={CITY: ["Oslo", "Bergen", "Tromso"]})
    talk.says(text, *([change(CITY, "set", expected, text)] if proposed else []))
    assert (talk.has(CITY), talk.holds(CITY).status) == (expected, "filled")


def test_the_number_of_another_option_does_not_yield_the_value() -> None:
    talk = Talk()
    talk.bot("Here are three towns.", offers={CITY: ["Oslo", "Bergen", "Tromso"]})
    turn = talk.says("The second one.", change(CITY, "set", "Oslo", "The second one"))
    assert [one.reason for one in turn.rejected] == ["does_not_follow"]


def test_yes_to_several_options_chooses_none() -> None:
    talk = Talk()
    talk.bot("Oslo or Bergen?", offers={CITY: ["Oslo", "Bergen"]})
    talk.says("Yes.")
    assert talk.holds(CITY).status == "empty"


@pytest.mark.parametrize(("text", "value"), [("Yes.", True), ("No.", False), ("对。", True), ("不是。", False)])
def test_yes_and_no_answer_the_boolean_just_asked(text: str, value: bool) -> None:
    talk = Talk()
    talk.bot("Direct only?", asks=[DIRECT])
    turn = talk.says(text, change(DIRECT, "set", value, text))
    assert [(one.outcome, one.grade) for one in turn.changes] == [("filled", "said")]
    assert talk.has(DIRECT) is value


@pytest.mark.parametrize(("text", "value"), [("Yes.", False), ("No.", True)])
def test_the_opposite_of_the_answer_is_rejected(text: str, value: bool) -> None:
    talk = Talk()
    talk.give(DIRECT, not value, "confirmed")
    talk.says("Hello there.")
    talk.bot("Direct only?", asks=[DIRECT])
    turn = talk.says(text, change(DIRECT, "set", value, text))
    assert value not in [one.value for one in turn.changes if one.outcome in {"filled", "overwritten"}]
    assert talk.has(DIRECT) is not value


def test_the_last_assistant_turn_may_be_several_messages() -> None:
    talk = Talk()
    talk.bot("How about Bergen?", offers={CITY: "Bergen"})
    talk.bot("It is lovely.")
    talk.says("Yes please.", change(CITY, "set", "Bergen", "Yes please"))
    assert talk.holds(CITY).grade == "accepted"


@pytest.mark.parametrize("words", ["What does it cost?", "Yes, but is it far?", "Hm, not sure.", "多少钱？"])
def test_going_on_about_something_else_accepts_no_offer(words: str) -> None:
    talk = Talk()
    talk.bot("How about Bergen?", offers={CITY: "Bergen"})
    talk.says(words)
    assert talk.holds(CITY).status == "empty"


def test_a_refused_offer_is_not_accepted_by_a_later_yes() -> None:
    talk = Talk()
    talk.bot("How about Bergen?", offers={CITY: "Bergen"})
    talk.says("No thanks.")
    talk.says("Yes.")
    assert talk.holds(CITY).status == "empty"


# The application's calls


def test_confirm_holds_only_for_the_value_shown() -> None:
    talk = Talk()
    with pytest.raises(NotHeld):
        talk.chat.confirm(CITY)
    talk.chat.set(CITY, "Oslo")
    with pytest.raises(ValueChanged):
        talk.chat.confirm(CITY, "Bergen")
    assert talk.holds(CITY).status == "filled"
    talk.chat.confirm(CITY, "Oslo")
    assert talk.holds(CITY).status == "confirmed"


def test_the_application_may_say_no_preference() -> None:
    talk = Talk()
    talk.chat.set(SEAT, DONTCARE, confirmed=True)
    assert (talk.has(SEAT), talk.holds(SEAT).status) == (DONTCARE, "confirmed")
    with pytest.raises(ValueChanged):
        talk.chat.confirm(SEAT, "first")
    talk.chat.clear(SEAT)
    assert talk.holds(SEAT).status == "empty"


@pytest.mark.parametrize(
    "call",
    [
        lambda chat: chat.set("trip.ctiy", "Oslo"),
        lambda chat: chat.clear("trip.ctiy"),
        lambda chat: chat.confirm("trip.ctiy"),
        lambda chat: chat.undo("trip.ctiy"),
        lambda chat: chat.reset("tripp"),
    ],
)
def test_an_unknown_path_is_named_with_a_near_one(call: Callable[[Chat], None]) -> None:
    chat = Talk().chat
    with pytest.raises(UnknownPath, match="did you mean"):
        call(chat)


@pytest.mark.parametrize("call", ["confirm", "confirm value", "undo", "set same"])
def test_a_chat_that_was_left_behind_decides_on_the_newest_state(call: str) -> None:
    talk = Talk()
    behind = talk.tracker.open("test")
    talk.chat.set(CITY, "Oslo")
    match call:
        case "confirm":
            behind.confirm(CITY)
        case "confirm value":
            behind.confirm(CITY, "Oslo")
        case "undo":
            behind.undo(CITY)
        case _:
            behind.set(CITY, "Oslo", confirmed=True)
    found = talk.tracker.open("test").state["trip"]["city"]
    assert (found.value, found.status) == ((None, "empty") if call == "undo" else ("Oslo", "confirmed"))


@pytest.mark.parametrize("by", ["user", "application", "application, any slot"])
@pytest.mark.parametrize(
    ("raise_", "why"),
    [
        (lambda talk: talk.says("somewhere up north", change(CITY, "set", "Bergen", "somewhere up north")), "conflict"),
        (
            lambda talk: talk.says(
                "Rome or Bergen", change(CITY, "set", "Rome", "Rome"), change(CITY, "set", "Bergen", "Bergen")
            ),
            "ambiguous",
        ),
    ],
)
def test_undo_takes_back_the_question_that_was_raised_last(raise_: Callable[[Talk], object], why: str, by: str) -> None:
    talk = Talk()
    talk.chat.set(CITY, "Oslo", confirmed=True)
    raise_(talk)
    assert waits(talk) == why
    if by == "user":
        found = talk.says("undo that", change(CITY, "undo", None, "undo that"))
        assert [(one.op, one.outcome) for one in found.changes] == [("undo", "restated")]
    else:
        talk.chat.undo(CITY if by == "application" else None)
    assert (talk.holds(CITY).value, talk.holds(CITY).status, talk.holds(CITY).pending) == ("Oslo", "confirmed", None)
    talk.chat.undo(CITY)
    assert (talk.holds(CITY).value, talk.holds(CITY).status) == (None, "empty")


def test_a_question_is_taken_back_though_its_user_is_only_understood_so() -> None:
    """Nothing that is held depends on it."""
    talk = Talk()
    talk.chat.set(CITY, "Oslo", confirmed=True)
    talk.says("somewhere up north", change(CITY, "set", "Bergen", "somewhere up north"))
    talk.says("forget about that bit", change(CITY, "undo", None, "forget about that bit"))
    assert (talk.holds(CITY).value, talk.holds(CITY).status, talk.holds(CITY).pending) == ("Oslo", "confirmed", None)


def test_undo_of_a_denial_brings_back_what_was_denied() -> None:
    talk = Talk()
    talk.says("Oslo", change(CITY, "set", "Oslo", "Oslo"))
    for _ in range(2):
        talk.chat.assistant("To Oslo?", asks=[CITY])
        talk.says("no", change(CITY, "deny", None, "no"))
        assert waits(talk) == "denied"
        talk.chat.undo()
        assert (talk.holds(CITY).value, talk.holds(CITY).pending) == ("Oslo", None)
        talk.chat.confirm(CITY)
    assert talk.holds(CITY).status == "confirmed"


def test_a_question_that_came_with_a_change_goes_with_it() -> None:
    """One step: a list that was to be replaced without a word of replacement."""
    talk = Talk()
    talk.says("avoid Rome", change(AVOID, "set", ["Rome"], "Rome"))
    talk.says("Bergen", change(AVOID, "set", ["Bergen"], "Bergen"))
    assert (talk.has(AVOID), waits(talk, AVOID)) == (["Rome", "Bergen"], "ambiguous")
    talk.chat.undo()
    assert (talk.holds(AVOID).value, talk.holds(AVOID).pending) == (["Rome"], None)


def test_a_question_about_an_empty_slot_is_taken_back() -> None:
    talk = Talk()
    talk.says("Rome or Bergen", change(CITY, "set", "Rome", "Rome"), change(CITY, "set", "Bergen", "Bergen"))
    talk.chat.undo(CITY)
    assert (talk.holds(CITY).value, talk.holds(CITY).pending) == (None, None)
    with pytest.raises(NotHeld):
        talk.chat.undo(CITY)


def test_whether_to_undo_is_a_question_that_undo_answers() -> None:
    talk = Talk()
    talk.says("Oslo", change(CITY, "set", "Oslo", "Oslo"))
    talk.chat.confirm(CITY)
    talk.says("hm, the one before", change(CITY, "undo", None, "the one before"))
    assert (talk.has(CITY), waits(talk)) == ("Oslo", "conflict")
    talk.says("undo", change(CITY, "undo", None, "undo"))
    assert (talk.holds(CITY).status, waits(talk)) == ("filled", None)
