"""What the spread between splits says: corrected intervals and paired tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from isonomy._core import FloatArray

# Columns this many standard errors behind the largest cannot be it.
CLEARLY = 3.0


@dataclass(frozen=True, eq=False)
class SplitMean:
    """A mean over splits with its interval; arrays of one shape.

    Attributes
    ----------
    mean, low, high : ndarray
        NaN where no split defines it; bounds are NaN where only one does.
    """

    mean: FloatArray
    low: FloatArray
    high: FloatArray


def jackknifed(whole: FloatArray, without: Sequence[FloatArray]) -> FloatArray:
    """Values whose spread is that of one split: of B blocks of its rows, B times what all rows
    gave less B - 1 times what they gave without a block.

    >>> jackknifed(np.array([0.75]), [np.array([0.5]), np.array([1.0])])
    array([[1. ],
           [0.5]])
    """
    n = len(without)
    return np.array([n * whole - (n - 1) * each for each in without])


@dataclass(frozen=True)
class Resampling:
    """How the splits were drawn, as far as their spread depends on it.

    Splits share training rows, so that their results are correlated and the plain
    variance of a mean, s^2 / J, is far too small. Nadeau and Bengio (2003) correct it:

        variance of the mean = (1 / J + n_test / n_train) s^2,   J - 1 degrees of freedom

    Attributes
    ----------
    ratio : float
        n_test / n_train.
    level : float
        Confidence level of intervals.
    """

    ratio: float
    level: float

    def for_all_of(self, count: int) -> Resampling:
        """With intervals so wide that of so many all hold together."""
        return replace(self, level=1 - (1 - self.level) / max(count, 1))

    def estimate(self, values: FloatArray, bounds: tuple[float, float]) -> SplitMean:
        """Mean over the first axis, the splits, where defined, and its interval in the bounds.

        Examples
        --------
        >>> found = Resampling(0.25, 0.95).estimate(np.array([0.7, 0.8, 0.75]), (0.0, 1.0))
        >>> print(found.low.round(3), found.mean.round(3), found.high.round(3))
        0.586 0.75 0.914
        """
        mean, error, freedom = self._moments(values)
        reach = stats.t.ppf((1 + self.level) / 2, np.maximum(freedom, 1)) * error
        # Bounds never exclude the mean: rounding must not put it outside.
        low = np.minimum(np.maximum(mean - reach, bounds[0]), mean)
        high = np.maximum(np.minimum(mean + reach, bounds[1]), mean)
        return SplitMean(mean, low, high)

    def errors(self, values: FloatArray) -> FloatArray:
        """Corrected standard errors of the means over the splits, the first axis."""
        return self._moments(values)[1]

    def smallest(self, values: FloatArray) -> SplitMean:
        """The smallest of the columns' means over the splits, and its interval in 0 to 1.

        Not the mean of the splits' minima, which chance makes too low in every split.

        Examples
        --------
        >>> found = Resampling(0.25, 0.95).smallest(np.array([[0.7, 0.8], [0.8, 0.7], [0.6, 0.9]]))
        >>> found.mean.round(3)
        np.float64(0.7)
        """
        found = self.largest(-values, (-1.0, 0.0))
        # Less than nothing, so that no bound is a zero with a minus.
        return SplitMean(0.0 - found.mean, 0.0 - found.high, 0.0 - found.low)

    def widest_gap(self, values: FloatArray) -> SplitMean:
        """The largest of the columns' means less the smallest, and its interval in 0 to 1."""
        first, second = np.nonzero(~np.eye(values.shape[1], dtype=bool))
        if not first.size:
            return self.estimate(np.ptp(values, axis=1), (0.0, 1.0))
        return self.largest(values[:, first] - values[:, second], (0.0, 1.0))

    def largest(self, values: FloatArray, bounds: tuple[float, float]) -> SplitMean:
        """The largest of the columns' means, with bounds that hold whether there are ties or not.

        Above: the largest of their own upper bounds. Below: the largest lower bound of those
        that may be the largest, each so far out that all of these hold together.
        """
        mean, error, freedom = self._moments(values)
        top = int(np.argmax(mean))
        if np.isnan(mean).any():
            unknown = np.full((), np.nan)
            return SplitMean(unknown, unknown, unknown)
        behind, between, _ = self._moments(values[:, [top]] - values)
        near = ~(behind > CLEARLY * between)
        tails = (1 - self.level) / 2 / np.array([1, near.sum()])
        upper, lower = (stats.t.ppf(1 - tail, np.maximum(freedom, 1)) for tail in tails)
        above = (mean + upper * error).max()
        below = (mean - lower * error)[near].max()
        return SplitMean(
            mean[top],
            np.minimum(np.maximum(below, bounds[0]), mean[top]),
            np.maximum(np.minimum(above, bounds[1]), mean[top]),
        )

    def errors_drawn(
        self, values: FloatArray, n_draws: int, rng: np.random.Generator
    ) -> FloatArray:
        """Errors that means over the splits might have, (n_draws, K), of values (M, S, K).

        Normal, with the methods' corrected covariances on average; each with its mirror image.
        """
        n_methods, n_splits, n_labels = values.shape
        mean = self._moments(np.moveaxis(values, 1, 0))[0]
        apart = np.nan_to_num(values - mean[:, None]).reshape(-1, n_labels)
        variance = (1 / n_splits + self.ratio) / (n_splits - 1) / n_methods
        steps = np.sqrt(variance) * rng.normal(size=(n_draws // 2, len(apart))) @ apart
        return np.concatenate([steps, -steps])

    def draws(self, values: FloatArray, n_draws: int, rng: np.random.Generator) -> FloatArray:
        """Means over the splits as they might have come out, (n_draws, M, K), of values (M, S, K).

        All are drawn together, with the corrected covariance between the splits and the tails
        that few splits have. Each draw has its mirror image, so that their mean is the mean.
        Without spread, or with one split, all draws are the mean.
        """
        mean = self._moments(np.moveaxis(values, 1, 0))[0]
        n_splits = values.shape[1]
        if n_splits < 2:
            return np.broadcast_to(mean, (n_draws, *mean.shape))
        apart = np.nan_to_num(np.moveaxis(values, 1, 0) - mean)
        scale = np.sqrt((1 / n_splits + self.ratio) / (n_splits - 1))
        noise = rng.normal(size=(n_draws // 2, n_splits))
        tails = rng.chisquare(n_splits - 1, n_draws // 2) / (n_splits - 1)
        noise /= np.sqrt(tails)[:, None]
        steps = np.tensordot(noise, apart, axes=1)
        return np.asarray(mean + scale * np.concatenate([steps, -steps]))

    def p_values(self, differences: FloatArray) -> FloatArray:
        """Two-sided p-values that mean differences (first axis: splits) are 0."""
        mean, error, freedom = self._moments(differences)
        # Without spread, no difference is certain and any other certainly not chance.
        certain = np.where(mean == 0, 0.0, np.inf)
        t = np.divide(np.abs(mean), error, out=certain, where=error > 0)
        p = 2 * stats.t.sf(t, np.maximum(freedom, 1))
        return np.asarray(np.where(np.isnan(mean) | np.isnan(error), np.nan, p))

    def _moments(self, values: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        defined = ~np.isnan(values)
        count = defined.sum(axis=0)
        total = np.where(defined, values, 0.0).sum(axis=0)
        nan = np.full(total.shape, np.nan)
        mean = np.divide(total, count, out=nan.copy(), where=count > 0)
        # Equal values have their own mean, whatever the rounding of sums.
        mean = np.clip(mean, np.where(defined, values, np.inf).min(axis=0), None)
        mean = np.clip(mean, None, np.where(defined, values, -np.inf).max(axis=0))
        mean = np.where(count > 0, mean, np.nan)
        squares = np.where(defined, (values - mean) ** 2, 0.0).sum(axis=0)
        variance = np.divide(squares, count - 1, out=nan.copy(), where=count > 1)
        scale = np.divide(1.0, count, out=nan.copy(), where=count > 0) + self.ratio
        return mean, np.sqrt(scale * variance), count - 1.0
