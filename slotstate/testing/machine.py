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
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

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
    anything: ClassVar[st.SearchStrategy[tuple[str, tuple[Change, ...]]]]

    @initialize(data=st.data(), wheel=st.integers(0, 19), durable=st.sampled_from([False, False, True]))
    def begin(self, data: Draw, wheel: int, durable: bool) -> None:
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
        self.speaker = Speaker(self.domains, self.known, wheel, data.draw(self._topics()))
        self.oracle = Oracle(self.domains, _repeats, fitting)
        self._reopen()

    def _topics(self) -> st.SearchStrategy[list[str]]:
        """A conversation is about a few slots; what is done to these must leave the others alone."""
        few = min(3, len(self.domains.specs))
        return st.lists(st.sampled_from(list(self.domains.specs)), min_size=few, max_size=few, unique=True)

    def _reopen(self) -> None:
        self.tracker = Tracker(self.domains, extractor=self.puppet, store=self.store, clock=lambda: self.now)
        self.chats = [self.tracker.open("promises") for _ in range(2)]
        self.acting = self.chats[0]

    # What people say

    @rule(data=st.data())
    def user_speaks(self, data: Draw) -> None:
        """A user turn about some slots, or a bare answer; now and then after a while, or one that nobody reads."""
        minutes = data.draw(st.sampled_from([0, 0, 0, 1, 180, 60 * 24 * 400]))
        if minutes:
            self.now += timedelta(minutes=minutes)
            self._tell(f"{minutes} minutes pass")
        heard = self._heard()
        fate = data.draw(st.sampled_from(["read", "read", "read", "read", "cut off", "fails"]))
        if heard is not None and data.draw(st.booleans()):
            speech = self.speaker.answer(data, heard, self.oracle, silent=fate == "fails")
        else:
            speech = self.speaker.speech(data, self.oracle)
        self._listen(data, speech, fate)

    @rule(data=st.data())
    def user_speaks_on(self, data: Draw) -> None:
        """Users speak more often than others do."""
        self.user_speaks(data)

    def _heard(self) -> Heard | None:
        """What the assistant said since the user spoke last."""
        heard = self.oracle.heard
        return heard if heard is not None and heard.turn > self.oracle.spoke else None

    def _listen(self, data: Draw, speech: Speech, fate: str) -> None:
        says = self._message(speech)
        ident = f"m{says.turn}"
        self._tell(f"user [{ident}]: {speech.text!r}", *(["(the extractor fails)"] if fate == "fails" else []), *map(shown, speech.changes))
        failed = fate == "fails" or (fate == "cut off" and not speech.changes)
        if fate == "fails":
            self.puppet.answer = TimeoutError("no answer")
        else:
            self.puppet.answer = Extraction(speech.changes, error=None if fate == "read" else fate)
        turn = self._chat(data).user(speech.text, id=ident)
        self._expect((turn.extraction == "failed") == failed, f"extraction is reported as {turn.extraction}")
        if failed:
            self.unread.append((ident, speech.text, says, speech.changes))
        else:
            self.oracle.user(says)
        self._check()

    def _message(self, speech: Speech) -> UserSays:
        fresh = self._heard() is not None
        turn = self.oracle.message()
        self.sent[f"m{turn}"] = speech.text
        heard = self.oracle.heard
        return UserSays(turn, self.now, heard, speech.told, speech.plain, speech.objects, fresh, speech.rivals)

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

    @rule(data=st.data())
    def application_acts(self, data: Draw) -> None:
        """The application's calls always count."""
        acts = (self._set, self._set, self._set, self._confirm, self._confirm, self._clear, self._undo, self._undo, self._reset)
        acts[data.draw(st.integers(0, len(acts) - 1))](data)
        self._check()

    def _set(self, data: Draw) -> None:
        spec, confirmed = self.speaker.slot(data), data.draw(st.booleans())
        value = self.speaker.value(spec, data)
        if value is DONTCARE or accepts(spec, value):
            self._tell(f"application: set {spec.path} {value!r}{' confirmed' if confirmed else ''}")
            self._chat(data).set(spec.path, value, confirmed=confirmed)
            self.oracle.set(spec.path, value, confirmed, self.now)

    def _clear(self, data: Draw) -> None:
        spec = self.speaker.slot(data)
        part = self.speaker.part(spec, data)
        path = spec.path if part is None else f"{spec.path}.{part}"
        self._tell(f"application: clear {path}")
        self._chat(data).clear(path)
        self.oracle.clear(spec.path, part, self.now)

    def _confirm(self, data: Draw) -> None:
        spec = self.speaker.slot(data)
        track = self.oracle.tracks[spec.path]
        value = self.speaker.value(spec, data) if data.draw(st.booleans()) else UNSET
        self._tell(f"application: confirm {spec.path} {value!r}")
        chat = self._chat(data)
        if not track.held:
            refused = _raises(NotHeld, lambda: chat.confirm(spec.path, value))
            self._expect(refused, "confirm of an empty slot raises no NotHeld")
        elif value not in (UNSET, track.kept.value):
            refused = _raises(ValueChanged, lambda: chat.confirm(spec.path, value))
            self._expect(refused, "confirm of another value raises no ValueChanged")
        else:
            chat.confirm(spec.path, value)
            self.oracle.confirm(spec.path, self.now)

    def _undo(self, data: Draw) -> None:
        path = data.draw(st.sampled_from([None, *self.speaker.topic]))
        self._tell(f"application: undo {path or ''}")
        chat = self._chat(data)
        undone = not _raises(NotHeld, lambda: chat.undo(path))
        self._expect(undone == self.oracle.undo(path, self.now), f"undo {'found' if undone else 'did not find'} something to undo")

    def _reset(self, data: Draw) -> None:
        domain = self.speaker.slot(data).domain
        self._tell(f"application: reset {domain}")
        self._chat(data).reset(domain)
        self.oracle.reset(domain)

    # What happens to them

    @rule(data=st.data())
    def something_happens(self, data: Draw) -> None:
        """A message comes again, a process restarts, or (on a copy) somebody goes wild."""
        events = (self._read_late, self._read_late, self._again, self._restart, self._go_wild)
        events[data.draw(st.integers(0, len(events) - 1))](data)
        self._check()

    def _read_late(self, data: Draw) -> None:
        """An unread turn is read at last: newer changes of a slot win."""
        if self.unread:
            ident, text, says, changes = self.unread.pop(data.draw(st.integers(0, len(self.unread) - 1)))
            self.puppet.answer = Extraction(changes)
            self._tell(f"user [{ident}] again: {text!r}", *map(shown, changes))
            self._chat(data).user(text, id=ident)
            self.oracle.user(says)

    def _again(self, data: Draw) -> None:
        """A turn that was read is delivered once more: nothing happens. Under another text it is refused."""
        unread = {one[0] for one in self.unread}
        read = [ident for ident in self.sent if ident not in unread]
        if not read:
            return
        ident = data.draw(st.sampled_from(read))
        self.puppet.answer = TimeoutError("nobody should ask")
        self._tell(f"user [{ident}] again, then with another text")
        chat = self._chat(data)
        chat.user(self.sent[ident], id=ident)
        refused = _raises(MessageConflict, lambda: chat.user(self.sent[ident] + " More.", id=ident))
        self._expect(refused, "another text under a known id raises no MessageConflict")
        grown = len(self.store.load("promises")) - len(self.log)
        self._expect(grown == 0, f"the log grew by {grown} entries")

    def _restart(self, _: Draw) -> None:
        """What a new process reads from the store is what the old one held."""
        self._tell("restart")
        if self.folder is not None:
            self.store.close()
            self.store = open_store(f"sqlite:///{Path(self.folder.name) / 'log.db'}")
        self._reopen()

    def _go_wild(self, data: Draw) -> None:
        """On a copy of the session: anything at all is said and proposed. The laws hold."""
        copy = MemoryStore()
        copy.append("promises", self.store.load("promises"), 0)
        tracker = Tracker(self.domains, extractor=self.puppet, store=copy, clock=lambda: self.now)
        chat = tracker.open("promises")
        text, changes = data.draw(self.anything)
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
        fresh = self.acting if len(self.acting.entries) == len(entries) else self.tracker.open("promises")
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
    about = {"domains": compiled, "known": known_values(compiled), "anything": turns(compiled)}
    return type(name, (PromiseMachine,), about)


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
