"""How far an AUC may be off: confidence bounds from its standard error, or from resamples."""

from __future__ import annotations

import numpy as np
import scipy

from isonomy._core import FloatArray
from isonomy._metrics.p_values import normal_quantile


def bounds(
    estimate: FloatArray,
    error: FloatArray,
    pairs: FloatArray,
    level: float,
    draws: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Intervals of AUCs on the logit scale, or from draws; one-sided at exactly 0 and 1."""
    if draws is not None:
        tails = np.array([(1 - level) / 2, (1 + level) / 2])
        low, high = np.full((2, estimate.size), np.nan)
        defined = ~np.isnan(draws).all(axis=0)
        low[defined], high[defined] = np.nanquantile(draws[:, defined], tails, axis=0)
    else:
        low, high = logit_bounds(estimate, error, level)
    bound = (1 - level) ** (1 / np.maximum(pairs, 1.0))
    low = np.where(estimate == 1, bound, np.where(estimate == 0, 0.0, low))
    high = np.where(estimate == 0, 1 - bound, np.where(estimate == 1, 1.0, high))
    return low, high


def logit_bounds(
    estimate: FloatArray, error: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Intervals that stay between 0 and 1; NaN for estimates that do not lie between them."""
    inside = np.where((estimate > 0) & (estimate < 1), estimate, np.nan)
    reach = normal_quantile(level) * error / (inside * (1 - inside))
    centre = scipy.special.logit(inside)
    return scipy.special.expit(centre - reach), scipy.special.expit(centre + reach)
