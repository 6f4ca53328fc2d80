from __future__ import annotations

from pathlib import Path

from tests.corpora.converters import messages_of
from tests.corpora.running import check_all


def test_every_dialogue_of_the_crosswoz_sample_runs(corpora: Path, tmp_path: Path) -> None:
    check_all(messages_of(corpora, "crosswoz"), "travel", tmp_path)
