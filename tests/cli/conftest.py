from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from slotstate.cli import main

if TYPE_CHECKING:
    from tests.cli.talks import Talk

NOW = ("--now", "2025-03-03T09:00", "--timezone", "Europe/London")


class Ran(NamedTuple):
    """What a command line did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    def line(self, words: str) -> str:
        """The one line of the output that holds the words."""
        (found,) = [line for line in self.out.splitlines() if words in line]
        return found

    @property
    def complaint(self) -> str:
        """The one line on standard error of a run that printed nothing else."""
        assert self.out == ""
        (line,) = self.err.splitlines()
        assert line.startswith("slotstate: ")
        return line


Command = Callable[..., Ran]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    """Run a command line in this process, in an empty folder, on a screen of 80 columns without colour."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str, stdin: str = "") -> Ran:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        capsys.readouterr()
        code = main(arguments)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


def write(folder: Path, name: str, *messages: dict[str, Any]) -> str:
    """A transcript in JSON Lines; the answer is its name, relative to the folder."""
    text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in messages)
    (folder / name).write_text(text, encoding="utf-8")
    return name


def script(folder: Path, *turns: list[dict[str, Any]]) -> str:
    """A scripted extractor's name."""
    (folder / "script.json").write_text(json.dumps(list(turns)), encoding="utf-8")
    return "script:script.json"


def user(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **more}


def assistant(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **more}


def change(path: str, value: Any, quote: str, op: str = "set", **more: Any) -> dict[str, Any]:
    return {"path": path, "op": op, "value": value, "quote": quote, **more}


@pytest.fixture
def long(tmp_path: Path) -> Talk:
    """Forty turns with tool calls."""
    from tests.cli.talks import talk  # which is made of what stands here

    return talk(tmp_path, 40)


def rows(ran: Ran) -> dict[str, list[int]]:
    """Tokens and cached tokens of each row of the token bar."""
    found: dict[str, list[int]] = {}
    for line in ran.out.splitlines():
        match = re.fullmatch(r"(\w+) .*?([\d,]+) +([\d,]+) +[\d.]+%", line)
        if match:
            found[match[1]] = [int(figure.replace(",", "")) for figure in match.groups()[1:]]
    return found
