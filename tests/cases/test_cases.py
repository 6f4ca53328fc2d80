"""Reading conversation tests, playing them, and what the outcome says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from slotstate.cases import play, read_case, read_cases, report
from slotstate.contract import CasesReport
from slotstate.errors import InputError, SlotstateError
from slotstate.extract import Extraction
from slotstate.testing import ScriptedExtractor, change
from tests.cases.making import BAD, GOOD, INVENTED, NUMBER, case, write_cases

LIST = {"type": "array", "items": {"type": "string", "enum": ["ham", "olives", "rocket"]}}
SIZE = {"type": "object", "properties": {"width": NUMBER, "height": NUMBER}}
SEAT = {"type": "string", "enum": ["window", "aisle"], "x-slot": {"dont_care": True}}


def played(document: dict[str, Any], *script: Any) -> Any:
    return play(read_case(document), ScriptedExtractor(script) if script else "builtin")


@pytest.mark.parametrize("suffix", ["cases.jsonl", "json", "yaml", "yml", "ndjson"])
def test_every_form_of_file_reads_alike(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"trip.{suffix}"
    match suffix:
        case "json":
            path.write_text(json.dumps([GOOD, BAD], indent=2))
        case "yaml":
            path.write_text("# cases\n---\n" + yaml.safe_dump(GOOD) + "---\n" + yaml.safe_dump(BAD))
        case "yml":
            path.write_text(yaml.safe_dump([GOOD, BAD]))
        case _:
            write_cases(path, GOOD, BAD)
    cases = read_cases(path)
    assert [one.name for one in cases] == ["three nights", "four nights"]
    assert [play(one, "builtin").ok for one in cases] == [True, False]
    for one in cases:
        assert one.where == f"{path}:{one.line}"
    line = path.read_text().splitlines()[cases[1].line - 1 :]
    assert "four nights" in "\n".join(line)
    assert "three nights" not in "\n".join(line)


def test_one_case_alone_is_a_file_too(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text("\n\n" + json.dumps(GOOD))
    (one,) = read_cases(tmp_path / "one.json")
    assert one.line == 3


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"domains": None}, "a case needs domains, a list"),
        ({"domains": [7]}, "domains must hold JSON Schema objects or names of schemas, not 7"),
        ({"domains": [{"title": "trip"}]}, "trip: a domain needs type: object and properties"),
        ({"domains": [{"title": "t", "type": "object", "properties": {"a": {"type": []}}}]}, "t.a: a slot holds one"),
        ({"domains": []}, "needs"),
        ({"turns": {}}, "a case needs turns, a list"),
        ({"turns": [{"role": "bot", "text": "a"}]}, "turn 0: a turn needs a role, user or assistant"),
        ({"turns": [{"role": "user"}]}, "turn 0: a turn needs its text"),
        ({"turns": [{"role": "assistant", "text": "a", "asks": "trip.nights"}]}, "turn 0: asks must be a list"),
        ({"turns": [{"role": "assistant", "text": "a", "asks": ["trip.nigths"]}]}, "did you mean 'trip.nights'?"),
        ({"expected": []}, "a case needs expected, an object"),
        ({"expected": {}}, "it expects nothing"),
        ({"expected": {"trip.night": 1}}, "did you mean 'trip.nights'?"),
        ({"excluded": {"trip.nights": 3}}, "excluded trip.nights: it must be a list of values"),
        ({"exclude": {"trip.nights": [3]}}, "unknown key 'exclude'; did you mean 'excluded'?"),
        ({"now": "noon"}, "now 'noon' is no ISO time"),
        ({"now": "0001-01-01T00:00"}, "the year must lie between 1900 and 2200"),
        ({"timezone": "Mars/Base"}, "unknown time zone 'Mars/Base'"),
        ({"timezone": "../../etc"}, "unknown time zone"),
    ],
)
def test_what_is_no_case_is_refused_with_its_place(wrong: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = write_cases(tmp_path / "t.jsonl", GOOD, {**GOOD, **wrong})
    with pytest.raises(InputError) as raised:
        read_cases(path)
    assert str(raised.value).startswith(f"{path}:2: ")
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("t.jsonl", "", "t.jsonl: it holds no cases"),
        ("t.jsonl", "\n{\n", "t.jsonl:2: not JSON"),
        ("t.json", "[]", "t.json: it holds no cases"),
        ("t.json", '[{"a": 1}', "t.json:1: not JSON"),
        ("t.yaml", "a: [1", "t.yaml:1: "),
        ("t.yaml", "- 7\n", "t.yaml:1: a case is an object"),
        ("t.yaml", "- {a: 1}\n- {a: 1, a: 2}\n", "t.yaml:2: 'a' stands twice"),
    ],
)
def test_what_is_no_file_of_cases_is_refused(name: str, text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(SlotstateError) as raised:
        read_cases(tmp_path / name)
    assert said in str(raised.value)


def test_other_keys_are_ignored_and_names_made_up() -> None:
    document = {**GOOD, "source": "a report", "symptom": "x", "ticket": 7}
    del document["name"], document["kind"]
    read = read_case(document, "t.jsonl", 4)
    assert (read.name, read.kind) == ("case at line 4", "")


def test_a_difference_says_what_and_why() -> None:
    outcome = played(BAD)
    assert (outcome.ok, outcome.error, dict(outcome.found)) == (False, None, {"trip.nights": 3, "trip.rooms": None})
    assert [one.path for one in outcome.wrong] == ["trip.nights", "trip.rooms"]
    nights, rooms = outcome.why
    assert nights == "trip.nights: expected 4, found 3; turn 1 'three': set 3, filled"
    assert rooms == "trip.rooms: expected 1, found nothing; nothing was proposed for it"


def test_a_value_where_none_should_be_is_invented() -> None:
    assert played(INVENTED).invented == ("trip.nights",)
    assert played(BAD).invented == ()


def test_values_are_compared_as_the_slots_type_has_them() -> None:
    slots = {"at": {"type": "string", "format": "time"}, "cost": {"type": "number"}}
    script = [change("trip.at", "set", "3 pm", "3 pm"), change("trip.cost", "set", 5, "5")]
    for expected in ({"trip.at": "15:00:00", "trip.cost": 5.0}, {"trip.at": "15:00", "trip.cost": "5"}):
        assert played(case(expected, "3 pm for 5", slots=slots), script).ok
    with pytest.raises(InputError, match=r"case:1: expected trip.at: is not a time \(got 'sometime'\)"):
        played(case({"trip.at": "sometime"}, "3 pm for 5", slots=slots), script)


def test_no_preference_is_a_value_of_its_own() -> None:
    turns = ("Window or aisle?", "no preference")
    script = [change("trip.seat", "set", "dontcare", "no preference")]
    outcome = played(case({"trip.seat": "dontcare"}, *turns, slots={"seat": SEAT}), script)
    assert outcome.ok
    assert outcome.found == {"trip.seat": "dontcare"}
    empty = played(case({"trip.seat": None}, *turns, slots={"seat": SEAT}), script)
    assert empty.invented == ("trip.seat",)
    assert not played(case({"trip.seat": "aisle"}, *turns, slots={"seat": SEAT}), script).ok


def test_a_field_of_a_composite_can_be_expected() -> None:
    script = [change("trip.size", "set", {"width": 3}, "3 wide")]
    slots = {"size": SIZE}
    outcome = played(case({"trip.size.width": 3, "trip.size.height": None}, "3 wide", slots=slots), script)
    assert outcome.ok, outcome.why
    assert not played(case({"trip.size.width": 4}, "3 wide", slots=slots), script).ok


@pytest.mark.parametrize(("slot", "kind"), [("seat", SEAT), ("extras", LIST)])
def test_what_is_ruled_out_can_be_expected(slot: str, kind: dict[str, Any]) -> None:
    value, other = kind["items"]["enum"][:2] if kind["type"] == "array" else kind["enum"]
    path = f"trip.{slot}"
    script = [change(path, "exclude", value, f"no {value}")]
    document = case({path: None}, f"no {value} please", slots={slot: kind})
    assert played({**document, "excluded": {path: [value]}}, script).ok
    outcome = played({**document, "excluded": {path: [value, other]}}, script)
    assert not outcome.ok
    assert f'expected "{other}" ruled out, found "{value}" ruled out; turn 0' in outcome.why[0]
    only = {key: part for key, part in document.items() if key != "expected"}
    assert played({**only, "excluded": {path: [value]}}, script).ok


def test_offers_and_questions_of_the_assistant_count() -> None:
    turns = [
        {"role": "assistant", "text": "Shall I?", "offers": {"trip.nights": 5}, "asks": ["trip.nights"]},
        {"role": "user", "text": "yes"},
    ]
    outcome = played({**case({"trip.nights": 5}), "turns": turns}, [])
    assert outcome.ok, outcome.why


def test_time_passes_in_the_cases_zone() -> None:
    slots = {"day": {"type": "string", "format": "date"}}
    document = case({"trip.day": "2025-09-11"}, "Which day?", "today", slots=slots, timezone="Asia/Tokyo")
    assert played({**document, "now": "2025-09-10T20:00:00Z"}).ok
    assert played({**document, "now": "2025-09-11T05:00:00"}).ok
    assert not played({**document, "now": "2025-09-10T05:00:00Z"}).ok


def test_what_goes_wrong_is_an_error_and_no_failure() -> None:
    raised = played(GOOD, RuntimeError("no answer"))
    assert raised.error == "turn 1 could not be read: RuntimeError: no answer"
    assert not raised.ok
    said_so = played(GOOD, Extraction((), error="overloaded"))
    assert "overloaded" in str(said_so.error)
    bad_offer = {"role": "assistant", "text": "Well?", "offers": {"trip.nights": "blue"}}
    assert "InvalidValue" in str(played({**GOOD, "turns": [bad_offer]}).error)


def test_the_report_counts() -> None:
    outcomes = [played(GOOD), played(BAD), played(INVENTED), played(GOOD, RuntimeError("no answer"))]
    whole = report(outcomes)
    assert (whole.passed, whole.failed, whole.errors) == (1, 2, 1)
    assert [one.ok for one in whole.cases] == [True, False, False, False]
    assert CasesReport.model_validate_json(whole.model_dump_json()) == whole
