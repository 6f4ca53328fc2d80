"""What was forgotten is gone: from the store, from memory at once here, elsewhere at the next call; and stays gone."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from slotstate import Budget, Chat, InputError, Slot, SlotstateError, StoreError, Tracker
from slotstate import session as sessions
from slotstate.compact import Add, Patch, SummaryReply, SummaryRequest
from slotstate.compacting import Compaction
from slotstate.events import CompactionEvent
from slotstate.extract import Extraction, Request
from slotstate.log import Erased, Store
from slotstate.prompt import selection
from slotstate.stores import MemoryStore
from slotstate.testing import change
from tests.prompt.reading import CharCounter

SMALL = Budget(2_400, counter=CharCounter())
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


class Trip(BaseModel):
    """Plan a trip."""

    city: Annotated[str | None, Slot(ask="Where to?")] = None
    card: Annotated[str | None, Slot(sensitive=True)] = None


class Hearing:
    """Takes the last word of what is said for the city."""

    def extract(self, request: Request) -> Extraction:
        word = request.user.split()[-1]
        return Extraction((change("trip.city", "set", word, word),))

    async def aextract(self, request: Request) -> Extraction:
        return self.extract(request)


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


CLOCK = Clock()


@pytest.fixture(params=["memory", "sqlite"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Store]]:
    """Opens a store of this process, and stores of others on the same logs."""
    from slotstate.stores import open_store

    if request.param == "memory":
        store = MemoryStore()
        yield lambda: Elsewhere(store)
        return
    opened: list[Store] = []

    def another() -> Store:
        opened.append(open_store(f"sqlite:///{tmp_path / 'f.db'}"))
        return opened[-1]

    yield another
    for one in opened:
        one.close()


class Elsewhere(MemoryStore):
    """Another process' view on the logs of a store."""

    def __init__(self, store: MemoryStore) -> None:
        super().__init__()
        self._tenants, self._lock = store._tenants, store._lock


def tracker(store: Store | str, **more: Any) -> Tracker:
    return Tracker(Trip, extractor=Hearing(), store=store, clock=CLOCK, budget=SMALL, **more)


def talk(chat: Chat, word: str, turns: int = 12) -> None:
    """Enough for snapshots, a summary, a blob, and what a prompt remembers."""
    for at in range(turns):
        chat.user(f"I must never stay near {word}{at} or fly to {word}", id=f"m{at}")
        chat.assistant(f"Noted {word}.")
        chat.prompt()
    chat.tool_call("c1", "find", {"of": word})
    chat.tool_result("c1", f"{word} row\n" * 3_000)
    chat.set("trip.card", f"{word} 4929")
    chat.compact()
    chat.preview()
    chat.recall("m0")


def reachable(start: object) -> Iterator[object]:
    """Whatever can be reached from an object by references, code aside."""
    seen, left = {id(start)}, [start]
    while left:
        one = left.pop()
        yield one
        if isinstance(one, ModuleType | type):
            continue
        if isinstance(one, FunctionType):
            following: list[object] = [one.__closure__, one.__defaults__, one.__kwdefaults__]
        else:
            following = gc.get_referents(one)
        for other in following:
            if id(other) not in seen:
                seen.add(id(other))
                left.append(other)


def holds(chat: Chat, word: str) -> list[object]:
    """The texts that a conversation keeps alive with a word in them."""
    return [one for one in reachable(chat) if isinstance(one, str | bytes) and word in str(one)]


def shown(chat: Chat) -> str:
    """All that a conversation shows of itself."""
    told = [repr({name: dict(slots) for name, slots in chat.state.items()}), repr(chat.entries), repr(chat.messages)]
    told += [repr(chat.summary), repr(chat.why("trip.city")), repr(chat.preview(reveal=True)), repr(chat.missing(Trip))]
    return " ".join([*told, repr(chat.next_question()), repr(chat.cache_report)])


