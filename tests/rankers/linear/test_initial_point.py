"""Starts from a sample of the rows, and from earlier weights."""

from __future__ import annotations

import numpy as np
import pytest

from isonomy._core.costs import FEW_LEVELS
from isonomy._core.objectives import LabelAggregation, LossAggregation
from isonomy._rankers.linear import initial_point
from isonomy._rankers.linear import ranker as linear
from isonomy._rankers.linear.ranker import LinearRanker
from tests.rankers.explicit import data


def test_warm_start_takes_fewer_steps():
    X, Y = data(10, n=3000)
    ranker = LinearRanker(LossAggregation([1, 1, 1]), warm_start=True).fit(X, Y)
    cold = LinearRanker(LossAggregation([1, 1, 1.05])).fit(X, Y)
    ranker.set_params(objective=LossAggregation([1, 1, 1.05])).fit(X, Y)
    assert ranker.n_iter_ < cold.n_iter_
    np.testing.assert_allclose(ranker.coef_, cold.coef_, atol=1e-6)
    with pytest.raises(ValueError, match="warm_start=False"):
        ranker.fit(X[:, :2], Y)
    assert ranker.set_params(warm_start=False).fit(X[:, :2], Y).coef_.shape == (2,)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_start_from_a_sample_changes_nothing_but_the_steps(monkeypatch, weighted):
    X, Y = data(11, n=70_000, noise=0.5)
    Y[:, 2] = (Y[:, 2] == 1) & (np.arange(len(Y)) % 50 == 0)
    weight = np.random.default_rng(0).exponential(size=len(X)) if weighted else None
    quick = LinearRanker(LossAggregation()).fit(X, Y, weight)
    monkeypatch.setattr(initial_point, "_WORTH", np.inf)
    slow = LinearRanker(LossAggregation()).fit(X, Y, weight)
    assert quick.n_iter_ < slow.n_iter_
    np.testing.assert_allclose(quick.coef_, slow.coef_, atol=1e-6)


@pytest.mark.parametrize("costs", ["linear", "uniform"])
def test_a_start_from_a_sample_of_real_valued_levels(monkeypatch, costs):
    X, _ = data(27, n=2000)
    y = (X[:, 0] + np.random.default_rng(2).normal(size=len(X))).round(1)
    assert np.unique(y).size > FEW_LEVELS  # so that the terms come as sparse tables
    slow = LinearRanker(LabelAggregation(costs=costs)).fit(X, y)
    monkeypatch.setattr(initial_point, "_MIN_ROWS", 100)
    monkeypatch.setattr(initial_point, "_ROWS_PER_COLUMN", 1)
    quick = LinearRanker(LabelAggregation(costs=costs)).fit(X, y)
    assert quick.n_iter_ < slow.n_iter_
    np.testing.assert_allclose(quick.coef_, slow.coef_, atol=1e-6)


X4 = np.arange(8.0).reshape(4, 2) ** 2
Y4 = [[1, 0], [0, 1], [1, 1], [0, 0]]


def test_a_warm_start_without_a_fit_is_a_cold_one():
    assert LinearRanker(warm_start=True, l2=0.1).fit(X4, Y4).converged_
    assert linear.LinearRanker is LinearRanker
