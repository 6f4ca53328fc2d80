"""What a conversation's log tells of its compactions, as the published contract shows it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from itertools import pairwise

from slotstate.archive import Amended, AsideView, Compactions, Failure, Inspection, Version
from slotstate.chat import Chat
from slotstate.cli.options import make_secrets
from slotstate.cli.timeline import Happening, happenings, tokens_of, told
from slotstate.compact import EXTRACTIVE, patch_of
from slotstate.compact.history import versions
from slotstate.compact.measures import Cost, of_session
from slotstate.contract import MASK
from slotstate.counters import make_counter
from slotstate.errors import SlotstateError
from slotstate.events import Compacted, CompactionFailed, Item, Lost, RolledBack
from slotstate.evolution import KeptAside
from slotstate.formats import check
from slotstate.log import Entry
from slotstate.masking import Secrets
from slotstate.prompt import measures_of, span_of
from slotstate.prompt.scene import masked
from slotstate.session import Session
from slotstate.state import Summary
from slotstate.tokens import Counter
from slotstate.tracker import Tracker


def inspection(
    tracker: Tracker,
    chat: Chat,
    secrets: Secrets,
    name: str,
    shown: Sequence[Happening] | None = None,
    *,
    measure: bool = True,
) -> Inspection:
    """All that the log of session `name` tells, of its timeline what is `shown`; `secrets` are what is not. To measure
    is most of the work: it is left out where nobody asks for it.
    """
    session = Session(name)
    session.absorb(measured(tracker, chat) if measure else chat.entries)
    made, failed = history(session.entries, secrets)
    summary, entries = chat.summary, chat.entries
    return Inspection(
        session=session.name,
        user=chat.owner,
        began=entries[0].at,
        touched=entries[-1].at,
        messages=len(chat.messages),
        tokens=tokens_of([entry.event for entry in entries]),
        timeline=[*told(happenings(entries) if shown is None else shown, made, secrets)],
        version=summary.version,
        covered=summary.covered,
        items=[shown_item(item, secrets) for item in summary.items],
        running=session.transcript.compacting is not None,
        versions=made,
        failures=failed,
        measures=_measures(tracker, chat, session) if measure else {},
        aside=[_shown_aside(one, secrets) for one in chat.aside],
    )


def _shown_aside(one: KeptAside, secrets: Secrets) -> AsideView:
    hide = secrets.hides(one.now or one.path)
    told = {field.name: getattr(one, field.name) for field in fields(one)}
    told["value"] = MASK if hide else masked(one.value, secrets)
    told["quote"] = None if one.quote is None else MASK if hide else secrets.mask(one.quote)
    return AsideView(**told)


def measured(tracker: Tracker, chat: Chat) -> list[Entry]:
    """The log, with the measures of every compaction: what makes a prompt does not stop to take them."""
    counter, secrets = _counter(tracker), make_secrets(tracker, chat, reveal=False)
    session = Session("measured")
    for entry in chat.entries:
        event = entry.event
        if isinstance(event, Compacted) and not event.measures:
            transcript, state = session.transcript, session.state
            span = span_of(transcript, state, state.summary.covered, event.covered, secrets)
            cost = Cost(event.usage, model=event.model != EXTRACTIVE)
            told = measures_of(transcript, state, span, patch_of(event), event.covered, counter, secrets, cost)
            entry = replace(entry, event=event.model_copy(update={"measures": told}))  # noqa: PLW2901
        session.absorb([entry])
    return session.entries


def history(entries: Sequence[Entry], secrets: Secrets) -> tuple[list[Version], list[Failure]]:
    """The versions of the summary, and the compactions that came to nothing, oldest first."""
    known = versions(entry.event for entry in entries)
    before = {after: known[one] for one, after in pairwise(sorted(known))}
    made: list[Version] = []
    failed: list[Failure] = []
    for entry in entries:
        event = entry.event
        if isinstance(event, Compacted | RolledBack):
            made.append(_version(event, before[event.version], known[event.version], secrets))
        elif isinstance(event, CompactionFailed):
            failed.append(_failure(event, made[-1].version if made else 0, secrets))
    return made, failed


def outcome(tracker: Tracker, chat: Chat, since: int, secrets: Secrets) -> Compactions:
    """What the log's entries from number `since` on tell."""
    made, failed = history(measured(tracker, chat), secrets)
    events = [entry.event for entry in chat.entries[since:]]
    new = sum(isinstance(event, Compacted | RolledBack) for event in events)
    failures = sum(isinstance(event, CompactionFailed) for event in events)
    return Compactions(version=made[-1] if new else None, failures=failed[len(failed) - failures :])


