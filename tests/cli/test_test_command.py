"""`slotstate test`: what people and programs read, and the exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from rich.cells import cell_len

from tests.cases.making import BAD, GOOD, INVENTED, case, write_cases
from tests.cli.conftest import Command, script

ROOT = Path(__file__).resolve().parents[2]
DAY = {"type": "string", "format": "date"}
ZH = {"title": "餐厅", "type": "object", "properties": {"人数": {"type": "integer"}}}


def test_all_is_well(command: Command, tmp_path: Path) -> None:
    write_cases(tmp_path / "t.jsonl", GOOD)
    ran = command("test", "t.jsonl")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "all passed: trips 1/1",
        "",
        "1 of 1 passed, 0 failed, 0 could not be played; 0 invented values",
    ]


def test_a_failure_says_what_was_expected_and_why_it_is_not_so(command: Command, tmp_path: Path) -> None:
    write_cases(tmp_path / "t.jsonl", GOOD, BAD, INVENTED)
    ran = command("test", "t.jsonl")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.splitlines() == [
        "✗ four nights (trips)",
        "  t.jsonl:2",
        "  trip.nights",
        "    expected 4",
        "    found    3",
        "   [0] assistant How many nights?",
        "   [1] user      three",
        "       ✓  nights 3  “three”",
        "  trip.rooms",
        "    expected 1",
        "    found    nothing",
        "   [0] assistant How many nights?",
        "   [1] user      three",
        "       nothing was proposed for it",
        "",
        "✗ no nights (inventions)",
        "  t.jsonl:3",
        "  trip.nights",
        "    expected nothing",
        "    found    3",
        "   [0] assistant How many nights?",
        "   [1] user      three",
        "       ✓  nights 3  “three”",
        "",
        "inventions 0/1",
        "trips      1/2",
        "",
        "1 of 3 passed, 2 failed, 0 could not be played; 1 invented value (in 33.3 % of",
        "the cases)",
    ]


def test_the_worst_kinds_come_first_and_whole_ones_last(command: Command, tmp_path: Path) -> None:
    cases = [{**GOOD, "kind": kind} for kind in ("fine", "half", "mixed", "mixed")]
    cases += [{**BAD, "kind": kind} for kind in ("half", "mixed", "poor", "poor", "bad", "")]
    write_cases(tmp_path / "t.jsonl", *cases)
    lines = command("test", "t.jsonl").out.splitlines()
    start = lines.index("poor      0/2")
    assert lines[start : start + 7] == [
        "poor      0/2",
        "(no kind) 0/1",
        "bad       0/1",
        "half      1/2",
        "mixed     2/3",
        "",
        "all passed: fine 1/1",
    ]


def test_json_is_one_object_as_published(command: Command, tmp_path: Path) -> None:
    write_cases(tmp_path / "t.jsonl", GOOD, BAD)
    ran = command("test", "t.jsonl", "--json")
    assert (ran.code, ran.err) == (1, "")
    jsonschema.validate(ran.json, json.loads((ROOT / "docs" / "test.schema.json").read_text(encoding="utf-8")))
    assert {key: ran.json[key] for key in ("passed", "failed", "errors")} == {"passed": 1, "failed": 1, "errors": 0}
    good, bad = ran.json["cases"]
    assert good == {
        "name": "three nights",
        "kind": "trips",
        "ok": True,
        "expected": {"trip.nights": 3, "trip.rooms": None},
        "found": {"trip.nights": 3, "trip.rooms": None},
        "invented": [],
        "why": [],
        "error": None,
    }
    assert (bad["ok"], bad["found"]["trip.nights"], len(bad["why"])) == (False, 3, 2)
    assert command("test", "t.jsonl", "--json").out == ran.out


def test_an_extractor_that_fails_is_an_error_and_the_others_count(command: Command, tmp_path: Path) -> None:
    write_cases(tmp_path / "t.jsonl", GOOD, GOOD)
    (tmp_path / "moody.py").write_text(
        "from slotstate.testing import ScriptedExtractor\n"
        "class Moody(ScriptedExtractor):\n"
        "    def close(self): print('closed')\n"
        "def make(): return Moody([[], RuntimeError('no [red]answer\\x1b[2J')])\n"
    )
    ran = command("test", "t.jsonl", "--extractor", "moody:make")
    assert ran.code == 1
    assert "  not played: turn 1 could not be read: RuntimeError: no" in ran.out
    assert "[red]answer<U+001B>[2J" in ran.out
    assert "0 of 2 passed, 1 failed, 1 could not be played; 0 invented values" in ran.out
    ran = command("test", "t.jsonl", "--extractor", "moody:make", "--json")
    assert ran.json["errors"] == 1
    assert "closed" in ran.err


def test_files_of_every_form_are_played_together(command: Command, tmp_path: Path) -> None:
    write_cases(tmp_path / "a.jsonl", GOOD)
    (tmp_path / "b.json").write_text(json.dumps([GOOD, GOOD]))
    (tmp_path / "c.yaml").write_text(f"---\n{json.dumps(GOOD)}\n---\n{json.dumps(BAD)}\n")
    ran = command("test", "a.jsonl", "b.json", "c.yaml")
    assert "  c.yaml:4" in ran.out
    assert "4 of 5 passed" in ran.out


def test_chinese_and_long_texts_keep_to_the_width(command: Command, tmp_path: Path) -> None:
    turns = [{"role": "user", "text": "我们一共有" + "很多" * 60 + "五个人"}]
    document = {"name": "人数" * 30, "kind": "数字", "domains": [ZH], "turns": turns, "expected": {"餐厅.人数": 7}}
    long = case({"trip.nights": 2}, "word " * 60 + "x" * 200, name="long", kind="k" * 100)
    write_cases(tmp_path / "t.jsonl", document, long)
    ran = command("test", "t.jsonl")
    assert "餐厅.人数" in ran.out
    assert max(map(cell_len, ran.out.splitlines())) <= 80


def test_hostile_text_is_shown_and_not_obeyed(command: Command, tmp_path: Path) -> None:
    text = "\x1b[31m[bold]three[/bold]\u202e\r\n:smile:"
    write_cases(tmp_path / "t.jsonl", {**case({"trip.nights": "[blink]4"}, text), "name": text, "kind": text})
    ran = command("test", "t.jsonl")
    assert "✗ <U+001B>[31m[bold]three[/bold]<U+202E>⏎:smile:" in ran.out
    assert "(<U+001B>[31m[bold]three[/bold]<U+202E>⏎:smile:)" in ran.out
    assert '"[blink]4"' in ran.out
    assert not {"\x1b", "\u202e", "\r"} & set(ran.out)


def test_a_slots_history_is_shown_by_its_last_turns(command: Command, tmp_path: Path) -> None:
    steps = [[{"path": "trip.nights", "op": "set", "value": n, "quote": str(n)}] for n in range(1, 6)]
    write_cases(tmp_path / "t.jsonl", case({"trip.nights": 9}, *(f"make it {n}" for n in range(1, 6))))
    ran = command("test", "t.jsonl", "--extractor", script(tmp_path, *steps))
    assert [line for line in ran.out.splitlines() if "make it" in line] == [
        f"   [{n - 1}] user      make it {n}" for n in (3, 4, 5)
    ]
    assert ran.line("↻  nights 4 → 5")


def test_progress_is_for_terminals_only(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_cases(tmp_path / "t.jsonl", GOOD)
    assert command("test", "t.jsonl").err == ""
    monkeypatch.setattr("slotstate.cli.test.Console.is_terminal", True)
    ran = command("test", "t.jsonl", "--json")
    assert "cases" in ran.err
    assert ran.json["passed"] == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "FILE"),
        (["gone.jsonl"], "no file 'gone.jsonl'; did you mean 'good.jsonl'?"),
        (["empty.jsonl"], "empty.jsonl: it holds no cases"),
        (["good.jsonl", "bad.jsonl"], "bad.jsonl:2: a case needs turns, a list"),
        (["broken.yaml"], "broken.yaml:2: "),
        (["never.jsonl"], "never.jsonl:1: expected trip.day: is not a date (got 'someday'); write it as YYYY-MM-DD"),
        (["ruled.jsonl"], "ruled.jsonl:1: excluded trip.nights: is not a whole number (got 'dozens')"),
        (["folder"], "cannot read the file 'folder'"),
        (["latin.jsonl"], "latin.jsonl: a file must be UTF-8 text"),
        (["good.jsonl", "--extractor", "builtn"], "no extractor is called 'builtn'; did you mean 'builtin'?"),
        (["good.jsonl", "--jsn"], "has no option --jsn; did you mean '--json'?"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], said: str, command: Command, tmp_path: Path) -> None:
    write_cases(tmp_path / "good.jsonl", GOOD)
    write_cases(tmp_path / "bad.jsonl", GOOD, {key: value for key, value in GOOD.items() if key != "turns"})
    write_cases(tmp_path / "never.jsonl", case({"trip.day": "someday"}, "tomorrow", slots={"day": DAY}))
    write_cases(tmp_path / "ruled.jsonl", case({}, "not 3", excluded={"trip.nights": ["three", "dozens"]}))
    (tmp_path / "empty.jsonl").write_text("\n")
    (tmp_path / "broken.yaml").write_text("- a: 1\n- b: ]\n")
    (tmp_path / "latin.jsonl").write_bytes(b"\xff\xfe")
    (tmp_path / "folder").mkdir()
    for more in ([], ["--json"]):
        ran = command("test", *arguments, *more)
        assert (ran.code, said in ran.complaint) == (2, True), ran.complaint


def test_the_reports_pass_as_promised(command: Command, corpora: Path) -> None:
    """At least 80 % of the cases made from reports pass, none errs, at most 4 % hold an invented value."""
    whole = command("test", str(corpora / "cases" / "dialogues.jsonl"), "--json").json
    assert whole["errors"] == 0
    assert whole["passed"] >= 0.8 * len(whole["cases"])
    assert sum(bool(one["invented"]) for one in whole["cases"]) <= 0.04 * len(whole["cases"])
