"""One number, and how far it may be off."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isonomy._core import FloatArray
from isonomy._metrics import logit_bounds, normal_quantile, t_quantile, wilson


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
        """The standard error; where it is 0, the length of the interval tells it."""
        if self.standard_error > 0 or not self.high > self.low:
            return self.standard_error
        return (self.high - self.low) / normal_quantile(level)


UNDEFINED = Estimate(np.nan, np.nan, np.nan, np.nan)


def estimates(
    value: FloatArray, low: FloatArray, high: FloatArray, error: FloatArray
) -> list[Estimate]:
    """One for each entry of the arrays."""
    return [Estimate(*map(float, each)) for each in zip(value, low, high, error, strict=True)]


def share_estimates(
    share: FloatArray, size: FloatArray, freedom: FloatArray, level: float
) -> list[Estimate]:
    """Shares of `size` items, which need not be whole, with Wilson's interval.

    `freedom` is how many degrees of freedom that size has; infinite where it is known.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt(share * (1 - share) / size)
    return estimates(share, *wilson(share, size, t_quantile(level, freedom)), error)


def logit_interval(share: FloatArray, error: FloatArray, level: float) -> list[Estimate]:
    """Intervals of shares that stay between 0 and 1; a share of 0 or 1 is certain."""
    certain = (share == 0) | (share == 1)
    low, high = (np.where(certain, share, each) for each in logit_bounds(share, error, level))
    return estimates(share, low, high, error)
