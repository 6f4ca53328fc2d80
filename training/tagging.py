"""Trains the tagger: a CRF by python-crfsuite, whose weights are then taken out of its file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pycrfsuite

from slotstate.extractors.builtin.learned.hashing import hashed
from slotstate.extractors.builtin.learned.tagger import LABELS, features
from slotstate.extractors.builtin.learned.tokens import Token, tokenize

Marked = tuple[str, str, Sequence[tuple[int, int, str]]]
"""A text, its speaker ("u" or "s"), and the stretches in it: start, end, kind."""
PARAMETERS: Mapping[str, Any] = {"c1": 0.3, "c2": 0.01, "max_iterations": 50, "feature.minfreq": 2}


def labels_of(tokens: Sequence[Token], marked: Iterable[tuple[int, int, str]]) -> list[str]:
    """The labels of a text's tokens."""
    labels = ["O"] * len(tokens)
    for start, end, kind in marked:
        inside = [i for i, token in enumerate(tokens) if token.start >= start and token.end <= end and labels[i] == "O"]
        for place, i in enumerate(inside):
            labels[i] = f"{'I' if place else 'B'}-{kind}"
    return labels


def fit_tagger(texts: Iterable[Marked]) -> dict[str, Any]:
    """The weights of a tagger, as arrays: keys of features, a row of label weights for each, label to label."""
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params(dict(PARAMETERS))
    for text, speaker, marked in texts:
        tokens = tokenize(text)
        if tokens:
            trainer.append([features(tokens, i, speaker) for i in range(len(tokens))], labels_of(tokens, marked))
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "crf")
        trainer.train(path)
        return exported(path)


def exported(path: str) -> dict[str, Any]:
    """The weights in a file of python-crfsuite, as arrays."""
    tagger = pycrfsuite.Tagger()
    tagger.open(path)
    info = tagger.info()
    rows: dict[int, Any] = {}
    for (feature, label), weight in info.state_features.items():
        row = rows.setdefault(hashed(feature), np.zeros(len(LABELS), np.float32))
        row[LABELS.index(label)] += weight
    moves = np.zeros((len(LABELS), len(LABELS)), np.float32)
    for (one, other), weight in info.transitions.items():
        moves[LABELS.index(one), LABELS.index(other)] = weight
    unseen = [place for place, label in enumerate(LABELS) if label not in tagger.labels()]
    if unseen:  # at 0 they would be the best wherever the others are below it
        least = -2 * max(1.0, float(np.abs(moves).max()))
        moves[unseen, :] = moves[:, unseen] = least
    keys = np.array(sorted(rows), "<u4")
    table = np.array([rows[int(key)] for key in keys]) if rows else np.zeros((0, len(LABELS)), np.float32)
    return {"keys": keys, "table": table, "moves": moves}
