"""The store that forgets with the process: for tests, notebooks and bots that need no more."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from slotstate.errors import StaleWriter
from slotstate.log import Entry


class MemoryStore:
    """Logs in a dict. Safe for threads; shared by the trackers that are given the same instance."""

    def __init__(self) -> None:
        self._logs: dict[str, list[Entry]] = {}
        self._blobs: dict[tuple[str, str], bytes] = {}
        self._lock = Lock()

    def load(self, session: str, after: int = 0) -> Sequence[Entry]:
        """The session's entries from number `after` on."""
        with self._lock:
            return tuple(self._logs.get(session, ())[after:])

    def append(self, session: str, entries: Sequence[Entry], expected: int) -> None:
        """Add all entries if the session holds exactly `expected`, else raise StaleWriter."""
        with self._lock:
            log = self._logs.setdefault(session, [])
            if len(log) != expected:
                raise StaleWriter(
                    f"session {session!r} has {len(log)} entries, not {expected}: reload and decide again"
                )
            log.extend(entries)

    def save_blob(self, session: str, ref: str, content: bytes) -> None:
        """Keep content under its reference."""
        with self._lock:
            self._blobs.setdefault((session, ref), content)

    def load_blob(self, session: str, ref: str) -> bytes | None:
        """The content under a reference; None when there is none."""
        with self._lock:
            return self._blobs.get((session, ref))

    def close(self) -> None:
        """Nothing is held open."""
