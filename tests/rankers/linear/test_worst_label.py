"""The worst label: against an epigraph solver, with a gap that bounds the error."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy._core.objectives import LossAggregation, WorstLabel
from isonomy._rankers.linear.ranker import LinearRanker
from isonomy._rankers.linear.worst_label import simplex_maximum
from tests.rankers.explicit import Explicit, data


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("n_labels", [1, 2, 3, 6])
def test_reaches_the_explicit_optimum(seed, positive, n_labels):
    X, Y = data(seed, n_labels=n_labels)
    explicit = Explicit(X, Y, WorstLabel(), l2=1e-3)
    best = explicit.best_worst(positive)
    with warnings.catch_warnings():
        # For some labels no feature deserves a weight > 0.
        warnings.filterwarnings("ignore", "All weights ended at 0")
        ranker = LinearRanker(WorstLabel(), l2=1e-3, positive=positive).fit(X, Y)
    assert ranker.converged_
    assert 0 <= ranker.gap_ < 1e-8
    np.testing.assert_allclose(ranker.coef_, best, atol=1e-6, rtol=0)


def test_reaches_the_optimum_with_weights_groups_and_the_default_penalty():
    X, Y = data(5)
    rng = np.random.default_rng(3)
    groups, weight = rng.integers(0, 8, len(X)), rng.exponential(size=len(X))
    best = Explicit(X, Y, WorstLabel(), weight=weight, groups=groups).best_worst()
    ranker = LinearRanker(WorstLabel()).fit(X, Y, sample_weight=weight, groups=groups)
    np.testing.assert_allclose(ranker.coef_, best, atol=1e-6, rtol=0)


@pytest.mark.parametrize("n_labels", [2, 7, 20])
@pytest.mark.parametrize("l2", [1e-6, 1.0])
def test_the_label_weights_prove_the_optimum(n_labels, l2):
    X, Y = data(6, n=2000, n_labels=n_labels)
    ranker = LinearRanker(WorstLabel(), l2=l2).fit(X, Y)
    a = ranker.label_weights_
    assert ranker.gap_ < 1e-8
    assert a.min() >= 0
    np.testing.assert_allclose(a.sum(), 1.0)
    same = LinearRanker(LossAggregation(a), l2=l2).fit(X, Y)
    np.testing.assert_allclose(same.coef_, ranker.coef_, atol=1e-5)


def test_equal_labels_share_what_one_would_have():
    X, Y = data(7, n_labels=2)
    alone = LinearRanker(WorstLabel()).fit(X, Y)
    twice = LinearRanker(WorstLabel()).fit(X, Y[:, [0, 1, 0, 1]])
    assert twice.gap_ < 1e-8
    np.testing.assert_allclose(twice.coef_, alone.coef_, atol=1e-6)


def test_the_gap_without_a_penalty_is_an_estimate():
    X, Y = data(8)
    ranker = LinearRanker(WorstLabel(), l2=0.0).fit(X, Y)
    assert ranker.gap_ < 1e-8
    near = LinearRanker(WorstLabel(), l2=1e-9).fit(X, Y)
    np.testing.assert_allclose(ranker.coef_, near.coef_, atol=1e-5)


def test_the_gap_bounds_the_error_when_stopped_early():
    X, Y = data(9)
    explicit = Explicit(X, Y, WorstLabel(), l2=1e-2)
    best = explicit.best_worst()
    low = explicit.losses(best).max() + 5e-3 * best @ best
    with pytest.warns(UserWarning, match="Raise `max_iter`"):
        early = LinearRanker(WorstLabel(), l2=1e-2, max_iter=3).fit(X, Y)
    w = early.coef_
    assert explicit.losses(w).max() + 5e-3 * w @ w - low <= early.gap_ + 1e-12


@pytest.mark.parametrize("seed", [1, 3, 303])
def test_the_gap_bounds_the_error_when_converged(seed):
    X, Y = data(seed, n=200, d=4)
    ranker = LinearRanker(WorstLabel(), l2=1e-2).fit(X, Y)
    explicit = Explicit(X, Y, WorstLabel(), l2=1e-2)
    # The dual at the label weights, a lower bound, by Newton's method.
    a, w = ranker.label_weights_, ranker.coef_
    for _ in range(4):
        slope = a @ explicit.gradients(w) + 1e-2 * w
        w = w - np.linalg.solve(explicit.hessian(w, a) + 1e-2 * np.eye(4), slope)
    low = a @ explicit.losses(w) + 5e-3 * w @ w
    found = explicit.losses(ranker.coef_).max() + 5e-3 * ranker.coef_ @ ranker.coef_
    assert found - low <= ranker.gap_ + 1e-14


def test_another_objective_forgets_the_gap():
    X, Y = data(10)
    ranker = LinearRanker(WorstLabel()).fit(X, Y)
    ranker.set_params(objective=None).fit(X, Y)
    assert not hasattr(ranker, "gap_")
    assert not hasattr(ranker, "label_weights_")


@given(st.integers(0, 2**32 - 1), st.integers(1, 20), st.integers(1, 25))
def test_simplex_maximum_meets_its_conditions(seed, k, rank):
    rng = np.random.default_rng(seed)
    R = rng.normal(size=(rank, k))
    M, b = R.T @ R, rng.normal(size=k) * 10.0 ** rng.integers(-3, 2)
    a = rng.dirichlet(np.ones(k))
    a[rng.random(k) < 0.3] = 0.0
    a = a / a.sum() if a.any() else np.eye(k)[0]
    x = simplex_maximum(M, b, a)
    slope = b - M @ (x - a)
    assert x.min() >= 0
    np.testing.assert_allclose(x.sum(), 1.0)
    scale = np.abs(b).max() + np.abs(M).max()
    assert slope.max() - slope @ x <= 1e-7 * scale
