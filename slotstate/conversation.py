"""How a conversation is recorded: flows that write each message, and read each user turn, before they return."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, cast

from slotstate.compact.recall import read_range
from slotstate.contract import Turn, decision, turn_report
from slotstate.decide import (
    Said,
    asked_slots,
    decide,
    requested_slots,
)
from slotstate.errors import InputError, MessageConflict, one_line
from slotstate.events import (
    AnyEvent,
    AssistantTurn,
    Extracted,
    MessageEvent,
    Offer,
    SystemTurn,
    ToolTurn,
    UserTurn,
)
from slotstate.extract import MAX_ASSISTANT_CHARS, Extraction, checked, cut_middle, make_request
from slotstate.flow import Ask, Flow, Stored
from slotstate.following import Following
from slotstate.log import Entry
from slotstate.masking import Secrets
from slotstate.messages import Message, storable
from slotstate.session import Depth, decisions
from slotstate.shelving import Shelved, is_shelved, shelve_result, shelved
from slotstate.state import State
from slotstate.values import Reading, normalise

if TYPE_CHECKING:
    pass

T = TypeVar("T")
MASKED_IN_FULL: Final = 2_000_000
"""Characters of a tool's result in which secrets are looked for in every spelling before it is cut."""


class Conversation(Following):
    """What a tracker writes into the log of one session. Everything that writes is a flow; Chat runs them."""

    def _message(self, make: Callable[[int, str], MessageEvent], ident: str | None) -> Flow[MessageEvent]:
        """Write a message unless it is there already. Raises MessageConflict."""
        ident = None if ident is None else text_of(ident, "a message id")
        stored: list[MessageEvent] = []
        sought = ""

        def events(state: State) -> Sequence[AnyEvent] | None:
            name = ident if ident is not None else self._fresh_id(state.turns)
            if name != sought and self._session.depth is not Depth.ALL:
                raise _Unsought((name,))
            event = make(state.turns, name)
            known = self._session.message(event.id)
            if known is None:
                return (event,)
            if (type(known), known.text) != (type(event), event.text):
                raise MessageConflict(f"message id {event.id!r} stands for another text already: send a new id")
            stored[:] = [known]
            return None

        while True:
            sought = ident if ident is not None else self._fresh_id(self._session.state.turns)
            yield from self._sought(sought)
            with suppress(_Unsought):
                written = yield from self._append(events)
                return cast("MessageEvent", written[0]) if written else stored[0]

    def _sought(self, ident: str) -> Flow[None]:
        """Have a message in memory if it is in the log."""
        if self._session.depth is Depth.ALL or self._session.message(ident) is not None:
            return
        found: Entry | None = yield Stored(lambda store: store.find(self._name, ident))
        if found is not None and found.seq < self._session.base:
            yield from self._deepened(Depth.ALL)

    def _fresh_id(self, turn: int) -> str:
        ident = f"turn-{turn}"
        while self._session.message(ident) is not None:
            ident += "+"
        return ident

    def _unanswered(self, text: str) -> Flow[bool]:
        """Give each call that has no result this one; whether there was any."""
        yield from self._deepened(Depth.WINDOW)
        sought: tuple[str, ...] = ()

        def events(state: State) -> Sequence[AnyEvent] | None:
            calls = self._session.transcript.pending
            names = tuple(self._fresh_id(state.turns + at) for at in range(len(calls)))
            if names != sought and self._session.depth is not Depth.ALL:
                raise _Unsought(names)
            return [
                ToolTurn(turn=state.turns + at, id=name, call_id=call, text=text)
                for at, (call, name) in enumerate(zip(calls, names, strict=True))
            ]

        while True:
            try:
                return bool((yield from self._append(events)))
            except _Unsought as error:
                sought = error.names
            for name in sought:
                yield from self._sought(name)

    def _maker(self, message: Message) -> Callable[[int, str], MessageEvent]:
        asked = tuple(self.domains.resolve(path)[0].path for path in message.asks)

        def make(turn: int, ident: str) -> MessageEvent:
            match message.role:
                case "assistant":
                    return AssistantTurn(
                        turn=turn,
                        id=ident,
                        text=message.text,
                        asks=asked,
                        offers=tuple(self._offers(message.offers or {}, turn)),
                        tool_calls=message.tool_calls,
                        usage=message.usage,
                    )
                case "tool":
                    return ToolTurn(turn=turn, id=ident, call_id=message.tool_call_id or "", text=message.text)
                case _:
                    role: Literal["system", "developer"] = "developer" if message.role == "developer" else "system"
                    return SystemTurn(turn=turn, id=ident, role=role, text=message.text)

        return make

    def _offers(self, offers: Mapping[str, Any], turn: int) -> Iterator[Offer]:
        reading = Reading(self._tracker.now())
        for path, given in offers.items():
            spec = self.domains.spec(path)
            for value in given if isinstance(given, list | tuple) and spec.kind != "list" else [given]:
                given_value = normalise(spec, value, reading)
                yield Offer(path=spec.path, value=given_value, turn=turn, sensitive=spec.slot.sensitive)

    def _recorded(self, message: Message, media: Sequence[Shelved]) -> Flow[MessageEvent]:
        """Write a message; what is too long for it, or no text, goes to the store first."""
        for one in media:
            yield self._kept(one)
        if message.role != "tool":
            return (yield from self._message(self._maker(message), message.id))
        yield from self._deepened(Depth.WINDOW)
        kept = False

        def make(turn: int, ident: str) -> MessageEvent:
            """Anew for each state: another worker may have made the call, or have told a secret."""
            call, known = message.tool_call_id or "", self._session.message(ident)
            if isinstance(known, ToolTurn) and _holds(known, message):
                return known
            policy = self._tracker.prompt_settings.rules.policy(self._session.transcript.tool_of(call))
            if not kept and is_shelved(message, policy):
                raise _Unkept
            shown, result = shelve_result(message, policy, self._written_masked)
            blob = None if result is None else result.blob
            return ToolTurn(turn=turn, id=ident, call_id=call, text=shown.text, blob=blob)

        while True:
            try:
                return (yield from self._message(make, message.id))
            except _Unkept:
                kept = True
            yield self._kept(shelved(message))

    def _kept(self, one: Shelved) -> Stored:
        return Stored(lambda store: store.save_blob(self._name, one.blob.ref, one.content))

    def _written_masked(self, text: str) -> str:
        """A text without the secrets that are known by now."""
        generation, learned = self._learned
        if self._secrets is None or generation != self._session.generation:
            self._secrets = Secrets(self.domains, now=self._tracker.now(), masks=self._tracker.masks)
            self._secrets.learn(self._session.earlier)
            learned = 0
        entries = self._session.entries
        self._secrets.learn(entries[learned:])
        self._learned = self._session.generation, len(entries)
        return self._secrets.mask(text) if len(text) < MASKED_IN_FULL else self._secrets.mask_written(text)

    def _fetched(self, reference: str) -> Flow[str]:
        """The text that a reference stands for. Raises InputError."""
        yield from self._reload()  # it may stand in what another worker wrote
        if not reference.startswith("blob:"):
            yield from self._deepened(Depth.ALL)
        if between := read_range(reference):
            lines = yield from self._between(*between)
            if not lines:
                raise InputError(f"there is no message {reference}: they go to {len(self._session.messages) - 1}")
            return "\n".join(lines)
        event = self._session.message(reference)
        if event is None and reference.isdecimal():
            event = next((one for one in self._session.messages if str(one.turn) == reference), None)
        if event is not None:
            text, blob = event.text, event.blob if isinstance(event, ToolTurn) else None
            if blob is None:
                return text
            found: str | None = yield from self._content(blob.ref)
            if found is None:
                raise InputError(f"what {reference[:80]!r} held is gone from the store: only its preview is left")
            return found
        found = (yield from self._content(reference)) if reference.startswith("blob:") else None
        if found is None:
            raise InputError(
                f"nothing is called {reference[:80]!r}: references look like blob:0a1b…, turn-12 or 12..18"
            )
        return found

    def _between(self, first: int, last: int) -> Flow[list[str]]:
        """Messages in full, a line's head each; what the store has lost is told by its preview."""
        lines: list[str] = []
        for event in self._session.messages:
            if not first <= event.turn <= last:
                continue
            blob = event.blob if isinstance(event, ToolTurn) else None
            text = None if blob is None else (yield from self._content(blob.ref))
            calls = event.tool_calls if isinstance(event, AssistantTurn) else ()
            said = [text or event.text, *(f"calls {call.name} {call.arguments}" for call in calls)]
            lines.append(f"{event.kind} {event.id}: {' '.join(part for part in said if part)}")
        return lines

    def _bytes(self, reference: str) -> Flow[bytes]:
        """A blob as it came. Raises InputError."""
        yield from self._reload()  # it may be another user's by now
        content: bytes | None = yield Stored(lambda store: store.load_blob(self._name, reference))
        if content is None:
            raise InputError(f"no blob is called {reference[:80]!r}: a reference looks like blob:0a1b…")
        return content

    def _content(self, ref: str) -> Flow[str | None]:
        """A blob as text; None when there is none."""
        content = yield Stored(lambda store: store.load_blob(self._name, ref))
        if content is None:
            return None
        try:
            text: str = content.decode("utf-8")
        except UnicodeDecodeError:
            return f"[{len(content)} bytes that are no text]"
        return text

    def _user(
        self, text: str, ident: str | None, media: Sequence[Shelved] = (), domains: Iterable[str] = ()
    ) -> Flow[Turn]:
        started = time.perf_counter()
        text = text_of(text, "what the user said")
        only = frozenset(self.domains[name].name for name in ((domains,) if isinstance(domains, str) else domains))
        at, blobs = self._tracker.now(), tuple(one.blob for one in media)
        for one in media:
            yield self._kept(one)
        turn = yield from self._message(
            lambda index, name: UserTurn(turn=index, id=name, text=text, at=at, blobs=blobs), ident
        )
        if not isinstance(turn, UserTurn):
            raise MessageConflict(f"message id {turn.id!r} stands for a message of another role: send a new id")
        if self._is_read(turn.turn):
            return self._turn(turn)
        if not self._session.knows_before(turn.turn):
            yield from self._deepened(Depth.ALL)
        said = self._said(turn)
        extraction = yield from self._extract(said, only)
        ms = round((time.perf_counter() - started) * 1000, 3)

        if extraction is not None and any(change.op == "undo" for change in extraction.changes):
            yield from self._deepened(Depth.WINDOW)

        def events(state: State) -> Sequence[AnyEvent] | None:
            if self._session.message(turn.id) != turn:
                return None  # it was erased meanwhile
            return None if self._is_read(turn.turn) else self._decided(state, said, extraction, ms)

        yield from self._append(events)
        return self._turn(turn)

    def _said(self, turn: UserTurn) -> Said:
        before = self._session.before(turn.turn)
        heard = before.heard and replace(before.heard, text=cut_middle(before.heard.text, MAX_ASSISTANT_CHARS)[0])
        at = turn.at.astimezone(self._tracker.zone)
        fresh = heard is not None and heard.turn > before.user_turn
        return Said(turn.turn, turn.text, at, heard, asked_slots(self.domains, heard), fresh, before.slots)

    def _extract(self, said: Said, only: Collection[str]) -> Flow[Extraction | None]:
        """What the extractor makes of the turn, shown these domains only where any are named; None when there is
        nothing to read. Its errors become part of the log.
        """
        if not said.text.strip():
            return None
        request = make_request(
            self.domains,
            self._session.state,
            said.heard,
            said.text,
            now=said.now,
            timezone=self._tracker.timezone,
            asked=said.asked,
            deadline=self._tracker.deadline,
            turn=said.turn,
            only=only,
        )
        try:
            return checked((yield Ask(request)))
        except Exception as error:  # no provider's or plug-in's error may lose the turn
            return Extraction(error=one_line(error))

    def _decided(self, state: State, said: Said, extraction: Extraction | None, ms: float) -> Sequence[AnyEvent]:
        if extraction is None:
            return (Extracted(turn=said.turn, result="skipped", ms=ms),)
        failed = extraction.error is not None and not extraction.changes
        events = () if failed else decide(state, self.domains, said, extraction.changes, extraction.suggestions)
        extracted = Extracted(
            turn=said.turn,
            result="failed" if failed else "partial" if extraction.error is not None else "ok",
            model=extraction.model,
            error=None if extraction.error is None else storable(extraction.error)[:500],
            requested=() if failed else requested_slots(self.domains, said, extraction.changes),
            usage=extraction.usage,
            ms=ms,
            decided=len(events),
        )
        return (extracted, *events)

    def _is_read(self, turn: int) -> bool:
        stored = self._session.extraction(turn)
        return stored is not None and stored[0].result != "failed"

    def _turn(self, turn: UserTurn) -> Turn:
        stored = self._session.extraction(turn.turn)
        extracted, events = stored if stored is not None else (Extracted(turn=turn.turn, result="skipped"), ())
        return turn_report(turn.turn, turn.id, extracted, [decision(event) for event in decisions(events)])


class _Unsought(Exception):
    """Ids were made that may stand in what is not in memory: look for them first."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__(names)
        self.names = names


def _holds(known: ToolTurn, message: Message) -> bool:
    """Whether a tool's result is there already. Its preview may be another one by now."""
    return message.text == known.text or (known.blob is not None and known.blob.ref == shelved(message).blob.ref)


class _Unkept(Exception):
    """What is to be moved out of a message is not in the store yet: keep it first."""


def told_by(error: object) -> str:
    """What an error says; "" where it cannot say anything."""
    try:
        return str(error)
    except Exception:  # an error of somebody's own may fail to tell itself
        return ""


def text_of(given: object, what: str) -> str:
    """What must be text, as it can be stored. Raises InputError, naming it."""
    if not isinstance(given, str):
        hint = "; pass content parts to add()" if isinstance(given, list) else ""
        raise InputError(f"{what} must be text, not {type(given).__name__}{hint}")
    return storable(given)
