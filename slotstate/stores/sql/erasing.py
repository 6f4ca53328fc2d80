"""Erasure: sessions that are forgotten, blobs that nobody refers to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from slotstate.log import Erased
from slotstate.stores.sql.place import Place, Run
from slotstate.stores.sql.statements import Statements, chunks, several
from slotstate.stores.sql.tables import ENTRIES, SESSIONS, SNAPSHOTS, USES


class _Chosen(NamedTuple):
    """Sessions that are there and locked, and names of which there may be rows all the same."""

    sessions: frozenset[str]
    strays: frozenset[str]


def forget(place: Place, tenant: str, asked: Mapping[str, Any]) -> Erased:
    """Remove the sessions that fit `asked` (its, user, before), all of the tenant's where it is empty."""
    tries: list[Erased] = []

    def erase(run: Run) -> None:
        chosen = _chosen(run, place.statements, asked)
        erased = _erase(run, place.statements, chosen)
        # Before others may begin the sessions anew: what they write is not left of these.
        tries.append(replace(erased, left=_left(run, place.statements, chosen)))

    place.erase(tenant, erase)
    # A try whose answer was lost may have done it all, and the next one found nothing: the fullest count is told.
    done = max(tries, key=lambda erased: (erased.sessions, erased.entries, erased.blobs))
    return replace(done, left=tries[-1].left)


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


def _chosen(run: Run, made: Statements, asked: Mapping[str, Any]) -> _Chosen:
    """The sessions that fit; without user and time also what has rows and no session."""
    chosen = made.chosen("user" in asked, "before" in asked, "its" in asked)
    sessions = frozenset(name for (name,) in run.rows(chosen, asked))
    if "user" in asked or "before" in asked:
        return _Chosen(sessions, frozenset())
    names = [asked["its"]] if "its" in asked else [name for (name,) in run.rows(made.everybody, {})]
    return _Chosen(sessions, frozenset(names) - sessions)


def _erase(run: Run, made: Statements, chosen: _Chosen) -> Erased:
    refs: set[str] = set()
    counts = {ENTRIES: 0, SNAPSHOTS: 0, USES: 0, SESSIONS: 0}
    # One whose name is damaged may be no text any more.
    sessions, strays = (list(chunks(sorted(names, key=str))) for names in chosen)
    for some in (*sessions, *strays):
        refs.update(ref for (ref,) in run.rows(made.refs(len(some)), several(some)))
    for shared in chunks(sorted(refs, key=str)):
        run.rows(made.lock_blobs(len(shared), False), several(shared))
    for some in sessions:
        for table in counts:
            counts[table] += run.change(made.drop(table, len(some)), several(some))
    for some in strays:  # not locked: one of them may begin meanwhile
        for table in (ENTRIES, SNAPSHOTS, USES):
            counts[table] += run.change(made.drop_strays(table, len(some)), several(some))
    blobs = sum(run.change(made.drop_blobs(len(some)), several(some)) for some in chunks(sorted(refs, key=str)))
    return Erased(counts[SESSIONS], counts[ENTRIES], counts[SNAPSHOTS], blobs)


def _left(run: Run, made: Statements, chosen: _Chosen) -> int:
    return sum(
        count
        for names, strays in ((chosen.sessions, False), (chosen.strays, True))
        for some in chunks(sorted(names, key=str))
        for (count,) in run.rows(made.left(len(some), strays), several(some))
    )
