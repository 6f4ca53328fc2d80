"""What went wrong in other assemblers of prompts, each as a conversation here."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from slotstate import Budget, BudgetTooSmall, Chat, InputError, Prompt, Slot, ToolCallsPending, Tracker
from slotstate.events import Epoch, ToolTurn
from slotstate.formats import check
from slotstate.stores import MemoryStore
from tests.prompt.reading import CharCounter, counted, orphans, stable_text, value_read, whole_text

LONG = "The harbour is quiet in the morning and the ferries leave on the hour. "


class Trip(BaseModel):
    """Plan a trip."""

    city: Annotated[str | None, Slot(ask="Where to?")] = None
    people: int | None = None


class Clock:
    """A clock that goes on by a second at each look, and by more when told."""

    def __init__(self) -> None:
        self.now = datetime(2026, 5, 4, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now


def open_chat(store: MemoryStore | None = None, clock: Clock | None = None, **options: Any) -> Chat:
    return Tracker(Trip, store=store or MemoryStore(), clock=clock or Clock(), **options).open("s")


def budget(context: int | None = 3_000, **options: Any) -> Budget:
    return Budget(context, **{"counter": CharCounter(), "profile": "llama.cpp", **options})


def talk(chat: Chat, turns: int, words: str = LONG) -> None:
    for at in range(turns):
        chat.user(f"{at} {words}")
        chat.assistant(f"Noted {at}.")


def said(prompt: Prompt) -> str:
    return whole_text(prompt)


def in_turns(prompt: Prompt) -> str:
    """The prompt without its summary, which repeats words of turns that have left."""
    return re.sub(r"<summary>\n.*?\n</summary>", "", whole_text(prompt), flags=re.DOTALL)


def summary_of(prompt: Prompt) -> str:
    found = re.search(r"<summary>\n(.*?)\n</summary>", whole_text(prompt), re.DOTALL)
    return found[1] if found else ""


def test_a_second_system_message_keeps_its_role_for_good() -> None:
    chat = open_chat()
    chat.add({"role": "system", "content": "First rule."})
    talk(chat, 3)
    before = chat.prompt(budget())
    chat.add({"role": "developer", "content": "Second rule."})
    chat.user("go on")
    after = chat.prompt(budget())
    assert after.cache
    assert before.cache
    assert (before.cache["epoch"], after.cache["epoch"], after.cache["epoch_reason"]) == (1, 2, "system")
    talk(chat, 60)
    for prompt in (after, chat.prompt(budget())):
        assert [message["role"] for message in prompt.messages].count("system") == 1
        assert prompt.messages[0]["content"].endswith("First rule.\n\nSecond rule.")


def test_no_message_stands_twice_however_often_it_is_cut() -> None:
    chat = open_chat()
    for at in range(50):
        chat.user(f"message number {at}. {LONG}", id=f"m{at}")
        if at % 7 == 0:
            chat.pin(f"m{at}")
        text = in_turns(chat.prompt(budget(6_000)))
        assert all(text.count(f"message number {one}.") <= 1 for one in range(at + 1))
        assert all(text.count(f"message number {one}.") == 1 for one in [*range(0, at + 1, 7), at])


def test_a_run_of_tool_calls_keeps_the_request_it_serves() -> None:
    chat = open_chat()
    talk(chat, 5)
    chat.user("Find me a room with a view of the fjord.")
    for at in range(12):
        chat.tool_call(f"c{at}", "search", {"page": at})
        chat.tool_result(f"c{at}", "nothing on this page")
        prompt = chat.prompt(budget(4_000))
        assert "Find me a room with a view of the fjord." in said(prompt)
        assert not orphans(prompt.messages)


@pytest.mark.parametrize("context", range(1_300, 3_300, 40))
def test_parallel_calls_and_their_results_stay_or_go_together(context: int) -> None:
    chat = open_chat()
    for at in range(4):
        chat.user(f"Turn {at}. {LONG}")
        chat.tool_call(f"a{at}", "find", {"x": at})
        chat.tool_call(f"b{at}", "find", {"x": -at})
        chat.tool_result(f"b{at}", "second")
        chat.tool_result(f"a{at}", "first")
    try:
        prompt = chat.prompt(budget(context, low=1.0))
    except BudgetTooSmall:
        assert context < 1_600
        return
    assert not orphans(prompt.messages)
    assert not check(prompt.messages, "openai")
    calls = [message for message in prompt.messages if "tool_calls" in message]
    assert all(len(message["tool_calls"]) == 2 for message in calls)


def test_an_open_call_stops_the_prompt_until_it_has_a_result() -> None:
    chat = open_chat()
    chat.user("Find me a room.")
    chat.tool_call("a", "find", {})
    chat.tool_call("b", "find", {})
    chat.tool_result("a", "one room")
    with pytest.raises(ToolCallsPending, match="'b'") as refused:
        chat.prompt(budget())
    assert refused.value.calls == ("b",)
    chat.tool_result("b", "none")
    assert not orphans(chat.prompt(budget()).messages)


def test_a_call_that_died_is_closed_in_the_log_when_asked() -> None:
    store = MemoryStore()
    chat = open_chat(store)
    chat.user("Find me a room.")
    chat.tool_call("a", "find", {})
    again = open_chat(store)
    with pytest.raises(ToolCallsPending):
        again.prompt(budget())
    assert "[no result]" in said(again.preview(budget())), "a preview shows it, and leaves the log alone"
    assert len(again.messages) == 2
    prompt = again.prompt(budget(), pending_calls="close")
    assert not orphans(prompt.messages)
    assert any(isinstance(entry.event, ToolTurn) and entry.event.text == "[no result]" for entry in again.entries)
    again.tool_result("a", "a room after all")
    late = again.prompt(budget())
    assert "<result>\na room after all\n</result>" in said(late), "what comes late is shown, too"
    assert not orphans(late.messages)


def test_must_keep_items_beyond_the_budget_are_named() -> None:
    chat = open_chat()
    chat.user("A fact. " + LONG * 8, id="fact")
    chat.pin("fact")
    chat.set("trip.people", 2)
    chat.user("hello", id="last")
    with pytest.raises(BudgetTooSmall, match="pinned message fact") as refused:
        chat.prompt(budget(900))
    names = [name for name, _ in refused.value.items]
    assert {"system", "slots", "pinned message fact", "message last", "overhead"} == set(names)
    assert sum(tokens for _, tokens in refused.value.items) - 900 == refused.value.missing
    chat.prompt(budget(900 + refused.value.missing))
    chat.unpin("fact")
    with pytest.raises(BudgetTooSmall):
        chat.prompt(budget(300))


def test_tool_schemas_made_anew_are_the_same_bytes() -> None:
    chat = open_chat()
    talk(chat, 2)
    schema = {"type": "function", "function": {"name": "find", "parameters": {"type": "object", "properties": {}}}}
    turned = json.loads(json.dumps(dict(reversed(list(schema.items())))))
    first = chat.prompt(budget(tools=[schema]))
    second = chat.prompt(budget(tools=[turned]))
    assert first == second
    other = chat.prompt(budget(tools=[{"type": "function", "function": {"name": "seek"}}]))
    assert other.cache
    assert other.cache["epoch_reason"] == "tools"


def test_arguments_in_another_order_are_kept_as_they_were_said() -> None:
    one, two = open_chat(), open_chat()
    for chat, arguments in ((one, {"a": 1, "b": 2}), (two, {"b": 2, "a": 1})):
        chat.user("go")
        chat.add({"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": arguments}}]})
        chat.tool_result("c", {"x": 1})
    assert said(one.prompt(budget())) == said(two.prompt(budget()))


def test_ten_overwrites_in_a_row_rewrite_nothing_in_front() -> None:
    chat = open_chat()
    talk(chat, 4)
    chat.set("trip.city", "Oslo")
    first = chat.prompt(budget(20_000))
    for at in range(10):
        chat.set("trip.people", at + 1)
        chat.user(f"now {at + 1}")
        prompt = chat.prompt(budget(20_000))
        assert said(prompt).startswith(stable_text(first))
        assert value_read(prompt.messages, "trip.people") == at + 1
        assert prompt.cache
        assert prompt.cache["epoch"] == 1


def test_every_turn_is_in_the_window_or_told_as_left_out() -> None:
    chat = open_chat()
    for at in range(400):
        chat.user(f"{at} {LONG}", id=f"m{at}")
        prompt = chat.prompt(budget(4_000))
        kept = {line.id for line in prompt.ledger if line.section == "recent" and line.action == "kept"}
        gone = [line for line in prompt.ledger if line.action == "dropped" and line.section == "recent"]
        first = int(gone[0].id.split("..")[1]) + 1 if gone else 0
        assert kept == {f"m{one}" for one in range(first, at + 1)}
        assert len(gone) <= 1, "one line for all that is left out"
        assert f"{first} messages" in (gone[0].reason or "") if gone else first == 0


def test_epochs_have_their_reasons() -> None:
    clock = Clock()
    store = MemoryStore()
    chat = open_chat(store, clock)
    talk(chat, 12)
    reasons: list[tuple[int, str]] = []

    def ask(of: Chat = chat, **options: Any) -> None:
        cache = of.prompt(budget(20_000, **options)).cache
        assert cache
        if not reasons or reasons[-1] != (cache["epoch"], cache["epoch_reason"]):
            reasons.append((cache["epoch"], cache["epoch_reason"]))

    ask(profile="openai")
    ask(profile="anthropic/claude-opus-5-5")
    chat.set("trip.city", "Oslo")
    ask(profile="anthropic/claude-opus-5-5")
    chat.assistant("Fine.")
    chat.set("trip.city", "Bergen")
    clock.now += timedelta(hours=2)
    ask(profile="anthropic/claude-opus-5-5")
    chat.reset("trip")
    ask(profile="anthropic/claude-opus-5-5")
    ask(open_chat(store, clock, locale="zh"), profile="anthropic/claude-opus-5-5")
    ask(open_chat(store, clock, template="zh", locale="zh"), profile="anthropic/claude-opus-5-5")
    names = [reason for _, reason in reasons]
    assert names == ["start", "provider", "idle", "task_end", "locale", "template"]
    assert [number for number, _ in reasons] == sorted({number for number, _ in reasons})
    recorded = [entry.event for entry in open_chat(store, clock).entries if isinstance(entry.event, Epoch)]
    assert [event.reason for event in recorded] == names


def test_a_pin_from_before_the_window_comes_back() -> None:
    chat = open_chat()
    chat.user("My mother comes along and cannot climb stairs.", id="stairs")
    talk(chat, 60)
    assert "climb stairs" not in in_turns(chat.prompt(budget()))
    chat.pin("stairs")
    prompt = chat.prompt(budget())
    assert "climb stairs" in in_turns(prompt)
    assert prompt.cache
    assert prompt.cache["epoch_reason"] == "pin"
    chat.pin("stairs")
    chat.unpin("stairs")
    chat.unpin("stairs")
    with pytest.raises(InputError, match="no message has the id"):
        chat.pin("nobody")


def test_quotes_cover_what_has_left_the_window() -> None:
    for layout in ("quotes_last", "append_only"):
        chat = open_chat()
        chat.assistant("Where to?", asks=["trip.city"])
        chat.user("Oslo", id="first")
        chat.set("trip.people", 2)
        assert chat.state["trip"]["city"].value == "Oslo"
        talk(chat, 60)
        chat.user("and now?")
        prompt = chat.prompt(budget(layout=layout))
        users = [message["content"] for message in prompt.messages if message["role"] == "user"]
        quoted = [text for text in users if "<quotes>" in text]
        assert quoted == [users[-1]]
        assert "trip.city" in quoted[0].split("<quotes>")[1]
        chat.assistant("Well.")
        chat.user("and now?")
        later = chat.prompt(budget(layout=layout))
        users = [message["content"] for message in later.messages if message["role"] == "user"]
        moved = layout == "quotes_last"
        assert ["<quotes>" in text for text in users[-2:]] == [not moved, moved]


def test_a_number_is_a_budget_and_no_budget_is_no_limit() -> None:
    chat = open_chat()
    talk(chat, 30)
    free = chat.prompt()
    assert free.budget is None
    assert len(free.messages) == 62
    small = chat.prompt(1_500)
    assert small.budget == 1_500
    assert (small.tokens or 0) <= 1_500
    assert len(open_chat(budget=700).prompt().messages) == 2


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ({"context": -1}, "context is a number of tokens"),
        ({"context": True}, "context is a number of tokens"),
        ({"context": 100, "reply": 60, "margin": 40}, "leaves nothing beside reply 60 and margin 40"),
        ({"context": 100, "reply": "x"}, "reply is a number of tokens"),
        ({"context": 100, "layout": "inline"}, "'quotes_last' or 'append_only'"),
        ({"context": 100, "low": 0}, "low mark"),
        ({"context": 100, "low": "half"}, "low mark"),
    ],
)
def test_a_budget_that_leaves_nothing_is_refused(options: dict[str, Any], hint: str) -> None:
    with pytest.raises(InputError, match=hint):
        Budget(**options)


def test_names_in_a_budget_are_looked_up() -> None:
    chat = open_chat()
    chat.user("hello")
    with pytest.raises(InputError, match="did you mean 'openai'"):
        chat.prompt(Budget(2_000, profile="opena"))
    with pytest.raises(InputError, match="estimate"):
        chat.prompt(Budget(2_000, counter="estimat"))
    with pytest.raises(InputError, match="schemas take"):
        chat.prompt(budget(100, tools=[{"name": "x" * 200}]))


def test_a_prompt_before_anybody_spoke() -> None:
    prompt = open_chat().prompt(budget())
    assert prompt.tokens == counted(prompt.messages)
    assert [message["role"] for message in prompt.messages] == ["system", "user"]


def test_equal_terms_are_the_same_terms() -> None:
    chat, counter = open_chat(), CharCounter()
    talk(chat, 3)
    first = chat.prompt(budget(counter=counter))
    assert chat.prompt(budget(counter=counter)) == first


def test_a_call_id_may_come_again() -> None:
    chat = open_chat()
    chat.user("go")
    for text in ("one", "two"):
        chat.tool_call("call", "find", {})
        chat.tool_call("call", "find", {})
        chat.tool_result("call", f"{text} a")
        with pytest.raises(ToolCallsPending):
            chat.prompt(budget())
        chat.tool_result("call", f"{text} b")
    prompt = chat.prompt(budget())
    assert not orphans(prompt.messages)
    results = [message["content"] for message in prompt.messages if message["role"] == "tool"]
    assert results == ["one a", "one b", "two a", "two b"]


@pytest.mark.parametrize(("layout", "borne"), [("quotes_last", 7), ("append_only", 6)])
def test_slots_that_change_often_are_written_anew(layout: Any, borne: int) -> None:
    class Wide(BaseModel):
        """A form."""

        a: int | None = None
        b: int | None = None
        c: int | None = None
        d: int | None = None
        e: int | None = None
        f: int | None = None
        g: int | None = None
        h: int | None = None

    chat, terms = Tracker(Wide, clock=Clock()).open("s"), budget(4_000, layout=layout)
    talk(chat, 12)
    for name in "abcdefgh":
        chat.set(f"wide.{name}", 1)
    full = chat.prompt(terms)
    reasons: list[str] = []
    prompt = full
    for name in "abcdefgh"[: borne + 1]:
        chat.assistant("Fine.")
        chat.set(f"wide.{name}", 2)
        chat.user("hm")
        prompt = chat.prompt(terms)
        assert value_read(prompt.messages, f"wide.{name}") == 2
        reasons.append(prompt.cache["epoch_reason"] if prompt.cache else "")
    assert reasons == ["start"] * borne + ["notes"]
    assert "</note>" not in said(prompt)
    assert (prompt.tokens or 0) < (full.tokens or 0), "and the turns are cut, so that this costs less"


def test_a_sensitive_slot_that_is_cleared_leaves_nothing_behind() -> None:
    class Pay(BaseModel):
        """Pay."""

        card: Annotated[str | None, Slot(sensitive=True)] = None

    chat = Tracker(Pay, clock=Clock()).open("s")
    talk(chat, 3)
    chat.set("pay.card", "4929")
    chat.prompt(budget())
    chat.clear("pay.card")
    prompt = chat.prompt(budget())
    assert prompt.cache
    assert prompt.cache["epoch_reason"] == "cleared"
    assert "•••" not in said(prompt)


def test_below_the_minimum_the_slots_are_live() -> None:
    chat = open_chat()
    for at in range(30):
        chat.user(f"{at} {LONG}")
        chat.set("trip.people", at + 1)
        prompt = chat.prompt(budget(1_400, profile="openai", low=0.1))
        assert prompt.cache
        if prompt.cache["layout"] == "live":
            assert "</note>" not in said(prompt)
            assert prompt.cache["stable_tokens"] == 0
        assert value_read(prompt.messages, "trip.people") == at + 1


def test_what_the_application_changes_behind_a_reply_stands_there() -> None:
    chat, terms = open_chat(), budget(20_000, layout="append_only")
    talk(chat, 3)
    chat.prompt(terms)
    chat.reset("trip")
    assert chat.prompt(terms) == chat.prompt(terms), "a task that nobody began cannot end"
    chat.set("trip.people", 2)
    chat.set("trip.city", "Oslo")
    alone = chat.prompt(terms)
    assert alone.messages[-1]["content"].count("<note>") == 2
    chat.assistant("Two people to Oslo, then.")
    chat.set("trip.people", 3)
    chat.user("No, three.")
    prompt = chat.prompt(terms)
    assert said(prompt).startswith(stable_text(alone))
    assert [message["role"] for message in prompt.messages[-3:]] == ["user", "assistant", "user"]
    last = prompt.messages[-1]["content"]
    assert last.index("trip.people is now 3") < last.index("No, three.")


def test_one_note_closes_the_last_user_message_whoever_changed_what() -> None:
    chat, terms = open_chat(), budget(20_000)
    talk(chat, 3)
    before = chat.prompt(terms)
    chat.set("trip.people", 2)
    chat.set("trip.city", "Oslo")
    alone = chat.prompt(terms)
    assert [message["role"] for message in alone.messages] == [message["role"] for message in before.messages]
    assert said(alone).startswith(stable_text(before)), "behind a reply, too, it may come"
    assert alone.messages[-2]["content"].startswith(f"2 {LONG}\n<note>\n")
    chat.assistant("Two people to Oslo, then.")
    chat.set("trip.people", 3)
    chat.user("No, three.")
    prompt = chat.prompt(terms)
    assert said(prompt).startswith(stable_text(alone))
    assert said(prompt).count("</note>") == 1
    assert prompt.messages[-1]["content"].startswith("No, three.\n<note>\n")
    assert [value_read(prompt.messages, f"trip.{name}") for name in ("people", "city")] == [3, "Oslo"]
    assert said(prompt).count("trip.people is now") == 1, "nothing in it is out of date"
    chat.tool_call("c", "find", {})
    chat.tool_result("c", "a room")
    chat.set("trip.people", 4, source="tool")
    between = chat.prompt(terms)
    assert between.messages[-3]["content"].startswith("No, three.\n<note>\n")
    assert value_read(between.messages, "trip.people") == 4
    assert said(between).startswith(stable_text(prompt))


def test_a_note_before_anybody_spoke_stands_behind_the_slots() -> None:
    chat, terms = open_chat(), budget(20_000)
    chat.assistant("Where to?")
    first = chat.prompt(terms)
    chat.set("trip.people", 2)
    second = chat.prompt(terms)
    assert said(second).startswith(stable_text(first))
    assert value_read(second.messages, "trip.people") == 2
    assert [message["role"] for message in second.messages] == ["system", "user", "assistant"]


def test_arguments_that_are_no_json_are_masked_as_text() -> None:
    class Pay(BaseModel):
        """Pay."""

        card: Annotated[str | None, Slot(sensitive=True)] = None
        tags: list[str] = []
        parts: dict[str, int] = {}

    chat = Tracker(Pay, clock=Clock()).open("s")
    chat.set("pay.card", "4929")
    chat.set("pay.tags", ["a 4929", "b"])
    chat.set("pay.parts", {"x": 1})
    chat.user("go")
    chat.tool_call("c", "pay", '{"card": 4929')
    chat.tool_result("c", "done")
    text = said(chat.prompt(budget()))
    assert "4929" not in text
    assert '["a •••", "b"]' in text
    assert '{"x": 1}' in text


def test_quotes_stay_in_place_during_a_turns_tool_calls() -> None:
    chat = open_chat()
    chat.assistant("Where to?", asks=["trip.city"])
    chat.user("Oslo", id="first")
    talk(chat, 60)
    chat.user("and now?")
    chat.prompt(budget())
    chat.tool_call("a", "find", {})
    chat.tool_result("a", "one room")
    between = chat.prompt(budget())
    chat.tool_call("b", "find", {})
    chat.tool_result("b", "another")
    after = chat.prompt(budget())
    assert between.cache
    assert after.cache
    assert between.messages == after.messages[: len(between.messages)]
    assert after.cache["expected_cached"] >= counted(between.messages) - 10
    assert between.cache["stable_tokens"] < counted(between.messages) - 40, "the quotes move on with the next turn"
    marks = [mark["tokens"] for mark in after.cache["breakpoints"]]
    assert len(marks) <= 4
    assert marks[-1] == counted(after.messages) - 3, "but within the turn all of it can be read again"
    assert marks[-2] == counted(between.messages) - 3


def test_another_process_expects_what_the_first_one_sent() -> None:
    store, clock = MemoryStore(), Clock()
    chat = open_chat(store, clock)
    chat.assistant("Where to?", asks=["trip.city"])
    chat.user("Oslo", id="first")
    talk(chat, 60)
    chat.user("and now?")
    sent = chat.prompt(budget())
    assert "</quotes>" in said(sent)
    chat.assistant("Well.")
    chat.user("go on")
    here, there = chat.prompt(budget()), open_chat(store, clock).prompt(budget())
    assert here.messages == there.messages
    assert here.cache
    assert there.cache
    assert sent.cache
    assert there.cache["expected_cached"] == here.cache["expected_cached"]
    assert here.cache["expected_cached"] == pytest.approx(sent.cache["stable_tokens"], abs=4)


def test_a_result_that_is_pinned_begins_one_epoch() -> None:
    """A group of calls is pinned by any of its messages."""
    chat = open_chat()
    chat.user("Find me a room.")
    chat.tool_call("a", "find", {})
    chat.tool_result("a", "a room with a view of the fjord")
    result = chat.messages[-1].id
    talk(chat, 60)
    chat.prompt(budget())
    chat.pin(result)
    first = chat.prompt(budget())
    assert "view of the fjord" in in_turns(first)
    assert not orphans(first.messages)
    chat.user("go on")
    second = chat.prompt(budget())
    assert first.cache
    assert second.cache
    assert (second.cache["epoch"], second.cache["epoch_reason"]) == (first.cache["epoch"], "pin")
