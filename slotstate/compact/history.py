"""The versions that a conversation's summary has had."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from slotstate.events import AnyEvent, Compacted, RolledBack
from slotstate.state import State, Summary, apply


def versions(events: Iterable[AnyEvent]) -> Mapping[int, Summary]:
    """Every version of the summary by its number, from the empty one (0) on."""
    state = State()
    found = {0: state.summary}
    for event in events:
        if isinstance(event, Compacted | RolledBack):
            state = apply(state, event)
            found[state.summary.version] = state.summary
    return found
