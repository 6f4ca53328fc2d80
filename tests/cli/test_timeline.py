"""The timeline of `slotstate inspect`: who said what, what changed, by whose words and which rule, and what it took."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from rich.cells import cell_len

from slotstate import Budget, Extraction, Slot, Tracker
from slotstate.archive import Acted, Condensed, Inspection, Said
from slotstate.cli.timeline import happenings
from slotstate.compact import SummaryReply, SummaryRequest
from slotstate.compacting import Compaction
from slotstate.decide.rows import row_of
from slotstate.decide.table import TABLE
from slotstate.events import AnyEvent, Decided, Extracted, Offered, Reset, Usage, outcome_of
from slotstate.extract import Request
from slotstate.state import SlotState, State, apply
from slotstate.testing import ScriptedExtractor, change
from slotstate.testing.hostile import turns
from tests.cli.conftest import Command
from tests.promises.talk import BOTH
from tests.prompt.reading import CharCounter

SCHEMA = '''
from typing import Annotated
from pydantic import BaseModel
from slotstate import Slot

class Trip(BaseModel):
    """Plan a trip."""
    city: Annotated[str | None, Slot(ask="Where to?", confirm="implicit")] = None
    people: int | None = None
    card: Annotated[str | None, Slot(sensitive=True)] = None
'''
OPTIONS = ("--store", "sqlite:///f.db", "--schema", "trip.py")


class Trip(BaseModel):
    """Plan a trip."""

    city: Annotated[str | None, Slot(ask="Where to?", confirm="implicit")] = None
    people: int | None = None
    card: Annotated[str | None, Slot(sensitive=True)] = None


class Down:
    """A summariser that is down."""

    name = "toy/1"

    def summarise(self, request: SummaryRequest) -> SummaryReply:
        return SummaryReply(None, Usage(tokens_in=70, tokens_out=7), "ConnectionError: nobody there")

    async def asummarise(self, request: SummaryRequest) -> SummaryReply:
        return self.summarise(request)


def said(*changes: Any) -> Extraction:
    return Extraction(changes, Usage(tokens_in=100, tokens_out=10, attempts=2), "toy/2")


SCRIPT: list[Any] = [
    TimeoutError("the key sk-123 timed out"),
    said(change("trip.city", value="Oslo", quote="Oslo")),
    said(change("trip.people", value=12, quote="a few"), change("trip.people", value=2, quote="two")),
    said(change("trip.city", value="Bergen", quote="somewhere else"), change("trip.card", value="4929", quote="4929")),
    said(change("trip.people", "clear", quote="never mind"), change("trip.city", value="Rome", quote="Paris")),
]


@pytest.fixture
def kept(command: Command, tmp_path: Path) -> Command:
    """A conversation in which all sorts of things happen, and the command."""
    (tmp_path / "trip.py").write_text(SCHEMA, encoding="utf-8")
    now = datetime(2026, 3, 2, 23, 59, tzinfo=UTC)

    def clock() -> datetime:
        nonlocal now
        now += timedelta(seconds=1)
        return now

    with Tracker(
        Trip,
        extractor=ScriptedExtractor(SCRIPT),
        store=f"sqlite:///{tmp_path / 'f.db'}",
        clock=clock,
        compaction=Compaction(summariser=Down()),
        budget=Budget(2_000, counter=CharCounter()),
    ) as tracker:
        chat = tracker.open("s", user="ada")
        chat.user("to Oslo, I said", id="m0")
        chat.user("to Oslo, I said", id="m0")
        chat.assistant("To Oslo. For how many?", asks=["trip.people"], offers={"trip.people": 2})
        chat.user("two of us, or a few")
        now += timedelta(minutes=2)
        chat.assistant(
            "Noted. 杭州到成都，请问要几点出发？" * 20, usage={"prompt_tokens": 900, "completion_tokens": 40}
        )
        chat.user("somewhere else; my card is 4929")
        chat.set("trip.people", 3, source="tool")
        chat.undo("trip.people")
        chat.pin("m0")
        for at in range(20):
            chat.assistant(f"Well, {at}. " * 9)
        chat.user("never mind the people, to Rome")
        chat.prompt()
        chat.compact()
        chat.rollback(0)
        chat.reset("trip")
    return command


def test_all_that_happened_is_told_in_order(kept: Command) -> None:
    ran = kept("inspect", "s", *OPTIONS)
    assert ran.err == ""
    assert all(cell_len(line) <= 80 for line in ran.out.splitlines())
    told = " ".join(ran.out.split())
    for words in (
        "Session s of ada: 26 messages, 2026-03-02 23:59:",
        "Reading turns: 400 tokens in, 40 out by 8 calls",
        "Summaries: 70 tokens in, 7 out\n",
        "Replies: 900 tokens in, 40 out",
        "[0] 23:59:04 user to Oslo, I said\n✓ city Oslo “Oslo”\nuser: set v, said\n"
        "read by toy/2, 100 tokens in, 10 out by 2 attempts, in the last of 2 readings\n",
        "assistant To Oslo. For how many?\nasks for people\noffers people 2\n",
        "✓✓ city Oslo confirmed (the user went on without objecting)\nuser: implicit confirmation\n",
        "? people to be asked which is meant: 2, 12 “two”\nuser: it is not clear what is meant\n",
        "? city Oslo stays; to be asked whether it becomes Bergen “somewhere else”\nuser: set v, meant\n",
        "✗ city Rome rejected: the user did not say 'Paris' in this turn “Paris”\nuser: anything, without evidence\n",
        "\n2026-03-03\n",
        "reported 900 tokens in, 40 out",
        "tool acts\n",
        "what a tool found, by the application\n",
        "app acts\n↶ people 3 → empty (taken back)\nthe application's call\n",
        "pin message m0 is pinned\n",
        "summary failed: ConnectionError: nobody there, by toy/1, 70 tokens in, 7 out\n",
        "an earlier one was brought back, with 0 items\n",
        "↺ trip a fresh task begins; its slots start clean\nthe application's call\n",
    ):
        assert " ".join(words.split()) in told, words
    assert "4929" not in ran.out
    assert "4929" in kept("inspect", "s", *OPTIONS, "--reveal").out


def test_the_screen_may_be_narrow(kept: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    out = kept("inspect", "s", *OPTIONS).out
    assert all(cell_len(line) <= 60 for line in out.splitlines())
    assert "Noted. 杭州到成都，请问要几点出发 …" in out


def test_names_of_slots_stand_whole_on_a_narrow_screen(kept: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for columns in (20, 24, 40):
        monkeypatch.setenv("COLUMNS", str(columns))
        out = kept("inspect", "s", *OPTIONS, "--slot", "trip.city").out
        assert "city" in out.split(), columns


def test_parts_are_chosen(kept: Command) -> None:
    city = kept("inspect", "s", *OPTIONS, "--slot", "trip.city").out
    assert "Oslo" in city
    assert "people" not in city.replace("never mind the people", "")
    assert kept("inspect", "s", *OPTIONS, "--slot", "city").out == city
    assert "4929" not in kept("inspect", "s", *OPTIONS, "--slot", "card").out
    turn = kept("inspect", "s", *OPTIONS, "--turn", "0").out
    assert turn.count("[0]") == 1
    assert "[1]" not in turn
    both = kept("inspect", "s", *OPTIONS, "--turn", "0", "--slot", "people")
    assert both.out == "Nothing was said or decided about it.\n"
    (one,) = kept("inspect", "s", *OPTIONS, "--turn", "0", "--json").json["timeline"]
    assert (one["turn"], one["reading"]["tries"], one["reading"]["usage"]["tokens_in"]) == (0, 2, 100)


def test_the_object_holds_every_part(kept: Command) -> None:
    ran = kept("inspect", "s", *OPTIONS, "--json")
    whole = Inspection.model_validate(ran.json)
    assert "4929" not in ran.out
    assert [one.seq for one in whole.timeline] == sorted({one.seq for one in whole.timeline})
    assert [one.turn for one in whole.timeline if one.kind == "message"] == list(range(26))
    kinds = {one.kind for one in whole.timeline}
    assert kinds == {"message", "action", "pin", "epoch", "compacted", "compaction_failed", "rolled_back"}
    changes = [ruled for one in whole.timeline if isinstance(one, Said | Acted) for ruled in one.changes]
    assert {(one.path, one.outcome, one.rule) for one in changes} >= {
        ("trip.city", "filled", "set v, said"),
        ("trip.people", "filled", "what a tool found, by the application"),
        ("trip.people", "unchanged", "clear, meant"),
        ("trip.city", "rejected", "anything, without evidence"),
    }
    condensed = [one for one in whole.timeline if isinstance(one, Condensed)]
    versions = [one.version for one in condensed if one.kind != "compaction_failed"]
    assert versions == [one.version for one in whole.versions]
    assert whole.tokens.reading == Usage(tokens_in=400, tokens_out=40, attempts=8)


def test_few_versions_are_shown_where_not_all_are_asked_for(command: Command, tmp_path: Path) -> None:
    (tmp_path / "trip.py").write_text(SCHEMA, encoding="utf-8")
    with Tracker(Trip, extractor=ScriptedExtractor([]), store=f"sqlite:///{tmp_path / 'f.db'}") as tracker:
        chat = tracker.open("s")
        for at in range(40):
            chat.assistant(f"Never book room {at} again, please.")
            chat.add({"role": "user", "content": f"I must never sleep in room {at}."}) if at % 2 else None
            if at % 10 == 9:
                chat.compact()
    out = command("inspect", "s", *OPTIONS).out
    count = chat.summary.version
    assert count > 2
    assert f"{count - 2} earlier version{'s' if count > 3 else ''} of the summary: --all shows them\n" in out
    assert next(line for line in out.splitlines() if line.startswith("Version ")).startswith(f"Version {count - 1} ")
    whole = command("inspect", "s", *OPTIONS, "--all").out
    assert [line.split()[1] for line in whole.splitlines() if line.startswith("Version ")] == [
        str(number) for number in range(1, count + 1)
    ]


class Wild:
    def __init__(self) -> None:
        self.next: tuple[Any, ...] = ()

    def extract(self, request: Request) -> Extraction:
        return Extraction(self.next)

    async def aextract(self, request: Request) -> Extraction:
        return self.extract(request)


def judged(events: Sequence[AnyEvent]) -> Iterator[tuple[Any, SlotState]]:
    """The decisions that came of user turns, with the slot as each found it."""
    state, left = State(), 0
    for event in events:
        if isinstance(event, Extracted):
            left = event.decided
        elif isinstance(event, Decided) and left:
            yield event, state.slot(event.path)
        if isinstance(event, Decided | Reset | Offered):
            left = max(left - 1, 0)
        state = apply(state, event)


@settings(max_examples=60)
@given(st.lists(turns(BOTH), min_size=3, max_size=12))
def test_a_rule_that_is_told_is_one_that_decides_so(said: list[tuple[str, tuple[Any, ...]]]) -> None:
    wild = Wild()
    chat = Tracker(BOTH, extractor=wild).open("s")
    for text, changes in said:
        wild.next = changes
        chat.user(text)
        chat.assistant(text)
    for event, before in judged([entry.event for entry in chat.entries]):
        row = row_of(event, before)
        if row is None or event.op in ("undo", "exclude"):
            continue
        cell = TABLE[row].cell(before.held.status)
        emptied = {cell.outcome, outcome_of(event)} <= {"emptied", "overwritten"}
        assert cell.outcome == outcome_of(event) or emptied, (row, event)
        if event.grade in ("said", "meant") and "said" in row + "meant":
            assert event.grade in row or row in ("set same", "deny", "confirm", "confirm unasked"), (row, event)
    found = happenings(chat.entries)
    ruled = [event for one in found for event, _ in one.ruled]
    assert ruled == [entry.event for entry in chat.entries if isinstance(entry.event, Decided | Reset)]
