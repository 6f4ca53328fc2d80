"""What is logged: constant messages with fields, and never a word, value or error text of others."""

from __future__ import annotations

import io
import logging
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from slotstate import Budget, Chat, Prompt, Slot, SlotstateError, StoreError, Tracker
from slotstate.compact import Add, Patch, SummaryReply, SummaryRequest
from slotstate.compacting import Compaction
from slotstate.errors import StaleWriter
from slotstate.events import Lost, Usage
from slotstate.extract import Change, Extraction, Request
from slotstate.records import COMPACTION, FIELDS, error_class, model_name, tell
from slotstate.stores import MemoryStore
from slotstate.telling import tell_prompt
from slotstate.testing import change
from tests.prompt.reading import CharCounter

STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
SMALL = Budget(2_400, counter=CharCounter())


class Trip(BaseModel):
    """Plan a trip."""

    city: Annotated[str | None, Slot(ask="Where to?")] = None
    people: int | None = None
    card: Annotated[str | None, Slot(sensitive=True)] = None


class Listening(logging.Handler):
    """Keeps records, and all that a handler could write of them."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.records: list[logging.LogRecord] = []
        self.text = io.StringIO()

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)
        self.text.write(logging.Formatter("%(message)s").format(record))  # with exc_info and stack_info
        self.text.write(repr(record.__dict__))

    def told(self) -> list[tuple[str, str, str]]:
        return [(one.name.removeprefix("slotstate."), one.levelname, one.getMessage()) for one in self.records]

    def last(self, message: str) -> dict[str, Any]:
        record = next(one for one in reversed(self.records) if one.getMessage() == message)
        return {name: value for name, value in vars(record).items() if name not in STANDARD}


@contextmanager
def listening() -> Iterator[Listening]:
    handler, root = Listening(), logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield handler
    finally:
        root.removeHandler(handler)
        root.setLevel(before)


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 3, 2, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


class Quota(Exception):
    """A provider's error."""


class Provider:
    """An extractor and summariser of which every word is somebody's."""

    name = "acme/large-1"

    def __init__(self) -> None:
        self.changes: tuple[Change, ...] = ()
        self.trouble: str | None = None

    def extract(self, request: Request) -> Extraction:
        if self.trouble == "raises":
            raise Quota(f"key sk-secret-1 is over its quota for: {request.user}")
        said = f"Quota: key sk-secret-1 refused {request.user}"
        error = {None: None, "says": said, "talks": request.user, "partly": said}[self.trouble]
        changes = () if self.trouble in ("says", "talks") else self.changes
        return Extraction(changes, Usage(tokens_in=50, tokens_out=5, attempts=2), self.name, error)

    async def aextract(self, request: Request) -> Extraction:
        return self.extract(request)

    def summarise(self, request: SummaryRequest) -> SummaryReply:
        said = " ".join(one.text for one in request.span.messages)
        match self.trouble:
            case "raises":
                raise Quota(f"key sk-secret-1: {said}")
            case "says":
                return SummaryReply(None, None, f"Quota: {said}")
            case "talks":
                return SummaryReply(Patch(add=(Add("fact", said[:200], ("nobody",)),)))
            case _:
                first = request.span.messages[0]
                lost = (Lost(text=said[:50], reason=said[:50]),)
                return SummaryReply(Patch(add=(Add("fact", first.text, (first.id,)),)), Usage(tokens_in=9), None, lost)

    async def asummarise(self, request: SummaryRequest) -> SummaryReply:
        return self.summarise(request)


class Racing(MemoryStore):
    """A store in which others are faster, as often as it is told."""

    late = 0

    def append(self, *arguments: Any, **more: Any) -> None:
        if self.late:
            self.late -= 1
            raise StaleWriter("session 'wort0' was faster")
        super().append(*arguments, **more)


WORD = st.integers(0, 99).map(lambda number: f"wort{number}")
ACT = st.one_of(
    st.tuples(st.just("user"), st.lists(WORD, min_size=1, max_size=6), st.sampled_from(["city", "card", "people"])),
    st.tuples(st.just("user"), st.lists(WORD, min_size=1, max_size=6), st.sampled_from(["city", "card", "nothing"])),
    st.tuples(st.just("assistant"), st.lists(WORD, min_size=1, max_size=20)),
    st.tuples(st.just("tool"), st.sampled_from([1, 3_000])),
    st.tuples(st.just("set"), WORD),
    st.tuples(st.sampled_from(["undo", "prompt", "prompt", "compact", "rollback", "overflowed", "wrong", "recall"])),
    st.tuples(st.just("trouble"), st.sampled_from([None, None, "raises", "says", "talks", "partly"])),
    st.tuples(st.just("late"), st.integers(0, 7)),
    st.tuples(st.sampled_from(["forget", "export"])),
)


