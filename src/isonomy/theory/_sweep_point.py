"""Two labels on a square, one of them skewed: the paper's population sweep, without sampling."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from isonomy._core import FloatArray

ROOT2 = math.sqrt(2.0)
# ROC curves are traced at this many thresholds.
THRESHOLDS = 4000
# Multiples of its inverse powers, modulo 1, fill the square evenly.
PLASTIC = 1.3247179572447460
# Each part of the integral over x_2 uses this many panels of Gauss-Legendre nodes.
PANELS, NODES = 12, 5
# Beyond it, the smallest probabilities are no longer numbers.
HIGHEST_TAU = 300.0


@dataclass(frozen=True)
class SweepPoint:
    """AUCs of the two best scorers on one population of the sweep.

    Attributes
    ----------
    rho : float
        The shift that gives label 2 its prior.
    loss_aggregation, label_aggregation : tuple of two floats
        AUC_1 and AUC_2 of the best scorer of each, equal weights and linear costs.

    Examples
    --------
    >>> import math
    >>> from isonomy.theory import sweep_point
    >>> round(sweep_point(math.inf, 0.5).rho, 6)
    0.0
    """

    rho: float
    loss_aggregation: tuple[float, float]
    label_aggregation: tuple[float, float]


def sweep_point(tau: float, prior: float) -> SweepPoint:
    """Both best scorers on the square [-1, 1]^2, with label 2 skewed.

    eta_1(x) = sigma(tau (x_1 + x_2) / sqrt 2),   eta_2(x) = sigma(tau (x_2 - rho))

    with x uniform, so that pi_1 = 1/2, and rho such that pi_2 is `prior`. AUCs come from
    ROC curves whose points are integrals over x_2 (in x_1 they are in closed form); the
    error is below 1e-6 for priors from 0.02 on, and grows slowly below.

    Parameters
    ----------
    tau : float
        How certain the labels are given x: up to 300, or infinity. Infinity is not the
        limit of large tau: there label aggregation ties the items with one positive
        label, which it orders at every finite tau.
    prior : float
        pi_2, in (0, 1/2].

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
    if tau > HIGHEST_TAU:
        raise ValueError(
            f"Parameter `tau` should be at most {HIGHEST_TAU:g}, or infinite. Found {tau!r}, with "
            "which some probabilities are too small for a float. Use tau=math.inf for labels that "
            "are certain."
        )
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


@dataclass(frozen=True, eq=False)
class _Scores:
    """Scores as the corner they are near, and how far they are from it.

    Labels that are all but certain make scores that a float cannot tell apart from
    alpha_1 b_1 + alpha_2 b_2, with both bits 0 or 1; what is left over it can.
    """

    bit_1: FloatArray
    bit_2: FloatArray
    rest: FloatArray


@dataclass(frozen=True)
class _Model:
    tau: float
    rho: float
    alpha_1: float
    alpha_2: float

    def scores(self, x1: FloatArray | float, x2: FloatArray) -> _Scores:
        bit_1, rest_1 = _parts(self.tau / ROOT2 * (x1 + x2))
        bit_2, rest_2 = _parts(self.tau * (x2 - self.rho))
        return _Scores(bit_1, bit_2, self.alpha_1 * rest_1 + self.alpha_2 * rest_2)

    def level_curve(self, threshold: _Scores, x2: FloatArray) -> FloatArray:
        """x_1 at which the score meets the threshold."""
        bit, rest = _parts(self.tau * (x2 - self.rho))
        # Differences of corners are exact where they vanish.
        corner = self.alpha_2 * (threshold.bit_2 - bit)
        left = threshold.rest - self.alpha_2 * rest
        share = (self.alpha_1 * threshold.bit_1 + corner) + left
        missing = (self.alpha_1 * (1.0 - threshold.bit_1) - corner) - left
        with np.errstate(divide="ignore"):
            odds = np.log(np.maximum(share, 0.0)) - np.log(np.maximum(missing, 0.0))
        return np.asarray(np.clip(ROOT2 / self.tau * odds - x2, -1.0, 1.0))

    def crossing(self, thresholds: _Scores, x1: float) -> FloatArray:
        """Where on the line through x_1 the score, which grows with x_2, meets each threshold."""
        low = np.full(thresholds.rest.shape, -1.0)
        high = -low
        for _ in range(60):
            x2 = 0.5 * (low + high)
            found = self.scores(x1, x2)
            corner = self.alpha_1 * (found.bit_1 - thresholds.bit_1)
            corner += self.alpha_2 * (found.bit_2 - thresholds.bit_2)
            below = corner + (found.rest - thresholds.rest) < 0
            low, high = np.where(below, x2, low), np.where(below, high, x2)
        return np.asarray(0.5 * (low + high))

    def thresholds(self) -> _Scores:
        """Scores at points spread evenly in every direction, so they are dense where scores are."""
        steps = np.arange(1, THRESHOLDS + 1)
        x1, x2 = (2.0 * (steps * PLASTIC**power % 1.0) - 1.0 for power in (-1.0, -2.0))
        found = self.scores(x1, x2)
        total = self.alpha_1 * found.bit_1 + self.alpha_2 * found.bit_2 + found.rest
        order = np.lexsort((found.rest, total))
        return _Scores(
            bit_1=np.concatenate([[0.0], found.bit_1[order], [1.0]]),
            bit_2=np.concatenate([[0.0], found.bit_2[order], [1.0]]),
            rest=np.concatenate([[0.0], found.rest[order], [0.0]]),
        )


