"""A dialogue played through a tracker: the corpus' assistant turns, and only what was predicted carried on.

Beside it, a second tracker takes the same proposals, and each of its right values is confirmed after every turn: what
happens to those tells whether confirmed values get lost, without gold values ever reaching the tracker that is scored.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final, Literal, TypeAlias

from slotstate.chat import Chat
from slotstate.contract import Decision, Turn, View
from slotstate.domains import Domains
from slotstate.extract import Extraction, Extractor, Request, narrowed
from slotstate.log import Entry
from slotstate.masking import telling
from slotstate.measuring.agreement import agrees, spoken, words_of
from slotstate.measuring.dialogues import DONTCARE_LABEL, Corpus, Dialogue
from slotstate.measuring.dialogues import Turn as CorpusTurn
from slotstate.measuring.records import Found, Proposal, Touched, TurnRecord
from slotstate.messages import Message
from slotstate.parsing import fold
from slotstate.slots import SlotSpec
from slotstate.tracker import DEADLINE, Tracker
from slotstate.values import Reading, follows, jsonable, stands_in

Services: TypeAlias = Literal["turn", "dialogue", "all"]
"""Which services an extractor is shown: those of the turn's gold frames, those that the dialogue is about, or all."""
SERVICES: Final[Mapping[str, Services]] = {
    "sgd": "turn",
    "multiwoz": "all",
    "crosswoz": "all",
    "cases": "dialogue",
    "sessions": "dialogue",
}
"""How each corpus is evaluated unless asked otherwise."""


@dataclass
class Watched:
    """An extractor that is shown the domains in `shown` only (None: all), and whose last extraction is kept."""

    inner: Extractor
    shown: frozenset[str] | None = None
    last: Extraction | None = None

    def extract(self, request: Request) -> Extraction:
        """What the extractor finds."""
        self.last = None
        self.last = self.inner.extract(self._narrowed(request))
        return self.last

    async def aextract(self, request: Request) -> Extraction:
        """The same, for callers on an event loop."""
        return await asyncio.to_thread(self.extract, request)

    def _narrowed(self, request: Request) -> Request:
        return request if self.shown is None else narrowed(request, self.shown)


@dataclass
class Repeated:
    """An extractor that finds what it is told to."""

    told: Extraction = field(default_factory=Extraction)

    def extract(self, request: Request) -> Extraction:
        """What was told."""
        return self.told

    async def aextract(self, request: Request) -> Extraction:
        """What was told."""
        return self.told


def domains_for(corpus: Corpus, dialogue: Dialogue, services: Services) -> Domains:
    """The domains of the tracker that a dialogue is played with."""
    if services == "all" and dialogue.domains is None:
        return Domains(corpus.domains.values())
    return corpus.domains_of(dialogue)


def play(
    corpus: Corpus,
    dialogue: Dialogue,
    extractor: Extractor,
    services: Services,
    *,
    deadline: float | None = DEADLINE,
    saved: Callable[[], float] = lambda: 0.0,
) -> tuple[TurnRecord, ...]:
    """The user turns of a dialogue as the tracker took them. `saved` tells the milliseconds that kept replies have
    saved so far: they count as if they had been spent.
    """
    player = _Player(corpus, dialogue, extractor, services, deadline)
    records: list[TurnRecord] = []
    for index, turn in enumerate(dialogue.turns):
        if turn.role == "assistant":
            player.hear(turn)
            continue
        before = saved()
        record = player.say(index, turn)
        records.append(replace(record, ms=round(record.ms + saved() - before, 3)))
    return tuple(records)


