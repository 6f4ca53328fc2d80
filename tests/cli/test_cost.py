"""What `slotstate cost` prints, and whether its figures are right."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from slotstate.caching import CacheSimulator, Piece, Request, find_profile, profile_names
from slotstate.cli import COMMANDS
from slotstate.cli.cutting import LINES, Cutter
from slotstate.cli.options import SteppedClock
from slotstate.cli.pricing import bill, calls_of
from slotstate.cli.replay import Replay, Sent
from slotstate.cli.transcript import read_transcript
from slotstate.contract import Breakpoint, CostReport, Prompt
from slotstate.events import AssistantTurn
from slotstate.extractors import make_extractor
from slotstate.loading import load_domains
from slotstate.messages import ToolCall
from slotstate.prompt import Budget
from slotstate.tokens import Estimator, message_tokens, overhead_of, prompt_tokens
from slotstate.tracker import Tracker
from tests.cli.conftest import NOW, Command, assistant, script, user, write
from tests.cli.talks import Talk, talk

ROOT = Path(__file__).resolve().parents[2]
EN = str(ROOT / "examples" / "travel_en.jsonl")
ZH = str(ROOT / "examples" / "travel_zh.jsonl")
TRAVEL = ("--schema", "travel", *NOW)
LAYOUTS = ("quotes_last", "append_only")


@pytest.fixture
def long(tmp_path: Path) -> Talk:
    """Forty turns with tool calls."""
    return talk(tmp_path, 40)


def replay_of(folder: Path, turns: int, *, interval: float = 30, tools: bool = True) -> Replay:
    """A tracked conversation."""
    found = talk(folder, turns, tools=tools)
    clock = SteppedClock(datetime(2025, 3, 3, 9, tzinfo=UTC), interval)
    extractor = make_extractor(f"script:{folder / 'talk.script.json'}")
    tracker = Tracker(load_domains("travel"), extractor=extractor, clock=clock)
    lines = read_transcript(str(folder / found.name))
    chat = tracker.open("s")
    for index, line in enumerate(lines):
        clock.at_message(index)
        chat.add(line.message)
    return Replay(tracker, chat, lines, chat.entries, clock, interval, reveal=False)


# The tables


@pytest.mark.parametrize("example", [EN, ZH])
def test_every_profile_and_layout_has_its_line(example: str, command: Command) -> None:
    ran = command("cost", example, *TRAVEL)
    assert (ran.code, ran.err) == (0, "")
    table = ran.out.split("\n\n")[1].splitlines()
    assert table[0].split() == ["Profile", "Layout", "Sent", "Read", "Written", "Fresh", "Price", "Ratio"]
    names = [line.split()[0] for line in table[2:]]
    assert list(dict.fromkeys(name for name in names if name in profile_names())) == list(profile_names())
    assert table[0].index("Layout") == table[2].index("either")
    whole = CostReport.model_validate(command("cost", example, *TRAVEL, "--json").json)
    assert [(one.profile, one.layout) for one in whole.profiles] == [
        (name, layout) for name in profile_names() for layout in LAYOUTS
    ]
    lines = iter(table[2:])
    for one, other in zip(whole.profiles[::2], whole.profiles[1::2], strict=True):
        same = one.model_copy(update={"layout": other.layout, "epochs": other.epochs}) == other
        for layout, row in [("either", one)] if same else [("quotes last", one), ("append only", other)]:
            figures = next(lines).split(layout)[1].split()
            assert figures[0] == f"{row.sent:,}"
            assert figures[1] == f"{row.read / row.sent:.0%}"
            assert figures[2:4] == [f"{row.written:,}", f"{row.fresh:,}"]
            assert figures[4:] == [f"{row.per_request:,.0f}", f"{row.ratio:.2f}"]
    assert list(lines) == []


def test_it_says_when_nothing_can_be_cached(command: Command) -> None:
    ran = command("cost", EN, *TRAVEL)
    told = " ".join(ran.out.split())
    longest = max(one["longest"] for one in command("cost", EN, *TRAVEL, "--json").json["profiles"][:2])
    assert f"Nothing is cached, as the longest prompt has {longest:,} tokens, under: openai, " in told
    assert "openai-implicit from 1,024 tokens on; anthropic, anthropic-1h, gemini from 4,096 tokens on." in told
    assert "The prompts' own expectations agree with the simulator, request by request." in told
    alone = command("cost", EN, *TRAVEL, "--profile", "openai").out
    assert "expectations" not in alone
    assert "gpt-4.1" in alone
    assert "either" in alone


def test_the_cheaper_layout_is_marked(command: Command, long: Talk) -> None:
    arguments = long.command("cost", "--budget", "2500", "--profile", "deepseek", "--profile", "none")
    ran, whole = command(*arguments), CostReport.model_validate(command(*arguments, "--json").json)
    last, append = whole.profiles[:2]
    assert append.equivalents < last.equivalents
    assert (last.cheapest, append.cheapest) == (False, True)
    assert re.search(r"^ +\* append only ", ran.out, re.MULTILINE)
    assert re.search(r"^deepseek +quotes last ", ran.out, re.MULTILINE)
    assert ran.out.count("* append only") == 1  # under `none` both cost the same
    assert "* The layout that costs less." in ran.out.splitlines()


def test_models_have_prices_dates_and_notes(command: Command, long: Talk) -> None:
    arguments = long.command("cost", "--budget", "2500", "--profile", "deepseek", "--profile", "anthropic")
    ran, whole = command(*arguments), CostReport.model_validate(command(*arguments, "--json").json)
    names = {one.model for one in whole.models}
    assert {"deepseek-flash", "deepseek-v4-pro", "claude-opus-5"} <= names
    assert [one.input for one in whole.models] == sorted(one.input for one in whole.models)
    flash = next(one for one in whole.models if one.model == "deepseek-flash")
    row = ran.line("deepseek-flash (1)").split()
    assert row[-3:] == [f"{flash.input * 1000:,.2f}", f"{flash.uncached * 1000:,.2f}", flash.as_of]
    assert f"(1) {flash.note}" in ran.out.splitlines()
    assert all(
        one.source.startswith("https://") and re.fullmatch(r"20\d\d-\d\d-\d\d", one.as_of) for one in whole.models
    )


def test_output_is_plain_and_fits(command: Command, long: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    for width in (80, 72, 60, 40):
        monkeypatch.setenv("COLUMNS", str(width))
        out = command(*long.command("cost", "--budget", "2500", "--profile", "openai", "--profile", "vllm")).out
        assert "\x1b" not in out
        assert all(cell_len(line) <= width and line == line.rstrip() for line in out.splitlines())
        assert ("Written" in out, "Cheapest with" in out) == (width >= 72, width >= 72)
        assert "Ratio" in out
        assert "As of" in out


def test_progress_is_told_to_whoever_looks_on(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    assert command("cost", EN, *TRAVEL, "--profile", "vllm").err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    ran = command("cost", EN, *TRAVEL, "--profile", "vllm", "--json")
    assert "\x1b[2Kvllm, append only …" in ran.err
    assert ran.err.endswith("\r\x1b[2K")
    assert CostReport.model_validate(ran.json).requests == 12


# The figures


def test_the_figures_add_up(command: Command, long: Talk) -> None:
    whole = CostReport.model_validate(command(*long.command("cost", "--budget", "2500", "--json")).json)
    bare = next(one for one in whole.profiles if one.profile == "none")
    assert (bare.read, bare.written, bare.ratio) == (0, 0, 1.0)
    for one in whole.profiles:
        profile = find_profile(one.profile)
        assert one.sent == one.fresh + one.written + one.read
        assert one.equivalents == pytest.approx(one.fresh + one.written * profile.write + one.read * profile.read)
        assert one.per_request == pytest.approx(one.equivalents / one.requests, abs=0.01)
        assert one.ratio == pytest.approx(one.equivalents / bare.sent, abs=0.0001)
        assert one.requests == whole.requests == 53  # 40 turns, 13 of them with calls
        assert one.epochs["start"] == 1


def test_what_is_sent_are_the_prompts(command: Command, tmp_path: Path) -> None:
    """The requests' tokens are those of the prompts that `slotstate prompt` prints, counted independently."""
    long = talk(tmp_path, 12)
    options = ("--budget", "1200", "--profile", "vllm")
    line = command(*long.command("cost", *options, "--json")).json["profiles"][0]
    messages = [json.loads(one) for one in Path(long.name).read_text(encoding="utf-8").splitlines()]
    total = 0
    for at, message in enumerate(messages):
        if message["role"] == "assistant":
            prompt = command(*long.command("prompt", *options, "--turn", str(at), "--json")).json
            total += prompt_tokens(Estimator(), prompt["messages"])
    assert line["sent"] == total


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("profile", profile_names())
def test_what_prompts_expect_is_what_the_simulator_reads(profile: str, layout: Any, tmp_path: Path) -> None:
    """Within one step of the cache, or the line in which two prompts part."""
    replay = replay_of(tmp_path, 60)
    rules = find_profile(profile)
    for limit, low in ((None, 0.5), (9_000, 0.8), (2_500, 0.5)):
        budget = Budget(limit, profile=profile, layout=layout, low=low)
        calls = calls_of(replay.prompts(budget), Cutter(budget), blocks=rules.rule == "breakpoints")
        found = bill(rules, calls)
        assert found.off <= max(rules.step, CAREFUL.get(profile, 16))
        assert found.predicted == pytest.approx(found.read, rel=0.01, abs=64)


