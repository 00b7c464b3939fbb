"""LightGBM's trees as arrays, from its own text."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isonomy._core import AnyArray, FloatArray
from isonomy._rankers.boosted.kernels.leaf_sums import CATEGORIES, NUMBER, NUMBER_OR_ZERO, ZERO
from isonomy._rankers.boosted.tree_builder import TreeBuilder
from isonomy._rankers.boosted.trees import Trees

# The bits of a node's `decision_type`: by category, missing values go left, what is missing.
_BY_CATEGORY, _LEFT, _MISSING = 1, 2, 2
_NONE, _ZERO = 0, 1


def lightgbm_trees(booster: Any, n_rounds: int) -> tuple[Trees, FloatArray]:
    """The first rounds of a booster, and what each feature's splits have gained."""
    head, *blocks = booster.model_to_string(num_iteration=n_rounds).split("\nTree=")
    facts = _entries(head)
    builder = TreeBuilder(int(facts["max_feature_idx"]) + 1, np.float64)
    for block in blocks:
        _add(builder, _entries(block))
    return builder.trees(base=0.0, gap_in_sparse=False), builder.gains()


def _entries(block: str) -> dict[str, str]:
    """The lines `name=value` up to the first empty one."""
    lines = (line.partition("=") for line in block.split("\n\n", 1)[0].splitlines())
    return {name: value for name, _, value in lines}


def _add(builder: TreeBuilder, tree: dict[str, str]) -> None:
    if tree.get("is_linear", "0") != "0":
        raise ValueError("LightGBM's linear trees have leaves that are no constants.")
    leaves = _numbers(tree["leaf_value"], np.float64)
    if leaves.size == 1:
        builder.add_leaf(float(leaves[0]))
        return
    decision = _numbers(tree["decision_type"], np.int64)
    threshold = _numbers(tree["threshold"], np.float64)
    by_category = (decision & _BY_CATEGORY) > 0
    missing = decision >> _MISSING & 3
    kind = np.where(missing == _ZERO, NUMBER_OR_ZERO, NUMBER)
    # Where nothing counts as missing, NaN is read as 0.
    left = np.where(missing == _NONE, threshold >= 0.0, (decision & _LEFT) > 0)
    builder.add(
        feature=_numbers(tree["split_feature"], np.int64),
        threshold=np.where(by_category, 0.0, _beside_zero(threshold)),
        children=np.column_stack(
            [_numbers(tree[name], np.int64) for name in ("left_child", "right_child")]
        ),
        # A missing category is in no set.
        gap_side=np.where(by_category | ~left, 1, 0),
        kind=np.where(by_category, CATEGORIES, kind),
        sets=_sets(tree, threshold, by_category),
        leaf_value=leaves,
        gain=np.maximum(_numbers(tree["split_gain"], np.float64), 0.0),
    )


def _sets(
    tree: dict[str, str], threshold: FloatArray, by_category: NDArray[np.bool_]
) -> dict[int, NDArray[np.uint32]]:
    """For each node that splits by category, its set; the threshold is the set's number."""
    if not by_category.any():
        return {}
    ends = _numbers(tree["cat_boundaries"], np.int64)
    words = _numbers(tree["cat_threshold"], np.uint32)
    places = {int(node): int(threshold[node]) for node in np.flatnonzero(by_category)}
    return {node: words[ends[place] : ends[place + 1]] for node, place in places.items()}


def _beside_zero(threshold: FloatArray) -> FloatArray:
    """Thresholds that a number so small that LightGBM takes it for zero falls on zero's side of."""
    near = np.abs(threshold) <= ZERO
    moved = np.where(threshold < 0, np.nextafter(-ZERO, -1.0), ZERO)
    return np.where(near, moved, threshold)


def _numbers(text: str, dtype: Any) -> AnyArray:
    return np.array(text.split(), dtype=np.float64 if dtype is np.float64 else object).astype(dtype)
