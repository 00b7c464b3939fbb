"""Intervals of the smallest AUC (Min) and of the gap between the largest and it (Diff).

The smallest of several estimates is too low on average where the true AUCs are close, and
the minimum has a corner there, so that neither the delta method nor percentiles of
resamples can be trusted. Both numbers are the largest of some contrasts (Diff: all
A_j - A_k; Min: minus the largest -A_k), and the largest has bounds that hold whether there
are ties or not:

- above: the largest of the contrasts' own upper bounds. The true largest contrast is one
  of them, and its own bound fails as often as the level says.
- below: the largest of their lower bounds, each taken so far out that no contrast that may
  be the largest fails: a quantile of the largest of their correlated errors, by simulation
  from the joint normal distribution with a fixed seed. Contrasts clearly below the largest
  cannot be it and have no say.

A label's own bounds are those of its AUC; the bounds of a difference come from both of its
labels' (Zou's method), so that a rare label is as uncertain here as by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from isonomy._audit.estimate import UNDEFINED, Estimate
from isonomy._core import FloatArray
from isonomy._counting import Spread
from isonomy._metrics import normal_quantile, shrunk_wilson

# Contrasts this many standard errors below the largest cannot be it.
CLEARLY = 3.0
N_DRAWS, SEED = 10_000, 0


def smallest(aucs: FloatArray, spread: Spread, level: float) -> Estimate:
    """The smallest AUC, of those that are defined."""
    found = _Defined.of(aucs, spread, level)
    if found is None:
        return UNDEFINED
    worst = int(np.argmin(found.aucs))
    near, further = _may_be_largest(-found.aucs, found.root, level)
    low, _ = shrunk_wilson(found.aucs, found.spread, level)
    _, high = shrunk_wilson(found.aucs, found.spread, further)
    error = float(found.spread.error[worst])
    return Estimate(float(found.aucs[worst]), float(low.min()), float(high[near].min()), error)


def widest_gap(aucs: FloatArray, spread: Spread, level: float) -> Estimate:
    """The largest AUC less the smallest, of those that are defined."""
    found = _Defined.of(aucs, spread, level)
    if found is None or found.aucs.size < 2:
        return UNDEFINED
    first, second = np.nonzero(~np.eye(found.aucs.size, dtype=bool))
    gaps = found.aucs[first] - found.aucs[second]
    root = found.root[first] - found.root[second]
    near, further = _may_be_largest(gaps, root, level)
    _, high = found.gap_bounds(first, second, level)
    low, _ = found.gap_bounds(first, second, further)
    below, above = max(float(low[near].max()), 0.0), min(float(high.max()), 1.0)
    top = int(np.argmax(gaps))
    j, k = first[top], second[top]
    covariance = found.spread.covariance
    error = float(np.sqrt(max(covariance[j, j] + covariance[k, k] - 2 * covariance[j, k], 0.0)))
    return Estimate(float(gaps[top]), below, above, error)


@dataclass(frozen=True, eq=False)
class _Defined:
    """The labels that have an AUC.

    `root root'` is the covariance of the AUCs, with errors as long as their intervals say.
    """

    aucs: FloatArray
    spread: Spread
    correlation: FloatArray
    root: FloatArray

    @classmethod
    def of(cls, aucs: FloatArray, spread: Spread, level: float) -> _Defined | None:
        defined = np.flatnonzero(~np.isnan(aucs))
        if not defined.size:
            return None
        aucs, spread = aucs[defined], spread.take(defined)
        error = np.sqrt(np.diag(spread.covariance))
        with np.errstate(invalid="ignore", divide="ignore"):
            correlation = np.nan_to_num(spread.covariance / np.outer(error, error))
        np.fill_diagonal(correlation, 1.0)
        low, high = shrunk_wilson(aucs, spread, level)
        variances, axes = np.linalg.eigh(correlation)
        root = axes * np.sqrt(np.maximum(variances, 0.0))
        reach = 2 * normal_quantile(level)
        return cls(aucs, spread, correlation, root * ((high - low) / reach)[:, None])

    def gap_bounds(
        self, first: NDArray[np.int64], second: NDArray[np.int64], level: float
    ) -> tuple[FloatArray, FloatArray]:
        """Bounds of differences of two AUCs from the bounds of both and their correlation."""
        low, high = shrunk_wilson(self.aucs, self.spread, level)
        down, up = self.aucs - low, high - self.aucs
        shared = 2 * self.correlation[first, second]
        gaps = self.aucs[first] - self.aucs[second]
        below = down[first] ** 2 + up[second] ** 2 - shared * down[first] * up[second]
        above = up[first] ** 2 + down[second] ** 2 - shared * up[first] * down[second]
        return gaps - np.sqrt(np.maximum(below, 0.0)), gaps + np.sqrt(np.maximum(above, 0.0))


def _may_be_largest(
    values: FloatArray, root: FloatArray, level: float
) -> tuple[NDArray[np.bool_], float]:
    """Which values may be the largest, and the level at which all their bounds hold together."""
    top = int(np.argmax(values))
    near = values[top] - values <= CLEARLY * np.linalg.norm(root - root[top], axis=1)
    if near.sum() == 1:
        return near, level
    reach = _joint_quantile(root[near], (1 + level) / 2)
    return near, float(2 * special.ndtr(reach) - 1)


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