def _aucs(tau: float, rho: float, alpha_1: float, alpha_2: float) -> tuple[float, float]:
    """AUC of alpha_1 eta_1 + alpha_2 eta_2 for both labels: the area under each ROC curve.

    Up to x_2 = `full` all of a row scores below the threshold, from `none` on nothing does;
    in between x_1 has to stay below the level curve, which is steep at both ends. It bends
    where x_2 passes rho, and where eta_2 or 1 - eta_2 passes the rest of the threshold.
    """
    model = _Model(tau, rho, alpha_1, alpha_2)
    found = model.thresholds()
    column = _Scores(found.bit_1[:, None], found.bit_2[:, None], found.rest[:, None])
    full, none = model.crossing(found, 1.0), model.crossing(found, -1.0)
    bottom, middle = np.full(full.size, -1.0), np.full(full.size, rho)
    tiny = np.finfo(np.float64).tiny
    bend = np.abs(np.log(np.maximum(np.abs(found.rest) / alpha_2, tiny))) / tau
    masses = np.zeros((3, full.size))
    for x2, w2 in _pieces(bottom, [middle], full):
        masses += _masses(1.0, x2, w2, tau, rho)
    for x2, w2 in _pieces(full, [rho - bend, middle, rho + bend], none):
        masses += _masses(model.level_curve(column, x2), x2, w2, tau, rho)
    below, first, second = masses
    return _area(first, below - first), _area(second, below - second)


def _parts(z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The logistic function as 0 or 1, whichever is nearer, and the rest."""
    bit = (z > 0).astype(np.float64)
    return bit, np.asarray(np.copysign(expit(-np.abs(z)), -z))


def _pieces(
    start: FloatArray, bends: list[FloatArray], end: FloatArray
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Nodes and weights between start, bends and end, dense near each of them."""
    u, w = _nodes()
    grading, slope = u**3 * (10.0 - 15.0 * u + 6.0 * u**2), 30.0 * u**2 * (1.0 - u) ** 2
    cuts = [start, *(np.clip(bend, start, end) for bend in bends), end]
    for low, high in pairwise(cuts):
        width = (high - low)[:, None]
        yield low[:, None] + width * grading, w * slope * width


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


def _first_mass(tau: float, x1: FloatArray | float, x2: FloatArray) -> FloatArray:
    """An antiderivative of eta_1 in x_1, for x_1 uniform on [-1, 1]."""
    return np.asarray(ROOT2 / (2.0 * tau) * np.logaddexp(0.0, tau / ROOT2 * (x1 + x2)))


def _area(positive: FloatArray, negative: FloatArray) -> float:
    """P(negative below positive) from the masses of both below each threshold."""
    middle = 0.5 * (negative[1:] + negative[:-1])
    return float(middle @ np.diff(positive) / (positive[-1] * negative[-1]))
