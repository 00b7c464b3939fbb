"""Points of the AUC space, checked once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from isonomy._core import FloatArray

NO_AUC = "a label without pairs has no AUC and cannot be compared: leave it out"


def as_point(values: ArrayLike, *, name: str, cure: str = NO_AUC) -> FloatArray:
    """One finite number per label."""
    point = _as_finite(values, name, cure)
    if point.ndim != 1 or point.size == 0:
        raise ValueError(
            f"Parameter `{name}` should hold one number per label. Found shape {point.shape}."
        )
    return point


def as_points(values: ArrayLike, *, name: str = "points") -> FloatArray:
    """Finite points, (n, K)."""
    points = _as_finite(values, name, NO_AUC)
    if points.ndim != 2 or points.shape[1] == 0:
        cure = f" Pass one point as `[{name}]`." if points.ndim == 1 and points.size else ""
        raise ValueError(
            f"Parameter `{name}` should have shape (n, K), one column per label. "
            f"Found shape {points.shape}.{cure}"
        )
    return points


def _as_finite(values: ArrayLike, name: str, cure: str) -> FloatArray:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"Parameter `{name}` should be an array of numbers. {error}.") from error
    if not np.isfinite(array).all():
        what = "NaN" if np.isnan(array).any() else "infinity"
        raise ValueError(f"Parameter `{name}` should hold finite numbers. Found {what}; {cure}.")
    return array
