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
    """A store's URL as it may be told: without the password."""
    return re.sub(r"([?&]password=)[^&]*", r"\1…", re.sub(r"://([^/?@:]*):[^/?]*@", r"://\1@", url))


def open_store(url: str, *, create: bool = True) -> Store:
    """The store that `url` names: `memory://`, `sqlite:///relative.db`, `sqlite:////absolute.db` or
    `postgresql://user@host/database`.

    Options follow a question mark, as in `sqlite:///bot.db?durability=fast&timeout=5`. Without `create`, a place that
    holds no store is left as it is. Raises InputError for another URL, MissingExtra, and StoreError when the place
    cannot be used.
    """
    scheme, _, rest = url.partition("://")
    if scheme == "memory" and not rest:
        return MemoryStore()
    path, _, query = rest.partition("?")
    if scheme == "sqlite" and path.startswith("/") and len(path) > 1:
        from slotstate.stores.sql import open_sqlite

        return open_sqlite(path[1:], dict(parse_qsl(query, keep_blank_values=True)), create=create)
    if scheme in {"postgresql", "postgres"} and rest:
        from slotstate.stores.sql import open_postgres

        return open_postgres(f"postgresql://{rest}", create=create)
    raise InputError(f"no store is called {shown(url)!r}: use {URLS}")


__all__ = ["URLS", "MemoryStore", "open_store", "shown"]
