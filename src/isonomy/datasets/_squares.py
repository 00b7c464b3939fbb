"""Two labels on the square [-1, 1]^2, one of them skewed: the paper's synthetic data."""

from __future__ import annotations

import math

import numpy as np
from scipy import optimize, special

from isonomy._core import FloatArray, as_generator, check_count, check_flag
from isonomy.datasets._tables import Generated


def make_sweep(
    n_samples: int = 100_000,
    *,
    tau: float = 5.0,
    prior: float = 0.1,
    random_state: int | np.random.Generator | None = 0,
) -> Generated:
    """The paper's population sweep: a balanced label and a skewed one.

    eta_1(x) = sigma(tau (x_1 + x_2) / sqrt 2),   eta_2(x) = sigma(tau (x_2 - rho))

    with x uniform on the square, so that the first label's prior is 1/2, and rho such that
    the second's is `prior`. `isonomy.theory.sweep_point` has the AUCs of the best scorers
    without sampling.

    Parameters
    ----------
    n_samples : int
        Number of items.
    tau : float
        How certain the labels are given x; infinity for certain labels.
    prior : float
        Prior of the second label in the population.
    random_state : int, numpy Generator or None
        Seed.

    Returns
    -------
    Generated

    Examples
    --------
    >>> from isonomy import datasets
    >>> sweep = datasets.make_sweep(50_000, tau=5, prior=0.1)
    >>> sweep.eta.mean(axis=0).round(2)
    array([0.5, 0.1])
    """
    rng = _checked(n_samples, tau, prior, random_state)
    X = rng.uniform(-1.0, 1.0, (n_samples, 2))
    margins = np.column_stack([X.sum(axis=1) / math.sqrt(2.0), X[:, 1] - _shift(tau, prior)])
    certain = math.isinf(tau)
    eta = (margins > 0).astype(np.float64) if certain else special.expit(tau * margins)
    return _drawn(X, eta, rng)


def make_synthetic_training(
    n_samples: int = 10_000,
    *,
    tau: float = 20.0,
    prior: float = 0.5,
    right_angle: bool = False,
    random_state: int | np.random.Generator | None = 0,
) -> Generated:
    """The paper's synthetic training data: two labels in random directions.

    eta_1(x) = sigma(tau w_1 . x),   eta_2(x) = sigma(tau (w_2 . x - rho))

    with x uniform on the square, w_1 and w_2 too, and rho such that the mean of eta_2 over
    these items is `prior`. The text of the paper has no rho, without which both priors are
    1/2, and no value of tau.

    Parameters
    ----------
    n_samples : int
        Number of items.
    tau : float
        How certain the labels are given x.
    prior : float
        Share of the second label.
    right_angle : bool
        Whether w_2 is turned to stand at a right angle to w_1, with the length it was drawn
        with. Ranking by one label is then about as good as chance for the other, whatever
        the draw; otherwise how much the labels agree is left to the draw.
    random_state : int, numpy Generator or None
        Seed, of the directions too.

    Returns
    -------
    Generated

    Examples
    --------
    >>> from isonomy import datasets
    >>> made = datasets.make_synthetic_training(prior=0.9)
    >>> made.eta.mean(axis=0).round(2)
    array([0.5, 0.9])
    """
    rng = _checked(n_samples, tau, prior, random_state)
    if math.isinf(tau):
        raise ValueError("Parameter `tau` should be finite. Found inf.")
    check_flag("right_angle", right_angle)
    w_1, w_2 = rng.uniform(-1.0, 1.0, (2, 2))
    if right_angle:
        w_2 = np.array([-w_1[1], w_1[0]]) * (np.linalg.norm(w_2) / np.linalg.norm(w_1))
    X = rng.uniform(-1.0, 1.0, (n_samples, 2))
    pull = tau * (X @ w_2)
    reach = np.abs(pull).max() + 50.0
    shift = optimize.brentq(lambda b: special.expit(pull - b).mean() - prior, -reach, reach)
    eta = np.column_stack([special.expit(tau * (X @ w_1)), special.expit(pull - shift)])
    return _drawn(X, eta, rng)


def _checked(
    n_samples: int, tau: float, prior: float, random_state: int | np.random.Generator | None
) -> np.random.Generator:
    check_count("n_samples", n_samples)
    if not tau > 0:
        raise ValueError(f"Parameter `tau` should be positive. Found {tau!r}.")
    if not 0 < prior < 1:
        raise ValueError(f"Parameter `prior` should lie between 0 and 1. Found {prior!r}.")
    return as_generator(random_state)


def _shift(tau: float, prior: float) -> float:
    """rho at which the mean of sigma(tau (x - rho)), x uniform on [-1, 1], is the prior."""
    if math.isinf(tau):
        return 1.0 - 2.0 * prior

    def excess(rho: float) -> float:
        high, low = np.logaddexp(0.0, tau * np.array([1.0 - rho, -1.0 - rho]))
        return float(high - low) / (2.0 * tau) - prior

    reach = 1.0
    while excess(reach) > 0 or excess(-reach) < 0:
        reach *= 2.0
    return float(optimize.brentq(excess, -reach, reach, xtol=1e-14))


def _drawn(X: FloatArray, eta: FloatArray, rng: np.random.Generator) -> Generated:
    return Generated(
        X=X,
        Y=(rng.random(eta.shape) < eta).astype(np.uint8),
        eta=eta,
        feature_names=("x_1", "x_2"),
        label_names=("y_1", "y_2"),
    )
