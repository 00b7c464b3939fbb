"""Features of any scale, type and oddity."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from isonomy._core.objectives import LossAggregation, OneLabel, WorstLabel
from isonomy._rankers.linear.ranker import LinearRanker
from tests.rankers.explicit import Explicit, data


def test_scales_and_shifts_of_features_cost_no_accuracy():
    X, Y = data(5)
    scale, shift = 10.0 ** np.array([-4, -2, 0, 3, 5]), 1e3
    plain = LinearRanker(l2=0).fit(X, Y)
    other = LinearRanker(l2=0).fit((X + shift) * scale, Y)
    np.testing.assert_allclose(other.coef_ * scale, plain.coef_, atol=1e-6)
    assert other.n_iter_ <= plain.n_iter_ + 2


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
def test_sparse_equals_dense(make, positive):
    X, Y = data(6, n=2000)
    X[np.random.default_rng(0).random(X.shape) < 0.7] = 0.0
    dense = LinearRanker(positive=positive).fit(X, Y)
    thin = LinearRanker(positive=positive).fit(make(X), Y)
    np.testing.assert_allclose(thin.coef_, dense.coef_, atol=1e-9)
    np.testing.assert_allclose(thin.predict(make(X)), dense.predict(X), atol=1e-8)


def test_many_sparse_features():
    rng = np.random.default_rng(0)
    X = sparse.random(3000, 700, density=0.02, format="csr", random_state=0)
    y = (X @ rng.normal(size=700) + 0.1 * rng.normal(size=3000) > 0).astype(int)
    thin = LinearRanker(l2=1e-3).fit(X, y)
    dense = LinearRanker(l2=1e-3).fit(X.toarray(), y)
    assert thin.converged_
    np.testing.assert_allclose(thin.coef_, dense.coef_, atol=1e-6)


def test_float32_is_computed_with_in_double_precision():
    X, Y = data(7)
    X = X.astype(np.float32)
    single, double = LinearRanker().fit(X, Y), LinearRanker().fit(X.astype(float), Y)
    np.testing.assert_array_equal(single.coef_, double.coef_)


@pytest.mark.parametrize("positive", [False, True])
def test_constant_and_repeated_features(positive):
    X, Y = data(17)
    X = np.column_stack([X, np.full(len(X), 7.0), X[:, 0], np.zeros(len(X))])
    ranker = LinearRanker(l2=1e-4, positive=positive).fit(X, Y)
    assert ranker.converged_
    np.testing.assert_array_equal(ranker.coef_[[5, 7]], 0.0)
    np.testing.assert_allclose(ranker.coef_[6], ranker.coef_[0], atol=1e-6)
    assert LinearRanker(l2=0.0, positive=positive).fit(X, Y).score(X, Y) > 0.5


def test_nothing_but_constants_gives_zero_weights():
    ranker = LinearRanker().fit(np.ones((6, 2)), [0, 1, 0, 1, 1, 0])
    np.testing.assert_array_equal(ranker.coef_, [0.0, 0.0])


@pytest.mark.parametrize("constant", [0.1, 1 / 3, 1000.1])
@pytest.mark.parametrize("objective", [LossAggregation(), WorstLabel()])
def test_a_constant_feature_changes_nothing_without_a_penalty(
    constant: float, objective: object
) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(500, 3))
    Y = X[:, :2] + rng.logistic(size=(500, 2)) > 0
    alone = LinearRanker(objective, l2=0.0).fit(X, Y)
    beside = LinearRanker(objective, l2=0.0).fit(np.c_[X, np.full(500, constant)], Y)
    assert beside.converged_
    assert beside.coef_[:3] == pytest.approx(alone.coef_, abs=1e-6)
    assert beside.coef_[3] == 0.0


def test_a_column_that_is_constant_but_for_one_row_is_not_constant():
    X, Y = data(19, n=2000)
    rare = np.full(len(X), 3.0)
    rare[777] = 4.0
    dense = np.column_stack([X, rare])
    coef = LinearRanker(l2=1e-3).fit(dense, Y).coef_
    assert coef[5] != 0.0
    thin = LinearRanker(l2=1e-3).fit(sparse.csr_array(dense), Y)
    np.testing.assert_allclose(thin.coef_, coef, atol=1e-8)


def outlying(side):
    """One entry of 1e12: among the positives it helps, among the negatives it hurts."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(2000, 3))
    y = (X[:, 0] + rng.logistic(size=2000) > 0).astype(int)
    X[np.flatnonzero(y == side)[0], 0] = 1e12
    return X, y


def test_an_outlier_on_the_right_side_changes_nothing():
    X, y = outlying(1)
    row = np.argmax(X[:, 0])
    ranker = LinearRanker(OneLabel(0)).fit(X, y)
    assert ranker.converged_
    # Its pairs cost nothing: the rest decides, with pairs of another total.
    rest = LinearRanker(OneLabel(0), l2=1e-6 * y.sum() / (y.sum() - 1))
    rest.fit(np.delete(X, row, axis=0), np.delete(y, row))
    np.testing.assert_allclose(ranker.coef_, rest.coef_, atol=1e-6)


def test_an_outlier_on_the_wrong_side_takes_its_features_weight():
    X, y = outlying(0)
    ranker = LinearRanker(OneLabel(0), l2=0.0).fit(X, y)
    assert ranker.converged_
    explicit = Explicit(X * [1e-12, 1, 1], y, OneLabel(0), l2=0.0)
    scaled = ranker.coef_ * [1e12, 1, 1]
    slope = explicit.mix @ explicit.gradients(scaled)
    np.testing.assert_allclose(slope, 0.0, atol=1e-6)


def test_heavy_tails():
    X, Y = data(24)
    X = X * np.random.default_rng(0).standard_cauchy(X.shape)
    best = Explicit(X, Y, LossAggregation()).best()
    ranker = LinearRanker(LossAggregation()).fit(X, Y)
    assert ranker.converged_
    np.testing.assert_allclose(ranker.coef_, best, atol=1e-6)


@pytest.mark.parametrize("scale", [1e-200, 1e-160, 1e160, 1e200])
@pytest.mark.parametrize("positive", [False, True])
def test_tiny_and_huge_features_are_like_others(scale, positive):
    X, Y = data(25)
    scales = np.array([1, scale, 1, 1, scale])
    plain = LinearRanker(l2=0.0, positive=positive).fit(X, Y)
    other = LinearRanker(l2=0.0, positive=positive).fit(X * scales, Y)
    assert other.converged_
    np.testing.assert_allclose(other.coef_ * scales, plain.coef_, atol=1e-6)
