"""The converters, on miniature dialogues of our own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from slotstate.contract import Run
from tests.corpora.converters import read_corpus

SGD = [
    {
        "dialogue_id": "1",
        "services": ["Shows"],
        "turns": [
            {"speaker": "USER", "utterance": "Any good play?", "frames": [{"service": "Shows"}]},
            {
                "speaker": "SYSTEM",
                "utterance": "The Kettle is on.",
                "frames": [
                    {
                        "service": "Shows",
                        "service_call": {"method": "Find", "parameters": {"kind": "play"}},
                        "service_results": [{"title": "The Kettle"}],
                    }
                ],
            },
        ],
    }
]
MULTIWOZ = {
    "A1": {"goal": {}, "log": [{"text": "A cheap place.", "metadata": {}}, {"text": "Which area?", "metadata": {}}]}
}
CROSSWOZ = {
    "7": {"sys-usr": [1, 2], "messages": [{"role": "usr", "content": "你好"}, {"role": "sys", "content": "您好"}]},
}


def written(folder: Path, name: str, data: Any) -> None:
    (folder / name).write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")


def test_corpora_are_found_by_content(tmp_path: Path) -> None:
    for name, data in {"a.json": SGD, "b.json": MULTIWOZ, "c.json": CROSSWOZ, "d.json": {"x": 1}, "e.json": []}.items():
        written(tmp_path, name, data)
    assert list(read_corpus(tmp_path, "sgd")) == ["a.json 1"]
    assert list(read_corpus(tmp_path, "multiwoz")) == ["b.json A1"]
    assert list(read_corpus(tmp_path, "crosswoz")) == ["c.json 7"]


def test_a_service_call_becomes_a_tool_call_with_its_result(tmp_path: Path) -> None:
    written(tmp_path, "a.json", SGD)
    user, call, result, said = read_corpus(tmp_path, "sgd")["a.json 1"]
    assert user == {"role": "user", "content": "Any good play?"}
    assert call["tool_calls"][0]["function"] == {"name": "Find", "arguments": '{"kind": "play"}'}
    assert result == {"role": "tool", "tool_call_id": "call_0", "content": '[{"title": "The Kettle"}]'}
    assert said == {"role": "assistant", "content": "The Kettle is on."}


def test_speakers_keep_their_turns(tmp_path: Path) -> None:
    written(tmp_path, "b.json", MULTIWOZ)
    written(tmp_path, "c.json", CROSSWOZ)
    for kind in ("multiwoz", "crosswoz"):
        (messages,) = read_corpus(tmp_path, kind).values()
        assert [one["role"] for one in messages] == ["user", "assistant"]


def test_a_converted_dialogue_runs_as_a_command(tmp_path: Path) -> None:
    written(tmp_path, "a.json", SGD)
    written(tmp_path, "dialogue.json", read_corpus(tmp_path, "sgd")["a.json 1"])
    command = [sys.executable, "-m", "slotstate", "run", "dialogue.json", "--schema", "restaurant", "--json"]
    root = Path(__file__).resolve().parents[2]
    run = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": str(root)}, capture_output=True, check=False)
    assert (run.returncode, run.stderr) == (0, b"")
    assert [turn.turn for turn in Run.model_validate_json(run.stdout).turns] == [0]
