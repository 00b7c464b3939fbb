"""Judging and mending probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, logit
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from isonomy._rankers.plugin.calibration import (
    cross_calibrated,
    fit_calibrator,
    fit_sigmoid,
    judge_calibration,
)


def draw(n, *, slope=1.0, shift=0.0, seed=0):
    """Probabilities p, and labels whose log odds are shift + slope * logit(p)."""
    rng = np.random.default_rng(seed)
    z = rng.normal(scale=1.5, size=n)
    return expit(z), rng.random(n) < expit(shift + slope * z)


def test_error_is_the_mean_gap_of_ten_bins():
    p, y = draw(1000)
    order = np.argsort(p)
    gaps = [abs(y[part].mean() - p[part].mean()) for part in np.split(order, 10)]
    assert judge_calibration(p, y).error == pytest.approx(np.mean(gaps), rel=1e-9)


def test_right_probabilities_are_rarely_blamed():
    """Over 2,000 draws: the p-value errs at most as often as it says."""
    found = [
        judge_calibration(*draw(n, seed=seed)) for seed in range(500) for n in (60, 200, 1000, 2000)
    ]
    p_values = np.array([one.p_value for one in found])
    assert (p_values < 0.05).mean() < 0.08
    assert (p_values < 0.001).mean() < 0.005
    assert not any(one.is_bad() for one in found if one.n_rows >= 1000)
    errors, chance = np.array([(one.error, one.chance) for one in found]).T
    assert errors.mean() == pytest.approx(chance.mean(), rel=0.05)


@pytest.mark.parametrize("prior", [0.002, 0.02])
def test_rare_labels_are_rarely_blamed(prior):
    rng = np.random.default_rng(0)
    bad = 0
    for _ in range(300):
        p = np.clip(prior * rng.exponential(size=2000), 0, 1)
        bad += judge_calibration(p, rng.random(2000) < p).is_bad()
    assert bad <= 1


@pytest.mark.parametrize(("slope", "shift"), [(0.4, 0.0), (2.5, 0.0), (1.0, -1.0), (0.1, 0.0)])
def test_wrong_probabilities_are_found(slope, shift):
    found = judge_calibration(*draw(3000, slope=slope, shift=shift))
    assert found.is_bad()
    assert found.slope == pytest.approx(slope, abs=0.2)
    assert found.intercept == pytest.approx(shift, abs=0.2)
    words = "too low" if slope == 1 and shift > 0 else "too high" if slope == 1 else None
    assert (words or ("too extreme" if slope < 1 else "too timid")) in found.describe()


def test_certain_and_wrong_is_found():
    y = np.arange(1000) % 4 == 0
    found = judge_calibration(np.where(np.arange(1000) % 2, 1e-300, 1.0), y)
    assert found.is_bad()
    assert found.error == pytest.approx(0.25)


def test_small_errors_pass_however_sure():
    p, y = draw(100_000, shift=-0.1)
    found = judge_calibration(p, y)
    assert found.p_value < 1e-6
    assert not found.is_bad()


def test_weights_are_worth_rows():
    p, y = draw(500, slope=0.5)
    twice = judge_calibration(np.tile(p, 2), np.tile(y, 2))
    weighted = judge_calibration(p, y, np.full(500, 7.0))
    assert weighted == judge_calibration(p, y)
    assert weighted.error == pytest.approx(twice.error)
    assert weighted.p_value > twice.p_value
    half = np.arange(500) < 250
    np.testing.assert_allclose(
        judge_calibration(p, y, half + 1e-12).predicted, p[half].mean(), rtol=1e-6
    )


def test_rows_of_one_group_are_not_independent():
    """Fifty groups of sixty rows that share their label: far from chance row by row."""
    blamed = 0
    for seed in range(50):
        rng = np.random.default_rng(seed)
        groups = np.repeat(np.arange(50), 60)
        p = np.repeat(rng.uniform(0.2, 0.8, 50), 60)
        y = np.repeat(rng.random(50), 60) < p
        blamed += judge_calibration(p, y, groups=groups).is_bad()
        assert judge_calibration(p, y).p_value < judge_calibration(p, y, groups=groups).p_value
    assert blamed == 0


def test_sigmoid_is_logistic_regression():
    p, y = draw(2000, slope=0.5, shift=0.7)
    w = np.random.default_rng(1).uniform(0.5, 2, 2000)
    found = fit_sigmoid(p, y, w)
    model = LogisticRegression(C=1e9, tol=1e-9).fit(logit(p)[:, None], y, w)
    assert found.slope == pytest.approx(model.coef_[0, 0], rel=0.01)
    assert found.intercept == pytest.approx(model.intercept_[0], rel=0.02)


@pytest.mark.parametrize(
    ("p", "y"),
    [
        ([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1]),
        ([0.5, 0.5, 0.5], [0, 1, 1]),
        ([0.0, 1.0], [1, 0]),
        ([0.3], [1]),
        ([0.0, 0.0, 1.0], [0, 0, 0]),
    ],
)
@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_degenerate_labels(p, y, method):
    p, y = np.array(p), np.array(y, dtype=bool)
    found = fit_calibrator(method, p, y)(np.array([0.0, 0.4, 1.0]))
    assert np.isfinite(found).all()
    assert (np.diff(found) >= 0).all()
    assert np.isfinite(judge_calibration(p, y).error)


def test_isotonic_is_that_of_scikit_learn():
    p, y = draw(500)
    model = IsotonicRegression(out_of_bounds="clip").fit(p, y)
    grid = np.linspace(0, 1, 101)
    np.testing.assert_allclose(fit_calibrator("isotonic", p, y)(grid), model.predict(grid))


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibrated_probabilities_pass(method):
    p, y = draw(5000, slope=0.3, shift=1.0)
    fold = np.arange(5000) % 5
    assert judge_calibration(p, y).is_bad()
    assert not judge_calibration(cross_calibrated(method, p, y, None, fold), y).is_bad()
    fresh_p, fresh_y = draw(5000, slope=0.3, shift=1.0, seed=1)
    assert not judge_calibration(fit_calibrator(method, p, y)(fresh_p), fresh_y).is_bad()


def test_a_forest_s_zeros_do_not_bend_the_line():
    """Probabilities rounded to 1/20: 0 means 'below 1/40', not 'never'."""
    p, y = draw(5000, slope=0.8)
    rounded = np.round(p * 20) / 20
    found = fit_sigmoid(rounded, y, np.ones(5000))
    assert found.floor >= 1e-3
    assert found.slope == pytest.approx(0.8, abs=0.15)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_label_that_runs_against_its_probabilities_gets_its_mean(weighted):
    p, y = draw(500, slope=-1.5, shift=1.0)
    weight = np.random.default_rng(1).exponential(size=p.size) if weighted else None
    calibrated = fit_calibrator("sigmoid", p, y, weight)(p)
    np.testing.assert_allclose(calibrated, np.average(y, weights=weight), rtol=1e-12)
