"""What went wrong when others compacted conversations, each as a conversation here."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from slotstate import Budget, Chat, Prompt, Slot, ToolCallsPending, Tracker
from slotstate.compact import Add, Amend, Patch, SummaryReply, SummaryRequest
from slotstate.compacting import Compaction
from slotstate.events import Compacted
from slotstate.formats import check
from slotstate.stores import MemoryStore
from slotstate.testing import ScriptedExtractor, change
from tests.prompt.reading import CharCounter, orphans, stable_text, value_read, whole_text

LONG = "The harbour is quiet in the morning and the ferries leave on the hour."


class Trip(BaseModel):
    """Plan a trip."""

    city: Annotated[str | None, Slot(ask="Where to?")] = None
    people: int | None = None


class Clock:
    now = datetime(2026, 5, 4, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now


def opened(store: MemoryStore | None = None, **options: Any) -> Chat:
    options = {"extractor": ScriptedExtractor(), **options}
    return Tracker(Trip, store=store or MemoryStore(), clock=Clock(), **options).open("s")


def budget(context: int | None = 3_000, **options: Any) -> Budget:
    return Budget(context, **{"counter": CharCounter(), "profile": "vllm", **options})


def talk(chat: Chat, turns: int) -> None:
    for _ in range(turns):
        at = len(chat.messages)
        chat.user(f"message number {at}. {LONG}", id=f"m{at}")
        chat.assistant(f"Noted {at}.", id=f"m{at + 1}")


def kept(prompt: Prompt) -> list[str]:
    return [line.id for line in prompt.ledger if line.section in ("recent", "pins") and line.action == "kept"]


def gone(prompt: Prompt) -> int:
    """Messages before the window."""
    ends = [line.id.split("..")[1] for line in prompt.ledger if line.action == "dropped" and ".." in line.id]
    return int(ends[0]) + 1 if ends else 0


def compacted(chat: Chat) -> list[Compacted]:
    return [entry.event for entry in chat.entries if isinstance(entry.event, Compacted)]


def test_no_message_comes_twice_when_each_turn_is_compacted() -> None:
    chat = opened()
    for at in range(50):
        talk(chat, 1)
        chat.compact(budget())
        prompt = chat.prompt(budget())
        found = kept(prompt)
        assert len(found) == len(set(found))
        assert found == [f"m{one}" for one in range(gone(prompt), 2 * at + 2)]
        assert gone(prompt) <= chat.summary.covered
    sources = [source for item in chat.summary.items for source in item.sources]
    assert not {one for one in sources if int(one[1:]) >= chat.summary.covered}


def test_a_run_of_tool_calls_without_a_user_is_covered_and_the_request_stays() -> None:
    chat = opened(compaction=Compaction())
    talk(chat, 2)
    chat.user("Find me a room with a view of the fjord.", id="request")
    for at in range(40):
        chat.tool_call(f"c{at}", "search", {"page": at})
        chat.tool_result(f"c{at}", f"nothing on page {at}")
    prompt = chat.prompt(budget(9_000))
    assert "request" in kept(prompt)
    assert prompt.messages[-1]["role"] == "tool"
    chat.user("Thanks, I will look myself.", id="last")
    chat.compact(budget(3_000))
    prompt = chat.prompt(budget(3_000))
    assert not orphans(prompt.messages)
    assert not check(prompt.messages, "openai")
    assert kept(prompt)[-1] == "last"
    assert gone(prompt) == chat.summary.covered > 80
    assert "search" in " ".join(item.text for item in chat.summary.items)


@pytest.mark.parametrize("context", range(1_500, 3_000, 150))
def test_parallel_calls_are_covered_together(context: int) -> None:
    chat = opened()
    for at in range(6):
        chat.user(f"Turn {at}. {LONG}")
        chat.tool_call(f"a{at}", "find", {"x": at})
        chat.tool_call(f"b{at}", "find", {"x": -at})
        chat.tool_result(f"b{at}", "second")
        chat.tool_result(f"a{at}", "first")
        chat.compact(budget(context))
        assert chat.summary.covered % 5 == 0, "whole groups, and whole turns"
        assert not orphans(chat.prompt(budget(context)).messages)


def test_an_open_group_is_never_covered() -> None:
    asked: list[SummaryRequest] = []

    class Model:
        name = "model"

        def summarise(self, request: SummaryRequest) -> SummaryReply:
            asked.append(request)
            one = next(one for one in request.span.messages if one.role == "user")
            return SummaryReply(Patch(add=(Add("fact", one.text.split(". ")[1], (one.id,)),)))

        async def asummarise(self, request: SummaryRequest) -> SummaryReply:
            return self.summarise(request)

    for compaction in (Compaction(), Compaction(summariser=Model())):
        chat = opened(compaction=compaction)
        talk(chat, 20)
        chat.tool_call("a", "find", {})
        chat.tool_call("b", "find", {})
        chat.tool_result("a", "one room")
        chat.user("And?")
        size = len(chat.entries)
        for ask in (chat.compact, chat.prompt):
            with pytest.raises(ToolCallsPending):
                ask(budget())
        assert len(chat.entries) == size
        assert asked == []
        chat.tool_result("b", "another room")
        done = chat.compact(budget())
        assert done
        assert done.covered <= 40 or done.covered >= 43


def test_a_compaction_reaches_the_low_mark_or_says_why_not() -> None:
    for words, must in ((LONG, False), (LONG * 22, True)):
        chat, terms = opened(), budget(4_000)
        talk(chat, 3)
        chat.user(words, id="big")
        chat.pin("big")
        epochs: list[int] = []
        for at in range(40):
            chat.user(f"{at} {LONG}")
            prompt = chat.prompt(terms)
            assert prompt.cache
            low = [line.reason for line in prompt.ledger if line.id == "low"]
            if not epochs or prompt.cache["epoch"] != epochs[-1]:
                assert (prompt.tokens or 0) <= 2_000 or epochs == [] or low, "it is said"
                assert not low or must
            epochs.append(prompt.cache["epoch"])
        starts = [at for at in range(1, 40) if epochs[at] != epochs[at - 1]]
        assert starts
        assert all(later - sooner > 2 for sooner, later in pairwise(starts))


def test_what_is_not_in_the_window_stays_in_the_log() -> None:
    store = MemoryStore()
    chat = opened(store)
    talk(chat, 200)
    texts = {message.id: message.text for message in chat.messages}
    small = opened(store)
    small.prompt(budget())
    small.compact(budget(1_500))
    assert gone(small.prompt(budget(1_500))) > 350
    again = opened(store)
    assert {message.id: message.text for message in again.messages} == texts
    assert all(again.recall(ident) == text for ident, text in texts.items())
    assert again.recall("0..1") == f"user m0: {texts['m0']}\nassistant m1: {texts['m1']}"


def test_a_compaction_can_be_taken_back() -> None:
    chat, terms = opened(), budget(4_000)
    for at in range(90):
        chat.user(f"message number {at}. {LONG}" if at != 4 else "Let's take the early ferry because it is cheap.")
        chat.prompt(terms)
        if chat.summary.version == 1:
            break
    chat.compact(terms)
    before = chat.summary
    for at in range(60):
        chat.user(f"later {at}. {LONG}", id=f"l{at}")
        chat.prompt(terms)
    assert chat.summary.version > before.version
    held = chat.state
    chat.rollback(before.version)
    assert (chat.summary.items, chat.summary.covered) == (before.items, before.covered)
    prompt = chat.prompt(terms)
    assert chat.state == held
    assert gone(prompt) <= chat.summary.covered
    assert kept(prompt)[-1] == "l59"
    assert all(chat.recall(f"l{at}").startswith(f"later {at}.") for at in range(60))
    dropped = {one.ident for one in compacted(chat)[-1].drop}
    assert all(item in chat.summary.items for item in before.items if item.ident not in dropped)
    assert any("because it is cheap" in item.text for item in chat.summary.items), "the decision is told again"


def test_results_fold_once_and_nothing_else_moves() -> None:
    chat, terms = opened(), budget(40_000)
    chat.user("Look through all of it.")
    rows = json.dumps([{"id": at, "name": f"house {at}"} for at in range(200)])
    before: Prompt | None = None
    epochs: list[int] = []
    folded: dict[str, int] = {}
    for at in range(30):
        chat.tool_call(f"c{at}", "search", {"page": at})
        chat.tool_result(f"c{at}", rows)
        if at % 3 == 2:
            chat.assistant(f"Looked at {at}.")
            chat.user(f"Go on, {at}.")
        prompt = chat.prompt(terms)
        assert prompt.cache
        epochs.append(prompt.cache["epoch"])
        if before is not None and epochs[-1] == epochs[-2]:
            assert whole_text(prompt).startswith(stable_text(before))
        elif before is not None:
            assert sum(line.reason == "folded" for line in prompt.ledger) > 0
        for line in prompt.ledger:
            if line.reason == "folded":
                folded.setdefault(line.id, epochs[-1])
            elif line.id in folded:
                assert line.action == "dropped", "what folded stays folded"
        before = prompt
    assert 2 <= len(set(epochs)) <= 10
    assert set(folded.values()) <= set(epochs)


def test_every_turn_is_in_the_window_or_in_a_span_that_is_covered() -> None:
    chat = opened()
    for at in range(400):
        chat.user(f"{at} {LONG}", id=f"m{at}")
        prompt = chat.prompt(budget(4_000))
        assert kept(prompt) == [f"m{one}" for one in range(gone(prompt), at + 1)]
        assert gone(prompt) <= chat.summary.covered
    spans = [(event.since, event.covered) for event in compacted(chat)]
    assert spans[0][0] == 0
    assert [end for _, end in spans[:-1]] == [begin for begin, _ in spans[1:]], "no message between two spans"
    assert spans[-1][1] == chat.summary.covered


def test_no_byte_in_front_moves_until_the_next_compaction() -> None:
    chat, terms = opened(), budget(6_000)
    talk(chat, 10)
    chat.set("trip.people", 1)
    before = chat.prompt(terms)
    for at in range(60):
        if at < 10:
            chat.set("trip.people", at + 2)
        talk(chat, 1)
        prompt = chat.prompt(terms)
        assert value_read(prompt.messages, "trip.people") == min(at, 9) + 2
        assert before.cache
        assert prompt.cache
        if prompt.cache["epoch"] == before.cache["epoch"]:
            assert whole_text(prompt).startswith(stable_text(before))
        else:
            assert prompt.cache["epoch_reason"] == "compaction"
        before = prompt


class Leg(BaseModel):
    """A way."""

    out: str | None = None
    back: str | None = None


class Ways(BaseModel):
    """There and back."""

    leg: Leg = Leg()


def test_a_field_that_is_taken_back_goes_or_says_why() -> None:
    script = [
        [change("ways.leg.out", "set", "Oslo", "Oslo"), change("ways.leg.back", "set", "Moss", "Moss")],
        [change("ways.leg.back", "clear", None, "drop the return trip")],
    ]
    chat = Tracker(Ways, extractor=ScriptedExtractor(script), clock=Clock()).open("s")
    chat.user("From Oslo, and back to Moss.")
    turn = chat.user("Please drop the return trip.")
    (one,) = turn.changes
    value = chat.state["ways"]["leg"].value
    assert one.outcome in ("emptied", "overwritten", "rejected")
    assert one.outcome != "rejected" or one.reason
    assert one.outcome == "rejected" or "Moss" not in str(value)
    assert "Oslo" in str(value)
    text = whole_text(chat.prompt(budget(None)))
    assert "Oslo" in text.split("<slots>")[-1]


def test_one_correction_changes_one_fact_of_three_hundred() -> None:
    """By a patch nothing else can be touched, whoever writes it."""

    class Model:
        name = "model"

        def summarise(self, request: SummaryRequest) -> SummaryReply:
            said = [one for one in request.span.messages if one.text.startswith("Box")]
            known = {item.text.split(" holds")[0]: item for item in request.summary.items}
            add: list[Add] = []
            amend: list[Amend] = []
            for one in said:
                item = known.get(one.text.split(" holds")[0])
                if item is None:
                    add.append(Add("fact", one.text, (one.id,)))
                else:
                    amend.append(Amend(item.ident, one.text, (one.id,)))
            return SummaryReply(Patch(add=tuple(add), amend=tuple(amend)))

        async def asummarise(self, request: SummaryRequest) -> SummaryReply:
            return self.summarise(request)

    chat = opened(compaction=Compaction(summariser=Model(), most=400))
    for at in range(300):
        chat.user(f"Box {at} holds {at % 90 + 7} lamps.", id=f"b{at}")
    for at in range(4):
        chat.user(f"Well. {LONG} {at}")
    chat.compact(budget(None))
    before = {item.text.split(" holds")[0]: item for item in chat.summary.items}
    assert len(before) == 300
    chat.user("Box 31 holds 99 lamps.", id="correction")
    for at in range(4):
        chat.user(f"Well. {LONG} {at}")
    chat.compact(budget(None))
    after = {item.text.split(" holds")[0]: item for item in chat.summary.items}
    assert {name for name in before if after[name] != before[name]} == {"Box 31"}
    assert after["Box 31"].text == "Box 31 holds 99 lamps."
    assert after["Box 31"].sources == ("b31", "correction")
    assert len(after) == 300
    assert {event.model for event in compacted(chat)} == {"model"}
