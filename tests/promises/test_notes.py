"""The notes below the decision table, one by one, with concrete words."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from slotstate import DONTCARE, Change
from tests.promises.talk import Talk, change, outcomes

CITY, TOWN, SEAT, AVOID, DAY = "trip.city", "trip.town", "trip.seat", "trip.avoid", "trip.day"
HOTEL, PARTY, PEOPLE, DIRECT = "trip.hotel", "trip.party", "trip.people", "trip.direct"


def why(talk: Talk, path: str) -> str | None:
    pending = talk.holds(path).pending
    return pending.why if pending else None


# No preference


@pytest.mark.parametrize(("text", "quote"), [("I don't mind.", "I don't mind"), ("随便。", "随便")])
@pytest.mark.parametrize(
    ("status", "outcome"), [("empty", "filled"), ("filled", "overwritten"), ("confirmed", "overwritten")]
)
def test_no_preference_is_a_value_where_the_slot_allows_it(text: str, quote: str, status: str, outcome: str) -> None:
    talk = Talk()
    talk.says("Hello there.")
    talk.give(SEAT, "first", status)
    turn = talk.says(text, change(SEAT, "set", DONTCARE, quote))
    assert outcomes(turn, SEAT) == [outcome]
    assert (talk.holds(SEAT).status, talk.has(SEAT), talk.holds(SEAT).value) == ("filled", DONTCARE, None)


def test_no_preference_meant_does_not_touch_a_confirmed_value() -> None:
    talk = Talk()
    talk.says("Hello there.")
    talk.give(SEAT, "first", "confirmed")
    turn = talk.says("My back is fine these days.", change(SEAT, "set", DONTCARE, "My back is fine"))
    assert outcomes(turn, SEAT) == ["pending"]
    assert (talk.has(SEAT), talk.holds(SEAT).status, why(talk, SEAT)) == ("first", "confirmed", "conflict")


def test_no_preference_is_refused_where_it_is_no_answer() -> None:
    talk = Talk()
    turn = talk.says("I don't mind.", change(CITY, "set", DONTCARE, "I don't mind"))
    assert [one.reason for one in turn.rejected] == ["not_allowed"]
    assert talk.holds(CITY).status == "empty"


def test_no_preference_is_never_inferred_from_silence() -> None:
    talk = Talk()
    talk.bot("Which class?", asks=[SEAT])
    talk.says("What is the weather like there?")
    assert talk.holds(SEAT).status == "empty"


# Lists


def test_a_list_set_without_a_word_of_replacement_adds_and_asks() -> None:
    talk = Talk()
    talk.says("No wait, nuts.", change(AVOID, "add", ["nuts"], "nuts"))
    talk.says("And fish.", change(AVOID, "set", ["fish"], "fish"))
    assert talk.has(AVOID) == ["nuts", "fish"]
    assert why(talk, AVOID) == "ambiguous"


@pytest.mark.parametrize("text", ["Only fish.", "Fish instead.", "只要 fish。"])
def test_a_list_set_with_a_word_of_replacement_replaces(text: str) -> None:
    talk = Talk()
    talk.says("Nuts.", change(AVOID, "add", ["nuts"], "Nuts"))
    quote = "Fish" if "Fish" in text else "fish"
    turn = talk.says(text, change(AVOID, "set", ["fish"], quote))
    assert outcomes(turn, AVOID) == ["overwritten"]
    assert (talk.has(AVOID), why(talk, AVOID)) == (["fish"], None)


def test_a_list_set_that_keeps_all_items_needs_no_word_of_replacement() -> None:
    talk = Talk()
    talk.says("Nuts.", change(AVOID, "add", ["nuts"], "Nuts"))
    talk.says("Nuts, and fish.", change(AVOID, "set", ["nuts", "fish"], "Nuts, and fish"))
    assert (talk.has(AVOID), why(talk, AVOID)) == (["nuts", "fish"], None)


@pytest.mark.parametrize("status", ["filled", "confirmed"])
def test_removing_an_absent_item_is_rejected(status: str) -> None:
    talk = Talk()
    talk.says("Hello there.")
    talk.give(AVOID, ["nuts"], status)
    turn = talk.says("Drop the fish.", change(AVOID, "remove", ["fish"], "Drop the fish"))
    assert [one.reason for one in turn.rejected] == ["not_in_list"]
    assert (talk.has(AVOID), talk.holds(AVOID).status) == (["nuts"], status)


def test_remove_then_add_restores() -> None:
    talk = Talk()
    talk.says("Nuts and fish.", change(AVOID, "add", ["nuts", "fish"], "Nuts and fish"))
    turn = talk.says(
        "Drop the fish. Hm, put fish back on the list.",
        change(AVOID, "remove", ["fish"], "Drop the fish"),
        change(AVOID, "add", ["fish"], "put fish back"),
    )
    assert outcomes(turn, AVOID) == ["overwritten", "overwritten"]
    assert talk.has(AVOID) == ["nuts", "fish"]


def test_removing_the_last_item_empties() -> None:
    talk = Talk()
    talk.says("Nuts.", change(AVOID, "add", ["nuts"], "Nuts"))
    assert outcomes(talk.says("Drop the nuts.", change(AVOID, "remove", ["nuts"], "Drop the nuts")), AVOID) == [
        "emptied"
    ]
    assert talk.holds(AVOID).status == "empty"


@pytest.mark.parametrize(("op", "item"), [("add", "fish"), ("remove", "nuts")])
def test_a_confirmed_list_waits_when_a_change_is_only_meant(op: str, item: str) -> None:
    talk = Talk()
    talk.says("Hello there.")
    talk.give(AVOID, ["nuts", "milk"], "confirmed")
    quote = "my sister's allergy"
    turn = talk.says("Remember my sister's allergy.", Change(op, AVOID, [item], quote))  # type: ignore[arg-type]
    assert outcomes(turn, AVOID) == ["pending"]
    assert (talk.has(AVOID), talk.holds(AVOID).status) == (["nuts", "milk"], "confirmed")


def test_an_item_that_is_there_already_restates() -> None:
    talk = Talk()
    talk.says("Hello there.")
    talk.give(AVOID, ["nuts"], "confirmed")
    assert outcomes(talk.says("Nuts, as ever.", change(AVOID, "add", ["nuts"], "Nuts")), AVOID) == ["restated"]
    assert talk.holds(AVOID).status == "confirmed"


def test_an_excluded_item_leaves_the_list() -> None:
    talk = Talk()
    talk.says("Nuts and fish.", change(AVOID, "add", ["nuts", "fish"], "Nuts and fish"))
    talk.says("Not fish.", change(AVOID, "exclude", "fish", "Not fish"))
    assert (talk.has(AVOID), talk.holds(AVOID).excluded) == (["nuts"], ["fish"])


# Composites and maps


def test_composites_merge_per_field_and_a_nested_null_is_no_value() -> None:
    talk = Talk()
    talk.says("The Grand, 4 stars.", Change("set", HOTEL, {"name": "Grand", "stars": 4}, "The Grand, 4 stars"))
    turn = talk.says("Rather 5 stars.", Change("set", HOTEL, {"name": None, "stars": 5}, "5 stars"))
    assert outcomes(turn, HOTEL) == ["overwritten"]
    assert talk.has(HOTEL) == {"name": "Grand", "stars": 5}
    talk.says("The Plaza.", change(f"{HOTEL}.name", "set", "Plaza", "Plaza"))
    assert talk.has(HOTEL) == {"name": "Plaza", "stars": 5}


def test_a_composite_of_nulls_only_is_no_value() -> None:
    talk = Talk()
    talk.says("Hello there.")
    talk.give(HOTEL, {"name": "Grand", "stars": 4}, "confirmed")
    turn = talk.says("Hello.", Change("set", HOTEL, {"name": None, "stars": None}, "Hello"))
    assert [one.reason for one in turn.rejected] == ["invalid_value"]
    assert talk.has(HOTEL) == {"name": "Grand", "stars": 4}


def test_a_field_is_cleared_alone_and_the_last_one_empties() -> None:
    talk = Talk()
    talk.says("The Grand, 4 stars.", Change("set", HOTEL, {"name": "Grand", "stars": 4}, "The Grand, 4 stars"))
    talk.says("Forget the stars.", change(f"{HOTEL}.stars", "clear", None, "Forget the stars"))
    assert talk.has(HOTEL) == {"name": "Grand"}
    talk.says("Forget the name.", change(f"{HOTEL}.name", "clear", None, "Forget the name"))
    assert talk.holds(HOTEL).status == "empty"


def test_maps_merge_per_key() -> None:
    talk = Talk()
    talk.says("2 adults.", Change("set", PARTY, {"adults": 2}, "2 adults"))
    talk.says("And 3 kids.", Change("set", PARTY, {"kids": 3, "adults": None}, "3 kids"))
    assert talk.has(PARTY) == {"adults": 2, "kids": 3}


def test_two_fields_of_one_composite_are_no_rivals() -> None:
    talk = Talk()
    talk.says(
        "The Grand with 4 stars.",
        change(f"{HOTEL}.name", "set", "Grand", "Grand"),
        change(f"{HOTEL}.stars", "set", 4, "4 stars"),
    )
    assert talk.has(HOTEL) == {"name": "Grand", "stars": 4}


# Exclusions


def test_setting_an_excluded_value_lifts_the_exclusion() -> None:
    talk = Talk()
    talk.says(
        "Not Oslo, not Bergen.", *(change(CITY, "exclude", city, f"ot {city}"[3:]) for city in ("Oslo", "Bergen"))
    )
    assert talk.holds(CITY).excluded == ["Oslo", "Bergen"]
    talk.says("Fine, I will go to Oslo.", change(CITY, "set", "Oslo", "Oslo"))
    assert (talk.has(CITY), talk.holds(CITY).excluded) == ("Oslo", ["Bergen"])


def test_clearing_keeps_exclusions_and_undo_brings_back_those_of_before() -> None:
    talk = Talk()
    talk.says("To Oslo.", change(CITY, "set", "Oslo", "Oslo"))
    talk.says("Not Bergen.", change(CITY, "exclude", "Bergen", "Not Bergen"))
    talk.says("Forget the city.", change(CITY, "clear", None, "Forget the city"))
    assert (talk.has(CITY), talk.holds(CITY).excluded) == (None, ["Bergen"])
    talk.chat.undo(CITY)
    assert (talk.has(CITY), talk.holds(CITY).excluded) == ("Oslo", ["Bergen"])
    talk.chat.undo(CITY)
    assert (talk.has(CITY), talk.holds(CITY).excluded) == ("Oslo", [])


# Several values in one turn


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("To Oslo, no, to Bergen.", "Oslo", "Bergen"),
        ("Oslo. Sorry, I meant Bergen.", "Oslo", "Bergen"),
        ("去奥斯陆，不对，去卑尔根。", "奥斯陆", "卑尔根"),
        ("奥斯陆，改成卑尔根。", "奥斯陆", "卑尔根"),
    ],
)
@pytest.mark.parametrize("reverse", [False, True])
def test_the_later_value_wins_after_a_correction(text: str, first: str, second: str, reverse: bool) -> None:
    talk = Talk()
    changes = [change(CITY, "set", first, first), change(CITY, "set", second, second)]
    talk.says(text, *(reversed(changes) if reverse else changes))
    assert (talk.has(CITY), why(talk, CITY)) == (second, None)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("Oslo. No wait, Bergen. Sorry, I meant Oslo.", "Oslo"),
        ("Oslo, no, Bergen. Is Oslo far?", "Bergen"),
        ("Oslo and Bergen. Sorry, I meant Bergen.", "Bergen"),
        ("奥斯陆，不对，去卑尔根，不对，还是奥斯陆。", "奥斯陆"),
    ],
)
def test_a_value_said_twice_counts_where_it_was_said_last(text: str, counts: str) -> None:
    talk = Talk()
    talk.says(text, *(change(CITY, "set", city, city) for city in ("Oslo", "Bergen", "奥斯陆", "卑尔根")))
    assert (talk.has(CITY), why(talk, CITY)) == (counts, None)


@pytest.mark.parametrize(
    ("text", "first", "second"), [("Oslo, Bergen.", "Oslo", "Bergen"), ("奥斯陆卑尔根。", "奥斯陆", "卑尔根")]
)
@pytest.mark.parametrize("status", ["empty", "filled", "confirmed"])
def test_two_values_without_a_correction_leave_the_slot_as_it_was(
    text: str, first: str, second: str, status: str
) -> None:
    talk = Talk()
    talk.says("Hello there.")
    talk.give(CITY, "Tromso", status)
    talk.says(text, change(CITY, "set", first, first), change(CITY, "set", second, second))
    assert (talk.has(CITY), talk.holds(CITY).status) == ("Tromso" if status != "empty" else None, status)
    pending = talk.holds(CITY).pending
    assert pending is not None
    assert (pending.why, pending.values) == ("ambiguous", [first, second])


def test_the_same_value_twice_is_one_value() -> None:
    talk = Talk()
    talk.says("Oslo. Yes I said Oslo.", change(CITY, "set", "Oslo", "Oslo"), change(CITY, "set", "Oslo", "I said Oslo"))
    assert (talk.has(CITY), why(talk, CITY)) == ("Oslo", None)


# Order


def test_order_is_by_offset_not_by_proposal() -> None:
    talk = Talk()
    talk.says(
        "Forget the city. To Bergen now.",
        change(CITY, "set", "Bergen", "To Bergen"),
        change(CITY, "clear", None, "Forget the city"),
    )
    assert talk.has(CITY) == "Bergen"


def test_confirm_and_deny_come_last() -> None:
    talk = Talk()
    talk.says("Oslo.", change(CITY, "set", "Oslo", "Oslo"))
    talk.bot("Oslo?", asks=[CITY])
    talk.says("Yes, Oslo.", change(CITY, "confirm", None, "Yes"), change(CITY, "set", "Oslo", "Oslo"))
    assert talk.holds(CITY).status == "confirmed"
    talk.says("No, Bergen.", change(CITY, "deny", None, "No"), change(CITY, "set", "Bergen", "Bergen"))
    assert (talk.has(CITY), talk.holds(CITY).status) == ("Bergen", "filled")


def test_a_change_that_comes_late_is_superseded() -> None:
    talk = Talk()
    talk.fails("To Oslo with 2 friends.", id="m1")
    talk.says("To Bergen.", change(CITY, "set", "Bergen", "Bergen"))
    turn = talk.says(
        "To Oslo with 2 friends.", change(CITY, "set", "Oslo", "Oslo"), change(PEOPLE, "set", 2, "2 friends"), id="m1"
    )
    assert (outcomes(turn, CITY), outcomes(turn, PEOPLE)) == (["superseded"], ["filled"])
    assert (talk.has(CITY), talk.has(PEOPLE)) == ("Bergen", 2)


@pytest.mark.parametrize("act", ["set", "clear", "reset"])
def test_a_late_change_does_not_undo_what_the_application_did(act: str) -> None:
    talk = Talk()
    talk.says("To Tromso.", change(CITY, "set", "Tromso", "Tromso"))
    talk.fails("To Oslo.", id="m1")
    if act == "set":
        talk.chat.set(CITY, "Bergen")
    elif act == "clear":
        talk.chat.clear(CITY)
    else:
        talk.chat.reset("trip")
    turn = talk.says("To Oslo.", change(CITY, "set", "Oslo", "Oslo"), id="m1")
    assert outcomes(turn, CITY) == ["superseded"]
    assert talk.has(CITY) == ("Bergen" if act == "set" else None)


# Whose words count


def test_only_tools_and_the_application_write_a_tool_slot() -> None:
    talk = Talk()
    turn = talk.says(
        "My quota is 3.", change("trip.quota", "set", 3, "3"), change("trip.quota", "clear", None, "My quota")
    )
    assert [one.reason for one in turn.rejected] == ["not_allowed", "not_allowed"]
    talk.chat.set("trip.quota", 3, source="tool")
    assert (talk.has("trip.quota"), talk.holds("trip.quota").source) == (3, "tool")


def test_a_slot_for_the_users_own_words_takes_no_offer() -> None:
    talk = Talk()
    talk.bot("Shall I use visa?", offers={"trip.card": "visa"})
    turn = talk.says("Yes please.", change("trip.card", "set", "visa", "Yes please"))
    assert [one.reason for one in turn.rejected] == ["not_allowed"]
    talk.says("Visa, yes.", change("trip.card", "set", "Visa", "Visa"))
    assert talk.has("trip.card") == "Visa"


def test_a_slot_for_the_users_own_words_takes_no_offer_in_silence() -> None:
    talk = Talk()
    talk.bot("Shall I use visa?", offers={"trip.card": "visa"})
    talk.says("Yes please.")
    assert talk.holds("trip.card").status == "empty"


def test_the_users_words_overwrite_what_the_application_set_unconfirmed() -> None:
    talk = Talk()
    talk.says("Hello there.")
    talk.chat.set(CITY, "Oslo")
    turn = talk.says("Where my sister lives.", change(CITY, "set", "Bergen", "my sister"))
    assert outcomes(turn, CITY) == ["overwritten"]


def test_the_applications_call_wins_over_a_confirmed_value() -> None:
    talk = Talk()
    talk.give(CITY, "Oslo", "confirmed")
    talk.chat.set(CITY, "Bergen")
    assert (talk.has(CITY), talk.holds(CITY).status) == ("Bergen", "filled")


# Implicit confirmation


def test_going_on_after_the_value_was_repeated_confirms_it() -> None:
    talk = Talk()
    talk.says("I live in Oslo.", change(TOWN, "set", "Oslo", "Oslo"))
    talk.bot("Oslo, nice. How many?")
    talk.says("2 people.", change(PEOPLE, "set", 2, "2"))
    assert talk.holds(TOWN).status == "confirmed"


@pytest.mark.parametrize(
    ("said", "user"),
    [
        ("Nice. How many?", "2 people."),
        ("Oslo, nice. How many?", "No, wait."),
        ("Oslo, nice. How many?", "不对。"),
        ("Oslo, nice. How many?", ""),
    ],
)
def test_no_implicit_confirmation(said: str, user: str) -> None:
    talk = Talk()
    talk.says("I live in Oslo.", change(TOWN, "set", "Oslo", "Oslo"))
    talk.bot(said)
    talk.says(user)
    assert talk.holds(TOWN).status == "filled"


def test_an_objection_is_not_forgotten_a_turn_later() -> None:
    talk = Talk()
    talk.says("I live in Oslo.", change(TOWN, "set", "Oslo", "Oslo"))
    talk.bot("Oslo, nice. How many?")
    talk.says("No, I never said that.")
    talk.says("What is the weather like?")
    assert talk.holds(TOWN).status == "filled"


def test_a_slot_without_implicit_confirmation_stays_filled() -> None:
    talk = Talk()
    talk.says("To Oslo.", change(CITY, "set", "Oslo", "Oslo"))
    talk.bot("Oslo, nice. How many?")
    talk.says("2 people.", change(PEOPLE, "set", 2, "2"))
    assert talk.holds(CITY).status == "filled"


# Time to live


@pytest.mark.parametrize("status", ["filled", "confirmed"])
def test_a_value_goes_stale_and_is_never_emptied(status: str) -> None:
    talk = Talk()
    talk.give(DAY, date(2025, 3, 9), status)
    talk.now += timedelta(hours=2)
    talk.says("Hello there.")
    assert (talk.holds(DAY).status, why(talk, DAY)) == (status, None)
    talk.now += timedelta(seconds=1)
    talk.says("Hello again.")
    assert (talk.has(DAY), talk.holds(DAY).status, why(talk, DAY)) == (date(2025, 3, 9), "filled", "stale")


def test_restating_a_stale_value_settles_it() -> None:
    talk = Talk()
    talk.give(DAY, date(2025, 3, 9), "confirmed")
    talk.now += timedelta(hours=3)
    talk.says("Hello.")
    turn = talk.says("9 March, as I said.", change(DAY, "set", "2025-03-09", "9 March"))
    assert (outcomes(turn, DAY), why(talk, DAY)) == (["restated"], None)


# Sharing


def test_a_shared_value_is_offered_and_never_copied() -> None:
    talk = Talk()
    talk.says("To Oslo.", change(CITY, "set", "Oslo", "Oslo"))
    other = talk.holds("support.city")
    assert (other.status, other.value, [offer.value for offer in other.offers]) == ("empty", None, ["Oslo"])
    talk.bot("Is it about that trip?")
    talk.says("Yes.", change("support.city", "set", "Oslo", "Yes"))
    assert talk.has("support.city") == "Oslo"


def test_a_shared_value_does_not_disturb_a_held_one() -> None:
    talk = Talk()
    talk.give("support.city", "Bergen", "confirmed")
    talk.says("Hello there.")
    talk.says("To Oslo.", change(CITY, "set", "Oslo", "Oslo"))
    assert (talk.has("support.city"), talk.holds("support.city").status) == ("Bergen", "confirmed")
    assert talk.holds("support.city").offers == []
