"""Pairs of different levels, however many levels there are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._core import Codes, FloatArray, LevelCosts
from isonomy._counting.kernels.levels import count_level_pairs, level_sum, sum_level_pairs
from isonomy._counting.kernels.words import Ranked
from isonomy._counting.midranks import midrank_sums


def level_pairs(
    items: Ranked, costs: LevelCosts, weight: FloatArray | None, starts: NDArray[np.int64]
) -> tuple[FloatArray, FloatArray]:
    """Pairs in the right order, and all pairs, by their costs, inside each group, (groups, 1).

    `items` have the patterns of `costs`, in ascending order of score.
    """
    codes, last, starts, kept = _known(items, costs, starts)
    if weight is not None and kept is not None:
        weight = weight[kept]
    if costs.linear and weight is None and starts.size == 2:
        return _linear(*midrank_sums((codes, last), costs.distinct.size), costs.distinct)
    run_number: NDArray[np.int64] = np.cumsum(last) - last
    words = codes.astype(np.uint64) << np.uint64(32) | run_number.astype(np.uint64)
    n_bits = max(costs.distinct.size - 1, 0).bit_length()
    n_groups = starts.size - 1
    if weight is None and not costs.linear:
        right, total = np.empty(n_groups, np.int64), np.empty(n_groups, np.int64)
        count_level_pairs(words, starts, n_bits, right, total)
        return np.asarray(0.5 * right[:, None]), np.asarray(0.5 * total[:, None])
    weight = np.ones(codes.size) if weight is None else weight.copy()
    sums = np.empty((n_groups, 2))
    sum_level_pairs(words, weight, costs.distinct if costs.linear else None, starts, n_bits, sums)
    return sums[:, :1], sums[:, :1] + sums[:, 1:]


def _known(
    items: Ranked, costs: LevelCosts, starts: NDArray[np.int64]
) -> tuple[Codes, NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64] | None]:
    """Numbers of the levels of items that have one; runs, groups and places of those."""
    codes, last = items
    number = costs.number
    if costs.ascending:
        return codes, last, starts, None
    codes = number[codes]
    kept = np.flatnonzero(codes >= 0)
    if kept.size == codes.size:
        return codes, last, starts, None
    run_number: NDArray[np.int64] = (np.cumsum(last) - last)[kept]
    ends = np.ones(kept.size, np.bool_)
    ends[:-1] = run_number[1:] != run_number[:-1]
    return codes[kept], ends, np.searchsorted(kept, starts), kept


def linear_pairs(
    sums: NDArray[np.int64], counts: NDArray[np.int64], costs: LevelCosts
) -> tuple[FloatArray, FloatArray]:
    """The same for linear costs, from the midranks of patterns that all have a level."""
    if not costs.ascending:
        every = np.zeros((costs.distinct.size, 2), np.int64)
        np.add.at(every, costs.number, np.column_stack([sums, counts]))
        sums, counts = every.T
    return _linear(sums, counts, costs.distinct)


def _linear(
    sums: NDArray[np.int64], counts: NDArray[np.int64], levels: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Linear costs need only the covariance of levels and midranks.

    Of the difference of the levels, right pairs less wrong ones are sum_i y_i (2 r_i - n - 1)
    with r the midranks of the scores, and all pairs are the same with those of the levels. Both
    are sums of levels times whole numbers, so that a perfect ranking is exactly 1.
    """
    n = int(counts.sum())
    below = np.cumsum(counts) - counts
    lead, lead_rest = level_sum(levels, sums - counts * (n + 1))
    total, total_rest = level_sum(levels, counts * (2 * below + counts - n))
    right = 0.5 * ((total + lead) + (total_rest + lead_rest))
    return np.array([[max(right, 0.0)]]), np.array([[total]])