CAREFUL = {"openai-implicit": 32, "deepseek": 128}
"""Where prompts expect less than the simulator reads: quotes that stay behind a tool group, a system text that several
epochs have in common.
"""


def test_a_pause_longer_than_the_cache_lives(command: Command, long: Talk) -> None:
    def read(profile: str, interval: str) -> int:
        arguments = long.command("cost", "--profile", profile, "--interval", interval, "--json")
        return int(command(*arguments).json["profiles"][0]["read"])

    assert read("openai", "30") > 0
    assert read("openai", "200") == 0  # two messages are 400 seconds, the cache lives 300
    assert read("anthropic-1h/claude-opus-5", "200") > 0
    assert read("anthropic/claude-opus-5", "200") == 0
    assert read("vllm", "80000") > 0


def test_profiles_share_prompts_only_where_they_would_be_the_same(command: Command, long: Talk) -> None:
    """Each profile alone costs what it costs among all others."""
    options = ("--budget", "2500", "--interval", "170", "--json")
    together = command(*long.command("cost", *options)).json
    for name in ("openai-implicit", "anthropic", "anthropic-1h", "gemini", "llama.cpp"):
        alone = command(*long.command("cost", *options, "--profile", name)).json
        assert alone["profiles"] == [one for one in together["profiles"] if one["profile"] == name]


