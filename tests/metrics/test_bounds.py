"""Bounds of AUCs from standard errors and from draws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from isonomy._metrics import bounds, logit_bounds, normal_quantile


def test_bounds_are_symmetric_on_the_logit_scale() -> None:
    estimate, error = np.array([0.5, 0.9, 0.99]), np.array([0.1, 0.05, 0.02])
    low, high = logit_bounds(estimate, error, 0.9)
    reach = normal_quantile(0.9) * error / (estimate * (1 - estimate))
    assert special.logit(high) - special.logit(estimate) == pytest.approx(reach)
    assert special.logit(estimate) - special.logit(low) == pytest.approx(reach)
    assert ((low > 0) & (high < 1)).all()


def test_ends_are_one_sided() -> None:
    """At an AUC of A, m pairs without a common item are all in order with probability A^m."""
    estimate, pairs = np.array([1.0, 0.0, 0.5, np.nan]), np.array([10.0, 10.0, 10.0, 0.0])
    low, high = bounds(estimate, np.array([0.0, 0.0, 0.1, np.nan]), pairs, 0.95)
    assert (low[0] ** 10, high[0]) == (pytest.approx(0.05), 1)
    assert (low[1], (1 - high[1]) ** 10) == (0, pytest.approx(0.05))
    inside = logit_bounds(np.array([0.5]), np.array([0.1]), 0.95)
    assert (low[2], high[2]) == (inside[0][0], inside[1][0])
    assert np.isnan([low[3], high[3]]).all()


def test_draws_give_percentiles_of_what_they_define() -> None:
    draws = np.column_stack([np.linspace(0.4, 0.6, 101), np.full(101, np.nan)])
    draws[::10, 0] = np.nan
    low, high = bounds(np.full(2, 0.5), np.full(2, np.nan), np.full(2, 9.0), 0.9, draws)
    assert [low[0], high[0]] == pytest.approx(np.nanquantile(draws[:, 0], [0.05, 0.95]))
    assert np.isnan([low[1], high[1]]).all()
