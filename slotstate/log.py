"""The log: entries in order, and what a store must do for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from slotstate.events import AnyEvent


@dataclass(frozen=True, slots=True)
class Entry:
    """An event with its place in the session's log (0-based, without gaps) and the time it was written."""

    seq: int
    at: datetime
    event: AnyEvent


@runtime_checkable
class Store(Protocol):
    """Keeps the logs of sessions. Append-only; safe to call from several threads."""

    def load(self, session: str, after: int = 0) -> Sequence[Entry]:
        """The session's entries from number `after` on, in order; empty for an unknown session. Raises StoreError."""
        ...

    def append(self, session: str, entries: Sequence[Entry], expected: int) -> None:
        """Add `entries`, all or none, if the session holds exactly `expected` entries. Raises StaleWriter,
        StoreError.
        """
        ...

    def save_blob(self, session: str, ref: str, content: bytes) -> None:
        """Keep content under its reference, before the entry that refers to it is written; the same again changes
        nothing. Raises StoreError.
        """
        ...

    def load_blob(self, session: str, ref: str) -> bytes | None:
        """The content under a reference of this session; None when there is none. Raises StoreError."""
        ...

    def close(self) -> None:
        """Release what the store holds open."""
        ...
