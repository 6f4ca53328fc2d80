"""Patches: how a summary changes. What they do not touch stays word for word, so that nothing drifts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from slotstate.errors import InputError
from slotstate.events import Item, ItemKind
from slotstate.slots import Json
from slotstate.state import Summary


@dataclass(frozen=True, slots=True)
class Add:
    """A new item."""

    kind: ItemKind
    text: str
    sources: tuple[str, ...]
    quote: str | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Amend:
    """Another text for item `ident`, with the sources that it is told in beside the old ones."""

    ident: int
    text: str
    sources: tuple[str, ...]
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Drop:
    """Item `ident` is said no more."""

    ident: int
    reason: str


@dataclass(frozen=True, slots=True)
class Patch:
    """What a summary changes of the last one; all else is kept."""

    add: tuple[Add, ...] = ()
    amend: tuple[Amend, ...] = ()
    drop: tuple[Drop, ...] = ()


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message of a span, in text: `turn` is its 0-based index in the conversation. Of a tool's result, `tool` is the
    tool's name.
    """

    id: str
    turn: int
    role: Literal["user", "assistant", "tool", "system"]
    text: str
    tool: str | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """The messages that a summary is to cover next, whole groups only, and what it must not contradict: `slots` that
    are held (path to canonical value), and by path the `others` that they held before or were offered. `told` are the
    slots whose present value came from a message, by its id: the slots show it anyway.
    """

    messages: tuple[Spoken, ...]
    slots: Mapping[str, Json] = field(default_factory=dict[str, Json])
    others: Mapping[str, tuple[Json, ...]] = field(default_factory=dict[str, "tuple[Json, ...]"])
    told: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])


def patched(summary: Summary, patch: Patch, covered: int) -> Summary:
    """The next version, which covers the messages before number `covered`: what is not amended or dropped stays as it
    is, in its place; new items come last.

    Raises InputError for an item that is not there, or is changed twice.
    """
    amended, dropped = _by_ident(patch.amend, summary), _by_ident(patch.drop, summary)
    if twice := amended.keys() & dropped.keys():
        raise InputError(f"item {min(twice)} is amended and dropped: do one of the two")
    kept = (item for item in summary.items if item.ident not in dropped)
    items = [_amended(item, amended[item.ident]) if item.ident in amended else item for item in kept]
    items += [
        Item(ident=number, kind=add.kind, text=add.text, sources=add.sources, quote=add.quote, path=add.path)
        for number, add in enumerate(patch.add, summary.made + 1)
    ]
    return Summary(summary.version + 1, covered, tuple(items), summary.made + len(patch.add))


def _amended(item: Item, change: Amend) -> Item:
    sources = tuple(dict.fromkeys((*item.sources, *change.sources)))
    return item.model_copy(update={"text": change.text, "sources": sources, "quote": change.quote or item.quote})


_Change = TypeVar("_Change", Amend, Drop)


def _by_ident(changes: Iterable[_Change], summary: Summary) -> dict[int, _Change]:
    known = {item.ident for item in summary.items}
    found: dict[int, _Change] = {}
    for change in changes:
        if change.ident not in known:
            raise InputError(f"there is no item {change.ident} in the summary: it has {sorted(known) or 'none'}")
        if change.ident in found:
            raise InputError(f"item {change.ident} is changed twice: change it once")
        found[change.ident] = change
    return found
