"""Intervals of the smallest AUC (Min) and of the gap between the largest and it (Diff).

The smallest of several estimates is too low on average where the true AUCs are close, and
the minimum has a corner there, so that neither the delta method nor percentiles of
resamples can be trusted. Both numbers are the largest of some contrasts t_c of the AUCs
(Diff: all A_j - A_k; Min: minus the largest -A_k), and the largest t = max_c t_c has bounds
that hold whether there are ties or not:

- above: max_c (t_c + z se_c). The true largest contrast is one of them, and its own bound
  fails with the probability that z stands for.
- below: max_c (t_c - q se_c), with q so large that no contrast that may be the largest
  fails: a quantile of the largest of their correlated errors, by simulation from the joint
  normal distribution with a fixed seed. Contrasts clearly below the largest cannot be it
  and have no say.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy import special

from isonomy._audit.estimate import UNDEFINED, Estimate
from isonomy._core import FloatArray
from isonomy._metrics import normal_quantile

# Contrasts this many standard errors below the largest cannot be it.
CLEARLY = 3.0
N_DRAWS, SEED = 10_000, 0


def smallest(aucs: list[Estimate], covariance: FloatArray, level: float) -> Estimate:
    """The smallest AUC, of those that are defined."""
    defined = [k for k, auc in enumerate(aucs) if not np.isnan(auc.value)]
    if not defined:
        return UNDEFINED
    worst = aucs[min(defined, key=lambda k: aucs[k].value)]
    if any(np.isnan(aucs[k].low) for k in defined):
        return Estimate(worst.value, np.nan, np.nan, np.nan)
    # An AUC of exactly 0 or 1 has a one-sided bound of its own.
    inside = [k for k in defined if 0 < aucs[k].value < 1]
    bounds = [aucs[k].high for k in defined if k not in inside]
    if inside:
        value = np.array([aucs[k].value for k in inside])
        root = _root(covariance[np.ix_(inside, inside)]) / (value * (1 - value))[:, None]
        below, _ = largest(-special.logit(value), root, level)
        bounds.append(float(special.expit(-below)))
    low = min(aucs[k].low for k in defined)
    return Estimate(worst.value, low, min(bounds), worst.standard_error)


def widest_gap(aucs: list[Estimate], covariance: FloatArray, level: float) -> Estimate:
    """The largest AUC less the smallest, of those that are defined."""
    defined = [k for k, auc in enumerate(aucs) if not np.isnan(auc.value)]
    if len(defined) < 2:
        return UNDEFINED
    value = np.array([aucs[k].value for k in defined])
    gap = float(value.max() - value.min())
    if any(np.isnan(aucs[k].low) for k in defined):
        return Estimate(gap, np.nan, np.nan, np.nan)
    spread = covariance[np.ix_(defined, defined)].copy()
    exact = np.flatnonzero((value == 0) | (value == 1))
    spread[exact, :] = spread[:, exact] = 0.0
    spread[exact, exact] = [aucs[defined[k]].spread(level) ** 2 for k in exact]
    first, second = np.nonzero(~np.eye(len(defined), dtype=bool))
    root = _root(spread)
    root = root[first] - root[second]
    contrasts = value[first] - value[second]
    below, above = largest(contrasts, root, level)
    error = float(np.linalg.norm(root[int(np.argmax(contrasts))]))
    return Estimate(gap, max(below, 0.0), min(above, 1.0), error)


def largest(values: FloatArray, root: FloatArray, level: float) -> tuple[float, float]:
    """Bounds of the largest of some values whose covariance is root root'."""
    error = np.linalg.norm(root, axis=1)
    above = float((values + normal_quantile(level) * error).max())
    top = int(np.argmax(values))
    apart = np.linalg.norm(root - root[top], axis=1)
    near = values[top] - values <= CLEARLY * apart
    reach = normal_quantile(level)
    if near.sum() > 1:
        reach = _joint_quantile(root[near], (1 + level) / 2)
    return float((values - reach * error)[near].max()), above


def _joint_quantile(root: FloatArray, level: float) -> float:
    """Quantile of the largest of standardised normal errors with covariance root root'."""
    error = np.linalg.norm(root, axis=1)
    scaled = np.divide(root, error[:, None], out=np.zeros_like(root), where=error[:, None] > 0)
    blocks = np.array_split(_draws(root.shape[1]), 1 + len(root) // 128)
    found = np.concatenate([(block @ scaled.T).max(axis=1) for block in blocks])
    return max(float(np.quantile(found, level)), float(special.ndtri(level)))


@lru_cache(maxsize=8)
def _draws(dimension: int) -> FloatArray:
    return np.random.default_rng(SEED).normal(size=(N_DRAWS, dimension))


def _root(covariance: FloatArray) -> FloatArray:
    """A matrix whose product with its transpose is the covariance."""
    variances, axes = np.linalg.eigh(covariance)
    return np.asarray(axes * np.sqrt(np.maximum(variances, 0.0)))
