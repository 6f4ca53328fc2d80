"""What other people's code may hand in: nothing of it may be raised from a turn, change the log, or empty a slot."""

from __future__ import annotations

import copy
import pickle
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, cast

import pytest
from pydantic import BaseModel

from slotstate import Change, Chat, Extraction, InputError, InvalidValue, Request, Slot, Tracker, UnknownPath, Usage
from slotstate.extract import checked
from slotstate.frozen import frozen
from slotstate.testing import ScriptedExtractor, change

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


class Trip(BaseModel):
    city: str
    people: int | None = None
    price: Decimal | None = None
    stops: list[str] = []
    notes: dict[str, str] = {}
    yes: Annotated[bool | None, Slot(confirm="explicit")] = None


class Rude(Exception):
    def __str__(self) -> str:
        raise ValueError("not even this")


class Broken:
    def __eq__(self, other: object) -> bool:
        raise ValueError("no comparison")

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        raise ValueError("no sight")


class Gives:
    """An extractor that returns, or raises, whatever it is given."""

    def __init__(self, given: Any) -> None:
        self.given = given

    def extract(self, request: Request) -> Extraction:
        if isinstance(self.given, BaseException):
            raise self.given
        return cast(Extraction, self.given)

    async def aextract(self, request: Request) -> Extraction:
        return self.extract(request)


def chat_with(given: Any) -> Chat:
    chat = Tracker(Trip, extractor=Gives(given), clock=lambda: NOW).open("s")
    chat.set("trip.city", "York", confirmed=True)
    chat.set("trip.stops", ["Leeds"], confirmed=True)
    return chat


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


GOOD = Change("set", "trip.people", 2, "two")
MALFORMED = [
    Change("sat", "trip.city", "Oslo", "two"),  # type: ignore[arg-type]
    Change("SET", "trip.city", "Oslo", "two"),  # type: ignore[arg-type]
    Change(None, "trip.city", "Oslo", "two"),  # type: ignore[arg-type]
    Change([], "trip.city", "Oslo", "two"),  # type: ignore[arg-type]
    Change("set", None, "Oslo", "two"),  # type: ignore[arg-type]
    Change("set", "trip.city", "Oslo", 5),  # type: ignore[arg-type]
    Change("set", "trip.city", "Oslo", b"two"),  # type: ignore[arg-type]
    "set trip.city Oslo",
    {"op": "set"},
    None,
]


@pytest.mark.parametrize("bad", MALFORMED, ids=repr)
def test_what_is_no_change_is_left_out_and_its_siblings_count(bad: Any) -> None:
    chat = chat_with(Extraction((bad, GOOD)))
    turn = chat.user("two for Oslo")
    assert turn.extraction == "partial"
    assert "1 of 2 changes were left out" in (turn.error or "")
    assert chat.state["trip"]["people"].value == 2
    assert chat.state["trip"]["city"].status == "confirmed"


@pytest.mark.parametrize(
    "given",
    [None, "prose", [GOOD], Extraction(5), Extraction("abc"), Extraction(None), iter(()), Rude()],  # type: ignore[arg-type]
    ids=lambda given: type(given).__name__,
)
def test_what_is_no_extraction_fails_the_turn_and_no_more(given: Any) -> None:
    chat = chat_with(given)
    turn = chat.user("two for Oslo")
    assert turn.extraction in {"failed", "partial"}
    assert chat.state["trip"]["city"].value == "York"


def test_what_is_said_beside_the_changes_is_checked_too() -> None:
    told = checked(Extraction((), usage={"a": 1}, model=5, error=7))  # type: ignore[arg-type]
    assert (told.usage, told.model, told.error) == (None, None, "the extractor's error is no text")
    assert checked(Extraction((GOOD,), Usage(tokens_in=1), "m")) == Extraction((GOOD,), Usage(tokens_in=1), "m")

    def fails() -> Any:
        yield GOOD
        raise RuntimeError

    assert "cannot be read (RuntimeError)" in (checked(Extraction(fails())).error or "")


