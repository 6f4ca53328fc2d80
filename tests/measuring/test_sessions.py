"""Exported sessions as a corpus, made by a real tracker."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from slotstate import Chat, Slot, Tracker
from slotstate.domains import compile_domains
from slotstate.errors import InputError
from slotstate.evaluating import read_corpus
from slotstate.events import dump_event
from slotstate.measuring import Dialogue, Reference
from slotstate.measuring.sessions import is_export, read_session, written
from slotstate.testing import ScriptedExtractor, change
from tests.evaluating.corpora import write

NOW = datetime(2025, 3, 3, 9, tzinfo=UTC)


class Trip(BaseModel):
    origin: Annotated[str, Slot()]
    target: Annotated[str, Slot()]
    people: Annotated[int | None, Slot()] = None
    seat: Annotated[str | None, Slot(dont_care=True)] = None


class Later(BaseModel):
    start: Annotated[str, Slot(was="trip.origin")]


def talk(*script: Any) -> Chat:
    return Tracker(Trip, extractor=ScriptedExtractor(script), clock=lambda: NOW).open("ada")


def exported(chat: Chat) -> dict[str, Any]:
    entries = [{"seq": one.seq, "at": one.at.isoformat(), "event": dump_event(one.event)} for one in chat.entries]
    return {"session": "ada", "user": "ada", "entries": entries, "state": {}}


def read(chat: Chat) -> Dialogue:
    return read_session(exported(chat), compile_domains(Trip))


def verified(dialogue: Dialogue) -> list[dict[str, Reference | None]]:
    """Of each user turn, the slots that are judged with what they should hold."""
    found = []
    for turn in dialogue.turns:
        if turn.role == "user":
            assert turn.listed is not None
            found.append({path: (turn.state or {}).get(path) for path in turn.listed})
    return found


def test_what_is_confirmed_in_the_end_is_the_reference_from_when_it_was_there() -> None:
    chat = talk(
        [change("trip.origin", value="Oslo", quote="from Oslo"), change("trip.people", value=2, quote="two of us")],
        [change("trip.target", value="Bergen", quote="to Bergen")],
    )
    chat.user("from Oslo, two of us")
    chat.assistant("Where to?", asks=["trip.target"])
    chat.user("to Bergen")
    chat.confirm("trip.origin")
    chat.confirm("trip.people")
    oslo, two = Reference(("Oslo",)), Reference(("2",))
    dialogue = read(chat)
    assert verified(dialogue) == [{"trip.origin": oslo, "trip.people": two}] * 2  # the target was never verified
    assert [turn.role for turn in dialogue.turns] == ["user", "assistant", "user"]
    assert dialogue.turns[1].asks == ("trip.target",)
    assert (dialogue.services, dialogue.now) == (("trip",), NOW)


def test_what_the_user_corrected_is_the_reference_after_it() -> None:
    chat = talk(
        [change("trip.origin", value="Oslo", quote="Oslo")],
        [change("trip.origin", value="Ely", quote="from Ely")],
    )
    chat.user("Oslo")
    chat.assistant("From Oslo?", offers={"trip.origin": "Oslo"})
    chat.user("No, from Ely")
    dialogue = read(chat)
    assert verified(dialogue) == [{}, {"trip.origin": Reference(("Ely",))}]
    assert dialogue.turns[1].offers == {"trip.origin": "Oslo"}


def test_what_was_taken_back_should_be_empty() -> None:
    chat = talk([change("trip.origin", value="Oslo", quote="Oslo")], [])
    chat.user("Oslo")
    chat.user("forget it")
    chat.clear("trip.origin")
    assert verified(read(chat)) == [{}, {"trip.origin": None}]


def test_a_fresh_task_verifies_nothing_of_the_old_one() -> None:
    chat = talk([change("trip.origin", value="Oslo", quote="Oslo")], [])
    chat.user("Oslo")
    chat.confirm("trip.origin")
    chat.reset("trip")
    chat.user("hello")
    assert verified(read(chat)) == [{}, {}]
    assert read(chat).services == ("trip",)


def test_no_preference_is_a_reference() -> None:
    chat = talk([change("trip.seat", value="dontcare", quote="any seat")])
    chat.set("trip.origin", "Oslo")  # before anybody spoke
    chat.user("any seat")
    chat.confirm("trip.seat")
    assert verified(read(chat))[0]["trip.seat"] == Reference(("dontcare",))


def test_a_session_is_read_under_the_present_schema() -> None:
    chat = talk([change("trip.origin", value="Oslo", quote="Oslo")])
    chat.user("Oslo")
    chat.confirm("trip.origin")
    dialogue = read_session(exported(chat), compile_domains(Later))
    assert verified(dialogue) == [{"later.start": Reference(("Oslo",))}]


def test_a_turn_after_which_nothing_is_verified_is_not_judged() -> None:
    chat = talk(
        [change("trip.origin", value="Oslo", quote="Oslo"), change("trip.people", value=2, quote="two")],
        [change("trip.origin", value="Ely", quote="from Ely")],
    )
    chat.user("two to Oslo")
    chat.user("No, from Ely")
    first, second = read(chat).turns
    assert first.state is None
    assert (first.listed, first.unjudged) == (frozenset(), frozenset({"trip.origin", "trip.people"}))
    assert second.state == {"trip.origin": Reference(("Ely",))}
    assert second.unjudged == frozenset({"trip.people"})


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ("title: vet\nproperties: {pet: {type: string}}", "track trip, the schema declares none .* but vet"),
        ("title: trip\nproperties: {pet: {type: string}}", "the sessions track trip.origin, the schema declares none"),
        ("title: trip\nproperties: {origin: {type: string}}", "nothing in the sessions was confirmed, corrected or"),
    ],
)
def test_sessions_that_give_nothing_to_judge_are_refused(schema: str, told: str, tmp_path: Path) -> None:
    chat = talk([change("trip.origin", value="Oslo", quote="Oslo")])
    chat.user("Oslo")
    if "nothing" not in told:
        chat.confirm("trip.origin")
    write(tmp_path / "own.json", {"sessions": [exported(chat)]})
    (tmp_path / "s.yaml").write_text(f"type: object\n{schema}\n")
    with pytest.raises(InputError, match=told):
        read_corpus("sessions", tmp_path / "own.json", schemas=[str(tmp_path / "s.yaml")])


def test_an_empty_session_is_a_dialogue_without_turns() -> None:
    assert read(talk()).turns == ()


def test_values_are_written_as_text() -> None:
    assert (written("Oslo"), written(2), written(["a"]), written(True)) == ("Oslo", "2", '["a"]', "true")


def _pinned(seq: int, at: str) -> dict[str, Any]:
    return {"seq": seq, "at": at, "event": {"kind": "pinned", "id": "a", "pinned": True}}


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"seq": 0, "at": NOW.isoformat(), "event": {"kind": "dance"}}, "no event that this version knows"),
        ({"seq": 0, "at": NOW.isoformat()}, r"it needs seq, at and event \(KeyError: 'event'\)"),
        ({"seq": 0, "at": "now", "event": {"kind": "pinned", "id": "a", "pinned": True}}, "ValueError"),
        (7, "TypeError"),
        (_pinned(1, NOW.isoformat()), "it has the number 1, so the log has a gap: export the session again"),
        (_pinned(-1, NOW.isoformat()), "the number -1, "),
        (_pinned(0, "0001-01-01T00:00:00+14:00"), r"nobody wrote at 0001-01-01T00:00:00\+14:00: correct its at"),
        (_pinned(0, "9999-12-31T23:59:59-12:00"), "nobody wrote at 9999-12-31"),
    ],
)
def test_an_entry_that_cannot_be_read_is_named(entry: Any, told: str) -> None:
    with pytest.raises(InputError, match=f"session 'ada', entry 0: .*{told}"):
        read_session({"session": "ada", "entries": [entry]}, compile_domains(Trip))


def test_a_log_with_a_gap_is_refused() -> None:
    chat = talk([change("trip.origin", value="Oslo", quote="Oslo")])
    chat.user("Oslo")
    chat.confirm("trip.origin")
    told = exported(chat)
    del told["entries"][1]
    with pytest.raises(InputError, match=r"session 'ada', entry 1: it has the number 2, so the log has a gap"):
        read_session(told, compile_domains(Trip))


def test_exports_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    chat = talk([change("trip.origin", value="Oslo", quote="Oslo")])
    chat.user("Oslo")
    chat.confirm("trip.origin")
    schema, one = tmp_path / "trip.yaml", exported(chat)
    schema.write_text("title: trip\ntype: object\nproperties: {origin: {type: string}}\n")

    def read_all(*exports: dict[str, Any]) -> int:
        for number, export in enumerate(exports):
            write(tmp_path / "data" / f"{number}.json", export)
        return len(read_corpus("sessions", tmp_path / "data", schemas=[str(schema)]).dialogues)

    first = {"format": 1, "tenant": "a", "sessions": [one]}
    with pytest.raises(InputError, match=r"session 'ada' is in .*0\.json and in .*0\.json: leave one of them out"):
        read_all({**first, "sessions": [one, one]})
    with pytest.raises(InputError, match=r"session 'ada' is in .*0\.json and in .*1\.json: leave one of them out"):
        read_all(first, first)
    assert read_all(first, {**first, "tenant": "b"}) == 2
    with pytest.raises(InputError, match=r"1\.json: an export of format 9, this slotstate reads 1: update it"):
        read_all(first, {**first, "format": 9})


def test_an_export_is_known_by_what_it_holds(tmp_path: Path) -> None:
    chat = talk([change("trip.origin", value="Oslo", quote="Oslo")])
    chat.user("Oslo")
    chat.confirm("trip.origin")
    export = {"sessions": [exported(chat)]}
    assert is_export(export)
    assert not any(map(is_export, ([], {"sessions": 1}, {"sessions": [1]}, {"sessions": [{"entries": 1}]}, {})))
    schema = tmp_path / "trip.yaml"
    schema.write_text("title: trip\ntype: object\nproperties: {origin: {type: string}}\n")
    write(tmp_path / "any.json", export)
    corpus = read_corpus("sessions", tmp_path, schemas=[str(schema)])
    assert [one.name for one in corpus.dialogues] == ["ada"]
    with pytest.raises(InputError, match="exported sessions hold no schema: name theirs with --schema"):
        read_corpus("sessions", tmp_path)
    with pytest.raises(InputError, match="none of its 1 JSON documents holds dialogues of exported sessions"):
        read_corpus("sessions", write(tmp_path / "b" / "x.json", {}), schemas=[str(schema)])