def test_a_models_own_numbers_count(command: Command, long: Talk) -> None:
    name = "anthropic/claude-opus-5"
    whole = CostReport.model_validate(command(*long.command("cost", "--profile", name, "--json")).json)
    (model,) = whole.models
    assert {one.minimum for one in whole.profiles} == {512}
    assert (model.model, model.profile) == ("claude-opus-5", "anthropic")
    best = min(whole.profiles, key=lambda one: one.equivalents)
    prices = find_profile(name).dollars(fresh=best.fresh, written=best.written, read=best.read)
    assert model.input == pytest.approx(prices)
    assert model.layout == best.layout
    assert model.output == pytest.approx(whole.replies * 25 / 1e6)
    among = command(*long.command("cost", "--profile", "anthropic", "--json")).json["models"]
    assert next(one for one in among if one["model"] == "claude-opus-5") == model.model_dump()


def test_turns_are_read_once(command: Command, tmp_path: Path) -> None:
    """However many profiles there are: a reading may cost money."""
    counting = "from slotstate import Extraction\nclass Counting:\n    def extract(self, request):\n"
    counting += "        print('read')\n        return Extraction()\n"
    counting += "    async def aextract(self, request):\n        return Extraction()\n"
    (tmp_path / "counting_extractor.py").write_text(counting, encoding="utf-8")
    name = write(tmp_path, "t.jsonl", user("Hi."), assistant("Hello."), user("Bye."), assistant("Bye."))
    ran = command("cost", name, *TRAVEL, "--extractor", "counting_extractor:Counting", "--json")
    assert (ran.code, ran.err) == (0, "read\nread\n")
    assert ran.json["requests"] == 2


