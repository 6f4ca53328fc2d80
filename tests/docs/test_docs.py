"""The documentation is true: its code runs, its generated pages are fresh, its links lead somewhere."""

from __future__ import annotations

import ast
import json
import re
import runpy
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from openai.types.chat import ChatCompletion

from slotstate import Domain, Tracker, domain_from_json_schema
from slotstate.testing import ScriptedExtractor, change

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_the_readmes_code_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {"__name__": "readme"}
    for block in blocks(ROOT / "README.md", "python"):
        exec(compile(block, "README.md", "exec", dont_inherit=True), names)
    printed = capsys.readouterr().out.splitlines()
    changes = ast.literal_eval(printed[0])
    assert [change[:2] for change in changes] == [("travel.origin", "filled"), ("travel.outbound_on", "filled")]
    assert "Oslo" in changes[0][2]
    assert printed[1] == "2026-12-04"
    assert printed[2] == "origin: Oslo. Is that right?"
    assert printed[3] == "Travel(origin='Oslo', outbound_on=datetime.date(2026, 12, 4))"
    assert issubclass(names["TestTravelPromises"], object)


def test_the_pages_code_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "not-used")
    names: dict[str, Any] = {"__name__": "pages"}
    for page in (
        "domains.md",
        "privacy.md",
        "logging.md",
        "conversations.md",
        "extractors.md",
        "prompts.md",
        "summarisers.md",
    ):
        for block in blocks(ROOT / "docs" / page, "python"):
            exec(compile(block, page, "exec", dont_inherit=True), names)
    names["tracker"].close()
    greeted = names["Tracker"](_guest(), extractor=names["Greeter"]()).open("s")
    greeted.user("Hello, I am Noor")
    assert greeted.state["guest"]["name"].value == "Noor"
    (table,) = blocks(ROOT / "docs" / "domains.md", "yaml")
    domain = domain_from_json_schema(yaml.safe_load(table))
    assert [spec.kind for spec in domain.slots.values()] == ["integer", "time", "categorical"]


def test_a_schema_changes_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (block,) = blocks(ROOT / "docs" / "evolution.md", "python")
    exec(compile(block, "evolution.md", "exec", dont_inherit=True), {"__name__": "evolution"})
    assert capsys.readouterr().out.splitlines() == re.findall(r"# (Oslo .*|4|\[.*\])$", block, re.MULTILINE)


def test_the_bots_loop_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "bot"}
    exec(compile(blocks(ROOT / "README.md", "python")[0], "README.md", "exec", dont_inherit=True), names)
    loop, calls, pins = blocks(ROOT / "docs" / "bot.md", "python")
    exec(compile(loop, "bot.md", "exec", dont_inherit=True), names)
    function = {"name": "find_trains", "arguments": '{"origin": "Oslo", "day": "2026-12-04"}'}
    said: list[dict[str, Any]] = [
        {"content": None, "tool_calls": [{"id": "c1", "type": "function", "function": function}]},
        {"content": "There is one at 9:15."},
    ]
    client = _Client(said)
    assert names["answer"](client, "ada", "From Oslo on 4 December 2026, please", "m1") == "There is one at 9:15."
    assert [message["role"] for message in client.asked[1]][-2:] == ["assistant", "tool"]
    chat = names["tracker"].open("ada")
    assert [type(message).__name__ for message in chat.messages][1:] == ["AssistantTurn", "ToolTurn", "AssistantTurn"]
    assert chat.messages[-1].usage.items() >= {"tokens_in": 300, "tokens_out": 20, "tokens_cached": 0}.items()
    for block in (calls, pins):
        exec(compile(block, "bot.md", "exec", dont_inherit=True), names)
    names["tracker"].close()


class _Client:
    """Stands for OpenAI's."""

    def __init__(self, said: list[dict[str, Any]]) -> None:
        self.asked: list[list[dict[str, Any]]] = []
        self._said = said
        self.chat = self.completions = self

    def create(self, *, messages: list[dict[str, Any]], **_: Any) -> ChatCompletion:
        self.asked.append(messages)
        message = {"role": "assistant", **self._said.pop(0)}
        reason = "tool_calls" if "tool_calls" in message else "stop"
        usage = {"prompt_tokens": 300, "completion_tokens": 20, "total_tokens": 320}
        return ChatCompletion.model_validate(
            {
                "id": "r",
                "object": "chat.completion",
                "created": 0,
                "model": "gpt-5-mini",
                "choices": [{"index": 0, "finish_reason": reason, "message": message, "logprobs": None}],
                "usage": {**usage, "prompt_tokens_details": {"cached_tokens": 0}},
            }
        )


def _guest() -> Domain:
    return domain_from_json_schema({"title": "guest", "type": "object", "properties": {"name": {"type": "string"}}})


def test_generated_pages_are_fresh() -> None:
    pages = runpy.run_path(str(ROOT / "docs" / "generate.py"))["pages"]()
    for path, text in pages.items():
        assert path.read_text(encoding="utf-8") == text, f"run: python docs/generate.py ({path.name})"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?://)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_published_schema_takes_what_is_printed_and_refuses_other_things() -> None:
    from slotstate.contract import Run

    schema = json.loads((ROOT / "docs" / "contract.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    domain = domain_from_json_schema(
        {"title": "t", "type": "object", "properties": {"at": {"type": "string", "format": "time"}}}
    )
    chat = Tracker(domain, extractor=ScriptedExtractor([[change("t.at", "set", "3 pm", "3 pm")]])).open("s")
    turn = chat.user("3 pm")
    run = Run(state={name: dict(slots) for name, slots in chat.state.items()}, turns=[turn], prompt=chat.prompt())
    printed = json.loads(run.model_dump_json())
    jsonschema.validate(printed, schema)
    assert printed["state"]["t"]["at"]["value"] == "15:00"
    assert Run.model_validate(printed).turns[0].changes[0].outcome == "filled"
    printed["state"]["t"]["at"]["status"] = "lost"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(printed, schema)