def logged(store: Store) -> str:
    return repr([(info, store.load(info.session)) for info in store.sessions()])


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({}, "say what is to be forgotten"),
        ({"session": "s", "everything": True}, "everything leaves nothing to choose"),
        ({"before": NOW, "everything": True}, "everything leaves nothing to choose"),
        ({"before": NOW.replace(tzinfo=None)}, "give it a tzinfo"),
        ({"before": "yesterday"}, "before is an aware datetime"),
        ({"user": 7}, "a user to be forgotten is named by its text"),
    ],
)
def test_what_has_no_clear_meaning_forgets_nothing(arguments: dict[str, Any], why: str) -> None:
    own = tracker(MemoryStore())
    own.open("s").user("to Oslo")
    with pytest.raises(InputError, match=why):
        own.forget(**arguments)
    assert [info.entries for info in own.sessions()] == [3]


def test_what_fits_goes_and_the_rest_stays(place: Callable[[], Store]) -> None:
    own, other = tracker(place()), tracker(place(), tenant="other")
    for name, user in (("a", "ada"), ("b", "ada"), ("c", "bob")):
        own.open(name, user=user).user("to Oslo")
    limit = CLOCK()
    own.open("c").user("to Rome")
    own.open("d").user("to Bern")
    other.open("a", user="ada").user("to Wien")
    assert [info.session for info in own.sessions()] == ["a", "b", "c", "d"]
    assert [info.session for info in own.sessions("ada")] == ["a", "b"]
    assert own.forget("a", user="bob") == Erased()
    assert own.forget("nobody") == Erased()
    assert own.forget("c", before=limit) == Erased()
    assert own.forget("b", user="ada", before=limit).sessions == 1
    assert [info.session for info in own.sessions()] == ["a", "c", "d"]
    assert own.forget(before=limit).sessions == 1
    assert own.forget(user="bob").entries == 6
    assert own.forget(everything=True) == Erased(sessions=1, entries=3)
    assert list(own.sessions()) == []
    assert [info.session for info in other.sessions()] == ["a"]


def test_by_age_goes_also_what_no_entry_came_for(place: Callable[[], Store]) -> None:
    own = tracker(place())
    own.open("s").user("to Oslo")
    own.store.save_blob("s", "blob:0123456789abcdef", b"left by a crash")
    soon = datetime.now(UTC) + timedelta(days=1)
    assert own.forget(user="nobody", before=soon).blobs == 0
    assert own.forget(before=datetime(2026, 1, 1, tzinfo=UTC)).blobs == 0
    erased = own.forget(before=soon)
    assert (erased.sessions, erased.blobs, erased.left) == (1, 1, 0)


def test_chats_of_this_process_let_go_at_once(place: Callable[[], Store]) -> None:
    own = tracker(place())
    chat, beside, other = own.open("s"), own.open("s"), own.open("t")
    talk(chat, "Zanzibar")
    beside.user("also near Zanzibar", id="x")
    beside.prompt()
    other.user("to Oslo")
    assert holds(chat, "Zanzibar")
    assert holds(beside, "Zanzibar")
    erased = own.forget("s")
    assert erased.left == 0
    assert (erased.sessions, erased.blobs) == (1, 1)
    for one in (chat, beside):
        assert one.state["trip"]["city"].status == "empty"
        assert one.entries == ()
        assert one.summary.items == ()
        assert "Zanzibar" not in shown(one)
        if isinstance(own.store, MemoryStore):  # a driver keeps the last rows that it has read
            assert holds(one, "Zanzibar") == []
        with pytest.raises(InputError, match="nothing is called"):
            one.recall("m0")
    assert other.state["trip"]["city"].value == "Oslo"
    assert "Zanzibar" not in logged(own.store)


