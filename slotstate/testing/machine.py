"""The promises as a state machine over a user's own domains.

A tracker is driven through random conversations with a scripted extractor; after every step each slot is compared with
an independent oracle, and the log with what it was before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, TypeVar
from unittest import TestCase

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from slotstate.chat import Chat
from slotstate.contract import View, view
from slotstate.domains import Declarable, Domains, compile_domains
from slotstate.errors import MessageConflict, NotHeld, ValueChanged
from slotstate.events import UserTurn
from slotstate.extract import Change, Extraction, Request
from slotstate.log import Entry
from slotstate.slots import DONTCARE, UNSET, Json, SlotSpec
from slotstate.state import replay
from slotstate.stores import MemoryStore, open_store
from slotstate.testing.hostile import turns
from slotstate.testing.kinds import NOW, accepts
from slotstate.testing.laws import broken_laws
from slotstate.testing.oracle import Heard, Oracle, Track, UserSays
from slotstate.testing.speech import Draw, Speaker, Speech, fitting, known_values, shown
from slotstate.testing.words import cues, repeats, sayings
from slotstate.tracker import Tracker
from slotstate.values import jsonable

MAX_EXAMPLES = 60
STEPS = 25
R = TypeVar("R")


class _Puppet:
    """An extractor that says what the machine wants said next."""

    def __init__(self) -> None:
        self.answer: Extraction | Exception = Extraction()

    def extract(self, request: Request) -> Extraction:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    async def aextract(self, request: Request) -> Extraction:
        return self.extract(request)


class PromiseMachine(RuleBasedStateMachine):
    """Drives a tracker over `domains`; make one for your own with `promises_for`."""

    domains: ClassVar[Domains]
    known: ClassVar[Mapping[str, Sequence[Json]]]

    @initialize(wheel=st.integers(0, 19), durable=st.sampled_from([False, False, True]))
    def begin(self, wheel: int, durable: bool) -> None:
        """An empty session in memory or in a file, open twice."""
        self.now: datetime = NOW
        self.folder = TemporaryDirectory() if durable else None
        self.store = open_store(f"sqlite:///{Path(self.folder.name) / 'log.db'}") if self.folder else MemoryStore()
        self.puppet = _Puppet()
        self.story: list[str] = []
        self.failed = False
        self.log: Sequence[Entry] = ()
        self.sent: dict[str, str] = {}
        self.unread: list[tuple[str, str, UserSays, tuple[Change, ...]]] = []
        self.speaker = Speaker(self.domains, self.known, wheel)
        self.oracle = Oracle(self.domains, _repeats, fitting)
        self._reopen()

    def _reopen(self) -> None:
        self.tracker = Tracker(self.domains, extractor=self.puppet, store=self.store, clock=lambda: self.now)
        self.chats = [self.tracker.open("promises") for _ in range(2)]

    # What people say

    @rule(data=st.data(), partial=st.booleans())
    def user_says(self, data: Draw, partial: bool) -> None:
        """A user turn about some slots."""
        speech = self.speaker.speech(data, self.oracle)
        self._listen(data, speech, "cut off" if partial else None)

    @precondition(lambda self: self._heard() is not None)
    @rule(data=st.data())
    def user_answers(self, data: Draw) -> None:
        """A bare yes or no to what the assistant has just said."""
        heard = self._heard()
        if heard is not None:
            self._listen(data, self.speaker.answer(data, heard, self.oracle), None)

    def _heard(self) -> Heard | None:
        """What the assistant said since the user spoke last."""
        heard = self.oracle.heard if hasattr(self, "oracle") else None
        return heard if heard is not None and heard.turn > self.oracle.spoke else None

    def _listen(self, data: Draw, speech: Speech, error: str | None) -> None:
        says = self._message(speech)
        self.puppet.answer = Extraction(speech.changes, error=error)
        ident = f"m{says.turn}"
        self._tell(f"user [{ident}]: {speech.text!r}", *map(shown, speech.changes))
        self._chat(data).user(speech.text, id=ident)
        if speech.changes or error is None:
            self.oracle.user(says)
        else:
            self.unread.append((ident, speech.text, says, speech.changes))
        self._check()

    def _message(self, speech: Speech) -> UserSays:
        fresh = self._heard() is not None
        turn = self.oracle.message()
        self.sent[f"m{turn}"] = speech.text
        heard = self.oracle.heard
        return UserSays(turn, self.now, heard, speech.told, speech.plain, speech.objects, fresh, speech.rivals)

    @rule(data=st.data(), answers=st.booleans())
    def extractor_fails(self, data: Draw, answers: bool) -> None:
        """A user turn that nobody reads for now: nothing may change."""
        heard = self._heard()
        if answers and heard is not None:
            speech = self.speaker.answer(data, heard, self.oracle, silent=True)
        else:
            speech = self.speaker.speech(data, self.oracle)
        says = self._message(speech)
        self.puppet.answer = TimeoutError("no answer")
        self._tell(f"user [m{says.turn}]: {speech.text!r}", "the extractor fails")
        turn = self._chat(data).user(speech.text, id=f"m{says.turn}")
        self._expect(turn.extraction == "failed", f"a failed extraction is reported as {turn.extraction}")
        self.unread.append((turn.id, speech.text, says, speech.changes))
        self._check()

    @precondition(lambda self: getattr(self, "unread", None))
    @rule(data=st.data())
    def message_comes_again_and_is_read(self, data: Draw) -> None:
        """An unread turn is read late: newer changes of a slot win."""
        ident, text, says, changes = self.unread.pop(data.draw(st.integers(0, len(self.unread) - 1)))
        self.puppet.answer = Extraction(changes)
        self._tell(f"user [{ident}] again: {text!r}", *map(shown, changes))
        self._chat(data).user(text, id=ident)
        self.oracle.user(says)
        self._check()

    @precondition(lambda self: getattr(self, "sent", None))
    @rule(data=st.data())
    def message_comes_again(self, data: Draw) -> None:
        """A turn that was read is delivered once more: nothing happens. Under another text it is refused."""
        read = [ident for ident in self.sent if ident not in {one[0] for one in self.unread}]
        ident = data.draw(st.sampled_from(read or list(self.sent)))
        self.puppet.answer = TimeoutError("nobody should ask")
        self._tell(f"user [{ident}] again, then with another text")
        chat = self._chat(data)
        if ident in read:
            chat.user(self.sent[ident], id=ident)
        refused = _raises(MessageConflict, lambda: chat.user(self.sent[ident] + " More.", id=ident))
        self._expect(refused, "another text under a known id raises no MessageConflict")
        entries = len(self.store.load("promises"))
        self._expect(entries == len(self.log), f"the log grew by {entries - len(self.log)} entries")
        self._check()

    @rule(data=st.data())
    def assistant_says(self, data: Draw) -> None:
        """An assistant turn: it repeats values, asks for slots, offers values."""
        text = " ".join(self._echo(spec, data) for spec in self.speaker.slots(data, 2)) or "Let me see."
        asks = tuple(spec.path for spec in self.speaker.slots(data, 2))
        offers: dict[str, Any] = {}
        for spec in self.speaker.slots(data, 2):
            some = [value for value in (self.speaker.value(spec, data) for _ in range(2)) if value is not DONTCARE]
            if some and spec.kind != "boolean":
                distinct = some if len(some) == 2 and some[0] != some[1] and data.draw(st.booleans()) else some[:1]
                offers[spec.path] = some[0] if spec.kind == "list" else distinct
        self._tell(f"assistant: {text!r}" + (f" asks {asks}" if asks else "") + (f" offers {offers}" if offers else ""))
        self._chat(data).assistant(text, asks=asks, offers=offers)
        listed = [
            (path, value)
            for path, given in offers.items()
            for value in ([given] if self.domains.specs[path].kind == "list" else given)
        ]
        self.oracle.assistant(text, asks, listed)
        self._check()

    def _echo(self, spec: SlotSpec, data: Draw) -> str:
        """The held value repeated, where it can be said without asking or answering anything."""
        value = self.oracle.tracks[spec.path].kept.value
        known = [f"Noted: {words}." for words in (() if value in (None, DONTCARE) else sayings(spec, value))]
        known = [text for text in known if not cues(text)]
        return data.draw(st.sampled_from(known)) if known else "One moment."

    # What the application does

    @rule(data=st.data(), confirmed=st.booleans())
    def application_sets(self, data: Draw, confirmed: bool) -> None:
        """The application's word always counts."""
        spec = self.speaker.slot(data)
        value = self.speaker.value(spec, data)
        if value is DONTCARE or accepts(spec, value):
            self._tell(f"application: set {spec.path} {value!r}{' confirmed' if confirmed else ''}")
            self._chat(data).set(spec.path, value, confirmed=confirmed)
            self.oracle.set(spec.path, value, confirmed, self.now)
        self._check()

    @rule(data=st.data())
    def application_clears(self, data: Draw) -> None:
        """A slot, or a part of it, is emptied."""
        spec = self.speaker.slot(data)
        part = self.speaker.part(spec, data)
        path = spec.path if part is None else f"{spec.path}.{part}"
        self._tell(f"application: clear {path}")
        self._chat(data).clear(path)
        self.oracle.clear(spec.path, part, self.now)
        self._check()

    @rule(data=st.data(), shows=st.booleans())
    def application_confirms(self, data: Draw, shows: bool) -> None:
        """Confirmed is what the slot holds, and nothing else."""
        spec = self.speaker.slot(data)
        track = self.oracle.tracks[spec.path]
        value = self.speaker.value(spec, data) if shows else UNSET
        self._tell(f"application: confirm {spec.path} {value!r}")
        chat = self._chat(data)
        if not track.held:
            self._expect(_raises(NotHeld, lambda: chat.confirm(spec.path, value)), "confirm of an empty slot raises no NotHeld")
        elif shows and value != track.kept.value:
            refused = _raises(ValueChanged, lambda: chat.confirm(spec.path, value))
            self._expect(refused, "confirm of another value raises no ValueChanged")
        else:
            chat.confirm(spec.path, value)
            self.oracle.confirm(spec.path, self.now)
        self._check()

    @rule(data=st.data())
    def application_undoes(self, data: Draw) -> None:
        """The last change of a slot, or the last step, is taken back."""
        path = data.draw(st.sampled_from([None, *self.domains.specs]))
        self._tell(f"application: undo {path or ''}")
        chat = self._chat(data)
        undone = not _raises(NotHeld, lambda: chat.undo(path))
        self._expect(undone == self.oracle.undo(path, self.now), "there is something to undo where there should be nothing, or none")
        self._check()

    @rule(data=st.data())
    def application_resets(self, data: Draw) -> None:
        """A task ends."""
        domain = data.draw(st.sampled_from(list(self.domains)))
        self._tell(f"application: reset {domain}")
        self._chat(data).reset(domain)
        self.oracle.reset(domain)
        self._check()

    # What happens to them

    @precondition(lambda self: bool(getattr(self, "story", None)))
    @rule(minutes=st.sampled_from([1, 45, 60 * 30, 60 * 24 * 400]))
    def time_passes(self, minutes: int) -> None:
        """Nothing changes until somebody speaks."""
        self.now += timedelta(minutes=minutes)
        self._tell(f"{minutes} minutes pass")
        self._check()

    @precondition(lambda self: bool(getattr(self, "story", None)) and self.story[-1] != "restart")
    @rule()
    def process_restarts(self) -> None:
        """What a new process reads from the store is what the old one held."""
        self._tell("restart")
        if self.folder is not None:
            self.store.close()
            self.store = open_store(f"sqlite:///{Path(self.folder.name) / 'log.db'}")
        self._reopen()
        self._check()

    @rule(data=st.data())
    def hostile_turn(self, data: Draw) -> None:
        """On a copy of the session: anything at all is said and proposed. The laws hold."""
        copy = MemoryStore()
        copy.append("promises", self.store.load("promises"), 0)
        tracker = Tracker(self.domains, extractor=self.puppet, store=copy, clock=lambda: self.now)
        chat = tracker.open("promises")
        text, changes = data.draw(turns(self.domains))
        self.puppet.answer = Extraction(changes)
        broken = broken_laws(chat, lambda: chat.user(text))
        if broken:
            self._tell(f"user: {text!r}", *map(shown, changes))
        self._expect(not broken, "; ".join(broken))

    def teardown(self) -> None:
        """The log, folded anew, gives what every chat shows."""
        if not hasattr(self, "store"):
            return
        try:
            if self.failed:
                return
            entries = self.store.load("promises")
            state = replay(entry.event for entry in entries)
            for path, spec in self.domains.specs.items():
                self._compare(path, view(spec, state.slot(path)), "after the log was replayed")
        finally:
            self.store.close()
            if self.folder is not None:
                self.folder.cleanup()

    # Checks

    def _chat(self, data: Draw) -> Chat:
        """One of the two, the other of which has not heard of the last call."""
        self.acting = self.chats[data.draw(st.integers(0, 1))]
        return self.acting

    def _check(self) -> None:
        entries = self.store.load("promises", 0)
        self._expect(tuple(entries[: len(self.log)]) == tuple(self.log), "entries of the log were changed")
        self.log = entries
        chat = getattr(self, "acting", self.chats[0])
        fresh = chat if len(chat.entries) == len(entries) else self.tracker.open("promises")
        for path in self.domains.specs:
            domain, name = path.split(".")
            self._compare(path, fresh.state[domain][name], "")

    def _compare(self, path: str, found: View, when: str) -> None:
        expected = _expected(self.oracle.tracks[path])
        seen = _seen(found)
        wrong = [name for name in expected if expected[name] != seen[name]]
        text = ", ".join(f"{name} should be {expected[name]!r}, is {seen[name]!r}" for name in wrong)
        self._expect(not wrong, f"{path} {when}: {text}")
        if found.value is not None:
            self._expect(not _nulls(jsonable(found.value)), f"{path} holds null")

    def _tell(self, line: str, *details: str) -> None:
        self.story.append("\n".join([line, *(f"      proposed: {detail}" for detail in details)]))

    def _expect(self, holds: bool, otherwise: str) -> None:
        if not holds:
            self.failed = True
            lines = "\n".join(f"  {number}. {line}" for number, line in enumerate(self.story, start=1))
            raise AssertionError(f"{otherwise}\nThe story:\n{lines}")


