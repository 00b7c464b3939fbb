"""Identities that hold exactly on every finite sample."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

import isonomy as iso

SEEDS = st.integers(0, 2**32 - 1)
SAMPLE = [[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, 0], [1, 1], [0, 1]]
SCORES = [3, 5, 4, 1, 3, 2, 6, 3]


def draw(seed, n_labels=3, n=30):
    rng = np.random.default_rng(seed)
    Y = rng.integers(0, 2, (n, n_labels))
    Y[0], Y[1] = 1, 0
    return rng, Y, rng.integers(0, 9, n)


def midranks(scores):
    """(mid-rank - 1/2) / n."""
    scores = np.asarray(scores)
    below = (scores[:, None] > scores).sum(axis=1)
    same = (scores[:, None] == scores).sum(axis=1)
    return (below + same / 2) / scores.size


def test_values_of_the_small_sample():
    assert iso.label_aucs(SAMPLE, SCORES).tolist() == [0.75, 0.9375]
    assert iso.objective_auc(SAMPLE, SCORES, iso.LossAggregation()) == 0.84375
    for objective, value in [
        (iso.LabelAggregation(), 23 / 24),
        (iso.LabelAggregation(costs="uniform"), 0.95),
        (iso.LabelAggregation("product"), 11 / 12),
    ]:
        assert iso.objective_auc(SAMPLE, SCORES, objective) == pytest.approx(value, rel=1e-15)


@given(st.integers(0, 9), st.integers(0, 9))
def test_a_difference_is_a_sum_of_thresholds(high, low):
    assert max(high - low, 0) == sum(high >= t > low for t in range(1, 10))


@given(SEEDS)
@settings(deadline=None)
def test_aucs_are_covariances_with_ranks(seed):
    _, Y, f = draw(seed)
    R = midranks(f)
    pi = Y.mean(axis=0)
    covariance = (Y * R[:, None]).mean(axis=0) - pi * R.mean()
    np.testing.assert_allclose(iso.label_aucs(Y, f), 0.5 + covariance / (pi * (1 - pi)), rtol=1e-12)
    total = Y.sum(axis=1)
    v = np.maximum(total[:, None] - total, 0).mean()
    covariance = (total * R).mean() - total.mean() * R.mean()
    value = iso.objective_auc(Y, f, iso.LabelAggregation())
    assert value == pytest.approx(0.5 + covariance / v, rel=1e-12)


@given(SEEDS)
@settings(deadline=None)
def test_linear_label_aggregation_is_loss_aggregation_by_pairs(seed):
    rng, Y, f = draw(seed)
    alpha = rng.integers(1, 4, 3)
    pi = Y.mean(axis=0)
    level = Y @ alpha
    v = np.maximum(level[:, None] - level, 0).mean()
    value = iso.objective_auc(Y, f, iso.LabelAggregation(weights=alpha))
    a = alpha * pi * (1 - pi)
    assert (value - 0.5) * v == pytest.approx(a @ (iso.label_aucs(Y, f) - 0.5), abs=1e-13)
    loss = iso.objective_auc(Y, f, iso.LossAggregation(a))
    assert (value - 0.5) * v == pytest.approx((loss - 0.5) * a.sum(), abs=1e-13)


@given(SEEDS)
@settings(deadline=None)
def test_balanced_and_label_aggregation_differ_by_a_factor(seed):
    _, Y, f = draw(seed)
    total = Y.sum(axis=1)
    v = np.maximum(total[:, None] - total, 0).sum()
    pairs = (Y.sum(axis=0) * (1 - Y).sum(axis=0)).sum()
    laa = iso.objective_auc(Y, f, iso.LabelAggregation())
    balanced = iso.objective_auc(Y, f, iso.LossAggregation("balanced"))
    assert (laa - 0.5) * v == pytest.approx((balanced - 0.5) * pairs, abs=1e-9)


@given(SEEDS)
@settings(deadline=None)
def test_convex_losses_differ_on_conflicting_pairs(seed):
    """By l(z) + l(-z) for each pair of a 10 and a 01 item."""
    rng, Y, _ = draw(seed, n_labels=2)
    f = rng.normal(size=len(Y))
    z = f[:, None] - f
    loss = np.logaddexp(0, -z)
    by_count = sum(loss[np.ix_(Y[:, k] == 1, Y[:, k] == 0)].sum() for k in range(2))
    total = Y.sum(axis=1)
    linear = (np.maximum(total[:, None] - total, 0) * loss).sum()
    ten, one = Y @ [2, 1] == 2, Y @ [2, 1] == 1
    excess = (loss + np.logaddexp(0, z))[np.ix_(ten, one)].sum()
    assert by_count - linear == pytest.approx(excess, rel=1e-10, abs=1e-10)


@given(SEEDS)
@settings(deadline=None)
def test_opposite_labels_share_one_auc(seed):
    _, Y, f = draw(seed, n_labels=1)
    Y = np.hstack([Y, 1 - Y])
    assert iso.label_aucs(Y, f).sum() == pytest.approx(1, rel=1e-14)
    assert iso.objective_auc(Y, f, iso.LossAggregation()) == pytest.approx(0.5, rel=1e-14)
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(iso.objective_auc(Y, f, iso.LabelAggregation()))
