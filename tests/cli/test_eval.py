"""`slotstate eval`: what people and programs read, comparisons, reports, exit codes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from rich.console import Console

from slotstate import Tracker
from slotstate.cli import eval as command_line
from slotstate.events import dump_event
from slotstate.loading import load_domains
from slotstate.measuring.evaluation import json_schema
from slotstate.testing import ScriptedExtractor
from tests.cli.conftest import Command, Ran, change, script
from tests.evaluating.corpora import EVENING, SHOWS, stay, tour, write, write_sgd

FIRST = [change("Shows_7.kind", "Play", "play"), change("Shows_7.city", "Ely", "in Ely")]
DAY = change("Shows_7.show_date", "2019-05-02", "May 2nd")
PROMISED = """corpus extractor dialogues turns jga jga_exact aga slot_f1 requested_f1 invented_rate lost_rate
lost_confirmed at_risk ms_per_turn_p50 ms_per_turn_p95 tokens_in tokens_out by_slot""".split()


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Replies are kept in a folder of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def many(folder: Path, count: int = 6) -> Path:
    return write_sgd(folder, *({**SHOWS, "dialogue_id": f"d{number}"} for number in range(count)))


def test_programs_get_one_object_that_keeps_its_contract(command: Command, tmp_path: Path) -> None:
    write_sgd(tmp_path / "data", SHOWS)
    ran = command(
        "eval",
        "sgd",
        "--data",
        "data",
        "--kinds",
        "typed",
        "--extractor",
        script(tmp_path, [*FIRST, DAY], []),
        "--json",
    )
    assert (ran.code, ran.err) == (0, "")
    assert not list(jsonschema.Draft202012Validator(json_schema()).iter_errors(ran.json))
    assert set(PROMISED) <= ran.json.keys()
    assert (ran.json["corpus"], ran.json["extractor"]) == ("sgd", "script:script.json")
    assert (ran.json["dialogues"], ran.json["turns"], ran.json["jga"], ran.json["aga"]) == (1, 2, 0.5, 0.8)
    assert (ran.json["lost_confirmed"], ran.json["at_risk"], ran.json["confirmed"]) == (0, 0, 3)
    assert ran.json["by_slot"]["Shows_7.kind"] == {
        "gold": 2,
        "right": 2,
        "wrong": 0,
        "invented": 0,
        "precision": 1.0,
        "recall": 1.0,
        "f1": 1.0,
    }
    assert (ran.json["settings"]["services"], ran.json["settings"]["kinds"]) == ("turn", "typed")
    assert ran.json["replies"] is None


def test_people_get_figures_with_intervals(command: Command, tmp_path: Path) -> None:
    many(tmp_path / "data")
    ran = command(
        "eval",
        "sgd",
        "--data",
        "data",
        "--kinds",
        "typed",
        "--extractor",
        script(tmp_path, [*FIRST, DAY], [], FIRST, []),
    )
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == "script:script.json on sgd: 6 dialogues, 12 user turns"
    assert ran.line("joint goal accuracy  ").split() == "joint goal accuracy 8.3 % 0.0 to 25.0".split()
    assert ran.line("unseen services").split()[-2:] == ["of", "12"]
    assert "0 lost" in ran.line("confirmed values")
    assert "ms in the median" in ran.out
    assert ran.line("  offered, not taken up").split()[-1] == "12"
    assert max(map(len, lines)) <= 80


def test_every_corpus_can_be_evaluated(command: Command, tmp_path: Path) -> None:
    write_sgd(tmp_path / "data", EVENING)
    write(tmp_path / "data" / "m.json", {"A1": stay("guest house")})
    write(tmp_path / "data" / "c.json", {"7": tour()})
    for corpus, version in (("sgd", None), ("multiwoz", "2.4"), ("crosswoz", None)):
        ran = command("eval", corpus, "--data", "data", "--jobs", "1", "--json")
        assert (ran.code, ran.json["corpus"], ran.json["version"], ran.json["dialogues"]) == (0, corpus, version, 1)


def test_conversation_tests_can_be_evaluated(command: Command, tmp_path: Path) -> None:
    case = {
        "name": "via",
        "domains": [{"title": "trip", "type": "object", "properties": {"via": {"type": "string"}}}],
        "turns": [{"role": "user", "text": "Via Ely."}],
        "expected": {"trip.via": "Ely"},
    }
    write(tmp_path / "t.cases.json", [case])
    name = script(tmp_path, [change("trip.via", "Ely", "Via Ely")])
    assert command("eval", "cases", "--data", "t.cases.json", "--extractor", name, "--json").json["jga"] == 1.0


def test_exported_sessions_can_be_evaluated(command: Command, tmp_path: Path) -> None:
    (tmp_path / "trip.yaml").write_text("title: trip\ntype: object\nproperties: {via: {type: string}}\n")
    tracker = Tracker(load_domains(str(tmp_path / "trip.yaml")), extractor=ScriptedExtractor())
    chat = tracker.open("ada")
    chat.user("Via Ely.")
    chat.set("trip.via", "Ely", confirmed=True)
    entries = [{"seq": one.seq, "at": one.at.isoformat(), "event": dump_event(one.event)} for one in chat.entries]
    write(tmp_path / "out.json", {"sessions": [{"session": "ada", "user": "ada", "entries": entries, "state": {}}]})
    name = script(tmp_path, [change("trip.via", "Ely", "Via Ely")])
    arguments = ("eval", "sessions", "--data", "out.json", "--schema", "trip.yaml", "--extractor", name)
    ran = command(*arguments, "--json")
    assert (ran.code, ran.json["jga"], ran.json["settings"]["schemas"]) == (0, 1.0, ["trip.yaml"])
    assert ran.json["judged"] == {"turns": 1, "values": 1, "unjudged": 0, "slots": 1, "of_slots": 1}
    told = " ".join(command(*arguments).out.split())
    assert "judged: 1 of 1 slots, 1 value after 1 turn; not judged, for nobody confirmed or corrected them" in told
    (tmp_path / "vet.yaml").write_text("title: vet\ntype: object\nproperties: {pet: {type: string}}\n")
    wrong = command("eval", "sessions", "--data", "out.json", "--schema", "vet.yaml", "--extractor", name)
    assert (wrong.code, "the sessions track trip, the schema declares none of it but vet" in wrong.complaint) == (
        2,
        True,
    )


# Comparing


def kept(ran: Ran, folder: Path, name: str = "run.json") -> str:
    (folder / name).write_text(ran.out, encoding="utf-8")
    return name


def compared(command: Command, tmp_path: Path, before: list[Any], after: list[Any], *more: str) -> Ran:
    many(tmp_path / "data")
    ran = command(
        "eval", "sgd", "--data", "data", "--kinds", "typed", "--extractor", script(tmp_path, *before * 6), "--json"
    )
    assert ran.code == 0
    baseline = kept(ran, tmp_path)
    name = script(tmp_path, *after * 6)
    return command(
        "eval", "sgd", "--data", "data", "--kinds", "typed", "--extractor", name, "--baseline", baseline, *more
    )


def test_a_run_is_compared_with_an_earlier_one(command: Command, tmp_path: Path) -> None:
    ran = compared(command, tmp_path, [FIRST, []], [[*FIRST, DAY], []])
    assert ran.code == 0
    assert ran.out.splitlines()[1] == "against script:script.json on the 6 dialogues of both"
    assert ran.line("joint goal accuracy  ").split()[-4:] == ["+50.0", "+50.0", "to", "+50.0"]
    assert max(map(len, ran.out.splitlines())) <= 80


def test_what_is_surely_worse_is_a_failed_check(command: Command, tmp_path: Path) -> None:
    ran = compared(command, tmp_path, [[*FIRST, DAY], []], [FIRST, []], "--json")
    assert (ran.code, ran.json["comparison"]["changes"]["jga"]["difference"]) == (1, -0.5)


def test_a_lost_confirmed_value_is_a_failed_check(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "data.json", {"A1": stay("guest house")})
    name = script(tmp_path, [change("hotel.area", "north", "north")], [])
    arguments = ("eval", "multiwoz", "--data", "data.json", "--extractor", name)
    assert command(*arguments).code == 0
    monkeypatch.setattr("slotstate.conversation.decide", _losing)
    ran = command(*arguments)
    assert (ran.code, "1 lost" in ran.out) == (1, True)


def _losing(state: Any, domains: Any, said: Any, changes: Any, more: Any) -> Any:
    from slotstate.decide import decide
    from slotstate.events import Emptied

    confirmed = [path for path, slot in state.slots.items() if slot.held.status == "confirmed"]
    lost = [Emptied(turn=said.turn, step=state.step + 9, at=said.now, op="clear", path=path) for path in confirmed]
    return [*decide(state, domains, said, changes, more), *lost]


def test_other_settings_of_the_baseline_are_told(command: Command, tmp_path: Path) -> None:
    many(tmp_path / "data")
    arguments = ("eval", "sgd", "--data", "data", "--extractor", script(tmp_path))
    baseline = kept(command(*arguments, "--kinds", "typed", "--services", "all", "--json"), tmp_path)
    compared = (*arguments, "--baseline", baseline)
    told = " ".join(command(*compared).out.split())
    assert "other settings than now: services all before, turn now; kinds typed before, plain now" in told
    ran = command(*compared, "--json", "--report", "page.html")
    assert ran.json["comparison"]["settings"]["kinds"] == {"before": "typed", "after": "plain"}
    assert "kinds typed before, plain now" in (tmp_path / "page.html").read_text(encoding="utf-8")
    same = command(*arguments, "--kinds", "typed", "--services", "all", "--baseline", baseline)
    assert "other settings" not in same.out


def test_a_baseline_of_other_data_is_refused(command: Command, tmp_path: Path) -> None:
    write_sgd(tmp_path / "dev", SHOWS)
    write_sgd(tmp_path / "test", {**SHOWS, "turns": SHOWS["turns"][:2]})  # splits number their dialogues alike
    arguments = ("eval", "sgd", "--extractor", script(tmp_path), "--data")
    baseline = kept(command(*arguments, "dev", "--json"), tmp_path)
    ran = command(*arguments, "test", "--baseline", baseline)
    assert (ran.code, "the baseline is of other data, dialogue '1_00001' has 2 judged turns" in ran.complaint) == (
        2,
        True,
    )
    named = kept(command(*arguments, ".", "--split", "dev", "--json"), tmp_path)
    ran = command(*arguments, ".", "--split", "test", "--baseline", named)
    assert (ran.code, "the baseline is of split dev, not test" in ran.complaint) == (2, True)


def test_that_there_are_no_intervals_is_said(command: Command, tmp_path: Path) -> None:
    arguments = ("eval", "sgd", "--data", "data", "--extractor", script(tmp_path), "--report", "page.html")
    for count, said in ((3, True), (6, False)):
        many(tmp_path / "data", count)
        told = "fewer than 5 dialogues say nothing about others"
        assert (f"no intervals: {told}" in command(*arguments).out) is said
        assert (told in (tmp_path / "page.html").read_text(encoding="utf-8")) is said


# Reports


def test_a_page_is_written(command: Command, tmp_path: Path) -> None:
    write(tmp_path / "c.json", {"7": tour()})
    ran = command("eval", "crosswoz", "--data", "c.json", "--jobs", "1", "--report", "page.html")
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "page: page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "crosswoz" in page


# Progress


def test_nothing_is_told_of_the_progress_to_a_file(command: Command, tmp_path: Path) -> None:
    write_sgd(tmp_path / "data", SHOWS)
    assert command("eval", "sgd", "--data", "data", "--jobs", "1").err == ""


def test_a_bar_with_the_time_left_is_shown_on_a_terminal(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        command_line, "Console", lambda stderr: Console(stderr=stderr, force_terminal=True, width=80, color_system=None)
    )
    write_sgd(tmp_path / "data", SHOWS, EVENING)
    ran = command("eval", "sgd", "--data", "data", "--extractor", script(tmp_path), "--json")
    assert ran.json["dialogues"] == 2
    assert "2/2 dialogues" in ran.err
    assert "left:" in ran.err


# Bad input


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["sdg", "--data", "data"], "invalid choice: 'sdg' (choose from"),
        (["sgd"], "the following arguments are required: --data"),
        (["sgd", "--data", "nowhere"], "no file or folder 'nowhere'"),
        (["crosswoz", "--data", "data"], "none of its 2 JSON documents holds dialogues of CrossWOZ; get it from"),
        (["sgd", "--data", "data", "--version", "v9"], "no version 'v9' of SGD"),
        (["sgd", "--data", "data", "--split", "exam"], "no split 'exam'"),
        (["sgd", "--data", "data", "--schema", "travel"], "--schema is for exported sessions"),
        (["crosswoz", "--data", "data", "--kinds", "plain"], "--kinds is for sgd"),
        (["cases", "--data", "data", "--services", "turn"], "--services turn needs frames of services: cases has none"),
        (["sgd", "--data", "data", "--split", "dev"], "nothing in it says which split it is: leave out --split dev"),
        (["sessions", "--data", "data"], "exported sessions hold no schema: name theirs with --schema"),
        (["sgd", "--data", "data", "--extractor", "builtn"], "no extractor is called 'builtn'"),
        (["sgd", "--data", "data", "--limit", "0"], "'0' is no whole number from 1 on"),
        (["sgd", "--data", "data", "--jobs", "two"], "'two' is no whole number from 1 on"),
        (["sgd", "--data", "data", "--deadline", "0"], "--deadline is a number of seconds above 0"),
        (["sgd", "--data", "data", "--no-cache", "--cache", "x"], "--cache and --no-cache exclude each other"),
        (["sgd", "--data", "data", "--baseline", "gone.json"], "No such file or directory: gone.json"),
        (["sgd", "--data", "data", "--baseline", "data/d.json"], "not what slotstate eval --json prints"),
        (["sgd", "--data", "data", "--baseline", "bytes"], "not what slotstate eval --json prints (no UTF-8 text)"),
        (["sgd", "--data", "data", "--report", "gone/page.html"], "cannot write the report to 'gone/page.html'"),
        (["sgd", "--data", "data", "--report", "data"], "cannot write the report to 'data'"),
        (["sgd", "--data", "data", "--corpus", "x"], "has no option --corpus"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], said: str, command: Command, tmp_path: Path) -> None:
    write_sgd(tmp_path / "data", SHOWS)
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    ran = command("eval", *arguments)
    assert (ran.code, said in ran.complaint) == (2, True), ran.complaint


def test_an_extractor_that_never_answers_is_bad_input(command: Command, tmp_path: Path) -> None:
    write_sgd(tmp_path / "data", SHOWS)
    (tmp_path / "answers_never.py").write_text(
        "class Broken:\n"
        "    def extract(self, request):\n        raise RuntimeError('no model here')\n"
        "    aextract = extract\n"
        "    def close(self):\n        open('closed', 'w').close()\n"
    )
    ran = command("eval", "sgd", "--data", "data", "--extractor", "answers_never:Broken", "--jobs", "1")
    assert (ran.code, ran.complaint) == (2, "slotstate: not one turn could be read: RuntimeError: no model here")
    assert (tmp_path / "closed").exists()


def test_turns_beyond_the_deadline_are_told(command: Command, tmp_path: Path) -> None:
    write_sgd(tmp_path / "data", SHOWS)
    (tmp_path / "takes_its_time.py").write_text(
        "import time\n"
        "from slotstate import Extraction\n"
        "class Slow:\n"
        "    def extract(self, request):\n"
        "        time.sleep(2 * request.deadline)\n"
        "        return Extraction()\n"
        "    aextract = extract\n"
    )
    slow = ("eval", "sgd", "--data", "data", "--extractor", "takes_its_time:Slow", "--jobs", "1", "--json")
    ran = command(*slow, "--deadline", "0.02")
    said = "2 turns took longer than --deadline 0.02: it is the extractor that has to keep request.deadline"
    assert (ran.code, ran.err, ran.json["turns"]) == (0, f"slotstate: {said}\n", 2)


def test_a_baseline_of_another_corpus_is_refused(command: Command, tmp_path: Path) -> None:
    write_sgd(tmp_path / "data", SHOWS)
    write(tmp_path / "c.json", {"7": tour()})
    baseline = kept(command("eval", "crosswoz", "--data", "c.json", "--jobs", "1", "--json"), tmp_path)
    ran = command("eval", "sgd", "--data", "data", "--jobs", "1", "--baseline", baseline)
    assert (ran.code, "the baseline is of corpus crosswoz, not sgd" in ran.complaint) == (2, True)


# Processes

SLOW = """
import time
from slotstate.extract import Extraction
class Slow:
    def extract(self, request):
        open(f"began-{time.time_ns()}", "w").close()
        time.sleep(60)
        return Extraction()
    aextract = extract
