"""Bad input: exit 2, one clear line on standard error, nothing on standard output, no traceback."""

from __future__ import annotations

import inspect
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from slotstate.cli import COMMANDS, main, run, turns
from slotstate.cli.helping import _broken
from tests.cli.conftest import Command, assistant, script, user, write

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def fine(tmp_path: Path) -> list[str]:
    """Arguments with which nothing is wrong."""
    name = write(tmp_path, "fine.jsonl", user("Hello."))
    return ["run", name, "--schema", "travel", "--extractor", script(tmp_path)]


def test_the_arguments_are_fine(command: Command, fine: list[str]) -> None:
    assert command(*fine).code == 0
    assert command(*fine, "--json").code == 0


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--schema", "travle", "no schema is called 'travle'; did you mean 'travel'?"),
        ("--schema", "gone.yaml", "no schema file 'gone.yaml'"),
        ("--schema", "travel", "two domains are named 'travel'"),
        ("--schema", "json:loads", "json:loads: "),
        ("--extractor", "builtn", "no extractor is called 'builtn'; did you mean 'builtin'?"),
        ("--extractor", "script:gone.json", "cannot read the script 'gone.json'"),
        ("--extractor", "script:deep.json", "cannot read the script 'deep.json'"),
        ("--extractor", "no.such:thing", "no extractor no.such:thing"),
        ("--extractor", "json:loads", "json:loads cannot make an extractor"),
        ("--store", "mongodb://x", "no store is called 'mongodb://…': use memory://, sqlite:///FILE.db or postgresql:"),
        ("--store", "sqlite:///gone/f.db", "its folder does not exist"),
        ("--store", "sqlite:///fine.jsonl", "cannot open fine.jsonl"),
        ("--timezone", "Europe/Lodnon", "unknown time zone 'Europe/Lodnon'"),
        ("--timezone", "", "unknown time zone ''"),
        ("--timezone", "../etc/passwd", "unknown time zone"),
        ("--now", "tomorrow", "--now 'tomorrow' is no ISO time: write it as 2025-03-03T09:00"),
        ("--now", "0001-01-01T00:00", "the year must lie between 1900 and 2200"),
        ("--now", "9999-12-31T23:59:59", "the year must lie between 1900 and 2200"),
        ("--template", "gone", "no template 'gone'"),
        ("--jsn", "", "has no option --jsn; did you mean '--json'?"),
    ],
)
def test_a_bad_option(option: str, value: str, said: str, command: Command, fine: list[str]) -> None:
    Path("deep.json").write_text("[" * 100_000)
    for more in ([], ["--json"]):
        ran = command(*fine, option, *([value] if option != "--jsn" else []), *more)
        assert (ran.code, said in ran.complaint) == (2, True), ran.complaint


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "t.jsonl: it is empty"),
        (" \n\n", "t.jsonl: it is empty"),
        ("[]", "t.jsonl: it holds no messages"),
        ('{"messages": []}', "t.jsonl: it holds no messages"),
        ("hello", "t.jsonl:1: not JSON"),
        ('{"role": "user", "content": "a"}\n\n{"role": "user", "content": "b"\n', "t.jsonl:3: not JSON"),
        ('[\n {"role": "user",\n  "content": }\n]', "t.jsonl:3: not JSON"),
        ('{\n "messages": [1,\n 2\n', "t.jsonl:4: not JSON"),
        ('{"role": "robot", "content": "a"}', "t.jsonl:1: role must be one of user, assistant, tool"),
        ('{"role": "user", "content": "a"}\n{"role": "User"}', "t.jsonl:2: role must be one of"),
        ('[{"role": "user", "content": "a"}, {"content": "b"}]', "t.jsonl: message 1: role must be one of"),
        ('{"messages": [{"content": "b"}]}', "t.jsonl: message 0: role must be one of"),
        ('{"role": "user", "content": 7}', "t.jsonl:1: content must be a list"),
        ('{"role": "user", "content": "a", "id": 7}', "t.jsonl:1: id must be text"),
        ('{"role": "tool", "content": "a"}', "t.jsonl:1: a tool message needs the tool_call_id"),
        ('{"role": "assistant", "tool_calls": [{"id": "x"}]}', "t.jsonl:1: a tool call needs"),
        ('{"role": "assistant", "content": "a", "offers": [1]}', "t.jsonl:1: offers must be an object"),
        (
            '{"role": "assistant", "content": "a", "asks": ["travel.orign"]}',
            "t.jsonl:1: unknown slot 'travel.orign'; did you",
        ),
        ('{"role": "assistant", "content": "a", "offers": {"travel.people": 99}}', "t.jsonl:1: travel.people: "),
        (
            '{"role": "user", "content": "a", "id": "x"}\n{"role": "user", "content": "b", "id": "x"}',
            "t.jsonl:2: message id 'x'",
        ),
        ('{"role": "user", "content": NaN}', "t.jsonl:1: not JSON: NaN is no JSON value"),
        ('{"role": "user", "content": ' + "1" * 5000 + "}", "t.jsonl:1: not JSON"),
        ('"just text"', "t.jsonl: a transcript holds chat messages"),
        ('{"turns": []}', "t.jsonl:1: role must be one of"),
        ('{"turns":\n []}', "t.jsonl: a transcript holds chat messages"),
        ("[1]", "t.jsonl: message 0: a message must be an object"),
        ("[" * 100_000, "t.jsonl:1: nested too deeply"),
        ('{"role": "user", "content": "a\0"}', "t.jsonl:1: not text: it holds a NUL"),
    ],
)
def test_a_bad_transcript(text: str, said: str, command: Command, fine: list[str], tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text(text, encoding="utf-8")
    for more in ([], ["--json"]):
        ran = command("run", "t.jsonl", *fine[2:], *more)
        assert ran.code == 2
        (line,) = ran.err.splitlines()
        assert said in line
        assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            b'{"role": "user", "content": "ok"}\n{"role": "user", "content": "caf\xe9"}',
            "t.bin:2: not UTF-8 text (byte 0xe9)",
        ),
        (b'{"role": "user", "content": "\xed\xa0\x80"}', "t.bin:1: not UTF-8 text (byte 0xed)"),
        (b"\x89PNG\r\n\x1a\n\0\0", "t.bin:1: not UTF-8 text (byte 0x89)"),
        ('[{"role": "user", "content": "a"}]'.encode("utf-16"), "t.bin:1: not UTF-8 text (byte 0xff)"),
        (b"\0\0\0\0", "t.bin:1: not text: it holds a NUL"),
    ],
)
def test_bytes_that_are_no_text(data: bytes, said: str, command: Command, fine: list[str], tmp_path: Path) -> None:
    (tmp_path / "t.bin").write_bytes(data)
    ran = command("run", "t.bin", *fine[2:])
    assert (ran.code, said in ran.complaint) == (2, True), ran.complaint


