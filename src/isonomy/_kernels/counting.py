"""Count, or sum, the pairs of items that the scores put in the right order.

All kernels take pattern codes in ascending order of score and, in `last`, where each
run of equal scores ends. A pair with equal scores counts one half, so integer kernels
return doubled counts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._kernels._jit import kernel


@kernel
def rank_sums(
    codes: NDArray[np.uint8], last: NDArray[np.bool_], n_patterns: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Twice the sum of the midranks of each pattern's items, and how many they are."""
    sums = np.zeros(n_patterns, np.int64)
    items = np.zeros(n_patterns, np.int64)
    i = 0
    while i < codes.size:
        if last[i]:
            sums[codes[i]] += 2 * i + 2
            items[codes[i]] += 1
            i += 1
            continue
        start = i
        while not last[i]:
            i += 1
        i += 1
        for j in range(start, i):
            sums[codes[j]] += start + i + 1
            items[codes[j]] += 1
    return sums, items


@kernel
def concordance(
    codes: NDArray[np.uint8], last: NDArray[np.bool_], n_patterns: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Twice the number of pairs with pattern c scored above pattern d, and the items.

    A pair of tied items counts once for [c, d] and once for [d, c].
    """
    counts = np.zeros((n_patterns, n_patterns), np.int64)
    below = np.zeros(n_patterns, np.int64)
    tied = np.zeros(n_patterns, np.int64)
    i = 0
    while i < codes.size:
        start = i
        while not last[i]:
            tied[codes[i]] += 1
            i += 1
        tied[codes[i]] += 1
        i += 1
        for j in range(start, i):
            row = counts[codes[j]]
            for d in range(n_patterns):
                row[d] += below[d] + tied[d]
        for j in range(start, i):
            below[codes[j]] += 2
            tied[codes[j]] = 0
    return counts, below // 2


@kernel
def add(total: NDArray[np.float64], i: int, x: float) -> None:
    """total[i, 0] += x, with what rounding loses collected in total[i, 1] (Neumaier)."""
    before = total[i, 0]
    after = before + x
    total[i, 0] = after
    total[i, 1] += (before - after) + x if abs(before) >= abs(x) else (x - after) + before


@kernel
def add_pairs(
    sums: NDArray[np.float64],
    seen: NDArray[np.float64],
    codes: NDArray[np.unsignedinteger],
    weight: NDArray[np.float64] | None,
    share: float,
    table: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]],
    slots: NDArray[np.int64],
) -> None:
    """Add `share` times the pairs of some items with the opposite sides seen so far."""
    rows, sides, values = table
    for i in range(codes.size):
        w = share if weight is None else share * weight[i]
        for e in range(rows[codes[i]], rows[codes[i] + 1]):
            opposite = sides[e] ^ 1
            pairs = seen[opposite, 0] + seen[opposite, 1]
            add(sums, slots[sides[e]], w * values[e] * pairs)


@kernel
def sum_pairs(
    codes: NDArray[np.unsignedinteger],
    last: NDArray[np.bool_],
    starts: NDArray[np.int64],
    weight: NDArray[np.float64] | None,
    table: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]],
    slots: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Sum the pairs inside each group, those in the right and in the wrong order apart.

    Group g holds positions starts[g] to starts[g + 1], ascending by score. `table` has a
    compressed row (as in a CSR matrix) per pattern and two columns per term r: side 2r
    for what it puts above, side 2r + 1 for what it puts below. The pairs of an item on
    side s with the lower-scored items on the opposite side are summed into column
    slots[s]: in the right order for an item that belongs above, in the wrong one for an
    item that belongs below.
    """
    rows, sides, values = table
    result = np.empty((starts.size - 1, slots.max() + 1))
    sums = np.zeros((result.shape[1], 2))
    seen = np.zeros((slots.size, 2))
    for g in range(starts.size - 1):
        sums[:] = 0.0
        i = starts[g]
        while i < starts[g + 1]:
            start = i
            while not last[i]:
                i += 1
            i += 1
            run = codes[start:i]
            run_weight = None if weight is None else weight[start:i]
            # A tied pair counts half on either side: half of the run's pairs are summed
            # before its own items count as seen, and half after.
            share = 1.0 if run.size == 1 else 0.5
            add_pairs(sums, seen, run, run_weight, share, table, slots)
            for j in range(start, i):
                w = 1.0 if weight is None else weight[j]
                for e in range(rows[codes[j]], rows[codes[j] + 1]):
                    add(seen, sides[e], w * values[e])
            if run.size > 1:
                add_pairs(sums, seen, run, run_weight, share, table, slots)
        result[g] = sums[:, 0] + sums[:, 1]
        # Clear only what this group touched: there may be as many terms as items.
        for j in range(starts[g], starts[g + 1]):
            for e in range(rows[codes[j]], rows[codes[j] + 1]):
                seen[sides[e]] = 0.0
    return result
