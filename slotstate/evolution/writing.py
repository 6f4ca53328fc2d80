"""Writing beside other schemas: what a writer does not see of a value stays in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from slotstate.events import AnyEvent, Decided, Emptied, Filled, Overwritten, Undone
from slotstate.frozen import frozen
from slotstate.slots import Json
from slotstate.state import Held, State

E = TypeVar("E", bound=AnyEvent)


def completed(state: State, events: Sequence[E]) -> Sequence[E]:
    """The events with what the present schema cannot show of a compound value put back into what replaces it: a field
    that it has no more, an item that is no option any more. Reading sets it aside again; under a schema that knows it,
    it was never gone. A value that replaces the one shown replaces that part, too.
    """
    if not any(isinstance(event, Overwritten) and state.slot(event.path).held.aside is not None for event in events):
        return events
    gone: set[str] = set()
    written: list[E] = []
    for event in events:
        if isinstance(event, Overwritten) and event.path not in gone:
            written.append(_with_rest(event, state.slot(event.path).held))
            continue
        if isinstance(event, Filled | Emptied | Undone):
            gone.add(event.path)
        written.append(event)
    return written


def _with_rest(event: E, held: Held) -> E:
    if not isinstance(event, Overwritten) or held.aside is None or event.dontcare or not _goes_on(event, held.value):
        return event
    return event.model_copy(update={"value": frozen(_joined(event.value, held.aside.rest))})


def _goes_on(event: Decided, shown: Json) -> bool:
    """Whether the new value is the one that was shown, with something more or less."""
    match event.value:
        case list():
            return isinstance(shown, list) and (event.op != "set" or all(item in event.value for item in shown))
        case dict():
            return isinstance(shown, dict) and (event.op != "set" or shown.keys() <= event.value.keys())
        case _:
            return False


def _joined(value: Json, rest: Json) -> Json:
    """Both; but not what is left of objects in a list, which would pass for objects of their own."""
    if isinstance(value, list) and isinstance(rest, list):
        return [*value, *(item for item in rest if item not in value and not isinstance(item, dict))]
    if isinstance(value, dict) and isinstance(rest, dict):
        inner = {key: _joined(value[key], part) if key in value else part for key, part in rest.items()}
        return {**value, **inner}
    return value
