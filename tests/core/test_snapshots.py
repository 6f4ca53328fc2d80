"""What snapshots hold, when they are used, and what becomes of a session whose log is not what it was."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, create_model

from slotstate import Chat, InputError, NotHeld, Slot, Tracker
from slotstate import session as sessions
from slotstate.domains import compile_domains
from slotstate.events import Item, Offer
from slotstate.log import Entry, Opened, Snapshot
from slotstate.session import HEADS
from slotstate.snapshots import FORMAT, PAST, Carried, Told, dump, load, schema_key
from slotstate.state import Heard, Held, Pending, SlotState, State, Summary
from slotstate.stores import MemoryStore
from slotstate.testing import ScriptedExtractor, change

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


class Trip(BaseModel):
    """Plan a trip."""

    city: str | None = None
    people: int | None = None
    card: Annotated[str | None, Slot(sensitive=True)] = None


def opened(store: Any, session: str = "s", script: Sequence[Any] = (), **options: Any) -> Chat:
    user = options.pop("user", None)
    tracker = Tracker(Trip, extractor=ScriptedExtractor(list(script)), store=store, clock=lambda: NOW, **options)
    return tracker.open(session, user=user)


def talked(store: MemoryStore, turns: int, session: str = "s") -> None:
    chat = opened(store, session)
    for at in range(turns):
        chat.set("trip.people", at + 1)
        chat.assistant(f"that makes {at + 1}", id=f"a{at}")


VALUE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
HELD = st.builds(
    Held,
    status=st.sampled_from(["empty", "filled", "confirmed"]),
    value=VALUE,
    dontcare=st.booleans(),
    raw=st.none() | st.text(),
    grade=st.none() | st.sampled_from(["said", "meant"]),
    source=st.none() | st.sampled_from(["user", "app"]),
    quote=st.none() | st.text(),
    span=st.none() | st.tuples(st.integers(0, 9), st.integers(0, 9)),
    turn=st.none() | st.integers(0, 99),
    excluded=st.lists(VALUE, max_size=2).map(tuple),
    step=st.integers(0, 99),
)
OFFER = st.builds(Offer, path=st.just("trip.city"), value=VALUE, turn=st.integers(0, 9))
SLOT = st.builds(
    SlotState,
    held=HELD,
    offers=st.lists(OFFER, max_size=2).map(tuple),
    pending=st.none()
    | st.builds(Pending, st.just("conflict"), st.lists(VALUE, max_size=2).map(tuple), st.text(), st.just(3)),
    history=st.lists(HELD, max_size=20).map(tuple),
    changed=st.integers(-1, 99),
    since=st.none() | st.datetimes(timezones=st.just(UTC)),
)
ITEM = st.builds(Item, ident=st.integers(1, 9), kind=st.just("fact"), text=st.text(), sources=st.just(("m1",)))
STATE = st.builds(
    State,
    slots=st.dictionaries(st.sampled_from(["trip.city", "trip.people"]), SLOT).map(MappingProxyType),
    turns=st.integers(0, 99),
    step=st.integers(0, 99),
    heard=st.none()
    | st.builds(Heard, st.integers(0, 9), st.text(), st.just(("trip.city",)), st.lists(OFFER, max_size=1).map(tuple)),
    user_turn=st.integers(-1, 99),
    resets=st.just(MappingProxyType({"trip": 4})),
    summary=st.builds(
        Summary, st.integers(0, 9), st.integers(0, 9), st.lists(ITEM, max_size=2).map(tuple), st.integers(0, 9)
    ),
)


@settings(max_examples=150)
@given(STATE, st.sampled_from(["head", "window"]), st.frozensets(st.just("trip.city")))
def test_a_state_comes_back_as_it_was_but_for_the_far_past(
    state: State, kind: Literal["head", "window"], cut: frozenset[str]
) -> None:
    back = load(dump(kind, state, cut))
    assert back is not None
    past = PAST if kind == "window" else 0
    long = {path for path, slot in state.slots.items() if len(slot.history) > past}
    assert back.cut == long | (cut & state.slots.keys())
    assert back.state.slots.keys() == state.slots.keys()
    for path, slot in back.state.slots.items():
        before = state.slot(path)
        assert replace(slot, history=()) == replace(before, history=())
        something = (Held(),) if path in back.cut else ()
        assert slot.history == ((before.history[-past:] if past else ()) or something)
    assert replace(back.state, slots={}) == replace(state, slots={})
    assert back.carried == Carried()


@settings(max_examples=100)
@given(
    st.lists(SLOT, min_size=1, max_size=3),
    st.lists(
        st.tuples(
            st.dictionaries(st.sampled_from(["trip.city", "trip.people", "trip.day"]), st.integers(0, 9)),
            st.sampled_from(["head", "window"]),
            *(st.frozensets(st.sampled_from(["trip.city", "trip.people"])) for _ in "cut whole secret".split()),
        ),
        max_size=5,
    ),
)
def test_what_was_told_before_changes_nothing(slots: list[SlotState], moments: list[Any]) -> None:
    """Slots come, go, change, become secret and are cut; each text is the one that is written from nothing."""
    told: Told = {}
    for chosen, kind, cut, whole, secret in moments:
        kept = MappingProxyType({path: slots[at % len(slots)] for path, at in chosen.items()})
        state = State(slots=kept, secret=secret)
        assert dump(kind, state, cut, whole=whole, told=told) == dump(kind, state, cut, whole=whole)


def test_the_past_of_what_is_masked_is_never_cut() -> None:
    """An extractor's prompt masks the assistant's words by it."""
    store = MemoryStore()
    for at in range(30):
        opened(store).set("trip.card", f"card {at}")
    for kind in ("head", "window"):
        back = load(dump(kind, opened(store)._session.state, (), whole={"trip.card"}))
        assert back is not None
        assert [held.value for held in back.state.slot("trip.card").history] == [
            None,
            *(f"card {n}" for n in range(29)),
        ]
    assert len(opened(store)._session.state.slot("trip.card").history) == 30


def test_containers_that_come_back_cannot_be_changed() -> None:
    slot = SlotState(held=Held("filled", ["a", {"b": 1}]))
    back = load(dump("head", State(slots=MappingProxyType({"trip.city": slot})), ()))
    assert back is not None
    with pytest.raises(TypeError, match="belongs to the log"):
        back.state.slot("trip.city").held.value.append("c")
    with pytest.raises(TypeError):
        back.state.slots["trip.city"] = slot  # type: ignore[index]


GOOD = dump("head", State(), ())


@pytest.mark.parametrize(
    "content",
    [
        "",
        "null",
        "[]",
        "{}",
        GOOD[:-5],
        GOOD.replace(f'"format":{FORMAT}', '"format":99'),
        GOOD.replace('"slots":{}', '"slots":{"a":{}}'),
    ],
)
def test_what_cannot_be_read_is_no_snapshot(content: str) -> None:
    assert load(content) is None


class Handing(MemoryStore):
    """Hands out a snapshot that it was given from outside."""

    def __init__(self, make: Any) -> None:
        super().__init__()
        self.make = make

    def open(self, session: str, schema: str) -> Opened:
        found = super().open(session, schema)
        assert found.snapshot is not None
        return replace(found, snapshot=self.make(found.snapshot))


@pytest.mark.parametrize(
    "make",
    [
        lambda one: replace(one, content="{}"),
        lambda one: replace(one, last="0" * 32),
        lambda one: replace(one, seq=one.seq - 1),
        lambda one: replace(one, seq=0),
    ],
)
def test_a_snapshot_of_another_log_is_not_used(make: Any) -> None:
    store = Handing(make)
    plain = MemoryStore()
    talked(plain, 40)
    store._tenants = plain._tenants
    chat = opened(store)
    assert chat.state["trip"]["people"].value == 40
    assert len(chat.entries) == 80


@pytest.mark.parametrize(("slots", "most"), [(1, 2 * HEADS), (12, 18), (40, HEADS)])
def test_a_session_is_opened_with_a_bounded_number_of_entries(slots: int, most: int) -> None:
    """Wherever it is left, and the fewer the more its snapshot holds."""
    read: list[int] = []

    class Counting(MemoryStore):
        def open(self, session: str, schema: str) -> Opened:
            found = super().open(session, schema)
            read.append(len(found.entries))
            return found

        def load(self, session: str, after: int = 0) -> Sequence[Entry]:
            found = super().load(session, after)
            read.append(len(found))
            return found

    store = Counting()
    model = create_model("Trip", **dict.fromkeys((f"slot{at}" for at in range(slots)), (int | None, None)))  # type: ignore[call-overload]
    tracker = Tracker(model, extractor=ScriptedExtractor([]), store=store, clock=lambda: NOW)
    chat = tracker.open("s")
    for at in range(300):
        chat.set(f"trip.slot{at % slots}", at)
        chat.assistant(f"that makes {at}", id=f"a{at}")
        if at > 200:
            assert tracker.open("s").state["trip"][f"slot{at % slots}"].value == at
    assert HEADS // 2 < max(read[-100:]) <= most + 2


def test_prompts_of_an_old_session_read_a_bounded_number_of_entries() -> None:
    counts = []
    for turns in (300, 900):
        read: list[int] = []

        class Counting(MemoryStore):
            def load(self, session: str, after: int = 0, read: list[int] = read) -> Sequence[Entry]:
                found = super().load(session, after)
                read.append(len(found))
                return found

        store = Counting()
        chat = opened(store)
        for at in range(turns):
            chat.user(f"words {at} and some more of them so that the window is full soon")
            chat.prompt(1_500)
            chat.assistant("fine")
        again = opened(store)
        read.clear()
        assert again.prompt(1_500).messages == chat.prompt(1_500).messages
        counts.append(max(read))
    assert counts[1] <= counts[0] * 1.3, counts


def test_another_schema_does_not_use_the_snapshot() -> None:
    class Other(BaseModel):
        people: Annotated[int | None, Slot(confirm="explicit")] = None

    class Narrow(BaseModel):
        people: Annotated[int | None, Field(le=9)] = None

    Other.__name__ = Narrow.__name__ = "Trip"
    keys = {schema_key(compile_domains(domain)) for domain in (Trip, Other, Narrow)}
    assert len(keys) == 3
    store = MemoryStore()
    talked(store, 40)
    assert Tracker(Other, store=store, clock=lambda: NOW).open("s").state["trip"]["people"].value == 40


def test_every_process_comes_to_the_same_schema_key() -> None:
    code = (
        "from slotstate.loading import load_domains; from slotstate.domains import compile_domains;"
        "from slotstate.snapshots import schema_key; print(schema_key(compile_domains(load_domains('travel'))))"
    )
    keys = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout for _ in "ab"
    }
    assert len(keys) == 1


def test_a_name_made_up_for_a_message_is_looked_for_in_what_is_not_in_memory() -> None:
    store = MemoryStore()
    chat = opened(store)
    chat.assistant("taken", id="turn-40")
    for _ in range(39):
        chat.assistant("words")
    assert opened(store)._session.message("turn-40") is None, "it is not in memory"
    opened(store).assistant("the next one")
    assert [one.id for one in opened(store).messages][-2:] == ["turn-39", "turn-40+"]


def test_a_message_delivered_again_is_found_though_it_is_not_in_memory() -> None:
    store = MemoryStore()
    script = [[change("trip.city", "set", "Oslo", "Oslo")]]
    first = opened(store, script=script).user("to Oslo", id="m1")
    talked(store, 40)
    again = opened(store, script=[RuntimeError("not to be asked")]).user("to Oslo", id="m1")
    assert again == first
    assert len(store.load("s")) == 3 + 80


def test_an_undo_goes_further_back_than_the_snapshot() -> None:
    store = MemoryStore()
    talked(store, 40)
    for left in range(39, 20, -1):
        opened(store).undo("trip.people")
        assert opened(store).state["trip"]["people"].value == left
    chat = opened(store)
    for _ in range(21):
        chat.undo("trip.people")
    assert chat.state["trip"]["people"].status == "empty"
    with pytest.raises(NotHeld):
        chat.undo("trip.people")


@pytest.mark.parametrize("turns", [0, 3, 40, 41])
def test_a_chat_whose_log_was_erased_goes_on_as_a_new_one(turns: int) -> None:
    store = MemoryStore()
    talked(store, 40)
    chat = opened(store)
    assert chat.state["trip"]["people"].value == 40
    assert store.forget(session="s").sessions == 1
    later = datetime(2026, 3, 3, tzinfo=UTC)
    other = Tracker(Trip, store=store, clock=lambda: later).open("s")
    for at in range(turns):
        other.set("trip.city", f"city {at}")
        other.assistant(f"and {at}", id=f"a{at}")
    chat.set("trip.card", "4929")
    log = store.load("s")
    assert [one.seq for one in log] == list(range(2 * turns + 1))
    assert chat.state["trip"]["people"].status == "empty", "nothing of the old log is left"
    assert chat.state["trip"]["city"].value == (f"city {turns - 1}" if turns else None)
    assert chat.entries == tuple(log)


def test_a_turn_that_was_being_read_when_its_session_was_erased_is_not_decided() -> None:
    store = MemoryStore()

    class Erasing(ScriptedExtractor):
        def extract(self, request: Any) -> Any:
            store.forget(session="s")
            return super().extract(request)

    extractor = Erasing([[change("trip.city", "set", "Oslo", "Oslo")]])
    chat = Tracker(Trip, extractor=extractor, store=store, clock=lambda: NOW).open("s")
    chat.user("to Oslo")
    assert store.load("s") == ()
    assert chat.state["trip"]["city"].status == "empty"


def test_a_session_is_one_users() -> None:
    store = MemoryStore()
    opened(store, user="ada").assistant("hello")
    assert opened(store).state["trip"]["city"].status == "empty"
    assert [(one.session, one.user) for one in store.sessions()] == [("s", "ada")]
    with pytest.raises(InputError, match="another user") as refused:
        opened(store, user="bob")
    assert "ada" not in str(refused.value)


def test_tenants_do_not_see_each_other() -> None:
    store = MemoryStore()
    for tenant, people in (("north", 2), ("south", 3)):
        opened(store, tenant=tenant).set("trip.people", people)
    assert opened(store, tenant="north").state["trip"]["people"].value == 2
    assert opened(store, tenant="south").state["trip"]["people"].value == 3
    assert opened(store).entries == ()


def test_snapshots_that_cannot_be_kept_do_not_stand_in_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "HEADS", 1)
    kept: list[Snapshot] = []

    class Losing(MemoryStore):
        def append(self, session: str, entries: Sequence[Entry], expected: int, **more: Any) -> None:
            kept.extend(more.pop("snapshots"))
            super().append(session, entries, expected, **more)

    store = Losing()
    talked(store, 10)
    assert len(kept) == 19
    assert opened(store).state["trip"]["people"].value == 10
