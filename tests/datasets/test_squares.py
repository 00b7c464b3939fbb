"""Two labels on a square have the priors and probabilities that they promise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import expit

import isonomy as iso
from isonomy.datasets import make_sweep, make_synthetic_training


@pytest.mark.parametrize("tau", [1.0, 5.0, 50.0, math.inf])
@pytest.mark.parametrize("prior", [0.1, 0.5, 0.8])
def test_sweep_has_its_priors(tau: float, prior: float) -> None:
    made = make_sweep(40_000, tau=tau, prior=prior, random_state=1)
    error = made.eta.std(axis=0) / 200
    assert (np.abs(made.eta.mean(axis=0) - [0.5, prior]) < 4 * error).all()
    assert (np.abs(made.Y.mean(axis=0) - made.eta.mean(axis=0)) < 0.012).all()


def test_sweep_is_that_of_the_theory() -> None:
    made = make_sweep(100_000, tau=5, prior=0.4, random_state=2)
    rho = iso.theory.sweep_point(5, 0.4).rho
    expected = expit(5 * np.column_stack([made.X.sum(axis=1) / math.sqrt(2), made.X[:, 1] - rho]))
    np.testing.assert_allclose(made.eta, expected, atol=1e-9)
    aucs = iso.auc_intervals(made.Y, made.eta.sum(axis=1), level=0.9999)
    for truth, low, high in zip((0.888096, 0.905307), aucs.low, aucs.high, strict=True):
        assert low < truth < high


def test_certain_labels_are_certain() -> None:
    made = make_sweep(1000, tau=math.inf, prior=0.3)
    assert (made.eta == made.Y).all()


@pytest.mark.parametrize("prior", [0.05, 0.5, 0.9])
def test_training_data_have_their_prior(prior: float) -> None:
    made = make_synthetic_training(20_000, prior=prior, random_state=3)
    assert made.eta[:, 1].mean() == pytest.approx(prior, abs=1e-9)
    assert made.eta[:, 0].mean() == pytest.approx(0.5, abs=0.02)


def test_training_labels_follow_linear_directions() -> None:
    made = make_synthetic_training(5000, tau=20, prior=0.7, random_state=4)
    design = np.column_stack([made.X, np.ones(len(made.X))])
    for eta, intercept in zip(made.eta.T, (False, True), strict=True):
        inner = (eta > 1e-6) & (eta < 1 - 1e-6)
        odds = np.log(eta[inner] / (1 - eta[inner])) / 20
        fit, *_ = np.linalg.lstsq(design[inner], odds, rcond=None)
        np.testing.assert_allclose(design[inner] @ fit, odds, atol=1e-6)
        assert (np.abs(fit[:2]) <= 1).all()
        assert (abs(fit[2]) > 1e-3) == intercept


@pytest.mark.parametrize("seed", range(4))
def test_labels_at_a_right_angle(seed: int) -> None:
    made = make_synthetic_training(5000, tau=20, right_angle=True, random_state=seed)
    directions = []
    for eta in made.eta.T:
        inner = (eta > 1e-6) & (eta < 1 - 1e-6)
        odds = np.log(eta[inner] / (1 - eta[inner])) / 20
        design = np.column_stack([made.X, np.ones(len(made.X))])[inner]
        directions.append(np.linalg.lstsq(design, odds, rcond=None)[0][:2])
    assert directions[0] @ directions[1] == pytest.approx(0, abs=1e-6)
    drawn = make_synthetic_training(5000, tau=20, random_state=seed)
    np.testing.assert_array_equal(made.eta[:, 0], drawn.eta[:, 0])
    other = iso.label_aucs(made.Y, made.eta[:, 0])[1]
    assert other == pytest.approx(0.5, abs=0.06)


def test_the_right_angle_is_a_flag() -> None:
    with pytest.raises(ValueError, match="`right_angle` should be True or False"):
        make_synthetic_training(right_angle="yes")


def test_same_seed_same_data() -> None:
    for make in (make_sweep, make_synthetic_training):
        a, b, c = (make(50, random_state=seed) for seed in (3, 3, 4))
        assert (a.Y == b.Y).all()
        assert (a.X != c.X).any()


@pytest.mark.parametrize("make", [make_sweep, make_synthetic_training])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_samples": 0}, "`n_samples` should be a whole number >= 1. Found 0"),
        ({"tau": 0.0}, "`tau` should be positive. Found 0.0"),
        ({"tau": math.nan}, "`tau` should be positive. Found nan"),
        ({"prior": 1.0}, "`prior` should lie between 0 and 1. Found 1.0"),
        ({"random_state": -1}, "`random_state`"),
    ],
)
def test_bad_input(make, arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(**arguments)


def test_training_data_need_a_finite_tau() -> None:
    with pytest.raises(ValueError, match=r"`tau` should be finite\. Found inf"):
        make_synthetic_training(tau=math.inf)
