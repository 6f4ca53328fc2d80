"""`slotstate forget` and `slotstate export` on stored conversations, and tenants on the command line."""

from __future__ import annotations

import json
import os
import pty
import select
import stat
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from slotstate import Tracker
from slotstate.archive import Export
from slotstate.domains import compile_domains
from slotstate.loading import load_domains
from tests.cli.conftest import NOW, Command, user, write
from tests.cli.talks import TRAVEL

STORE = ("--store", "sqlite:///f.db")
SCHEMA = ("--schema", "travel")


@pytest.fixture
def kept(command: Command, tmp_path: Path) -> Command:
    """Conversations of two users and two tenants, and the command."""
    name = write(tmp_path, "t.jsonl", user("I leave from Oslo"), user("to Bergen, please"))
    for session, owner, tenant in (("a", "ada", "default"), ("b", "ada", "default"), ("c", "bob", "acme")):
        arguments = ("--session", session, "--user", owner, "--tenant", tenant)
        assert command("run", name, *TRAVEL, *STORE, *arguments).code == 0
    late = ("--now", "2026-03-03T09:00", *SCHEMA)
    assert command("run", name, *late, *STORE, "--session", "late").code == 0
    return command


def sessions(kept: Command, tenant: str = "default") -> list[str]:
    told = kept("export", *STORE, *SCHEMA, "--tenant", tenant).json
    return [one["session"] for one in told["sessions"]]


def test_what_was_forgotten_is_told(kept: Command) -> None:
    ran = kept("forget", "a", *STORE, "--yes")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Forgotten: 1 conversation, ")
    assert ran.out.endswith(", 0 blobs\nLeft:      0, by a second look\n")
    assert sessions(kept) == ["b", "late"]
    erased = kept("forget", *STORE, "--user", "ada", "--yes", "--json").json
    assert (erased["sessions"], erased["left"]) == (1, 0)
    assert erased["entries"] > 2
    assert sessions(kept) == ["late"]
    assert kept("forget", "--session", "late", *STORE, "--all", "--yes").code == 2
    assert kept("forget", *STORE, "--all", "--yes", "--json").json["sessions"] == 1
    assert kept("forget", *STORE, "--all", "--yes").out.startswith("Forgotten: 0 conversations, 0 entries, ")
    assert sessions(kept, "acme") == ["c"]


def test_the_old_go_by_age(kept: Command) -> None:
    age = ("--older-than", "90d", "--now", "2026-03-04T09:00", "--yes", "--json")
    assert kept("forget", *STORE, "--user", "bob", *age).json["sessions"] == 0
    assert kept("forget", *STORE, *age).json["sessions"] == 2
    assert sessions(kept) == ["late"]
    week = ("--older-than", "1w", "--now", "2026-03-10T09:00", "--yes", "--json")
    assert kept("forget", "late", *STORE, *week).json["sessions"] == 0
    assert kept("forget", "late", *STORE, "--older-than", "36h", *week[2:]).json["sessions"] == 1


def test_who_is_not_there_is_told(kept: Command) -> None:
    """Who erases a person must notice a name that was mistyped."""
    for arguments, told in {
        ("adda",): "no conversation called 'adda'; known: a, b, late",
        ("--session", "lite"): "no conversation called 'lite'; did you mean 'late'?",
        ("--user", "adda"): "no conversation of user 'adda'; did you mean 'ada'?",
        ("--user", "bob"): "no conversation of user 'bob'; known: ada",
        ("--user", "ada", "--tenant", "acme"): "no conversation of user 'ada' of tenant 'acme'; known: bob",
        ("late", "--user", "ada"): "no conversation called 'late' of user 'ada'",
    }.items():
        for more in ((), ("--json",)):
            ran = kept("forget", *arguments, *STORE, "--yes", *more)
            assert (ran.code, ran.out) == (2, "")
            assert ran.err == f"slotstate: nothing was forgotten: the store holds {told}\n"
    assert sessions(kept) == ["a", "b", "late"]
    for command in ("forget", "export", "sessions"):
        options = (*STORE, *SCHEMA) if command == "export" else STORE
        ran = kept(command, *options, "--user", "adda")
        assert (ran.code, ran.out) == (2, "")
        assert ran.err == "slotstate: the store holds no conversation of user 'adda'; did you mean 'ada'?\n"
        assert "name is empty" in kept(command, *options, "--user", "").err
    assert kept("forget", *STORE, "nix", "--older-than", "90d", "--yes").code == 0, "by age nothing may be there"


