"""Count, or sum, the pairs of items that the scores put in the right order.

All kernels take pattern codes in ascending order of score and, in `last`, where each
run of equal scores ends. A pair with equal scores counts one half, so integer kernels
return doubled counts.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from isonomy._core import kernel

SideTable: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


@kernel
def rank_sums(
    codes: NDArray[np.integer[Any]],
    last: NDArray[np.bool_],
    start: int,
    stop: int,
    n_codes: int,
) -> NDArray[np.int64]:
    """Twice the sum of the midranks of each code's items, and how many they are, (n_codes, 2).

    Of positions start to stop; ranks count from 1 at position 0, and a run of equal scores ends
    at `stop`.
    """
    found = np.zeros((n_codes, 2), np.int64)
    i = start
    while i < stop:
        end = i + 1 if last[i] else _run_end(last, i)
        for tied in range(i, end):
            found[codes[tied], 0] += i + end + 1
            found[codes[tied], 1] += 1
        i = end
    return found


@kernel
def _run_end(last: NDArray[np.bool_], i: int) -> int:
    while not last[i]:
        i += 1
    return i + 1


@kernel
def concordance(
    codes: NDArray[np.integer[Any]], last: NDArray[np.bool_], n_patterns: int
) -> NDArray[np.int64]:
    """Twice the number of pairs with pattern c scored above pattern d, in [c, d].

    A pair of tied items counts once for [c, d] and once for [d, c].
    """
    counts = np.zeros((n_patterns, n_patterns), np.int64)
    below = np.zeros(n_patterns, np.int64)
    tied = np.zeros(n_patterns, np.int64)
    i = 0
    while i < codes.size:
        if last[i]:
            row = counts[codes[i]]
            for d in range(n_patterns):
                row[d] += below[d]
            below[codes[i]] += 2
            i += 1
            continue
        start = i
        while not last[i]:
            i += 1
        i += 1
        for j in range(start, i):
            tied[codes[j]] += 1
        for j in range(start, i):
            row = counts[codes[j]]
            for d in range(n_patterns):
                row[d] += below[d] + tied[d]
        for j in range(start, i):
            below[codes[j]] += 2
            tied[codes[j]] = 0
    return counts


@kernel
def add(total: NDArray[np.float64], i: int, x: float) -> None:
    """total[i, 0] += x, with what rounding loses collected in total[i, 1] (Neumaier)."""
    before = total[i, 0]
    after = before + x
    total[i, 0] = after
    total[i, 1] += (before - after) + x if abs(before) >= abs(x) else (x - after) + before


@kernel
def _meet_in_run(
    start: int,
    stop: int,
    codes: NDArray[np.uint32],
    weight: NDArray[np.float64] | None,
    twins: NDArray[np.float64] | None,
    table: SideTable,
    slots: NDArray[np.int64],
    tied: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> None:
    """Add the pairs inside a run of equal scores: half in the right order, half in the wrong."""
    rows, sides, values = table
    for i in range(start, stop):
        w = 1.0 if weight is None else weight[i]
        own = 0.0 if twins is None else twins[i]
        for e in range(rows[codes[i]], rows[codes[i] + 1]):
            s = sides[e]
            others = tied[s ^ 1, 0] + tied[s ^ 1, 1]
            if own > 0.0 and s & 1 == 0:
                for f in range(rows[codes[i]], rows[codes[i] + 1]):
                    if sides[f] == s ^ 1:
                        others += own * w * values[f]
            if others > 0.0:
                half = 0.5 * w * values[e] * others
                add(sums, slots[s], half)
                add(sums, slots[s ^ 1], half)
        if stop > start + 1:
            for e in range(rows[codes[i]], rows[codes[i] + 1]):
                add(tied, sides[e], w * values[e])
    for i in range(start, stop):
        for e in range(rows[codes[i]], rows[codes[i] + 1]):
            tied[sides[e]] = 0.0


@kernel
def sum_pairs(
    codes: NDArray[np.uint32],
    last: NDArray[np.bool_],
    starts: NDArray[np.int64],
    weight: NDArray[np.float64] | None,
    twins: NDArray[np.float64] | None,
    table: SideTable,
    slots: NDArray[np.int64],
    n_slots: int,
    two_sided: bool,
) -> NDArray[np.float64]:
    """Sum the pairs inside each group, those in the right and in the wrong order apart.

    Group g holds positions starts[g] to starts[g + 1], ascending by score. `table` has a
    compressed row (as in a CSR matrix) per pattern and two columns per term r: side 2r
    for what it puts above, side 2r + 1 for what it puts below. The pairs of an item on
    side s with the lower-scored items on the opposite side are summed into column
    slots[s]: in the right order for an item that belongs above, in the wrong one for an
    item that belongs below.

    With `two_sided`, patterns may stand on both sides of a term. No item meets itself; of
    the pairs of a position with itself the share `twins` counts, those of the identical
    items that it stands for.
    """
    rows, sides, values = table
    result = np.empty((starts.size - 1, n_slots))
    sums = np.zeros((n_slots, 2))
    seen = np.zeros((slots.size, 2))
    tied = np.zeros((slots.size if two_sided else 0, 2))
    for g in range(starts.size - 1):
        sums[:] = 0.0
        start = starts[g]
        while start < starts[g + 1]:
            stop = start + 1
            while not last[stop - 1]:
                stop += 1
            # A tied pair counts half on either side: half of a run's pairs are summed
            # before its own items count as seen, and half after.
            alone = stop == start + 1
            if two_sided:
                # After its own items an item would meet itself: they meet one by one.
                _meet_in_run(start, stop, codes, weight, twins, table, slots, tied, sums)
            for half in range(1 if alone or two_sided else 2):
                for i in range(start, stop):
                    w = 1.0 if weight is None else weight[i]
                    share = w if alone or two_sided else 0.5 * w
                    for e in range(rows[codes[i]], rows[codes[i] + 1]):
                        s = sides[e]
                        pairs = seen[s ^ 1, 0] + seen[s ^ 1, 1]
                        add(sums, slots[s], share * values[e] * pairs)
                if half == 0:
                    for i in range(start, stop):
                        w = 1.0 if weight is None else weight[i]
                        for e in range(rows[codes[i]], rows[codes[i] + 1]):
                            add(seen, sides[e], w * values[e])
            start = stop
        for slot in range(n_slots):
            result[g, slot] = sums[slot, 0] + sums[slot, 1]
        # Clear only what this group touched: there may be as many terms as items.
        for i in range(starts[g], starts[g + 1]):
            for e in range(rows[codes[i]], rows[codes[i] + 1]):
                seen[sides[e]] = 0.0
    return result
