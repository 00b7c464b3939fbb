"""How far an AUC may be off: confidence bounds from the spread of influences, or from resamples."""

from __future__ import annotations

import numpy as np
import scipy

from isonomy._core import FloatArray
from isonomy._counting import Spread
from isonomy._metrics.p_values import normal_quantile

# Placements that are spread evenly, as those of a score that knows nothing, have a third of
# the variance A (1 - A) that they have where each item is wholly right or wholly wrong.
EVEN = 1 / 3
# The even spread counts for as many items as this times Wilson's z^2 (5 at 95%): as few as
# cover in every cell of docs/intervals.md, and enough to keep bounds from falling when an
# outlier rises.
PRIOR = 4 / 3
# Degrees of freedom that a spread so supported has beyond its own.
PRIOR_FREEDOM = 4.0
# An AUC is a matter of few misranked items where its smaller class times A (1 - A) is small.
# There it moves in steps, and the bound towards the nearer end is taken a part of a step out.
STEP, FADES = 0.3, 0.75


def shrunk_wilson(
    estimate: FloatArray, spread: Spread, level: float
) -> tuple[FloatArray, FloatArray]:
    """Wilson's interval with as many observations as the spread, shrunk to an even one, is worth.

    The spread of a role's placements is measured in units of A (1 - A). Near 0 and 1 few
    items are misranked, and a small or missing spread says little: the fewer they are,
    the more an even spread stands in for what they do not show. Nothing is special about
    an estimate of exactly 0 or 1, nor about placements that are all alike.
    """
    size, scale, variance = spread.size, spread.scale, spread.variance
    binary = estimate * (1 - estimate)
    prior = PRIOR * normal_quantile(level) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        known = (binary > 0) & (size > 1) & ~np.isnan(variance)
        own = np.where(known, 4 * binary * (size - 1), 0.0)
        relative = np.where(known, variance / (scale * binary), 0.0)
        parts = (own * relative + prior * EVEN) / (own + prior) * scale
        worth = 1 / parts.sum(axis=0)
        least = np.maximum(size - 1, 0.0) + PRIOR_FREEDOM
        freedom = parts.sum(axis=0) ** 2 / (parts**2 / least).sum(axis=0)
        t = scipy.special.stdtrit(freedom, (1 + level) / 2)
        step = 2 * STEP / spread.smallest / (1 + binary * spread.smallest / FADES)
        low, _ = wilson(np.maximum(estimate - (1 - estimate) * step, 0.0), worth, t)
        _, high = wilson(np.minimum(estimate + estimate * step, 1.0), worth, t)
    return np.minimum(low, estimate), np.maximum(high, estimate)


def wilson(
    share: FloatArray, size: FloatArray, reach: FloatArray | float
) -> tuple[FloatArray, FloatArray]:
    """Wilson's interval of a share of `size` observations, `reach` standard errors wide."""
    with np.errstate(invalid="ignore", divide="ignore"):
        shrink = 1 + reach**2 / size
        centre = (share + reach**2 / (2 * size)) / shrink
        half = reach / shrink * np.sqrt(share * (1 - share) / size + reach**2 / (4 * size**2))
    # At 0 and 1 the formula gives the end itself, but for rounding.
    low = np.where(share == 0, 0.0, np.maximum(centre - half, 0.0))
    high = np.where(share == 1, 1.0, np.minimum(centre + half, 1.0))
    return low, high


def plain_bounds(
    estimate: FloatArray, error: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """DeLong's interval: so many standard errors to either side, cut at 0 and 1."""
    reach = normal_quantile(level) * error
    return np.maximum(estimate - reach, 0.0), np.minimum(estimate + reach, 1.0)


def logit_bounds(
    estimate: FloatArray, error: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Intervals that stay between 0 and 1; NaN for estimates that do not lie between them."""
    inside = np.where((estimate > 0) & (estimate < 1), estimate, np.nan)
    reach = normal_quantile(level) * error / (inside * (1 - inside))
    centre = scipy.special.logit(inside)
    return scipy.special.expit(centre - reach), scipy.special.expit(centre + reach)


def percentile_bounds(draws: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Percentiles of resampled estimates, a column each; NaN where no draw is defined."""
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    low, high = np.full((2, draws.shape[1]), np.nan)
    defined = ~np.isnan(draws).all(axis=0)
    if defined.any():
        low[defined], high[defined] = np.nanquantile(draws[:, defined], tails, axis=0)
    return low, high


def one_sided_ends(
    estimate: FloatArray,
    bounds: tuple[FloatArray, FloatArray],
    pairs: FloatArray,
    level: float,
) -> tuple[FloatArray, FloatArray]:
    """The bounds, but one-sided where an estimate of exactly 0 or 1 shows no spread.

    At an AUC of A, m pairs without a common item are all in order with probability A^m at
    most, which rules out an A below (1 - level)^(1/m).
    """
    low, high = bounds
    bound = (1 - level) ** (1 / np.maximum(pairs, 1.0))
    low = np.where(estimate == 1, bound, np.where(estimate == 0, 0.0, low))
    high = np.where(estimate == 0, 1 - bound, np.where(estimate == 1, 1.0, high))
    return low, high
