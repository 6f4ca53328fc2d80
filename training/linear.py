"""Fits the hashed linear models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import SGDClassifier

from slotstate.extractors.builtin.learned.hashing import mixed
from slotstate.extractors.builtin.learned.lefts import numbers

NEVER = -6.0
"""The logit of what the material never shows."""


def classifier(alpha: float, epochs: int) -> Any:
    """Logistic regression by averaged stochastic descent; the same data give the same weights."""
    return SGDClassifier(
        loss="log_loss",
        alpha=alpha,
        max_iter=epochs,
        tol=None,
        average=True,
        learning_rate="constant",
        eta0=0.01,
        random_state=0,
    )


def matrix(rows: Sequence[Any], size: int) -> Any:
    """Rows of hashed features as a sparse matrix of ones."""
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    columns = (np.concatenate(rows) & np.uint32(size - 1)).astype(np.int32)
    built = csr_matrix((np.ones(len(columns), np.float64), columns, starts), shape=(len(rows), size))
    built.sum_duplicates()
    return built


def fit_crossed(
    pairs: Sequence[tuple[Any, Any, bool]], bits: int, alpha: float = 1e-6, epochs: int = 4
) -> tuple[Any, float]:
    """Weights and bias of a crossed model from (left features, right features, whether they belong together)."""
    y = np.array([label for _, _, label in pairs])
    if y.all() or not y.any():
        return np.zeros(1 << bits, np.float32), NEVER
    x = matrix([mixed(numbers(left), numbers(right)).ravel() for left, right, _ in pairs], 1 << bits)
    model = classifier(alpha, epochs).fit(x, y)
    return model.coef_[0].astype(np.float32), float(model.intercept_[0])


def fit_several(rows: Sequence[Any], labels: Any, bits: int, alpha: float = 3e-6, epochs: int = 6) -> tuple[Any, Any]:
    """Weights (a row for each bucket) and biases of several outputs over the same features."""
    x = matrix([numbers(row) for row in rows], 1 << bits)
    weights = np.zeros((1 << bits, labels.shape[1]), np.float32)
    bias = np.full(labels.shape[1], NEVER, np.float32)
    for output in range(labels.shape[1]):
        if 0 < labels[:, output].sum() < len(labels):
            model = classifier(alpha, epochs).fit(x, labels[:, output])
            weights[:, output] = model.coef_[0]
            bias[output] = model.intercept_[0]
    return weights, bias


def carry_on(pairs: Sequence[tuple[Any, Any, bool]], weights: Any, bias: float, epochs: int = 4) -> tuple[Any, float]:
    """The weights and bias of a crossed model after more pairs."""
    x = matrix([mixed(numbers(left), numbers(right)).ravel() for left, right, _ in pairs], len(weights))
    y = np.array([label for _, _, label in pairs])
    model = classifier(1e-6, epochs)
    model.fit(x, y, coef_init=weights[None, :].astype(np.float64), intercept_init=np.array([bias]))
    return model.coef_[0].astype(np.float32), float(model.intercept_[0])
