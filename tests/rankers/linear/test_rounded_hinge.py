"""The hinge: linear and quadratic programs as its oracle."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import isonomy as iso
from isonomy._core.objectives import LabelAggregation, LossAggregation, OneLabel, WorstLabel
from isonomy._rankers.linear.ranker import LinearRanker
from tests.rankers.explicit import Explicit, data

OBJECTIVES = [
    LossAggregation(),
    LossAggregation([3, 1, 0]),
    LossAggregation("balanced"),
    LabelAggregation(),
    LabelAggregation(costs="uniform"),
    LabelAggregation("product"),
    OneLabel(1),
]


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("objective", [*OBJECTIVES[:1], *OBJECTIVES[3:5], WorstLabel()], ids=repr)
def test_the_hinge_reaches_the_optimum_of_a_linear_program(objective, positive):
    X, Y = data(20, n=100, d=4)
    X *= np.sign((Y.sum(axis=1) - Y.sum(axis=1).mean()) @ X)
    rng = np.random.default_rng(0)
    weight, groups = rng.exponential(size=len(X)), rng.integers(0, 4, len(X))
    options = {"surrogate": "hinge", "l2": 0.0, "group_weight": "equal"}
    explicit = Explicit(X, Y, objective, weight=weight, groups=groups, **options)
    worst = isinstance(objective, WorstLabel)
    best, low = explicit.best_hinge(positive, worst)
    ranker = LinearRanker(objective, positive=positive, **options)
    ranker.fit(X, Y, sample_weight=weight, groups=groups)
    losses = explicit.losses(ranker.coef_)
    assert ranker.converged_
    assert (losses.max() if worst else explicit.mix @ losses) == pytest.approx(low, rel=1e-7)
    np.testing.assert_allclose(ranker.coef_, best, atol=1e-4)


@pytest.mark.parametrize("l2", [1e-3, 0.05, 1.0])
def test_the_hinge_reaches_the_optimum_of_a_quadratic_program(l2):
    X, Y = data(21, n=18, d=3, n_labels=2)
    Y = np.where(np.random.default_rng(0).random(Y.shape) < 0.1, np.nan, Y)
    explicit = Explicit(X, Y, LossAggregation(), surrogate="hinge", l2=l2)
    best, low = explicit.best_penalised_hinge()
    ranker = LinearRanker(LossAggregation(), surrogate="hinge", l2=l2).fit(X, Y)
    w = ranker.coef_
    assert ranker.converged_
    assert explicit.mix @ explicit.losses(w) + l2 / 2 * w @ w == pytest.approx(low, rel=1e-7)
    np.testing.assert_allclose(w, best, atol=1e-5)


@pytest.mark.parametrize("seed", [40, 41])
def test_the_hinge_with_positive_weights_and_more_features_than_rows(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 80)) * (rng.random((30, 80)) < 0.4)
    Y = rng.integers(0, 2, (30, 2))
    ranker = LinearRanker(surrogate="hinge", l2=1e-2, positive=True).fit(X, Y)
    # A projected step is not downhill here at once: that must not count as the end.
    assert ranker.converged_
    assert ranker.coef_.min() == 0.0


def test_the_hinge_of_many_rows_and_from_a_warm_start():
    X, Y = data(22, n=20_000, d=3)
    ranker = LinearRanker(surrogate="hinge", warm_start=True).fit(X, Y)
    assert ranker.converged_
    loss = iso.pair_loss(Y, X @ ranker.coef_, surrogate="hinge").value
    for step in 1e-3 * np.vstack([np.eye(3), -np.eye(3)]):
        assert iso.pair_loss(Y, X @ (ranker.coef_ + step), surrogate="hinge").value > loss
    np.testing.assert_allclose(ranker.fit(X, Y).coef_, ranker.coef_, atol=1e-6)


def test_the_hinge_says_when_it_has_not_converged():
    X, Y = data(23)
    with pytest.warns(ConvergenceWarning, match="Raise `max_iter`"):
        ranker = LinearRanker(surrogate="hinge", max_iter=1).fit(X, Y)
    assert not ranker.converged_


@pytest.mark.parametrize("size", [1e12, -1e15])
def test_the_hinge_with_an_outlier(size):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(100, 3))
    Y = (X @ rng.normal(size=(3, 2)) + rng.logistic(size=(100, 2)) > [0, 1]).astype(int)
    X[11, 1] = size
    options = {"surrogate": "hinge", "l2": 0.0}
    ranker = LinearRanker(LossAggregation(), **options).fit(X, Y)
    assert ranker.converged_
    scale = np.array([1.0, abs(size), 1.0])
    _, low = Explicit(X / scale, Y, LossAggregation(), **options).best_hinge()
    loss = iso.pair_loss(Y, X @ ranker.coef_, LossAggregation(), surrogate="hinge").value
    assert loss == pytest.approx(low, rel=1e-7)


@pytest.mark.parametrize("surrogate", ["hinge", "squared_hinge"])
def test_separable_labels_have_an_optimum_with_a_hinge(surrogate):
    X, _ = data(18)
    ranker = LinearRanker(surrogate=surrogate, l2=0.0).fit(X, X[:, 0] > 0)
    assert ranker.converged_
    assert ranker.score(X, X[:, 0] > 0) == 1.0
