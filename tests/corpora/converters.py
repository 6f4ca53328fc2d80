"""Dialogue corpora turned into chat messages. Files are known by what they hold, not by their names."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

Messages = list[dict[str, Any]]
Dialogues = dict[str, Messages]


def read_corpus(folder: Path, kind: str) -> Dialogues:
    """Every dialogue of that kind ("sgd", "multiwoz", "crosswoz") in the folder's JSON files, by file and id."""
    found: Dialogues = {}
    for path in sorted(folder.rglob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        if kind_of(data) == kind:
            found |= {f"{path.name} {name}": messages for name, messages in _CONVERTERS[kind](data)}
    return found


def kind_of(data: Any) -> str | None:
    """Which corpus a JSON document comes from; None for anything else."""
    if isinstance(data, list):
        return "sgd" if data and _has(data[0], "dialogue_id", "turns") else None
    if not isinstance(data, dict) or not data:
        return None
    first = next(iter(data.values()))
    if _has(first, "log", "goal"):
        return "multiwoz"
    return "crosswoz" if _has(first, "messages", "sys-usr") else None


def _has(part: Any, *keys: str) -> bool:
    return isinstance(part, dict) and all(key in part for key in keys)


def sgd(data: list[dict[str, Any]]) -> Iterator[tuple[str, Messages]]:
    """Schema-Guided Dialogue: a service call and its results stand before the system's words."""
    for dialogue in data:
        yield dialogue["dialogue_id"], [one for turn in dialogue["turns"] for one in _sgd_turn(turn)]


def _sgd_turn(turn: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    if turn["speaker"] == "USER":
        yield {"role": "user", "content": turn["utterance"]}
        return
    for number, frame in enumerate(turn["frames"]):
        call = frame.get("service_call")
        if call is not None:
            ident = f"call_{number}"
            function = {"name": call["method"], "arguments": json.dumps(call["parameters"], ensure_ascii=False)}
            yield {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": ident, "type": "function", "function": function}],
            }
            results = json.dumps(frame.get("service_results", []), ensure_ascii=False)
            yield {"role": "tool", "tool_call_id": ident, "content": results}
    yield {"role": "assistant", "content": turn["utterance"]}


def multiwoz(data: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, Messages]]:
    """MultiWOZ 2.x in the form of its data.json: the user begins, then they take turns."""
    for name, dialogue in data.items():
        roles = ("user", "assistant")
        yield name, [{"role": roles[n % 2], "content": turn["text"]} for n, turn in enumerate(dialogue["log"])]


def crosswoz(data: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, Messages]]:
    """CrossWOZ."""
    roles = {"usr": "user", "sys": "assistant"}
    for name, dialogue in data.items():
        yield name, [{"role": roles[one["role"]], "content": one["content"]} for one in dialogue["messages"]]


_CONVERTERS: Mapping[str, Any] = {"sgd": sgd, "multiwoz": multiwoz, "crosswoz": crosswoz}
