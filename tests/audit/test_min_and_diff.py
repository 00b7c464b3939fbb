"""Intervals of the smallest AUC and of the gap: how often they hold the truth."""

from __future__ import annotations

import numpy as np
import pytest

import isonomy as iso
from isonomy._audit.min_and_diff import _joint_quantile, smallest, widest_gap
from isonomy._counting import Spread
from isonomy._metrics import normal_quantile, shrunk_wilson

N = 200


def covers(truth: np.ndarray, covariance: np.ndarray, *, level: float = 0.9) -> dict[str, float]:
    """Shares of simulated estimates whose intervals hold the true Min and Diff."""
    rng = np.random.default_rng(1)
    hits = {"low min": 0, "high min": 0, "low diff": 0, "high diff": 0}
    draws = rng.multivariate_normal(truth, covariance, size=N)
    for values in draws:
        spread = spread_of(covariance)
        least, gap = smallest(values, spread, level), widest_gap(values, spread, level)
        hits["low min"] += least.low <= truth.min()
        hits["high min"] += truth.min() <= least.high
        hits["low diff"] += gap.low <= np.ptp(truth) + 1e-12
        hits["high diff"] += np.ptp(truth) <= gap.high
    return {name: count / len(draws) for name, count in hits.items()}


def spread_of(covariance: np.ndarray, size: float = 2000.0) -> Spread:
    """AUCs with this covariance, of large classes, so that hardly anything is shrunk."""
    half = np.diag(covariance) / 2
    zero = np.zeros_like(half)
    return Spread(
        size=np.stack([zero + size, zero + size, zero]),
        variance=np.stack([half, half, zero]),
        scale=np.stack([zero + 1 / size, zero + 1 / size, zero]),
        smallest=zero + size,
        covariance=covariance,
    )


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


def test_far_apart_is_the_interval_of_the_smallest() -> None:
    aucs, spread = np.array([0.6, 0.9]), spread_of(np.diag([1e-4, 1e-4]))
    low, high = shrunk_wilson(aucs, spread, 0.95)
    found = smallest(aucs, spread, 0.95)
    assert (found.value, found.low, found.high) == (0.6, low[0], high[0])
    assert found.standard_error == pytest.approx(0.01)


@pytest.mark.parametrize("correlation", [-0.5, 0.0, 0.7])
def test_the_gap_has_zous_bounds(correlation: float) -> None:
    """From both labels' own bounds, each squared distance to it with their correlation."""
    covariance = 1e-4 * np.array([[1.0, 2 * correlation], [2 * correlation, 4.0]])
    aucs, spread = np.array([0.6, 0.9]), spread_of(covariance)
    low, high = shrunk_wilson(aucs, spread, 0.9)
    down, up = aucs - low, high - aucs
    gap = widest_gap(aucs, spread, 0.9)
    below = np.hypot(down[1], up[0]) ** 2 - 2 * correlation * down[1] * up[0]
    above = np.hypot(up[1], down[0]) ** 2 - 2 * correlation * up[1] * down[0]
    assert gap.value == pytest.approx(0.3)
    assert (gap.low, gap.high) == pytest.approx((0.3 - below**0.5, 0.3 + above**0.5))
    assert gap.standard_error == pytest.approx(np.sqrt(covariance @ [1, -1] @ [1, -1]))


def test_ties_use_the_quantile_of_the_largest_error() -> None:
    """Two independent errors: P(max <= q) = Phi(q)^2."""
    found = _joint_quantile(np.eye(2), 0.975)
    expected = 2.2390  # Phi(q)^2 = .975
    assert found == pytest.approx(expected, abs=0.06)
    same = _joint_quantile(np.ones((3, 1)), 0.975)
    assert same == pytest.approx(normal_quantile(0.95), abs=0.06)


def test_rare_labels_are_as_uncertain_as_by_themselves() -> None:
    rng = np.random.default_rng(0)
    common = rng.random(500) < 0.5
    rare = np.arange(500) < 5
    found = iso.audit(np.column_stack([common, rare]), rare + common + rng.normal(size=500))
    width = found.labels[1].auc.high - found.labels[1].auc.low
    assert width > 0.3
    assert found.diff.high >= found.labels[1].auc.high - found.labels[0].auc.value


def test_shared_errors_cancel_in_the_gap() -> None:
    Y, score = np.repeat([[0, 0], [1, 1]], 50, axis=0), np.random.default_rng(0).normal(size=100)
    found = iso.audit(Y, score + Y[:, 0])
    assert (found.diff.value, found.diff.low) == (0, 0)
    # All but what makes an interval longer to one side than to the other.
    auc = found.labels[0].auc
    skew = abs((auc.high - auc.value) - (auc.value - auc.low))
    assert found.diff.high == pytest.approx(skew, abs=0.01)
    assert found.diff.high < 0.2 * (auc.high - auc.low)
    assert found.minimum.low == pytest.approx(found.labels[0].auc.low)


def test_a_perfect_label_has_the_reach_of_its_own_bound() -> None:
    rng = np.random.default_rng(0)
    perfect = np.arange(200) < 100
    Y = np.column_stack([perfect, rng.random(200) < 0.5])
    found = iso.audit(Y, -np.arange(200.0))
    assert found.labels[0].auc.value == 1
    assert found.diff.high > found.diff.value > found.diff.low > 0
    down = found.labels[1].auc.value - found.labels[1].auc.low
    assert found.diff.high - found.diff.value == pytest.approx(down, rel=0.02)
    assert found.diff.value - found.diff.low > found.labels[0].auc.value - found.labels[0].auc.low
    both = iso.audit(np.column_stack([perfect, perfect]), -np.arange(200.0))
    assert both.minimum == both.labels[0].auc
    assert both.diff.value == 0


def test_one_positive_has_wide_bounds_rather_than_none() -> None:
    Y = np.array([[1, 1], [0, 0], [0, 1], [0, 0], [0, 1], [0, 0]])
    found = iso.audit(Y, [2.0, 3.0, 1.0, 0.0, 5.0, -1.0])
    assert 0 < found.labels[0].auc.low < found.labels[0].auc.value < 1
    assert 0 <= found.minimum.low <= found.minimum.value < found.minimum.high <= 1
    assert 0 <= found.diff.low <= found.diff.value < found.diff.high <= 1
    assert found.minimum.value == min(found.aucs)
