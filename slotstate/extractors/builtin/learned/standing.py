"""How well each mention fits each slot, beside the slot's rivals for it and the mention's rivals for the slot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

ALONE: Final = -8.0
"""The logit of a rival that does not exist."""


class Standing:
    """Tables with a row for each mention and a column for each slot, as lists: single numbers are looked up fast.

    `fit` the logit; `rival` the best of the other slots of the same domain; `outside` by how much it beats the best
    slot of other domains; `rank` how many slots fit better; `user` and `heard` by how much it falls behind the best
    mention in the user's and the assistant's turn.
    """

    def __init__(self, fits: Any, texts: Sequence[int], homes: Sequence[str]) -> None:
        count, width = fits.shape
        names = list(dict.fromkeys(homes))
        home = np.array([names.index(one) for one in homes], np.intp)
        rival = np.full((count, width), ALONE)
        best = np.full((count, len(names)), ALONE)
        for at in range(len(names)):
            columns = np.flatnonzero(home == at)
            part = fits[:, columns]
            best[:, at] = part.max(axis=1)
            if len(columns) > 1:
                rival[:, columns] = others(part)
        order = np.argsort(-fits, axis=1, kind="stable")
        ranks = np.empty_like(order)
        np.put_along_axis(ranks, order, np.arange(width)[None, :], axis=1)
        outside = fits - others(best)[:, home] if len(names) > 1 else np.full((count, width), -ALONE)
        where = np.array(texts)
        self.fit: list[list[float]] = fits.tolist()
        self.rival: list[list[float]] = rival.tolist()
        self.outside: list[list[float]] = outside.tolist()
        self.rank: list[list[int]] = ranks.tolist()
        self.user: list[list[float]] = _behind(fits, where == 0).tolist()
        self.heard: list[list[float]] = _behind(fits, where == 1).tolist()


def others(table: Any) -> Any:
    """For every cell the greatest of the other cells of its row."""
    order = np.argsort(table, axis=1)
    rows = np.arange(len(table))
    top = table[rows, order[:, -1]]
    out = np.repeat(top[:, None], table.shape[1], axis=1)
    out[rows, order[:, -1]] = table[rows, order[:, -2]]
    return out


def _behind(fits: Any, rows: Any) -> Any:
    return fits - fits[rows].max(axis=0) if rows.any() else np.zeros_like(fits)