def _version(event: Compacted | RolledBack, before: Summary, after: Summary, secrets: Secrets) -> Version:
    was, now = ({item.ident: item for item in one.items} for one in (before, after))
    compacted = event if isinstance(event, Compacted) else None
    return Version(
        version=event.version,
        kind="rolled_back" if compacted is None else "compacted",
        at=event.at,
        trigger=None if compacted is None else compacted.trigger,
        model=None if compacted is None else compacted.model,
        to=event.to if isinstance(event, RolledBack) else None,
        since=before.covered if compacted is None else compacted.since,
        covered=event.covered,
        digest=None if compacted is None else compacted.digest,
        items=len(now),
        added=[shown_item(item, secrets) for ident, item in now.items() if ident not in was],
        amended=[
            Amended(before=shown_item(was[ident], secrets), after=shown_item(item, secrets))
            for ident, item in now.items()
            if ident in was and was[ident] != item
        ],
        dropped=[*_dropped(event, was, now, secrets)],
        left_out=[] if compacted is None else [_lost(one, secrets) for one in compacted.lost],
        refused=[] if compacted is None else [secrets.mask(line) for line in compacted.failed],
        usage=None if compacted is None else compacted.usage,
        measures={} if compacted is None else dict(compacted.measures),
    )


def _dropped(
    event: Compacted | RolledBack, was: dict[int, Item], now: dict[int, Item], secrets: Secrets
) -> Iterator[Lost]:
    if isinstance(event, Compacted):
        yield from (_lost(one, secrets) for one in event.drop)
        return
    for ident, item in was.items():
        if ident not in now:
            yield _lost(Lost(text=item.text, reason=f"version {event.to} did not have it", ident=ident), secrets)


def _failure(event: CompactionFailed, version: int, secrets: Secrets) -> Failure:
    return Failure(
        at=event.at,
        version=version,
        trigger=event.trigger,
        model=event.model,
        reason=secrets.mask(event.reason),
        usage=event.usage,
    )


def shown_item(item: Item, secrets: Secrets) -> Item:
    """An item with its secrets masked."""
    quote = None if item.quote is None else secrets.mask(item.quote)
    return item.model_copy(update={"text": secrets.mask(item.text), "quote": quote})


def _lost(lost: Lost, secrets: Secrets) -> Lost:
    return lost.model_copy(update={"text": secrets.mask(lost.text), "reason": secrets.mask(lost.reason)})


def _measures(tracker: Tracker, chat: Chat, session: Session) -> dict[str, float]:
    """The session's measures; what is secret is masked in what they are taken of, whatever is shown."""
    counter = _counter(tracker)
    secrets = make_secrets(tracker, chat, reveal=False)
    state = session.state
    span = span_of(session.transcript, state, 0, state.summary.covered, secrets)
    events = [entry.event for entry in session.entries]
    told = of_session(events, span, count=counter.count, mask=secrets.mask)
    try:
        return {**told, "protocol_errors": len(check(chat.preview(), "openai"))}
    except SlotstateError:  # a budget that is too small makes no prompt: then there is none to check
        return told


def _counter(tracker: Tracker) -> Counter:
    named = tracker.budget.counter
    return make_counter(named) if isinstance(named, str) else named
