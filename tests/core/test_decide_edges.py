"""Deciding: corners of lists, offers, fields and undo, in conversations."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

import slotstate
from slotstate import Change, Chat, Decision, Slot, Tracker
from slotstate.decide.context import Said
from slotstate.decide.deliberation import Deliberation
from slotstate.decide.drafts import Draft
from slotstate.decide.evidence import Claim, Evidence
from slotstate.domains import compile_domains
from slotstate.slots import UNSET
from slotstate.state import State
from slotstate.testing import ScriptedExtractor, change

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


class Place(BaseModel):
    city: str | None = None
    street: str | None = None


class Meal(BaseModel):
    toppings: Annotated[list[str], Field(max_length=3), Slot()] = []
    at: time | None = None
    people: Annotated[int | None, Field(ge=1), Slot(dont_care=True)] = None
    place: Place | None = None
    hot: bool | None = None
    cook: Annotated[str | None, Slot(evidence="tool")] = None


def chat_with(*script: Sequence[Change]) -> Chat:
    return Tracker(Meal, extractor=ScriptedExtractor(script), clock=lambda: NOW).open("s")


def said(chat: Chat, text: str) -> list[tuple[str, str | None]]:
    turn = chat.user(text)
    return [(one.outcome, one.reason) for one in (*turn.changes, *turn.rejected)]


def decided(chat: Chat, text: str) -> Decision:
    turn = chat.user(text)
    (one,) = (*turn.changes, *turn.rejected)
    return one


def toppings(chat: Chat) -> Any:
    return chat.state["meal"]["toppings"].value


def test_a_list_keeps_its_own_limits() -> None:
    chat = chat_with([change("meal.toppings", "add", ["nuts", "figs"], "nuts and figs")])
    chat.set("meal.toppings", ["olives", "ham"])
    one = decided(chat, "and nuts and figs")
    assert (one.outcome, one.reason) == ("rejected", "invalid_value")
    assert "at most 3 items" in (one.detail or "")
    assert toppings(chat) == ["olives", "ham"]


def test_items_of_an_older_offer_are_asked_about() -> None:
    chat = chat_with([], [change("meal.toppings", "add", ["nuts"], "yes")])
    chat.set("meal.toppings", ["ham"])
    chat.assistant("Nuts on top?", offers={"meal.toppings": ["nuts"]})
    chat.user("Let me think.")
    chat.assistant("Anything else?")
    assert said(chat, "yes") == [("pending", None)]
    pending = chat.state["meal"]["toppings"].pending
    assert pending is not None
    assert (pending.why, pending.values, toppings(chat)) == ("conflict", [["ham", "nuts"]], ["ham"])


def test_ruling_out_an_item_takes_it_off_and_the_last_one_empties_the_list() -> None:
    out = [change("meal.toppings", "exclude", "ham", "no ham")]
    chat = chat_with(out, out, [change("meal.toppings", "exclude", "figs", "no figs")])
    chat.set("meal.toppings", ["ham", "figs"])
    assert said(chat, "no ham") == [("excluded", None), ("overwritten", None)]
    assert said(chat, "no ham") == [("unchanged", None)]
    assert said(chat, "no figs") == [("excluded", None), ("emptied", None)]
    assert chat.state["meal"]["toppings"].excluded == ["ham", "figs"]


def test_ruling_out_an_item_of_a_confirmed_list_in_other_words_is_asked_about() -> None:
    chat = chat_with([change("meal.toppings", "exclude", "ham", "I am a vegetarian")])
    chat.set("meal.toppings", ["ham", "figs"], confirmed=True)
    assert said(chat, "I am a vegetarian") == [("pending", "does_not_follow")]
    assert toppings(chat) == ["ham", "figs"]


def test_one_field_of_a_composite_is_taken_back() -> None:
    clear = [change("meal.place.street", "clear", quote="forget the street")]
    chat = chat_with(clear, clear, [change("meal.place.city", "clear", quote="forget the city")])
    chat.set("meal.place", {"city": "York", "street": "Elm Road"}, confirmed=True)
    assert said(chat, "forget the street") == [("overwritten", None)]
    assert chat.state["meal"]["place"].value == {"city": "York"}
    assert said(chat, "forget the street") == [("unchanged", None)]
    assert said(chat, "forget the city") == [("emptied", None)]


def test_one_field_meant_to_be_taken_back_is_asked_about() -> None:
    chat = chat_with([change("meal.place.street", "clear", quote="we are moving")])
    chat.set("meal.place", {"city": "York", "street": "Elm Road"}, confirmed=True)
    assert said(chat, "we are moving") == [("pending", "does_not_follow")]


def test_undo_in_other_words_takes_back_a_filled_value_and_asks_about_a_confirmed_one() -> None:
    undo = [change("meal.people", "undo", quote="that was wrong of me")]
    chat = chat_with(undo, undo, undo, [change("meal.people", "undo", quote="undo that")])
    assert said(chat, "that was wrong of me") == [("unchanged", None)]
    chat.set("meal.people", 2)
    chat.set("meal.people", 3)
    assert said(chat, "that was wrong of me") == [("overwritten", None)]
    chat.confirm("meal.people")
    assert said(chat, "that was wrong of me") == [("pending", "does_not_follow")]
    assert said(chat, "undo that") == [("overwritten", None)]
    assert chat.state["meal"]["people"].value == 2


def test_the_same_option_listed_twice_counts_once() -> None:
    chat = chat_with([change("meal.at", "set", "21:30", "the second one")])
    chat.assistant("20:00, that is 20:00 sharp, or 21:30?")
    assert said(chat, "the second one") == [("filled", None)]


def test_the_same_offer_made_twice_is_accepted_once() -> None:
    chat = chat_with([])
    chat.assistant("For 4?", offers={"meal.people": 4})
    chat.assistant("4, shall we say?", offers={"meal.people": 4})
    assert said(chat, "Yes.") == [("filled", None)]


@pytest.mark.parametrize(
    ("proposed", "reason", "words"),
    [
        (change("meal.people", "add", 2, "2"), "not_allowed", "use set or clear"),
        (change("meal.place", "exclude", {"city": "York"}, "York"), "not_allowed", "no values to rule out"),
        (change("meal.place.city", "confirm", quote="2"), "not_allowed", "for the whole slot"),
        (change("meal.people", "expire", quote="2"), "not_allowed", "slotstate's own"),
        (change("meal.cook", "set", "Bo", "Bo"), "not_allowed", "only tools"),
        (change("meal.toppings", "set", slotstate.DONTCARE, "2"), "not_allowed", "dont_care is off"),
        (change("meal.people", "exclude", slotstate.DONTCARE, "2"), "not_allowed", "dont_care is off"),
        (change("meal.people", "set", None, "2"), "invalid_value", "null is none"),
        (change("meals", "start", quote="2"), "unknown_slot", "known"),
        (change("meal", "start", quote="never said"), "quote_not_found", "not said"),
    ],
)
def test_what_cannot_be_done_is_said_in_words(proposed: Change, reason: str, words: str) -> None:
    one = decided(chat_with([proposed]), "2 for York with Bo")
    assert (one.outcome, one.reason) == ("rejected", reason)
    assert words in (one.detail or "")


def test_the_public_names_are_there_and_no_others() -> None:
    assert slotstate.__all__ == sorted(slotstate.__all__, key=lambda name: (not name.isupper(), name))
    assert all(getattr(slotstate, name).__doc__ for name in slotstate.__all__ if name != "DONTCARE")
    assert set(slotstate.__all__) <= set(dir(slotstate))
    with pytest.raises(AttributeError, match="no attribute 'Nobody'"):
        _ = slotstate.Nobody


def test_no_preference_is_not_confirmed_by_a_yes_to_nothing() -> None:
    chat = chat_with([change("meal.people", "confirm", quote="yes")])
    chat.set("meal.people", slotstate.DONTCARE)
    chat.assistant("Fine. Anything else?")
    assert said(chat, "yes") == [("rejected", "nothing_asked")]


@pytest.mark.parametrize("op", ["expire", "request", "start"])
def test_what_is_no_draft_changes_nothing(op: Any) -> None:
    domains = compile_domains(Meal)
    spec = domains.spec("meal.people")
    deliberation = Deliberation(domains, Said(0, "2", NOW, None), State(), 1)
    proposed = change("meal.people", op, quote="2")
    deliberation.judge(Draft(proposed, Claim(op, spec, UNSET, "2"), Evidence("meant")))
    (event,) = deliberation.events
    assert (event.kind, deliberation.state) == ("rejected", State())


def test_a_yes_about_a_boolean_confirms_only_a_yes() -> None:
    chat = chat_with()
    chat.set("meal.hot", False)
    chat.assistant("Hot?", asks=["meal.hot"])
    assert said(chat, "yes") == [], "it would be a new answer, and that is for an extractor to read"
    chat.set("meal.hot", True)
    chat.assistant("Hot, right?", asks=["meal.hot"])
    assert said(chat, "yes") == [("confirmed", None)]
    chat.assistant("Hot, right?", asks=["meal.hot"])
    assert said(chat, "no") == []


@pytest.mark.parametrize(
    "text",
    ["Town: Rome. Not Oslo.", "The city is Rome! Not Oslo.", "城市：罗马。Not Oslo.", "city, not Oslo", "Not Oslo."],
)
def test_a_slot_that_is_named_in_a_clause_before_does_not_hide_a_negation(text: str) -> None:
    class Place(BaseModel):
        """Somewhere."""

        city: str | None = None

    quote = text[-9:] if text.endswith(".") else text[-8:]
    extractor = ScriptedExtractor([[change("place.city", "exclude", "Oslo", quote)]])
    chat = Tracker(Place, extractor=extractor).open("s")
    chat.set("place.city", "Oslo", confirmed=True)
    chat.user(text)
    city = chat.state["place"]["city"]
    assert (city.status, city.excluded) == ("empty", ["Oslo"])


def test_a_slot_whose_name_is_the_negation_takes_what_follows() -> None:
    class Diet(BaseModel):
        """What somebody eats."""

        avoid: str | None = None

    extractor = ScriptedExtractor([[change("diet.avoid", "set", "nuts", "avoid nuts")]])
    chat = Tracker(Diet, extractor=extractor).open("s")
    chat.user("I avoid nuts.")
    assert chat.state["diet"]["avoid"].value == "nuts"


@pytest.mark.parametrize(
    "proposed", [("clear", UNSET), ("set", "Rome"), ("exclude", "Oslo"), ("undo", UNSET)], ids=lambda one: str(one[0])
)
def test_what_goes_stale_in_a_turn_is_not_lost_to_what_is_only_meant_in_it(proposed: tuple[Any, Any]) -> None:
    class Place(BaseModel):
        """Somewhere."""

        city: Annotated[str | None, Slot(ttl=timedelta(hours=1))] = None

    op, value = proposed
    now = [datetime(2026, 3, 2, 9, tzinfo=UTC)]
    scripted = change("place.city", op, value, "As ever")
    extractor = ScriptedExtractor([[scripted], [scripted]])
    chat = Tracker(Place, extractor=extractor, clock=lambda: now[0]).open("s")
    chat.set("place.city", "Bergen")
    chat.set("place.city", "Oslo", confirmed=True)
    now[0] += timedelta(hours=2)
    chat.user("As ever.")
    city = chat.state["place"]["city"]
    assert (city.value, city.status) == ("Oslo", "filled")
    assert city.pending is not None
    assert city.pending.why == "conflict"


def test_a_yes_about_an_item_that_might_have_been_ruled_out_keeps_the_whole_list() -> None:
    chat = chat_with([change("meal.toppings", "exclude", "nuts", "As ever")], [])
    chat.set("meal.toppings", ["nuts", "figs"], confirmed=True)
    assert said(chat, "As ever.") == [("pending", "does_not_follow")]
    chat.assistant("With nuts?", asks="meal.toppings")
    chat.user("Yes please.")
    kept = chat.state["meal"]["toppings"]
    assert (kept.value, kept.status, kept.pending) == (["nuts", "figs"], "confirmed", None)


def test_a_negated_item_is_removed_as_said() -> None:
    chat = chat_with([change("meal.toppings", "remove", ["nuts"], "no nuts")])
    chat.set("meal.toppings", ["nuts", "figs"], confirmed=True)
    chat.user("no nuts")
    assert chat.state["meal"]["toppings"].value == ["figs"]
