"""Scores as integer keys with a payload, and back; `isonomy._counting.sorting` says what for."""

# Unsigned arithmetic in these kernels wraps around on purpose.

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._core import kernel

SIGN = np.uint64(1 << 63)
MAGNITUDE = np.uint64((1 << 63) - 1)
ONE = np.uint64(1)
ALL = np.uint64((1 << 64) - 1)

# Positive floats sort like the integers with the same bits, and floats sort faster. Keys
# with payload stay below 2**62; adding 2**52 makes every float a normal one, which even a
# processor that flushes subnormal numbers to zero leaves alone.
SORTABLE = 62
NORMAL = np.uint64(1 << 52)

# The entries of a key layout.
SHIFT, NEGATIVE_HIGH, POSITIVE_LOW, ZERO, HIGHEST = range(5)


@kernel
def key_layout(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Where negative, zero and positive scores lie among the keys.

    Returns the number of trailing zero bits that all magnitudes share; after that
    shift, the largest negative and the smallest positive magnitude; the key of zero;
    the highest key.
    """
    # Written as four unsigned minima and maxima because those vectorise: x - 1 makes
    # the smallest positive score the smallest number, x - (SIGN + 1) the negative one.
    union = positive_high = negative_high = np.uint64(0)
    positive_low = negative_low = ALL
    for i in range(bits.size):
        b = bits[i]
        union |= b & MAGNITUDE
        positive_low = min(positive_low, b - ONE)
        positive_high = max(positive_high, b ^ SIGN)
        negative_low = min(negative_low, b - (SIGN + ONE))
        negative_high = max(negative_high, b)

    shift = np.uint64(0)
    while union != 0 and (union >> shift) & ONE == 0:
        shift += ONE
    layout = np.zeros(5, np.uint64)
    layout[SHIFT] = shift
    if negative_high > SIGN:
        layout[NEGATIVE_HIGH] = (negative_high ^ SIGN) >> shift
        layout[ZERO] = layout[NEGATIVE_HIGH] - ((negative_low + ONE) >> shift) + ONE
    layout[HIGHEST] = layout[ZERO]
    if positive_high > SIGN:
        layout[POSITIVE_LOW] = (positive_low + ONE) >> shift
        layout[HIGHEST] += ((positive_high ^ SIGN) >> shift) - layout[POSITIVE_LOW] + ONE
    return layout


@kernel
def key_of(b: np.uint64, head: tuple[np.uint64, np.uint64, np.uint64, np.uint64]) -> np.uint64:
    """Key of the score with bits `b`: rises with the score, the same for -0.0 and 0.0.

    `head` is the layout without its last entry, as scalars, which stay in registers.
    """
    shift, negative_high, positive_low, zero = head
    magnitude = (b & MAGNITUDE) >> shift
    key = negative_high - magnitude if b > SIGN else zero + ONE + (magnitude - positive_low)
    return zero if magnitude == 0 else key


@kernel
def part_counts(
    bits: NDArray[np.uint64], layout: NDArray[np.uint64], top: int, n_parts: int
) -> NDArray[np.int64]:
    """How many items fall into each part, by the bits of their keys from `top` up."""
    counts = np.zeros(n_parts, np.int64)
    if n_parts == 1:
        counts[0] = bits.size
        return counts
    head = (layout[SHIFT], layout[NEGATIVE_HIGH], layout[POSITIVE_LOW], layout[ZERO])
    for i in range(bits.size):
        counts[key_of(bits[i], head) >> np.uint64(top)] += 1
    return counts


@kernel
def pack_codes(
    bits: NDArray[np.uint64],
    codes: NDArray[np.uint8],
    layout: NDArray[np.uint64],
    top: int,
    width: int,
    free: NDArray[np.int64],
    packed: NDArray[np.uint64],
) -> None:
    """Put keys, with codes in their lowest `width` bits, at the free positions of their parts."""
    head = (layout[SHIFT], layout[NEGATIVE_HIGH], layout[POSITIVE_LOW], layout[ZERO])
    up = np.uint64(width)
    if free.size == 1:
        first = free[0]
        for i in range(bits.size):
            key = key_of(bits[i], head)
            packed[first + i] = NORMAL + ((key << up) | np.uint64(codes[i]))
        return
    low = (ONE << np.uint64(top)) - ONE
    for i in range(bits.size):
        key = key_of(bits[i], head)
        part = key >> np.uint64(top)
        packed[free[part]] = NORMAL + (((key & low) << up) | np.uint64(codes[i]))
        free[part] += 1


@kernel
def unpack_codes(
    packed: NDArray[np.uint64], starts: NDArray[np.int64], width: int
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Sorted codes, and where each run of equal scores ends."""
    mask = (ONE << np.uint64(width)) - ONE
    codes = np.empty(packed.size, np.uint8)
    for i in range(packed.size):
        codes[i] = packed[i] & mask
    last = np.ones(packed.size, np.bool_)
    for i in range(packed.size - 1):
        last[i] = (packed[i] ^ packed[i + 1]) > mask
    for stop in starts[1:]:
        if stop > 0:
            last[stop - 1] = True
    return codes, last


@kernel
def pack_indices(
    bits: NDArray[np.uint64], layout: NDArray[np.uint64], drop: int, width: int
) -> NDArray[np.uint64]:
    """Keys without their lowest `drop` bits, and each item's index in the bits below."""
    head = (layout[SHIFT], layout[NEGATIVE_HIGH], layout[POSITIVE_LOW], layout[ZERO])
    packed = np.empty(bits.size, np.uint64)
    down = np.uint64(drop)
    up = np.uint64(width)
    for i in range(bits.size):
        packed[i] = NORMAL + (((key_of(bits[i], head) >> down) << up) | np.uint64(i))
    return packed


@kernel
def settle_ties(
    scores: NDArray[np.float64], packed: NDArray[np.uint64], width: int, longest: int
) -> NDArray[np.int64]:
    """Order items whose shortened keys are equal by their scores, in place.

    Runs longer than `longest` that hold different scores are left alone; returns where
    they start and stop.
    """
    up = np.uint64(width)
    mask = (ONE << up) - ONE
    n_left = 0
    left = np.empty((packed.size // longest + 1, 2), np.int64)
    start = 0
    while start < packed.size:
        stop = start + 1
        differ = False
        while stop < packed.size and (packed[start] ^ packed[stop]) <= mask:
            differ |= scores[packed[stop] & mask] != scores[packed[start] & mask]
            stop += 1
        if differ and stop - start > longest:
            left[n_left, 0] = start
            left[n_left, 1] = stop
            n_left += 1
        elif differ:
            for i in range(start + 1, stop):
                item = packed[i]
                j = i
                while j > start and scores[packed[j - 1] & mask] > scores[item & mask]:
                    packed[j] = packed[j - 1]
                    j -= 1
                packed[j] = item
        start = stop
    return left[:n_left]


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


@kernel
def run_ends(
    scores: NDArray[np.float64], order: NDArray[np.int64], starts: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Whether each position of the order ends a run of equal scores within its group."""
    last = np.ones(order.size, np.bool_)
    for g in range(starts.size - 1):
        for i in range(starts[g], starts[g + 1] - 1):
            last[i] = scores[order[i]] != scores[order[i + 1]]
    return last
