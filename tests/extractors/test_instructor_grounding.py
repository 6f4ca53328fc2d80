"""What a model proposes and nobody said is left out; what the words say counts where it says otherwise."""

from __future__ import annotations

from dataclasses import replace
from datetime import time
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from slotstate import Tracker
from slotstate.domains import Domains
from slotstate.extractors.instructor import InstructorExtractor
from slotstate.extractors.instructor.response import Reader, shape_of
from slotstate.providers import Record
from slotstate.slots import UNSET
from slotstate.state import Heard, State
from tests.extractors.server import changes, item, serving
from tests.extractors.trips import Person, ask


def read(user: str, *items: dict[str, Any], assistant: str = "", grounded: bool = True, **more: Any) -> list[Any]:
    state = replace(State(), heard=Heard(0, assistant) if assistant else None)
    request = ask(user, assistant=assistant, state=state, **more)
    domains = tuple(request.domains.values())
    reader = Reader(request, Domains(domains), shape_of(domains), Record("m", None, 0), grounded)
    return [(change.path.removeprefix("trip."), change.value) for change in reader.read(items).changes]


class Ferry(BaseModel):
    """Cross the water."""

    leaves_at: time | None = None


def read_of(domain: type[BaseModel], user: str, *items: dict[str, Any]) -> list[Any]:
    request = ask(user, domains=domain)
    domains = tuple(request.domains.values())
    reader = Reader(request, Domains(domains), shape_of(domains), Record("m", None, 0))
    return [change.value for change in reader.read(items).changes]


@pytest.mark.parametrize(
    ("assistant", "user", "quote", "path", "value"),
    [
        ("", "We want to leave soon.", "We want to leave soon", "trip.origin", "Bergen"),
        ("", "Book me a trip, please.", "Book me a trip", "trip.seat", "dontcare"),
        ("There are trains.", "Book me one.", "Book me one", "trip.seat", "dontcare"),
        ("You could leave from Bergen.", "How much would that be?", "How much would that be", "trip.origin", "Bergen"),
        ("From Bergen, then?", "and what does that cost", "what does that cost", "trip.origin", "Bergen"),
        ("从卑尔根出发吗?", "多少钱?", "多少钱", "trip.origin", "卑尔根"),
        ("", "What does it cost?", "What does it cost", "trip.people", 1),
        ("", "Can we go some day?", "some day", "trip.leaves_on", "2025-03-14"),
        ("", "我们想早点走。", "早点走", "trip.origin", "北京"),
    ],
)
def test_what_nobody_said(assistant: str, user: str, quote: str, path: str, value: Any) -> None:
    proposed = item(quote, path, value)
    assert read(user, proposed, assistant=assistant) == []
    assert read(user, proposed, assistant=assistant, grounded=False) == [(path.removeprefix("trip."), value)]


@pytest.mark.parametrize(
    ("assistant", "user", "quote", "path", "value"),
    [
        ("", "We leave from Oslo.", "We leave", "trip.origin", "Oslo"),  # beside its quote
        ("", "我们从奥斯陆出发。", "从奥斯陆出发", "trip.origin", "Oslo"),  # another script
        ("", "Any seat will do.", "Any seat will do", "trip.seat", "dontcare"),
        ("Which class?", "You choose.", "You choose", "trip.seat", "dontcare"),
        ("You could leave from Bergen.", "Yes, that's fine.", "that's fine", "trip.origin", "Bergen"),
        ("From Oslo or Bergen.", "The second one.", "The second one", "trip.origin", "Bergen"),
        ("From Oslo or Bergen.", "The city with the fish market.", "city with the fish", "trip.origin", "Bergen"),
        ("从奥斯陆或卑尔根出发。", "后面那个吧。", "后面那个", "trip.origin", "卑尔根"),
        ("", "Something posh.", "Something posh", "trip.seat", "first"),  # an option in other words
        ("", "Two of us.", "Two of us", "trip.people", 2),
    ],
)
def test_what_somebody_said(assistant: str, user: str, quote: str, path: str, value: Any) -> None:
    assert read(user, item(quote, path, value), assistant=assistant) == [(path.removeprefix("trip."), value)]


@pytest.mark.parametrize(
    ("user", "quote", "path", "value", "meant"),
    [
        ("Next Friday, please.", "Next Friday, please", "trip.leaves_on", "2025-03-08", ["2025-03-14", "2025-03-07"]),
        ("下周五出发。", "下周五出发", "trip.leaves_on", "2025-03-08", ["下周五"]),
        ("The three of us.", "The three of us", "trip.people", 2, ["three"]),
        ("Friday or Saturday.", "Friday or Saturday", "trip.leaves_on", "2025-03-09", []),
    ],
)
def test_the_words_count_where_a_model_says_otherwise(
    user: str, quote: str, path: str, value: Any, meant: list[str]
) -> None:
    assert read(user, item(quote, path, value)) == [(path.removeprefix("trip."), one) for one in meant]


@pytest.mark.parametrize(
    ("user", "path", "value"),
    [
        ("two weeks after March 10", "trip.leaves_on", "2025-03-24"),
        ("the second Friday in May", "trip.leaves_on", "2025-05-09"),
        ("the last Friday of March", "trip.leaves_on", "2025-03-28"),
        ("the Monday after next", "trip.leaves_on", "2025-03-17"),
        ("from Monday for 3 nights", "trip.leaves_on", "2025-03-13"),
        ("周五后两天", "trip.leaves_on", "2025-03-09"),
        ("五月第二个周五", "trip.leaves_on", "2025-05-09"),
        ("a couple and 2 kids", "trip.people", 4),
        ("2 more", "trip.people", 5),
        ("再加两个", "trip.people", 5),
    ],
)
def test_what_is_worked_out_of_the_words_is_not_put_back_to_them(user: str, path: str, value: Any) -> None:
    assert read(user, item(user, path, value)) == [(path.removeprefix("trip."), value)]


