"""What was sensitive stays masked, whatever becomes of its slot."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from slotstate import Chat, Slot, session
from slotstate.cli.options import make_secrets
from slotstate.contract import MASK
from slotstate.domains import compile_domains
from slotstate.masking import Secrets
from slotstate.testing import change
from tests.evolution.worlds import NOW, World, aside, domain

SECRET = Slot(sensitive=True, share="id")
OLD = domain(city=str, passport=Annotated[str, SECRET], color=str)
WORDS = "My passport is C01X00T47, the red one"
SCRIPT = [[change("trip.passport", "set", "C01X00T47", "C01X00T47"), change("trip.color", "set", "red", "red")]]


def _told() -> World:
    world = World()
    chat = world.open(OLD, script=SCRIPT)
    chat.user(WORDS)
    assert MASK in _shown(chat)
    return world


def _shown(chat: Chat) -> str:
    return str(chat.prompt().messages)


@pytest.mark.parametrize(
    "new",
    [
        domain(city=str),
        domain(city=str, document=Annotated[str, Slot(sensitive=True, was="passport")]),
        domain(city=str, passport=Annotated[int, SECRET]),
        domain(city=str, passport=Annotated[list[str], SECRET]),
    ],
    ids=["removed", "renamed", "does not fit", "converted"],
)
def test_it_is_masked_in_every_text(new: Any) -> None:
    world = _told()
    chat = world.open(new)
    assert "C01X00T47" not in _shown(chat)
    assert MASK in _shown(chat)
    assert "red one" in _shown(chat)
    assert "C01X00T47" not in chat.recall("turn-0")
    assert "C01X00T47" in str(chat.prompt(reveal=True).messages)
    secrets = Secrets(chat.domains, chat.entries, now=NOW)
    assert "C01X00T47" not in secrets.mask(WORDS)
    assert "C01X00T47" in Secrets(chat.domains, chat.entries, now=NOW, reveal=True).mask(WORDS)


def test_what_no_schema_speaks_of_any_more_is_as_secret_as_it_was() -> None:
    world = _told()
    chat = world.open(domain(city=str))
    assert aside(chat) == {"trip.passport": "C01X00T47", "trip.color": "red"}
    secrets = make_secrets(chat._tracker, chat, reveal=False)
    assert secrets.hides("trip.passport")
    assert not secrets.hides("trip.color")
    assert not secrets.hides("trip.other")


def test_so_is_what_was_offered_for_it() -> None:
    world = World()
    old = world.open(OLD)
    old.assistant("Is it still C01X00T47?", offers={"trip.passport": "C01X00T47"})
    old.user("hm")
    assert "C01X00T47" not in _shown(world.open(domain(city=str)))
    assert "C01X00T47" not in _shown(world.open(domain(city=str, passport=Annotated[int, SECRET])))


def test_and_what_another_domain_shared() -> None:
    world = World()
    stay = domain("Stay", guest=Annotated[str, SECRET])
    old = world.open(OLD, stay, script=SCRIPT)
    old.user(WORDS)
    assert [offer.value for offer in old.state["stay"]["guest"].offers] == ["C01X00T47"]
    for schema in (domain(city=str), domain("Stay", guest=Annotated[int, SECRET])):
        chat = world.open(schema)
        assert "C01X00T47" not in _shown(chat)


def test_what_is_sensitive_from_now_on_is_masked_from_the_beginning() -> None:
    world = _told()
    chat = world.open(domain(city=str, shade=Annotated[str, Slot(was="color", sensitive=True)]))
    assert "red one" not in _shown(chat)


def test_values_that_do_not_fit_break_no_look_up() -> None:
    from datetime import datetime
    from decimal import Decimal

    world = World()
    old = world.open(domain(a=Annotated[str, SECRET], b=Annotated[str, SECRET]))
    old.set("trip.a", "one day")
    old.set("trip.b", "a lot")
    new = world.open(domain(a=Annotated[datetime, SECRET], b=Annotated[Decimal, SECRET]))
    new.user("on one day, 2026-12-04 at 10:00, a lot, 12.50")
    assert "one day" not in _shown(new)
    assert "a lot" not in _shown(new)


@pytest.mark.parametrize("new", [domain(city=str, passport=Annotated[int, SECRET]), domain(city=str)])
def test_an_extractor_is_shown_no_secret_either(new: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "HEADS", 1)
    world = _told()
    world.open(new).set("trip.city", "Oslo")
    state = world.open(new)._session.state
    assert world.open(new)._session.base > 0
    secrets = Secrets(compile_domains(new), now=NOW)
    secrets.learn_state(state)
    assert "C01X00T47" not in secrets.mask(WORDS)
    assert "red" in secrets.mask(WORDS)
    revealed = Secrets(compile_domains(new), now=NOW, reveal=True)
    revealed.learn_state(state)
    assert revealed.mask(WORDS) == WORDS
