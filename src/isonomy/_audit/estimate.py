"""One number, how far it may be off, and tests of several."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from isonomy._core import FloatArray


@dataclass(frozen=True)
class Estimate:
    """A number with its confidence interval; NaN where it is undefined.

    Examples
    --------
    >>> from isonomy._audit import Estimate
    >>> print(Estimate(0.8123, 0.7911, 0.8302, 0.01))
    0.812 (0.791 to 0.830)
    """

    value: float
    low: float
    high: float
    standard_error: float

    def __str__(self) -> str:
        if np.isnan(self.value):
            return "undefined"
        if np.isnan(self.low):
            return f"{self.value:.3f} (interval unknown)"
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"

    def spread(self, level: float) -> float:
        """The standard error; where it is 0, the length of the one-sided interval tells it."""
        if self.standard_error > 0 or not self.high > self.low:
            return self.standard_error
        return (self.high - self.low) / quantile(level)


UNDEFINED = Estimate(np.nan, np.nan, np.nan, np.nan)


def quantile(level: float) -> float:
    """How many standard errors a two-sided interval reaches."""
    return float(special.ndtri((1 + level) / 2))


def wilson(share: FloatArray, size: FloatArray, level: float) -> list[Estimate]:
    """Wilson's interval of a share of `size` items, which need not be whole."""
    z = quantile(level)
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = (share + z**2 / (2 * size)) / (1 + z**2 / size)
        error = np.sqrt(share * (1 - share) / size)
        reach = z / (1 + z**2 / size) * np.sqrt(error**2 + z**2 / (4 * size**2))
    # At 0 and 1 the formula gives the end itself, but for rounding.
    low = np.where(share == 0, 0.0, np.maximum(centre - reach, 0.0))
    high = np.where(share == 1, 1.0, np.minimum(centre + reach, 1.0))
    return [Estimate(*map(float, numbers)) for numbers in zip(share, low, high, error, strict=True)]


def logit_interval(share: FloatArray, error: FloatArray, level: float) -> list[Estimate]:
    """Intervals of shares strictly between 0 and 1 that stay there."""
    inside = np.where((share > 0) & (share < 1), share, np.nan)
    reach = quantile(level) * error / (inside * (1 - inside))
    low, high = (special.expit(special.logit(inside) + side * reach) for side in (-1, 1))
    known = np.isnan(inside) & ~np.isnan(share)
    low, high = (np.where(known, share, bound) for bound in (low, high))
    return [Estimate(*map(float, numbers)) for numbers in zip(share, low, high, error, strict=True)]


def holm(p_values: FloatArray) -> FloatArray:
    """p-values corrected for their number (Holm); NaN stays NaN and does not count.

    Examples
    --------
    >>> import numpy as np
    >>> holm(np.array([0.01, 0.04, np.nan, 0.03]))
    array([0.03, 0.06,  nan, 0.06])
    """
    corrected = np.full(p_values.shape, np.nan)
    known: NDArray[np.int64] = np.flatnonzero(~np.isnan(p_values))
    order = known[np.argsort(p_values[known], kind="stable")]
    times = np.arange(order.size, 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(p_values[order] * times), 1.0)
    return corrected
