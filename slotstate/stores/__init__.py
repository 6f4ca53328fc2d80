"""Stores: where the logs of sessions are kept. `open_store` makes one from a URL."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import parse_qsl

from slotstate.errors import InputError
from slotstate.log import Store
from slotstate.stores.memory import MemoryStore

URLS: Final = "memory://, sqlite:///FILE.db or postgresql://USER@HOST/DATABASE"


def shown(url: str) -> str:
    """What may be told of a URL that names no store: its scheme, for a password may stand anywhere behind."""
    scheme = re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", url)
    return f"no store is called {scheme[0] + '…'!r}" if scheme else "this is no URL of a store"


def open_store(url: str, *, create: bool = True) -> Store:
    """The store that `url` names: `memory://`, `sqlite:///relative.db`, `sqlite:////absolute.db` or
    `postgresql://user@host/database`.

    Options follow a question mark, as in `sqlite:///bot.db?durability=fast&timeout=5`. Without `create`, a place that
    holds no store is left as it is. Raises InputError for another URL, MissingExtra, and StoreError when the place
    cannot be used.
    """
    scheme, _, rest = url.partition("://")
    scheme = scheme.lower()
    if scheme == "memory" and not rest:
        return MemoryStore()
    path, _, query = rest.partition("?")
    if scheme == "sqlite" and path.startswith("/") and len(path) > 1:
        from slotstate.stores.sql import open_sqlite

        return open_sqlite(path[1:], dict(parse_qsl(query, keep_blank_values=True)), create=create)
    if scheme in {"postgresql", "postgres"} and rest:
        from slotstate.stores.sql import open_postgres

        return open_postgres(f"postgresql://{rest}", create=create)
    raise InputError(f"{shown(url)}: use {URLS}; in a password write @ as %40")


__all__ = ["URLS", "MemoryStore", "open_store", "shown"]
