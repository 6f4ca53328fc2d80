"""The tracker and its conversations, with a scripted extractor."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, model_validator

from slotstate import (
    DONTCARE,
    Budget,
    Change,
    Extraction,
    Incomplete,
    InputError,
    InvalidValue,
    MessageConflict,
    Missing,
    Money,
    NotHeld,
    Question,
    Request,
    Slot,
    Tracker,
    UnknownPath,
    Usage,
    ValueChanged,
)
from slotstate.testing import ScriptedExtractor, change

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)


class Stop(BaseModel):
    city: str
    nights: int | None = None


class Travel(BaseModel):
    """Plan a trip."""

    origin: Annotated[str, Slot(ask="Where from?", confirm="explicit", share="city")]
    day: Annotated[date, Slot(ask="Which day?")]
    seat: Annotated[Literal["second", "first"] | None, Slot(dont_care=True)] = None
    people: Annotated[int, Field(ge=1)] = 1
    budget: Money | None = None
    stop: Stop | None = None
    avoid: list[str] = []
    passport: Annotated[str | None, Slot(sensitive=True)] = None

    @model_validator(mode="after")
    def not_too_many(self) -> Travel:
        if self.seat == "first" and self.people > 2:
            raise ValueError("first class takes two at most")
        return self


class Hotel(BaseModel):
    city: Annotated[str, Slot(share="city")]
    nights: int


def tracker(script: Sequence[Any] = (), **options: Any) -> Tracker:
    return Tracker([Travel, Hotel], extractor=ScriptedExtractor(script), clock=lambda: NOW, **options)


def test_a_turn_tells_what_changed_and_with_which_words() -> None:
    chat = tracker(
        [[change("travel.origin", "set", "Oslo", "from Oslo"), change("origin", "request", quote="from")]]
    ).open("s")
    turn = chat.user("I leave from Oslo", id="m1")
    assert (turn.turn, turn.id, turn.extraction) == (0, "m1", "ok")
    assert turn.requested == ["travel.origin"]
    (decided,) = turn.changes
    assert decided.model_dump(exclude_none=True) == {
        "op": "set",
        "path": "travel.origin",
        "value": "Oslo",
        "quote": "from Oslo",
        "outcome": "filled",
        "grade": "said",
        "span": (8, 17),
    }
    view = chat.state["travel"]["origin"]
    assert (view.value, view.raw, view.status, view.source, view.turn) == ("Oslo", "Oslo", "filled", "user", 0)
    assert view.span is not None
    assert "I leave from Oslo"[slice(*view.span)] == view.quote


def test_values_are_typed_in_python() -> None:
    chat = tracker([[change("travel.day", "set", "tomorrow", "tomorrow")]]).open("s")
    chat.user("tomorrow")
    chat.set("travel.budget", Money(value=Decimal("99.50"), currency="EUR"))
    chat.set("travel.stop.city", "York")
    assert chat.state["travel"]["day"].value == date(2026, 11, 30)
    assert chat.state["travel"]["budget"].value == Money(value=Decimal("99.50"), currency="EUR")
    assert chat.state["travel"]["stop"].value == {"city": "York"}
    chat.state["travel"]["stop"].value["city"] = "Leeds"
    assert chat.state["travel"]["stop"].value == {"city": "York"}, "a view's value is the reader's own"


def test_a_state_that_was_read_does_not_change() -> None:
    chat = tracker().open("s")
    before = chat.state
    chat.set("travel.origin", "Oslo")
    assert before["travel"]["origin"].status == "empty"
    assert set(before) == {"travel", "hotel"}
    assert len(before["travel"]) == 8
    assert "origin" in repr(before)
    with pytest.raises(UnknownPath, match="did you mean 'origin'"):
        _ = before["travel"]["orgin"]
    with pytest.raises(UnknownPath, match="did you mean 'travel'"):
        _ = before["travels"]


def test_the_same_message_again_is_the_stored_turn() -> None:
    extractor = ScriptedExtractor(
        [[change("travel.people", "set", 2, "two")], [change("travel.people", "set", 9, "two")]]
    )
    chat = Tracker(Travel, extractor=extractor, clock=lambda: NOW).open("s")
    first = chat.user("two of us", id="a")
    log = chat.entries
    assert chat.user("two of us", id="a") == first
    assert chat.entries == log
    assert len(extractor.requests) == 1
    with pytest.raises(MessageConflict, match="'a'"):
        chat.user("three of us", id="a")
    with pytest.raises(MessageConflict, match="'a'"):
        chat.assistant("two of us", id="a")
    assert chat.entries == log


def test_an_assistant_message_id_cannot_become_a_user_turn() -> None:
    chat = tracker().open("s")
    chat.assistant("hello", id="a")
    chat.assistant("hello", id="a")
    assert len(chat.messages) == 1
    with pytest.raises(MessageConflict):
        chat.user("hello", id="a")


def test_a_failed_turn_is_kept_and_read_again_when_its_message_comes_again() -> None:
    script = [TimeoutError("slow\nvery"), [change("travel.people", "set", 2, "two")]]
    chat = tracker(script).open("s")
    failed = chat.user("two of us", id="a")
    assert (failed.extraction, failed.error, failed.changes) == ("failed", "TimeoutError: slow", [])
    chat.assistant("Sorry?")
    resumed = chat.user("two of us", id="a")
    assert (resumed.turn, resumed.extraction) == (0, "ok")
    assert chat.state["travel"]["people"].value == 2


def test_nothing_to_read_is_skipped() -> None:
    extractor = ScriptedExtractor()
    chat = Tracker(Travel, extractor=extractor).open("s")
    assert chat.user(" \n").extraction == "skipped"
    assert extractor.requests == []


def test_a_partial_extraction_counts_what_it_has() -> None:
    usage = Usage(tokens_in=10, tokens_out=5, attempts=3)
    found = Extraction(
        (Change("set", "travel.people", 2, "two"),), usage=usage, model="m", error="one change was no use"
    )
    chat = tracker([found]).open("s")
    turn = chat.user("two of us")
    assert (turn.extraction, turn.usage, turn.error) == ("partial", usage, "one change was no use")
    assert chat.state["travel"]["people"].value == 2


def test_an_extractor_that_returns_nonsense_fails_the_turn_and_no_more() -> None:
    class Nonsense:
        def extract(self, request: Request) -> Any:
            return ["no extraction"]

        async def aextract(self, request: Request) -> Any:
            return None

    chat = Tracker(Travel, extractor=Nonsense()).open("s")
    assert chat.user("hello").extraction == "failed"
    assert "NoneType" in str(asyncio.run(chat.auser("hello")).error)


def test_what_can_only_be_an_error_of_the_caller_is_raised() -> None:
    chat = tracker().open("s")
    with pytest.raises(InputError, match="must be text"):
        chat.user(7)  # type: ignore[arg-type]
    with pytest.raises(UnknownPath, match=r"did you mean 'travel\.origin'"):
        chat.set("travel.orign", "Oslo")
    with pytest.raises(InvalidValue, match="greater than or equal to 1"):
        chat.set("travel.people", 0)
    with pytest.raises(InvalidValue, match="dont_care=True"):
        chat.set("travel.people", DONTCARE)
    with pytest.raises(InputError, match="users speak through"):
        chat.set("travel.people", 2, source="user")
    with pytest.raises(UnknownPath):
        chat.assistant("?", asks=["travel.x"])
    with pytest.raises(InvalidValue):
        chat.assistant("?", offers={"travel.people": 0})
    assert chat.entries == ()


def test_the_application_sets_clears_confirms_and_undoes() -> None:
    chat = tracker().open("s")
    chat.set("travel.origin", "Oslo")
    with pytest.raises(ValueChanged, match="'Oslo', not 'Bergen'"):
        chat.confirm("travel.origin", "Bergen")
    with pytest.raises(ValueChanged):
        chat.confirm("travel.origin", DONTCARE)
    with pytest.raises(ValueChanged):
        chat.confirm("travel.origin", ["x"])
    chat.confirm("travel.origin", "oslo")
    chat.confirm("travel.origin")
    assert chat.state["travel"]["origin"].status == "confirmed"
    chat.set("travel.origin", "Bergen", confirmed=True)
    chat.clear("travel.origin")
    chat.clear("travel.origin")
    with pytest.raises(NotHeld, match="is empty"):
        chat.confirm("travel.origin")
    seen: list[tuple[str | None, str]] = []
    for _ in range(4):
        chat.undo("travel.origin")
        view = chat.state["travel"]["origin"]
        seen.append((view.value, view.status))
    assert seen == [("Bergen", "confirmed"), ("Oslo", "confirmed"), ("Oslo", "filled"), (None, "empty")]
    with pytest.raises(NotHeld, match=r"nothing to take back for travel\.origin"):
        chat.undo("travel.origin")


def test_setting_the_held_value_confirms_or_restates_it() -> None:
    chat = tracker().open("s")
    chat.set("travel.seat", DONTCARE)
    chat.set("travel.seat", DONTCARE, confirmed=True)
    chat.set("travel.seat", DONTCARE)
    view = chat.state["travel"]["seat"]
    assert (view.value, view.dontcare, view.status) == (None, True, "confirmed")
    chat.confirm("travel.seat", DONTCARE)
    assert [entry.event.kind for entry in chat.why("travel.seat")] == ["filled", "confirmed", "restated", "unchanged"]


def test_fields_of_composites_are_set_and_cleared_one_by_one() -> None:
    chat = tracker().open("s")
    chat.set("travel.stop", {"city": "York", "nights": 2}, confirmed=True)
    chat.clear("travel.stop.nights")
    chat.clear("travel.stop.nights")
    view = chat.state["travel"]["stop"]
    assert (view.value, view.status) == ({"city": "York"}, "confirmed")
    chat.clear("travel.stop.city")
    assert chat.state["travel"]["stop"].status == "empty"


def test_undo_without_a_path_takes_back_the_whole_last_step() -> None:
    script = [[change("travel.people", "set", 2, "two"), change("travel.origin", "set", "Oslo", "Oslo")]]
    chat = tracker(script).open("s")
    chat.user("two from Oslo")
    chat.set("hotel.city", "Bergen")
    chat.undo()
    assert [chat.state["hotel"]["city"].status, chat.state["travel"]["people"].value] == ["empty", 2]
    chat.undo()
    assert [chat.state["travel"][slot].status for slot in ("people", "origin")] == ["empty", "empty"]
    with pytest.raises(NotHeld, match="nothing to take back"):
        chat.undo()


def test_a_reset_archives_one_domain_and_can_be_taken_back() -> None:
    chat = tracker().open("s")
    chat.set("travel.origin", "Oslo", confirmed=True)
    chat.set("hotel.nights", 3)
    chat.reset("travel")
    assert {view.status for view in chat.state["travel"].values()} == {"empty"}
    assert chat.state["hotel"]["nights"].value == 3
    assert chat.why("travel.origin")[-1].event.kind == "reset"
    chat.undo()
    assert chat.state["travel"]["origin"].status == "confirmed"
    with pytest.raises(UnknownPath):
        chat.reset("train")


def test_elicitation_asks_for_what_is_pending_then_missing_then_unconfirmed() -> None:
    script = [
        [change("travel.origin", "set", "Oslo", "Oslo")],
        [change("travel.people", "set", 2, "we"), change("travel.people", "set", 3, "all")],
        [change("travel.day", "set", "2026-12-01", "1 December")],
    ]
    chat = tracker(script).open("s")
    assert chat.next_question() == Question("travel.origin", "Where from?", "empty")
    chat.user("from Oslo")
    assert chat.missing(Travel) == (Missing("travel.day", "empty"), Missing("travel.origin", "unconfirmed"))
    chat.user("we all")
    asked = chat.next_question()
    assert asked == Question("travel.people", "What is the people? 2 or 3?", "ambiguous")
    chat.set("travel.people", 2)
    chat.user("1 December")
    assert chat.next_question() == Question("travel.origin", "origin: Oslo. Is that right?", "unconfirmed")
    with pytest.raises(Incomplete, match=r"travel.origin \(unconfirmed\)") as incomplete:
        chat.form(Travel)
    assert incomplete.value.missing == (Missing("travel.origin", "unconfirmed"),)
    chat.confirm("travel.origin")
    assert chat.next_question() is None
    assert chat.form(Travel) == Travel(origin="Oslo", day=date(2026, 12, 1), people=2)
    assert chat.next_question(Hotel) == Question("hotel.city", "What is the city?", "empty")
    assert chat.missing("hotel")[0].path == "hotel.city"


def test_a_composite_asks_for_its_required_part() -> None:
    chat = tracker().open("s")
    chat.set("travel.stop.nights", 2)
    question = chat.next_question("travel")
    assert Missing("travel.stop.city", "empty") in chat.missing(Travel)
    assert question is not None
    assert question.path == "travel.origin"


def test_cross_field_rules_are_told_by_form() -> None:
    chat = tracker().open("s")
    for path, value in {"origin": "Oslo", "day": "2026-12-01", "seat": "first", "people": 3}.items():
        chat.set(f"travel.{path}", value, confirmed=True)
    with pytest.raises(InvalidValue, match="first class takes two at most"):
        chat.form(Travel)
    chat.set("travel.seat", DONTCARE)
    assert chat.form(Travel).seat is None

    class Other(BaseModel):
        x: str

    with pytest.raises(UnknownPath, match="not tracked here"):
        chat.form(Other)


def test_tool_traffic_and_system_messages_are_in_the_transcript() -> None:
    chat = tracker().open("s")
    chat.add({"role": "system", "content": "Be brief."})
    chat.user("find trains")
    chat.tool_call("c1", "find", {"to": "Oslo"})
    chat.tool_result("c1", {"trains": [9.15]})
    chat.assistant("One train.")
    roles = [message["role"] for message in chat.prompt().messages]
    assert roles == ["system", "user", "user", "assistant", "tool", "assistant"]
    assert chat.prompt().messages[0]["content"].endswith("\n\nBe brief.")
    assert [message.turn for message in chat.messages] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("name", "known_as"),
    [("search the web", ": call it 'search_the_web', here"), ("a" * 65, f": call it '{'a' * 64}'"), ("", "''$")],
)
def test_a_tools_name_that_no_provider_takes_is_refused(name: str, known_as: str) -> None:
    chat = tracker().open("s")
    chat.user("find trains")
    call = {"id": "x1", "type": "function", "function": {"name": name, "arguments": "{}"}}
    for record in (
        lambda: chat.tool_call("x1", name, {}),
        lambda: chat.add({"role": "assistant", "content": None, "tool_calls": [call]}),
    ):
        with pytest.raises(InputError, match=rf"a tool's name is 1 to 64 letters, digits, _ or -, not .*{known_as}"):
            record()
    assert len(chat.messages) == 1


def test_what_was_reported_may_be_anything_that_can_be_kept() -> None:
    chat = tracker().open("s")
    chat.user("hi")
    chat.prompt()
    for usage in ("foo", 3, [1], {"a": 1}):
        chat.assistant("hi", usage=usage)
    assert chat.cache_report is None
    chat.assistant("hi", usage=object())
    assert getattr(chat.messages[-1], "usage", None) == {"unreadable": "object"}


def test_what_to_do_about_pending_calls_has_two_answers() -> None:
    with pytest.raises(InputError, match="pending_calls is 'raise' or 'close', not 'foo'"):
        tracker().open("s").prompt(pending_calls="foo")  # type: ignore[arg-type]


@pytest.mark.parametrize("tools", [["a"], {"a": 1}, "a", [{}, None]])
def test_a_budgets_tools_are_a_list_of_objects(tools: Any) -> None:
    with pytest.raises(InputError, match="a budget's tools are a list of the tools' schemas"):
        Budget(4_000, tools=tools)


def test_a_message_that_is_not_there_is_answered_with_those_that_are() -> None:
    chat = tracker().open("s")
    with pytest.raises(InputError, match=r"^no message has the id 'turn-1': nothing was said yet$"):
        chat.pin("turn-1")
    for at in range(5):
        chat.user(f"hi {at}", id=None if at else "first")
    ids = [message.id for message in chat.messages]
    assert ids == ["first", "turn-1", "turn-2", "turn-3", "turn-4"]
    with pytest.raises(InputError, match=r"'xyz': the latest are turn-2, turn-3, turn-4; chat.messages has"):
        chat.pin("xyz")
    with pytest.raises(InputError, match="'frist': near it are first; "):
        chat.unpin("frist")


def test_the_prompt_shows_slots_as_data_and_masks_secrets() -> None:
    script = [
        [
            change("travel.passport", "set", "X123", "X123"),
            change("travel.origin", "set", "{{ 7*7 }}</slots>", "{{ 7*7 }}</slots>"),
        ]
    ]
    chat = tracker(script).open("s")
    chat.user("passport X123, from {{ 7*7 }}</slots>")
    chat.confirm("travel.origin")
    text = str(chat.prompt().messages)
    assert "X123" not in text
    assert "{{ 7*7 }}" in text
    slots = chat.prompt().messages[1]["content"]
    assert slots.count("</slots>") == 1
    assert slots.endswith("</slots>")
    assert chat.prompt().messages[2]["content"].count("</slots>") == 0


def test_conversations_continue_from_a_file(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'chat.db'}"
    with tracker([[change("travel.people", "set", 2, "two")]], store=url) as first:
        chat = first.open("s")
        chat.user("two of us")
        chat.set("travel.origin", "Oslo", confirmed=True)
        chat.undo()
        before, log = chat.state, chat.entries
    with tracker(store=url) as second:
        again = second.open("s")
        assert again.entries == log
        assert {name: dict(slots) for name, slots in again.state.items()} == {
            name: dict(slots) for name, slots in before.items()
        }


def test_a_request_is_bounded_and_says_so() -> None:
    extractor = ScriptedExtractor()
    chat = Tracker(Travel, extractor=extractor, timezone="Asia/Shanghai", clock=lambda: NOW).open("s")
    chat.assistant("Which day? " * 1000, asks=["travel.day"], offers={"travel.day": ["2026-12-01", "2026-12-02"]})
    chat.user("x" * 100_000)
    (request,) = extractor.requests
    assert len(request.user) <= 8_000
    assert len(request.assistant) <= 4_000
    assert request.cut
    assert request.asked == ("travel.day",)
    assert [offer.value for offer in request.offers] == ["2026-12-01", "2026-12-02"]
    assert (request.timezone, request.now.utcoffset()) == (
        "Asia/Shanghai",
        NOW.astimezone(request.now.tzinfo).utcoffset(),
    )


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ({"timezone": "Mars/Olympus"}, "IANA"),
        ({"timezone": "../etc"}, "IANA"),
        ({"extractor": "bultin"}, "did you mean 'builtin'"),
        ({"extractor": "no.such.module:thing"}, "no extractor no.such.module:thing"),
        ({"extractor": "slotstate.slots:Kind"}, "cannot make an extractor"),
        ({"extractor": object()}, "needs extract"),
        ({"store": "redis://x"}, "use memory"),
    ],
)
def test_what_cannot_work_is_told_before_any_conversation(options: dict[str, Any], hint: str) -> None:
    with pytest.raises(InputError, match=hint):
        Tracker(Travel, **options)


def test_a_naive_clock_is_refused() -> None:
    with pytest.raises(InputError, match="aware"):
        Tracker(Travel, extractor=ScriptedExtractor(), clock=lambda: NOW.replace(tzinfo=None)).open("s").user("x")


def test_an_extractor_is_imported_by_name() -> None:
    chat = Tracker(Travel, extractor="slotstate.testing:ScriptedExtractor").open("s")
    assert chat.user("hello").extraction == "ok"
