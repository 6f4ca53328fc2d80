"""What is kept aside: what the log holds and the present schema has no place for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from slotstate.domains import Domains
from slotstate.slots import Json
from slotstate.state import Held, State, Status


@dataclass(frozen=True, slots=True)
class KeptAside:
    """A value that is held by the log, and not by a slot of the present schema. Nothing of it is lost: under a schema
    that has a place for it, it is there again.

    `path` is its slot in the log, `now` the slot of the present schema that it belongs to, None where there is none.
    `value` is what fits nowhere, all that was held or a part (`part`), "dontcare" for no preference; `status` is what
    the slot was. `why` is "removed" or "does_not_fit", `detail` says it in one line, without the value. `turn` is the
    message that it came from (-1: the application set it before the first), with the words `quote`.
    """

    path: str
    now: str | None
    value: Json
    part: bool
    status: Status
    why: Literal["removed", "does_not_fit"]
    detail: str
    turn: int | None
    quote: str | None
    source: str | None


def kept_aside(domains: Domains, state: State) -> tuple[KeptAside, ...]:
    """All that a state keeps aside: what does not fit, in order of declaration, then removed slots by path."""
    return (*_misfits(domains, state), *_removed(state))


def _misfits(domains: Domains, state: State) -> Iterator[KeptAside]:
    for path in domains.specs:
        held = state.slot(path).held
        if held.aside is not None:
            part = held.status != "empty"
            kept = held.aside
            yield _report(kept.path, path, kept.held, kept.rest, part, "does_not_fit", kept.why)


def _removed(state: State) -> Iterator[KeptAside]:
    for path, slot in sorted(state.removed.items()):
        if slot.is_held:
            detail = f"{path}: no such slot any more"
            yield _report(path, None, slot.held, slot.held.value, False, "removed", detail)


def _report(
    path: str,
    now: str | None,
    held: Held,
    value: Json,
    part: bool,
    why: Literal["removed", "does_not_fit"],
    detail: str,
) -> KeptAside:
    shown = "dontcare" if held.dontcare else value
    return KeptAside(path, now, shown, part, held.status, why, detail, held.turn, held.quote, held.source)
