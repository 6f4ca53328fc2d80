"""What is read with numpy alone says what the training libraries say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from slotstate.extractors.builtin.learned.linear import Crossed, Side
from slotstate.extractors.builtin.learned.tagger import LABELS, Tagger, features
from slotstate.extractors.builtin.learned.tokens import tokenize
from slotstate.extractors.builtin.learned.trees import Trees
from tests.training import talks


@pytest.mark.parametrize("leaves", [2, 7, 15])
def test_trees(leaves: int) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    from training.boosting import exported

    rng = np.random.default_rng(5)
    rows = np.round(rng.normal(size=(800, 9)), 2)
    truth = (rows[:, 0] * rows[:, 1] > 0.1).astype(float)
    settings = {"objective": "binary", "num_leaves": leaves, "min_data_in_leaf": 5, "verbosity": -1, "num_threads": 1}
    booster = lightgbm.train(settings, lightgbm.Dataset(rows, truth), 40)
    trees = Trees(**exported(booster))
    new = np.round(rng.normal(scale=2, size=(300, 9)), 2)
    np.testing.assert_allclose(trees.scores(new), booster.predict(new, raw_score=True), rtol=0, atol=1e-9)


def test_a_tree_that_never_splits() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    from training.boosting import exported

    rows = np.zeros((50, 2))
    booster = lightgbm.train({"objective": "binary", "verbosity": -1}, lightgbm.Dataset(rows, np.arange(50) % 2.0), 3)
    np.testing.assert_allclose(
        Trees(**exported(booster)).scores(rows), booster.predict(rows, raw_score=True), atol=1e-9
    )


def test_tagger(tmp_path: Path) -> None:
    crfsuite = pytest.importorskip("pycrfsuite")
    from training.sgd import dialogues, marked
    from training.tagging import exported, labels_of

    path = str(tmp_path / "crf")
    trainer: Any = crfsuite.Trainer(verbose=False)
    texts = list(marked(list(dialogues(talks.write(tmp_path / "data")))))
    for text, speaker, spans in texts[::2]:
        tokens = tokenize(text)
        trainer.append([features(tokens, i, speaker) for i in range(len(tokens))], labels_of(tokens, spans))
    trainer.train(path)
    weights = exported(path)
    ours, theirs = Tagger(weights["keys"], weights["table"], weights["moves"]), crfsuite.Tagger()
    theirs.open(path)
    for text, speaker, _ in texts[1::2]:
        tokens = tokenize(text)
        expected = theirs.tag([features(tokens, i, speaker) for i in range(len(tokens))])
        assert [LABELS[label] for label in ours.labels(text, speaker)] == expected


def test_pairs() -> None:
    pytest.importorskip("sklearn")
    from slotstate.extractors.builtin.learned.hashing import ids, mixed
    from training.linear import classifier, matrix

    rng = np.random.default_rng(2)
    pairs = [
        (ids([f"l{n}" for n in rng.integers(9, size=4)]), ids([f"r{n}" for n in rng.integers(9, size=3)]))
        for _ in range(300)
    ]
    x = matrix([mixed(left, right).ravel() for left, right in pairs], 1 << 12)
    model = classifier(1e-5, 3).fit(x, rng.integers(2, size=300))
    crossed = Crossed(model.coef_[0], float(model.intercept_[0]))
    scores = [float(crossed.scores(Side([left]), Side([right]))[0, 0]) for left, right in pairs]
    np.testing.assert_allclose(scores, model.decision_function(x), atol=1e-4)


def test_several_at_once_score_like_one_at_a_time() -> None:
    from slotstate.extractors.builtin.learned.hashing import ids

    crossed = Crossed(np.random.default_rng(1).normal(size=1 << 10), 0.5)
    lefts, rights = [ids("a"), ids("bcd"), ids("ef")], [ids("xy"), ids("z")]
    together = crossed.scores(Side(lefts), Side(rights))
    alone = [[float(crossed.scores(Side([left]), Side([right]))[0, 0]) for right in rights] for left in lefts]
    np.testing.assert_allclose(together, alone, atol=1e-4)
    assert crossed.scores(Side([]), Side(rights)).shape == (0, 2)
