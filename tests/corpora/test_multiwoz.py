from __future__ import annotations

from pathlib import Path

from tests.corpora.converters import read_corpus
from tests.corpora.running import check_all


def test_every_dialogue_of_the_multiwoz_samples_runs(corpora: Path, tmp_path: Path) -> None:
    check_all(read_corpus(corpora, "multiwoz"), "restaurant", tmp_path)
