"""Which score ranges become one, so that a table fits into so many bytes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from isonomy._core import FloatArray, sum_codes
from isonomy._counting import IntervalTable

# A table is shortened until it takes at least this much of what it may.
_FULL = 0.9
_TRIES = 40
# About what a range takes, for the first guess.
_BYTES = 16


def pattern_weights(table: IntervalTable, patterns: NDArray[np.uint8]) -> FloatArray:
    """What an item of each pattern weighs: its part of each class it is in, and of all items.

    So ranges hold few positives and few negatives of every label, however rare they are and
    whichever of them are there: those of the other class may come with a merge.
    """
    mass = sum_codes(table.pattern, table.count.astype(np.float64), len(patterns))
    weight = np.full(mass.size, 1.0 / mass.sum())
    for column in patterns.T:
        for value in (0, 1):
            has = column == value
            if has.any():
                weight[has] += 1.0 / max(mass[has].sum(), 1.0)
    return weight


def shortened(
    table: IntervalTable,
    weight: FloatArray,
    size: Callable[[IntervalTable], int],
    most: int,
    least: float,
) -> tuple[IntervalTable, float]:
    """The table with ranges as short as fit into `most` bytes.

    Parameters
    ----------
    table : IntervalTable
        One that does not fit.
    weight : ndarray of shape (patterns,)
        What an item of each pattern weighs.
    size : callable
        The bytes that a table takes.
    most : int
    least : float
        A guess of what a range may weigh, such as what served last; 0: none.

    Returns
    -------
    table, least
        The table, and what served.
    """
    low, high, best = 0.0, np.inf, None
    least = least or float(np.dot(weight[table.pattern], table.count)) * _BYTES / most
    for _ in range(_TRIES):
        found = table.collapsed(weight, least)
        taken = size(found)
        if taken > most:
            # What is one range now stays one.
            low, table = least, found
        else:
            high, best = least, found
            if taken >= _FULL * most:
                break
        if high == np.inf:
            least *= max(1.2, 1.1 * taken / most)
        elif low == 0.0:
            least *= min(0.8, 1.1 * taken / most)
        elif high / low < 1.02:
            break
        else:
            least = (low * high) ** 0.5
    if best is None:
        return table.collapsed(weight, np.inf), 0.0
    return best, high
