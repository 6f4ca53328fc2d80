"""What goes wrong around a conversation on one machine: stores, threads, repeated and late messages, streams."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, model_validator

from slotstate import Change, Chat, Extraction, Request, Slot, StaleWriter, Tracker
from slotstate.testing import ScriptedExtractor, change

NOON = datetime(2024, 5, 15, 12, 0, tzinfo=UTC)


class Case(BaseModel):
    """Whatever the situation needs."""

    show: Annotated[str | None, Slot()] = None
    day: Annotated[date | None, Slot(ask="Which day?")] = None
    weekday: Annotated[str | None, Slot()] = None
    amount: Annotated[Decimal | None, Slot()] = None
    guests: Annotated[int | None, Slot(ask="How many guests?")] = None
    origin: Annotated[str | None, Slot()] = None
    tier: Annotated[Literal["silver", "gold"] | None, Slot()] = None
    currency: Annotated[Literal["EUR", "USD"] | None, Slot(aliases={"EUR": ["euros"]})] = None
    budget: Annotated[float | None, Slot()] = None
    trip: Annotated[Literal["oneway", "return"] | None, Slot()] = None
    back_on: Annotated[date | None, Slot()] = None
    status: Annotated[Literal["open", "waiting"] | None, Slot()] = None

    @model_validator(mode="after")
    def a_return_needs_its_day(self) -> Case:
        if self.trip == "return" and self.back_on is None:
            raise ValueError("a return trip needs the day of the way back")
        return self


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'log.db'}"


def tracker(url: str, *script: Any, zone: str = "Europe/London", now: datetime = NOON) -> Tracker:
    return Tracker(Case, extractor=ScriptedExtractor(script), store=url, clock=lambda: now, timezone=zone)


def held(chat: Chat) -> dict[str, Any]:
    return {name: view.value for name, view in chat.state["case"].items() if view.status != "empty"}


def test_a_session_goes_on_after_a_reload_in_another_time_zone(url: str) -> None:
    with tracker(url, [change("case.show", "set", "Foghorn Nights", "Foghorn Nights")]) as first:
        chat = first.open("s")
        chat.user("I want to see Foghorn Nights")
        chat.assistant("Which day?")
    tomorrow = change("case.day", "set", "tomorrow", "tomorrow")
    with tracker(url, [tomorrow], now=NOON.astimezone().replace(microsecond=0)) as again:
        chat = again.open("s")
        chat.user("tomorrow then")
        assert held(chat) == {"show": "Foghorn Nights", "day": date(2024, 5, 16)}


@pytest.mark.parametrize(
    ("now", "tomorrow"),
    [
        (datetime(2024, 12, 31, 20, 0, tzinfo=UTC), date(2025, 1, 1)),
        (datetime(2024, 12, 31, 23, 30, tzinfo=UTC), date(2025, 1, 1)),
        (datetime(2024, 2, 28, 12, 0, tzinfo=UTC), date(2024, 2, 29)),
        (datetime(2024, 3, 31, 0, 30, tzinfo=UTC), date(2024, 4, 1)),  # the night in which clocks go forward
        (datetime(2024, 6, 30, 23, 30, tzinfo=UTC), date(2024, 7, 2)),  # already July in London
    ],
)
def test_tomorrow_is_the_users_tomorrow(now: datetime, tomorrow: date) -> None:
    chat = tracker("memory://", [change("case.day", "set", "tomorrow", "tomorrow")], now=now).open("s")
    chat.user("tomorrow")
    assert held(chat) == {"day": tomorrow}


def test_decimals_survive_the_store(url: str) -> None:
    with tracker(url, [change("case.amount", "set", "19.90", "19.90")]) as first:
        first.open("s").user("please pay back 19.90")
    with tracker(url) as again:
        chat = again.open("s")
        chat.user("carry on")
        assert held(chat) == {"amount": Decimal("19.90")}
        assert isinstance(held(chat)["amount"], Decimal)
        assert '"value":"19.90"' in chat.state["case"]["amount"].model_dump_json()


def test_whole_numbers_stay_whole_numbers(url: str) -> None:
    with tracker(url, [change("case.guests", "set", "four", "four")]) as first:
        first.open("s").user("four of us are coming")
    with tracker(url) as again:
        found = held(again.open("s"))["guests"]
        assert (found, type(found)) == (4, int)


def in_threads(*calls: Callable[[], Any]) -> list[BaseException]:
    """Run all calls at once; what they raise."""
    gate, errors = threading.Barrier(len(calls)), list[BaseException]()

    def run(call: Callable[[], Any]) -> None:
        gate.wait()
        try:
            call()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    return errors


def test_two_workers_on_one_file_lose_no_update(url: str) -> None:
    workers = [
        tracker(url, [change("case.guests", "set", 3, "three guests")]),
        tracker(url, [change("case.origin", "set", "Hull", "Hull")]),
    ]
    chats = [worker.open("s") for worker in workers]
    assert in_threads(lambda: chats[0].user("three guests"), lambda: chats[1].user("starting in Hull")) == []
    fresh = tracker(url).open("s")
    assert held(fresh) == {"guests": 3, "origin": "Hull"}
    assert [entry.seq for entry in fresh.entries] == list(range(len(fresh.entries)))


@pytest.mark.parametrize("shared", [True, False])
def test_two_writers_of_different_slots_in_one_process(shared: bool) -> None:
    here = tracker("memory://")
    one = here.open("s")
    other = one if shared else here.open("s")
    assert in_threads(lambda: one.set("case.show", "Tern"), lambda: other.set("case.origin", "Hull")) == []
    assert held(here.open("s")) == {"show": "Tern", "origin": "Hull"}


def test_many_threads_on_one_chat_write_a_log_without_gaps(url: str) -> None:
    chat = tracker(url).open("s")
    calls = [lambda n=n: chat.user(f"message {n}", id=f"m{n}") for n in range(12)]
    assert in_threads(*calls) == []
    assert sorted(message.id for message in tracker(url).open("s").messages) == sorted(f"m{n}" for n in range(12))


def test_what_the_application_sets_between_turns_reaches_the_store(url: str) -> None:
    with tracker(url, [change("case.origin", "set", "Hull", "Hull")]) as first:
        chat = first.open("s")
        chat.set("case.tier", "gold")
        chat.user("I start in Hull")
    with tracker(url) as again:
        assert held(again.open("s")) == {"tier": "gold", "origin": "Hull"}


def test_what_is_read_cannot_be_changed_by_hand() -> None:
    chat = tracker("memory://").open("s")
    chat.set("case.tier", "gold")
    view = chat.state["case"]["tier"]
    with pytest.raises(Exception, match="frozen"):
        view.value = "silver"  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(TypeError):
        chat.state["case"]["tier"] = view  # type: ignore[index] # pyright: ignore[reportIndexIssue]
    assert held(chat) == {"tier": "gold"}


def test_nulls_of_a_half_streamed_answer_change_nothing() -> None:
    streamed = [
        Change("set", "case.currency", None, None),
        Change("set", "case.budget", None, "budget is 250"),
        Change("set", "case.budget", 250, "250"),
    ]
    chat = tracker("memory://", [change("case.currency", "set", "EUR", "euros")], streamed).open("s")
    chat.user("prices in euros")
    turn = chat.user("my budget is 250")
    assert held(chat) == {"currency": "EUR", "budget": 250.0}
    assert [one.reason for one in turn.rejected] == ["invalid_value", "invalid_value"]


def test_a_rule_over_several_slots_does_not_stop_a_turn() -> None:
    chat = tracker(
        "memory://",
        [change("case.trip", "set", "return", "return")],
        [change("case.back_on", "set", "2024-05-30", "30 May")],
    ).open("s")
    chat.user("a return ticket")
    assert held(chat) == {"trip": "return"}
    chat.user("back on 30 May")
    assert chat.form(Case).back_on == date(2024, 5, 30)


def test_slots_that_the_last_step_did_not_touch_are_still_there(url: str) -> None:
    with tracker(url, [change("case.show", "set", "Tern", "Tern")]) as first:
        chat = first.open("s")
        chat.user("It is called Tern")
    for count in (1, 2):
        with tracker(url) as later:
            later.open("s").set("case.guests", count)
    with tracker(url) as last:
        chat = last.open("s")
        chat.user("anything left of it?")
        assert held(chat) == {"show": "Tern", "guests": 2}


class Interrupted(ScriptedExtractor):
    """Lets something else happen while a turn is being read."""

    def __init__(self, meanwhile: Callable[[], Any], *script: Any) -> None:
        super().__init__(script)
        self.meanwhile = meanwhile

    def extract(self, request: Request) -> Extraction:
        self.meanwhile()
        return super().extract(request)


def test_a_background_job_and_a_turn_both_count(url: str) -> None:
    job = tracker(url).open("s")
    reader = Interrupted(lambda: job.set("case.status", "waiting"), [change("case.day", "set", "2024-05-17", "Friday")])
    chat = Tracker(Case, extractor=reader, store=url, clock=lambda: NOON).open("s")
    chat.user("Friday suits me")
    assert held(chat) == {"status": "waiting", "day": date(2024, 5, 17)}


def test_a_background_job_on_the_same_slot_wins_over_the_turn_it_interrupts(url: str) -> None:
    job = tracker(url).open("s")
    reader = Interrupted(lambda: job.set("case.show", "Tern"), [change("case.show", "set", "Gull", "Gull")])
    chat = Tracker(Case, extractor=reader, store=url, clock=lambda: NOON).open("s")
    turn = chat.user("Gull for me")
    assert [one.outcome for one in turn.changes] == ["superseded"]
    assert held(chat) == {"show": "Tern"}


def test_the_order_of_arrival_decides_and_not_who_is_read_first(url: str) -> None:
    second = tracker(url, [change("case.weekday", "set", "Thursday", "Thursday")]).open("s")
    slow = Interrupted(lambda: second.user("no, on Thursday"), [change("case.weekday", "set", "Monday", "Monday")])
    chat = Tracker(Case, extractor=slow, store=url, clock=lambda: NOON).open("s")
    turn = chat.user("Monday")
    assert held(chat) == {"weekday": "Thursday"}
    assert [one.outcome for one in turn.changes] == ["superseded"]


def test_a_stale_writer_is_refused_by_the_store(url: str) -> None:
    here = tracker(url)
    chat = here.open("s")
    chat.set("case.show", "Tern")
    with pytest.raises(StaleWriter):
        here.store.append("s", chat.entries[:1], 0)
    assert len(here.store.load("s")) == len(chat.entries)


def test_a_pause_between_messages_carries_everything_over(url: str) -> None:
    now = [NOON]
    script = [[change("case.show", "set", "Tern", "Tern")], [change("case.guests", "set", 42, "42")]]
    with Tracker(Case, extractor=ScriptedExtractor(script), store=url, clock=lambda: now[0]) as here:
        chat = here.open("s")
        chat.user("The show is Tern")
        chat.confirm("case.show")
        chat.assistant("How many guests?")
        now[0] += timedelta(minutes=70)
        chat = here.open("s")
        chat.user("around 42")
        assert held(chat) == {"show": "Tern", "guests": 42}
        assert chat.state["case"]["show"].status == "confirmed"


@pytest.mark.parametrize("at_once", [True, False])
def test_a_message_delivered_twice_counts_once(url: str, at_once: bool) -> None:
    first = tracker(url, [change("case.guests", "set", 2, "two guests")])
    first.open("s").user("two guests", id="a")
    more = [change("case.guests", "set", 3, "one more guest")]
    chats = [tracker(url, more).open("s") for _ in range(2)]
    calls = [lambda chat=chat: chat.user("one more guest", id="b") for chat in chats]
    if at_once:
        assert in_threads(*calls) == []
    else:
        assert calls[0]() == calls[1]()
    fresh = tracker(url).open("s")
    assert held(fresh) == {"guests": 3}
    assert [message.id for message in fresh.messages] == ["a", "b"]
    fresh.undo("case.guests")
    assert held(fresh) == {"guests": 2}


def test_one_slot_is_cleared_and_its_sibling_stays() -> None:
    script = [[change("case.day", "set", "2024-05-18", "Saturday"), change("case.guests", "set", 4, "four")]]
    chat = tracker("memory://", *script).open("s")
    chat.user("Saturday, four people")
    chat.clear("case.day")
    chat.assistant("We are full on that day. Another one?")
    assert held(chat) == {"guests": 4}
    question = chat.next_question("case")
    assert question is None or question.path != "case.guests"


@pytest.mark.parametrize("redelivered", [True, False])
def test_a_cleared_slot_is_not_filled_again_from_the_old_message(url: str, redelivered: bool) -> None:
    name = [change("case.show", "set", "Tern", "Tern")]
    with tracker(url, name) as first:
        chat = first.open("s")
        chat.user("The show is Tern", id="m1")
        chat.clear("case.show")
    with tracker(url, name) as again:
        chat = again.open("s")
        chat.assistant("I cleared it: which show is it?")
        if redelivered:
            chat.user("The show is Tern", id="m1")
        assert held(chat) == {}


def test_a_cleared_slot_is_not_filled_again_when_the_old_message_is_read_late(url: str) -> None:
    chat = tracker(url, TimeoutError("slow"), [change("case.show", "set", "Tern", "Tern")]).open("s")
    assert chat.user("The show is Tern", id="m1").extraction == "failed"
    chat.set("case.show", "Gull")
    chat.clear("case.show")
    assert [one.outcome for one in chat.user("The show is Tern", id="m1").changes] == ["superseded"]
    assert held(chat) == {}
