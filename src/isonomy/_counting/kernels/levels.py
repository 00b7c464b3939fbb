"""Pairs of items of different levels, by halving the levels again and again.

An item is a word: the number of its level in the upper 32 bits, that of its run of equal scores
in the lower 32. Items come in ascending order of score. At each bit of the levels' numbers, from
the highest down, items that agree in the bits above it stand side by side, in order of score, and
are parted into a lower and an upper half: every pair of levels is parted once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._core import kernel

RUN = np.uint64((1 << 32) - 1)
ONE = np.uint64(1)
# The lowest 26 bits of a count, and what parts a float into halves of 26 bits.
FINE = (1 << 26) - 1
SPLITTER = float((1 << 27) + 1)


@kernel
def count_level_pairs(
    words: NDArray[np.uint64],
    starts: NDArray[np.int64],
    n_bits: int,
    right: NDArray[np.int64],
    total: NDArray[np.int64],
) -> None:
    """Twice the pairs in the right order inside each group, and twice all pairs; sorts `words`."""
    upper = np.empty(words.size, np.uint64)
    for g in range(starts.size - 1):
        start, stop = starts[g], starts[g + 1]
        right[g] = total[g] = 0
        for bit in range(n_bits - 1, -1, -1):
            place, above = np.uint64(32 + bit), np.uint64(33 + bit)
            i = start
            while i < stop:
                first, prefix = i, words[i] >> above
                n_low = n_up = np.int64(0)
                # Those of the half, before the run that is looked at.
                low_before = up_before = doubled = np.int64(0)
                run = ~words[i] & RUN
                while i < stop and words[i] >> above == prefix:
                    word = words[i]
                    if word & RUN != run:
                        run = word & RUN
                        low_before, up_before = n_low, n_up
                    is_up = np.int64((word >> place) & ONE)
                    # Twice those below it, and once those of its run that came before it.
                    doubled += is_up * (n_low + low_before) + (1 - is_up) * (n_up - up_before)
                    words[first + n_low] = word
                    upper[n_up] = word
                    n_up += is_up
                    n_low += 1 - is_up
                    i += 1
                words[first + n_low : i] = upper[:n_up]
                right[g] += doubled
                total[g] += 2 * n_low * n_up


@kernel
def sum_level_pairs(
    words: NDArray[np.uint64],
    weight: NDArray[np.float64],
    levels: NDArray[np.float64] | None,
    starts: NDArray[np.int64],
    n_bits: int,
    out: NDArray[np.float64],
) -> None:
    """The same with weights: pairs in the right and in the wrong order, (groups, 2).

    A pair weighs the product of its weights times the difference of its levels, or, without
    levels, 1. With c the lowest level of the upper half, y - y' is (y - c) + (c - y'). Sorts
    `words`, and `weight` with them.
    """
    upper, upper_weight = np.empty(words.size, np.uint64), np.empty(words.size)
    # Sums of the halves, and what rounding lost of them: weights and weighted distances.
    seen, lost, before = np.empty((2, 2)), np.empty((2, 2)), np.empty((2, 2))
    sums, rest = np.empty(2), np.empty(2)
    for g in range(starts.size - 1):
        start, stop = starts[g], starts[g + 1]
        sums[:] = 0.0
        rest[:] = 0.0
        for bit in range(n_bits - 1, -1, -1):
            place, above = np.uint64(32 + bit), np.uint64(33 + bit)
            i = start
            while i < stop:
                first, prefix = i, words[i] >> above
                cut = np.int64(((prefix << ONE) | ONE) << np.uint64(bit))
                middle = 0.0
                if levels is not None and cut < levels.size:
                    middle = levels[cut]
                n_low = n_up = 0
                seen[:] = 0.0
                lost[:] = 0.0
                run = ~words[i] & RUN
                while i < stop and words[i] >> above == prefix:
                    word, w = words[i], weight[i]
                    if word & RUN != run:
                        run = word & RUN
                        before[:] = seen + lost
                    side = np.int64((word >> place) & ONE)
                    distance = 1.0 - side
                    if levels is not None:
                        distance = abs(levels[np.int64(word >> np.uint64(32))] - middle)
                    other = 1 - side
                    # Without levels a pair's cost is the distance of the lower item, 1.
                    mine = distance if levels is not None or side == 0 else 0.0
                    here = mine * before[other, 0] + before[other, 1]
                    tied = (
                        mine * (seen[other, 0] + lost[other, 0])
                        + (seen[other, 1] + lost[other, 1])
                        - here
                    )
                    good = w * (here + 0.5 * tied) if side else w * 0.5 * tied
                    bad = w * 0.5 * tied if side else w * (here + 0.5 * tied)
                    _add(sums, rest, 0, good)
                    _add(sums, rest, 1, bad)
                    _add(seen[side], lost[side], 0, w)
                    _add(seen[side], lost[side], 1, w * mine)
                    if side:
                        upper[n_up], upper_weight[n_up] = word, w
                        n_up += 1
                    else:
                        words[first + n_low], weight[first + n_low] = word, w
                        n_low += 1
                    i += 1
                words[first + n_low : i] = upper[:n_up]
                weight[first + n_low : i] = upper_weight[:n_up]
        out[g, 0] = sums[0] + rest[0]
        out[g, 1] = sums[1] + rest[1]


@kernel
def _add(sums: NDArray[np.float64], lost: NDArray[np.float64], i: int, x: float) -> None:
    """sums[i] += x, with what rounding loses collected in `lost` (Knuth)."""
    before = sums[i]
    after = before + x
    part = after - before
    sums[i] = after
    lost[i] += (before - (after - part)) + (x - part)


@kernel
def level_sum(levels: NDArray[np.float64], counts: NDArray[np.int64]) -> tuple[float, float]:
    """sum levels * counts in twice the usual precision: the sum, and what rounding it lost."""
    high = low = 0.0
    for i in range(levels.size):
        sign = -1.0 if counts[i] < 0 else 1.0
        size = abs(counts[i])
        level = sign * levels[i]
        # Parts of the count that floats hold exactly.
        for number in (np.float64((size >> 26) << 26), np.float64(size & FINE)):
            product, error = _product(level, number)
            total = high + product
            back = total - high
            low += ((high - (total - back)) + (product - back)) + error
            high = total
    total = high + low
    return total, low - (total - high)


@kernel
def _product(x: float, y: float) -> tuple[float, float]:
    """x * y, and what rounding lost of it (Dekker)."""
    product = x * y
    head, top = x * SPLITTER, y * SPLITTER
    head = head - (head - x)
    top = top - (top - y)
    tail, rest = x - head, y - top
    return product, ((head * top - product) + head * rest + tail * top) + tail * rest