def test_what_goes_on_is_a_new_conversation(place: Callable[[], Store]) -> None:
    own = tracker(place())
    chat = own.open("s", user="ada")
    talk(chat, "Zanzibar")
    own.forget(user="ada")
    turn = chat.user("to Oslo", id="m0")  # the id is free again
    assert (turn.turn, turn.extraction, turn.changes[0].outcome) == (0, "ok", "filled")
    for at in range(12):
        chat.assistant("Noted.")
        chat.user(f"and then on to Bergen, number {at} of many places that I want to see before the summer ends")
        chat.prompt()
    prompt = chat.prompt()
    assert prompt.cache is not None
    first = next(entry.event for entry in chat.entries if entry.event.kind == "epoch")
    assert (first.number, first.reason) == (1, "erasure")
    assert own.open("s").state == chat.state
    assert [info.user for info in own.sessions()] == ["ada"]
    assert "Zanzibar" not in shown(chat)
    fresh = tracker(place()).open("s")
    assert [entry.event for entry in fresh.entries] == [entry.event for entry in chat.entries]


CALLS: dict[str, Callable[[Chat], Any]] = {
    "user": lambda chat: chat.user("to Oslo", id="m1"),
    "user again": lambda chat: chat.user("I must never stay near Zanzibar0 or fly to Zanzibar", id="m0"),
    "assistant": lambda chat: chat.assistant("Well."),
    "tool_result": lambda chat: chat.tool_result("c9", "x" * 90),
    "set": lambda chat: chat.set("trip.city", "Oslo"),
    "reset": lambda chat: chat.reset(Trip),
    "compact": lambda chat: chat.compact(),
    "prompt": lambda chat: chat.prompt(),
    "overflowed": lambda chat: chat.overflowed("This model's maximum context length is 9000 tokens"),
    # These look for what is not there any more, or is another's.
    "confirm": lambda chat: chat.confirm("trip.city", "Zanzibar"),
    "undo": lambda chat: chat.undo("trip.card"),
    "pin": lambda chat: chat.pin("m1"),
    "rollback": lambda chat: chat.rollback(1),
    "recall": lambda chat: chat.recall("m1"),
}
REFUSED = ("confirm", "undo", "pin", "rollback", "recall")


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("shallow", [False, True])
def test_chats_elsewhere_let_go_at_their_next_call(
    place: Callable[[], Store], call: str, begun: bool, shallow: bool
) -> None:
    own = tracker(place())
    talk(own.open("s"), "Zanzibar", turns=5)
    elsewhere = tracker(place()).open("s")
    if not shallow:
        elsewhere.prompt()
        elsewhere.entries  # noqa: B018 — reads all of the log
    own.forget("s")
    if begun:  # and somebody goes on before
        for at in range(20):
            own.open("s").user(f"to Bergen{at}", id=f"n{at}")
    with pytest.raises(SlotstateError) if call in REFUSED else nullcontext():
        CALLS[call](elsewhere)
    again = call == "user again"
    assert ("Zanzibar" in shown(elsewhere)) == again
    assert ("Zanzibar" in logged(own.store)) == again
    assert [entry.event for entry in elsewhere.entries] == [entry.event for entry in own.store.load("s")]
    elsewhere.assistant("And then?")
    assert [entry.event for entry in elsewhere.entries] == [entry.event for entry in own.store.load("s")]


LOOKS: dict[str, Callable[[Chat], Any]] = {
    "entries": lambda chat: chat.entries,
    "messages": lambda chat: chat.messages,
    "why": lambda chat: chat.why("trip.city"),
    "preview": lambda chat: chat.preview(reveal=True),
    "prompt": lambda chat: chat.prompt(reveal=True),
}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("begun", [0, 3, 24])
def test_what_was_never_read_is_not_read_from_another_log(
    place: Callable[[], Store], monkeypatch: pytest.MonkeyPatch, look: str, begun: int
) -> None:
    monkeypatch.setattr(sessions, "HEADS", 1)
    monkeypatch.setattr(sessions, "WINDOWS", 1)
    monkeypatch.setattr(selection, "SPARE", 0)
    own = tracker(place())
    talk(own.open("s"), "Zanzibar", turns=5)
    shallow = tracker(place()).open("s")
    own.forget("s")
    if begun:
        talk(own.open("s"), "Bergen", begun)
        window = own.store.load_snapshot("s", "window", own.schema)
        assert (window is not None) == (begun > 3), "the last of these is opened from one"
    assert "Zanzibar" not in repr(LOOKS[look](shallow))
    assert "Zanzibar" not in repr(shallow.state["trip"]["city"])
    shallow.assistant("Well.")
    assert [entry.event for entry in shallow.entries] == [entry.event for entry in own.store.load("s")]