def test_sessions_lists_what_there_is(kept: Command) -> None:
    listed = kept("sessions", *STORE)
    assert (listed.code, listed.err) == (0, "")
    lines = [line.split() for line in listed.out.splitlines()]
    assert lines[0] == ["Session", "User", "Entries", "Began", "Last", "written"]
    assert [line[:2] for line in lines[2:]] == [["a", "ada"], ["b", "ada"], ["late", "–"]]
    assert max(map(len, listed.out.splitlines())) <= 80
    told = kept("sessions", *STORE, "--json").json
    assert (told["tenant"], [(one["session"], one["user"]) for one in told["sessions"]]) == (
        "default",
        [("a", "ada"), ("b", "ada"), ("late", None)],
    )
    exported = {one["session"]: one for one in kept("export", *STORE, *SCHEMA).json["sessions"]}
    for one in told["sessions"]:
        whole = exported[one["session"]]
        assert one["entries"] == len(whole["entries"])
        began, touched = (datetime.fromisoformat(whole[name]) for name in ("began", "touched"))
        assert [datetime.fromisoformat(one[name]) for name in ("began", "touched")] == [began, touched]
    assert [one["session"] for one in kept("sessions", *STORE, "--user", "ada", "--json").json["sessions"]] == [
        "a",
        "b",
    ]
    assert [one["session"] for one in kept("sessions", *STORE, "--tenant", "acme", "--json").json["sessions"]] == ["c"]
    assert kept("sessions", *STORE, "--tenant", "x").out == "No conversation of tenant x is kept.\n"
    assert kept("sessions", *STORE, "--tenant", "x", "--json").json == {"tenant": "x", "sessions": []}
    assert "there is no store no.db" in kept("sessions", "--store", "sqlite:///no.db").err
    assert "memory:// holds nothing" in kept("sessions", "--store", "memory://").err


BAD = {
    ("forget", *STORE): "say what is to be forgotten: a SESSION, --user U, --older-than AGE, or --all",
    ("forget", "a", *STORE): "nobody can be asked here: add --yes",
    ("forget", "a", *STORE, "--json"): "--json asks nothing: add --yes",
    ("forget", "a", "--session", "b", *STORE, "--yes"): "'a' or 'b'? name one conversation",
    ("forget", "a", "--store", "sqlite:///no.db", "--yes"): "there is no store no.db",
    ("forget", "a", "--store", "memory://", "--yes"): "memory:// holds nothing",
    ("forget", *STORE, "--older-than", "ninety", "--yes"): "'ninety' is no age: write it as 90d, 12w or 36h",
    ("forget", *STORE, "--older-than", "999999w", "--yes"): "nothing is 6,999,993 days old",
    ("export", "x", *STORE, *SCHEMA): "no conversation called 'x'; known: a, b, late",
    ("export", "a", *STORE, *SCHEMA, "--user", "bob"): "no conversation of user 'bob'; known: ada",
    ("export", "a", *STORE, *SCHEMA, "--output", "no/x.json"): "its folder does not exist",
    ("export", "a", *STORE, *SCHEMA, "--output", "."): ". is a folder: name a file",
    ("export", "a", *STORE): "required: --schema",
    ("run", "t.jsonl", *SCHEMA, "--user", "ada"): "--user says whose a stored conversation is",
    ("run", "t.jsonl", *SCHEMA, *STORE, "--session", "a", "--user", "bob"): "belongs to another user",
}


