"""Two labels on a square, one of them skewed: the paper's population sweep, without sampling."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit

from isonomy._preferences import FloatArray

ROOT2 = math.sqrt(2.0)
# ROC curves are traced at this many thresholds.
THRESHOLDS = 4000
# Multiples of its inverse powers, modulo 1, fill the square evenly.
PLASTIC = 1.3247179572447460
# The integral over x_2 uses this many panels of Gauss-Legendre nodes.
PANELS, NODES = 30, 5


@dataclass(frozen=True)
class SweepPoint:
    """AUCs of the two best scorers on one population of the sweep.

    Attributes
    ----------
    rho : float
        The shift that gives label 2 its prior.
    loss_aggregation, label_aggregation : tuple of two floats
        AUC_1 and AUC_2 of the best scorer of each, equal weights and linear costs.
    """

    rho: float
    loss_aggregation: tuple[float, float]
    label_aggregation: tuple[float, float]


def sweep_point(tau: float, prior: float) -> SweepPoint:
    """Both best scorers on the square [-1, 1]^2, with label 2 skewed.

    eta_1(x) = sigma(tau (x_1 + x_2) / sqrt 2),   eta_2(x) = sigma(tau (x_2 - rho))

    with x uniform, so that pi_1 = 1/2, and rho such that pi_2 is `prior`. AUCs come from
    ROC curves whose points are integrals over x_2 (in x_1 they are in closed form); the
    error is below 1e-6.

    Parameters
    ----------
    tau : float
        How certain the labels are given x; infinity is allowed.
    prior : float
        pi_2, strictly between 0 and 1/2 inclusive.

    Returns
    -------
    SweepPoint

    Examples
    --------
    >>> import math
    >>> from isonomy.theory import sweep_point
    >>> point = sweep_point(math.inf, 0.4)
    >>> [round(auc, 6) for auc in point.loss_aggregation + point.label_aggregation]
    [0.9424, 1.0, 0.9712, 0.97]
    """
    if not tau > 0:
        raise ValueError(f"Parameter `tau` should be positive. Found {tau!r}.")
    if not 0 < prior <= 0.5:
        raise ValueError(f"Parameter `prior` should lie in (0, 1/2]. Found {prior!r}.")
    if math.isinf(tau):
        return _certain(prior)
    rho = _shift(tau, prior)
    weights = {"loss": (4.0, 1.0 / (prior * (1.0 - prior))), "label": (1.0, 1.0)}
    aucs = {name: _aucs(tau, rho, *alpha) for name, alpha in weights.items()}
    return SweepPoint(rho, aucs["loss"], aucs["label"])


def _shift(tau: float, prior: float) -> float:
    """rho with [sp(tau (1 - rho)) - sp(tau (-1 - rho))] / (2 tau) = prior, sp = softplus."""

    def excess(rho: float) -> float:
        ends = np.logaddexp(0.0, tau * np.array([1.0 - rho, -1.0 - rho]))
        return float((ends[0] - ends[1]) / (2 * tau)) - prior

    top = 1.0
    while excess(top) > 0:
        top *= 2.0
    return float(brentq(excess, -1e-9, top, xtol=1e-14))


def _certain(prior: float) -> SweepPoint:
    """Labels certain given x, in closed form."""
    rho = 1.0 - 2.0 * prior
    p01 = (1.0 - rho) ** 2 / 8.0
    p10 = 0.5 - prior + p01
    conflict = p10 * p01
    loss = (1.0 - 4.0 * conflict, 1.0) if prior < 0.5 else (1.0 - 2.0 * conflict,) * 2
    label = (1.0 - 2.0 * conflict, 1.0 - conflict / (2.0 * prior * (1.0 - prior)))
    return SweepPoint(rho, loss, label)


def _aucs(tau: float, rho: float, alpha_1: float, alpha_2: float) -> tuple[float, float]:
    """AUC of alpha_1 eta_1 + alpha_2 eta_2 for both labels: the area under each ROC curve.

    Up to x_2 = `full` all of a row scores below the threshold, from `none` on nothing does;
    in between x_1 has to stay below the level curve, which is steep at both ends.
    """
    thresholds = _thresholds(tau, rho, alpha_1, alpha_2)
    model = (tau, rho, alpha_1, alpha_2)
    full, none = _crossing(thresholds, 1.0, *model), _crossing(thresholds, -1.0, *model)
    u, w = _nodes()
    x2, w2 = u * (full[:, None] + 1.0) - 1.0, w * (full[:, None] + 1.0)
    masses = _masses(1.0, x2, w2, tau, rho)
    grading = u**3 * (10.0 - 15.0 * u + 6.0 * u**2)
    x2 = full[:, None] + (none - full)[:, None] * grading
    w2 = w * (none - full)[:, None] * (30.0 * u**2 * (1.0 - u) ** 2)
    share = (thresholds[:, None] - alpha_2 * expit(tau * (x2 - rho))) / alpha_1
    with np.errstate(divide="ignore"):
        x1 = ROOT2 / tau * logit(np.clip(share, 0.0, 1.0)) - x2
    masses += _masses(np.clip(x1, -1.0, 1.0), x2, w2, tau, rho)
    below, first, second = masses
    return _area(first, below - first), _area(second, below - second)


def _nodes() -> tuple[FloatArray, FloatArray]:
    """Gauss-Legendre nodes and weights on panels of [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    centres = (np.arange(PANELS) + 0.5) / PANELS
    u = (centres[:, None] + 0.5 / PANELS * nodes).ravel()
    return u, np.tile(0.5 / PANELS * weights, PANELS)


def _masses(
    x1: FloatArray | float, x2: FloatArray, w2: FloatArray, tau: float, rho: float
) -> FloatArray:
    """The mass below each threshold, of all items and of both labels' positives."""
    below = np.broadcast_to((np.asarray(x1) + 1.0) / 2.0, x2.shape)
    first = _first_mass(tau, x1, x2) - _first_mass(tau, -1.0, x2)
    parts = (below, first, below * expit(tau * (x2 - rho)))
    return 0.5 * np.array([(part * w2).sum(axis=1) for part in parts])


def _crossing(
    thresholds: FloatArray, x1: float, tau: float, rho: float, alpha_1: float, alpha_2: float
) -> FloatArray:
    """Where on the line through x_1 the score, which grows with x_2, meets each threshold."""
    low, high = np.full(thresholds.size, -1.0), np.full(thresholds.size, 1.0)
    for _ in range(60):
        x2 = 0.5 * (low + high)
        score = alpha_1 * expit(tau / ROOT2 * (x1 + x2)) + alpha_2 * expit(tau * (x2 - rho))
        low, high = np.where(score < thresholds, x2, low), np.where(score < thresholds, high, x2)
    return np.asarray(0.5 * (low + high))


def _first_mass(tau: float, x1: FloatArray | float, x2: FloatArray) -> FloatArray:
    """An antiderivative of eta_1 in x_1, for x_1 uniform on [-1, 1]."""
    return np.asarray(ROOT2 / (2.0 * tau) * np.logaddexp(0.0, tau / ROOT2 * (x1 + x2)))


def _thresholds(tau: float, rho: float, alpha_1: float, alpha_2: float) -> FloatArray:
    """Scores at points spread evenly in every direction, so they are dense where scores are."""
    steps = np.arange(1, THRESHOLDS + 1)
    x1, x2 = 2.0 * (steps * PLASTIC**-1.0 % 1.0) - 1.0, 2.0 * (steps * PLASTIC**-2.0 % 1.0) - 1.0
    scores = alpha_1 * expit(tau / ROOT2 * (x1 + x2)) + alpha_2 * expit(tau * (x2 - rho))
    return np.concatenate([[0.0], np.sort(scores), [alpha_1 + alpha_2]])


def _area(positive: FloatArray, negative: FloatArray) -> float:
    """P(negative below positive) from the masses of both below each threshold."""
    middle = 0.5 * (negative[1:] + negative[:-1])
    return float(middle @ np.diff(positive) / (positive[-1] * negative[-1]))
