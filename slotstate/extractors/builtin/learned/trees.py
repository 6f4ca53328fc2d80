"""Gradient-boosted trees over many rows at once: every test is made once, and bit masks say which leaf is left."""

from __future__ import annotations

from typing import Any

import numpy as np


class Trees:
    """A sum of trees of at most 16 leaves. Node `i` sends a row left where `row[feature[i]] <= threshold[i]`;
    `masks[i]` are the leaves that stay possible where it goes right; `leaves` has 16 values for each tree.
    """

    def __init__(self, feature: Any, threshold: Any, masks: Any, starts: Any, leaves: Any) -> None:
        tests, of_node = np.unique(np.array([feature, threshold], np.float64), axis=1, return_inverse=True)
        self._feature = tests[0].astype(np.intp)
        self._threshold = tests[1][:, None]
        self._nodes, self._masks = _in_steps(of_node.ravel(), masks.astype(np.uint16), starts.astype(np.intp))
        self._leaves = leaves.astype(np.float64).ravel()
        self._first = (np.arange(len(leaves)) * leaves.shape[1])[:, None]

    def scores(self, rows: Any) -> Any:
        """The raw score (a logit) of each row of a table of float64."""
        left = [self._left(rows[at : at + _BLOCK]) for at in range(0, max(len(rows), 1), _BLOCK)]
        return self._leaves.take(_LOWEST.take(np.hstack(left)) + self._first).sum(axis=0)

    def _left(self, rows: Any) -> Any:
        """The leaves that each tree (a row) leaves possible for each row of a table (a column)."""
        columns = np.ascontiguousarray(rows.T).take(self._feature, axis=0)  # a test's comparisons lie side by side
        passed = (columns <= self._threshold) * _ALL
        kept = passed.take(self._nodes, axis=0)
        kept |= self._masks
        return np.bitwise_and.reduce(kept.reshape(-1, len(self._first), len(rows)), axis=0)


def _in_steps(tests: Any, masks: Any, starts: Any) -> tuple[Any, Any]:
    """The first nodes of all trees, then their second ones and so on: the number of each node's test, and its mask.
    A tree that has no more nodes gets one that keeps all leaves.
    """
    sizes = np.diff(np.append(starts, len(tests)))
    steps = np.arange(sizes.max(initial=1))[:, None]
    more = steps < sizes
    at = np.where(more, starts + steps, 0)
    return tests[at].ravel(), np.where(more, masks[at], _ALL).reshape(-1, 1)


_BLOCK = 128
"""Rows that are judged at once: what is worked out for them stays in the processor's cache."""
_ALL = np.uint16(0xFFFF)
_BITS = np.arange(1 << 16, dtype=np.int64)
_LOWEST = np.log2(np.maximum(_BITS & -_BITS, 1)).astype(np.uint8)