def test_tools_count(command: Command, long: Talk, tmp_path: Path) -> None:
    tools = [{"type": "function", "function": {"name": "search", "description": "words " * 300}}]
    (tmp_path / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    arguments = long.command("cost", "--profile", "openai", "--json")
    bare, more = (
        command(*arguments).json["profiles"][0],
        command(*arguments, "--tools", "tools.json").json["profiles"][0],
    )
    assert more["longest"] > bare["longest"] + 300
    assert more["read"] > bare["read"]


# Pieces


def test_pieces_sum_up_to_the_prompt(tmp_path: Path) -> None:
    replay = replay_of(tmp_path, 30)
    tools = [{"type": "function", "function": {"name": "search"}}]
    for layout, blocks in ((layout, blocks) for layout in LAYOUTS for blocks in (False, True)):
        budget = Budget(2_500, profile="vllm", layout=layout, tools=tools)  # type: ignore[arg-type]
        cutter = Cutter(budget)
        for sent in replay.prompts(budget):
            chain = cutter.prompt(sent.prompt, blocks=blocks)
            assert sum(piece.tokens for piece in chain.pieces) + cutter.head == prompt_tokens(
                Estimator(), sent.prompt.messages, tools
            )
            assert all(piece.tokens >= 0 for piece in chain.pieces)
            assert sent.prompt.cache is not None
            marks = [mark["tokens"] for mark in sent.prompt.cache["breakpoints"]]
            ends = [sum(piece.tokens for piece in chain.pieces[:end]) for end in chain.marks]
            assert ends == (marks if blocks else [])


def quoted(content: str, chars: int, tokens: int) -> Prompt:
    """A prompt of one message whose first characters are stable."""
    mark: Breakpoint = {"message": 0, "chars": chars, "tokens": tokens}
    cost = {"fresh": 0, "written": 0, "read": 0, "equivalents": 0.0}
    cache = {"profile": "vllm", "layout": "quotes_last", "epoch": 1, "epoch_reason": "start", "stable_tokens": tokens}
    cache |= {"expected_cached": 0, "breakpoints": [mark], "cost": cost}
    return Prompt.model_validate({"messages": [{"role": "user", "content": content}], "cache": cache})


@pytest.mark.parametrize("blocks", [False, True])
def test_a_message_with_quotes_begins_like_the_one_without(blocks: bool) -> None:
    words = "From Leeds to Bath.\nFor two, please."
    size = message_tokens(Estimator(), {"role": "user", "content": words})
    cutter = Cutter(Budget(None))
    whole = cutter.prompt(Prompt(messages=[{"role": "user", "content": words}]), blocks=blocks).pieces
    with_quotes = cutter.prompt(quoted(f"{words}\n<quotes>\n- x\n</quotes>", len(words), size), blocks=blocks)
    same = len(whole) if blocks else len(whole) - 1  # what closes the message stands behind the quotes
    assert with_quotes.pieces[:same] == whole[:same]
    assert with_quotes.pieces[same:] != whole[same:]
    assert with_quotes.marks == ((1,) if blocks else ())


def test_only_so_many_lines_are_pieces() -> None:
    text = "\n".join(f"line {at}" for at in range(200))
    cutter = Cutter(Budget(None))
    prompt = Prompt(messages=[{"role": "user", "content": text}])
    assert len(cutter.prompt(prompt, blocks=False).pieces) == LINES + 2
    assert len(cutter.prompt(prompt, blocks=True).pieces) == 1
    assert cutter.prompt(prompt, blocks=False) == cutter.prompt(prompt, blocks=False)


def test_a_reply_is_what_the_next_prompt_repeats(tmp_path: Path) -> None:
    """Calls made in parallel included; but what closes it is added by the chat."""
    replay = replay_of(tmp_path, 12)
    budget = Budget(None, profile="vllm", layout="append_only")
    cutter = Cutter(budget)
    before: Sent | None = None
    kinds: Counter[int] = Counter()
    for sent in replay.prompts(budget):
        if before is not None:
            earlier = cutter.prompt(before.prompt, blocks=False).pieces
            reply = cutter.reply(before.replies)
            now = cutter.prompt(sent.prompt, blocks=False).pieces
            assert now[: len(earlier) + len(reply)] == earlier + reply
            kinds[len(before.replies[0].tool_calls)] += 1
        before = sent
    assert kinds == {0: 12, 2: 4}


def test_calls_that_came_one_by_one_are_one_reply() -> None:
    def turn(ident: str, text: str = "") -> AssistantTurn:
        call = ToolCall(id=ident, name="search", arguments="{}")
        return AssistantTurn(turn=0, id=ident, text=text, tool_calls=(call,))

    cutter = Cutter(Budget(None))
    both = AssistantTurn(turn=0, id="x", text="One moment.", tool_calls=(*turn("a").tool_calls, *turn("b").tool_calls))
    assert cutter.reply([turn("a", "One moment."), turn("b")]) == cutter.reply([both])


def test_the_bill_is_the_simulators_sum() -> None:
    """By hand: two requests under the prefix rule, the second one beginning like the first."""
    profile = replace(find_profile("vllm"), step=1, minimum=1, recomputed=0, read=0.5)
    head, tail = Piece("head", 100), Piece("tail", 20)
    simulator = CacheSimulator(profile)
    assert simulator.request(Request((head,))).read == 0
    assert simulator.request(Request((head, tail))).read == 100
    reply = (Piece("reply", 7),)
    calls = [
        _call((head,), reply, expected=0, epoch="start"),
        _call((head, *reply, tail), (), expected=100, epoch=""),
    ]
    found = bill(profile, calls)
    assert (found.requests, found.sent, found.read, found.fresh) == (2, 100 + 127 + 6, 107, 126)
    assert (found.predicted, found.off, found.longest) == (100, 7, 130)
    assert found.epochs == {"start": 1}
    assert found.equivalents(profile) == 126 + 107 * 0.5


def _call(pieces: tuple[Piece, ...], reply: tuple[Piece, ...], *, expected: int, epoch: str) -> Any:
    from slotstate.cli.pricing import Call

    at = datetime(2025, 3, 3, 9, tzinfo=UTC)
    return Call(Request(pieces, (), at), at, reply, 3, 0, expected, epoch)


# Bad input


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--profile", "opnai"], "no cache profile 'opnai'; did you mean 'openai'?"),
        (["--profile", "anthropic/claude-opus-55"], "knows no model 'claude-opus-55'; did you mean 'claude-opus-5-5'?"),
        (["--budget", "150"], "the prompt before message 0: the budget of 150 tokens is"),
        (["--budget", "many"], "argument --budget: 'many' is no number of tokens"),
        (["--interval", "1e9"], "argument --interval: '1e9' is no number of seconds from 0 to 86,400"),
        (
            ["--layout", "append_only"],
            "slotstate cost has no option --layout: it compares both layouts (see slotstate cost --help)",
        ),
        (["--schema", "travle"], "no schema is called 'travle'; did you mean 'travel'?"),
    ],
)
def test_bad_options_are_one_line(options: list[str], said: str, command: Command) -> None:
    for more in ([], ["--json"]):
        ran = command("cost", EN, "--schema", "travel", *options, *more)
        assert (ran.code, said in ran.complaint) == (2, True), ran.complaint


