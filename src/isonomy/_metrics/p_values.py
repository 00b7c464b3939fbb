"""Quantiles, and p-values of one difference, of several at once, of many apart."""

from __future__ import annotations

import numpy as np
import scipy

from isonomy._core import FloatArray

# Confidence level of all intervals and tests, unless the user says otherwise.
DEFAULT_LEVEL = 0.95


def normal_quantile(level: float) -> float:
    """How many standard errors a two-sided interval reaches.

    Examples
    --------
    >>> round(normal_quantile(0.95), 3)
    1.96
    """
    return float(scipy.special.ndtri((1 + level) / 2))


def t_quantile(level: float, freedom: FloatArray) -> FloatArray:
    """The same for errors that are estimated with so many degrees of freedom.

    Examples
    --------
    >>> import numpy as np
    >>> t_quantile(0.95, np.array([4.0, np.inf])).round(3)
    array([2.776, 1.96 ])
    """
    return np.asarray(scipy.special.stdtrit(freedom, (1 + level) / 2))


def two_sided(difference: FloatArray, error: FloatArray, freedom: FloatArray) -> FloatArray:
    """p-values; 1 for no difference, NaN where the spread is unknown, or 0 beside a difference."""
    unknown = np.where((difference == 0) & (error == 0), 0.0, np.nan)
    t = np.divide(difference, error, out=unknown, where=error > 0)
    return np.asarray(2 * scipy.special.stdtr(freedom, -np.abs(t)))


def joint_p_value(difference: FloatArray, covariance: FloatArray, freedom: float = np.inf) -> float:
    """Hotelling's test that all differences are 0, Wald's without an end of the degrees of freedom.

    NaN where a difference has no spread to be judged by.
    """
    spread = np.diag(covariance)
    if ((spread == 0) & (difference != 0)).any():
        return float("nan")
    known = spread > 0
    if not known.any():
        return 1.0 if (spread == 0).any() else float("nan")
    difference, covariance = difference[known], covariance[np.ix_(known, known)]
    rank = int(np.linalg.matrix_rank(covariance, hermitian=True))
    statistic = float(difference @ np.linalg.pinv(covariance, hermitian=True) @ difference)
    if np.isinf(freedom):
        return float(scipy.special.chdtrc(rank, statistic))
    left = max(freedom - rank + 1, 1.0)
    return float(scipy.special.fdtrc(rank, left, statistic * left / (freedom * rank)))


def holm(p_values: FloatArray) -> FloatArray:
    """p-values corrected for their number (Holm); NaN stays NaN and does not count.

    Examples
    --------
    >>> import numpy as np
    >>> holm(np.array([0.01, 0.04, np.nan, 0.03]))
    array([0.03, 0.06,  nan, 0.06])
    """
    corrected = np.full(p_values.shape, np.nan)
    known = np.flatnonzero(~np.isnan(p_values))
    order = known[np.argsort(p_values[known], kind="stable")]
    times = np.arange(order.size, 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(p_values[order] * times), 1.0)
    return corrected
