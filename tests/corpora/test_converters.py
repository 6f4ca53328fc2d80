"""The converters, on a miniature dialogue of our own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from slotstate.contract import Run
from tests.corpora.converters import messages_of
from tests.evaluating.corpora import SHOWS, write_sgd


def test_a_service_call_becomes_a_tool_call_with_its_result(tmp_path: Path) -> None:
    write_sgd(tmp_path, SHOWS)
    user, call, result, said, *_ = messages_of(tmp_path, "sgd")["1_00001"]
    assert user == {"role": "user", "content": "Any good play in Ely on May 2nd?"}
    assert call["tool_calls"][0]["function"] == {"name": "FindShow", "arguments": '{"city": "Ely"}'}
    assert result == {"role": "tool", "tool_call_id": "call_0", "content": '[{"title": "The Kettle"}]'}
    assert said == {"role": "assistant", "content": "The Kettle is on at 7 pm."}


def test_a_converted_dialogue_runs_as_a_command(tmp_path: Path) -> None:
    write_sgd(tmp_path, SHOWS)
    (tmp_path / "dialogue.json").write_text(json.dumps(messages_of(tmp_path, "sgd")["1_00001"]), encoding="utf-8")
    command = [sys.executable, "-m", "slotstate", "run", "dialogue.json", "--schema", "restaurant", "--json"]
    root = Path(__file__).resolve().parents[2]
    run = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": str(root)}, capture_output=True, check=False)
    assert (run.returncode, run.stderr) == (0, b"")
    assert [turn.turn for turn in Run.model_validate_json(run.stdout).turns] == [0, 4]