class Late:
    """A summariser that is still at work when the conversation is forgotten, and says what it has read."""

    name = "late"

    def __init__(self, forget: Callable[[], object], *, wrong: bool) -> None:
        self.forget = forget
        self.wrong = wrong
        self.asked = 0

    def summarise(self, request: SummaryRequest) -> SummaryReply:
        self.asked += 1
        first = request.span.messages[0]
        self.forget()
        source = "nobody" if self.wrong else first.id
        return SummaryReply(Patch(add=(Add("constraint", first.text, (source,)),)))

    async def asummarise(self, request: SummaryRequest) -> SummaryReply:
        return self.summarise(request)


@pytest.mark.parametrize("wrong", [False, True])
@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("here", [False, True])
def test_a_summary_that_comes_too_late_is_not_kept(
    place: Callable[[], Store], wrong: bool, begun: bool, here: bool
) -> None:
    def forget() -> None:
        eraser.forget("s")
        if begun:
            eraser.open("s").user("to Oslo", id="new")

    late = Late(forget, wrong=wrong)
    own = tracker(place(), compaction=Compaction(summariser=late))
    eraser = own if here else tracker(place())
    chat = own.open("s")
    for at in range(12):
        chat.user(f"I must never stay near Zanzibar{at}", id=f"m{at}")
        chat.assistant("Noted Zanzibar.")
    chat.compact()
    assert late.asked
    assert "Zanzibar" not in logged(own.store)
    assert not any(isinstance(entry.event, CompactionEvent) for entry in own.store.load("s"))
    assert "Zanzibar" not in shown(chat)


class Eraser(Hearing):
    """An extractor whose turn is forgotten while it reads."""

    def __init__(self) -> None:
        self.forget: Callable[[], object] = lambda: None

    def extract(self, request: Request) -> Extraction:
        self.forget()
        return super().extract(request)


def test_a_turn_that_is_forgotten_while_it_is_read_changes_nothing(place: Callable[[], Store]) -> None:
    own = Tracker(Trip, extractor=Eraser(), store=place(), clock=CLOCK)
    chat = own.open("s")
    assert isinstance(own.extractor, Eraser)
    own.extractor.forget = lambda: own.forget("s")
    turn = chat.user("to Zanzibar")
    assert (turn.extraction, turn.changes) == ("skipped", [])
    assert chat.entries == ()
    assert list(own.sessions()) == []


def test_another_user_may_begin_where_one_was_forgotten(place: Callable[[], Store]) -> None:
    own = tracker(place())
    mine, unread = own.open("s", user="ada"), own.open("s", user="ada")
    mine.user("to Oslo")
    elsewhere = tracker(place()).open("s", user="ada")
    own.forget(user="ada")
    theirs = own.open("s", user="bob")
    theirs.user("to Zanzibar")
    for chat in (mine, unread, elsewhere):
        for _ in range(2):
            with pytest.raises(InputError, match="belongs to another user"):
                chat.assistant("Well.")
            assert "Zanzibar" not in shown(chat)
    assert "Well" not in logged(own.store)
    assert theirs.user("to Bern").extraction == "ok"


def test_who_begins_first_has_the_session(place: Callable[[], Store]) -> None:
    own = tracker(place())
    first, second = own.open("s", user="ada"), own.open("s", user="bob")
    first.user("to Zanzibar")
    with pytest.raises(InputError, match="belongs to another user"):
        second.user("to Oslo")
    assert "Zanzibar" not in shown(second)


class Failing(MemoryStore):
    """Forgets, and then cannot be read any more."""

    broken = False

    def forget(self, **chosen: Any) -> Erased:
        super().forget(**chosen)
        self.broken = True
        raise StoreError("gone, and bytes of it stay: forget again")

    def load(self, session: str, after: int = 0) -> Any:
        if self.broken:
            raise StoreError("cannot be read")
        return super().load(session, after)


