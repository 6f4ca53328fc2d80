"""`slotstate lint`: what people and programs read, and the exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest

from slotstate.cli.lint import _line
from slotstate.cli.screen import Screen
from slotstate.templating import Finding
from tests.cli.conftest import Command

SKIPPED = "; slots were not checked: --schema S does"
EXTENDS = '{% extends "default/prompt.jinja" %}\n'


def template(folder: Path, text: str, name: str = "mine/prompt.jinja") -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_the_bundled_template_is_clean(command: Command) -> None:
    for arguments in ([], ["zh"], ["default", "--schema", "travel", "--schema", "support"]):
        ran = command("lint", *arguments)
        name = arguments[0] if arguments else "default"
        assert (ran.code, ran.out, ran.err) == (
            0,
            f"nothing found in {name}{'' if '--schema' in arguments else SKIPPED}\n",
            "",
        )


def test_each_finding_is_one_line_with_its_place(command: Command, tmp_path: Path) -> None:
    template(tmp_path, EXTENDS)
    template(tmp_path, "Travel on 2026-12-04, to the very nice city of\n\n{{ slto }}", "mine/system.jinja")
    ran = command("lint", "mine")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.splitlines() == [
        "mine/system.jinja:1: warning literal-value: '2026-12-04' looks like a date: it stays the same whatever the "
        "slot holds; print the slot instead",
        "mine/system.jinja:3: error undeclared: section \"system\": 'slto' is undefined; known: changes, domains, "
        "left_out, left_out_ref, locale, question, quotes, summary",
        "1 error, 1 warning in mine" + SKIPPED,
    ]


def test_warnings_alone_are_no_failure(command: Command, tmp_path: Path) -> None:
    template(tmp_path, EXTENDS)
    template(tmp_path, "", "mine/unused.jinja")
    ran = command("lint", "mine")
    assert ran.code == 0
    assert ran.out.splitlines()[0].startswith("mine/unused.jinja: warning unused-file: ")
    assert ran.out.splitlines()[-1] == "0 errors, 1 warning in mine" + SKIPPED


def test_the_schema_tells_more(command: Command, tmp_path: Path) -> None:
    template(tmp_path, EXTENDS)
    template(tmp_path, "Ask for [origin].", "mine/system.jinja")
    assert command("lint", "mine").code == 0
    ran = command("lint", "mine", "--schema", "travel")
    assert ran.line("literal-value").endswith("'[origin]' is printed as it stands: print travel.origin from domains")


def test_one_object_for_programs(command: Command, tmp_path: Path) -> None:
    template(tmp_path, EXTENDS + '{% section "system" keep=false %}日{% endsection %}')
    template(tmp_path, "", "mine/unused.jinja")
    ran = command("lint", "mine", "--json")
    assert (ran.code, ran.err) == (1, "")
    assert (ran.json["errors"], ran.json["warnings"]) == (1, 1)
    assert ran.json["findings"][0] == {
        "file": "mine/prompt.jinja",
        "line": 2,
        "section": "system",
        "rule": "can-be-dropped",
        "severity": "error",
        "message": "keep=false lets a small budget drop it: leave keep out",
    }
    assert command("lint", "--json").json == {"findings": [], "errors": 0, "warnings": 0}


def test_a_template_that_cannot_be_loaded_is_an_error_found(command: Command, tmp_path: Path) -> None:
    template(tmp_path, "\n{% section 'slots' %}\n{% icnlude %}")
    ran = command("lint", "mine")
    assert (ran.code, ran.out.splitlines()) == (
        1,
        [
            "mine/prompt.jinja:3: error invalid: section \"slots\": unknown tag 'icnlude'; did you mean 'include'?",
            "1 error, 0 warnings in mine" + SKIPPED,
        ],
    )


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            ["nowhere"],
            "no template 'nowhere': use a bundled one or a folder that holds prompt.jinja; known: default, zh",
        ),
        (
            ["defualt"],
            "no template 'defualt': use a bundled one or a folder that holds prompt.jinja; did you mean 'default'?",
        ),
        (["default", "--schema", "nowhere.json"], "nowhere.json"),
        (["default", "other"], "unrecognized argument 'other' (see slotstate lint --help)"),
    ],
)
def test_bad_input(command: Command, arguments: list[str], complaint: str) -> None:
    ran = command("lint", *arguments)
    assert ran.code == 2
    assert complaint in ran.complaint


def test_a_template_that_is_no_text(command: Command, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "prompt.jinja").write_bytes(b"\xff")
    assert command("lint", "mine").complaint == "slotstate: mine/prompt.jinja:1: not UTF-8: save the file as UTF-8"


def test_control_characters_are_shown_by_name(command: Command, tmp_path: Path) -> None:
    template(tmp_path, EXTENDS)
    template(tmp_path, "[origin\x1b] {\u202eorigin} {origin\u202e}", "mine/system.jinja")
    assert "\x1b" not in command("lint", "mine", "--schema", "travel").out


def test_on_a_terminal_lines_are_coloured(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    template(tmp_path, EXTENDS)
    template(tmp_path, "", "mine/unused.jinja")
    monkeypatch.setattr(Screen, "is_terminal", True)
    shown = command("lint", "mine").out
    assert shown.splitlines()[0].startswith("mine/unused.jinja: warning unused-file")


def test_what_is_wrong_for_several_sections_is_told_once(command: Command, tmp_path: Path) -> None:
    template(tmp_path, EXTENDS)
    template(tmp_path, "{{ question.text | data }}", "mine/question.jinja")
    ran = command("lint", "mine")
    assert (ran.code, ran.out.splitlines()) == (
        1,
        [
            'mine/question.jinja:1: error unguarded: sections "note", "slots": question may be none, which has no '
            "'text': write {% if question %} … {% endif %} around it",
            "1 error, 0 warnings in mine" + SKIPPED,
        ],
    )
    assert [one["section"] for one in command("lint", "mine", "--json").json["findings"]] == ["note", "slots"]


def test_only_the_place_has_the_colour_of_a_place() -> None:
    line = _line(Finding("mine/a.jinja", 3, None, "shares", "error", "too much"), ())
    assert [(line.plain[one.start : one.end], one.style) for one in line.spans] == [
        ("mine/a.jinja:3", "cyan"),
        ("error", "red"),
    ]
    assert line.style == ""
