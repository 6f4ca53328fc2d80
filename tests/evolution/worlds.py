"""One log and trackers of several schemas over it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel, create_model

from slotstate import Chat, Tracker
from slotstate.contract import View
from slotstate.domains import Declarable
from slotstate.stores.memory import MemoryStore
from slotstate.testing import ScriptedExtractor

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


def domain(name: str = "Trip", **fields: Any) -> type[BaseModel]:
    """A domain of these fields, each an annotation with its default, or the annotation of an optional slot."""
    declared: Any = {key: one if isinstance(one, tuple) else (one | None, None) for key, one in fields.items()}
    made: type[BaseModel] = create_model(name, **declared)
    return made


class World:
    """A session's log; every opening is by a tracker of its own."""

    def __init__(self) -> None:
        self.store = MemoryStore()

    def open(self, *domains: Declarable, script: Sequence[Any] = (), at: datetime = NOW, **options: Any) -> Chat:
        extractor = ScriptedExtractor(list(script))
        return Tracker(domains, store=self.store, extractor=extractor, clock=lambda: at, **options).open("s")


def held(chat: Chat) -> dict[str, tuple[Any, str]]:
    """Value and status of every slot that is held."""
    views = ((f"{name}.{slot}", view) for name, slots in chat.state.items() for slot, view in slots.items())
    return {path: (_value(view), view.status) for path, view in views if view.status != "empty"}


def _value(view: View) -> Any:
    return "dontcare" if view.dontcare else view.value


def aside(chat: Chat) -> dict[str, Any]:
    """What is kept aside, by its path in the log."""
    return {one.path: one.value for one in chat.aside}
