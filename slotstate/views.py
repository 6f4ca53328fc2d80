"""What every slot holds at a moment, by domain and slot: what `Chat.state` is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from slotstate.contract import View, view
from slotstate.domains import Domain, Domains
from slotstate.errors import UnknownPath, near
from slotstate.state import State

T = TypeVar("T")


def state_views(domains: Domains, state: State) -> Mapping[str, Mapping[str, View]]:
    """The views of all slots; they are made when they are looked at, and `state` does not change any more."""
    return _Named(domains, "domain", lambda name: _slot_views(domains[name], state))


def _slot_views(domain: Domain, state: State) -> Mapping[str, View]:
    return _Named(domain.slots, "slot", lambda name: view(domain.slots[name], state.slot(domain.slots[name].path)))


class _Named(Mapping[str, T]):
    """A read-only mapping over declared names whose values are made on demand."""

    def __init__(self, names: Iterable[str], what: str, make: Callable[[str], T]) -> None:
        self._names = tuple(names)
        self._what = what
        self._make = make

    def __getitem__(self, name: str) -> T:
        if name not in self._names:
            raise UnknownPath(f"unknown {self._what} {name!r}{near(name, self._names)}")
        return self._make(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr(dict(self))
