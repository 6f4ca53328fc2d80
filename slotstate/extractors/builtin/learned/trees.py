"""Gradient-boosted trees over many rows at once: every node is compared, and bit masks say which leaf is left."""

from __future__ import annotations

from typing import Any

import numpy as np


class Trees:
    """A sum of trees of at most 16 leaves. Node `i` sends a row left where `row[feature[i]] <= threshold[i]`;
    `masks[i]` are the leaves that stay possible where it goes right; `leaves` has 16 values for each tree.
    """

    def __init__(self, feature: Any, threshold: Any, masks: Any, starts: Any, leaves: Any) -> None:
        self._feature = feature.astype(np.intp)
        self._threshold = threshold.astype(np.float64)
        self._masks = masks.astype(np.uint16)
        self._starts = starts.astype(np.intp)
        self._leaves = leaves.astype(np.float64)
        self._trees = np.arange(len(leaves))

    def scores(self, rows: Any) -> Any:
        """The raw score (a logit) of each row of a table of float64."""
        columns = np.ascontiguousarray(rows.T)[self._feature]  # a node's comparisons lie side by side
        kept = (columns <= self._threshold[:, None]) * _ALL
        kept |= self._masks[:, None]
        leaf = _LOWEST[np.bitwise_and.reduceat(kept, self._starts, axis=0)]
        return self._leaves[self._trees[:, None], leaf].sum(axis=0)


_ALL = np.uint16(0xFFFF)
_BITS = np.arange(1 << 16, dtype=np.int64)
_LOWEST = np.log2(np.maximum(_BITS & -_BITS, 1)).astype(np.uint8)
