"""Intervals of the smallest AUC and of the gap: how often they hold the truth."""

from __future__ import annotations

import numpy as np
import pytest

import isonomy as iso
from isonomy._audit.estimate import Estimate
from isonomy._audit.min_and_diff import largest, smallest, widest_gap
from isonomy._metrics import normal_quantile

N = 200


def covers(truth: np.ndarray, covariance: np.ndarray, *, level: float = 0.9) -> dict[str, float]:
    """Shares of simulated estimates whose intervals hold the true Min and Diff."""
    rng = np.random.default_rng(1)
    error = np.sqrt(np.diag(covariance))
    hits = {"low min": 0, "high min": 0, "low diff": 0, "high diff": 0}
    draws = rng.multivariate_normal(truth, covariance, size=N)
    for values in draws:
        aucs = [bounded(v, e, level) for v, e in zip(values, error, strict=True)]
        least, gap = smallest(aucs, covariance, level), widest_gap(aucs, covariance, level)
        hits["low min"] += least.low <= truth.min()
        hits["high min"] += truth.min() <= least.high
        hits["low diff"] += gap.low <= np.ptp(truth) + 1e-12
        hits["high diff"] += np.ptp(truth) <= gap.high
    return {name: count / len(draws) for name, count in hits.items()}


def bounded(value: float, error: float, level: float) -> Estimate:
    slope = normal_quantile(level) * error / (value * (1 - value))
    low, high = 1 / (1 + np.exp(-np.log(value / (1 - value)) + np.array([slope, -slope])))
    return Estimate(float(value), float(low), float(high), float(error))


@pytest.mark.parametrize(
    "truth",
    [(0.7, 0.7), (0.7, 0.7, 0.7, 0.7), (0.7, 0.72, 0.74), (0.7, 0.71, 0.71, 0.9)],
    ids=str,
)
@pytest.mark.parametrize("correlation", [0.0, 0.7])
def test_each_side_fails_at_most_as_often_as_it_may(
    truth: tuple[float, ...], correlation: float
) -> None:
    """A two-sided 90% interval: each side holds at least 95% of the time, ties or not."""
    size = len(truth)
    covariance = 0.02**2 * (correlation + (1 - correlation) * np.eye(size))
    found = covers(np.array(truth), covariance)
    # Three standard errors of 200 simulations below 95%.
    assert min(found.values()) >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / N), found


def test_far_apart_is_the_plain_interval() -> None:
    aucs = [bounded(value, 0.01, 0.95) for value in (0.6, 0.9)]
    covariance = np.diag([1e-4, 1e-4])
    assert smallest(aucs, covariance, 0.95).high == pytest.approx(aucs[0].high)
    assert smallest(aucs, covariance, 0.95).low == aucs[0].low
    gap = widest_gap(aucs, covariance, 0.95)
    reach = normal_quantile(0.95) * np.sqrt(2e-4)
    assert (gap.low, gap.high) == pytest.approx((0.3 - reach, 0.3 + reach))
    assert gap.standard_error == pytest.approx(np.sqrt(2e-4))


def test_ties_use_the_quantile_of_the_largest_error() -> None:
    """Two independent errors: P(max <= q) = Phi(q)^2."""
    below, above = largest(np.zeros(2), np.eye(2), 0.95)
    expected = 2.2390  # Phi(q)^2 = .975
    assert -below == pytest.approx(expected, abs=0.06)
    assert above == pytest.approx(normal_quantile(0.95))


def test_shared_errors_cancel_in_the_gap() -> None:
    Y, score = np.repeat([[0, 0], [1, 1]], 50, axis=0), np.random.default_rng(0).normal(size=100)
    found = iso.audit(Y, score + Y[:, 0])
    assert (found.diff.value, found.diff.low) == (0, 0)
    assert found.diff.high == pytest.approx(0, abs=1e-6)
    assert found.minimum.low == pytest.approx(found.labels[0].auc.low)


def test_a_perfect_label_has_the_reach_of_its_one_sided_bound() -> None:
    rng = np.random.default_rng(0)
    perfect = np.arange(200) < 100
    Y = np.column_stack([perfect, rng.random(200) < 0.5])
    found = iso.audit(Y, -np.arange(200.0))
    assert found.labels[0].auc.value == 1
    assert found.diff.high > found.diff.value > found.diff.low > 0
    assert (
        found.diff.high - found.diff.value
        > normal_quantile(0.95) * found.labels[1].auc.standard_error
    )
    both = iso.audit(np.column_stack([perfect, perfect]), -np.arange(200.0))
    assert both.minimum == both.labels[0].auc
    assert both.diff.value == 0


def test_an_auc_without_interval_gives_none() -> None:
    Y = np.array([[1, 1], [0, 0], [0, 1], [0, 0], [0, 1], [0, 0]])
    found = iso.audit(Y, [2.0, 3.0, 1.0, 0.0, 5.0, -1.0])
    assert 0 < found.labels[0].auc.value < 1
    assert np.isnan(found.labels[0].auc.low)
    assert np.isnan([found.minimum.low, found.diff.high]).all()
    assert found.minimum.value == min(found.aucs)
    assert "interval unknown" in found.summary()
