"""What `slotstate prompt` prints for programs, and whether it is what a bot would have sent."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from slotstate.caching import profile_names
from slotstate.chat import Chat
from slotstate.cli.anatomy import SECTIONS, anatomy
from slotstate.cli.bars import room_line
from slotstate.cli.options import SteppedClock
from slotstate.cli.replay import Replay
from slotstate.cli.transcript import read_transcript
from slotstate.contract import Prompt
from slotstate.events import Epoch, Pinned
from slotstate.extractors import make_extractor
from slotstate.formats import PROVIDERS, anthropic, check, openai, plain
from slotstate.loading import load_domains
from slotstate.log import Entry
from slotstate.prompt import Budget
from slotstate.tokens import Estimator, tools_tokens
from slotstate.tracker import Tracker
from tests.cli.conftest import Command, rows, script, user, write
from tests.cli.talks import EN, TRAVEL, Talk, live_prompts, talk


@pytest.mark.parametrize("layout", ["quotes_last", "append_only"])
@pytest.mark.parametrize("profile", ["openai", "anthropic", "vllm", "none"])
def test_the_replay_is_what_a_bot_would_have_sent(profile: str, layout: Any, tmp_path: Path) -> None:
    """Prompt by prompt, against chat.prompt() in a loop, epochs and cache included."""
    long = talk(tmp_path, 40)
    budget = Budget(2_500, profile=profile, layout=layout)
    start = datetime(2025, 3, 3, 9, tzinfo=UTC)
    lines = read_transcript(str(tmp_path / long.name))
    script_name = f"script:{tmp_path / 'talk.script.json'}"

    def tracker(clock: SteppedClock) -> Tracker:
        return Tracker(load_domains("travel"), extractor=make_extractor(script_name), clock=clock, budget=budget)

    clock = SteppedClock(start, 30)
    live = live_prompts(tracker(clock), clock, lines, budget)
    clock = SteppedClock(start, 30)
    chat = tracker(clock).open("replay")
    for index, line in enumerate(lines):
        clock.at_message(index)
        chat.add(line.message)
    replay = Replay(tracker(clock), chat, lines, chat.entries, clock, 30, reveal=False)
    replayed = [sent.prompt for sent in replay.prompts(budget)]
    assert len(live) == len(replayed)
    for one, other in zip(live, replayed, strict=True):
        assert one.model_dump() == other.model_dump()


def test_json_keeps_the_contract(command: Command, long: Talk) -> None:
    ran = command(*long.command("prompt", "--budget", "3000", "--json"))
    assert (ran.code, ran.err) == (0, "")
    prompt = Prompt.model_validate(ran.json)
    assert prompt.cache is not None
    assert sum(line.tokens or 0 for line in prompt.ledger if line.action != "dropped") == prompt.tokens
    assert ran.json == command(*long.command("prompt", "--budget", "3000", "--format", "json")).json


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_providers_payload(provider: Any, command: Command, long: Talk, tmp_path: Path) -> None:
    schema = {"type": "function", "function": {"name": "search", "parameters": {"type": "object", "properties": {}}}}
    (tmp_path / "tools.json").write_text(json.dumps({"tools": [schema]}), encoding="utf-8")
    arguments = long.command("prompt", "--profile", "anthropic-1h/claude-opus-5", "--tools", "tools.json")
    payload = command(*arguments, "--format", provider).json
    prompt = Prompt.model_validate(command(*arguments, "--json").json)
    assert provider in PROVIDERS
    if provider == "openai":
        assert payload == {"messages": openai(prompt), "tools": [schema]}
        assert not check(payload["messages"], "openai")
    else:
        assert {"system": payload["system"], "messages": payload["messages"]} == anthropic(prompt, ttl="1h")
        assert json.dumps(payload).count('"cache_control": {"type": "ephemeral", "ttl": "1h"}') == 4
        assert payload["tools"][0]["name"] == "search"
    assert "tools" not in command(*long.command("prompt", "--format", provider)).json


def test_text_for_a_completion_model(command: Command) -> None:
    ran = command("prompt", EN, *TRAVEL, "--format", "text")
    assert ran.out == plain(Prompt.model_validate(command("prompt", EN, *TRAVEL, "--json").json)) + "\n"
    assert ran.out.endswith("\nUser:\nWait, make it four people.\n\nAssistant:\n")


def test_text_on_a_terminal_does_nothing_to_it(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = write(tmp_path, "t.jsonl", user("Hi.\u202e\u200b\x9b2J"))
    arguments = ("prompt", name, *TRAVEL, "--extractor", script(tmp_path), "--format", "text")
    assert "\u202e" in command(*arguments).out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert "Hi.<U+202E><U+200B>" in command(*arguments).out


def test_tools_count(command: Command, tmp_path: Path) -> None:
    tools = [{"type": "function", "function": {"name": f"tool{at}", "description": "words " * 20}} for at in range(3)]
    (tmp_path / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    arguments = ("prompt", EN, *TRAVEL, "--budget", "2000", "--profile", "vllm")
    bare, ran = command(*arguments), command(*arguments, "--tools", "tools.json")
    size = tools_tokens(Estimator(), tools)
    assert "tools" not in rows(bare)
    assert rows(ran)["tools"] == [size, size]
    assert rows(ran)["free"][0] == rows(bare)["free"][0] - size
    assert rows(ran)["all"][1] > rows(bare)["all"][1]


def test_json_stays_pure_when_others_print(command: Command, long: Talk, tmp_path: Path) -> None:
    noisy = "print('loading')\nfrom pydantic import BaseModel\nclass Noisy(BaseModel):\n    x: str\n"
    (tmp_path / "noisy.py").write_text(noisy, encoding="utf-8")
    ran = command(*long.command("prompt", "--schema", "noisy.py", "--json"))
    assert (ran.code, ran.err) == (0, "loading\n")
    assert Prompt.model_validate(ran.json).messages


def test_standard_input(command: Command, tmp_path: Path) -> None:
    ran = command("prompt", "-", *TRAVEL, "--extractor", script(tmp_path), stdin=json.dumps([user("Hi.")]))
    assert (ran.code, ran.err) == (0, "")
    assert "     Hi." in ran.out.splitlines()


# A store


def test_a_stored_conversation_is_only_looked_at(command: Command, long: Talk, tmp_path: Path) -> None:
    stored = ("--store", "sqlite:///f.db", "--session", "ada")
    fresh = command(*long.command("prompt", "--budget", "2500", "--json")).json
    assert command(*long.command("run", *stored)).code == 0

    def log() -> list[Entry]:
        with Tracker(load_domains("travel"), store=f"sqlite:///{tmp_path / 'f.db'}") as tracker:
            return list(tracker.open("ada").entries)

    before = log()
    arguments = long.command("prompt", "--budget", "2500", "--turn", "50", *stored)
    assert command(*arguments).code == 0
    assert log() == before
    assert not any(isinstance(entry.event, Epoch | Pinned) for entry in before)
    assert command(*long.command("prompt", "--budget", "2500", "--json", *stored)).json["messages"] == fresh["messages"]


def test_epochs_in_a_stored_log_are_another_bots(command: Command, long: Talk, tmp_path: Path) -> None:
    with Tracker(
        load_domains("travel"),
        store=f"sqlite:///{tmp_path / 'f.db'}",
        extractor=f"script:{tmp_path / 'talk.script.json'}",
        budget=Budget(1_500, profile="vllm"),
    ) as tracker:
        chat = tracker.open("ada")
        for line in read_transcript(str(tmp_path / long.name)):
            if line.message.role == "assistant":
                chat.prompt()
            chat.add(line.message)
        assert any(isinstance(entry.event, Epoch) for entry in chat.entries)
    stored = ("--store", "sqlite:///f.db", "--session", "ada")
    arguments = ("prompt", "--budget", "2500", "--json")
    found = command(*long.command(*arguments, *stored)).json
    assert found["messages"] == command(*long.command(*arguments)).json["messages"]


# Anatomy


@pytest.mark.parametrize("profile", profile_names())
def test_an_anatomy_adds_up(profile: str, tmp_path: Path) -> None:
    """Sections, messages and cached tokens sum up to the prompt, in every layout, under every profile."""
    long = talk(tmp_path, 30)
    clock = SteppedClock(datetime(2025, 3, 3, 9, tzinfo=UTC), 30)
    extractor = make_extractor(f"script:{tmp_path / 'talk.script.json'}")
    tracker = Tracker(load_domains("travel"), extractor=extractor, clock=clock)
    lines = read_transcript(str(tmp_path / long.name))
    chat = _heard(tracker, clock, lines)
    replay = Replay(tracker, chat, lines, chat.entries, clock, 30, reveal=False)
    turns = {message.id: message.turn for message in chat.messages}
    tools = [{"type": "function", "function": {"name": "search"}}]
    for base in (Budget(2_000), Budget(None, tools=tools), Budget(2_500, layout="append_only", tools=tools)):
        budget = replace(base, profile=profile)
        for sent in replay.prompts(budget):
            prompt = sent.prompt
            parts = anatomy(prompt, budget, turns)
            assert parts.total == (prompt.tokens or 0) + tools_tokens(Estimator(), budget.tools)
            assert prompt.cache is not None
            assert parts.cached == prompt.cache["expected_cached"]
            assert sum(parts.of(section)[0] for section in SECTIONS) == parts.total
            assert all(parts.within(at) for at in range(len(prompt.messages)))
            assert all(0 <= one.cached <= one.tokens for one in parts.stretches)


def _heard(tracker: Tracker, clock: SteppedClock, lines: Any) -> Chat:
    chat = tracker.open("s")
    for index, line in enumerate(lines):
        clock.at_message(index)
        chat.add(line.message)
    return chat


def test_what_comes_off_the_window_is_said(command: Command, tmp_path: Path) -> None:
    tools = [{"type": "function", "function": {"name": "find", "description": "words " * 20}}]
    (tmp_path / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    size = tools_tokens(Estimator(), tools)
    arguments = ("prompt", EN, *TRAVEL, "--budget", "1200", "--reply", "100")
    ran = command(*arguments, "--tools", "tools.json")
    whole = command(*arguments, "--tools", "tools.json", "--json").json
    limit = 1_100 - size
    assert (whole["budget"], whole["tokens"] <= limit) == (limit, True)
    lines = ran.out.splitlines()
    assert f"{whole['tokens']:,} of {limit:,} tokens by estimate" in lines[0]
    assert lines[1] == f"{limit:,} = 1,200 minus 100 for the reply and {size} for the tools' schemas"
    assert lines[2].endswith(f"{whole['tokens'] + size:,} new; the tools' {size} are counted here")
    assert command(*arguments).out.splitlines()[1] == "1,100 = 1,200 minus 100 for the reply"
    assert " = " not in command("prompt", EN, *TRAVEL, "--budget", "1200").out.splitlines()[1]


def test_a_margin_comes_off_the_window_too() -> None:
    told = room_line(Prompt(messages=[], budget=600), Budget(1_000, reply=200, margin=50), 150)
    assert str(told) == "600 = 1,000 minus 200 for the reply, 50 as a margin and 150 for the tools' schemas"
