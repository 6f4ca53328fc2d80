"""Conversations that live on while their schema changes."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from slotstate import DONTCARE, Budget, Incomplete, NotHeld, Slot, UnknownPath
from slotstate.events import Filled, Reset
from slotstate.evolution import KeptAside
from slotstate.testing import change
from tests.evolution.worlds import NOW, World, aside, domain, held


class Address(BaseModel):
    street: str
    zip: str = ""


class NewAddress(BaseModel):
    street: str
    postcode: Annotated[str, Slot(was="zip")] = ""


class Short(BaseModel):
    street: str


OLD = domain(
    city=(Annotated[str, Slot(ask="Where to?", confirm="explicit")], ...),
    people=Annotated[str, Slot(ask="How many?")],
    seat=Literal["second", "first", "couch"],
    color=str,
    avoid=list[str],
    home=Address,
)


def _told(script: list[Any] | None = None) -> World:
    world = World()
    chat = world.open(OLD, script=script or [])
    chat.set("trip.city", "Oslo", confirmed=True)
    chat.set("trip.people", "four")
    chat.set("trip.people", "hordes")
    chat.set("trip.seat", "couch")
    chat.set("trip.color", "red")
    chat.set("trip.avoid", ["Ryanair", "Vueling"])
    chat.set("trip.home", {"street": "High St", "zip": "80331"})
    return world


# Renamed


def test_a_renamed_slot_moves_with_its_status_and_past() -> None:
    world = World()
    chat = world.open(OLD)
    chat.set("trip.city", "Bergen")
    chat.set("trip.city", "Oslo", confirmed=True)
    new = world.open(domain(destination=Annotated[str, Slot(was=["town", "city"], confirm="explicit")]))
    assert held(new) == {"trip.destination": ("Oslo", "confirmed")}
    assert not new.aside
    assert [entry.event.path for entry in new.why("trip.destination")] == ["trip.destination"] * 2  # type: ignore[union-attr]
    assert not new.missing("trip")
    new.undo("trip.destination")
    assert held(new) == {"trip.destination": ("Bergen", "filled")}
    assert held(world.open(domain(destination=Annotated[str, Slot(was="city")]))) == held(new)


def test_a_chain_of_names_is_followed_by_listing_them_all() -> None:
    world = World()
    world.open(domain(a=str)).set("trip.a", "x")
    second = world.open(domain(b=Annotated[str, Slot(was="a")]))
    second.set("trip.b", "y")
    third = world.open(domain(c=Annotated[str, Slot(was=["b", "a"])]))
    assert held(third) == {"trip.c": ("y", "filled")}
    third.undo("trip.c")
    assert held(third) == {"trip.c": ("x", "filled")}


def test_a_domain_is_renamed_slot_by_slot() -> None:
    world = _told()
    journey = domain(
        "Journey", city=Annotated[str, Slot(was="trip.city")], color=Annotated[str, Slot(was="trip.color")]
    )
    new = world.open(journey)
    assert held(new) == {"journey.city": ("Oslo", "confirmed"), "journey.color": ("red", "filled")}
    assert set(aside(new)) == {"trip.people", "trip.seat", "trip.avoid", "trip.home"}


def test_a_reset_under_the_old_name_was_one_of_what_moved() -> None:
    world = _told()
    world.open(OLD).reset("trip")
    stay = domain("Stay", color=Annotated[str, Slot(was="trip.color")])
    assert held(world.open(domain(city=str), stay)) == {}
    journey = domain("Journey", city=Annotated[str, Slot(was="trip.city")])
    new = world.open(journey)
    assert held(new) == {}
    assert [type(entry.event) for entry in new.why("journey.city")] == [Filled, Reset]
    new.undo("journey.city")
    assert held(new) == {"journey.city": ("Oslo", "confirmed")}


def test_a_reset_under_the_new_name_is_none_of_what_moved() -> None:
    world = _told()
    trip, stay = domain(city=str), domain("Stay", color=Annotated[str, Slot(was="trip.color")])
    new = world.open(trip, stay)
    new.reset("trip")
    assert held(new) == {"stay.color": ("red", "filled")}
    assert held(world.open(trip, stay)) == held(new)
    assert held(world.open(OLD)) == {"trip.color": ("red", "filled")}


def test_what_the_old_schema_wrote_while_the_new_one_ran_counts() -> None:
    world = World()
    old, new_schema = domain(city=str), domain(town=Annotated[str, Slot(was="city")])
    first, second = world.open(old), world.open(new_schema)
    first.set("trip.city", "Oslo")
    second.set("trip.town", "Bergen", confirmed=True)
    assert held(world.open(new_schema)) == {"trip.town": ("Bergen", "confirmed")}
    assert held(world.open(old)) == {"trip.city": ("Oslo", "filled")}
    assert aside(world.open(old)) == {"trip.town": "Bergen"}
    first.set("trip.city", "Rome")
    assert held(world.open(new_schema)) == {"trip.town": ("Rome", "filled")}
    second.undo("trip.town")
    assert held(second) == {"trip.town": ("Bergen", "confirmed")}
    assert held(world.open(new_schema)) == held(second)


# Removed


def test_a_removed_slot_is_kept_aside_and_in_nobodys_way() -> None:
    world = _told()
    new_schema = domain(city=(Annotated[str, Slot(confirm="explicit")], ...))
    new = world.open(new_schema)
    assert held(new) == {"trip.city": ("Oslo", "confirmed")}
    assert aside(new) == {
        "trip.people": "hordes",
        "trip.seat": "couch",
        "trip.color": "red",
        "trip.avoid": ["Ryanair", "Vueling"],
        "trip.home": {"street": "High St", "zip": "80331"},
    }
    report = next(one for one in new.aside if one.path == "trip.color")
    assert report == KeptAside(
        "trip.color", None, "red", False, "filled", "removed", "trip.color: no such slot any more", -1, None, "app"
    )
    assert not new.missing("trip")
    assert new.form(new_schema).model_dump() == {"city": "Oslo"}
    assert new.next_question() is None
    assert "red" not in str(new.prompt().messages)
    assert [entry.event.kind for entry in new.why("trip.color")] == ["filled"]
    with pytest.raises(UnknownPath):
        new.why("trip.colour")
    with pytest.raises(UnknownPath):
        new.set("trip.color", "blue")
    assert held(world.open(OLD)) == held(_told().open(OLD))


def test_undoing_the_last_step_passes_over_what_is_removed() -> None:
    world = _told()
    new = world.open(domain(city=str, color=str))
    new.undo()
    assert held(new) == {"trip.city": ("Oslo", "confirmed")}
    new.undo()
    assert held(new) == {}
    with pytest.raises(NotHeld, match="nothing to take back"):
        new.undo()
    assert set(aside(new)) == {"trip.people", "trip.seat", "trip.avoid", "trip.home"}


def test_a_reset_archives_what_is_removed_with_the_rest() -> None:
    world = _told()
    new = world.open(domain(city=str))
    new.reset("trip")
    assert not new.aside
    old = world.open(OLD)
    assert held(old) == {}
    old.undo("trip.color")
    assert held(old) == {"trip.color": ("red", "filled")}
    assert aside(world.open(domain(city=str))) == {"trip.color": "red"}


def test_it_is_told_what_it_was() -> None:
    world = World()
    chat = world.open(
        domain(seat=Annotated[str, Slot(dont_care=True)]), script=[[change("trip.seat", "set", "aisle", "aisle")]]
    )
    chat.user("aisle please")
    (one,) = world.open(domain(city=str)).aside
    assert (one.turn, one.quote, one.source, one.value) == (0, "aisle", "user", "aisle")
    chat.set("trip.seat", DONTCARE)
    (one,) = world.open(domain(city=str)).aside
    assert (one.value, one.status) == ("dontcare", "filled")


# Other types


def test_a_value_is_converted_and_keeps_its_status() -> None:
    world = World()
    chat = world.open(domain(people=str, day=str, seat=str, city=str, avoid=str))
    chat.set("trip.people", "4", confirmed=True)
    chat.set("trip.day", "tomorrow")
    chat.set("trip.seat", "second class")
    chat.set("trip.city", "Oslo")
    chat.set("trip.avoid", "Ryanair")
    new_schema = domain(
        people=(int, ...),
        day=date,
        seat=Annotated[Literal["second", "first"], Slot(aliases={"second": ["second class"]})],
        city=list[str],
        avoid=list[str],
    )
    new = world.open(new_schema)
    assert held(new) == {
        "trip.people": (4, "confirmed"),
        "trip.day": (date(2026, 12, 1), "filled"),
        "trip.seat": ("second", "filled"),
        "trip.city": (["Oslo"], "filled"),
        "trip.avoid": (["Ryanair"], "filled"),
    }
    assert not new.aside
    assert new.form(new_schema).people == 4  # type: ignore[attr-defined]
    new.set("trip.people", 5)
    new.undo("trip.people")
    assert held(new)["trip.people"] == (4, "confirmed")
    assert held(world.open(domain(people=str)))["trip.people"] == ("4", "confirmed")


NEW = domain(
    city=(Annotated[str, Slot(ask="Where to?", confirm="explicit")], ...),
    people=(Annotated[int, Slot(ask="How many?")], ...),
    seat=Literal["second", "first"],
    color=str,
    avoid=list[str],
    home=NewAddress,
)


def test_what_does_not_fit_is_set_aside_and_asked_for_again() -> None:
    world = _told()
    new = world.open(NEW)
    assert held(new) == {
        "trip.city": ("Oslo", "confirmed"),
        "trip.color": ("red", "filled"),
        "trip.avoid": (["Ryanair", "Vueling"], "filled"),
        "trip.home": ({"street": "High St", "postcode": "80331"}, "filled"),
    }
    people, seat = new.aside
    assert (people.path, people.now, people.value, people.status, people.part, people.why) == (
        "trip.people",
        "trip.people",
        "hordes",
        "filled",
        False,
        "does_not_fit",
    )
    assert (seat.value, seat.detail) == ("couch", "trip.seat: no such option")
    assert [(item.path, item.reason) for item in new.missing("trip")] == [("trip.people", "empty")]
    assert new.next_question().text == "How many?"  # type: ignore[union-attr]
    with pytest.raises(Incomplete):
        new.form(NEW)
    assert "hordes" not in str(new.prompt().messages)
    view = new.state["trip"]["people"]
    assert (view.value, view.status, view.quote, view.turn, view.source) == (None, "empty", None, None, None)
    new.set("trip.people", 3)
    assert new.form(NEW).people == 3  # type: ignore[attr-defined]
    assert aside(new) == {"trip.seat": "couch"}
    assert held(world.open(OLD))["trip.people"] == ("3", "filled")


def test_back_under_the_old_schema_nothing_has_happened() -> None:
    world = _told()
    before = held(world.open(OLD))
    new = world.open(NEW)
    new.assistant("How many of you?", asks=["trip.people"])
    new.user("hm")
    assert held(world.open(OLD)) == before
    assert not world.open(OLD).aside


def test_undo_does_not_go_where_nothing_fits() -> None:
    world = _told()
    new = world.open(NEW)
    new.set("trip.people", 3)
    with pytest.raises(NotHeld, match=r"what trip\.people held before does not fit.*set it, or clear it") as told:
        new.undo("trip.people")
    assert "hordes" not in str(told.value)
    assert held(new)["trip.people"] == (3, "filled")
    with pytest.raises(NotHeld, match=r"trip\.seat held before does not fit"):
        new.undo("trip.seat")
    assert aside(new)["trip.seat"] == "couch"


def test_the_users_undo_does_neither() -> None:
    world = _told()
    new = world.open(NEW, script=[[change("trip.seat", "undo", None, "undo that")]])
    turn = new.user("undo that")
    assert [(one.outcome, one.detail) for one in turn.changes] == [
        ("unchanged", "what it held before does not fit the slot any more")
    ]
    assert aside(new)["trip.seat"] == "couch"


def test_undo_goes_back_to_what_can_be_converted() -> None:
    world = World()
    chat = world.open(domain(people=str))
    chat.set("trip.people", "four")
    chat.set("trip.people", "5")
    new = world.open(domain(people=int))
    new.undo("trip.people")
    assert held(new) == {"trip.people": (4, "filled")}
    assert held(world.open(domain(people=str))) == {"trip.people": ("four", "filled")}


def test_the_applications_clear_ends_what_is_aside() -> None:
    world = _told()
    new = world.open(NEW)
    new.clear("trip.seat")
    assert set(aside(new)) == {"trip.people"}
    assert "trip.seat" not in held(world.open(OLD))
    new.clear("trip.seat")
    new.undo("trip.seat")
    assert set(aside(new)) == {"trip.people", "trip.seat"}
    new.clear("trip.home.street")
    assert new.state["trip"]["home"].value == {"postcode": "80331"}


def test_clearing_a_field_of_what_is_aside_changes_nothing() -> None:
    world = World()
    world.open(domain(home=str)).set("trip.home", "here")
    new = world.open(domain(home=Address))
    new.clear("trip.home.zip")
    assert aside(new) == {"trip.home": "here"}


@pytest.mark.parametrize("confirmed", [True, False])
def test_a_refusal_under_the_new_schema_takes_nothing_away(confirmed: bool) -> None:
    world = World()
    world.open(OLD).set("trip.people", "hordes", confirmed=confirmed)
    new = world.open(NEW, script=[[change("trip.people", "deny", None, "no")]])
    new.assistant("Two of you?", offers={"trip.people": 2})
    new.user("no")
    assert aside(new) == {"trip.people": "hordes"}
    assert held(world.open(OLD)) == {"trip.people": ("hordes", "filled")}
    old = world.open(OLD)
    old.confirm("trip.people")
    (one,) = world.open(NEW).aside
    assert (one.value, one.status) == ("hordes", "confirmed")


def test_no_preference_needs_a_slot_that_takes_it() -> None:
    world = World()
    with_any = domain(seat=Annotated[str, Slot(dont_care=True)])
    world.open(with_any).set("trip.seat", DONTCARE)
    new = world.open(domain(seat=str))
    assert held(new) == {}
    (one,) = new.aside
    assert (one.value, one.why, one.detail) == (
        "dontcare",
        "does_not_fit",
        "trip.seat: no preference is no answer any more",
    )
    assert held(world.open(with_any)) == {"trip.seat": ("dontcare", "filled")}


def test_limits_count_and_are_no_question_of_the_clock() -> None:
    world = World()
    world.open(domain(people=int)).set("trip.people", 9)
    assert aside(world.open(domain(people=Annotated[int, Field(le=6)]))) == {"trip.people": 9}
    assert held(world.open(domain(people=Annotated[int, Field(le=12)]))) == {"trip.people": (9, "filled")}


# Parts


def test_a_field_that_is_gone_is_kept_aside_and_written_along() -> None:
    world = _told()
    short = domain(home=Short)
    new = world.open(short)
    assert new.state["trip"]["home"].value == {"street": "High St"}
    (report,) = [one for one in new.aside if one.path == "trip.home"]
    assert (report.part, report.value, report.now) == (True, {"zip": "80331"}, "trip.home")
    assert report.detail == "trip.home.zip: no such field any more"
    new.set("trip.home.street", "Low St")
    assert new.state["trip"]["home"].value == {"street": "Low St"}
    assert aside(new)["trip.home"] == {"zip": "80331"}
    assert world.open(OLD).state["trip"]["home"].value == {"street": "Low St", "zip": "80331"}
    new.confirm("trip.home")
    assert (new.state["trip"]["home"].status, new.state["trip"]["home"].value) == ("confirmed", {"street": "Low St"})
    assert world.open(OLD).state["trip"]["home"].status == "confirmed"
    new.undo("trip.home")
    new.undo("trip.home")
    assert new.state["trip"]["home"].value == {"street": "High St"}
    new.clear("trip.home")
    assert "trip.home" not in aside(new)


def test_an_item_that_is_no_option_any_more_is_kept_beside_the_others() -> None:
    world = World()
    old, new_schema = domain(avoid=list[Literal["a", "b", "c"]]), domain(avoid=list[Literal["a", "c"]])
    chat = world.open(old)
    chat.set("trip.avoid", ["a", "b"], confirmed=True)
    new = world.open(
        new_schema,
        script=[[change("trip.avoid", "add", "c", "c")], [change("trip.avoid", "set", ["c"], "only c")]],
    )
    assert held(new) == {"trip.avoid": (["a"], "confirmed")}
    assert aside(new) == {"trip.avoid": ["b"]}
    new.user("and c")
    assert held(new) == {"trip.avoid": (["a", "c"], "filled")}
    assert held(world.open(old)) == {"trip.avoid": (["a", "c", "b"], "filled")}
    new.user("only c")
    assert held(world.open(old)) == held(new) == {"trip.avoid": (["c"], "filled")}


# What is said of slots beside what they hold


def test_offers_asks_and_requests_follow_their_slots() -> None:
    world = World()
    old = world.open(domain(city=str, color=str, people=str))
    old.assistant(
        "Oslo, in red, for hordes?",
        asks=["trip.city", "trip.color"],
        offers={"trip.city": "Oslo", "trip.color": "red", "trip.people": ["hordes", "4"]},
    )
    new_schema = domain(town=Annotated[str, Slot(was="city")], people=int)
    new = world.open(new_schema)
    views = new.state["trip"]
    assert [offer.value for offer in views["town"].offers] == ["Oslo"]
    assert [offer.value for offer in views["people"].offers] == [4]
    new.user("yes")
    assert "trip.town" in held(new)
    assert not new.aside


def test_what_is_ruled_out_and_what_waits_is_converted_or_left_out() -> None:
    world = World()
    old = world.open(
        domain(seat=str, people=str, avoid=list[str]),
        script=[
            [
                change("trip.seat", "exclude", "first", "not first"),
                change("trip.seat", "exclude", "couch", "nor couch"),
                change("trip.avoid", "exclude", "Ryanair", "Ryanair"),
            ],
            [change("trip.people", "set", "4", "4"), change("trip.people", "set", "hordes", "hordes")],
        ],
    )
    old.user("not first nor couch, never Ryanair")
    old.user("4 or hordes")
    pending = old.state["trip"]["people"].pending
    assert pending is not None
    assert pending.values == ["4", "hordes"]
    new = world.open(domain(seat=Literal["second", "first"], people=int, avoid=list[Literal["Ryanair"]]))
    views = new.state["trip"]
    assert views["seat"].excluded == ["first"]
    assert views["avoid"].excluded == ["Ryanair"]
    assert views["people"].pending is not None
    assert views["people"].pending.values == [4]
    assert world.open(domain(people=list[int])).state["trip"]["people"].pending.values == [4]  # type: ignore[union-attr]
    nothing = world.open(domain(people=Annotated[date, Slot(ask="When?")]))
    assert nothing.state["trip"]["people"].pending.values == []  # type: ignore[union-attr]
    assert nothing.next_question("trip").text == "When?"  # type: ignore[union-attr]


def test_no_preference_that_waits_needs_a_slot_that_takes_it() -> None:
    world = World()
    with_any = domain(seat=Annotated[str, Slot(dont_care=True)])
    world.open(with_any).set("trip.seat", "window", confirmed=True)
    chat = world.open(with_any, script=[[change("trip.seat", "set", DONTCARE, "whatever you like best")]])
    chat.user("I take whatever you like best")
    pending = chat.state["trip"]["seat"].pending
    assert pending is not None
    assert pending.values == ["dontcare"]
    other = world.open(domain(seat=str)).state["trip"]["seat"].pending
    assert other is not None
    assert other.values == []
    assert (
        world.open(domain(seat=Annotated[str, Slot(dont_care=True, ask="?")])).state["trip"]["seat"].pending == pending
    )


def test_a_time_to_live_runs_on() -> None:
    world = World()
    world.open(domain(city=str)).set("trip.city", "Oslo", confirmed=True)
    late = domain(town=Annotated[str, Slot(was="city", ttl=timedelta(0))])
    chat = world.open(late, script=[[]], at=NOW + timedelta(hours=1))
    chat.user("hello")
    assert chat.state["trip"]["town"].pending.why == "stale"  # type: ignore[union-attr]
    assert held(world.open(domain(town=Annotated[int, Slot(was="city")]))) == {}
    (one,) = world.open(domain(town=Annotated[int, Slot(was="city")])).aside
    assert (one.path, one.now, one.status) == ("trip.city", "trip.town", "filled")


def test_a_stored_turn_is_told_under_its_slots_present_name() -> None:
    world = World()
    old = world.open(domain(city=str), script=[[change("trip.city", "set", "Oslo", "Oslo")]])
    old.user("to Oslo", id="one")
    new = world.open(domain(town=Annotated[str, Slot(was="city")]))
    turn = new.user("to Oslo", id="one")
    assert [(one.path, one.value) for one in turn.changes] == [("trip.town", "Oslo")]


def test_prompts_begin_anew_under_another_schema() -> None:
    world = World()
    budget = Budget(6_000, profile="anthropic")
    old = world.open(domain(city=str, people=str), budget=budget)
    old.set("trip.people", "hordes")
    for at in range(30):
        old.user(f"{at} " + "words to fill the prompt, " * 20)
        old.assistant("I see. " * 20)
    first = old.prompt()
    assert "hordes" in str(first.messages)
    old.set("trip.city", "Oslo")
    new = world.open(domain(town=Annotated[str, Slot(was="city")], people=int), budget=budget)
    prompt = new.prompt()
    assert prompt.cache is not None
    assert prompt.cache["epoch_reason"] == "schema"
    assert "hordes" not in str(prompt.messages)
    assert "trip.town" in str(prompt.messages)
    assert new.prompt().cache["epoch"] == prompt.cache["epoch"]  # type: ignore[index]
    old.set("trip.people", "few")  # a worker of the old schema goes on: no note here
    new.user("hello")
    assert "few" not in str(new.prompt().messages)
    new.reset("trip")
    assert "Oslo" not in str(new.prompt().messages).split("<slots>")[1].split("</slots>")[0]


def test_a_summary_speaks_of_slots_by_their_present_names() -> None:
    world = World()
    old = world.open(domain(city=str, color=str), script=[[change("trip.city", "set", "Oslo", "Oslo")], *[[]] * 60])
    old.user("I must go to Oslo, but never by plane")
    for at in range(12):
        old.assistant("Noted. " * 10)
        old.user(f"I have to be there on day {at}, and cannot stay for long.")
    old.compact(Budget(700))
    new = world.open(domain(town=Annotated[str, Slot(was="city")]))
    assert {item.path for item in new.summary.items} <= {"trip.town", None}
    assert [item.text for item in new.summary.items] == [item.text for item in old.summary.items]
    version = old.summary.version
    old.rollback(0)
    old.rollback(version)
    again = world.open(domain(town=Annotated[str, Slot(was="city")]))
    assert [item.path for item in again.summary.items] == [item.path for item in new.summary.items]
