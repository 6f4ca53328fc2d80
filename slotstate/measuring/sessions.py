"""Exported sessions of slotstate as a corpus: what was confirmed or corrected in them is the reference.

An export is an object {"sessions": [{"session", "user", "entries": [{"seq", "at", "event"}], "state"}]}. A slot is
verified when it is confirmed at the end, or its last value came in place of another one, or was emptied: by the user's
words or by the application. Everything else may be a mistake that nobody noticed, and is not judged; nor is a turn
after which nothing is verified.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final

from pydantic import ValidationError

from slotstate.domains import Domains
from slotstate.errors import InputError
from slotstate.events import AnyEvent, AssistantTurn, Reset, UserTurn, load_event
from slotstate.evolution import Reader
from slotstate.log import Entry
from slotstate.measuring.dialogues import Dialogue, Reference, Turn
from slotstate.slots import Json
from slotstate.state import Held, SlotState, State, apply

Raw = Mapping[str, Any]
_YEARS: Final = range(1900, 9000)
"""Those of sessions: beyond them days around one, or its time in another zone, may be in no calendar."""


def is_export(data: Any) -> bool:
    """Whether a JSON document is an export of sessions."""
    if not isinstance(data, dict) or not isinstance(data.get("sessions"), list):
        return False
    return all(isinstance(one, dict) and isinstance(one.get("entries"), list) for one in data["sessions"])


def read_session(raw: Raw, domains: Domains) -> Dialogue:
    """A session as a dialogue. Raises InputError, naming the session and the entry."""
    name = str(raw.get("session", "session"))
    reader = Reader(domains)  # the session may have been held under an older schema
    told = (_entry(one, index, f"session {name!r}, entry {index}") for index, one in enumerate(raw["entries"]))
    entries = [reader.read(entry) for entry in told]
    turns = tuple(_turns(entries, domains))
    used = dict.fromkeys(path.partition(".")[0] for turn in turns for path in turn.listed or ())
    start = entries[0].at if entries else None
    dialogue = Dialogue(name, tuple(used) or tuple(domains), turns, domains=domains, log=tuple(entries))
    return dialogue if start is None else replace(dialogue, now=start)


def check_judged(raws: Sequence[Raw], dialogues: Sequence[Dialogue], domains: Domains) -> None:
    """Raises InputError where sessions give nothing to judge: the schema is of something else, or nobody confirmed or
    corrected anything.
    """
    turns = [turn for dialogue in dialogues for turn in dialogue.turns]
    if any(turn.listed for turn in turns):
        return
    tracked = {path for raw in raws for entry in raw["entries"] if (path := _tracked(entry))}
    if tracked and not any(turn.unjudged for turn in turns):
        there = {path.partition(".")[0] for path in tracked}
        if there & domains.keys():  # a domain of the same name, with other slots
            there = tracked
        told = f"the sessions track {', '.join(sorted(there))}, the schema declares none of it"
        raise InputError(f"{told} but {', '.join(domains)}: name theirs with --schema")
    raise InputError("nothing in the sessions was confirmed, corrected or taken back: there is nothing to go by")


def _tracked(entry: Raw) -> str:
    """The path of the slot that an entry is about; "" where about none."""
    event = entry["event"]
    told: Raw = json.loads(event) if isinstance(event, str) else event
    path = told.get("path")
    return path if isinstance(path, str) else ""


def _entry(raw: Any, number: int, where: str) -> Entry:
    try:
        event = raw["event"]
        read = load_event(event if isinstance(event, str) else json.dumps(event))
        entry = Entry(int(raw["seq"]), datetime.fromisoformat(raw["at"]), read)
    except ValidationError as error:
        raise InputError(f"{where}: no event that this version knows ({error.errors()[0]['msg']})") from None
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{where}: it needs seq, at and event ({type(error).__name__}: {error})") from None
    if entry.seq != number:
        raise InputError(f"{where}: it has the number {entry.seq}, so the log has a gap: export the session again")
    if entry.at.year not in _YEARS:
        raise InputError(f"{where}: nobody wrote at {entry.at.isoformat()}: correct its at, or leave the session out")
    return entry


def _turns(entries: Sequence[Entry], domains: Domains) -> Iterator[Turn]:
    """The messages, each user turn with the verified slots that it had already right."""
    final, moments = State(), list[tuple[UserTurn | AssistantTurn, State]]()
    for entry in entries:
        final = apply(final, entry.event)
        match entry.event:
            case UserTurn() | AssistantTurn():
                moments.append((entry.event, final))
            case _ if moments:  # what is decided about a turn stands behind it
                moments[-1] = moments[-1][0], final
            case _:
                pass
    events = [entry.event for entry in entries]
    verified = {path: final.slot(path).held for path in domains.specs if _is_verified(path, final.slot(path), events)}
    for message, state in moments:
        if isinstance(message, AssistantTurn):
            offers = {offer.path: offer.value for offer in message.offers}
            yield Turn("assistant", message.text, asks=message.asks, offers=offers or None)
            continue
        agreed = {path: held for path, held in verified.items() if _same(state.slot(path).held, held)}
        held = {path: _reference(one) for path, one in agreed.items() if one.status != "empty"}
        open_ = frozenset(path for path in domains.specs if path not in agreed and _holds(state.slot(path)))
        known = MappingProxyType(held) if agreed else None
        yield Turn("user", message.text, state=known, listed=frozenset(agreed), unjudged=open_)


def _holds(slot: SlotState) -> bool:
    return slot.is_held or slot.pending is not None


def _is_verified(path: str, slot: SlotState, events: Sequence[AnyEvent]) -> bool:
    if slot.held.status == "confirmed":
        return True
    last = next((event for event in reversed(events) if _decides(event, path)), None)
    return getattr(last, "kind", "") in {"overwritten", "emptied"}


def _decides(event: AnyEvent, path: str) -> bool:
    """Whether the event made the slot hold what it holds."""
    if isinstance(event, Reset):
        return path.startswith(f"{event.domain}.")
    return event.kind in {"filled", "overwritten", "emptied", "undone"} and getattr(event, "path", "") == path


def _same(one: Held, other: Held) -> bool:
    return (one.value, one.dontcare) == (other.value, other.dontcare)


def _reference(held: Held) -> Reference:
    if held.dontcare:
        return Reference(("dontcare",))
    return Reference((written(held.value),))


def written(value: Json) -> str:
    """A value as text: texts as they are, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


__all__ = ["check_judged", "is_export", "read_session", "written"]
