"""What `slotstate run` prints for people, and as JSON."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

from slotstate.contract import MASK, Run
from tests.cli.conftest import NOW, Command, Ran, assistant, change, script, user, write

ROOT = Path(__file__).resolve().parents[2]
ASK_SEAT = assistant("Second class?", asks=["travel.seat"], offers={"travel.seat": "second"})


@pytest.fixture
def trip(tmp_path: Path) -> list[str]:
    """A dialogue in which most things happen once."""
    name = write(
        tmp_path,
        "trip.jsonl",
        {"role": "system", "content": "Be brief."},
        user("From Leeds to Bristol for two."),
        ASK_SEAT,
        user("Yes, please. Make it three, and zero bikes."),
        assistant("From Leeds?", asks=["travel.origin"]),
        user("Yes. Any time will do."),
        assistant("Noted."),
        user("Not Bristol. Where does it stop?"),
        user("Hm."),
    )
    extractor = script(
        tmp_path,
        [
            change("origin", "Leeds", "From Leeds"),
            change("destination", "Bristol", "to Bristol"),
            change("people", 2, "two"),
        ],
        [
            change("people", 3, "three"),
            change("people", 0, "zero"),
            change("bikes", 0, "zero bikes"),
            change("mode", "train", "by rail"),
        ],
        [change("departs_at", None, "Any time will do", dontcare=True), change("origin", None, "Yes", op="confirm")],
        [change("destination", "Bristol", "Not Bristol", op="exclude"), change("avoid", None, "Where", op="request")],
    )
    return ["run", name, "--schema", "travel", "--extractor", extractor, *NOW]


def test_each_turn_tells_what_changed(command: Command, trip: list[str]) -> None:
    ran = command(*trip)
    assert (ran.code, ran.err) == (0, "")
    for line in (
        " [0] system    Be brief.",
        " [1] user      From Leeds to Bristol for two.",
        "     ✓  origin        Leeds  “From Leeds”",
        "     ✓  people        2  “two”",
        " [2] assistant Second class?",
        "     ↻  people        2 → 3  “three”",
        "     ✓✓ origin        Leeds confirmed  “Yes”",
        "     ✓  departs_at    no preference  “Any time will do”",
        "     ∅  destination   Bristol taken back and ruled out  “Not Bristol”",
        "     the user asks about: avoid",
        "     no change",
    ):
        assert line in ran.out.splitlines()
    assert "✗  people        0 rejected: " in ran.out
    assert "✗  bikes         0 rejected: unknown slot 'bikes'" in ran.out
    assert "✗  mode          train rejected: the user did not say 'by rail'" in ran.out


def test_the_table_closes_the_run(command: Command, trip: list[str]) -> None:
    ran = command(*trip)
    table = ran.out[ran.out.index("Domain") :]
    rows = [row.split() for row in table.splitlines()]
    assert rows[0] == ["Domain", "Slot", "Value", "Status", "From"]
    assert ["travel", "origin", "Leeds", "✓✓", "confirmed", "user", "[1]"] in rows
    assert ["people", "3", "✓", "filled", "user", "[3]"] in rows
    assert ["destination", "not", "Bristol", "–"] in rows
    assert ["budget", "–"] in rows
    assert ran.line("Missing") == "Missing  destination, outbound_on, seat"
    assert ran.line("Next") == "Next     Where do you want to go?"
    told = r"Prompt   10 messages, [\d,]+ tokens by estimate; see slotstate prompt"
    assert re.fullmatch(told, ran.line("Prompt"))


def test_an_accepted_offer_says_so(command: Command, tmp_path: Path) -> None:
    name = write(tmp_path, "t.jsonl", user("Hi."), ASK_SEAT, user("Yes, please."))
    ran = command("run", name, "--schema", "travel", "--extractor", script(tmp_path))
    assert "✓  seat          second (taken from what was offered)  “Yes, please.”" in ran.out
    assert ["seat", "second", "✓", "filled", "offer", "[2]"] in [row.split() for row in ran.out.splitlines()]


def test_pending_says_why(command: Command, tmp_path: Path) -> None:
    name = write(tmp_path, "t.jsonl", user("Two or three of us."), user("To Bath."), user("Bath it is, or Bristol"))
    both = [change("people", 2, "Two"), change("people", 3, "three")]
    extractor = script(tmp_path, both, [change("destination", "Bath", "To Bath")])
    ran = command("run", name, "--schema", "travel", "--extractor", extractor)
    assert "?  people        to be asked which is meant: 2, 3" in ran.out
    assert ["people", "?", "2", "or", "3", "?", "ambiguous"] in [row.split() for row in ran.out.splitlines()]
    assert "people (ambiguous)" in ran.line("Missing")


def test_output_is_plain_and_fits_80_columns(command: Command, trip: list[str]) -> None:
    out = command(*trip).out
    assert "\x1b" not in out
    assert all(cell_len(line) <= 80 and line == line.rstrip() for line in out.splitlines())


def test_output_with_now_is_the_same_each_time(command: Command, trip: list[str]) -> None:
    assert command(*trip) == command(*trip)
    assert command(*trip, "--json") == command(*trip, "--json")


def test_several_domains_are_told_apart(command: Command, trip: list[str]) -> None:
    ran = command(*[one if one != "travel" else "support" for one in trip], "--schema", "travel")
    assert "✓  travel.destination   Bristol" in ran.out
    assert ran.line("(support: not spoken of)")


def test_json_is_one_object_that_keeps_the_contract(command: Command, trip: list[str], capsys: object) -> None:
    ran = command(*trip, "--json")
    assert (ran.code, ran.err) == (0, "")
    found = Run.model_validate(ran.json)
    assert list(found.state) == ["travel"]
    assert len(found.state["travel"]) == 13
    assert found.state["travel"]["people"].value == 3
    assert [turn.turn for turn in found.turns] == [1, 3, 5, 7, 8]
    assert [turn.extraction for turn in found.turns] == ["ok"] * 5
    assert {one.reason for one in found.turns[1].rejected} == {"invalid_value", "unknown_slot", "quote_not_found"}
    assert found.turns[3].requested == ["travel.avoid"]
    assert found.prompt.messages[0]["role"] == "system"
    assert all(turn.ms is None for turn in found.turns)
    timed = command(*[one for one in trip if one not in NOW], "--json")
    assert all(turn["ms"] > 0 for turn in timed.json["turns"])


def test_json_stays_pure_when_others_print(command: Command, trip: list[str], tmp_path: Path) -> None:
    noisy = "print('loading')\nfrom pydantic import BaseModel\nclass Noisy(BaseModel):\n    x: str\n"
    (tmp_path / "noisy.py").write_text(noisy, encoding="utf-8")
    loud = "from slotstate import Extraction\nclass Loud:\n    def extract(self, request):\n        print('reading')\n"
    loud += "        return Extraction()\n    async def aextract(self, request):\n        return Extraction()\n"
    (tmp_path / "loud_extractor.py").write_text(loud, encoding="utf-8")
    ran = command(
        "run", trip[1], "--schema", "travel", "--schema", "noisy.py", "--extractor", "loud_extractor:Loud", "--json"
    )
    assert ran.code == 0
    assert list(ran.json["state"]) == ["travel", "noisy"]
    assert ran.err.splitlines() == ["loading", *["reading"] * 5]


def test_json_is_utf8_whatever_the_locale(tmp_path: Path) -> None:
    name = write(tmp_path, "t.jsonl", user("去成都 🚄"))
    extractor = script(tmp_path, [change("destination", "成都", "去成都")])
    arguments = ["run", name, "--schema", "travel", "--extractor", extractor]
    env = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}

    def run(*more: str) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "slotstate", *arguments, *more]
        return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, check=False)

    ran = run("--json")
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert json.loads(ran.stdout.decode("utf-8"))["state"]["travel"]["destination"]["value"] == "成都"
    ran = run()
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert b"destination" in ran.stdout


def test_tool_calls_and_parts_are_read(command: Command, tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"to": "Bath"}'}}
    messages = [
        user([{"type": "text", "text": "To Bath."}, {"type": "image_url", "image_url": {"url": "x"}}]),  # type: ignore[arg-type]
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "3 trains"},
    ]
    (tmp_path / "t.json").write_text(json.dumps({"messages": messages}), encoding="utf-8")
    arguments = ["run", "t.json", "--schema", "travel", "--extractor", script(tmp_path)]
    ran = command(*arguments)
    assert " [0] user      To Bath.⏎[image_url]" in ran.out
    assert ' [1] assistant search({"to": "Bath"})' in ran.out
    assert " [2] tool      3 trains" in ran.out
    prompt = command(*arguments, "--json").json["prompt"]["messages"]
    assert [one["role"] for one in prompt[-3:]] == ["user", "assistant", "tool"]
    assert prompt[-2]["tool_calls"] == [call]


# Failures of the extractor


class Flaky:
    """Fails on the turns that say so."""

    def extract(self, request: object) -> object:
        from slotstate import Change, Extraction

        text: str = request.user  # type: ignore[attr-defined]
        if "fail" in text:
            raise TimeoutError("no answer\nfor 30 s")
        if "partly" in text:
            return Extraction((Change("set", "people", 2, "partly 2"),), error="the last change was cut off")
        return Extraction()

    async def aextract(self, request: object) -> object:
        return self.extract(request)


FLAKY = f"{__name__}:Flaky"


def test_a_failed_turn_is_shown_and_no_bad_input(command: Command, tmp_path: Path) -> None:
    name = write(tmp_path, "t.jsonl", user("fail"), user("partly 2"), user(""))
    ran = command("run", name, "--schema", "travel", "--extractor", FLAKY)
    assert (ran.code, ran.err) == (0, "")
    assert "     ! not read: TimeoutError: no answer" in ran.out.splitlines()
    assert "     ! read in part: the last change was cut off" in ran.out.splitlines()
    assert " [2] user      (nothing)" in ran.out.splitlines()
    ran = command("run", name, "--schema", "travel", "--extractor", FLAKY, "--json")
    assert [turn["extraction"] for turn in ran.json["turns"]] == ["failed", "partial", "skipped"]


def test_only_failed_turns_are_a_failure(command: Command, tmp_path: Path) -> None:
    name = write(tmp_path, "t.jsonl", user("fail"), user(" "), user("fail too"))
    for more in ([], ["--json"]):
        ran = command("run", name, "--schema", "travel", "--extractor", FLAKY, *more)
        assert ran.code == 1
        assert ran.err == "slotstate: the extractor failed on each of the 2 turns; see the errors above\n"
        assert ran.out
    silent = write(tmp_path, "s.jsonl", assistant("Hi."))
    assert command("run", silent, "--schema", "travel", "--extractor", FLAKY).code == 0


# Sessions


def test_a_second_run_adds_nothing_and_prints_the_same_state(command: Command, trip: list[str]) -> None:
    stored = [*trip, "--store", "sqlite:///f.db", "--session", "s"]
    first, again = command(*stored, "--json"), command(*stored, "--json")
    assert again == first
    shown = command(*stored)
    assert shown.out.startswith("The conversation goes on: its log holds 9 messages already.\n")
    assert "[1] user      " not in shown.out
    fresh = command(*trip)
    assert shown.out[shown.out.index("Domain") :] == fresh.out[fresh.out.index("Domain") :]


def test_a_longer_transcript_goes_on_where_it_stopped(command: Command, tmp_path: Path) -> None:
    said = [user("To Bath."), assistant("Who?"), user("Two."), assistant("Fine."), user("Three.")]
    turns = [[change("destination", "Bath", "To Bath")], [change("people", 2, "Two")], [change("people", 3, "Three")]]
    whole = command(
        "run", write(tmp_path, "a.jsonl", *said), "--schema", "travel", "--extractor", script(tmp_path, *turns)
    )
    runs: list[Ran] = []
    for name, part in (("t.jsonl", said[:2]), ("t.jsonl", said)):
        extractor = script(tmp_path, *(turns[:1] if len(part) == 2 else turns[1:]))
        options = ["--schema", "travel", "--extractor", extractor, "--store", "sqlite:///f.db"]
        runs.append(command("run", write(tmp_path, name, *part), *options))
    ran = runs[1]
    assert [one.code for one in runs] == [0, 0]
    assert "goes on: its log holds 2 messages" in ran.out
    assert "[0] user" not in ran.out
    assert "     ✓  people        2  “Two”" in ran.out
    assert ran.out[ran.out.index("Domain") :] == whole.out[whole.out.index("Domain") :]


def test_a_failed_turn_is_read_again_by_the_next_run(command: Command, tmp_path: Path) -> None:
    name = write(tmp_path, "t.jsonl", user("fail: to Bath"), user("Hm."))
    options = ["--schema", "travel", "--store", "sqlite:///f.db"]
    assert "not read" in command("run", name, *options, "--extractor", FLAKY).out
    ran = command("run", name, *options, "--extractor", script(tmp_path, [change("destination", "Bath", "to Bath")]))
    assert "     ✓  destination   Bath  “to Bath”" in ran.out
    assert "[1] user" not in ran.out


# What must not be shown, or not as it is

SECRETS = [
    user("Mail ada@example.org or call +44 20 7946 0958."),
    assistant("I wrote to ada@example.org and call +442079460958."),
    user("no, 12 is my number, and ada@example.org is fine"),
]
SECRET_TURNS = [
    [
        change("contact_email", "ada@example.org", "Mail ada@example.org"),
        change("contact_phone", "+44 20 7946 0958", "+44 20 7946 0958"),
    ],
    [change("contact_phone", "12", "12 is my number"), change("contact_email", "ada@example.org", "ada@example.org")],
]


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_sensitive_values_are_masked_everywhere(options: list[str], command: Command, tmp_path: Path) -> None:
    name = write(tmp_path, "t.jsonl", *SECRETS)
    arguments = ["run", name, "--schema", "travel", "--extractor", script(tmp_path, *SECRET_TURNS), *options]
    ran = command(*arguments)
    assert ran.code == 0
    for secret in ("ada@", "7946", "79460958", "12 is"):
        assert secret not in ran.out
    assert MASK in ran.out
    revealed = command(*arguments, "--reveal")
    for secret in ("ada@example.org", "+44 20 7946 0958", "12 is my number"):
        assert secret in revealed.out
    assert MASK not in revealed.out


def test_masked_words_still_read(command: Command, tmp_path: Path) -> None:
    name = write(tmp_path, "t.jsonl", *SECRETS)
    out = command("run", name, "--schema", "travel", "--extractor", script(tmp_path, *SECRET_TURNS)).out.splitlines()
    assert " [0] user      Mail ••• or call •••." in out
    assert "     ✓  contact_email •••  “Mail •••”" in out
    assert " [1] assistant I wrote to ••• and call •••." in out
    assert "     ✗  contact_phone ••• rejected: the slot does not accept this value  “•••”" in out


def test_markup_and_control_characters_are_text(command: Command, tmp_path: Path) -> None:
    evil = "[bold red]x[/] :smile: \x1b[31mred\x07 \u202eabc\u2066 a\u200bb {{ 7*7 }}\nuser: [/nope]"
    name = write(tmp_path, "t.jsonl", user(evil), assistant(evil))
    extractor = script(tmp_path, [change("destination", evil, evil), change("[red]no[/]", "x", "red")])
    ran = command("run", name, "--schema", "travel", "--extractor", extractor)
    assert ran.code == 0
    flat = "".join(line.strip() for line in ran.out.splitlines())
    assert "[bold red]x[/] :smile:<U+001B>[31mred<U+0007>" in flat.replace(":smile: ", ":smile:")
    for character in "\x1b\x07\u202e\u2066\u200b":
        assert character not in ran.out
    assert "<U+202E>" in ran.out
    assert "{{ 7*7 }}⏎" in ran.out
    assert "unknown slot '[red]no[/]'" in flat.replace("slot'", "slot '")


def test_long_words_are_shortened_around_their_quotes(command: Command, tmp_path: Path) -> None:
    text = "well " * 10_000 + "we go to Bath " + "and so on " * 10_000
    name = write(tmp_path, "t.jsonl", user(text), assistant(text), user("x" * 100_000))
    extractor = script(tmp_path, [change("destination", "Bath", "to Bath")])
    ran = command("run", name, "--schema", "travel", "--extractor", extractor)
    assert ran.code == 0
    assert len(ran.out) < 5000
    flat = " ".join(ran.out.split())
    assert "well we go to Bath and so on" in flat
    assert flat.count(" … ") >= 2


def test_chinese_stands_in_line(command: Command, tmp_path: Path) -> None:
    turn = user("我要从杭州去成都，" + "请帮我看看有没有合适的车次，" * 8)
    turns = [change("origin", "杭州", "从杭州"), change("destination", "成都", "去成都"), change("people", 3, "三")]
    name = write(tmp_path, "t.jsonl", turn, assistant("好的，" * 60), user("三个人"))
    extractor = script(tmp_path, turns[:2], turns[2:])
    out = command("run", name, "--schema", "travel", "--extractor", extractor).out.splitlines()
    assert all(cell_len(line) <= 80 for line in out)
    assert "     ✓  origin        杭州  “从杭州”" in out
    header = next(line for line in out if line.startswith("Domain"))
    slots = ("destination", "people", "outbound_on")
    rows = [line for line in out if line.startswith(("travel", *(f"         {slot} " for slot in slots)))]
    assert len(rows) == 4
    for row in rows:
        assert cell_len(row[: max(row.rfind("✓"), row.rfind("–"))]) == cell_len(header[: header.index("Status")])
    (cropped,) = [line for line in out if line.startswith(" [1] assistant")]
    assert cropped.endswith("…")


# The examples that `make demo` runs


@pytest.fixture(params=["en", "zh"])
def example(request: pytest.FixtureRequest, command: Command) -> Run:
    """What an example gives with the built-in extractor."""
    path = ROOT / "examples" / f"travel_{request.param}.jsonl"
    assert len(path.read_text(encoding="utf-8").splitlines()) >= 12
    zone = {"en": "Europe/London", "zh": "Asia/Shanghai"}[request.param]
    options = ["--schema", "travel", "--now", "2025-03-03T09:00", "--timezone", zone]
    assert command("run", str(path), *options).code == 0
    return Run.model_validate(command("run", str(path), *options, "--json").json)


def test_the_examples_show_what_the_tracker_does(example: Run) -> None:
    decided = [one for turn in example.turns for one in turn.changes]
    views = example.state["travel"]
    assert max(sum(one.outcome == "filled" for one in turn.changes) for turn in example.turns) >= 3
    assert {"filled", "overwritten", "emptied", "confirmed"} <= {one.outcome for one in decided}
    assert any(one.grade == "accepted" and one.outcome in {"filled", "overwritten"} for one in decided)
    assert any(view.dontcare for view in views.values())
    assert views["origin"].status == "confirmed"
    assert views["origin"].excluded
    assert views["avoid"].value


def test_the_examples_show_a_refused_value(example: Run) -> None:
    (refused,) = [one for turn in example.turns for one in turn.rejected]
    assert (refused.path, refused.value, refused.reason) == ("travel.people", 12, "invalid_value")
