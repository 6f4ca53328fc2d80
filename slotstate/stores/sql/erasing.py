"""Erasure: sessions that are forgotten, blobs that nobody refers to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from slotstate.log import Erased
from slotstate.stores.sql.place import Place, Run
from slotstate.stores.sql.statements import Statements, chunks, several
from slotstate.stores.sql.tables import ENTRIES, SESSIONS, SNAPSHOTS, USES


def forget(place: Place, tenant: str, asked: Mapping[str, Any]) -> Erased:
    """Remove the sessions that fit `asked` (its, user, before), all of the tenant's where it is empty."""
    tries: list[tuple[set[str], Erased]] = []

    def erase(run: Run) -> tuple[set[str], Erased]:
        names = _names(run, place.statements, asked)
        tries.append((names, _erase(run, place.statements, names)))
        return tries[-1]

    place.erase(tenant, erase)
    # A try whose answer was lost may have done it all, and the next one found nothing: the fullest count is told.
    names = set[str]().union(*(names for names, _ in tries))
    done = max((erased for _, erased in tries), key=lambda erased: (erased.sessions, erased.entries, erased.blobs))
    left = place.single(tenant, lambda run: _left(run, place.statements, names))
    return Erased(done.sessions, done.entries, done.snapshots, done.blobs, left)


def collect(place: Place, tenant: str, before: int) -> int:
    """Remove the blobs that were kept before a time and that no entry refers to; their number."""
    made = place.statements
    unused = place.single(tenant, lambda run: [ref for (ref,) in run.rows(made.unused, {"before": before})])
    return sum(_drop_unused(place, tenant, before, refs) for refs in chunks(unused))


def _drop_unused(place: Place, tenant: str, before: int, refs: list[str]) -> int:
    made = place.statements

    def drop(run: Run) -> int:
        asked = {"before": before, **several(refs)}
        still = sorted({ref for (ref,) in run.rows(made.lock_blobs(len(refs), True), asked)})
        gone = 0
        for some in chunks(still):
            run.change(made.drop_unused(len(some)), several(some))
            gone += run.change(made.drop_blobs(len(some)), several(some))
        return gone

    return place.transaction(tenant, drop)


def _names(run: Run, made: Statements, asked: Mapping[str, Any]) -> set[str]:
    """The sessions that fit; without user and time also what has rows and no session."""
    chosen = made.chosen("user" in asked, "before" in asked, "its" in asked)
    names = {name for (name,) in run.rows(chosen, asked)}
    if "user" in asked or "before" in asked:
        return names
    if "its" in asked:
        return {asked["its"]}
    return names | {name for (name,) in run.rows(made.everybody, {})}


def _erase(run: Run, made: Statements, names: Iterable[str]) -> Erased:
    refs: set[str] = set()
    counts = {ENTRIES: 0, SNAPSHOTS: 0, USES: 0, SESSIONS: 0}
    ordered = list(chunks(sorted(names)))
    for some in ordered:
        refs.update(ref for (ref,) in run.rows(made.refs(len(some)), several(some)))
    for shared in chunks(sorted(refs)):
        run.rows(made.lock_blobs(len(shared), False), several(shared))
    for some in ordered:
        for table in counts:
            counts[table] += run.change(made.drop(table, len(some)), several(some))
    blobs = sum(run.change(made.drop_blobs(len(some)), several(some)) for some in chunks(sorted(refs)))
    return Erased(counts[SESSIONS], counts[ENTRIES], counts[SNAPSHOTS], blobs)


def _left(run: Run, made: Statements, names: Iterable[str]) -> int:
    return sum(count for some in chunks(sorted(names)) for (count,) in run.rows(made.left(len(some)), several(some)))
