"""When a prompt's stable part is made anew, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from hashlib import blake2b
from typing import Final, Literal

from slotstate.caching import Profile
from slotstate.domains import Domains
from slotstate.events import Epoch, EpochReason
from slotstate.evolution import reading_digest
from slotstate.prompt.transcript import Transcript
from slotstate.slots import SlotSpec

STALE_SLOTS: Final = 6
"""Slots with lines that no longer hold, before the slots are written anew: a reader must not have to search."""
STALE_BELOW: Final = 7
"""The same where one note below says how all of them are."""
STALE_LINES: Final = 16
"""Such lines in all, where it is always the same slots that change."""
WORTH: Final = 250
"""Tokens of the prompt for which one more such line is worth it: to write a long one anew costs more."""

REST: Final = 2
"""User turns after a compaction, or any other new epoch, before there may be one that is not forced."""

_KEYS: Final[tuple[EpochReason, ...]] = ("template", "locale", "schema", "tools", "masking", "provider")


_HAPPENED: Final[tuple[Literal["rollback", "system", "task_end"], ...]] = ("rollback", "system", "task_end")
"""What asks for a new epoch when it has happened; what counts first comes first."""


def digest(*parts: str) -> str:
    """A short digest of texts."""
    found = blake2b(digest_size=8)
    for part in parts:
        found.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return found.hexdigest()


def schema_digest(domains: Domains) -> str:
    """A digest of all that a prompt shows of a schema, and of all that decides how a log is read under it."""
    return digest(
        *(f"{domain.name}\n{domain.description}" for domain in domains.values()),
        *(part for spec in domains.specs.values() for part in _shown(spec)),
        reading_digest(domains),
    )


def _shown(spec: SlotSpec) -> Iterable[str]:
    yield f"{spec.path}\n{spec.kind}\n{spec.description}\n{spec.slot.ask}\n{spec.slot.sensitive}"


def changed_terms(epoch: Epoch, key: Mapping[str, str]) -> EpochReason | None:
    """Which of the terms that decide over a prompt's bytes are others than when the epoch began, if any."""
    return next((name for name in _KEYS if epoch.key.get(name) != key[name]), None)


def why_new(transcript: Transcript, domains: Domains, profile: Profile, now: datetime) -> EpochReason | None:
    """Why an epoch whose slots are frozen must end before the next prompt, or None."""
    if transcript.emptied:
        emptied = (domains.specs[path] for path in transcript.emptied if path in domains.specs)
        if any(spec.slot.sensitive for spec in emptied):
            return "cleared"
    if transcript.fresh:
        return next(reason for reason in _HAPPENED if reason in transcript.fresh)
    if transcript.pinned_outside:
        return "pin"
    if transcript.stale and transcript.replied is not None and profile.ttl:
        idle = (now - transcript.replied[1]).total_seconds()
        if idle > profile.ttl:
            return "idle"
    return None


def outgrown(
    transcript: Transcript, epoch: Epoch, tokens: int, limit: int | None, high: float | None
) -> EpochReason | None:
    """Why a prompt of so many tokens cannot go on in its epoch, or None. Where the last compaction could not get below
    the high mark, or hardly did, the next waits until there is no other way.
    """
    if limit is not None and tokens > limit:
        return "compaction"
    if high is not None and epoch.size <= high < tokens and transcript.asked > REST:
        return "compaction"
    slots, lines, most = len(transcript.stale), 0, STALE_BELOW
    if epoch.layout != "quotes_last":  # there the one note is always up to date: only lines of the snapshot are not
        lines, most = sum(transcript.stale.values()), STALE_SLOTS
    if slots <= most and lines <= STALE_LINES:
        return None
    spread = slots > max(most, tokens * most // (STALE_LINES * WORTH))
    return "notes" if spread or lines > max(STALE_LINES, tokens // WORTH) else None
