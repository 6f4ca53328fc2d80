"""A person's data as JSON values: sessions from a store, one after the other, complete and unmasked."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final

from slotstate.archive import EXPORT_FORMAT
from slotstate.domains import Domains
from slotstate.errors import InputError
from slotstate.events import Blob, ToolTurn, UserTurn, dump_event
from slotstate.evolution import Reader, kept_aside
from slotstate.log import Entry, SessionInfo, Store
from slotstate.state import State, Summary, replay
from slotstate.values import jsonable
from slotstate.views import state_views

_TEXTS: Final = frozenset({"json", "table", "log", "text"})
"""Kinds of blobs whose content is text."""


def exported(store: Store, domains: Domains, session: str | None, user: str | None) -> Iterator[dict[str, Any]]:
    """Each session that fits, in the order of their names: see archive.ExportedSession. Raises InputError where the
    named one is not there, StoreError.
    """
    found = False
    for info in store.sessions(user=user):
        if session in (None, info.session):
            entries = store.load(info.session)
            if entries:  # it may have been forgotten meanwhile
                found = True
                yield _session(store, domains, info, entries)
    if session is not None and not found:
        of = "" if user is None else f" of {user!r}"
        raise InputError(f"there is no session {session!r}{of}: sessions() names those that there are")


def written(tenant: str, sessions: Iterable[dict[str, Any]]) -> Iterator[str]:
    """An export as JSON, piece by piece, so that no more than one session is in memory."""
    yield f'{{"format": {EXPORT_FORMAT}, "tenant": {json.dumps(tenant, ensure_ascii=False)}, "sessions": ['
    for at, told in enumerate(sessions):
        yield ",\n" if at else "\n"
        yield json.dumps(told, ensure_ascii=False)
    yield "\n]}\n"


def _session(store: Store, domains: Domains, info: SessionInfo, entries: Sequence[Entry]) -> dict[str, Any]:
    reader = Reader(domains)
    state = replay(reader.read(entry).event for entry in entries)
    return {
        "session": info.session,
        "user": info.user,
        "began": entries[0].at.isoformat(),
        "touched": entries[-1].at.isoformat(),
        "state": _state(domains, state),
        "aside": [{**asdict(one), "value": jsonable(one.value)} for one in kept_aside(domains, state)],
        "summary": _summary(state.summary),
        "entries": [
            {"seq": entry.seq, "at": entry.at.isoformat(), "event": json.loads(dump_event(entry.event))}
            for entry in entries
        ],
        "blobs": {blob.ref: _blob(blob, store.load_blob(info.session, blob.ref)) for blob in _blobs(entries)},
    }


def _state(domains: Domains, state: State) -> dict[str, Any]:
    views = state_views(domains, state)
    return {
        name: {slot: shown.model_dump(mode="json") for slot, shown in slots.items()} for name, slots in views.items()
    }


def _summary(summary: Summary) -> dict[str, Any]:
    items = [item.model_dump(mode="json") for item in summary.items]
    return {"version": summary.version, "covered": summary.covered, "items": items}


def _blobs(entries: Iterable[Entry]) -> Iterable[Blob]:
    found: dict[str, Blob] = {}
    for entry in entries:
        match entry.event:
            case UserTurn(blobs=blobs):
                found.update((blob.ref, blob) for blob in blobs if blob.ref not in found)
            case ToolTurn(blob=blob) if blob is not None:
                found.setdefault(blob.ref, blob)
            case _:
                pass
    return found.values()


def _blob(blob: Blob, content: bytes | None) -> dict[str, Any]:
    encoding, told = "utf-8" if blob.kind in _TEXTS else "base64", None
    if content is not None and encoding == "utf-8":
        try:
            told = content.decode("utf-8")
        except UnicodeDecodeError:
            encoding = "base64"
    if content is not None and encoding == "base64":
        told = b64encode(content).decode("ascii")
    about = {"size": blob.size, "kind": blob.kind, "media": blob.media}
    return {**about, "encoding": encoding, "content": told}
