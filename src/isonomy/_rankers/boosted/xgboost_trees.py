"""XGBoost's trees as arrays, from its own binary JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isonomy._core import AnyArray, FloatArray
from isonomy._rankers.boosted.kernels.leaf_sums import CATEGORIES, NUMBER
from isonomy._rankers.boosted.tree_builder import TreeBuilder
from isonomy._rankers.boosted.trees import Trees, set_words
from isonomy._rankers.boosted.ubjson import read_ubjson


def xgboost_trees(booster: Any) -> tuple[Trees, FloatArray]:
    """A booster's trees, and what each feature's splits have gained."""
    learner = read_ubjson(bytes(booster.save_raw("ubj")))["learner"]
    facts, grown = learner["learner_model_param"], learner["gradient_booster"]
    builder = TreeBuilder(int(facts["num_feature"]), np.float32)
    # DART keeps a weight for each tree beside them.
    shares = grown.get("weight_drop")
    model = grown["model"] if "model" in grown else grown["gbtree"]["model"]
    for number, tree in enumerate(model["trees"]):
        share = np.float32(1.0 if shares is None else shares[number])
        _add(builder, tree, share)
    base = np.float32(np.ravel(json.loads(facts["base_score"]))[0])
    return builder.trees(base=float(base), gap_in_sparse=True), builder.gains()


def _add(builder: TreeBuilder, tree: dict[str, Any], share: np.float32) -> None:
    left, right = tree["left_children"], tree["right_children"]
    order = _breadth_first(left, right)
    inner = order[left[order] >= 0]
    leaves = order[left[order] < 0]
    value = tree["split_conditions"]
    if not inner.size:
        builder.add_leaf(float(value[0] * share))
        return
    number = np.empty(left.size, np.int64)
    number[inner], number[leaves] = np.arange(inner.size), -1 - np.arange(leaves.size)
    by_category = np.asarray(tree["split_type"])[inner] == 1
    # Categories of the set go right in XGBoost, and left here.
    first, second = (
        np.where(by_category, right[inner], left[inner]),
        np.where(by_category, left[inner], right[inner]),
    )
    gap_left = np.asarray(tree["default_left"])[inner] == 1
    builder.add(
        feature=tree["split_indices"][inner],
        # x < t of floats is x <= the float below t.
        threshold=np.where(by_category, 0.0, np.nextafter(value[inner], np.float32(-np.inf))),
        children=number[np.column_stack([first, second])],
        gap_side=np.where(gap_left == by_category, 1, 0),
        kind=np.where(by_category, CATEGORIES, NUMBER),
        sets=_sets(tree, inner),
        leaf_value=value[leaves] * share,
        gain=tree["loss_changes"][inner],
    )


def _breadth_first(left: AnyArray, right: AnyArray) -> NDArray[np.int64]:
    """All nodes that rows can reach, parents first; pruned ones are left out."""
    levels = [np.zeros(1, np.int64)]
    while levels[-1].size:
        parents = levels[-1][left[levels[-1]] >= 0]
        levels.append(np.column_stack([left[parents], right[parents]]).ravel().astype(np.int64))
    return np.concatenate(levels)


def _sets(tree: dict[str, Any], inner: NDArray[np.int64]) -> dict[int, NDArray[np.uint32]]:
    place = {int(node): k for k, node in enumerate(inner)}
    parts = zip(
        tree["categories_nodes"], tree["categories_segments"], tree["categories_sizes"], strict=True
    )
    return {
        place[int(node)]: set_words(tree["categories"][start : start + size])
        for node, start, size in parts
        if int(node) in place
    }
