"""When the solver stops, and what it says then."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from isonomy._core.objectives import LabelAggregation, LossAggregation, OneLabel, WorstLabel
from isonomy._infra.threads import default_threads
from isonomy._pairsums import sums
from isonomy._rankers.linear.ranker import LinearRanker
from tests.rankers.explicit import Explicit, data


@pytest.mark.parametrize("objective", [LabelAggregation(), WorstLabel()])
def test_any_number_of_threads_gives_the_same_weights(monkeypatch, objective):
    X, Y = data(12, n=150_000, d=3)
    weights = []
    for threads in (1, 2, 5):
        monkeypatch.setattr(sums, "default_threads", lambda _, threads=threads: threads)
        weights.append(LinearRanker(objective).fit(X, Y).coef_)
    np.testing.assert_allclose(weights[1], weights[0], atol=1e-10)
    np.testing.assert_allclose(weights[2], weights[0], atol=1e-10)
    assert default_threads(10) == 1


def test_warns_with_a_cure_when_not_converged():
    X, Y = data(16)
    with pytest.warns(ConvergenceWarning, match=r"Raise `max_iter` \(now 1\)"):
        ranker = LinearRanker(max_iter=1).fit(X, Y)
    assert not ranker.converged_
    assert ranker.n_iter_ == 1


@pytest.mark.parametrize("surrogate", ["logistic", "exponential", "square"])
def test_opposed_labels_cancel_out_without_a_trace_of_rounding(surrogate):
    X, Y = data(28, n_labels=1)
    ranker = LinearRanker(LossAggregation(), surrogate=surrogate).fit(X, np.c_[Y, 1 - Y])
    assert not ranker.coef_.any()


def test_separable_labels_converge_under_the_penalty():
    X, _ = data(18)
    ranker = LinearRanker().fit(X, (X[:, 0] > 0).astype(int))
    assert ranker.converged_
    assert ranker.score(X, (X[:, 0] > 0).astype(int)) == 1.0


@pytest.mark.parametrize("positive", [False, True])
def test_many_features_and_more_rows(positive):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 600)) * np.linspace(0.1, 3, 600)
    y = (X[:, :9].sum(axis=1) + rng.logistic(size=700) > 0).astype(int)
    ranker = LinearRanker(OneLabel(0), l2=1e-2, positive=positive).fit(X, y)
    assert ranker.converged_
    explicit = Explicit(X, y, OneLabel(0), l2=1e-2)
    slope = explicit.mix @ explicit.gradients(ranker.coef_) + 1e-2 * ranker.coef_
    held = (ranker.coef_ == 0) & (slope > 0) if positive else np.zeros(600, bool)
    assert np.abs(slope[~held]).max() < 1e-6
    assert ranker.coef_.min() >= 0 or not positive


@pytest.mark.parametrize("surrogate", ["logistic", "exponential"])
def test_separable_labels_have_no_optimum_without_a_penalty(surrogate):
    X, _ = data(18)
    with pytest.warns(ConvergenceWarning, match="no minimum.*Set `l2` > 0"):
        ranker = LinearRanker(surrogate=surrogate, l2=0.0).fit(X, X[:, 0] > 0)
    assert not ranker.converged_
    with pytest.warns(ConvergenceWarning, match="no minimum"):
        LinearRanker(WorstLabel(), surrogate=surrogate, l2=0.0).fit(X, X[:, :1] > 0)
