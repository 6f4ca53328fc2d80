"""Rows as earlier versions wrote them: they are read, whatever has changed since."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ValidationError

from slotstate import Slot, Tracker
from slotstate.errors import StoreError
from slotstate.events import AssistantTurn, Offered, Reset, UserTurn, dump_event, load_event
from slotstate.log import Entry, fingerprint_of
from slotstate.stores import open_store
from slotstate.stores.sql.rows import mark_of
from slotstate.testing import ScriptedExtractor
from slotstate.upcasting import FORMAT, UPCASTERS, NewerFormat, Raw, upcast

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)

# The first version of the log, and the last one before a row said its format.
FIRST = """\
{"kind":"assistant","turn":0,"id":"turn-0","text":"Where to?","asks":["trip.city"],"offers":[{"path":"trip.city","value":"Oslo","turn":0},{"path":"trip.city","value":"Bergen","turn":0}]}
{"kind":"user","turn":1,"id":"turn-1","text":"Oslo please","at":"2026-11-30T09:00:00Z"}
{"kind":"extracted","turn":1,"result":"ok","model":"scripted","ms":0.122,"decided":1}
{"kind":"filled","turn":1,"step":1,"at":"2026-11-30T09:00:00Z","op":"set","path":"trip.city","value":"Oslo","quote":"Oslo","span":[0,4],"grade":"said","raw":"Oslo"}
{"kind":"filled","turn":1,"step":2,"at":"2026-11-30T09:00:00Z","op":"set","path":"trip.people","value":2,"source":"app"}
{"kind":"overwritten","turn":1,"step":3,"at":"2026-11-30T09:00:00Z","op":"set","path":"trip.people","value":3,"source":"app","old":2,"confirmed":true}
{"kind":"filled","turn":1,"step":4,"at":"2026-11-30T09:00:00Z","op":"set","path":"trip.card","value":"4111 1111","source":"app","raw":"4111 1111"}
{"kind":"user","turn":2,"id":"turn-2","text":"not first class","at":"2026-11-30T09:00:00Z"}
{"kind":"extracted","turn":2,"result":"ok","model":"scripted","ms":0.074,"decided":1}
{"kind":"excluded","turn":2,"step":6,"at":"2026-11-30T09:00:00Z","op":"exclude","path":"trip.seat","value":"first","quote":"not first class","span":[0,15],"grade":"said"}
{"kind":"assistant","turn":3,"id":"turn-3","text":"To Oslo?","asks":["trip.city"]}
{"kind":"user","turn":4,"id":"turn-4","text":"no","at":"2026-11-30T09:00:00Z"}
{"kind":"extracted","turn":4,"result":"ok","model":"scripted","ms":0.1,"decided":1}
{"kind":"denied","turn":4,"step":7,"at":"2026-11-30T09:00:00Z","op":"deny","path":"trip.city","quote":"no","span":[0,2],"grade":"said","old":"Oslo"}
{"kind":"assistant","turn":5,"id":"turn-5","text":"","tool_calls":[{"id":"t1","name":"search","arguments":"{\\"q\\": \\"Oslo\\"}"}]}
{"kind":"tool","turn":6,"id":"turn-6","call_id":"t1","text":"{\\"found\\": 3}"}
{"kind":"pending","turn":7,"step":8,"at":"2026-11-30T09:00:00Z","op":"undo","path":"trip.people","quote":"scratch that","span":[0,12],"grade":"meant","old":3,"reason":"does_not_follow","why":"conflict"}
{"kind":"rejected","turn":9,"step":9,"at":"2026-11-30T09:00:00Z","op":"clear","path":"trip.city","quote":"forget the city","grade":"none","reason":"quote_not_found","detail":"the user did not say 'forget the city' in this turn"}"""  # noqa: E501
LATER = """\
{"kind":"compacted","at":"2026-11-30T09:00:00Z","version":1,"trigger":"window","model":"extractive","since":0,"covered":3,"digest":"d3efd6950eb3ec4c","add":[{"ident":1,"kind":"refusal","text":"not first class","sources":["turn-2"],"path":"trip.seat"}]}
{"kind":"epoch","number":1,"reason":"start","layout":"quotes_last","frozen":false,"window":3,"system":"You are a helpful assistant.","slots":"- trip.city: \\"Oslo\\"","summary":"- not first class","left_out":[["recent","0..2","3 messages before the window"]],"size":764,"key":{"template":"4ed431acc93288a9","locale":"en","schema":"f41bcb5463692b6c","tools":"e4a6a0577479b2b4","masking":"masked","provider":"openai quotes_last","budget":"900","summary":"1"}}
{"kind":"rolled_back","at":"2026-11-30T09:00:00Z","version":2,"to":0,"covered":0}"""  # noqa: E501
RESET = '{"kind":"reset","turn":31,"step":9,"at":"2026-11-30T09:00:00Z","domain":"trip"}'


class Trip(BaseModel):
    city: Annotated[str, Slot(ask="Where to?", confirm="explicit")]
    seat: str = ""
    card: Annotated[str, Slot(sensitive=True)] = ""
    people: int = 1


class Rows:
    """A store of rows in format 1."""

    def __init__(self, tmp: Path, rows: Sequence[str]) -> None:
        self.store = open_store(f"sqlite:///{tmp / 'log.db'}")
        self.store.append("s", [Entry(at, NOW, load_event(row, 1)) for at, row in enumerate(rows)], 0)

    def __enter__(self) -> Tracker:
        return Tracker(Trip, store=self.store, extractor=ScriptedExtractor([]), clock=lambda: NOW)

    def __exit__(self, *_: object) -> None:
        self.store.close()


def test_a_log_of_the_first_version_tells_what_it_told(tmp_path: Path) -> None:
    with Rows(tmp_path, f"{FIRST}\n{LATER}".splitlines()) as tracker:
        chat = tracker.open("s")
        trip = chat.state["trip"]
        assert (trip["city"].value, trip["city"].status, trip["city"].turn) == ("Oslo", "filled", 1)
        assert trip["city"].pending is not None
        assert trip["city"].pending.why == "denied"
        assert (trip["people"].value, trip["people"].status) == (3, "confirmed")
        assert trip["seat"].excluded == ["first"]
        assert chat.summary.version == 2
        chat.undo("trip.people")
        assert chat.state["trip"]["people"].value == 2


def test_a_reset_without_slots_was_of_the_whole_domain(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="slots"):
        load_event(RESET)
    with Rows(tmp_path, [*FIRST.splitlines(), RESET]) as tracker:
        chat = tracker.open("s")
        assert [view.status for view in chat.state["trip"].values()] == ["empty"] * 4
        assert chat.why("trip.people")[-1].event.kind == "reset"
        chat.undo("trip.people")
        assert chat.state["trip"]["people"].value == 3


def test_what_was_sensitive_is_not_known_of_old_rows() -> None:
    rows = [load_event(row, 1) for row in FIRST.splitlines()]
    assert {getattr(row, "sensitive", None) for row in rows if row.kind in {"filled", "denied", "pending"}} == {True}
    first = rows[0]
    assert isinstance(first, AssistantTurn)
    assert [offer.sensitive for offer in first.offers] == [True, True]
    shared = load_event('{"kind":"offered","offer":{"path":"trip.city","value":"Oslo","turn":1,"by":"share"}}', 1)
    assert isinstance(shared, Offered)
    assert shared.offer.sensitive


@pytest.mark.parametrize("row", [*FIRST.splitlines(), *LATER.splitlines(), RESET])
def test_reading_an_old_row_changes_only_what_is_new(row: str) -> None:
    event = load_event(row, 1)
    assert _without_news(json.loads(dump_event(event))) == json.loads(row)
    assert load_event(dump_event(event)) == event


def _without_news(told: Any) -> Any:
    if isinstance(told, dict):
        return {
            key: _without_news(part)
            for key, part in told.items()
            if key != "sensitive" and (key, part) != ("slots", None)
        }
    return [_without_news(part) for part in told] if isinstance(told, list) else told


def test_a_row_to_come_says_what_to_do() -> None:
    row = dump_event(UserTurn(turn=0, id="1", text="x", at=NOW))
    with pytest.raises(NewerFormat, match=f"format is {FORMAT + 1}, known are 1 to {FORMAT}.*pip install -U") as told:
        load_event(row, FORMAT + 1)
    assert isinstance(told.value, StoreError)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("written", [0, -1])
def test_no_format_before_the_first(written: int) -> None:
    with pytest.raises(ValueError, match="numbered from 1"):
        upcast("{}", written)


@pytest.mark.parametrize("text", ["[]", "1", '"reset"', "{", "", "[" * 5_000, b"\xff"])
def test_what_is_no_object_is_no_event(text: str | bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 — whoever finds it
        upcast(text, 1)


def test_upcasters_run_in_order_from_the_format_of_the_row() -> None:
    def renamed(raw: Raw) -> Raw:
        return {("words" if key == "text" else key): value for key, value in raw.items()}

    def split(raw: Raw) -> Raw:
        return {**raw, "words": raw["words"].split()}

    row = '{"kind":"user","text":"to Oslo"}'
    assert json.loads(upcast(row, 1, (renamed, split))) == {"kind": "user", "words": ["to", "Oslo"]}
    assert json.loads(upcast('{"kind":"user","words":"to Oslo"}', 2, (renamed, split)))["words"] == ["to", "Oslo"]
    assert upcast(row, 3, (renamed, split)) is row
    assert upcast(row, 1, (lambda raw: raw,)) is row


def test_upcasters_change_nothing_that_they_are_given() -> None:
    for row in (*FIRST.splitlines(), RESET):
        raw = json.loads(row)
        for upcaster in UPCASTERS:
            upcaster(raw)
        assert raw == json.loads(row)


def test_present_rows_are_not_touched() -> None:
    event = Reset(turn=0, step=1, at=NOW, domain="trip", slots=("trip.city",))
    assert load_event(dump_event(event), FORMAT) == event


def test_a_newer_row_in_a_file_is_told_by_its_place(tmp_path: Path) -> None:
    with Rows(tmp_path, FIRST.splitlines()[:2]):
        pass
    raw = sqlite3.connect(tmp_path / "log.db")
    tables = [row[0] for row in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    (table,) = [name for name in tables if name.endswith("entries")]
    at, event = raw.execute(f"SELECT at, event FROM {table} WHERE seq = 1").fetchone()
    mark = mark_of("s", FORMAT + 1, fingerprint_of(1, at, event))
    raw.execute(f"UPDATE {table} SET format = ?, mark = ? WHERE seq = 1", (FORMAT + 1, mark))
    raw.commit()
    raw.close()
    store = open_store(f"sqlite:///{tmp_path / 'log.db'}")
    with pytest.raises(NewerFormat, match=r"entry 1 of session 's'.*newer slotstate"):
        store.load("s")
    store.close()
