"""Entries and snapshots for tests of stores."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from hashlib import sha256
from typing import Literal

from slotstate.events import Blob, Confirmed, ToolTurn, UserTurn
from slotstate.log import Entry, Snapshot, fingerprint

AT = datetime(2026, 11, 29, 12, 30, 15, 250, tzinfo=timezone(timedelta(hours=1)))


def entry(seq: int, text: str = "hello", at: datetime = AT) -> Entry:
    """A user's message."""
    return Entry(seq, at, UserTurn(turn=seq, id=f"m{seq}", text=text, at=at))


def decision(seq: int, path: str = "travel.city") -> Entry:
    """What is no message."""
    return Entry(seq, AT, Confirmed(turn=0, step=seq, at=AT, op="confirm", path=path, value="Bonn"))


def result(seq: int, content: bytes) -> Entry:
    """A tool's message whose content is in a blob."""
    blob = Blob(ref=ref_of(content), size=len(content), kind="text")
    return Entry(seq, AT, ToolTurn(turn=seq, id=f"m{seq}", call_id="c", text="…", blob=blob))


def pictured(seq: int, *contents: bytes) -> Entry:
    """A user's message with pictures."""
    blobs = tuple(Blob(ref=ref_of(content), size=len(content), kind="image") for content in contents)
    return Entry(seq, AT, UserTurn(turn=seq, id=f"m{seq}", text="look", at=AT, blobs=blobs))


def ref_of(content: bytes) -> str:
    """A reference to content."""
    return f"blob:{sha256(content).hexdigest()[:16]}"


def snapshot(
    log: Sequence[Entry], seq: int, content: str = "{}", schema: str = "v1", kind: Literal["head", "window"] = "head"
) -> Snapshot:
    """A snapshot of the first `seq` entries of a log."""
    return Snapshot(kind, seq, fingerprint(log[seq - 1]), schema, content)
