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
    assert "origin: Oslo. Is that right?" in printed[2]
    assert printed[3] == "origin='Oslo' outbound_on=datetime.date(2026, 12, 4)"
    assert issubclass(names["TestTravelPromises"], object)


def test_the_pages_code_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "not-used")
    names: dict[str, Any] = {"__name__": "pages"}
    for page in ("domains.md", "conversations.md", "extractors.md", "prompts.md", "summarisers.md"):
        for block in blocks(ROOT / "docs" / page, "python"):
            exec(compile(block, page, "exec", dont_inherit=True), names)
    names["tracker"].close()
    greeted = names["Tracker"](_guest(), extractor=names["Greeter"]()).open("s")
    greeted.user("Hello, I am Noor")
    assert greeted.state["guest"]["name"].value == "Noor"
    (table,) = blocks(ROOT / "docs" / "domains.md", "yaml")
    domain = domain_from_json_schema(yaml.safe_load(table))
    assert [spec.kind for spec in domain.slots.values()] == ["integer", "time", "categorical"]


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
