from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

import isonomy as iso
from isonomy.theory import population_aucs, population_objective_auc

from .oracle import N_SPACES, exact_auc, patterns, random_space


class AtLeastTwo:
    def preferences(self, labels):
        hit = np.nansum(labels.patterns, axis=1) >= 2
        return iso.Preferences(labels.codes, above=hit, below=~hit, mix=iso.Pooled())


OBJECTIVES = [
    iso.OneLabel(1),
    iso.LossAggregation(),
    iso.LossAggregation("balanced"),
    iso.WorstLabel(),
    iso.LabelAggregation(),
    iso.LabelAggregation("sum", costs="uniform"),
    iso.LabelAggregation(costs=lambda high, low: high**2 - low),
    iso.LabelAggregation("product"),
    iso.LabelAggregation("any"),
    iso.LabelAggregation(lambda rows: rows[:, 0] - rows[:, 1]),
    AtLeastTwo(),
]


def expanded(space):
    """The population as a weighted sample of (point, pattern)."""
    m, size = len(space.mu), 2**space.n_labels
    Y = np.tile(np.array(patterns(space.n_labels)), (m, 1))
    weight = np.array(space.joint, dtype=float) * np.array(space.mu, dtype=float)[:, None]
    return Y, weight.ravel(), np.repeat(np.arange(m), size)


@pytest.mark.parametrize("objective", OBJECTIVES)
@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=25)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_equals_the_weighted_sample(objective, seed):
    rng = np.random.default_rng(seed)
    space = random_space(rng)
    scores = rng.integers(0, 4, len(space.mu))
    Y, weight, point = expanded(space)
    expected = iso.objective_auc(Y, scores[point], objective, sample_weight=weight)
    found = population_objective_auc(y_score=scores, objective=objective, **space.arguments())
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=N_SPACES)
def test_aucs_are_exact(seed):
    rng = np.random.default_rng(seed)
    space = random_space(rng)
    scores = rng.integers(0, 4, len(space.mu)).tolist()
    exact = [float(exact_auc(space, k, scores)) for k in range(space.n_labels)]
    found = population_aucs(y_score=scores, **space.arguments())
    np.testing.assert_allclose(found, exact, rtol=1e-14)


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=N_SPACES)
def test_label_aggregation_is_a_weighted_sum_of_aucs(seed):
    """LaA - 1/2 = sum_k w_k pi_k (1 - pi_k) (AUC_k - 1/2) / v, whatever the dependence."""
    rng = np.random.default_rng(seed)
    space = random_space(rng)
    pi = np.array(space.priors, dtype=float)
    weights = rng.integers(1, 4, space.n_labels).astype(float)
    scores = rng.random(len(space.mu))
    Y, mass, _ = expanded(space)
    level = Y @ weights
    v = mass @ np.maximum(level[:, None] - level, 0) @ mass
    if v == 0:
        return
    aucs = population_aucs(y_score=scores, **space.arguments())
    objective = iso.LabelAggregation(weights=weights)
    value = population_objective_auc(y_score=scores, objective=objective, **space.arguments())
    assert (value - 0.5) * v == pytest.approx((weights * pi * (1 - pi)) @ (aucs - 0.5), abs=1e-13)


def test_covariance_identity():
    """AUC = 1/2 + Cov(Y, R) / (pi (1 - pi)) with R the mid-rank of a point's mass."""
    rng = np.random.default_rng(0)
    eta, mu, scores = rng.random((50, 3)), rng.dirichlet(np.ones(50)), rng.integers(0, 9, 50)
    rank = mu @ ((scores[:, None] < scores) + 0.5 * (scores[:, None] == scores))
    pi = mu @ eta
    covariance = (mu * rank) @ eta - (mu @ rank) * pi
    expected = 0.5 + covariance / (pi * (1 - pi))
    np.testing.assert_allclose(population_aucs(eta, scores, mu=mu), expected, rtol=1e-13)


def test_opposite_labels():
    """Y_2 = 1 - Y_1: loss aggregation is 1/2 for every scorer, label aggregation undefined."""
    joint = [[0, 0.9, 0.1, 0], [0, 0.4, 0.6, 0], [0, 0.3, 0.7, 0]]
    for scores in ([1, 2, 3], [3, 1, 2], [0, 0, 0]):
        aucs = population_aucs(None, scores, patterns=joint)
        assert aucs.sum() == pytest.approx(1)
        value = population_objective_auc(None, scores, iso.LossAggregation(), patterns=joint)
        assert value == pytest.approx(0.5)
        with pytest.warns(UndefinedMetricWarning, match="one level"):
            value = population_objective_auc(None, scores, iso.LabelAggregation(), patterns=joint)
        assert np.isnan(value)


def test_many_labels_need_no_list_of_patterns():
    rng = np.random.default_rng(0)
    eta, scores = rng.random((20, 300)), rng.random(20)
    balanced = population_objective_auc(eta, scores, iso.LossAggregation("balanced"))
    linear = population_objective_auc(eta, scores, iso.LabelAggregation())
    uniform = population_objective_auc(eta, scores, iso.LabelAggregation(costs="uniform"))
    assert np.sign(linear - 0.5) == np.sign(balanced - 0.5)
    assert 0 < uniform < 1
    assert population_objective_auc(eta, scores, iso.OneLabel(7)) == pytest.approx(
        population_aucs(eta, scores)[7], rel=1e-14
    )


def test_a_million_points():
    rng = np.random.default_rng(0)
    eta = rng.random((1_000_000, 2))
    aucs = population_aucs(eta, eta.sum(axis=1))
    # Uniform eta: AUC = 1/2 + Cov(eta_1, R) / (1/4), with R the rank of the sum.
    assert aucs == pytest.approx([0.5 + 4 * (7 / 120)] * 2, abs=2e-3)


def test_value_by_hand():
    eta = [[Fraction(9, 10)], [Fraction(1, 10)]]
    found = population_aucs(np.array(eta, dtype=float), [2, 1])
    assert found == pytest.approx([0.9])


def test_objective_classes_are_refused():
    with pytest.raises(TypeError, match="should be an objective"):
        population_objective_auc([[0.5]], [1], iso.LossAggregation)
