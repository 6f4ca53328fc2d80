"""Small runs of benchmarks/store_kills.py and benchmarks/store_crowd.py: in processes of their own, as they fork."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork there")
PLACES = ["sqlite", "sqlite fast", "postgres"]


@pytest.fixture
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    kind: str = request.param
    if kind == "postgres":
        return str(request.getfixturevalue("database"))
    return f"sqlite:///{tmp_path / 'log.db'}?timeout=60{'&durability=fast' * ('fast' in kind)}"


def figures(benchmark: str, *options: str) -> dict[str, Any]:
    command = [sys.executable, "-m", f"benchmarks.{benchmark}", "--json", *options]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert run.returncode == 0, run.stderr + run.stdout
    found: dict[str, Any] = json.loads(run.stdout)
    return found


@pytest.mark.parametrize("url", PLACES, indirect=True)
def test_what_was_acknowledged_survives_a_kill_at_any_instant(url: str) -> None:
    found = figures("store_kills", "--url", url, "--kills", "20")
    assert found["kills"] == 20
    assert found["lost"] == 0
    assert found["while_writing"] > 3
    assert found["turns"] >= 20


@pytest.mark.parametrize("url", PLACES[1:], indirect=True)
def test_a_crowd_of_writers_loses_and_doubles_nothing(url: str) -> None:
    found = figures("store_crowd", "--url", url, "--workers", "6", "--turns", "40", "--sessions", "4")
    assert found["turns"] == 240
    assert (found["faults"], found["failed_workers"]) == ([], 0)
    assert found["stale"] > 0
