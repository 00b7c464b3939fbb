"""Discounted gains of lists: what stands at which rank, ties averaged.

Rank r is discounted by 1 / log2(1 + r). Kernels take items in ascending order, list by list, and
go through each list from its end. `discounts` are tables of the first ranks: what each is worth,
and their running sum from 0. Beyond them sums are found without going through the ranks, so that
rows may stand for any number of items.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from isonomy._core import kernel

Discounts: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]

# Sums of up to so many discounts are added up one by one, which rounds least.
FEW = 32
# Runs whose gains are added up before they join the total, so that rounding stays small.
BLOCK = 512
LN2 = np.log(2.0)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)


@kernel
def discount_sum(first: int, last: int, discounts: Discounts) -> float:
    """Sum of the discounts of the ranks from `first` + 1 to `last`."""
    single, upto = discounts
    if last <= first:
        return 0.0
    total = 0.0
    if last - first <= FEW:
        for rank in range(first, last):
            total += single[rank] if rank < single.size else LN2 / np.log(rank + 2.0)
        return total
    if first < single.size:
        known = min(last, single.size)
        total += upto[known] - upto[first]
        first = known
    if last - first <= FEW:
        return total + discount_sum_far(first, last)
    # Euler and Maclaurin, with the integral octave by octave; the next correction is below 1e-16.
    low, high = first + 2.0, last + 1.0
    a, b = np.log(low), np.log(high)
    ends = 0.5 * (1.0 / a + 1.0 / b) + (1.0 / (low * a * a) - 1.0 / (high * b * b)) / 12.0
    integral = 0.0
    while low < high:
        end = min(2.0 * low, high)
        half = 0.5 * (end - low)
        for node in range(_NODES.size):
            integral += half * _WEIGHTS[node] / np.log(low + half * (1.0 + _NODES[node]))
        low = end
    return float(total + LN2 * (integral + ends))


@kernel
def discount_sum_far(first: int, last: int) -> float:
    """The same, one by one, beyond the tables."""
    total = 0.0
    for rank in range(first, last):
        total += LN2 / np.log(rank + 2.0)
    return total


@kernel
def discounted_gains(
    items: tuple[NDArray[np.integer[Any]], NDArray[np.bool_], NDArray[np.int64]],
    count: NDArray[np.int64] | None,
    weight: NDArray[np.float64] | None,
    worth: NDArray[np.float64],
    listed: NDArray[np.bool_],
    k: int,
    discounts: Discounts,
) -> NDArray[np.float64]:
    """DCG of each list and column, (lists, columns): expected over orders of equal scores.

    `items` are codes and ends of runs in ascending order of score, and where lists start. A
    pattern c is worth `worth[c, q]` in column q, and takes a rank there where `listed[c, q]`.
    """
    codes, last, starts = items
    n_columns = worth.shape[1]
    # Where all columns list the same patterns, the first one's ranks serve for all.
    n_ranks = 1
    for q in range(1, n_columns):
        for c in range(listed.shape[0]):
            if listed[c, q] != listed[c, 0]:
                n_ranks = n_columns
    out = np.zeros((starts.size - 1, n_columns))
    seen = np.zeros(n_ranks, np.int64)
    members = np.zeros(n_ranks, np.int64)
    part = np.zeros(n_columns)
    gains = np.zeros(n_columns)
    single = discounts[0]
    for g in range(starts.size - 1):
        seen[:] = 0
        part[:] = 0.0
        stop, in_part = starts[g + 1], 0
        while stop > starts[g]:
            start = stop - 1
            alone = start == starts[g] or last[start - 1]
            if alone and n_ranks == 1 and count is None and weight is None:
                c = codes[start]
                stop = start
                if not listed[c, 0]:
                    continue
                rank = seen[0]
                if rank >= k:
                    break
                seen[0] = rank + 1
                d = single[rank] if rank < single.size else LN2 / np.log(rank + 2.0)
                for q in range(n_columns):
                    part[q] += d * worth[c, q]
            else:
                while start > starts[g] and not last[start - 1]:
                    start -= 1
                members[:] = 0
                gains[:] = 0.0
                for i in range(start, stop):
                    c = codes[i]
                    times = 1 if count is None else count[i]
                    for r in range(n_ranks):
                        members[r] += times * listed[c, r]
                    w = float(times) if weight is None else times * weight[i]
                    for q in range(n_columns):
                        gains[q] += w * worth[c, q]
                stop = start
                open_ranks = False
                for q in range(n_columns):
                    r = q if n_ranks > 1 else 0
                    if members[r] > 0 and seen[r] < k:
                        end = min(seen[r] + members[r], k)
                        mean = discount_sum(seen[r], end, discounts) / members[r]
                        part[q] += mean * gains[q]
                for r in range(n_ranks):
                    seen[r] += members[r]
                    open_ranks |= seen[r] < k
                if not open_ranks:
                    break
            in_part += 1
            if in_part == BLOCK:
                in_part = 0
                for q in range(n_columns):
                    out[g, q] += part[q]
                    part[q] = 0.0
        for q in range(n_columns):
            out[g, q] += part[q]
    return out


@kernel
def count_worthy(
    codes: NDArray[np.integer[Any]],
    starts: NDArray[np.int64],
    count: NDArray[np.int64] | None,
    worthy: NDArray[np.int64],
) -> NDArray[np.int64]:
    """How many items of each list are worth something in each column, (lists, columns)."""
    out = np.zeros((starts.size - 1, worthy.shape[1]), np.int64)
    for g in range(starts.size - 1):
        for i in range(starts[g], starts[g + 1]):
            times = 1 if count is None else count[i]
            for q in range(worthy.shape[1]):
                out[g, q] += times * worthy[codes[i], q]
    return out


@kernel
def first_discounts(counts: NDArray[np.int64], k: int, discounts: Discounts) -> NDArray[np.float64]:
    """The sum of the discounts of so many first ranks, cut at k."""
    out = np.empty(counts.shape)
    for g in range(counts.shape[0]):
        for q in range(counts.shape[1]):
            out[g, q] = discount_sum(0, min(counts[g, q], k), discounts)
    return out


@kernel
def gains_in_order(
    items: tuple[NDArray[np.integer[Any]], NDArray[np.int64]],
    count: NDArray[np.int64] | None,
    weight: NDArray[np.float64] | None,
    worth: NDArray[np.float64],
    k: int,
    discounts: Discounts,
) -> NDArray[np.float64]:
    """DCG of each list and column if items come as they stand, those worth nothing left out."""
    codes, starts = items
    n_columns = worth.shape[1]
    out = np.zeros((starts.size - 1, n_columns))
    seen = np.zeros(n_columns, np.int64)
    for g in range(starts.size - 1):
        seen[:] = 0
        for i in range(starts[g + 1] - 1, starts[g] - 1, -1):
            times = 1 if count is None else count[i]
            w = 1.0 if weight is None else weight[i]
            for q in range(n_columns):
                gain = w * worth[codes[i], q]
                if gain > 0.0 and seen[q] < k:
                    end = min(seen[q] + times, k)
                    out[g, q] += gain * discount_sum(seen[q], end, discounts)
                    seen[q] += times
    return out


@kernel
def places(
    items: tuple[NDArray[np.integer[Any]], NDArray[np.bool_], NDArray[np.int64]],
    count: NDArray[np.int64] | None,
    listed: NDArray[np.bool_],
    k: int,
    discounts: Discounts,
) -> NDArray[np.float64]:
    """Where the run of each item stands, (4, items, columns) in the order of `items`.

    Over the orders of its run, an item is expected to have a discount of [1], of which [0] in the
    first k ranks, where it stands with probability [2]; [3] is the expected difference of two
    items of the run, counted where one of them is in the first k ranks.
    """
    codes, last, starts = items
    n_columns = listed.shape[1]
    out = np.zeros((4, codes.size, n_columns))
    seen = np.zeros(n_columns, np.int64)
    members = np.zeros(n_columns, np.int64)
    for g in range(starts.size - 1):
        seen[:] = 0
        stop = starts[g + 1]
        while stop > starts[g]:
            start = stop - 1
            while start > starts[g] and not last[start - 1]:
                start -= 1
            members[:] = 0
            for i in range(start, stop):
                for q in range(n_columns):
                    members[q] += (1 if count is None else count[i]) * listed[codes[i], q]
            for q in range(n_columns):
                m = members[q]
                if m == 0:
                    continue
                inside = min(max(k - seen[q], 0), m)
                rest = discount_sum(seen[q], seen[q] + m, discounts)
                everywhere = rest / m
                in_top = differ = 0.0
                for a in range(inside):
                    d = discount_sum(seen[q] + a, seen[q] + a + 1, discounts)
                    in_top += d
                    rest -= d
                    differ += d * (m - a - 1.0) - rest
                for i in range(start, stop):
                    out[0, i, q] = in_top / m
                    out[1, i, q] = everywhere
                    out[2, i, q] = inside / m
                    out[3, i, q] = 2.0 * differ / (m * (m - 1.0)) if m > 1 else 0.0
                seen[q] += m
            stop = start
    return out


@kernel
def order_by_group(
    order: NDArray[np.int64], group: NDArray[np.int64], n_groups: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Gather each group's items, keeping their order; also where each group starts."""
    starts = np.zeros(n_groups + 1, np.int64)
    for i in range(group.size):
        starts[group[i] + 1] += 1
    for g in range(n_groups):
        starts[g + 1] += starts[g]
    free = starts[:-1].copy()
    grouped = np.empty_like(order)
    for i in order:
        grouped[free[group[i]]] = i
        free[group[i]] += 1
    return grouped, starts
