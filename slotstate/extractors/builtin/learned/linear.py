"""Hashed logistic models: one that judges pairs (something said × something declared), one with several outputs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from slotstate.extractors.builtin.learned.hashing import mixed


class Side:
    """Things of one side of pairs, each given as its features' numbers, made ready to be paired. Numbers that several
    things share are looked up once: `distinct` holds each once, `places` where those of `numbers` are in it (None:
    they are all of `numbers`, in order).
    """

    def __init__(self, parts: Sequence[Any]) -> None:
        self.count = len(parts)
        self.numbers = np.concatenate(parts) if parts else np.zeros(0, np.uint32)
        self.starts = np.fromiter(accumulate((len(part) for part in parts[:-1]), initial=0), np.intp)
        self.distinct, self.places = self.numbers, None
        if self.count > 1:
            self.distinct, self.places = np.unique(self.numbers, return_inverse=True)


class Crossed:
    """Scores pairs by the sum of the weights of all pairs of their features. `weights` has a power of two entries."""

    def __init__(self, weights: Any, bias: float) -> None:
        self._weights = weights.astype(np.float32)
        self._mask = np.uint32(len(weights) - 1)
        self._bias = np.float32(bias)

    def scores(self, lefts: Side, rights: Side) -> Any:
        """The logits of every left thing (a row) with every right thing (a column)."""
        if not lefts.count or not rights.count:
            return np.zeros((lefts.count, rights.count), np.float32)
        at = mixed(lefts.distinct, rights.distinct)
        at &= self._mask
        cells = self._weights.take(at)
        if lefts.places is not None:
            cells = cells.take(lefts.places, axis=0)
        rows = np.add.reduceat(cells, lefts.starts, axis=0) if lefts.count < len(cells) else cells
        if rights.places is not None:
            rows = rows.take(rights.places, axis=1)
        return np.add.reduceat(rows, rights.starts, axis=1) + self._bias


class Several:
    """Several logistic outputs over the same hashed features: `weights` has a row for each bucket."""

    def __init__(self, weights: Any, bias: Any) -> None:
        self._weights = weights.astype(np.float32)
        self._mask = np.uint32(len(weights) - 1)
        self._bias = bias

    def probabilities(self, features: Any) -> Any:
        """The probability of each output."""
        total = self._weights[features & self._mask].sum(axis=0) + self._bias
        return 1 / (1 + np.exp(-total))
