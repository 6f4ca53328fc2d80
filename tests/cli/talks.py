"""Conversations long enough for caches and budgets to matter, each with the script of its extractor."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from slotstate.cli.options import SteppedClock
from slotstate.cli.transcript import Line
from slotstate.contract import Prompt
from slotstate.prompt import Budget
from slotstate.tracker import Tracker
from tests.cli.conftest import NOW, assistant, change, user, write

ROOT = Path(__file__).resolve().parents[2]
EN = str(ROOT / "examples" / "travel_en.jsonl")
ZH = str(ROOT / "examples" / "travel_zh.jsonl")
TRAVEL = ("--schema", "travel", *NOW)
CALL = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"to": "Bath"}'}}
TOWNS = ("Leeds", "York", "Bath", "Derby", "Exeter", "Oxford")
WORDS = (
    "well we thought the evening would be quieter and my sister would rather sit by a window if there is one".split()
)


class Talk(NamedTuple):
    """A transcript's name, and the options with which it is read as scripted."""

    name: str
    options: list[str]

    def command(self, name: str, *more: str) -> list[str]:
        """A command line over it."""
        return [name, self.name, *self.options, *more]


def talk(folder: Path, turns: int, *, tools: bool = True, seed: int = 7) -> Talk:
    """Some `turns` of a user who keeps changing things; every third one takes two calls made in parallel."""
    chance = random.Random(seed)
    messages: list[dict[str, Any]] = []
    script: list[list[dict[str, Any]]] = []
    for turn in range(turns):
        town = chance.choice(TOWNS)
        path = chance.choice(("origin", "destination", "people", ""))
        value: Any = town if path != "people" else chance.randint(1, 9)
        said = f"{value}, please. " if path else ""
        messages.append(user(f"{said}{_filler(chance)}"))
        script.append([change(path, value, f"{value}, please")] if path else [])
        if tools and turn % 3 == 2:
            messages += _looked_up(turn, town, chance)
        messages.append(assistant(f"Noted. {_filler(chance)}"))
    (folder / "talk.script.json").write_text(json.dumps(script), encoding="utf-8")
    name = write(folder, "talk.jsonl", *messages)
    return Talk(name, ["--schema", "travel", "--extractor", "script:talk.script.json", *NOW])


def _filler(chance: random.Random) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(chance.randint(8, 40))).capitalize() + "."


def _looked_up(turn: int, town: str, chance: random.Random) -> list[dict[str, Any]]:
    calls = [_call(f"c{turn}-{at}", {"to": town}) for at in range(2)]
    results = [{"role": "tool", "tool_call_id": call["id"], "content": _filler(chance)} for call in calls]
    return [{"role": "assistant", "content": None, "tool_calls": calls}, *results]


def _call(ident: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"id": ident, "type": "function", "function": {"name": "search", "arguments": json.dumps(arguments)}}


def live_prompts(tracker: Tracker, clock: SteppedClock, lines: Sequence[Line], budget: Budget) -> list[Prompt]:
    """What a bot's loop gets from chat.prompt(): before each of the assistant's messages, and at the end."""
    chat = tracker.open("live")
    prompts: list[Prompt] = []
    for index, line in enumerate(lines):
        clock.at_message(index)
        if line.message.role == "assistant":
            prompts.append(chat.prompt(budget))
        chat.add(line.message)
    clock.at_message(len(lines))
    return [*prompts, chat.prompt(budget)]