def test_a_conversation_without_a_reply(command: Command, tmp_path: Path) -> None:
    name = write(tmp_path, "t.jsonl", user("Hello?"))
    ran = command("cost", name, *TRAVEL, "--extractor", script(tmp_path))
    said = "slotstate: the assistant says nothing in this transcript: there is no request to price"
    assert (ran.code, ran.complaint) == (2, said)


def test_calls_without_a_result(command: Command, tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    asked = {"role": "assistant", "content": None, "tool_calls": [call]}
    name = write(tmp_path, "t.jsonl", user("To Bath."), asked, user("Hello?"), assistant("Sorry."))
    arguments = ("cost", name, *TRAVEL, "--extractor", script(tmp_path), "--profile", "none")
    ran = command(*arguments)
    assert (ran.code, "the prompt before message 3: no result yet for tool call 'c1'" in ran.complaint) == (2, True)
    assert command(*arguments, "--close-calls", "--json").json["requests"] == 2
    cut_off = write(tmp_path, "cut.jsonl", user("To Bath."), asked)
    ran = command("cost", cut_off, *TRAVEL, "--extractor", script(tmp_path), "--profile", "none", "--json")
    assert (ran.code, ran.json["requests"]) == (0, 1)


def test_the_overhead_of_a_counter_is_counted() -> None:
    assert Cutter(Budget(None)).head == overhead_of(Estimator()).reply


def test_the_page_of_commands_shows_what_they_print(command: Command) -> None:
    """To the word; figures move with the estimator and the prices."""
    page = _worded((ROOT / "docs" / "commands.md").read_text(encoding="utf-8"))
    for name, *options in (
        ("prompt", "--budget", "1200", "--profile", "anthropic/claude-opus-5"),
        ("cost", "--profile", "anthropic/claude-opus-5", "--profile", "deepseek"),
    ):
        out = command(name, EN, *TRAVEL, *options).out.partition("     system  system")[0]
        shown = f"$ slotstate {name} examples/travel_en.jsonl --schema travel {' '.join(options)}\n{out}"
        assert _worded(shown) in page


def _worded(text: str) -> str:
    """The words of a text, bars and figures aside."""
    return " ".join(re.sub(r"[\d,.%]*\d[\d,.%]*", "0", re.sub("[█▒·─]+", " ", text)).split())


def test_the_page_of_commands_knows_every_option() -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    for name, module in COMMANDS.items():
        assert f"slotstate {name}" in page
        parser = argparse.ArgumentParser()
        module.add_arguments(parser)
        named = {option for action in parser._actions for option in action.option_strings if option.startswith("--")}
        assert all(option in page for option in named - {"--help"})
