"""Snapshots of what is kept aside; those of another schema are not read."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from slotstate import Money, Slot, session
from slotstate.domains import compile_domains
from slotstate.evolution import reading_digest
from slotstate.snapshots import dump, load, schema_key
from tests.evolution.test_sessions import NEW, OLD, _told
from tests.evolution.worlds import World, aside, domain, held


def test_what_is_kept_aside_is_in_a_snapshot() -> None:
    chat = _told().open(domain(home=NEW.model_fields["home"].annotation, people=int, avoid=list[Literal["Ryanair"]]))
    state = chat._session.state
    loaded = load(dump("window", state, ()))
    assert loaded is not None
    assert loaded.state == state
    assert state.removed
    assert state.slot("trip.people").held.aside is not None
    assert state.slot("trip.avoid").held.aside is not None


def test_sessions_open_from_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "HEADS", 2)
    world = _told()
    before = held(world.open(OLD))
    new = world.open(NEW)
    new.set("trip.color", "blue")
    new.set("trip.color", "green")
    again = world.open(NEW)
    assert again._session.base > 0
    assert held(again) == held(new)
    assert aside(again) == aside(new) == {"trip.people": "lots", "trip.seat": "couch"} or aside(again) == aside(new)
    back = world.open(OLD)
    assert held(back) == {**before, "trip.color": ("green", "filled")}
    with pytest.raises(Exception, match="does not fit"):
        again.undo("trip.people")
    again.undo("trip.color")
    assert held(again)["trip.color"] == ("blue", "filled")
    assert [entry.event.path for entry in again.why("trip.color")] == ["trip.color"] * 4  # type: ignore[union-attr]


class A(BaseModel):
    x: str = ""


class B(BaseModel):
    y: Annotated[str, Slot(was="x")] = ""


class Euros(Money):
    currency: Literal["EUR"]  # pyright: ignore[reportIncompatibleVariableOverride]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (str, int),
        (str, Annotated[str, Slot(was="old")]),
        (str, Annotated[str, Slot(dont_care=True)]),
        (int, Annotated[int, Field(le=9)]),
        (Annotated[int, Field(le=8)], Annotated[int, Field(le=9)]),
        (Literal["a", "b"], Literal["a", "c"]),
        (Literal["a"], Annotated[Literal["a"], Slot(aliases={"a": ["x"]})]),
        (list[str], list[int]),
        (list[Literal["a"]], list[Literal["b"]]),
        (dict[str, str], dict[str, int]),
        (A, B),
        (Money, Euros),
        (Annotated[str, Field(pattern="a")], Annotated[str, Field(pattern="b")]),
    ],
)
def test_all_that_decides_how_a_log_is_read_is_in_the_key(one: Any, other: Any) -> None:
    first, same, second = (compile_domains(domain(slot=kind)) for kind in (one, one, other))
    for key in (reading_digest, schema_key):
        assert key(first) == key(same) != key(second)


def test_the_models_rules_for_texts_are_in_it() -> None:
    class Upper(BaseModel):
        model_config = {"str_to_upper": True}
        slot: str | None = None

    class Lower(BaseModel):
        slot: str | None = None

    keys = {reading_digest(compile_domains(compile_as(model))) for model in (Upper, Lower)}
    assert len(keys) == 2


def compile_as(model: type[BaseModel]) -> Any:
    from slotstate.domains import compile_domain

    return compile_domain(model, "trip")


def test_the_way_a_date_looks_is_in_it() -> None:
    from datetime import date

    ahead, back = (domain(day=Annotated[date, Slot(ask=ask)]) for ask in ("Which day?", "When were you born?"))
    assert reading_digest(compile_domains(ahead)) != reading_digest(compile_domains(back))


def test_a_world_without_the_schema_reads_the_whole_log() -> None:
    world = World()
    chat = world.open(domain(city=str))
    for at in range(40):
        chat.set("trip.city", f"city {at}")
    new = world.open(domain(town=Annotated[str, Slot(was="city")]))
    assert new._session.base == 0
    assert held(new) == {"trip.town": ("city 39", "filled")}
    for _ in range(39):
        new.undo("trip.town")
    assert held(world.open(domain(town=Annotated[str, Slot(was="city")]))) == {"trip.town": ("city 0", "filled")}
