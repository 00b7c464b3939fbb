"""Which points no other one dominates, of points in descending order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._core import FloatArray, kernel


def descending(points: FloatArray) -> NDArray[np.intp]:
    """Row numbers in descending order of the first column, ties by the next, and so on."""
    return np.lexsort(points.T[::-1])[::-1]


@kernel
def nondominated(points: FloatArray) -> NDArray[np.bool_]:
    """Which of some points in descending order are neither dominated nor copies.

    Whatever dominates a point stands before it, so that only the points kept so far need
    be looked at.
    """
    n, n_labels = points.shape
    kept = np.zeros(n, np.bool_)
    front = np.empty(n, np.int64)
    size = 0
    for i in range(n):
        covered = False
        for q in range(size):
            covered = True
            for k in range(n_labels):
                if points[front[q], k] < points[i, k]:
                    covered = False
                    break
            if covered:
                break
        if not covered:
            kept[i] = True
            front[size] = i
            size += 1
    return kept