VALUES = [
    10**5000,
    nested(5000),
    Broken(),
    object(),
    float("nan"),
    Decimal("NaN"),
    "",
    " ",
    "\u200b",
    [""],
    {"": "x"},
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("path", ["trip.city", "trip.people", "trip.price", "trip.stops", "trip.notes", "trip.yes"])
def test_what_is_no_value_is_rejected_and_the_old_one_stays(path: str, value: Any) -> None:
    chat = chat_with(Extraction((Change("set", path, value, "two"), GOOD)))
    before = {name: view.value for name, view in chat.state["trip"].items()}
    turn = chat.user("two for Oslo")
    assert [one.reason for one in turn.rejected] == ["invalid_value"]
    assert {name: view.value for name, view in chat.state["trip"].items()} == before | {"people": 2}
    with pytest.raises(InvalidValue):
        chat.set(path, value)


def test_nobody_can_change_what_the_log_holds() -> None:
    chat = chat_with(Extraction())
    value = cast(Any, chat.why("trip.stops")[0].event).value
    with pytest.raises(TypeError, match="copy it"):
        value.append("hacked")
    with pytest.raises(TypeError, match="copy it"):
        value[0] = "hacked"
    chat.state["trip"]["stops"].value.append("mine")
    assert chat.state["trip"]["stops"].value == ["Leeds"]


def test_frozen_containers_copy_into_ordinary_ones() -> None:
    value = frozen({"a": [1, {"b": (2,)}]})
    assert value == {"a": [1, {"b": [2]}]}
    for again in (copy.copy(value), copy.deepcopy(value)):
        again["a"] = 1
    copy.copy(value["a"]).append(1)
    copy.deepcopy(value["a"])[1]["b"].append(3)
    assert value == {"a": [1, {"b": [2]}]}
    with pytest.raises(TypeError):
        value["a"] = 1
    assert pickle.loads(pickle.dumps(value)) == value
    with pytest.raises(TypeError):
        pickle.loads(pickle.dumps(value))["a"].clear()


@pytest.mark.parametrize("text", ["a\ud800", "\ud83d\ude00"])
def test_half_a_character_is_kept_as_one_that_can_be_written(tmp_path: Path, text: str) -> None:
    kept = "😀" if len(text) == 2 and text[0] != "a" else "a\ufffd"
    url = f"sqlite:///{tmp_path / 'log.db'}"
    with Tracker(Trip, extractor=ScriptedExtractor(), store=url, clock=lambda: NOW) as tracker:
        chat = tracker.open("s")
        chat.set("trip.city", text)
        chat.set("trip.notes", {text: text})
        chat.tool_call("c", "find", {"q": text})
        chat.add({"role": "tool", "tool_call_id": text, "content": text})
        chat.add({"role": "assistant", "tool_calls": [{"id": text, "function": {"name": "find"}}]})
        assert chat.prompt(pending_calls="close").model_dump_json()
    with Tracker(Trip, extractor=ScriptedExtractor(), store=url) as tracker:
        view = tracker.open("s").state["trip"]
        assert (view["city"].value, view["city"].raw, view["notes"].value) == (kept, kept, {kept: kept})


def test_wrong_types_are_told_in_a_line() -> None:
    tracker = Tracker(Trip, extractor=ScriptedExtractor(), clock=lambda: NOW)
    chat = tracker.open("s")
    for call in (
        lambda: tracker.open(cast(Any, None)),
        lambda: chat.user("x", id=cast(Any, 7)),
        lambda: chat.user(cast(Any, None)),
        lambda: chat.assistant(cast(Any, None)),
        lambda: chat.assistant("x", id=cast(Any, 7)),
    ):
        with pytest.raises(InputError, match="must be text"):
            call()
    with pytest.raises(InvalidValue, match="nested too deeply"):
        chat.assistant("x", offers={"trip.stops": nested(3000)})
    chat.assistant("Which city?", asks="trip.city")
    chat.reset(Trip)
    with pytest.raises(UnknownPath, match="tracked are: trip"):
        chat.reset(cast(Any, BaseModel))


def test_a_word_of_replacement_elsewhere_replaces_nothing() -> None:
    proposed = [change("trip.stops", "set", ["Rome"], "Rome")]
    chat = Tracker(Trip, extractor=ScriptedExtractor([proposed, proposed]), clock=lambda: NOW).open("s")
    chat.set("trip.stops", ["Leeds"], confirmed=True)
    chat.user("a window seat only please, and stop in Rome")
    assert chat.state["trip"]["stops"].value == ["Leeds", "Rome"]
    chat.user("instead of those, Rome")
    assert chat.state["trip"]["stops"].value == ["Rome"]


@pytest.mark.parametrize(
    "text",
    ["fine, cancel everything", "great, thanks for nothing", "yes I already told you Leeds", "sure thing is I hate it"],
)
def test_an_offer_takes_a_held_slot_only_by_a_plain_yes(text: str) -> None:
    chat = chat_with(Extraction())
    chat.assistant("Bath?", offers={"trip.city": "Bath"})
    chat.user(text)
    assert chat.state["trip"]["city"].value == "York"
    chat.assistant("Bath, then?", offers={"trip.city": "Bath"})
    chat.user("Yes please.")
    assert chat.state["trip"]["city"].value == "Bath"


def test_a_choice_among_offers_takes_a_held_slot_only_by_a_plain_choice() -> None:
    chat = chat_with(Extraction())
    chat.assistant("Bath or Oslo?", offers={"trip.city": ["Bath", "Oslo"]})
    chat.user("the first train that I ever took was good")
    assert chat.state["trip"]["city"].value == "York"
    chat.assistant("Bath or Oslo?", offers={"trip.city": ["Bath", "Oslo"]})
    chat.user("the second one")
    assert chat.state["trip"]["city"].value == "Oslo"


def test_thanks_after_an_open_question_confirm_nothing() -> None:
    chat = Tracker(
        Trip, extractor=ScriptedExtractor([[change("trip.city", "set", "Li", "Li")]]), clock=lambda: NOW
    ).open("s")
    chat.assistant("Which city?", asks=["trip.city"])
    chat.user("Li")
    chat.user("Sounds good, thank you")
    assert chat.state["trip"]["city"].status == "filled"


class Shut(dict[str, str]):
    """A mapping that does not open."""

    def items(self) -> Any:
        raise OSError("shut")


def test_a_collection_that_fails_on_the_way_is_no_value() -> None:
    with pytest.raises(InvalidValue, match="OSError"):
        chat_with(Extraction()).set("trip.notes", Shut(a="b"))
