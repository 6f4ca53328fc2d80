"""Events as the present schema has them, one by one; and what is folded of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from slotstate import Slot
from slotstate.domains import compile_domains
from slotstate.events import (
    AnyEvent,
    AssistantTurn,
    Compacted,
    Confirmed,
    Decided,
    Denied,
    Emptied,
    Excluded,
    Extracted,
    Filled,
    Item,
    Offer,
    Offered,
    Overwritten,
    Pended,
    Rejected,
    Reset,
    Restated,
    RolledBack,
    Undone,
    UserTurn,
    dump_event,
)
from slotstate.evolution import Reader, completed, fit
from slotstate.log import Entry, fingerprint
from slotstate.state import State, apply
from slotstate.values import Reading
from tests.evolution.worlds import domain

AT = datetime(2026, 11, 30, 9, tzinfo=UTC)


class Address(BaseModel):
    street: str = ""
    floor: int = 0


class Stop(BaseModel):
    at: Address | None = None
    note: str = ""


DOMAINS = compile_domains(
    [
        domain(
            town=Annotated[str, Slot(was="city")],
            people=Annotated[int, Field(le=9)],
            avoid=list[Literal["a", "b"]],
            home=Address,
            stop=Stop,
            card=Annotated[int, Slot(was="pay.card")],
        )
    ]
)
READER = Reader(DOMAINS)


def decided(kind: type[Any], path: str, value: Any = None, **more: Any) -> Any:
    return kind(**{"turn": 0, "step": 1, "at": AT, "op": "set", "path": path, "value": value, **more})


def read(event: AnyEvent) -> Any:
    return READER.read(Entry(3, AT, event)).event


PLAIN: list[AnyEvent] = [
    UserTurn(turn=0, id="1", text="x", at=AT),
    AssistantTurn(turn=0, id="1", text="x"),
    AssistantTurn(turn=0, id="1", text="x", asks=("trip.town",), offers=(Offer(path="trip.people", value=2, turn=0),)),
    Extracted(turn=0, result="ok", requested=("trip.town",)),
    Offered(offer=Offer(path="trip.town", value="Oslo", turn=0)),
    decided(Filled, "trip.town", "Oslo"),
    decided(Overwritten, "trip.people", 3),
    decided(Filled, "trip.avoid", ["a"]),
    decided(Filled, "trip.stop", {"at": {"street": "x"}}),
    decided(Excluded, "trip.avoid", "a"),
    decided(Pended, "trip.people", why="conflict", values=(2, 3)),
    decided(Pended, "trip.avoid", why="conflict", values=(["a"], "b")),
    decided(Rejected, "trip.nothing", "x", reason="unknown_slot"),
    *(decided(kind, "trip.town") for kind in (Emptied, Denied, Restated)),
    decided(Undone, "trip.town", result="emptied"),
    Reset(turn=0, step=1, at=AT, domain="trip", slots=("trip.town",)),
    Reset(turn=0, step=1, at=AT, domain="trip", slots=None),
    Compacted(
        at=AT,
        version=1,
        trigger="window",
        model="m",
        since=0,
        covered=1,
        digest="d",
        add=(Item(ident=1, kind="fact", text="x", sources=("1",), path="trip.town"),),
    ),
    RolledBack(at=AT, version=2, to=0, covered=0),
]


@pytest.mark.parametrize("event", PLAIN, ids=lambda event: event.kind)
def test_what_is_of_the_present_schema_is_not_touched(event: AnyEvent) -> None:
    entry = Entry(3, AT, event)
    assert READER.read(entry) is entry


OTHER: list[AnyEvent] = [
    AssistantTurn(
        turn=0,
        id="1",
        text="x",
        asks=("trip.city", "trip.color"),
        offers=(
            Offer(path="trip.city", value="Oslo", turn=0),
            Offer(path="trip.people", value="two", turn=0),
            Offer(path="trip.people", value="some", turn=0),
            Offer(path="trip.color", value="red", turn=0),
        ),
    ),
    Extracted(turn=0, result="ok", requested=("trip.city", "trip.color")),
    Offered(offer=Offer(path="trip.city", value="Oslo", turn=0)),
    Offered(offer=Offer(path="trip.color", value="red", turn=0)),
    decided(Filled, "trip.city", "Oslo"),
    decided(Filled, "trip.color", "red"),
    decided(Filled, "trip.people", "two"),
    decided(Filled, "trip.people", "some"),
    decided(Filled, "trip.people", dontcare=True),
    decided(Filled, "trip.avoid", ["a", "c"]),
    decided(Confirmed, "trip.people", "some"),
    decided(Excluded, "trip.people", "some"),
    decided(Excluded, "trip.color", "red"),
    decided(Excluded, "trip.avoid", "c"),
    decided(Pended, "trip.city", why="conflict", values=("Oslo",)),
    decided(Pended, "trip.color", why="conflict", values=("red",)),
    decided(Pended, "trip.people", why="conflict", values=("two", "some", "dontcare")),
    decided(Rejected, "trip.city", "x", reason="invalid_value"),
    decided(Denied, "trip.color"),
    decided(Undone, "trip.city", result="emptied"),
    Reset(turn=0, step=1, at=AT, domain="trip", slots=("trip.city", "trip.town")),
    Reset(turn=0, step=1, at=AT, domain="pay", slots=None),
    Compacted(
        at=AT,
        version=1,
        trigger="window",
        model="m",
        since=0,
        covered=1,
        digest="d",
        amend=tuple(
            Item(ident=at, kind="fact", text="x", sources=("1",), path=path)
            for at, path in enumerate(["trip.city", "trip.color", None])
        ),
    ),
    RolledBack(
        at=AT,
        version=2,
        to=0,
        covered=0,
        items=(Item(ident=1, kind="fact", text="x", sources=("1",), path="trip.city"),),
    ),
]


@pytest.mark.parametrize("event", OTHER, ids=lambda event: event.kind)
def test_reading_is_done_once_and_changes_nothing_that_is_kept(event: AnyEvent) -> None:
    logged = Entry(3, AT, event)
    told = dump_event(event)
    entry = READER.read(logged)
    assert entry is not logged
    assert entry.event != event
    assert entry.logged is event
    assert fingerprint(entry) == fingerprint(logged)
    assert dump_event(event) == told
    assert READER.read(entry) is entry


def test_a_summary_speaks_of_present_slots() -> None:
    compacted, rolled_back = (read(event) for event in OTHER[-2:])
    assert [item.path for item in compacted.amend] == ["trip.town", None, None]
    assert [item.path for item in rolled_back.items] == ["trip.town"]


def test_what_is_asked_for_and_about_has_present_names() -> None:
    spoken = read(OTHER[0])
    assert spoken.asks == ("trip.town",)
    assert [(offer.path, offer.value, offer.fits) for offer in spoken.offers] == [
        ("trip.town", "Oslo", True),
        ("trip.people", 2, True),
        ("trip.people", "some", False),
        ("trip.color", "red", False),
    ]
    state = apply(State(), spoken)
    assert state.heard is not None
    assert [offer.value for offer in state.heard.offers] == ["Oslo", 2]
    assert set(state.slots) == {"trip.town", "trip.people"}
    assert read(OTHER[1]).requested == ("trip.town", "trip.color")


def test_a_reset_names_present_slots() -> None:
    assert read(OTHER[20]).slots == ("trip.town",)
    paid = read(OTHER[21])
    assert (paid.domain, paid.moved) == ("trip", ("trip.card",))


def _state(*events: AnyEvent) -> State:
    state = State()
    for step, event in enumerate(events, 1):
        more = {"step": step} if isinstance(event, Decided) else {}
        state = apply(state, read(event.model_copy(update=more)))
    return state


def test_a_confirmed_value_is_the_one_that_was_confirmed() -> None:
    """A worker that knows the slot by another name confirmed what it held there."""
    state = _state(decided(Filled, "trip.town", "Rome"), decided(Confirmed, "trip.city", "Oslo"))
    held = state.slot("trip.town").held
    assert (held.value, held.status) == ("Oslo", "confirmed")
    again = _state(decided(Filled, "trip.town", "Rome"), decided(Confirmed, "trip.town"))
    assert (again.slot("trip.town").held.value, again.slot("trip.town").held.status) == ("Rome", "confirmed")


def test_also_where_it_does_not_fit() -> None:
    state = _state(decided(Filled, "trip.card", 4), decided(Confirmed, "pay.card", "the red one"))
    held = state.slot("trip.card").held
    assert (held.value, held.status) == (None, "empty")
    assert held.aside is not None
    assert (held.aside.path, held.aside.held.value, held.aside.held.status) == ("pay.card", "the red one", "confirmed")
    gone = _state(decided(Filled, "trip.color", "red"), decided(Confirmed, "trip.color", "blue"))
    assert gone.removed["trip.color"].held.value == "blue"


def test_emptying_what_is_aside_rules_nothing_out() -> None:
    state = _state(decided(Filled, "trip.people", "some"), decided(Emptied, "trip.people", "some", excludes=True))
    assert state.slot("trip.people").held.excluded == ()
    assert len(state.slot("trip.people").history) == 2
    state = _state(decided(Filled, "trip.avoid", "a"), decided(Emptied, "trip.avoid", "a", excludes=True))
    assert state.slot("trip.avoid").held.excluded == ("a",)


def test_a_stale_value_that_is_aside_ages_like_any_other() -> None:
    state = _state(
        decided(Filled, "trip.people", "some", confirmed=True), decided(Pended, "trip.people", why="stale", op="expire")
    )
    slot = state.slot("trip.people")
    assert slot.held.aside is not None
    assert slot.held.aside.held.status == "filled"
    assert slot.pending is not None


# Writing along


def _along(before: AnyEvent, *events: Any) -> list[Any]:
    written = completed(_state(before), events)
    assert len(written) == len(events)
    return [event.value for event in written]


PART = decided(Filled, "trip.stop", {"at": {"street": "x", "zip": "1"}, "note": "n", "code": 7})


@pytest.mark.parametrize(
    ("op", "value", "expected"),
    [
        ("set", {"at": {"street": "y"}, "note": "n"}, {"at": {"street": "y", "zip": "1"}, "note": "n", "code": 7}),
        ("set", {"note": "m"}, {"note": "m"}),
        ("clear", {"note": "n"}, {"at": {"zip": "1"}, "note": "n", "code": 7}),
        ("set", None, None),
    ],
)
def test_fields_are_written_along(op: Any, value: Any, expected: Any) -> None:
    assert _along(PART, decided(Overwritten, "trip.stop", value, op=op)) == [expected]


def test_twice_in_a_turn_as_well_but_not_once_it_is_gone() -> None:
    one = decided(Overwritten, "trip.stop", {"at": {"street": "y"}, "note": "n"})
    filled = decided(Filled, "trip.stop", {"note": "m"})
    first, second = _along(PART, one, one)
    assert first == second == {"at": {"street": "y", "zip": "1"}, "note": "n", "code": 7}
    assert _along(PART, decided(Emptied, "trip.stop"), filled, one)[2] == one.value
    other = decided(Overwritten, "trip.town", "Oslo")
    assert _along(PART, other, one)[0] == "Oslo"


def test_a_field_that_holds_something_again_replaces_what_was_left() -> None:
    before = decided(Filled, "trip.home", {"street": "x", "floor": "attic", "zip": "1"})
    new = decided(Overwritten, "trip.home", {"street": "x", "floor": 3})
    assert _along(before, new) == [{"street": "x", "floor": 3, "zip": "1"}]


def test_no_preference_replaces_all_of_it() -> None:
    assert _along(PART, decided(Overwritten, "trip.stop", dontcare=True)) == [None]


def test_what_is_left_of_an_object_in_a_list_is_no_object() -> None:
    domains = compile_domains(domain(stops=list[Address]))
    logged = decided(Filled, "trip.stops", [{"street": "x", "zip": "1"}])
    state = apply(State(), Reader(domains).read(Entry(0, AT, logged)).event)
    new = decided(Overwritten, "trip.stops", [{"street": "x"}, {"street": "y"}], op="add", step=2)
    assert [event.value for event in completed(state, [new])] == [[{"street": "x"}, {"street": "y"}]]


def test_a_pattern_that_only_python_reads_is_one() -> None:
    class Trip(BaseModel):
        model_config = {"regex_engine": "python-re"}
        code: Annotated[str, Field(pattern=r"^(?!X)\w+$")] = ""

    spec = compile_domains(Trip).specs["trip.code"]
    assert fit(spec, "AB", Reading(AT)).value == "AB"
    assert fit(spec, "XB", Reading(AT)).why
