"""The command line on a conversation whose schema has changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from slotstate.cli import main

OLD = """\
title: trip
type: object
required: [city]
properties:
  city: {type: string, x-slot: {ask: "Where to?"}}
  people: {type: string}
  card: {type: string, x-slot: {sensitive: true}}
  color: {type: string}
"""
NEW = """\
title: trip
type: object
required: [town, people]
properties:
  town: {type: string, x-slot: {ask: "Where to?", was: city}}
  people: {type: integer, x-slot: {ask: "How many?"}}
"""
SCRIPT = [
    [
        {"op": "set", "path": "trip.city", "value": "Oslo", "quote": "Oslo"},
        {"op": "set", "path": "trip.people", "value": "hordes", "quote": "hordes"},
        {"op": "set", "path": "trip.card", "value": "4111", "quote": "4111"},
        {"op": "set", "path": "trip.color", "value": "red", "quote": "red"},
    ]
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a conversation that was kept under the old schema."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    (tmp_path / "old.yaml").write_text(OLD, encoding="utf-8")
    (tmp_path / "new.yaml").write_text(NEW, encoding="utf-8")
    (tmp_path / "script.json").write_text(json.dumps(SCRIPT), encoding="utf-8")
    (tmp_path / "t.jsonl").write_text(
        json.dumps({"role": "user", "content": "Oslo, hordes of us, card 4111, in red"}) + "\n", encoding="utf-8"
    )
    return tmp_path


def _stored(schema: str) -> list[str]:
    return ["--schema", schema, "--store", "sqlite:///f.db", "--session", "s", "--now", "2026-11-30T09:00"]


def test_run_inspect_and_prompt_go_on(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "t.jsonl", *_stored("old.yaml"), "--extractor", "script:script.json"]) == 0
    told = capsys.readouterr().out
    assert "Aside" not in told
    (here / "t.jsonl").write_text(
        json.dumps({"role": "assistant", "content": "Fine.", "id": "two"}) + "\n", encoding="utf-8"
    )

    assert main(["run", "t.jsonl", *_stored("new.yaml")]) == 0
    told = capsys.readouterr().out
    lines = [" ".join(line.split()) for line in told.splitlines()]
    assert "Missing people" in lines
    assert "Aside people hordes trip.people: no integer within its limits" in lines
    assert "card ••• trip.card: no such slot any more" in lines
    assert "color red trip.color: no such slot any more" in lines
    assert "4111" not in told

    assert main(["inspect", *_stored("new.yaml")]) == 0
    told = capsys.readouterr().out
    assert "hordes" in told
    assert "4111" not in told


def test_json_tells_it_with_secrets_masked(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "t.jsonl", *_stored("old.yaml"), "--extractor", "script:script.json"]) == 0
    capsys.readouterr()
    assert main(["inspect", "--json", *_stored("new.yaml")]) == 0
    told = json.loads(capsys.readouterr().out)["aside"]
    assert told[0] == {
        "path": "trip.people",
        "now": "trip.people",
        "value": "hordes",
        "part": False,
        "status": "filled",
        "why": "does_not_fit",
        "detail": "trip.people: no integer within its limits",
        "source": "user",
        "quote": "hordes",
        "turn": 0,
    }
    assert [(one["path"], one["value"], one["quote"]) for one in told[1:]] == [
        ("trip.card", "•••", "•••"),
        ("trip.color", "red", "red"),
    ]
    assert main(["inspect", "--json", "--reveal", *_stored("new.yaml")]) == 0
    assert json.loads(capsys.readouterr().out)["aside"][1]["value"] == "4111"
    assert main(["run", "t.jsonl", "--json", *_stored("new.yaml")]) == 0
    run = json.loads(capsys.readouterr().out)
    assert set(run["state"]["trip"]) == {"town", "people"}
    assert run["state"]["trip"]["town"]["value"] == "Oslo"
    assert "4111" not in json.dumps(run)


def test_the_timeline_is_told_under_the_present_schema(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "t.jsonl", *_stored("old.yaml"), "--extractor", "script:script.json"]) == 0
    capsys.readouterr()
    assert main(["inspect", *_stored("new.yaml")]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "✓ town Oslo “Oslo” user: set v, said" in told
    assert "✓ people hordes “hordes” user: set v, said" in told
    assert "color red “red” user: set v, said" in told
    assert "4111" not in told
    for slot in ("town", "trip.color"):
        assert main(["inspect", *_stored("new.yaml"), "--slot", slot]) == 0
        assert capsys.readouterr().out.count("set v, said") == 1


def test_an_export_has_what_is_kept_aside(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "t.jsonl", *_stored("old.yaml"), "--extractor", "script:script.json"]) == 0
    capsys.readouterr()
    assert main(["export", "s", "--schema", "new.yaml", "--store", "sqlite:///f.db"]) == 0
    (told,) = json.loads(capsys.readouterr().out)["sessions"]
    assert told["state"]["trip"]["town"]["value"] == "Oslo"
    assert [(one["path"], one["value"], one["why"]) for one in told["aside"]] == [
        ("trip.people", "hordes", "does_not_fit"),
        ("trip.card", "4111", "removed"),
        ("trip.color", "red", "removed"),
    ]
    paths = [entry["event"].get("path") for entry in told["entries"]]
    assert "trip.city" in paths, "the log is told as it is kept"