def act(  # noqa: C901 — one case after the other
    chat: Chat, own: Tracker, provider: Provider, store: Racing, action: tuple[Any, ...]
) -> None:
    name, *given = action
    match name:
        case "user":
            words, slot = given
            text = " ".join([*words, "4929 1111 2222 3333"])
            provider.changes = (change(f"trip.{slot}", "set", words[0], words[-1]),)
            chat.user(text)
        case "assistant":
            chat.assistant(" ".join(given[0]), offers={"trip.city": given[0][0]}, usage={"prompt_tokens": 7})
        case "tool":
            chat.tool_call(f"wort-call-{len(chat.entries)}", "find", {"of": "wort1"})
            chat.tool_result(f"wort-call-{len(chat.entries) - 1}", "wort2 row\n" * given[0])
        case "set":
            chat.set("trip.card", given[0])
        case "undo":
            chat.undo()
        case "prompt":
            chat.prompt(pending_calls="close")
        case "compact":
            chat.compact()
        case "rollback":
            chat.rollback(0)
        case "overflowed":
            chat.overflowed("wort3: This model's maximum context length is 2000 tokens")
        case "wrong":
            chat.set("trip.people", "wort4")
        case "recall":
            chat.recall("wort5")
        case "trouble":
            provider.trouble = given[0]
        case "late":
            store.late = given[0]
        case "forget":
            own.forget("s")
        case _:
            own.export("s")


@settings(max_examples=60)
@given(st.lists(ACT, min_size=10, max_size=40), st.booleans())
def test_no_word_of_others_is_in_any_record(actions: list[tuple[Any, ...]], asked: bool) -> None:
    provider, store = Provider(), Racing()
    compaction = Compaction(summariser=provider) if asked else None
    with listening() as heard:
        own = Tracker(
            Trip,
            extractor=provider,
            store=store,
            clock=Clock(),
            budget=SMALL,
            masks=[r"\b\d{4}(?: \d{4}){3}\b"],
            compaction=compaction,
        )
        chat = own.open("s")
        for action in actions:
            with suppress(SlotstateError):
                act(chat, own, provider, store, action)
    text = heard.text.getvalue()
    for word in ("wort", "sk-secret", "4929 1111", "Where to", "trip.", "city"):
        assert word not in text
    ours = [record for record in heard.records if record.name.startswith("slotstate")]
    assert any(action[0] == "user" for action in actions) <= bool(ours)
    for record in ours:
        extra = {name: value for name, value in vars(record).items() if name not in STANDARD}
        assert extra.keys() <= FIELDS
        assert record.args == ()
        assert record.exc_info is None
        assert record.levelno >= logging.DEBUG


def test_what_is_logged_of_a_conversation() -> None:
    provider, store = Provider(), Racing()
    own = Tracker(Trip, extractor=provider, store=store, tenant="acme", clock=Clock(), budget=SMALL)
    with listening() as heard:
        chat = own.open("s")
        provider.changes = (
            change("trip.city", value="Oslo", quote="Oslo"),
            change("trip.people", value="x", quote="x"),
        )
        chat.user("to Oslo")
        provider.trouble = "raises"
        chat.user("again")
        chat.set("trip.people", 2)
        provider.trouble, provider.changes = None, ()
        for at in range(30):
            chat.assistant(f"Noted {at}, and so on and on and on. " * 3)
            chat.user(f"Well, {at}.")
        chat.prompt()
        chat.compact()
        chat.rollback(0)
        own.forget("s")
        own.export()
    about = {"session": "s", "tenant": "acme"}
    told = heard.told()
    assert told[:3] == [
        ("turns", "DEBUG", "turn read"),
        ("turns", "WARNING", "turn not read"),
        ("turns", "DEBUG", "slots changed by a call"),
    ]
    first = next(one for one in heard.records if one.getMessage() == "turn read")
    assert (vars(first)["outcomes"], vars(first)["result"]) == ({"filled": 1, "rejected": 1}, "ok")
    assert (vars(first)["model"], vars(first)["tokens_in"], vars(first)["attempts"]) == ("acme/large-1", 50, 2)
    failed = heard.last("turn not read")
    assert {name: failed[name] for name in ("session", "tenant", "turn", "result", "error")} == {
        **about,
        "turn": 1,
        "result": "failed",
        "error": "Quota",
    }
    assert heard.last("slots changed by a call")["source"] == "app"
    prompt = heard.last("prompt made")
    assert prompt["budget"] == 2_400
    assert prompt["tokens"] <= 2_400
    assert (prompt["epoch"], prompt["epoch_reason"]) == (1, "start")
    assert ("compaction", "INFO", "compacted") in told
    assert heard.last("compacted")["covered"] > 0
    assert ("compaction", "INFO", "summary rolled back") in told
    forgotten = heard.last("forgotten")
    assert (forgotten["sessions"], forgotten["left"], forgotten["session"]) == (1, 0, "s")
    assert ("stores", "INFO", "the log was erased: the conversation begins anew") in told
    assert ("stores", "INFO", "exported") in told


