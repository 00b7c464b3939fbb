"""Sort scores with a small payload: exact, and near the speed of `np.sort` alone.

`np.sort` of unsigned integers runs on SIMD instructions, several times faster than any
argsort. So each score becomes an order-preserving integer *key*, a payload (the item's
pattern code, or its index) goes into the bits below it, and one plain sort carries the
payload along.

A key is a score's position among the floats within the range of the scores at hand:
magnitudes count from the smallest one present, zero has one slot of its own, and
trailing zero bits that all scores share are dropped. Most scores then need fewer than
64 bits, which makes room for the payload. Where it does not fit, codes are first
partitioned by the top bits of the key (so nothing is lost), and indices are sorted by
a shortened key whose ties are then settled by the scores themselves.
"""

# Unsigned arithmetic in these kernels wraps around on purpose.

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from isonomy._kernels._jit import kernel
from isonomy._threads import chunks, run

SIGN = np.uint64(1 << 63)
MAGNITUDE = np.uint64((1 << 63) - 1)
ONE = np.uint64(1)
ALL = np.uint64((1 << 64) - 1)

# Positive floats sort like the integers with the same bits, and floats sort faster. Keys
# with payload stay below 2**62; adding 2**52 makes every float a normal one, which even a
# processor that flushes subnormal numbers to zero leaves alone.
SORTABLE = 62
NORMAL = np.uint64(1 << 52)

# Threads share at least 2**7 parts, so that a large one is not all of the work.
SHARED_PARTS = 7

# Runs up to this long are sorted by insertion.
LONGEST_INSERTION = 32

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
        for i in range(bits.size):
            key = key_of(bits[i], head)
            packed[free[0] + i] = NORMAL + ((key << up) | np.uint64(codes[i]))
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


def sort_codes(
    scores: NDArray[np.float64], codes: NDArray[np.uint8], width: int, threads: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Keys in ascending order of score, with the codes in their lowest `width` <= 8 bits.

    Also returns where each part starts: keys of different parts cannot be compared, and
    never belong to equal scores. There are as many parts as the bits of the keys demand,
    and with threads at least enough to share the work.
    """
    bits = scores.view(np.uint64)
    layout = key_layout(bits)
    key_bits = int(layout[HIGHEST]).bit_length()
    top = SORTABLE - width if threads == 1 else min(SORTABLE - width, key_bits - SHARED_PARTS)
    top = max(top, 0)
    n_parts = (int(layout[HIGHEST]) >> top) + 1
    # Each chunk of items has its own positions inside each part.
    pieces = chunks(bits.size, -(-bits.size // threads))
    counts = np.array(
        list(
            run(
                lambda piece: part_counts(bits[slice(*piece)], layout, top, n_parts),
                pieces,
                threads,
            )
        )
    )
    starts = np.concatenate([[0], np.cumsum(counts.sum(axis=0))])
    free = starts[:-1] + np.cumsum(counts, axis=0) - counts
    packed = np.empty(bits.size, np.uint64)

    def pack(number: int) -> None:
        piece = slice(*pieces[number])
        pack_codes(bits[piece], codes[piece], layout, top, width, free[number], packed)

    def sort(part: int) -> None:
        packed[starts[part] : starts[part + 1]].view(np.float64).sort()

    deque(run(pack, range(len(pieces)), threads), maxlen=0)
    # The largest first, so that no thread is left alone with one at the end.
    deque(run(sort, np.argsort(-np.diff(starts)).tolist(), threads), maxlen=0)
    return packed, starts


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


def sort_order(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Indices that put the scores in ascending order: `np.argsort`, several times faster."""
    bits = scores.view(np.uint64)
    layout = key_layout(bits)
    width = max(scores.size - 1, 1).bit_length()
    drop = max(int(layout[HIGHEST]).bit_length() + width - SORTABLE, 0)
    packed = pack_indices(bits, layout, drop, width)
    packed.view(np.float64).sort()
    mask = (ONE << np.uint64(width)) - ONE
    if drop:
        for start, stop in settle_ties(scores, packed, width, LONGEST_INSERTION):
            items = packed[start:stop] & mask
            packed[start:stop] = items[np.argsort(scores[items])]
    packed &= mask
    return packed.view(np.int64)


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
