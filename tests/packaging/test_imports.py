from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ["alembic", "hypothesis", "instructor", "openai", "psycopg", "pytest", "rich", "sqlalchemy", "sqlite3", "yaml"]


def newly_imported(statement: str) -> set[str]:
    """Top-level modules that a fresh interpreter loads for the statement, beyond those it starts with."""
    code = f"import sys; before = set(sys.modules); {statement}; print(*sorted(set(sys.modules) - before))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in run.stdout.split()}


@pytest.mark.parametrize("module", ["slotstate", "slotstate.resources"])
def test_importing_loads_nothing_heavy(module: str) -> None:
    loaded = newly_imported(f"import {module}")
    assert "slotstate" in loaded
    assert loaded.isdisjoint(HEAVY)
