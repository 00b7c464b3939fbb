"""Tests of one difference, of several at once, and of many apart."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from isonomy._metrics.p_values import (
    holm,
    joint_p_value,
    normal_quantile,
    t_quantile,
    two_sided,
)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_normal_quantile(level: float) -> None:
    assert normal_quantile(level) == pytest.approx(stats.norm.ppf((1 + level) / 2))


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_t_quantile(level: float) -> None:
    freedom = np.array([1.0, 4.5, 100.0, np.inf])
    assert t_quantile(level, freedom) == pytest.approx(stats.t.ppf((1 + level) / 2, freedom))
    assert t_quantile(level, freedom)[3] == pytest.approx(normal_quantile(level))


@pytest.mark.parametrize("freedom", [1.0, 7.3, np.inf])
def test_two_sided(freedom: float) -> None:
    difference = np.array([0.2, -0.2, 0.0, 0.1, 0.1])
    error = np.array([0.1, 0.1, 0.0, 0.0, np.nan])
    found = two_sided(difference, error, np.full(5, freedom))
    assert found[:3] == pytest.approx([2 * stats.t.sf(2, freedom)] * 2 + [1])
    assert np.isnan(found[3:]).all()


def test_joint_p_value() -> None:
    assert joint_p_value(np.array([1.0, 2.0]), np.eye(2)) == pytest.approx(stats.chi2.sf(5, 2))
    # The second says the same as the first.
    assert joint_p_value(np.ones(2), np.ones((2, 2))) == pytest.approx(stats.chi2.sf(1, 1))
    assert joint_p_value(np.zeros(2), np.zeros((2, 2))) == 1
    assert math.isnan(joint_p_value(np.ones(2), np.diag([1.0, 0.0])))


def test_joint_p_value_with_few_degrees_of_freedom() -> None:
    """Hotelling's: of one difference it is the t-test."""
    one = joint_p_value(np.array([2.0]), np.eye(1), 5.0)
    assert one == pytest.approx(2 * stats.t.sf(2, 5))
    two = joint_p_value(np.array([1.0, 2.0]), np.eye(2), 7.0)
    assert two == pytest.approx(stats.f.sf(5 * 6 / (7 * 2), 2, 6))
    assert joint_p_value(np.ones(2), np.ones((2, 2)), 5.0) == pytest.approx(2 * stats.t.sf(1, 5))
    much = joint_p_value(np.array([1.0, 2.0]), np.eye(2), 1e9)
    assert much == pytest.approx(stats.chi2.sf(5, 2))
    assert joint_p_value(np.zeros(2), np.zeros((2, 2)), 3.0) == 1
    few = joint_p_value(np.ones(4), np.eye(4), 2.0)
    assert few == pytest.approx(stats.f.sf(4 * 1 / (2 * 4), 4, 1))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_rejects_step_by_step(p: list[float]) -> None:
    adjusted = holm(np.array(p))
    for alpha in (0.01, 0.05, 0.3):
        rejected: set[int] = set()
        for step, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
            if p[i] * (len(p) - step) > alpha:
                break
            rejected.add(i)
        assert rejected == set(np.flatnonzero(adjusted <= alpha))


def test_holm_leaves_unknown_ones_out() -> None:
    found = holm(np.array([0.01, np.nan, 0.03]))
    assert found[[0, 2]].tolist() == [0.02, 0.03]
    assert np.isnan(found[1])


@pytest.mark.parametrize(
    ("p_values", "expected"),
    [
        ([0.01, 0.04, np.nan, 0.03], [0.03, 0.06, np.nan, 0.06]),
        ([0.5, 0.9], [1.0, 1.0]),
        ([0.7, 0.9], [1.0, 1.0]),
        ([], []),
    ],
)
def test_holm(p_values: list[float], expected: list[float]) -> None:
    assert holm(np.array(p_values)) == pytest.approx(np.array(expected), nan_ok=True)
