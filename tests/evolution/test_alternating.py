"""Workers with the old and the new schema side by side, and a schema that changes and changes back: nothing that is
held gets lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotstate import Chat, NotHeld, session
from tests.evolution.oracle import KINDS, VALUES, Schema, View
from tests.evolution.worlds import World, held

NAMES = ["ape", "bee", "cat", "dog"]


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    return Schema({name: draw(st.sampled_from(sorted(KINDS))) for name in names})


@st.composite
def changed(draw: st.DrawFn, old: Schema) -> Schema:
    """Some slots renamed, removed, of another kind, in another order; some new."""
    slots: dict[str, str] = {}
    was: dict[str, str] = {}
    for name, kind in draw(st.permutations(sorted(old.slots.items()))):
        fate = draw(st.sampled_from(["kept", "kept", "renamed", "removed"]))
        if fate == "removed":
            continue
        new = f"{name}_now" if fate == "renamed" else name
        slots[new] = draw(st.sampled_from([kind, *sorted(KINDS)]))
        if fate == "renamed":
            was[new] = name
    if draw(st.booleans()) or not slots:
        slots["fox"] = draw(st.sampled_from(sorted(KINDS)))
    return Schema(slots, was)


ACTS = st.tuples(
    st.sampled_from(["set", "set", "set", "sure", "clear", "confirm", "undo", "reset"]), st.integers(0, 99)
)


def act(chat: Chat, own: View, views: list[View], what: str, dice: int) -> None:
    """One call of a worker, and what all should make of it."""
    names = sorted(own.schema.slots)
    name = names[dice % len(names)]
    if what == "reset":
        chat.reset("trip")
        for view in views:
            view.reset()
        return
    for view, tell in ((view, tell) for tell in [_called(chat, own, name, what, dice)] for view in views):
        if tell is not None:
            view.hear(name, *tell)


def _called(chat: Chat, own: View, name: str, what: str, dice: int) -> tuple[str, Any] | None:
    """What the log tells of a call, if it changes anything."""
    path, kind = f"trip.{name}", own.schema.slots[name]
    before, told = own.shown(name), own.told(name)
    match what:
        case "set" | "sure":
            value = VALUES[kind][dice // 7 % len(VALUES[kind])]
            chat.set(path, value, confirmed=what == "sure")
            if before is None or before[0] != value:
                return "confirmed" if what == "sure" else "filled", value
            return ("confirmed", value) if what == "sure" and before[1] != "confirmed" else None
        case "clear":
            chat.clear(path)
            return None if told.now is None else ("emptied", None)
        case "confirm" if before is None:
            refused(chat.confirm, path)
            return None
        case "confirm":
            chat.confirm(path)
            return None if before is None or before[1] == "confirmed" else ("confirmed", before[0])
        case _:
            hidden = told.now is not None and (before is None or not fits_below(own, name))
            if len(told.moments) < 2 or hidden:
                refused(chat.undo, path)
                return None
            chat.undo(path)
            return "undone", None


def fits_below(view: View, name: str) -> bool:
    """Whether what the slot held before can be shown."""
    moments = view.told(name).moments
    if len(moments) < 2 or moments[-2] is None:
        return True
    copy = View(view.schema)
    copy.hear(name, "filled", moments[-2][0])
    return copy.shown(name) is not None


def refused(call: Any, *arguments: Any) -> None:
    try:
        call(*arguments)
    except NotHeld:
        return
    raise AssertionError("it should have been refused")


def check(chat: Chat, view: View) -> None:
    assert held(chat) == view.held()
    told = [(plain(one.value), one.status) for one in chat.aside]
    assert sorted(told, key=repr) == sorted(((plain(value), status) for value, status in view.aside()), key=repr)


def plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_under_another_schema_all_is_there_and_back_under_the_old_one_as_it_was(data: st.DataObject) -> None:
    old = data.draw(schemas())
    new = data.draw(changed(old))
    world, first, second = World(), View(old), View(new)
    chat = world.open(old.model())
    for what, dice in data.draw(st.lists(ACTS, max_size=12)):
        act(chat, first, [first, second], what, dice)
    check(chat, first)
    check(world.open(new.model()), second)
    check(world.open(old.model()), first)


@pytest.fixture(scope="module", autouse=True)
def _often() -> Iterator[None]:
    """Snapshots after every few entries."""
    with patch.object(session, "HEADS", 3):
        yield


@given(st.data())
@settings(max_examples=250, deadline=None)
def test_workers_of_both_schemas_side_by_side_lose_nothing(data: st.DataObject) -> None:
    old = data.draw(schemas())
    new = data.draw(changed(old))
    world, views = World(), [View(old), View(new)]
    chats = [world.open(old.model()), world.open(new.model())]
    for who, (what, dice) in data.draw(st.lists(st.tuples(st.integers(0, 1), ACTS), max_size=14)):
        chats[who]._run(chats[who]._reload())
        act(chats[who], views[who], views, what, dice)
        check(chats[who], views[who])
    for schema, view in zip((old, new), views, strict=True):
        check(world.open(schema.model()), view)
