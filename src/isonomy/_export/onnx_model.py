"""A fitted ranker as an ONNX model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isonomy._core import FloatArray
from isonomy._export.formula import (
    ACTIVATIONS,
    Clipped,
    Constant,
    Filled,
    Forest,
    Formula,
    Linear,
    LogProbability,
    ModelParts,
    Network,
    Probability,
    Scaled,
    Sum,
)
from isonomy._export.onnx_columns import category_matrix, encoded_matrix, filled
from isonomy._export.onnx_graph import Graph
from isonomy._rankers.boosted import (
    CATEGORIES,
    NUMBER_OR_ZERO,
    ZERO,
    BoostedRanker,
    Trees,
)

# Modes of nodes, by ONNX's numbers.
_AT_MOST, _MEMBER = 0, 6


def to_onnx(ranker: Any) -> bytes:
    """A fitted ranker, or a pipeline that ends in one, as an ONNX model.

    The model computes in float32 and gives one output, `score`, of shape (rows,). A model that
    reads raw tables, as the command line saves them, has an input for each column that it needs,
    of shape (rows, 1): float32 with NaN for missing numbers, text with "" for missing words. Any
    other has one input, `X`, of shape (rows, features).

    Parameters
    ----------
    ranker : ranker or Pipeline
        `LinearRanker` (also what `blend` returns), `BoostedRanker`, `NeuralRanker`, `BlendRanker`
        and `PlugInRanker` of logistic regressions, networks or boosted trees; alone, after
        `StandardScaler`, or in the pipelines that `isonomy fit` and `compare` make.

    Returns
    -------
    bytes
        Write them to a file, or hand them to `onnxruntime.InferenceSession`.

    Raises
    ------
    TypeError
        If `ranker` is no ranker.
    ValueError
        If it is not fitted, or computes what ONNX cannot, such as hashes of words.
    ImportError
        If onnx is not installed: ``pip install 'isonomy[onnx]'``.

    See Also
    --------
    to_sql, save

    Examples
    --------
    >>> import numpy as np
    >>> import onnxruntime
    >>> import isonomy as iso
    >>> X, Y = [[0.0, 2.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]], [[0, 0], [1, 0], [0, 1], [1, 1]]
    >>> ranker = iso.LinearRanker(l2=0.01).fit(X, Y)
    >>> session = onnxruntime.InferenceSession(iso.to_onnx(ranker))
    >>> (scores,) = session.run(["score"], {"X": np.array(X, dtype=np.float32)})
    >>> bool(np.allclose(scores, ranker.predict(X), atol=1e-5))
    True
    """
    parts = ModelParts.of(ranker)
    graph = Graph()
    facts: dict[str, Any] = {"kind": type(parts.ranker).__name__}
    names = parts.feature_names()
    if parts.encoder is not None:
        X = encoded_matrix(graph, parts.encoder)
    elif isinstance(parts.ranker, BoostedRanker) and parts.ranker.categories_:
        X = category_matrix(graph, names or [], parts.ranker.categories_)
    else:
        X = graph.add_input("X", max(parts.n_features, 1))
        facts |= {} if names is None else {"columns": names}
    return graph.finished(_emit(graph, parts.formula, X), facts)


def _emit(graph: Graph, formula: Formula, X: str) -> str:
    """The name of a formula's value, (rows, 1)."""
    if isinstance(formula, Scaled):
        centred = graph.op("Sub", X, graph.constant(formula.mean[None]))
        return _emit(graph, formula.then, graph.op("Div", centred, graph.constant(formula.scale)))
    if isinstance(formula, Filled):
        return _emit(graph, formula.then, filled(graph, X, formula.value, formula.flagged))
    if isinstance(formula, Linear):
        product = graph.op("MatMul", X, graph.constant(formula.weight[:, None]))
        return graph.op("Add", product, graph.constant([[formula.intercept]]))
    if isinstance(formula, Forest):
        return _forest(graph, formula.trees, X)
    if isinstance(formula, Network):
        return _network(graph, formula, X)
    if isinstance(formula, Constant):
        return _constant(graph, formula.value, X)
    if isinstance(formula, Sum):
        return _sum(graph, formula, X)
    part = _emit(graph, formula.part, X)
    if isinstance(formula, Clipped):
        return graph.op("Clip", part, *(graph.constant(each * formula.most) for each in (-1, 1)))
    if isinstance(formula, Probability):
        return graph.op("Sigmoid", part)
    assert isinstance(formula, LogProbability)
    return graph.op("Neg", graph.op("Softplus", graph.op("Neg", part)))


