"""Are probabilities what they say, and if not, by how much; and how to put them right."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit
from scipy.stats import chi2
from sklearn.isotonic import IsotonicRegression

from isonomy._core import FloatArray

# Probabilities are compared with labels in this many bins of equally many rows.
N_BINS = 10
# Miscalibration is reported where chance would do as much less often than this...
CHANCE = 0.001
# ...and the excess error is at least this, or this part of the label's variance.
BAD_ERROR, BAD_SHARE = 0.05, 0.5
# Log odds are taken of probabilities no closer to 0 and 1 than one of these: forests say 0
# where they mean 'below 1 in 100', naive Bayes says 1e-9 and means one odds above 1e-8.
FLOORS = (1e-15, 1e-9, 1e-6, 1e-4, 1e-3, 1e-2)
MOST_STEPS = 100


@dataclass(frozen=True)
class Calibration:
    """How far a label's probabilities are from the label.

    Attributes
    ----------
    error : float
        Expected calibration error: `|mean label - mean probability|`, averaged over ten bins
        of equally many rows by probability.
    chance : float
        The error that right probabilities would show on average, by chance.
    p_value : float
        How often right probabilities would miss the labels of the bins by as much.
    predicted, observed : float
        Means of the probabilities and of the label.
    slope, intercept : float
        Of the label's log odds on those of the probabilities: 1 and 0 if they are right; a
        slope below 1 says that they are too extreme, above 1 that they are too timid.
    n_rows : int
        Rows judged.

    Examples
    --------
    >>> import numpy as np
    >>> from isonomy._rankers.plugin.calibration import judge_calibration
    >>> p = np.repeat([0.2, 0.6], 500)
    >>> y = np.arange(1000) % 10 < np.where(p < 0.5, 2, 6)
    >>> judge_calibration(p, y).error.__round__(6), judge_calibration(p, y).is_bad()
    (0.0, False)
    >>> doubled = judge_calibration(p / 2, y)
    >>> doubled.error.__round__(6), doubled.is_bad()
    (0.2, True)
    """

    error: float
    chance: float
    p_value: float
    predicted: float
    observed: float
    slope: float
    intercept: float
    n_rows: int

    @property
    def excess(self) -> float:
        """The error beyond what chance explains."""
        return max(self.error - self.chance, 0.0)

    def is_bad(self, chance: float = CHANCE) -> bool:
        """Whether the error is both large and beyond chance."""
        variance = self.observed * (1.0 - self.observed)
        return self.p_value < chance and self.excess >= min(BAD_ERROR, BAD_SHARE * variance)

    def describe(self) -> str:
        """The error in words."""
        if 0.8 <= self.slope <= 1.25:
            shape = "too high" if self.predicted > self.observed else "too low"
        else:
            shape = "too extreme" if self.slope < 1 else "too timid"
        return (
            f"expected calibration error {self.error:.2g} ({self.chance:.2g} by chance; "
            f"probabilities average {self.predicted:.2g} where {self.observed:.2g} are positive; "
            f"slope {self.slope:.2g}: {shape})"
        )


def judge_calibration(
    p: FloatArray,
    y: NDArray[np.bool_],
    weight: FloatArray | None = None,
    groups: NDArray[np.int64] | None = None,
) -> Calibration:
    """Compare probabilities with a binary label that they were not fitted to.

    The bins' sums of labels, observed O_b and expected E_b = sum p, give

        error = sum_b |O_b - E_b| / n,   chance = sum_b sqrt(2 V_b / pi) / n
        p_value = P(chi2_B > sum_b (O_b - E_b)^2 / max(V_b, 1))

    with V_b = sum p (1 - p); with groups, V_b is at least the sum over the groups of their
    squared sums of y - p, because rows of one group are not independent. Weights are scaled
    so that they sum to the number of rows that they are worth.
    """
    w = np.ones(p.size) if weight is None else weight * (weight.sum() / (weight @ weight))
    edges = np.unique(np.quantile(p, np.linspace(0, 1, N_BINS + 1)[1:-1]))
    bins = np.searchsorted(edges, p, side="right")
    residual = w * (y - p)
    missed = np.bincount(bins, residual)
    variance = np.bincount(bins, w**2 * p * (1.0 - p))
    if groups is not None:
        cells, index = np.unique(bins * (groups.max() + 1) + groups, return_inverse=True)
        sums = np.bincount(index, residual)
        clustered = np.bincount(cells // (groups.max() + 1), sums**2, minlength=missed.size)
        variance = np.maximum(variance, clustered)
    total = float(w.sum())
    statistic = float((missed**2 / np.maximum(variance, 1.0)).sum())
    line = fit_sigmoid(p, y, w)
    return Calibration(
        error=float(np.abs(missed).sum()) / total,
        chance=float(np.sqrt(variance * 2.0 / np.pi).sum()) / total,
        p_value=float(chi2.sf(statistic, np.unique(bins).size)),
        predicted=float(w @ p) / total,
        observed=float(w @ y) / total,
        slope=line.slope,
        intercept=line.intercept,
        n_rows=int(p.size),
    )


class Calibrator(Protocol):
    """Turns probabilities into calibrated ones, in the same order."""

    def __call__(self, p: FloatArray) -> FloatArray: ...


@dataclass(frozen=True)
class Sigmoid:
    """Platt's calibration: expit(intercept + slope * logit(p)), p at least `floor` from 0 and 1."""

    slope: float
    intercept: float
    floor: float = FLOORS[0]

    def __call__(self, p: FloatArray) -> FloatArray:
        """Calibrated probabilities."""
        odds = logit(np.clip(p, self.floor, 1.0 - self.floor))
        return np.asarray(expit(self.intercept + self.slope * odds))


