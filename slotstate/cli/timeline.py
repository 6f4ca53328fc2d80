"""What happened in a conversation, in order: messages with what they changed, and what happened between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from slotstate.archive import Acted, Began, Condensed, Kept, Offered, Reading, Ruled, Said, Tokens, Version
from slotstate.cli.history import shown_decision
from slotstate.contract import MASK, Decision
from slotstate.decide.rows import row_of
from slotstate.decide.table import TABLE
from slotstate.events import (
    AnyEvent,
    AssistantTurn,
    Compacted,
    Compacting,
    CompactionFailed,
    Decided,
    Epoch,
    Extracted,
    MessageEvent,
    Offer,
    Pended,
    Pinned,
    Reset,
    RolledBack,
    SlotEvent,
    SystemTurn,
    ToolTurn,
    Usage,
    UserTurn,
)
from slotstate.events import Offered as OfferedEvent
from slotstate.log import Entry
from slotstate.masking import Secrets
from slotstate.prompt.scene import masked
from slotstate.state import SlotState, State, apply

Told = Said | Acted | Kept | Began | Condensed


@dataclass(slots=True)
class Happening:
    """A message, or something between messages: its first entry, how a user's message was read, what was decided by
    which rule, and what was put forward.
    """

    entry: Entry
    read: Extracted | None = None
    tries: int = 0
    ruled: list[tuple[SlotEvent | Reset, str]] = field(default_factory=list[tuple[SlotEvent | Reset, str]])
    offered: list[Offer] = field(default_factory=list[Offer])

    @property
    def turn(self) -> int | None:
        """The message that it is, or behind which it happened, where that is known."""
        event = self.entry.event
        if isinstance(event, UserTurn | AssistantTurn | ToolTurn | SystemTurn | Decided | Reset):
            return event.turn
        return event.offer.turn if isinstance(event, OfferedEvent) else None

    def about(self, path: str) -> Happening | None:
        """The part of it that is about a slot, by its present path; None when there is none."""
        ruled = [one for one in self.ruled if _is_about(one[0], path)]
        offered = [one for one in self.offered if one.path == path]
        event = self.entry.event
        asks = isinstance(event, AssistantTurn) and path in event.asks
        requested = self.read is not None and path in self.read.requested
        if not (ruled or offered or asks or requested):
            return None
        return Happening(self.entry, self.read, self.tries, ruled, offered)


def happenings(entries: Iterable[Entry]) -> list[Happening]:
    """A log in its parts, in order, as the present schema reads it; rules as they were at the time."""
    found: list[Happening] = []
    turns: dict[int, Happening] = {}
    state, reading, left = State(), None, 0
    for entry in entries:
        event, logged = entry.event, entry.logged or entry.event
        if isinstance(event, Extracted):
            reading, left = turns.get(event.turn), event.decided
            if reading is not None:
                reading.read, reading.tries = event, reading.tries + 1
        elif isinstance(event, Decided | Reset | OfferedEvent):
            under = reading if left else _acting(found, entry)
            if under is None:
                under = Happening(entry)
                found.append(under)
            if isinstance(event, OfferedEvent):
                under.offered.append(event.offer)
            elif isinstance(logged, Decided | Reset):
                before = SlotState() if isinstance(logged, Reset) else state.slot(logged.path)
                under.ruled.append((event, rule_of(logged, before)))
            left = max(left - 1, 0)
        elif not isinstance(event, Compacting):
            found.append(Happening(entry))
            if isinstance(event, UserTurn):
                turns[event.turn] = found[-1]
            elif isinstance(event, AssistantTurn):
                found[-1].offered += event.offers
        state = apply(state, logged)
    return found


def _acting(found: Sequence[Happening], entry: Entry) -> Happening | None:
    """What was done in the same call, if anything was."""
    last = found[-1] if found else None
    if last is None or not isinstance(last.entry.event, Decided | Reset | OfferedEvent):
        return None
    return last if last.entry.at == entry.at else None


def _is_about(event: SlotEvent | Reset, path: str) -> bool:
    if isinstance(event, Reset):
        return path.split(".", 1)[0] == event.domain or path in (event.slots or ())
    return event.path == path or event.path.startswith(f"{path}.")


def rule_of(event: SlotEvent | Reset, before: SlotState) -> str:
    """By which rule a decision came about, in words; `before` is the slot as it was found."""
    if event.source in {"app", "tool"}:
        if not isinstance(event, Reset) and event.op == "expire":
            return "its time to live ran out"
        return "the application's call" if event.source == "app" else "what a tool found, by the application"
    if isinstance(event, Reset):
        return "a fresh task, at the user's word"
    row = row_of(event, before)
    if row is not None:
        return TABLE[row].about
    if event.op == "confirm" and event.quote is None:
        return "implicit confirmation"
    match event.kind:
        case "superseded":
            return "what was said later counts"
        case "pending":
            return "it is not clear what is meant"
        case "rejected":
            return "what the slot accepts"
        case _:
            return "there is nothing to change"


def told(found: Iterable[Happening], versions: Sequence[Version], secrets: Secrets) -> Iterator[Told]:
    """Happenings as the published contract shows them, secrets masked."""
    made = {version.version: version for version in versions}
    version = 0
    for one in found:
        event = one.entry.event
        if isinstance(event, Compacted | RolledBack):
            version = event.version
        yield _told(one, made.get(version), secrets)


def _told(one: Happening, version: Version | None, secrets: Secrets) -> Told:
    about: dict[str, Any] = {"seq": one.entry.seq, "at": one.entry.at}
    match one.entry.event:
        case UserTurn() | AssistantTurn() | ToolTurn() | SystemTurn() as message:
            return _said(one, message, secrets)
        case Pinned(id=ident, pinned=pinned):
            return Kept(**about, id=ident, pinned=pinned)
        case Epoch() as epoch:
            tokens = epoch.size or None
            return Began(
                **about,
                number=epoch.number,
                reason=epoch.reason,
                window=epoch.window,
                frozen=epoch.frozen,
                tokens=tokens,
            )
        case CompactionFailed() as failed:
            return Condensed(
                **about,
                kind="compaction_failed",
                version=0 if version is None else version.version,
                trigger=failed.trigger,
                model=failed.model,
                since=0 if version is None else version.covered,
                covered=0 if version is None else version.covered,
                items=0 if version is None else version.items,
                usage=failed.usage,
                reason=secrets.mask(failed.reason),
            )
        case Compacted() | RolledBack() if version is not None:
            about |= version.model_dump(include={"version", "kind", "trigger", "model", "since", "covered", "items"})
            return Condensed(**about, usage=version.usage)
        case _:
            turn = one.turn
            changes, offers = [*_ruled(one, secrets)], [*_offers(one, secrets)]
            return Acted(**about, turn=-1 if turn is None else turn, changes=changes, offers=offers)


def _said(one: Happening, event: MessageEvent, secrets: Secrets) -> Said:
    told = Said(
        seq=one.entry.seq,
        at=one.entry.at,
        turn=event.turn,
        id=event.id,
        role=event.role if isinstance(event, SystemTurn) else event.kind,
        text=secrets.mask(event.text),
        changes=[*_ruled(one, secrets)],
        offers=[*_offers(one, secrets)],
    )
    match event:
        case UserTurn(blobs=blobs):
            reading = None if one.read is None else _reading(one.read, one.tries, secrets)
            return told.model_copy(update={"reading": reading, "blobs": [blob.ref for blob in blobs]})
        case AssistantTurn(asks=asks, tool_calls=calls, usage=usage):
            shown = [f"{call.name}({secrets.mask(call.arguments)})" for call in calls]
            return told.model_copy(update={"asks": list(asks), "calls": shown, "usage": _reported(usage)})
        case ToolTurn(blob=blob) if blob is not None:
            return told.model_copy(update={"blobs": [blob.ref]})
        case _:
            return told


def _reading(read: Extracted, tries: int, secrets: Secrets) -> Reading:
    return Reading(
        result=read.result,
        tries=tries,
        model=read.model,
        error=None if read.error is None else secrets.mask(read.error),
        requested=list(read.requested),
        usage=read.usage,
        ms=read.ms,
    )


def _ruled(one: Happening, secrets: Secrets) -> Iterator[Ruled]:
    for event, rule in one.ruled:
        shown = shown_decision(event, secrets)
        values = event.values if isinstance(event, Pended) else ()
        hide = isinstance(event, Pended) and secrets.hides(event.path)
        yield Ruled(
            **{name: getattr(shown, name) for name in Decision.model_fields},
            source=event.source,
            rule=rule,
            why=event.why if isinstance(event, Pended) else None,
            values=[MASK if hide else masked(value, secrets) for value in values],
        )


def _offers(one: Happening, secrets: Secrets) -> Iterator[Offered]:
    for offer in one.offered:
        value = MASK if secrets.hides(offer.path) else masked(offer.value, secrets)
        yield Offered(path=offer.path, value=value, by=offer.by)


def tokens_of(events: Sequence[AnyEvent]) -> Tokens:
    """What was reported of tokens in a whole log, summed up."""
    reading = [event.usage for event in events if isinstance(event, Extracted)]
    summaries = [event.usage for event in events if isinstance(event, Compacted | CompactionFailed)]
    replies = [_reported(event.usage) for event in events if isinstance(event, AssistantTurn)]
    return Tokens(reading=_sum(reading), summaries=_sum(summaries), replies=_sum(replies))


def _reported(usage: object) -> Usage | None:
    """What a provider reported, as the log has it."""
    try:
        return Usage.model_validate(usage)
    except ValidationError:  # it could not be read when it came
        return None


def _sum(usages: Iterable[Usage | None]) -> Usage | None:
    given = [usage for usage in usages if usage is not None]
    if not given:
        return None
    sums = {
        name: sum(counts) if (counts := [one for usage in given if (one := getattr(usage, name)) is not None]) else None
        for name in ("tokens_in", "tokens_out", "tokens_cached")
    }
    return Usage(**sums, attempts=sum(usage.attempts for usage in given))