def _sum(graph: Graph, formula: Sum, X: str) -> str:
    total = _constant(graph, formula.constant, X)
    for weight, part in zip(formula.weights, formula.parts, strict=True):
        term = graph.op("Mul", _emit(graph, part, X), graph.constant([[weight]]))
        total = graph.op("Add", total, term)
    return total


def _network(graph: Graph, formula: Network, X: str) -> str:
    for number, (weights, intercepts) in enumerate(formula.layers):
        if number:
            X = graph.op(ACTIVATIONS[formula.activation], X)
        X = graph.op("MatMul", X, graph.constant(weights))
        X = graph.op("Add", X, graph.constant(np.reshape(intercepts, (1, -1))))
    return X


def _constant(graph: Graph, value: float, X: str) -> str:
    """A number for each row."""
    shape = graph.op(
        "Slice", graph.op("Shape", X), *(graph.constant([k], np.int64) for k in (0, 1))
    )
    shape = graph.op("Concat", shape, graph.constant([1], np.int64), axis=0)
    return graph.op("Expand", graph.constant([[value]]), shape)


def _forest(graph: Graph, trees: Trees, X: str) -> str:
    # Trees that are a leaf alone are a constant.
    alone = trees.roots < 0
    base = trees.base + float(trees.leaf_value[~trees.roots[alone]].astype(np.float64).sum())
    if not trees.feature.size:
        return _constant(graph, base, X)
    X = _with_zeros_as_gaps(graph, trees, X)
    by_set = trees.kind == CATEGORIES
    first, second = trees.children.T
    found = graph.trees(
        X,
        n_targets=1,
        aggregate_function=1,
        post_transform=0,
        tree_roots=trees.roots[~alone],
        nodes_featureids=trees.feature,
        nodes_splits=_rounded_down(trees.threshold),
        nodes_modes=np.where(by_set, _MEMBER, _AT_MOST).astype(np.uint8),
        nodes_truenodeids=np.where(first < 0, ~first, first),
        nodes_trueleafs=(first < 0).astype(np.int64),
        nodes_falsenodeids=np.where(second < 0, ~second, second),
        nodes_falseleafs=(second < 0).astype(np.int64),
        nodes_missing_value_tracks_true=(trees.gap_side == 0).astype(np.int64),
        leaf_targetids=np.zeros(trees.leaf_value.size, np.int64),
        leaf_weights=trees.leaf_value.astype(np.float32),
        **_members(trees, np.flatnonzero(by_set)),
    )
    return graph.op("Add", found, graph.constant([[base]]))


def _members(trees: Trees, nodes: NDArray[np.int64]) -> dict[str, NDArray[np.float32]]:
    """The sets of the nodes that have one, in their order, each ended by NaN."""
    if not nodes.size:
        return {}
    parts = [np.append(trees.categories(int(node)), np.nan) for node in nodes]
    return {"membership_values": np.concatenate(parts).astype(np.float32)}


def _rounded_down(threshold: FloatArray) -> NDArray[np.float32]:
    """The largest float32 that is at most the threshold: no float32 lies between the two."""
    found = threshold.astype(np.float32)
    below = np.nextafter(found, np.float32(-np.inf))
    return np.where(found.astype(np.float64) > threshold, below, found).astype(np.float32)


def _with_zeros_as_gaps(graph: Graph, trees: Trees, X: str) -> str:
    """X with NaN in place of zeros, in the columns whose nodes take zero for missing."""
    columns = np.zeros((1, trees.n_features), bool)
    columns[0, trees.feature[trees.kind == NUMBER_OR_ZERO]] = True
    if not columns.any():
        return X
    tiny = graph.op("LessOrEqual", graph.op("Abs", X), graph.constant(ZERO))
    gaps = graph.op("And", tiny, graph.constant(columns, bool))
    return graph.op("Where", gaps, graph.constant(np.nan), X)
