"""Stores: where the logs of sessions are kept. `open_store` makes one from a URL."""

from __future__ import annotations

from slotstate.errors import InputError
from slotstate.log import Store
from slotstate.stores.memory import MemoryStore


def open_store(url: str) -> Store:
    """The store that `url` names: `memory://`, `sqlite:///relative.db` or `sqlite:////absolute.db`.

    Raises InputError for another URL and StoreError when the file cannot be used.
    """
    scheme, _, rest = url.partition("://")
    if scheme == "memory" and not rest:
        return MemoryStore()
    if scheme == "sqlite" and rest.startswith("/") and len(rest) > 1:
        from slotstate.stores.sqlite import SqliteStore

        return SqliteStore(rest[1:])
    raise InputError(f"no store is called {url!r}: use memory:// or sqlite:///FILE.db")


__all__ = ["MemoryStore", "open_store"]
