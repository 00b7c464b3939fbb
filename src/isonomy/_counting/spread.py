"""How far estimates may be off, and how much data says so."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from isonomy._core import FloatArray

# Sizes this close to a whole number are that number, and smaller spreads are none.
ROUNDING = 1e-9
# Influences that are smaller, beside the share of a unit, come from rounding.
NO_SPREAD = 1e-12


@dataclass(frozen=True, eq=False)
class Spread:
    """How far estimates may be off, and how much data says so, by the roles that units play.

    In the pairs of an estimate a unit stands above others, below others, or both: the three
    roles. The items of one label have the first two, groups only the third.

    Attributes
    ----------
    size : ndarray of shape (3, estimates)
        The role's units: as many equal ones as would weigh as evenly as they do.
    variance : ndarray of shape (3, estimates)
        Squared influences of its units, made unbiased; NaN where one unit makes a class.
    scale : ndarray of shape (3, estimates)
        What the variance would be, in units of A (1 - A), if each item were wholly right or
        wholly wrong: 1 / size for the items of a class, less for units in which items
        average out.
    smallest : ndarray of shape (estimates,)
        Units that stand above others, or those that stand below, whichever are fewer.
    covariance : ndarray of shape (estimates, estimates)
        Of the estimates, or of the first ones; NaN where it is unknown.
    """

    size: FloatArray
    variance: FloatArray
    scale: FloatArray
    smallest: FloatArray
    covariance: FloatArray

    @property
    def error(self) -> FloatArray:
        """Standard errors."""
        return np.asarray(np.sqrt(self.variance.sum(axis=0)))

    @property
    def freedom(self) -> FloatArray:
        """Satterthwaite's degrees of freedom of the variances; at least 1."""
        total = self.variance.sum(axis=0)
        squares = (self.variance**2 / np.maximum(self.size - 1, 1.0)).sum(axis=0)
        # Without spread, but for rounding, as many as there would be were it spread evenly.
        most = (self.size - 1).clip(0.0).sum(axis=0)
        spread = total > ROUNDING**2 * self.scale.sum(axis=0)
        found = np.divide(total**2, squares, out=most.copy(), where=spread)
        return np.asarray(found.clip(1.0), dtype=np.float64)

    def take(self, estimates: NDArray[np.int64]) -> Spread:
        """That of some of the estimates."""
        size, variance, scale = (
            each[:, estimates] for each in (self.size, self.variance, self.scale)
        )
        covariance = self.covariance[np.ix_(estimates, estimates)]
        return Spread(size, variance, scale, self.smallest[estimates], covariance)


def effective_size(total: FloatArray, squares: FloatArray) -> FloatArray:
    """As many equal parts as would have this sum and sum of squares; n items are n, exactly."""
    found = np.divide(total**2, squares, out=np.zeros_like(total), where=squares > 0)
    whole = np.rint(found)
    return np.where(np.abs(found - whole) <= ROUNDING * whole, whole, found)


def roles_of(up: FloatArray, low: FloatArray) -> NDArray[np.bool_]:
    """Whether each unit stands only above others, only below, or both; (3, units, estimates)."""
    return np.stack([(up > 0) & (low == 0), (up == 0) & (low > 0), (up > 0) & (low > 0)])


def known_variance(found: Spread) -> Spread:
    """The same without rounding, and without variances that a class of one unit does not tell."""
    none = found.variance.sum(axis=0) <= NO_SPREAD**2 * found.scale.sum(axis=0)
    variance = np.where(none, 0.0, found.variance)
    # What no unit moves, such as a constant mix, is known.
    single = (found.smallest > 0) & (found.smallest <= 1)
    variance = np.where(single & (found.size > 0) & (found.size <= 1), np.nan, variance)
    covariance = found.covariance.copy()
    for which, value in ((none, 0.0), (single, np.nan)):
        joint = which[: len(covariance)]
        covariance[joint, :] = covariance[:, joint] = value
    return replace(found, variance=variance, covariance=covariance)