@pytest.mark.parametrize(
    ("name", "said"), [("gone.jsonl", "no such file: gone.jsonl"), (".", ". is a folder"), ("a\0b", "cannot read")]
)
def test_no_file(name: str, said: str, command: Command, fine: list[str]) -> None:
    ran = command("run", name, *fine[2:])
    assert (ran.code, said in ran.complaint) == (2, True), ran.complaint


def test_standard_input_is_named(command: Command, fine: list[str]) -> None:
    assert "standard input: it is empty" in command("run", "-", *fine[2:]).complaint
    assert "standard input:1: not JSON" in command("run", "-", *fine[2:], stdin="oops").complaint
    assert command("run", "-", *fine[2:], stdin=json.dumps([user("Hi.")])).code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "a command is needed: run, chat"),
        (["rum"], "unknown command 'rum'; did you mean 'run'?"),
        (["run"], "the following arguments are required: TRANSCRIPT, --schema"),
        (["chat"], "the following arguments are required: --schema"),
        (["prompt"], "the following arguments are required: TRANSCRIPT, --schema"),
        (["cost"], "the following arguments are required: TRANSCRIPT, --schema"),
        (["run", "t", "--schema"], "expected one argument"),
        (["run", "a\nb.jsonl", "--schema", "travel"], "no such file: a b.jsonl"),
        (["run", "\x1b[31m", "--schema", "travel"], "no such file: <U+001B>[31m"),
    ],
)
def test_bad_usage(arguments: list[str], said: str, command: Command) -> None:
    ran = command(*arguments)
    assert (ran.code, said in ran.complaint) == (2, True), ran.complaint