@dataclass(frozen=True, eq=False)
class Isotonic:
    """Isotonic regression of the label on the probability: steps, joined by lines."""

    at: FloatArray
    value: FloatArray

    def __call__(self, p: FloatArray) -> FloatArray:
        """Calibrated probabilities."""
        return np.asarray(np.interp(p, self.at, self.value))


Method = Literal["sigmoid", "isotonic"]


def fit_calibrator(
    method: Method, p: FloatArray, y: NDArray[np.bool_], weight: FloatArray | None = None
) -> Calibrator:
    """A calibrator from probabilities and a label that they were not fitted to."""
    w = np.ones(p.size) if weight is None else weight
    if method == "isotonic":
        return _fit_isotonic(p, y, w)
    line = fit_sigmoid(p, y, w)
    # A falling line belongs to a label that cannot be predicted: the best flat one is its mean.
    return line if line.slope >= 0.0 else Sigmoid(0.0, float(logit(w @ y / w.sum())))


def cross_calibrated(
    method: Method,
    p: FloatArray,
    y: NDArray[np.bool_],
    weight: FloatArray | None,
    fold: NDArray[np.int64],
) -> FloatArray:
    """Probabilities calibrated by what the other folds' rows say; as they are if there is none."""
    found = p.copy()
    for number in np.unique(fold):
        here = fold == number
        if y[~here].any() and not y[~here].all():
            rest = None if weight is None else weight[~here]
            found[here] = fit_calibrator(method, p[~here], y[~here], rest)(p[here])
    return found


def fit_sigmoid(p: FloatArray, y: NDArray[np.bool_], w: FloatArray) -> Sigmoid:
    """The likeliest slope, intercept and floor."""
    found: list[tuple[float, Sigmoid]] = []
    for floor in FLOORS:
        if found and floor <= p.min() and p.max() <= 1.0 - floor:
            continue
        slope, intercept, loss = _line(logit(np.clip(p, floor, 1.0 - floor)), y, w)
        found.append((loss, Sigmoid(slope, intercept, floor)))
    # Wider floors must earn the ties that they make.
    best = min(range(len(found)), key=lambda i: (found[i][0] * (1 + 1e-9 * i), i))
    return found[best][1]


def _fit_isotonic(p: FloatArray, y: NDArray[np.bool_], w: FloatArray) -> Isotonic:
    model = IsotonicRegression(y_min=0.0, y_max=1.0).fit(p, y, w)
    return Isotonic(np.asarray(model.X_thresholds_), np.asarray(model.y_thresholds_))


def _line(z: FloatArray, y: NDArray[np.bool_], w: FloatArray) -> tuple[float, float, float]:
    """Slope, intercept and loss of the logistic regression of y on z, by Newton's method.

    Platt's targets, (n1 + 1) / (n1 + 2) and 1 / (n0 + 2), keep it finite where z separates y.
    """
    positive, negative = float(w @ y), float(w @ ~y)
    target = np.where(y, (positive + 1.0) / (positive + 2.0), 1.0 / (negative + 2.0))
    centre = float(w @ z) / float(w.sum())
    spread = math.sqrt(float(w @ (z - centre) ** 2) / float(w.sum()))
    design = np.column_stack([np.ones(z.size), (z - centre) / (spread or 1.0)])
    ridge = 1e-9 * float(w.sum())
    prior = float(w @ target) / float(w.sum())
    beta = np.array([logit(prior), 0.0])

    def loss_at(beta: FloatArray) -> float:
        margin = design @ beta
        fit = float(w @ (np.logaddexp(0.0, margin) - target * margin))
        return fit + ridge * float(beta[1]) ** 2 / 2

    loss = loss_at(beta)
    for _ in range(MOST_STEPS):
        fitted = expit(design @ beta)
        gradient = design.T @ (w * (fitted - target)) + [0.0, ridge * beta[1]]
        hessian = (design.T * (w * fitted * (1.0 - fitted))) @ design + np.diag([ridge, ridge])
        step = np.linalg.solve(hessian, gradient)
        size = 1.0
        while loss_at(beta - size * step) > loss and size > 1e-9:
            size /= 2
        beta = beta - size * step
        before, loss = loss, loss_at(beta)
        if before - loss <= 1e-12 * abs(before):
            break
    slope = float(beta[1]) / spread if spread > 0 else 1.0
    return slope, float(beta[0]) - slope * centre, loss