@pytest.mark.parametrize(("arguments", "why"), BAD.items(), ids=[" ".join(one)[:40] for one in BAD])
def test_bad_input_is_one_line_and_forgets_nothing(
    kept: Command, tmp_path: Path, arguments: tuple[str, ...], why: str
) -> None:
    ran = kept(*arguments)
    assert ran.code == 2
    (line,) = ran.err.splitlines()
    assert why in line
    assert sessions(kept) == ["a", "b", "late"]
    assert not (tmp_path / "no.db").exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def on_terminal(folder: Path, answer: str, *arguments: str) -> tuple[int, str]:
    """A command on a terminal of its own, and what one answers there."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "slotstate", *arguments]
    process = subprocess.Popen(command, cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    told = b""
    while b"[y/N]" not in told and select.select([ours], [], [], 60)[0]:
        told += os.read(ours, 4096)
    os.write(ours, answer.encode())
    try:
        while piece := os.read(ours, 4096):
            told += piece
    except OSError:  # the terminal is closed
        pass
    os.close(ours)
    return process.wait(60), told.decode()


def test_somebody_is_asked(kept: Command, tmp_path: Path) -> None:
    code, told = on_terminal(tmp_path, "no\n", "forget", *STORE, "--user", "ada")
    assert code == 0
    assert "Of tenant default would go 2 conversations with " in told
    assert "2025-03-03 to 2025-03-03: a, b" in " ".join(told.split())
    assert "Nothing was forgotten." in told
    assert sessions(kept) == ["a", "b", "late"]
    code, told = on_terminal(tmp_path, "y\n", "forget", *STORE, "--user", "ada")
    assert (code, sessions(kept)) == (0, ["late"])
    assert "Forgotten: 2 conversations, " in told


def test_an_export_is_what_the_tracker_exports(kept: Command, tmp_path: Path) -> None:
    ran = kept("export", *STORE, *SCHEMA, "--user", "ada")
    assert ran.err == ""
    with Tracker(compile_domains(load_domains("travel")), store=f"sqlite:///{tmp_path / 'f.db'}") as tracker:
        assert ran.json == tracker.export(user="ada")
    assert [one["user"] for one in ran.json["sessions"]] == ["ada", "ada"]
    assert kept("export", "b", *STORE, *SCHEMA).json["sessions"] == ran.json["sessions"][1:]
    Export.model_validate(ran.json)
    told = kept("export", *STORE, *SCHEMA, "--user", "ada", "--output", "ada.json")
    assert (told.out, told.err) == ("", "slotstate: written to ada.json\n")
    assert json.loads((tmp_path / "ada.json").read_text(encoding="utf-8")) == ran.json
    assert stat.S_IMODE((tmp_path / "ada.json").stat().st_mode) == 0o600
    again = ("export", "b", *STORE, *SCHEMA, "--output", "ada.json")
    refused = kept(*again)
    assert (refused.code, "ada.json is there already: name another file, or" in refused.complaint) == (2, True)
    assert json.loads((tmp_path / "ada.json").read_text(encoding="utf-8")) == ran.json
    assert kept(*again, "--force").code == 0
    assert len(json.loads((tmp_path / "ada.json").read_text(encoding="utf-8"))["sessions"]) == 1
    assert kept("export", *STORE, *SCHEMA, "--user", "nobody").code == 2


def test_tenants_do_not_see_each_other(kept: Command, tmp_path: Path) -> None:
    name = str(tmp_path / "t.jsonl")
    acme = ("--tenant", "acme", "--session", "a")
    assert "goes on" not in kept("run", name, *TRAVEL, *STORE, *acme).out
    assert "goes on" in kept("run", name, *TRAVEL, *STORE, "--session", "a").out
    assert sessions(kept, "acme") == ["a", "c"]
    assert "Session c of bob: 2 messages" in kept("inspect", "c", *STORE, *TRAVEL, "--tenant", "acme").out
    said = kept("chat", *TRAVEL, *STORE, "--tenant", "third", "--user", "eve", stdin="from Rome\n")
    assert said.code == 0
    assert sessions(kept, "third") == ["chat"]
    assert kept("compact", "c", *STORE, *SCHEMA, *NOW, "--tenant", "acme").code == 0
