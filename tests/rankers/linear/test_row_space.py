"""More features than rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from isonomy._core.objectives import LossAggregation, WorstLabel
from isonomy._rankers.linear.ranker import LinearRanker
from tests.rankers.explicit import Explicit


@pytest.mark.parametrize("n", [20, 90])
def test_more_features_than_rows(n):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(n, 120)), rng.integers(0, 2, (n, 2))
    ranker = LinearRanker(LossAggregation(), l2=0.01).fit(X, Y)
    best = Explicit(X, Y, LossAggregation(), l2=0.01).best()
    np.testing.assert_allclose(ranker.coef_, best, atol=1e-6)


@pytest.mark.parametrize("objective", [LossAggregation(), WorstLabel()], ids=repr)
@pytest.mark.parametrize("l2", [1e-6, 1e-2])
def test_many_more_features_than_rows(objective, l2):
    rng = np.random.default_rng(0)
    X = sparse.random(150, 1000, density=0.05, format="csr", random_state=0)
    X = sparse.csr_array(X + sparse.csr_array(np.outer(rng.normal(size=150), np.eye(1000)[3])))
    Y = rng.integers(0, 2, (150, 2))
    thin = LinearRanker(objective, l2=l2, warm_start=True).fit(X, Y)
    dense = LinearRanker(objective, l2=l2).fit(X.toarray(), Y)
    assert thin.converged_
    # The penalty of 1e-6 holds the weights of separable labels only loosely.
    close = 1e-8 / l2
    np.testing.assert_allclose(thin.coef_, dense.coef_, atol=close)
    if isinstance(objective, LossAggregation):
        explicit = Explicit(X.toarray(), Y, objective, l2=l2)
        slope = explicit.mix @ explicit.gradients(thin.coef_) + l2 * thin.coef_
        assert np.abs(slope).max() < 1e-8
    first = thin.coef_
    np.testing.assert_allclose(thin.fit(X, Y).coef_, first, atol=close)
    with pytest.raises(ValueError, match="warm_start=False"):
        thin.fit(X[:, :700], Y)


@pytest.mark.parametrize("objective", [LossAggregation(), WorstLabel()], ids=repr)
def test_the_squared_hinge_with_more_features_than_rows(objective):
    # Few pairs are on the bent side, others as the weights change: the learned Hessian is lost.
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(40, 500)), rng.integers(0, 2, (40, 2))
    ranker = LinearRanker(objective, surrogate="squared_hinge", l2=1e-3).fit(X, Y)
    assert ranker.converged_
    explicit = Explicit(X, Y, objective, surrogate="squared_hinge")
    a = getattr(ranker, "label_weights_", explicit.mix)
    slope = a @ explicit.gradients(ranker.coef_) + 1e-3 * ranker.coef_
    assert np.abs(slope).max() < 1e-7
