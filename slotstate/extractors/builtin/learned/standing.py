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

    def __init__(self, fits: Any, texts: Sequence[int], homes: Any) -> None:
        """`homes` is the number of each slot's domain, as `at_home` wants it."""
        best, rival = at_home(fits, homes, ALONE)
        order = np.argsort(-fits, axis=1, kind="stable")
        ranks = np.empty_like(order)
        np.put_along_axis(ranks, order, np.arange(fits.shape[1])[None, :], axis=1)
        alone = best.shape[1] < 2
        outside = np.full(fits.shape, -ALONE) if alone else fits - others(best.astype(np.float64))[:, homes]
        where = np.array(texts)
        self.fit: list[list[float]] = fits.tolist()
        self.rival: list[list[float]] = rival.tolist()
        self.outside: list[list[float]] = outside.tolist()
        self.rank: list[list[int]] = ranks.tolist()
        self.user: list[list[float]] = _behind(fits, where == 0).tolist()
        self.heard: list[list[float]] = _behind(fits, where == 1).tolist()


def others(table: Any) -> Any:
    """For every cell the greatest of the other cells of its row."""
    return at_home(table, np.zeros(table.shape[1], np.intp), ALONE)[1]


def at_home(table: Any, homes: Any, alone: float) -> tuple[Any, Any]:
    """For every row the greatest cell of each home, and for every cell the greatest of the others of its row and home,
    `alone` where there is none. `homes` numbers the home of each column from 0; columns of a home follow each other.
    """
    starts = np.flatnonzero(np.diff(homes, prepend=-1))
    best = np.maximum.reduceat(table, starts, axis=1)
    top = best[:, homes]
    is_top = table == top
    second = np.maximum.reduceat(np.where(is_top, -np.inf, table), starts, axis=1)[:, homes]
    only = is_top & (np.add.reduceat(is_top, starts, axis=1, dtype=np.intp) == 1)[:, homes]
    found = np.where(only, second, top)
    found[:, (np.bincount(homes) == 1)[homes]] = alone
    return best, found


def ranks(values: Any, homes: Any) -> Any:
    """How many columns of the same home come before each by their values, the greatest first."""
    order = np.lexsort((-values, homes))
    found = np.empty(len(values))
    found[order] = np.arange(len(values)) - np.searchsorted(homes, homes)
    return found


def _behind(fits: Any, rows: Any) -> Any:
    return fits - fits[rows].max(axis=0) if rows.any() else np.zeros_like(fits)
