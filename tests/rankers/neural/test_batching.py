"""Rows of a network: features in blocks and to scale, batches that hold groups whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from isonomy._rankers.neural import batching
from isonomy._rankers.neural.batching import batches
from tests.rankers.explicit import data
from tests.rankers.neural.quick import quick, same


def test_features_may_stay_as_they_are() -> None:
    X, Y = data(15)
    ranker = quick(standardize=False).fit(X, Y)
    np.testing.assert_array_equal(ranker.mean_, np.zeros(5))
    np.testing.assert_array_equal(ranker.scale_, np.ones(5))


def test_scales_and_shifts_of_features_do_not_matter() -> None:
    X, Y = data(17)
    plain_ = quick().fit(X, Y)
    moved = quick().fit(X * 2.0 ** np.array([-40, -2, 0, 3, 400]), Y)
    np.testing.assert_allclose(plain_.history_["loss"], moved.history_["loss"], rtol=1e-4)
    constant = quick().fit(np.c_[X, np.full(len(X), 0.1)], Y)
    assert np.isfinite(constant.predict(np.c_[X, np.zeros(len(X))])).all()


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_matrix])
def test_sparse_equals_dense(make: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(batching, "_BLOCK", 500)
    X, Y = data(18)
    X[np.random.default_rng(0).random(X.shape) < 0.7] = 0.0
    dense, thin = quick().fit(X, Y), quick().fit(make(X), Y)
    np.testing.assert_array_equal(thin.predict(make(X)), dense.predict(X))


def test_single_precision_is_not_copied() -> None:
    X, Y = data(19)
    X = X.astype(np.float32)
    single, double = quick().fit(X, Y), quick().fit(X.astype(float), Y)
    assert same(single, double)


def test_batches_hold_every_row_once_and_groups_whole() -> None:
    rng = np.random.default_rng(0)
    rows = np.sort(rng.permutation(1000)[:701])
    dealt = batches(rows, None, 100, rng)
    assert {part.size for part in dealt} <= {87, 88}
    np.testing.assert_array_equal(np.sort(np.concatenate(dealt)), rows)
    groups = rng.integers(0, 60, 1000)
    groups[:200] = 7
    dealt = batches(rows, groups, 50, rng)
    np.testing.assert_array_equal(np.sort(np.concatenate(dealt)), rows)
    of = [set(groups[part]) for part in dealt]
    assert sum(map(len, of)) == len(set().union(*of)), "a group is in two batches"
    assert all(part.size <= 50 or len(set(groups[part])) == 1 for part in dealt)
    assert len(batches(rows, groups, None, rng)) == len(batches(rows, None, None, rng)) == 1
