"""Features that would mislead: masked values, and sparse matrices whose indices lead outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

import isonomy as iso
from isonomy._core import check_features

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = (X[:, :2] + RNG.normal(size=(60, 2)) > 0).astype(int)
SCORES = X.sum(axis=1)
ROW = np.arange(60) == 3

RANKERS: dict[str, Callable[[], Any]] = {
    "linear": lambda: iso.LinearRanker(l2=0.1),
    "neural": lambda: iso.NeuralRanker(hidden=(2,), max_epochs=1),
    "boosted": lambda: iso.BoostedRanker(n_rounds=2),
    "plug-in": lambda: iso.PlugInRanker(LogisticRegression(), cv=None),
    "blend": lambda: iso.BlendRanker(LogisticRegression(), cv=2),
}


def spoiled(name: str, place: slice | int, value: Any) -> Any:
    matrix = sparse.csr_array(X)
    getattr(matrix, name)[place] = value
    return matrix


HOSTILE = {
    "masked": lambda: np.ma.array(X, mask=np.outer(ROW, [0, 1, 0])),
    "column beyond": lambda: spoiled("indices", 0, 10**6),
    "column below": lambda: spoiled("indices", 0, -5),
    "rows that end before they begin": lambda: spoiled("indptr", slice(3, 5), [12, 9]),
    "a row beyond": lambda: spoiled("indptr", 3, 10**6),
}


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("ranker", RANKERS)
def test_rankers_refuse_features_that_mislead(ranker: str, kind: str) -> None:
    bad = HOSTILE[kind]()
    found = "no masked values. Found 1, the first in row 3" if kind == "masked" else "sparse matrix"
    with pytest.raises(ValueError, match=f"Parameter `X` .*{found}"):
        RANKERS[ranker]().fit(bad, Y)
    fitted = RANKERS[ranker]().fit(X, Y)
    with pytest.raises(ValueError, match=f"Parameter `X` .*{found}"):
        fitted.predict(bad)


@pytest.mark.parametrize("ranker", RANKERS)
@pytest.mark.parametrize(
    ("frame", "error", "message"),
    [
        (pl.LazyFrame(X), TypeError, r"Parameter `X` .*a LazyFrame; pass `X.collect\(\)`"),
        (pd.DataFrame(X, columns=["a", "b", "a"]), ValueError, "`X` .*'a' more than once. Rename"),
    ],
    ids=["lazy", "names"],
)
def test_rankers_refuse_frames_without_values_or_names(
    ranker: str, frame: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        RANKERS[ranker]().fit(frame, Y)
    with pytest.raises(error, match=message):
        iso.compare(frame, Y)


def test_compare_and_trace_refuse_them_too() -> None:
    for bad in (HOSTILE["masked"](), HOSTILE["column beyond"]()):
        with pytest.raises(ValueError, match="Parameter `X`"):
            iso.compare(bad, Y)
        with pytest.raises(ValueError, match="Parameter `X`"):
            iso.pareto.trace(bad, Y)


@pytest.mark.parametrize("ranker", RANKERS)
def test_a_mask_that_hides_nothing_changes_nothing(ranker: str) -> None:
    plain, masked = (RANKERS[ranker]().set_params() for _ in range(2))
    if hasattr(plain, "random_state"):
        plain.random_state = masked.random_state = 0
    nothing = np.ma.array(X, mask=False)
    assert np.array_equal(plain.fit(X, Y).predict(X), masked.fit(nothing, Y).predict(nothing))


def test_other_formats() -> None:
    for kind in ("csr", "csc", "coo", "bsr", "lil", "dok", "dia"):
        check_features(sparse.csr_array(X).asformat(kind))
    matrix = sparse.coo_array(X)
    matrix.col[0] = 3
    with pytest.raises(ValueError, match="outside its shape"):
        check_features(matrix)


def masked(values: Any, mask: Any = ROW) -> Any:
    return np.ma.array(values, mask=mask)


@pytest.mark.parametrize("metric", [iso.label_aucs, iso.label_ndcgs, iso.auc_intervals])
def test_masked_labels_are_missing_and_all_else_is_refused(metric: Any) -> None:
    hidden = np.outer(ROW, [1, 0]).astype(bool)
    gap = np.where(hidden, np.nan, Y)
    found, expected = metric(masked(Y, hidden), SCORES), metric(gap, SCORES)
    assert np.array_equal(
        getattr(found, "estimate", found), getattr(expected, "estimate", expected)
    )
    weights, groups = RNG.random(60) + 0.1, RNG.integers(0, 4, 60)
    for name, value in (
        ("sample_weight", masked(weights)),
        ("counts", masked(groups + 1)),
        ("groups", masked(groups)),
        ("groups", masked(groups.astype(str))),
        ("clusters", masked(groups)),
    ):
        if name == "clusters" and metric is not iso.auc_intervals:
            continue
        with pytest.raises(ValueError, match=f"Parameter `{name}`"):
            metric(Y, SCORES, **{name: value})
    with pytest.raises(ValueError, match="Parameter `y_score` should hold no NaN"):
        metric(Y, masked(SCORES))


def test_entries_of_a_sparse_matrix_that_stand_twice_add_up() -> None:
    """scipy adds them; so do rankers, whatever reads the matrix."""
    plain = sparse.csr_array(X)
    twice = sparse.csr_array(
        (
            np.repeat(plain.data / 2, 2),
            np.repeat(plain.indices, 2),
            plain.indptr * 2,
        ),
        shape=plain.shape,
    )
    assert not twice.has_canonical_format
    for name in ("linear", "boosted", "neural"):
        ranker = RANKERS[name]()
        if hasattr(ranker, "random_state"):
            ranker.random_state = 0
        expected = ranker.fit(plain, Y).predict(plain)
        assert np.allclose(ranker.predict(twice), expected)
        assert np.allclose(ranker.fit(twice, Y).predict(plain), expected)