def _expected(track: Track) -> dict[str, Any]:
    kept = track.kept
    care = kept.value is not DONTCARE
    return {
        "status": kept.status,
        "value": kept.value if care else None,
        "dontcare": not care,
        "excluded": list(kept.excluded),
        "offers": [value for value, _ in track.offers],
        "pending": track.pending,
    }


def _seen(found: View) -> dict[str, Any]:
    return {
        "status": found.status,
        "value": jsonable(found.value),
        "dontcare": found.dontcare,
        "excluded": jsonable(found.excluded),
        "offers": [jsonable(offer.value) for offer in found.offers],
        "pending": found.pending.why if found.pending else None,
    }


def _nulls(value: Json) -> bool:
    parts: Iterable[Json] = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value is None or any(map(_nulls, parts))


def _repeats(spec: SlotSpec, value: Json, text: str) -> bool:
    from pydantic_core import to_json

    return repeats(spec, to_json(value).decode(), text)


def _raises(kind: type[Exception], call: Callable[[], R]) -> bool:
    try:
        call()
    except kind:
        return True
    return False


def _settings(max_examples: int, steps: int, base: settings | None) -> settings:
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    return settings(base or settings(), max_examples=max_examples, stateful_step_count=steps, deadline=None, suppress_health_check=slow)


