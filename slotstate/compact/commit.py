"""A patch as the event that the log keeps: the next version of the summary."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from slotstate.compact.items import Add, Amend, Drop, Patch, patched
from slotstate.events import Compacted, Lost, Trigger, Usage
from slotstate.state import Summary


@dataclass(frozen=True, slots=True)
class Commit:
    """What is said of a new version beside its items: see events.Compacted."""

    at: datetime
    trigger: Trigger
    model: str
    covered: int
    digest: str
    lost: tuple[Lost, ...] = ()
    failed: tuple[str, ...] = ()
    usage: Usage | None = None


def committed(summary: Summary, patch: Patch, commit: Commit) -> Compacted:
    """The event that makes `patch` the next version of `summary`. Raises InputError as `patched` does."""
    after = patched(summary, patch, commit.covered)
    texts = {item.ident: item.text for item in summary.items}
    changed = {one.ident for one in patch.amend}
    drops = [Lost(text=texts[one.ident], reason=one.reason, ident=one.ident) for one in patch.drop]
    return Compacted(
        at=commit.at,
        version=after.version,
        trigger=commit.trigger,
        model=commit.model,
        since=summary.covered,
        covered=commit.covered,
        digest=commit.digest,
        add=tuple(item for item in after.items if item.ident > summary.made),
        amend=tuple(item for item in after.items if item.ident in changed),
        drop=tuple(drops),
        lost=commit.lost,
        failed=commit.failed,
        usage=commit.usage,
    )


def patch_of(event: Compacted) -> Patch:
    """The patch that became this event."""
    return Patch(
        add=tuple(Add(one.kind, one.text, one.sources, one.quote, one.path) for one in event.add),
        amend=tuple(Amend(one.ident, one.text, one.sources, one.quote) for one in event.amend),
        drop=tuple(Drop(one.ident, one.reason) for one in event.drop if one.ident is not None),
    )
