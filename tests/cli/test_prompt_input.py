"""Bad input to `slotstate prompt`: one line, never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command, assistant, script, user, write
from tests.cli.talks import CALL, EN, TRAVEL


def test_calls_without_a_result(command: Command, tmp_path: Path) -> None:
    asked = {"role": "assistant", "content": None, "tool_calls": [CALL]}
    name = write(tmp_path, "t.jsonl", user("To Bath."), asked, user("Hello?"), assistant("Sorry."), user("Well?"))
    arguments = ("prompt", name, *TRAVEL, "--extractor", script(tmp_path))
    ran = command(*arguments)
    assert ran.code == 2
    assert ran.complaint == (
        "slotstate: the prompt before message 3: no result yet for tool call 'c1'; add it to the transcript, or let "
        "--close-calls put one in"
    )
    assert command(*arguments, "--turn", "1").code == 0
    closed = command(*arguments, "--close-calls")
    assert (closed.code, "     [no result]" in closed.out.splitlines()) == (0, True)
    ends = write(tmp_path, "ends.jsonl", user("To Bath."), asked)
    ran = command("prompt", ends, *TRAVEL, "--extractor", script(tmp_path))
    assert "the prompt before message 2: no result yet for tool call 'c1'" in ran.complaint
    closed = command("prompt", ends, *TRAVEL, "--extractor", script(tmp_path), "--close-calls", "--json")
    assert closed.json["messages"][-1] == {"role": "tool", "tool_call_id": "c1", "content": "[no result]"}


def test_closed_calls_are_closed_once(command: Command, tmp_path: Path) -> None:
    """Also over a store, and beside calls that are answered."""
    other = CALL | {"id": "c2"}
    messages = [
        user("To Bath."),
        {"role": "assistant", "content": None, "tool_calls": [CALL, other]},
        {"role": "tool", "tool_call_id": "c2", "content": "3 trains"},
        user("Hello?"),
        assistant("Sorry."),
    ]
    name = write(tmp_path, "t.jsonl", *messages)
    arguments = ("prompt", name, *TRAVEL, "--extractor", script(tmp_path), "--close-calls", "--json")
    stored = ("--store", "sqlite:///f.db")
    first, second = command(*arguments, *stored).json, command(*arguments, *stored).json
    assert first == second
    results = [one["content"] for one in first["messages"] if one["role"] == "tool"]
    assert sorted(results) == ["3 trains", "[no result]"]
    assert [one["content"] for one in first["messages"] if "result>" in (one["content"] or "")] == []


def test_calls_in_parallel_are_one_request(command: Command, tmp_path: Path) -> None:
    calls = [{"role": "assistant", "content": None, "tool_calls": [CALL | {"id": ident}]} for ident in ("a", "b")]
    results = [{"role": "tool", "tool_call_id": ident, "content": ident} for ident in ("a", "b")]
    name = write(tmp_path, "t.jsonl", user("To Bath."), *calls, *results, assistant("Here."))
    arguments = ("prompt", name, *TRAVEL, "--extractor", script(tmp_path), "--turn")
    starts = [command(*arguments, str(turn)).out.partition(":")[0] for turn in (1, 2, 5)]
    assert starts == ["Prompt before message 1", "Prompt before message 5", "Prompt before message 5"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--budget", "150"], "too small for what must be kept: system 159"),
        (["--turn", "99"], "there is no message 99: the conversation has 24, numbered from 0"),
        (["--turn", "one"], "argument --turn: 'one' is no number of a message"),
        (["--turn", "0", "--diff"], "the prompt before message 0 is the first: there is none to compare it with"),
        (["--diff", "--format", "text"], "--diff shows a change, --format text a prompt: leave one of them out"),
        (["--json", "--format", "text"], "argument --format: not allowed with argument --json"),
        (["--format", "opnai"], "argument --format: invalid choice: 'opnai'"),
        (["--profile", "opnai"], "no cache profile 'opnai'; did you mean 'openai'?"),
        (["--counter", "gpt-none"], "gpt-none"),
        (["--locale", "xx"], "no locale 'xx': name a language as en, zh or pt_BR"),
        (["--tools", "gone.json"], "cannot read the tools in gone.json: No such file"),
        (["--interval", "-1"], "argument --interval: '-1' is no number of seconds from 0 to 86,400"),
        (["--interval", "nan"], "argument --interval: 'nan' is no number of seconds"),
        (["--timezone", "Mars/Base"], "unknown time zone 'Mars/Base'"),
        (["--template", "gone"], "no template 'gone'"),
        (["--now", "soon"], "--now 'soon' is no ISO time"),
        (["--jsno"], "has no option --jsno; did you mean '--json'?"),
    ],
)
def test_bad_options_are_one_line(options: list[str], said: str, command: Command) -> None:
    ran = command("prompt", EN, "--schema", "travel", *options)
    assert (ran.code, said in ran.complaint) == (2, True), ran.complaint


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[", "the tools in tools.json are not JSON"),
        ("7", 'tools.json must hold the tools\' schemas: a JSON list, or an object with them as "tools"'),
        ("[7]", "tools.json must hold the tools' schemas"),
        ('[{"type": "function"}]', "tools[0]: a tool of type 'function' needs its function"),
        ("[" * 100_000, "the tools in tools.json are not JSON"),
    ],
)
def test_bad_tools(text: str, said: str, command: Command, tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(text, encoding="utf-8")
    ran = command("prompt", EN, *TRAVEL, "--tools", "tools.json", "--format", "anthropic")
    assert (ran.code, said in ran.complaint) == (2, True), ran.complaint


def test_a_broken_template_is_one_line(command: Command, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    text = '{% section "system" %}Hello {{ nobody.home }}{% endsection %}'
    text += '{% section "recent" %}{{ turns }}{% endsection %}'
    (tmp_path / "mine" / "prompt.jinja").write_text(text, encoding="utf-8")
    ran = command("prompt", EN, *TRAVEL, "--template", "mine")
    assert (ran.code, "prompt.jinja:1" in ran.complaint, "nobody" in ran.complaint) == (2, True, True)


def test_an_extractor_that_never_answers_is_told(command: Command, tmp_path: Path) -> None:
    (tmp_path / "mute_extractor.py").write_text(
        "class Mute:\n    def extract(self, request):\n        raise TimeoutError\n"
        "    async def aextract(self, request):\n        raise TimeoutError\n",
        encoding="utf-8",
    )
    name = write(tmp_path, "t.jsonl", user("To Bath."), assistant("Well."))
    ran = command("prompt", name, *TRAVEL, "--extractor", "mute_extractor:Mute")
    assert (ran.code, ran.out != "") == (1, True)
    assert "the extractor failed on the only turn" in ran.err
