"""`slotstate run --json` on one dialogue, in this process, and what must hold of its output."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from slotstate import contract
from slotstate.cli import main
from slotstate.cli import options as cli_options
from slotstate.domains import Domain
from slotstate.loading import load_domains
from tests.corpora.converters import Dialogues, Messages

NOW = "2025-03-03T09:00"


@cache
def published() -> Draft202012Validator:
    schema = contract.json_schema()
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@cache
def loaded(schema: str) -> list[Domain]:
    """The schema, read once and not for each of hundreds of dialogues."""
    return load_domains(schema)


def check_all(dialogues: Dialogues, schema: str, folder: Path, *options: str) -> None:
    """Each dialogue runs, and its output keeps the contract; all that do not are named."""
    assert dialogues
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cli_options, "load_domains", loaded)
        told = {name: problem(one, schema, folder, *options) for name, one in dialogues.items()}
    problems = [f"{name}: {said}" for name, said in told.items() if said is not None]
    assert not problems, "\n".join([f"{len(problems)} of {len(dialogues)}", *problems[:5]])


def problem(messages: Messages, schema: str, folder: Path, *options: str) -> str | None:
    """What is wrong with the run of one dialogue."""
    transcript = folder / "dialogue.jsonl"
    transcript.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in messages), encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(["run", str(transcript), "--schema", schema, "--now", NOW, "--json", *options])
    if code != 0 or err.getvalue():
        return f"exit {code}: {err.getvalue()}"
    found = json.loads(out.getvalue())
    for error in published().iter_errors(found):
        return f"{error.json_path}: {error.message[:200]}"
    contract.Run.model_validate(found)
    return against_dialogue(found, messages, schema)


def against_dialogue(found: dict[str, Any], messages: Messages, schema: str) -> str | None:
    users = [index for index, one in enumerate(messages) if one["role"] == "user"]
    if [turn["turn"] for turn in found["turns"]] != users:
        return "not every user turn is told"
    if any(turn["extraction"] == "failed" for turn in found["turns"]):
        return "extraction failed"
    if {name: list(slots) for name, slots in found["state"].items()} != {
        one.name: list(one.slots) for one in loaded(schema)
    }:
        return "not every declared slot is listed"
    said = [one["content"] for one in found["prompt"]["messages"] if one["role"] in {"user", "assistant"}]
    return None if len(said) >= len(users) else "the prompt lacks turns"
