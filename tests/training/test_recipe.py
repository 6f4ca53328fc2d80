"""The recipe: one command, the same bytes from the same data and seed, and what was made can be used."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from slotstate import Tracker
from slotstate.domains import compile_domains
from slotstate.extractors import make_extractor
from slotstate.extractors.builtin.learned import modelfile
from slotstate.jsonschema import domain_from_json_schema
from tests.training import talks

pytest.importorskip("lightgbm")
pytest.importorskip("pycrfsuite")
pytest.importorskip("sklearn")

ROOT = Path(__file__).resolve().parents[2]


def train(folder: Path, out: Path, *options: str, hash_seed: str = "0") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "training", "learn", str(folder), "--out", str(out), "--small", *options]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("train")
    out = folder / "one.slotmodel"
    done = train(talks.write(folder / "data"), out)
    assert done.returncode == 0, done.stderr
    return out


def test_the_same_data_and_seed_give_the_same_bytes(made: Path, tmp_path: Path) -> None:
    again, other = tmp_path / "again.slotmodel", tmp_path / "other.slotmodel"
    assert train(made.parent / "data", again, "--jobs", "2", hash_seed="7").returncode == 0
    assert again.read_bytes() == made.read_bytes()
    assert train(made.parent / "data", other, "--seed", "1").returncode == 0
    assert other.read_bytes() != made.read_bytes()


def test_what_was_made_is_used(made: Path) -> None:
    from training.sgd import domain_schema

    domains = compile_domains([domain_from_json_schema(domain_schema(talks.TABLES))])
    extractor = make_extractor(f"builtin:{made}")
    chat = Tracker(domains, extractor=extractor).open("s")
    chat.user("find me a restaurant in Quillham please")
    chat.assistant("There is Pepper Tree, would you like that?")
    chat.user("Yes, that works")
    state = chat.state["Tables_1"]
    assert (state["town"].value, state["shop_name"].value) == ("Quillham", "Pepper Tree")
    assert state["phone"].status == "empty"


def test_the_file_tells_what_it_was_made_of(made: Path) -> None:
    _, about = modelfile.read(str(made))
    assert about["seed"] == 0
    assert about["languages"] == ["en"]


@pytest.mark.parametrize("content", [None, "[]"])
def test_a_folder_without_dialogues_is_told_in_a_line(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "schema.json").write_text(content, encoding="utf-8")
    done = train(tmp_path, tmp_path / "x.slotmodel")
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Traceback" not in done.stderr
