from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpora.converters import messages_of
from tests.corpora.running import check_all


@pytest.mark.parametrize("version", ["2.1", "2.4"])
def test_every_dialogue_of_the_multiwoz_samples_runs(version: str, corpora: Path, tmp_path: Path) -> None:
    check_all(messages_of(corpora, "multiwoz", version), "restaurant", tmp_path)
