from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).resolve().parent.parent / "conftest.py"


def test_the_corpora_are_not_empty(corpora: Path) -> None:
    assert any(corpora.iterdir())


@pytest.mark.parametrize(("ci", "outcome"), [("", "1 skipped"), ("true", "1 error")], ids=["user", "CI"])
def test_missing_corpora_are_a_skip_for_users_and_a_failure_in_ci(ci: str, outcome: str, tmp_path: Path) -> None:
    shutil.copy(CONFTEST, tmp_path)
    (tmp_path / "test_it.py").write_text("def test_it(corpora): pass\n")
    missing = tmp_path / "nowhere"
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-ra", "-p", "no:cacheprovider", str(tmp_path)],
        env=os.environ
        | {"CI": ci, "SLOTSTATE_DATA": str(missing), "COLUMNS": "400", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome in run.stdout.splitlines()[-1]
    assert f"no corpora at {missing}: set SLOTSTATE_DATA to their folder" in run.stdout
