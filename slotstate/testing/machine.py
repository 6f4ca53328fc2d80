"""The promises as a state machine over a user's own domains.

A tracker is driven through random conversations with a scripted extractor; after every step each slot is compared with
an independent oracle, and the log with what it was before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import wraps
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from slotstate.chat import Chat
from slotstate.contract import View, view
from slotstate.domains import Domains
from slotstate.errors import MessageConflict, NotHeld, ValueChanged
from slotstate.extract import Change, Extraction, Request
from slotstate.log import Entry
from slotstate.slots import DONTCARE, UNSET, Json, SlotSpec
from slotstate.state import replay
from slotstate.stores import MemoryStore, open_store
from slotstate.testing.comparison import expected_of, holds_null, interest, seen_in
from slotstate.testing.hostile import wild_turn
from slotstate.testing.kinds import NOW, accepts
from slotstate.testing.laws import broken_laws
from slotstate.testing.oracle import Oracle
from slotstate.testing.pools import Dice, chance
from slotstate.testing.speech import Speaker, Speech, fitting, shown
from slotstate.testing.told import Heard, UserSays
from slotstate.testing.words import cues, repeats, sayings
from slotstate.tracker import Tracker
from slotstate.values import jsonable

SEEDS = st.integers(0, 2**20)
"""A step is told by one number: what is drawn from it is the same each time, and steps can be left out one by one."""
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


def _telling(step: Callable[[Any, int], None]) -> Callable[[Any, int], None]:
    """Let a step that crashes tell its story as well."""

    @wraps(step)
    def told(self: PromiseMachine, seed: int) -> None:
        try:
            step(self, seed)
        except Exception as error:
            if not self.failed:
                self.failed = True
                error.add_note(self.told_story())
            raise

    return told


class PromiseMachine(RuleBasedStateMachine):
    """Drives a tracker over `domains`; make one for your own with `promises_for`."""

    domains: ClassVar[Domains]
    known: ClassVar[Mapping[str, Sequence[Json]]]

    @initialize(seed=SEEDS)
    def begin(self, seed: int) -> None:
        """A session in memory or in a file, open twice, about a few slots: the others must be left alone."""
        self.base = seed
        self.drawn = Counter[int]()
        dice = self._dice(0)
        self.now: datetime = NOW
        self.folder = TemporaryDirectory() if dice.random() < 0.15 else None
        self.store = open_store(f"sqlite:///{Path(self.folder.name) / 'log.db'}") if self.folder else MemoryStore()
        self.puppet = _Puppet()
        self.story: list[str] = []
        self.failed = False
        self.log: Sequence[Entry] = ()
        self.sent: dict[str, str] = {}
        self.unread: list[tuple[str, str, UserSays, tuple[Change, ...]]] = []
        self.speaker = Speaker(self.domains, self.known, dice.randrange(20))
        self._change_topic(dice)
        self.oracle = Oracle(self.domains, _repeats, fitting)
        self._reopen()
        for _ in self.speaker.topic:
            self._set(dice)
        self._check()

    def _dice(self, seed: int) -> Random:
        """Dice for a step: the same for the same number, others when it comes again, as hypothesis likes to repeat."""
        self.drawn[seed] += 1
        return Random(f"{self.base} {seed} {self.drawn[seed]}")

    def _change_topic(self, dice: Dice) -> None:
        few = min(dice.randint(2, 4), len(self.domains.specs))
        self.speaker.topic = sorted(
            self.domains.specs, key=lambda path: dice.random() / interest(self.domains.specs[path])
        )[:few]

    def _reopen(self) -> None:
        self.tracker = Tracker(self.domains, extractor=self.puppet, store=self.store, clock=lambda: self.now)
        self.chats = [self.tracker.open("promises") for _ in range(2)]
        self.acting = self.chats[0]

    # What people say

    @rule(seed=SEEDS)
    @_telling
    def user_speaks(self, seed: int) -> None:
        """A user turn about some slots, or a bare answer; now and then after a while, or one that nobody reads."""
        dice = self._dice(seed)
        minutes = dice.choice([0, 0, 0, 1, 180, 60 * 24 * 400])
        if minutes:
            self.now += timedelta(minutes=minutes)
            self._tell(f"{minutes} minutes pass")
        heard = self._heard()
        fate = dice.choice(["read", "read", "read", "read", "cut off", "fails"])
        if heard is not None and chance(dice):
            speech = self.speaker.answer(dice, heard, self.oracle, silent=fate == "fails")
        else:
            speech = self.speaker.speech(dice, self.oracle)
        self._listen(dice, speech, fate)

    @rule(seed=SEEDS)
    @_telling
    def user_speaks_on(self, seed: int) -> None:
        """Users speak more often than others do."""
        self.user_speaks(seed)

    @rule(seed=SEEDS)
    @_telling
    def they_talk(self, seed: int) -> None:
        """The assistant says something, and the user answers."""
        dice = self._dice(seed)
        if dice.random() < 0.2:
            self._change_topic(dice)
        self._assistant(dice)
        self.user_speaks(seed)

    def _heard(self) -> Heard | None:
        """What the assistant said since the user spoke last."""
        heard = self.oracle.heard
        return heard if heard is not None and heard.turn > self.oracle.spoke else None

    def _listen(self, dice: Dice, speech: Speech, fate: str) -> None:
        says = self._message(speech)
        ident = f"m{says.turn}"
        self._tell(
            f"user [{ident}]: {speech.text!r}",
            *(["(the extractor fails)"] if fate == "fails" else []),
            *map(shown, speech.changes),
        )
        failed = fate == "fails" or (fate == "cut off" and not speech.changes)
        if fate == "fails":
            self.puppet.answer = TimeoutError("no answer")
        else:
            self.puppet.answer = Extraction(speech.changes, error=None if fate == "read" else fate)
        turn = self._chat(dice).user(speech.text, id=ident)
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

    def _assistant(self, dice: Dice) -> None:
        """An assistant turn: it repeats values, asks for slots, offers values."""
        text = " ".join(self._echo(spec, dice) for spec in self.speaker.slots(dice, 2)) or "Let me see."
        asks = tuple(spec.path for spec in self.speaker.slots(dice, 2))
        offers: dict[str, Any] = {}
        for spec in self.speaker.slots(dice, 2):
            some = [value for value in (self.speaker.value(spec, dice) for _ in range(2)) if value is not DONTCARE]
            if some and spec.kind != "boolean":
                distinct = some if len(some) == 2 and some[0] != some[1] and chance(dice) else some[:1]
                offers[spec.path] = some[0] if spec.kind == "list" else distinct
        self._tell(f"assistant: {text!r}" + (f" asks {asks}" if asks else "") + (f" offers {offers}" if offers else ""))
        self._chat(dice).assistant(text, asks=asks, offers=offers)
        listed = [
            (path, value)
            for path, given in offers.items()
            for value in ([given] if self.domains.specs[path].kind == "list" else given)
        ]
        self.oracle.assistant(text, asks, listed)
        self._check()

    def _echo(self, spec: SlotSpec, dice: Dice) -> str:
        """The held value repeated, where it can be said without asking or answering anything."""
        value = self.oracle.tracks[spec.path].kept.value
        known = [f"Noted: {words}." for words in (() if value in (None, DONTCARE) else sayings(spec, value))]
        known = [text for text in known if not cues(text)]
        return dice.choice(known) if known else "One moment."

    # What the application does

    @rule(seed=SEEDS)
    @_telling
    def application_acts(self, seed: int) -> None:
        """The application's calls always count."""
        dice = self._dice(seed)
        acts = (
            self._set,
            self._set,
            self._set,
            self._confirm,
            self._confirm,
            self._clear,
            self._undo,
            self._undo,
            self._undo,
            self._reset,
        )
        dice.choice(acts)(dice)
        self._check()

    def _set(self, dice: Dice) -> None:
        spec, confirmed = self.speaker.slot(dice), dice.random() < 0.7
        value = self.speaker.value(spec, dice)
        if value is DONTCARE or accepts(spec, value):
            self._tell(f"application: set {spec.path} {value!r}{' confirmed' if confirmed else ''}")
            self._chat(dice).set(spec.path, value, confirmed=confirmed)
            self.oracle.set(spec.path, value, confirmed, self.now)

    def _clear(self, dice: Dice) -> None:
        spec = self.speaker.slot(dice)
        part = self.speaker.part(spec, dice)
        path = spec.path if part is None else f"{spec.path}.{part}"
        self._tell(f"application: clear {path}")
        self._chat(dice).clear(path)
        self.oracle.clear(spec.path, part, self.now)

    def _confirm(self, dice: Dice) -> None:
        spec = self.speaker.slot(dice)
        track = self.oracle.tracks[spec.path]
        value = self.speaker.value(spec, dice) if chance(dice) else UNSET
        self._tell(f"application: confirm {spec.path} {value!r}")
        chat = self._chat(dice)
        if not track.held:
            refused = _raises(NotHeld, lambda: chat.confirm(spec.path, value))
            self._expect(refused, "confirm of an empty slot raises no NotHeld")
        elif value not in (UNSET, track.kept.value):
            refused = _raises(ValueChanged, lambda: chat.confirm(spec.path, value))
            self._expect(refused, "confirm of another value raises no ValueChanged")
        else:
            chat.confirm(spec.path, value)
            self.oracle.confirm(spec.path, self.now)

    def _undo(self, dice: Dice) -> None:
        path = dice.choice([None, *self.speaker.topic])
        self._tell(f"application: undo {path or ''}")
        chat = self._chat(dice)
        undone = not _raises(NotHeld, lambda: chat.undo(path))
        self._expect(
            undone == self.oracle.undo(path, self.now),
            f"undo {'found' if undone else 'did not find'} something to undo",
        )

    def _reset(self, dice: Dice) -> None:
        domain = self.speaker.slot(dice).domain
        self._tell(f"application: reset {domain}")
        self._chat(dice).reset(domain)
        self.oracle.reset(domain)

    # What happens to them

    @rule(seed=SEEDS)
    @_telling
    def something_happens(self, seed: int) -> None:
        """A message comes again, a process restarts, or (on a copy) somebody goes wild."""
        dice = self._dice(seed)
        dice.choice((self._read_late, self._read_late, self._again, self._restart, self._go_wild))(dice)
        self._check()

    def _read_late(self, dice: Dice) -> None:
        """An unread turn is read at last: newer changes of a slot win."""
        if self.unread:
            ident, text, says, changes = self.unread.pop(dice.randrange(len(self.unread)))
            self.puppet.answer = Extraction(changes)
            self._tell(f"user [{ident}] again: {text!r}", *map(shown, changes))
            self._chat(dice).user(text, id=ident)
            self.oracle.user(says)

    def _again(self, dice: Dice) -> None:
        """A turn that was read is delivered once more: nothing happens. Under another text it is refused."""
        unread = {one[0] for one in self.unread}
        read = [ident for ident in self.sent if ident not in unread]
        if not read:
            return
        ident = dice.choice(read)
        self.puppet.answer = TimeoutError("nobody should ask")
        self._tell(f"user [{ident}] again, then with another text")
        chat = self._chat(dice)
        chat.user(self.sent[ident], id=ident)
        refused = _raises(MessageConflict, lambda: chat.user(self.sent[ident] + " More.", id=ident))
        self._expect(refused, "another text under a known id raises no MessageConflict")
        grown = len(self.store.load("promises")) - len(self.log)
        self._expect(grown == 0, f"the log grew by {grown} entries")

    def _restart(self, _: Dice) -> None:
        """What a new process reads from the store is what the old one held."""
        self._tell("restart")
        if self.folder is not None:
            self.store.close()
            self.store = open_store(f"sqlite:///{Path(self.folder.name) / 'log.db'}")
        self._reopen()

    def _go_wild(self, dice: Dice) -> None:
        """On a copy of the session: anything at all is said and proposed. The laws hold."""
        copy = MemoryStore()
        copy.append("promises", self.store.load("promises"), 0)
        tracker = Tracker(self.domains, extractor=self.puppet, store=copy, clock=lambda: self.now)
        chat = tracker.open("promises")
        text, changes = wild_turn(self.speaker, dice)
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

    def _chat(self, dice: Dice) -> Chat:
        """One of the two, the other of which has not heard of the last call."""
        self.acting = dice.choice(self.chats)
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
        expected = expected_of(self.oracle.tracks[path])
        seen = seen_in(found)
        wrong = [name for name in expected if expected[name] != seen[name]]
        text = ", ".join(f"{name} should be {expected[name]!r}, is {seen[name]!r}" for name in wrong)
        self._expect(not wrong, f"{path} {when}: {text}")
        if found.value is not None:
            self._expect(not holds_null(jsonable(found.value)), f"{path} holds null")

    def _tell(self, line: str, *details: str) -> None:
        self.story.append("\n".join([line, *(f"      proposed: {detail}" for detail in details)]))

    def _expect(self, holds: bool, otherwise: str) -> None:
        if not holds:
            self.failed = True
            raise AssertionError(f"{otherwise}\n{self.told_story()}")

    def told_story(self) -> str:
        """What happened so far, step by step."""
        return "The story:\n" + "\n".join(f"  {number}. {line}" for number, line in enumerate(self.story, start=1))


def _repeats(spec: SlotSpec, value: Json, text: str) -> bool:
    from pydantic_core import to_json

    return repeats(spec, to_json(value).decode(), text)


def _raises(kind: type[Exception], call: Callable[[], R]) -> bool:
    try:
        call()
    except kind:
        return True
    return False
