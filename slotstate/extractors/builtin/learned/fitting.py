"""Whether the arrays of a model file fit together: a file that was put together wrongly is refused when it is read, not
at the first turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from slotstate.extractors.builtin.learned.columns import NAMES
from slotstate.extractors.builtin.learned.models import CROSSED, SYSTEM_ACTS, USER_ACTS
from slotstate.extractors.builtin.learned.rivals import EXTRA
from slotstate.extractors.builtin.learned.tagger import LABELS

LEAVES: Final = 16
"""Of each tree."""
_ACTS: Final = {"user_acts": len(USER_ACTS), "system_acts": len(SYSTEM_ACTS)}
_COLUMNS: Final = {"first": len(NAMES), "second": len(NAMES) + len(EXTRA)}


def check_arrays(arrays: Mapping[str, Any]) -> None:
    """Raises ValueError where the arrays of models have not the shapes that they need, or hold what is no number;
    KeyError where one is missing.
    """
    for name in CROSSED:
        _need(name, arrays[name].ndim == 1 and _is_power(len(arrays[name])) and arrays[f"{name}.bias"].shape == (1,))
    for name, count in _ACTS.items():
        table, bias = arrays[name], arrays[f"{name}.bias"]
        _need(name, table.ndim == 2 and table.shape[1] == count and _is_power(len(table)) and bias.shape == (count,))
    for name in (*CROSSED, *_ACTS, "tagger", "moves"):
        _need(name, arrays[f"{name}.step"].shape == (1,))
    rows, labels = len(arrays["tagger"]), len(LABELS)
    fits = rows > 0 and arrays["tagger"].shape == (rows, labels) and arrays["tagger.keys"].shape == (rows,)
    _need("tagger", fits and arrays["moves"].shape == (labels, labels))
    for name, columns in _COLUMNS.items():
        _need(name, _are_trees({part: arrays[f"{name}.{part}"] for part in _PARTS}, columns))
    for name, array in arrays.items():
        _need(name, bool(np.isfinite(array).all()))


_PARTS: Final = ("feature", "threshold", "masks", "starts", "leaves")


def _are_trees(parts: Mapping[str, Any], columns: int) -> bool:
    """Whether nodes, their tests and the leaves belong together, for rows of so many columns."""
    feature, starts, leaves = parts["feature"], parts["starts"].astype(np.int64), parts["leaves"]
    if feature.ndim != 1 or not len(feature) or any(parts[name].shape != feature.shape for name in _PARTS[1:3]):
        return False
    if starts.ndim != 1 or not len(starts) or leaves.shape != (len(starts), LEAVES):
        return False
    ordered = starts[0] == 0 and (np.diff(starts) >= 0).all() and starts[-1] <= len(feature)
    return bool(ordered and (np.diff(np.append(starts, len(feature))) < LEAVES).all() and feature.max() < columns)


def _is_power(count: int) -> bool:
    """Whether it is a power of two."""
    return count > 0 and not count & (count - 1)


def _need(name: str, fits: bool) -> None:
    if not fits:
        raise ValueError(name)


__all__ = ["check_arrays"]