def test_conflicts_are_told_and_many_are_a_warning() -> None:
    store = Racing()
    chat = Tracker(Trip, store=store).open("s")
    with listening() as heard:
        store.late = 7
        chat.assistant("Hello.")
    assert [level for _, level, _ in heard.told()] == ["DEBUG"] * 5 + ["WARNING"] + ["DEBUG"]
    assert heard.last("another writer was faster")["tries"] == 7


def test_a_failure_in_the_background_is_told() -> None:
    class Broken(Racing):
        def append(self, *arguments: Any, **more: Any) -> None:
            if self.late:
                raise StoreError("the disk of wort0 is full")
            super().append(*arguments, **more)

    provider, store = Provider(), Broken()
    terms = Compaction(summariser=provider, background=True)
    chat = Tracker(Trip, extractor=provider, store=store, compaction=terms, budget=SMALL).open("s")
    with listening() as heard:
        for at in range(40):
            chat.user(f"Well, {at}, and so on and on.")
            chat.assistant("Noted.")
        worker, tight = chat._worker, Budget(1_700, counter=CharCounter())
        store.late = 1
        worker._work(chat._prompter_for(reveal=False), tight)
        store.late, provider.trouble = 0, "says"
        chat.compact(tight)
    assert ("compaction", "WARNING", "background compaction failed") in heard.told()
    assert heard.last("background compaction failed")["error"] == "StoreError"
    failed = heard.last("compaction failed")
    assert (failed["model"], failed["error"]) == ("acme/large-1", "Quota")
    assert "wort" not in heard.text.getvalue()


def test_every_prompt_is_told() -> None:
    chat = Tracker(Trip, extractor=Provider(), store=MemoryStore(), budget=SMALL).open("s")
    with listening() as heard:
        for at in range(30):
            chat.user(f"Well, {at}, and so on and on.")
            chat.assistant("Noted.")
            chat.prompt()
            chat.prompt()
    made = [message for name, _, message in heard.told() if name == "prompts"]
    assert made.count("prompt made") == 60
    assert 0 < made.count("epoch began") < 30


def test_names_cannot_pass_for_another_line() -> None:
    with listening() as heard:
        tell(COMPACTION, logging.INFO, "compacted", session="a\nERROR root\x1b[2J" + "x" * 300, wort="wort1")
    extra = heard.last("compacted")
    assert extra.keys() == {"session"}
    assert extra["session"].startswith("a<U+000A>ERROR root<U+001B>[2Jxxx")
    assert len(extra["session"]) < 300
    assert (model_name("openai/gpt-5-mini"), model_name("to Oslo\n"), model_name(None)) == (
        "openai/gpt-5-mini",
        "unnamed",
        None,
    )
    assert [error_class(text) for text in ("Quota: x", "TimeoutError", "Oslo: x", "to Oslo", None)] == [
        "Quota",
        "TimeoutError",
        "unknown",
        "unknown",
        None,
    ]


def test_a_prompt_of_somebody_elses_making_is_told_as_well() -> None:
    with listening() as heard:
        tell_prompt(Prompt(messages=[{"role": "user", "content": "wort1"}]), session="s")
    assert heard.last("prompt made")["messages"] == 1
    assert "epoch" not in heard.last("prompt made")
    assert "wort" not in heard.text.getvalue()


def test_nothing_is_printed_where_nobody_listens() -> None:
    code = """
from pydantic import BaseModel
from slotstate import Tracker
from slotstate.testing import ScriptedExtractor
class Trip(BaseModel):
    city: str | None = None
Tracker(Trip, extractor=ScriptedExtractor([TimeoutError("wort")])).open("s").user("to Oslo")
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (ran.stdout, ran.stderr) == ("", "")