def machine_for(*domains: Declarable | Domains) -> type[PromiseMachine]:
    """The state machine over these domains."""
    compiled = domains[0] if len(domains) == 1 and isinstance(domains[0], Domains) else compile_domains(
        [one for one in domains if not isinstance(one, Domains)]
    )
    name = "PromisesOf" + "".join(part.title().replace("_", "") for part in compiled)
    return type(name, (PromiseMachine,), {"domains": compiled, "known": known_values(compiled)})


def promises_for(
    *domains: Declarable | Domains, max_examples: int = MAX_EXAMPLES, steps: int = STEPS, settings: settings | None = None
) -> type[TestCase]:
    """A test class that checks the promises on your domains: `TestTravel = promises_for(Travel)`."""
    case: Any = machine_for(*domains).TestCase
    case.settings = _settings(max_examples, steps, settings)
    return case


def check_promises(
    *domains: Declarable | Domains, max_examples: int = MAX_EXAMPLES, steps: int = STEPS, settings: settings | None = None
) -> None:
    """Check the promises on your domains, here and now. Raises AssertionError with the story of what went wrong."""
    run_state_machine_as_test(machine_for(*domains), settings=_settings(max_examples, steps, settings))


__all__ = ["MAX_EXAMPLES", "STEPS", "PromiseMachine", "check_promises", "machine_for", "promises_for"]
