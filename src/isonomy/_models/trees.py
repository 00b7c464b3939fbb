"""Decision trees in a model file.

scikit-learn walks a tree's table of nodes without looking whether its indices lie inside the
table and the features, so a made-up table could read foreign memory. Hence they are checked here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE
from sklearn.tree._tree import NODE_DTYPE

from isonomy._models.model_file_error import ModelFileError

Nodes = NDArray[np.void]

# Estimators that walk trees over the columns of X after comparing their number with this
# attribute; how their lists of trees look does not matter.
WIDTH = "n_features_in_"
WALKERS = frozenset(
    {
        "DecisionTreeClassifier",
        "DecisionTreeRegressor",
        "ExtraTreeClassifier",
        "ExtraTreeRegressor",
        "ExtraTreesClassifier",
        "HistGradientBoostingClassifier",
        "RandomForestClassifier",
    }
)


def tree_width(nodes: Nodes, *, max_depth: int, n_features: int) -> int:
    """Features that a `Tree` needs, after its table is checked."""
    _check_layout(nodes, NODE_DTYPE)
    left, right = nodes["left_child"], nodes["right_child"]
    inner = left != -1
    width = _width(nodes["feature"], inner)
    if _depth(left, right, inner) > max_depth or width > n_features:
        raise ModelFileError("A decision tree is deeper, or needs more features, than it says.")
    return width


def predictor_width(nodes: Nodes) -> int:
    """Features that a tree of histogram gradient boosting needs, after its table is checked."""
    _check_layout(nodes, PREDICTOR_RECORD_DTYPE)
    inner = nodes["is_leaf"] == 0
    if nodes["is_categorical"].any():
        raise ModelFileError("A decision tree splits by category, which is not allowed.")
    _depth(nodes["left"], nodes["right"], inner)
    return _width(nodes["feature_idx"], inner)


def _check_layout(nodes: Nodes, layout: np.dtype[np.void]) -> None:
    """scikit-learn reads a table by the places of its fields, not by their names."""
    if nodes.ndim != 1 or not nodes.size or nodes.dtype != layout:
        raise ModelFileError("A decision tree's table of nodes should have scikit-learn's fields.")


def _width(features: NDArray[np.integer], inner: NDArray[np.bool_]) -> int:
    used = features[inner]
    if used.size and used.min() < 0:
        raise ModelFileError("A decision tree asks for a feature of negative number.")
    return int(used.max()) + 1 if used.size else 0


def _depth(left: NDArray[np.integer], right: NDArray[np.integer], inner: NDArray[np.bool_]) -> int:
    """Depth of a tree whose children come after their parents, as they always do."""
    parents = np.flatnonzero(inner)
    for children in (left, right):
        found = children[inner].astype(np.float64)
        if ((found <= parents) | (found >= inner.size)).any():
            raise ModelFileError("A decision tree has a child that is not among its later nodes.")
    if np.unique(np.concatenate([left[inner], right[inner]])).size != 2 * parents.size:
        raise ModelFileError("A decision tree has a node with two parents.")
    depth, level = 0, np.flatnonzero(inner[:1])
    while level.size:
        depth += 1
        level = np.concatenate([left[level], right[level]]).astype(np.int64)
        level = level[inner[level]]
    return depth
