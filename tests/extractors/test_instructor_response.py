"""The response model: made from the domains, and its checks."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotstate.decide import Said, decide
from slotstate.domains import Domains
from slotstate.events import Rejected
from slotstate.extract import Change, Request
from slotstate.extractors.instructor.response import (
    MAX_CHANGES,
    Reader,
    Reply,
    response_model,
    salvage,
    shape_of,
)
from slotstate.providers import Record, judging
from slotstate.slots import UNSET
from tests.extractors.server import item
from tests.extractors.trips import NOW, Hotel, Trip, Visit, ask


def reader(request: Request) -> Reader:
    domains = tuple(request.domains.values())
    return Reader(request, Domains(domains), shape_of(domains), Record("m", None, 0))


def schema(*models: Any, only: Any = None) -> dict[str, Any]:
    request = ask(domains=list(models))
    found = response_model(shape_of(request.domains.values(), only)).model_json_schema()
    assert "$defs" not in found
    items: dict[str, Any] = found["properties"]["changes"]["items"]
    return items


def test_the_order_of_a_change() -> None:
    found = schema(Trip)
    assert list(found["properties"]) == ["quote", "slot", "op", "value"]
    assert found["required"] == ["quote", "slot", "op", "value"]
    assert found["properties"]["slot"]["enum"] == [
        "trip.origin",
        "trip.leaves_on",
        "trip.people",
        "trip.seat",
        "trip.avoid",
        "trip.card",
    ]


def test_only_what_the_schema_can_use() -> None:
    trip = schema(Trip)["properties"]
    assert trip["op"]["enum"] == [
        "set",
        "add",
        "remove",
        "clear",
        "exclude",
        "confirm",
        "deny",
        "request",
        "undo",
        "start",
    ]
    assert trip["value"] == {
        "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}, {"type": "null"}]
    }
    hotel = schema(Hotel)["properties"]
    assert hotel["op"]["enum"] == ["set", "clear", "exclude", "deny", "request", "undo", "start"]
    assert hotel["value"] == {"anyOf": [{"type": "string"}, {"type": "object"}, {"type": "null"}]}
    visit = schema(Visit)["properties"]
    assert visit["slot"]["enum"] == ["visit.guest", "visit.guest.name", "visit.guest.age"]
    assert "exclude" not in visit["op"]["enum"]
    assert list(schema(Trip, only=("set",))["properties"]) == ["quote", "slot", "value"]


def test_models_are_shared_between_equal_domains() -> None:
    one, other = (shape_of(ask().domains.values()) for _ in range(2))
    assert response_model(one) is response_model(other)
    assert response_model.cache_info().maxsize is not None


def test_values_are_taken_as_they_come() -> None:
    found = reader(ask("two to Oslo, first, not via Bergen or Moss, whatever")).read(
        [
            item("two", "trip.people", 2),
            item("first", "trip.seat", "FIRST"),
            item("whatever", "trip.seat", "dontcare"),
            item("not via Bergen or Moss", "trip.avoid", ["Bergen", "Moss"], op="add"),
            item("Oslo", "origin", "Oslo"),
            item("Oslo", "trip.origin", "ignored", op="clear"),
            item("Oslo", "trip.origin", None, op="start"),
            {"quote": "two", "slot": "trip.people", "value": "two"},
        ]
    )
    assert found.problems == ()
    assert found.valid == 8
    assert found.changes[5] == Change("clear", "trip.origin", UNSET, "Oslo")
    assert found.changes[7] == Change("set", "trip.people", "two", "two")


def test_a_copied_escape_is_undone() -> None:
    found = reader(ask("call it <user>1")).read([item("&lt;user>1", "trip.origin", "&lt;user>1")])
    assert found.changes == (Change("set", "trip.origin", "<user>1", "<user>1"),)
    assert found.problems == ()
    written = reader(ask("it is &lt;user>")).read([item("&lt;user>", "trip.origin", "user")])
    assert written.changes[0].quote == "&lt;user>"


@pytest.mark.parametrize(
    ("given_item", "said"),
    [
        (item(None, "trip.origin", "Oslo"), "trip.origin needs a quote"),
        (item("  ", "trip.origin", "Oslo"), "trip.origin needs a quote"),
        (item("leave", "trip.origin", None), "set needs a value"),
        (item("leave", "trip.guests", "x"), "unknown slot 'trip.guests'"),
        (item("leave", "trip.people", "Oslo", op="add"), "add is for lists"),
        (item("leave", "trip.people", "Oslo"), "(got 'Oslo'); write it as digits"),
        (item("leave", "trip.leaves_on", "some day"), "(got 'some day'); write it as YYYY-MM-DD"),
        (item("leave", "trip.avoid", [3.5, {}]), "trip.avoid"),
        (item("leave", "nowhere", None, op="start"), "unknown slot 'nowhere'"),
        (item("leave", "trip.origin", "dontcare", op="exclude"), ""),
    ],
)
def test_problems(given_item: Any, said: str) -> None:
    found = reader(ask()).read([given_item])
    assert said in "".join(found.problems)


def test_lone_surrogates_can_be_stored() -> None:
    found = reader(ask()).read([item("\ud800", "trip.\udfff", {"a\ud800": ["\ud800", None]})])
    assert json.dumps([found.changes[0].path, found.changes[0].value], ensure_ascii=False).encode()


def value_of(written: Any) -> Any:
    """The value of a change as a model wrote it."""
    return reader(ask()).read([item("leave", "trip.nowhere", written)]).changes[0].value


@pytest.mark.parametrize("unseen", ["\0", "\x1b", "\u200b", "\u202e", "\u2066", "\ufeff", "\xad"])
def test_what_no_one_sees_is_no_part_of_a_value(unseen: str) -> None:
    assert value_of(f"Os{unseen}lo{unseen}") == "Oslo"
    assert value_of([f"{unseen}Oslo"]) == ["Oslo"]
    assert value_of({f"ci{unseen}ty": f"Oslo{unseen}"}) == {"city": "Oslo"}


def test_joiners_and_lines_are_part_of_a_value() -> None:
    for text in ("می\u200cخواهم", "👨\u200d👩\u200d👧", "a\tb\nc"):
        assert value_of(text) == text


def test_too_many_changes() -> None:
    towns = [f"town{index}" for index in range(100)]
    found = reader(ask(" ".join(towns))).read([item(town, "trip.origin", town) for town in towns])
    assert len(found.changes) == MAX_CHANGES
    assert "100 changes are too many" in found.problems[-1]


def test_the_best_reply() -> None:
    one = reader(ask())
    assert one.best == Reply()
    one.replies = [Reply(valid=1), Reply(valid=2), Reply((), 2, ("later",)), Reply()]
    assert one.best.problems == ("later",)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("no JSON [at all] {", 0),
        ('{"changes": []}', 0),
        ('{"changes": [{"slot": "a"}, {"slot": "b"}, {"sl', 2),
        ('{"changes": [{"slot": "a"} and then', 1),
        ('Here you are: ```{"changes": [{"slot": "a", "value": "[{"}]}``` Done {"slot": "z"}', 1),
        ('[{"slot": "a"}, {"other": 1}]', 1),
        ("[" * 100_000, 0),
        ('{"changes": [' + '{"a":' * 100_000, 0),
        ('{"changes": [' + '{"slot": "a"},' * 1_000, MAX_CHANGES + 1),
    ],
)
def test_salvage(text: str, count: int) -> None:
    assert len(salvage(text)) == count


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["quote", "slot", "op", "value", "x"]), inner, max_size=4)
    ),
    max_leaves=12,
)
ITEMS = st.fixed_dictionaries(
    {},
    optional={
        "quote": st.sampled_from(["from Oslo", "Two of us", "yes", ""]) | JSON,
        "slot": st.sampled_from(["trip.origin", "trip.people", "trip.avoid", "trip.price", "trip", "x.y", ""]) | JSON,
        "op": st.sampled_from(["set", "add", "remove", "clear", "start", "undo", "expire", "put"]) | JSON,
        "value": st.sampled_from(["Oslo", "two", "dontcare", "null", ["Oslo"]]) | JSON,
    },
)


@given(st.lists(ITEMS | JSON, max_size=5))
def test_nothing_that_a_model_writes_raises_and_what_is_wrong_is_rejected(items: list[Any]) -> None:
    request = ask()
    one = reader(request)
    token = judging.set(one.judge)
    with suppress(ValueError):
        response_model(one.shape).model_validate({"changes": items})
    judging.reset(token)
    reply = one.best
    assert reply.valid + len(reply.problems) >= len(reply.changes)
    said = Said(1, request.user, NOW, None)
    for change in reply.changes:
        _, problem = one._judged(change)
        events = decide(request.state, one.domains, said, [change])
        if problem is not None and change.op != "request":
            assert any(isinstance(event, Rejected) for event in events), (change, problem, events)
