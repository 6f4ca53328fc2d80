"""Laws that hold for any user turn at all, whatever is said and proposed: they need no prediction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from slotstate.chat import Chat
from slotstate.contract import Decision, Turn, View
from slotstate.values import jsonable

Views = Mapping[str, View]
_GONE = {"emptied"}


def broken_laws(chat: Chat, turn: Callable[[], Turn]) -> list[str]:
    """What a user turn breaks; nothing, if all is well."""
    before, length = _views(chat), len(chat.entries)
    report = turn()
    after = _views(chat)
    wrong = [f"{path}: {law}" for path in before for law in _slot_laws(path, before[path], after[path], report)]
    if len(chat.entries) < length + 2:
        wrong.append("the turn is not in the log")
    return wrong


def _views(chat: Chat) -> dict[str, View]:
    return {f"{domain}.{name}": view for domain, slots in chat.state.items() for name, view in slots.items()}


def _slot_laws(path: str, before: View, after: View, report: Turn) -> Iterator[str]:
    about = [one for one in report.changes if one.path == path]
    ended = any(one.op == "start" and one.path == path.split(".", maxsplit=1)[0] for one in report.changes)
    if (after.status == "empty") != (after.value is None and not after.dontcare):
        yield f"status {after.status} with value {after.value!r}"
    if ended:
        return
    if not about and _facts(before) != _facts(after):
        yield f"changed from {_facts(before)} to {_facts(after)} although no change of it was accepted"
    if before.status != "empty" and after.status == "empty" and not any(one.outcome in _GONE for one in about):
        yield f"held {before.value!r} and lost it to {[one.outcome for one in about]}"
    if before.status == "confirmed" and _value(before) != _value(after):
        yield from _confirmed_laws(about)


def _confirmed_laws(about: list[Decision]) -> Iterator[str]:
    """A confirmed value gives way to the user's own words only."""
    moved = [one for one in about if one.outcome in {"overwritten", "emptied", "filled", "confirmed"}]
    if not any(one.grade in {"said", "accepted"} and one.span is not None for one in moved):
        yield f"a confirmed value changed by {[(one.op, one.grade, one.outcome) for one in about]}"


def _value(view: View) -> Any:
    return "dontcare" if view.dontcare else jsonable(view.value)


def _facts(view: View) -> tuple[Any, ...]:
    return view.status, _value(view), jsonable(view.excluded), view.pending.why if view.pending else None