class _Player:
    """The two trackers of one dialogue."""

    def __init__(
        self, corpus: Corpus, dialogue: Dialogue, extractor: Extractor, services: Services, deadline: float | None
    ) -> None:
        self._narrow = services == "turn"
        self._now = dialogue.now
        self._index = 0
        self._texts: list[str] = []
        domains = domains_for(corpus, dialogue, services)
        self._specs = domains.specs
        self._sensitive = any(spec.slot.sensitive for spec in domains.specs.values())
        self._tells = telling(domains, dialogue.now)
        self._seen = 0
        self._watched, self._repeated = Watched(extractor), Repeated()
        self._chat = self._opened(domains, self._watched, dialogue.timezone, deadline)
        self._second = self._opened(domains, self._repeated, dialogue.timezone, None)
        self._confirmed: dict[str, Found] = {}

    def _opened(self, domains: Domains, extractor: Extractor, timezone: str, deadline: float | None) -> Chat:
        tracker = Tracker(domains, extractor=extractor, clock=self._time, timezone=timezone, deadline=deadline)
        return tracker.open("dialogue")

    def _time(self) -> datetime:
        """Each message is a second later than the one before."""
        return self._now + timedelta(seconds=self._index)

    def hear(self, turn: CorpusTurn) -> None:
        """The assistant says what it says in the corpus."""
        offers = None if turn.offers is None else dict(turn.offers)
        for chat in (self._chat, self._second):
            chat.add(Message(role="assistant", text=turn.text, asks=turn.asks, offers=offers))
        self._texts.append(turn.text)
        self._index += 1

    def say(self, index: int, turn: CorpusTurn) -> TurnRecord:
        """The user speaks."""
        self._watched.shown = frozenset(turn.services) if self._narrow and turn.frames else None
        done = self._chat.user(turn.text)
        self._texts.append(turn.text)
        held = self._held(self._chat)
        self._repeated.told = self._watched.last or Extraction()
        at_risk, touched = self._second_turn(turn)
        record = TurnRecord(
            index,
            held,
            tuple(done.requested),
            tuple(_proposal(one) for one in (*done.changes, *done.rejected)),
            done.extraction,
            done.error,
            done.ms or 0.0,
            done.usage.tokens_in if done.usage else None,
            done.usage.tokens_out if done.usage else None,
            len(self._confirmed),
            at_risk,
            touched,
            self._told(),
        )
        self._confirm(turn)
        self._index += 1
        return record

    def _told(self) -> tuple[Entry, ...]:
        if not self._sensitive:
            return ()
        fresh = self._chat.entries[self._seen :]
        self._seen += len(fresh)
        return tuple(filter(self._tells, fresh))

    def _held(self, chat: Chat) -> dict[str, Found]:
        found = {path: self._found(spec, _view(chat, spec)) for path, spec in self._specs.items()}
        return {path: one for path, one in found.items() if one is not None}

    def _found(self, spec: SlotSpec, view: View) -> Found | None:
        if view.status == "empty":
            return None
        if view.dontcare:
            return Found(None, True, DONTCARE_LABEL, view.quote)
        value = jsonable(view.value)
        return Found(value, False, words_of(spec, value, view.raw, self._texts[::-1], self._now), view.quote)

    # The second tracker

    def _second_turn(self, turn: CorpusTurn) -> tuple[tuple[str, ...], tuple[Touched, ...]]:
        """Play the turn with the same proposals; at which confirmed slots a change was aimed, and which changed."""
        offers = {path: _view(self._second, self._specs[path]).offers for path in self._confirmed}
        done = self._second.user(turn.text)
        decided = (*done.changes, *done.rejected)
        at_risk = {path for path, had in self._confirmed.items() if any(_aims_at(one, path, had) for one in decided)}
        touched: list[Touched] = []
        for path, before in self._confirmed.items():
            spec = self._specs[path]
            after = self._found(spec, _view(self._second, spec))
            if after is None or (after.value, after.dontcare) != (before.value, before.dontcare):
                offered = [jsonable(offer.value) for offer in offers[path]]
                owed = self._is_owed(path, after, done, turn.text, offered)
                touched.append(Touched(path, _shown(before), None if after is None else _shown(after), owed))
        return tuple(sorted(at_risk | {one.path for one in touched})), tuple(touched)

    def _is_owed(self, path: str, after: Found | None, done: Turn, text: str, offered: list[Any]) -> bool:
        """Whether the user's words of this turn call for the change: judged anew here, not as the tracker graded it."""
        said = fold(text).text
        for one in done.changes:
            about = one.path == path or path.startswith(f"{one.path}.") or one.path.startswith(f"{path}.")
            if about and one.quote and fold(one.quote).text in said:
                return after is None or after.dontcare or self._follows(path, after, text, offered)
        return False

    def _follows(self, path: str, after: Found, text: str, offered: list[Any]) -> bool:
        spec = self._specs[path]
        if spec.kind in {"list", "composite", "map"}:
            return True  # only a part of it is new, and that part has its quote
        reading = Reading(self._now, asked=True, negated=True)
        heard = self._texts[-2] if len(self._texts) > 1 else ""
        places = (stands_in(spec, after.value, words, reading) for words in (text, heard))
        return follows(spec, after.value, text, reading) or any(places) or after.value in offered

    def _confirm(self, turn: CorpusTurn) -> None:
        """Confirm all that is right by now."""
        held = self._held(self._second)
        self._confirmed = {}
        for path, reference in (turn.state or {}).items():
            found = held.get(path)
            if found is not None and agrees(self._specs[path], reference, found, self._now):
                self._second.confirm(path)
                self._confirmed[path] = found


def _view(chat: Chat, spec: SlotSpec) -> View:
    return chat.state[spec.domain][spec.name]


def _shown(found: Found) -> Any:
    return DONTCARE_LABEL if found.dontcare else found.value


def _aims_at(one: Decision, path: str, found: Found) -> bool:
    """Whether a change, whatever became of it, would have made a confirmed slot hold something else."""
    domain = path.partition(".")[0]
    if one.path not in (path, domain, f"{domain}.*") and not one.path.startswith(f"{path}."):
        return False
    if one.op in {"confirm", "request"} or one.outcome in {"restated", "confirmed"}:
        return False
    return one.op != "set" or spoken(jsonable(one.value)) != spoken(_shown(found))


def _proposal(one: Decision) -> Proposal:
    return Proposal(one.op, one.path, jsonable(one.value), one.quote, one.outcome, one.reason)


__all__ = ["SERVICES", "Repeated", "Services", "Watched", "domains_for", "play"]