@pytest.mark.parametrize(
    ("user", "path", "value", "meant"),
    [
        ("Friday, second class", "trip.leaves_on", "2025-03-09", "Friday"),
        ("Friday after lunch", "trip.leaves_on", "2025-03-09", "Friday"),
        ("下周五前往奥斯陆", "trip.leaves_on", "2025-03-08", "下周五"),
        ("2 tickets and I want a hotel", "trip.people", 3, "2"),
        ("no more than two", "trip.people", 3, "two"),
    ],
)
def test_words_beside_a_value_do_not_make_another_one(user: str, path: str, value: Any, meant: str) -> None:
    assert read(user, item(user, path, value)) == [(path.removeprefix("trip."), meant)]


@pytest.mark.parametrize(
    ("user", "value"),
    [
        ("We leave from malaga", "Málaga"),
        ("from Tromso", "Tromsø"),
        ("St Louis", "St. Louis"),
        ("new-york", "New York"),
        ("从Oslo出发", "奥斯陆"),
        ("Мы едем из Осло", "Oslo"),
        ("נוסעים מאוסלו", "Oslo"),
        ("gate two", "2"),
        ("一共两位", "2"),
        ("at seven in the evening", "19:00"),
    ],
)
def test_another_spelling_of_what_was_said(user: str, value: str) -> None:
    assert read(user, item(user, "trip.origin", value)) == [("origin", value)]


@pytest.mark.parametrize(
    ("user", "value"),
    [
        ("not malaga", "Málaga"),
        ("not two", "2"),
        ("St Louise", "St. Louis"),
        ("art student", "star"),
        ("我们想早点走", "1234"),
        ("we want to go soon", "🚆"),
    ],
)
def test_another_spelling_of_what_was_not_said(user: str, value: str) -> None:
    assert read(user, item(user, "trip.origin", value)) == []


class Party(BaseModel):
    """Plan a party."""

    allergies: list[str] = []
    gifts: dict[str, int] = {}
    host: Person | None = None
    room: list[Literal["hall", "garden"]] = []


@pytest.mark.parametrize(
    ("user", "op", "path", "value", "kept"),
    [
        ("We want to eat soon.", "set", "allergies", ["nuts"], None),
        ("We want to eat soon.", "add", "allergies", ["nuts"], None),
        ("No nuts and no shell-fish.", "set", "allergies", ["nuts", "shellfish", "eggs"], ["nuts", "shellfish"]),
        ("Two cakes.", "set", "gifts", {"cakes": 2, "books": 7}, {"cakes": 2}),
        ("Ada is the host.", "set", "host", {"name": "Ada", "age": 30}, {"name": "Ada"}),
        ("She is the host.", "set", "host", {"name": "Ada"}, None),
        ("She is the host.", "set", "host.name", "Ada", None),
        ("Outside, please.", "set", "room", ["garden"], ["garden"]),
    ],
)
def test_items_and_parts_that_nobody_said(user: str, op: str, path: str, value: Any, kept: Any) -> None:
    found = read(user, item(user, f"party.{path}", value, op), domains=Party)
    assert found == ([] if kept is None else [(f"party.{path}", kept)])


def test_a_long_value_and_a_long_list_are_no_trouble() -> None:
    assert read("Oslo", item("Oslo", "trip.origin", "x" * 1_000_000)) == []
    towns = [f"town {at}" for at in range(3_000)]
    assert read("Oslo and town 7", item("town", "trip.avoid", [*towns, "Oslo"])) == [("avoid", ["town 7", "Oslo"])]


def test_other_operations_are_left_alone() -> None:
    items = [item("rather not", "trip.seat", None, op="clear"), item("rather not", "trip.avoid", "Bergen", op="remove")]
    assert read("I'd rather not.", *items) == [("seat", UNSET), ("avoid", "Bergen")]


@pytest.mark.parametrize(
    ("user", "quote", "value", "read"),
    [
        ("We leave by 3:30.", "by 3:30", "3:30", ["03:30", "15:30"]),
        ("After 11, please.", "After 11", "11", ["11:00", "23:00"]),
        ("After 11, please.", "After 11", "11:00", ["11:00"]),
        ("After 11, please.", "After 11", "12:00", ["11:00", "23:00"]),
        ("At 3:30 in the afternoon.", "3:30 in the afternoon", "3:30", ["15:30"]),
        ("三点半走。", "三点半", "三点半", ["03:30", "15:30"]),
        ("Soon, after 11 or 12.", "after 11 or 12", "soon", ["soon"]),
    ],
)
def test_a_time_that_may_be_two_is_both(user: str, quote: str, value: str, read: list[str]) -> None:
    assert read_of(Ferry, user, item(quote, "ferry.leaves_at", value)) == read


def test_the_user_is_asked_which() -> None:
    with serving(changes(item("by 3:30", "ferry.leaves_at", "3:30"))) as server:
        extractor = InstructorExtractor("openai/fake", extra={"base_url": server.url}, retries=0)
        chat = Tracker(Ferry, extractor=extractor).open("s")
        turn = chat.user("I want to leave by 3:30.")
        extractor.close()
    pending = chat.state["ferry"]["leaves_at"].pending
    assert (turn.extraction, turn.error) == ("ok", None)
    assert pending is not None
    assert (pending.why, pending.values) == ("ambiguous", [time(3, 30), time(15, 30)])