class Gone:
    def __init__(self):
        import os, multiprocessing
        if multiprocessing.parent_process() is not None:
            os._exit(7)
    extract = aextract = Slow.extract
"""


def test_a_process_that_dies_is_told_in_one_line(command: Command, tmp_path: Path) -> None:
    write_sgd(tmp_path / "data", SHOWS, EVENING)
    (tmp_path / "slow_ones.py").write_text(SLOW)
    ran = command("eval", "sgd", "--data", "data", "--extractor", "slow_ones:Gone", "--jobs", "2")
    assert (ran.code, "a process ended before its dialogues were done: find out with --jobs 1" in ran.complaint) == (
        2,
        True,
    )


@pytest.mark.skipif(os.name != "posix", reason="a terminal's signal goes to all processes")
def test_an_interrupted_run_ends_at_once_and_quietly(tmp_path: Path) -> None:
    many(tmp_path / "data")
    (tmp_path / "slow_ones.py").write_text(SLOW)
    arguments = ["eval", "sgd", "--data", "data", "--extractor", "slow_ones:Slow", "--jobs", "2"]
    run = subprocess.Popen(
        [sys.executable, "-m", "slotstate", *arguments],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 — it may be ignored here
    )
    while len(list(tmp_path.glob("began-*"))) < 2 and run.poll() is None:
        time.sleep(0.05)
    os.killpg(run.pid, signal.SIGINT)
    _, told = run.communicate(timeout=50)
    assert (run.returncode, told.decode()) == (130, "slotstate: interrupted\n")


def test_an_interrupted_run_says_what_was_kept(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(task: Any, *_: Any) -> None:
        if keeps:
            (Path(task.replies) / "ab").mkdir(parents=True)
        raise KeyboardInterrupt

    monkeypatch.setattr("slotstate.cli.eval.evaluate", interrupted)
    write_sgd(tmp_path / "data", SHOWS)
    arguments = ("eval", "sgd", "--data", "data", "--extractor", script(tmp_path), "--cache", "own")
    keeps = False
    ran = command(*arguments)
    assert (ran.code, ran.err) == (130, "slotstate: interrupted\n")
    keeps = True
    told = "the replies that came are kept, the same command goes on from there"
    assert command(*arguments).err == f"slotstate: interrupted: {told}\n"


# Kept replies


def test_replies_are_kept_and_a_second_run_asks_for_nothing(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.extractors.server import changes, item, serving

    monkeypatch.setenv("OPENAI_API_KEY", "k")
    write_sgd(tmp_path / "data", SHOWS)
    with serving(changes(item("in Ely", "Shows_7.city", "Ely"))) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        arguments = ("eval", "sgd", "--data", "data", "--extractor", "instructor:openai/fake", "--jobs", "1", "--json")
        first, again = command(*arguments), command(*arguments)
        asked = len(server.bodies)
        fresh = command(*arguments, "--no-cache")
        elsewhere = command(*arguments, "--cache", "own")
    assert (first.json["replies"]["kept"], again.json["replies"]) == (0, {"made": 0, "kept": asked})
    assert again.json["tokens_in"] == first.json["tokens_in"] == 100 * asked
    assert again.json["figures"] == first.json["figures"]
    assert fresh.json["replies"] is None
    assert elsewhere.json["replies"]["made"] == asked
    assert list((tmp_path / "own").rglob("*.json"))
    assert (tmp_path / "cache" / "slotstate" / "replies").is_dir()
    assert f"calls: 0 made, {asked} kept from before" in command(*arguments[:-1]).out