def test_a_schema_or_extractor_that_raises_is_one_line(command: Command, fine: list[str], tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("raise RuntimeError('two\\nlines')", encoding="utf-8")
    (tmp_path / "breaks_when_made.py").write_text("def make():\n    raise RuntimeError('no key')\n", encoding="utf-8")
    ran = command("run", fine[1], "--schema", "broken.py")
    assert (ran.code, "broken.py:1: RuntimeError: two" in ran.complaint) == (2, True)
    ran = command(*fine, "--extractor", "breaks_when_made:make")
    assert (ran.code, "cannot make an extractor: no key" in ran.complaint) == (2, True)


def test_a_transcript_that_fits_another_conversation_in_the_store(
    command: Command, fine: list[str], tmp_path: Path
) -> None:
    stored = [*fine[2:], "--store", "sqlite:///f.db", "--session", "s"]
    assert command("run", fine[1], *stored).code == 0
    other = write(tmp_path, "other.jsonl", assistant("Hi."), user("Bye."))
    ran = command("run", other, *stored)
    assert (ran.code, ran.out != "") == (2, True)
    (line,) = ran.err.splitlines()
    assert "other.jsonl:1: message id '0'" in line
    assert "another --session" in line


def test_lone_surrogates_from_an_escape_are_survived(command: Command, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(
        '[{"role": "user", "content": "to Le\\ud800eds", "id": "\\udfff"}]', encoding="utf-8"
    )
    extractor = script(tmp_path, [{"path": "travel.destination", "value": "Le\ud800eds", "quote": "to Le\ud800eds"}])
    ran = command(
        "run", "t.json", "--schema", "travel", "--extractor", extractor, "--json", "--store", "sqlite:///f.db"
    )
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["prompt"]["messages"][-1]["content"] == "to Le\N{REPLACEMENT CHARACTER}eds"
    assert command("run", "t.json", "--schema", "travel", "--extractor", extractor).code == 0


def test_an_interrupt_is_one_line(command: Command, fine: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "read_transcript", interrupted)
    ran = command(*fine)
    assert (ran.code, ran.complaint) == (130, "slotstate: interrupted")


def process(*arguments: str, folder: Path) -> subprocess.Popen[bytes]:
    """The command line in a process of its own, which Ctrl-C reaches even where this one was started to ignore it."""
    code = "import signal, runpy; signal.signal(signal.SIGINT, signal.default_int_handler); "
    code += "runpy.run_module('slotstate', run_name='__main__', alter_sys=True)"
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_ctrl_c_in_a_chat(fine: list[str], tmp_path: Path) -> None:
    with process("chat", *fine[2:], folder=tmp_path) as chat:
        assert chat.stdout is not None
        assert chat.stderr is not None
        assert chat.stdout.readline() == b"? Where do you leave from?\n"
        time.sleep(0.1)
        chat.send_signal(signal.SIGINT)
        assert chat.wait(30) == 130
        assert chat.stderr.read() == b"slotstate: interrupted\n"


@pytest.mark.parametrize(
    "options", [["run"], ["run", "--json"], ["prompt"], ["prompt", "--full"], ["prompt", "--json"]]
)
def test_a_reader_that_leaves(options: list[str], tmp_path: Path) -> None:
    long = write(tmp_path, "long.jsonl", *(user(f"word {n} " * 50) for n in range(200)))
    arguments = [options[0], long, "--schema", "travel", "--extractor", script(tmp_path), *options[1:]]
    with process(*arguments, folder=tmp_path) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.read(1)
        run.stdout.close()
        assert run.wait(60) == 141
        assert run.stderr.read() == b""


def test_version_and_help(command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    ran = command("--version")
    assert ran.code == 0
    assert ran.out.startswith("slotstate ")
    ran = command("--help")
    assert ran.code == 0
    for name in COMMANDS:
        assert f"\n    {name} " in ran.out
        told = command(name, "--help")
        assert (told.code, told.err) == (0, "")
        assert "example:" in told.out
    assert main(["--help"]) == 0


def test_a_session_needs_a_store(command: Command, fine: list[str]) -> None:
    said = "slotstate: --session names a conversation in a store: add --store sqlite:///FILE.db, or leave it out"
    for name in ("run", "prompt", "cost"):
        ran = command(name, *fine[1:], "--session", "ada")
        assert (ran.code, ran.complaint) == (2, said)


def test_a_misspelt_option_is_named_before_what_is_missing(command: Command, fine: list[str]) -> None:
    for name in COMMANDS:
        assert command(name, "x", "--shcema=travel").complaint.startswith(
            f"slotstate: slotstate {name} has no option --shcema"
        )
    told = command("prompt", "--shcema", "travel").complaint
    assert told.endswith("; did you mean '--schema'? (see slotstate prompt --help)")
    assert (
        command("run", "--qqqqqqq").complaint
        == "slotstate: slotstate run has no option --qqqqqqq (see slotstate run --help)"
    )
    assert "has no option" not in command(*fine, "--", "--shcema").complaint


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_fits_eighty_columns(name: str, command: Command) -> None:
    ran = command(*([name] if name else []), "--help")
    assert (ran.code, ran.err) == (0, "")
    assert max(map(len, ran.out.splitlines())) <= 80
    text = " ".join(ran.out.split())
    if name:
        assert all(" ".join(line.split()) in text for line in COMMANDS[name].EPILOG.splitlines())
        assert text.startswith(f"usage: slotstate {name} ")


def test_the_legend_has_every_sign() -> None:
    source = Path(inspect.getsourcefile(turns) or "").read_text(encoding="utf-8")
    given = "".join(re.findall(r"Outcome\((.+?),", source))
    signs = set(re.findall(r'"([^"]+)"', given))
    assert {"✓", "✓✓", "=", "↶"} <= signs
    assert all(f"{sign} " in turns.SIGNS for sign in signs)
    assert all(f"signs:        {turns.SIGNS}\n" in COMMANDS[name].EPILOG for name in ("run", "inspect"))


def test_help_breaks_lines_under_their_heads() -> None:
    text = "file:   one two three four\n        five\n\nA plain line of a text\nthat goes on.\n\n/cmd  does it"
    assert list(_broken(text, 20)) == [
        "file:   one two",
        "        three four",
        "        five",
        "",
        "A plain line of a",
        "text that goes on.",
        "",
        "/cmd  does it",
    ]
