"""Trains the scorers by LightGBM and takes their trees out of it."""

from __future__ import annotations

from typing import Any

import lightgbm
import numpy as np

from slotstate.extractors.builtin.learned.fitting import LEAVES

PARAMETERS: dict[str, Any] = {
    "objective": "binary",
    "num_leaves": 15,
    "learning_rate": 0.1,
    "min_data_in_leaf": 40,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 2.0,
    "max_bin": 127,
    "use_missing": False,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "seed": 7,
    "verbosity": -1,
}
_ALL = 0xFFFF


def fit_trees(rows: Any, labels: Any, rounds: int, *, start: Any = None, seed: int = 7, **more: Any) -> dict[str, Any]:
    """The trees of a scorer, as arrays. `start` are logits that they add to."""
    data = lightgbm.Dataset(rows, labels.astype(np.float64), init_score=start)
    booster = lightgbm.train({**PARAMETERS, "seed": seed, **more}, data, rounds)
    return exported(booster)


def exported(booster: Any) -> dict[str, Any]:
    """The trees of a LightGBM model as `Trees` takes them."""
    feature: list[int] = []
    threshold: list[float] = []
    masks: list[int] = []
    starts: list[int] = []
    leaves: list[Any] = []
    for tree in booster.dump_model()["tree_info"]:
        starts.append(len(feature))
        values = np.zeros(LEAVES)
        _walk(tree["tree_structure"], feature, threshold, masks, values, [0])
        if len(feature) == starts[-1]:  # a tree of one leaf: a node that always says left
            feature.append(0)
            threshold.append(np.finfo(np.float64).max)
            masks.append(_ALL)
        leaves.append(values)
    return {
        "feature": np.array(feature, "<u2"),
        "threshold": np.array(threshold, "<f8"),
        "masks": np.array(masks, "<u2"),
        "starts": np.array(starts, "<u4"),
        "leaves": np.array(leaves, "<f8"),
    }


def _walk(
    node: Any, feature: list[int], threshold: list[float], masks: list[int], values: Any, count: list[int]
) -> int:
    """Number a subtree's leaves from left to right; returns them as bits."""
    if "split_index" not in node:
        leaf = count[0]
        count[0] += 1
        values[leaf] = node["leaf_value"]
        return 1 << leaf
    at = len(feature)
    feature.append(node["split_feature"])
    threshold.append(node["threshold"])
    masks.append(_ALL)
    left = _walk(node["left_child"], feature, threshold, masks, values, count)
    masks[at] = _ALL & ~left
    return left | _walk(node["right_child"], feature, threshold, masks, values, count)


def joined(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """The trees of both: their scores add up."""
    starts = np.concatenate([one["starts"], other["starts"] + np.uint32(len(one["feature"]))])
    both = {name: np.concatenate([one[name], other[name]]) for name in ("feature", "threshold", "masks", "leaves")}
    return {**both, "starts": starts}
