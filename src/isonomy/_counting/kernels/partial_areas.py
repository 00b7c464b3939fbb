"""Areas under the first part of ROC curves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isonomy._core import kernel


@kernel
def partial_areas(
    items: tuple[NDArray[np.integer[Any]], NDArray[np.bool_], NDArray[np.int64]],
    weight: NDArray[np.float64] | None,
    positive: NDArray[np.bool_],
    negative: NDArray[np.bool_],
    max_fpr: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean true positive rate up to `max_fpr`, and the pairs, of each group and label.

    `items` are codes and ends of runs in ascending order of score, and where groups start. The
    curve is straight where scores are equal.
    """
    codes, last, starts = items
    n_labels = positive.shape[1]
    out = np.full((starts.size - 1, n_labels), np.nan)
    pairs = np.zeros((starts.size - 1, n_labels))
    totals = np.zeros((2, n_labels))
    above = np.zeros((2, n_labels))
    tied = np.zeros((2, n_labels))
    area = np.zeros(n_labels)
    for g in range(starts.size - 1):
        totals[:] = 0.0
        above[:] = 0.0
        area[:] = 0.0
        for i in range(starts[g], starts[g + 1]):
            w = 1.0 if weight is None else weight[i]
            for k in range(n_labels):
                totals[0, k] += w * positive[codes[i], k]
                totals[1, k] += w * negative[codes[i], k]
        stop = starts[g + 1]
        while stop > starts[g]:
            start = stop - 1
            while start > starts[g] and not last[start - 1]:
                start -= 1
            tied[:] = 0.0
            for i in range(start, stop):
                w = 1.0 if weight is None else weight[i]
                for k in range(n_labels):
                    tied[0, k] += w * positive[codes[i], k]
                    tied[1, k] += w * negative[codes[i], k]
            for k in range(n_labels):
                room = max_fpr * totals[1, k] - above[1, k]
                if room > 0.0 and tied[1, k] > 0.0:
                    part = min(room / tied[1, k], 1.0)
                    area[k] += part * tied[1, k] * (above[0, k] + 0.5 * part * tied[0, k])
                above[0, k] += tied[0, k]
                above[1, k] += tied[1, k]
            stop = start
        for k in range(n_labels):
            pairs[g, k] = totals[0, k] * totals[1, k]
            if pairs[g, k] > 0.0:
                out[g, k] = area[k] / (max_fpr * pairs[g, k])
    return out, pairs
