"""Pairs of which at least one item stands in the top of its list."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isonomy._core import kernel


@kernel
def top_pairs(
    items: tuple[NDArray[np.integer[Any]], NDArray[np.bool_], NDArray[np.int64]],
    weight: NDArray[np.float64],
    count: NDArray[np.int64],
    table: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]],
    n_terms: int,
    k: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Pairs in the right order and in the wrong one, of each list and term.

    `items` are codes and ends of runs in ascending order of score, and where lists start; a row
    takes `count` ranks. `table` is that of `sum_pairs`. Of a run that rank k cuts, each pair counts
    by the share of the orders of its items in which one of the two is in the top.
    """
    codes, last, starts = items
    rows, sides, values = table
    out = np.zeros((2, starts.size - 1, n_terms))
    below = np.zeros(2 * n_terms)
    tied = np.zeros(2 * n_terms)
    for g in range(starts.size - 1):
        above = count[starts[g] : starts[g + 1]].sum()
        below[:] = 0.0
        start = starts[g]
        while start < starts[g + 1]:
            stop = start + 1
            while not last[stop - 1]:
                stop += 1
            members = count[start:stop].sum()
            above -= members
            inside = min(max(k - above, 0), members)
            tied[:] = 0.0
            for i in range(start, stop):
                for e in range(rows[codes[i]], rows[codes[i] + 1]):
                    tied[sides[e]] += weight[i] * values[e]
            if inside > 0:
                upper = inside / members
                out_of_it = float(members - inside)
                either = 1.0
                if members > 1:
                    either -= out_of_it * (out_of_it - 1.0) / (members * (members - 1.0))
                for s in range(2 * n_terms):
                    # Half of the tied pairs are met from either side.
                    pairs = upper * below[s ^ 1] * tied[s] + 0.5 * either * tied[s] * tied[s ^ 1]
                    out[s & 1, g, s // 2] += pairs
            for s in range(2 * n_terms):
                below[s] += tied[s]
            start = stop
    return out[0], out[1]