def test_where_the_store_fails_nothing_is_shown_either() -> None:
    store = Failing()
    own = tracker(store)
    chat, beside = own.open("s"), own.open("t")
    talk(chat, "Zanzibar")
    beside.user("to Zanzibar")
    with pytest.raises(StoreError):
        own.forget("s")
    assert "Zanzibar" not in repr((chat.state["trip"]["city"], chat.entries, chat.summary))
    store.broken = False
    assert beside.state["trip"]["city"].value == "Zanzibar"
    chat.user("to Oslo")
    assert [entry.event for entry in chat.entries] == [entry.event for entry in store.load("s")]


ACT = st.one_of(
    st.tuples(st.sampled_from(["user", "user", "assistant", "set", "prompt", "compact", "look"]), st.integers(0, 3)),
    st.tuples(st.sampled_from(["forget", "all"]), st.integers(0, 3)),
)


@settings(max_examples=60)
@given(st.lists(ACT, min_size=10, max_size=50))
def test_no_word_of_before_comes_back(actions: list[tuple[str, int]]) -> None:
    """Four conversations, two of each of two processes; each word says how often all was forgotten before."""
    store = MemoryStore()
    trackers = [tracker(store), tracker(Elsewhere(store))]
    chats = [trackers[at % 2].open("s") for at in range(4)]
    since, stale = 0, set[int]()
    for name, at in actions:
        chat = chats[at]
        match name:
            case "user":
                chat.user(f"never near gen{since}x or to gen{since}x, please remember that for me")
            case "assistant":
                chat.assistant(f"Noted gen{since}x.")
            case "set":
                chat.set("trip.card", f"gen{since}x")
            case "prompt":
                chat.prompt()
            case "compact":
                chat.compact()
            case "look":
                stale |= {at}  # looking need not ask the store
            case _:
                chosen: dict[str, Any] = {"session": "s"} if name == "forget" else {"everything": True}
                trackers[at % 2].forget(**chosen)
                since += 1
                stale |= {one for one in range(4) if one % 2 != at % 2}
        if name in {"user", "assistant", "set", "prompt", "compact"}:
            stale -= {at}
        old = [f"gen{one}x" for one in range(since)]
        assert not any(word in logged(store) for word in old)
        for index, one in enumerate(chats):
            if index not in stale:
                told = repr((one.entries, dict(one.state["trip"]), one.summary, one.preview(reveal=True).messages))
                assert not any(word in told for word in old), (name, index)


def test_writers_go_on_while_all_is_forgotten_again_and_again(place: Callable[[], Store]) -> None:
    stores = [place(), place()]
    trackers = [tracker(one) for one in stores]
    errors: list[BaseException] = []
    lefts: list[int] = []
    done = threading.Event()

    def write(own: Tracker, name: str) -> None:
        chat = own.open("s")
        try:
            for at in range(30):
                chat.user(f"to {name}{at}")
                chat.assistant("Noted.")
                chat.prompt()
        except BaseException as error:
            errors.append(error)

    def forget() -> None:
        while not done.is_set():
            try:
                lefts.append(trackers[0].forget("s").left)
            except StoreError as error:  # a reader kept the write-ahead log
                if "forget again" not in str(error):
                    errors.append(error)

    threads = [threading.Thread(target=write, args=(trackers[at % 2], f"n{at}")) for at in range(4)]
    eraser = threading.Thread(target=forget)
    for thread in (*threads, eraser):
        thread.start()
    for thread in threads:
        thread.join(120)
    done.set()
    eraser.join(60)
    assert errors == []
    assert set(lefts) == {0}
    chats = [own.open("s") for own in trackers]
    for chat in chats:
        chat.assistant("The end.")
    chats[0].assistant("Really.")
    log = stores[0].load("s")
    assert [entry.seq for entry in log] == list(range(len(log)))
    assert [entry.event for entry in chats[0].entries] == [entry.event for entry in log]
