"""Scores as integer keys with a payload, and back; `isonomy._core.sorting` says what for."""

# Unsigned arithmetic in these kernels wraps around on purpose.

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isonomy._core.jit import kernel

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
# Those of the extremes that it is made of.
UNION, LEAST_POSITIVE, MOST_POSITIVE, LEAST_NEGATIVE, MOST_NEGATIVE = range(5)


@kernel
def key_extremes(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """What `key_layout` needs to know of some scores."""
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
    found = np.empty(5, np.uint64)
    found[UNION] = union
    found[LEAST_POSITIVE], found[MOST_POSITIVE] = positive_low, positive_high
    found[LEAST_NEGATIVE], found[MOST_NEGATIVE] = negative_low, negative_high
    return found


@kernel
def key_layout(extremes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Where negative, zero and positive scores lie among the keys, from some rows of extremes.

    Returns the number of trailing zero bits that all magnitudes share; after that
    shift, the largest negative and the smallest positive magnitude; the key of zero;
    the highest key.
    """
    union = positive_high = negative_high = np.uint64(0)
    positive_low = negative_low = ALL
    for row in extremes:
        union |= row[UNION]
        positive_low = min(positive_low, row[LEAST_POSITIVE])
        positive_high = max(positive_high, row[MOST_POSITIVE])
        negative_low = min(negative_low, row[LEAST_NEGATIVE])
        negative_high = max(negative_high, row[MOST_NEGATIVE])
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
def pack_words(
    bits: NDArray[np.uint64],
    payload: NDArray[Any] | None,
    first: int,
    layout: NDArray[np.uint64],
    room: tuple[int, int, int],
    free: NDArray[np.uint64],
    packed: NDArray[np.uint64],
) -> None:
    """Put keys, with a payload in their lowest bits, at the free positions of their parts.

    Without a payload it is the item's number, from `first` on. `room` says where a key is
    cut: the bits from `top` up choose the part, the lowest `drop` are left out, and `width`
    make room for the payload. Positions are unsigned: there is no end to count them from.
    """
    head = (layout[SHIFT], layout[NEGATIVE_HIGH], layout[POSITIVE_LOW], layout[ZERO])
    top, drop, up = np.uint64(room[0]), np.uint64(room[1]), np.uint64(room[2])
    if free.size == 1:
        start = np.int64(free[0])
        for i in range(bits.size):
            load = np.uint64(first + i) if payload is None else np.uint64(payload[i])
            packed[start + i] = NORMAL + (((key_of(bits[i], head) >> drop) << up) | load)
        return
    low = (ONE << top) - ONE
    for i in range(bits.size):
        key = key_of(bits[i], head)
        part = key >> top
        load = np.uint64(first + i) if payload is None else np.uint64(payload[i])
        at = free[part]
        packed[at] = NORMAL + ((((key & low) >> drop) << up) | load)
        free[part] = at + ONE


@kernel
def pack_groups(
    bits: NDArray[np.uint64],
    group: NDArray[np.int64],
    layout: NDArray[np.uint64],
    room: tuple[int, int],
    starts: NDArray[np.int64],
    packed: NDArray[np.uint64],
    members: NDArray[np.int64] | None,
) -> None:
    """Keys of each group's items side by side, each item's place in its group below them.

    `members` gets the items in those places; None where the items stand so already. `room` is
    how many of a key's lowest bits are left out, and how many make room for the place.
    """
    head = (layout[SHIFT], layout[NEGATIVE_HIGH], layout[POSITIVE_LOW], layout[ZERO])
    drop, up = np.uint64(room[0]), np.uint64(room[1])
    if members is None:
        for g in range(starts.size - 1):
            for i in range(starts[g], starts[g + 1]):
                place = np.uint64(i - starts[g])
                packed[i] = NORMAL + (((key_of(bits[i], head) >> drop) << up) | place)
        return
    free = starts[:-1].copy()
    for i in range(bits.size):
        g = group[i]
        at = free[g]
        free[g] += 1
        place = np.uint64(at - starts[g])
        packed[at] = NORMAL + (((key_of(bits[i], head) >> drop) << up) | place)
        members[at] = i


@kernel
def group_starts(group: NDArray[np.int64], n_groups: int) -> NDArray[np.int64]:
    """Where each group starts when its items stand side by side."""
    starts = np.zeros(n_groups + 1, np.int64)
    for i in range(group.size):
        starts[group[i] + 1] += 1
    for g in range(n_groups):
        starts[g + 1] += starts[g]
    return starts


@kernel
def key_ends(
    packed: NDArray[np.uint64], starts: NDArray[np.int64], width: int, last: NDArray[np.bool_]
) -> None:
    """Mark the positions in some parts whose key differs from that of the next one."""
    if starts[0] == starts[-1]:
        return
    mask = (ONE << np.uint64(width)) - ONE
    for i in range(starts[0], starts[-1] - 1):
        last[i] = (packed[i] ^ packed[i + 1]) > mask
    for p in range(starts.size - 1):
        if starts[p] < starts[p + 1]:
            last[starts[p + 1] - 1] = True


@kernel
def unpack_codes(
    packed: NDArray[np.uint64],
    starts: NDArray[np.int64],
    width: int,
    codes: NDArray[Any],
    last: NDArray[np.bool_],
) -> None:
    """Take the codes of some parts from the words' lowest bits, and mark the ends of runs."""
    key_ends(packed, starts, width, last)
    mask = (ONE << np.uint64(width)) - ONE
    for i in range(starts[0], starts[-1]):
        codes[i] = packed[i] & mask


@kernel
def unpack_items(
    packed: NDArray[np.uint64], starts: NDArray[np.int64], width: int, last: NDArray[np.bool_]
) -> None:
    """Put the items of some parts in the place of their words, and mark the ends of runs."""
    key_ends(packed, starts, width, last)
    mask = (ONE << np.uint64(width)) - ONE
    for i in range(starts[0], starts[-1]):
        packed[i] &= mask


@kernel
def unpack_members(
    packed: NDArray[np.uint64],
    starts: NDArray[np.int64],
    members: NDArray[np.int64] | None,
    width: int,
    last: NDArray[np.bool_],
) -> None:
    """The same for words that hold places in a group."""
    key_ends(packed, starts, width, last)
    mask = (ONE << np.uint64(width)) - ONE
    for g in range(starts.size - 1):
        for i in range(starts[g], starts[g + 1]):
            place = np.uint64(starts[g]) + (packed[i] & mask)
            packed[i] = place if members is None else np.uint64(members[place])


@kernel
def settle_ties(
    scores: NDArray[np.float64],
    order: NDArray[np.int64],
    last: NDArray[np.bool_],
    longest: int,
) -> NDArray[np.int64]:
    """Order items whose shortened keys are equal by their scores, in place.

    `last` tells where runs of equal keys end, and afterwards where those of equal scores do.
    Runs longer than `longest` that hold different scores are left alone; returns where they
    start and stop.
    """
    n_left = 0
    left = np.empty((order.size // longest + 1, 2), np.int64)
    start = 0
    while start < order.size:
        stop = start + 1
        differ = False
        while not last[stop - 1]:
            differ |= scores[order[stop]] != scores[order[start]]
            stop += 1
        if differ and stop - start > longest:
            left[n_left, 0] = start
            left[n_left, 1] = stop
            n_left += 1
        elif differ:
            for i in range(start + 1, stop):
                item = order[i]
                j = i
                while j > start and scores[order[j - 1]] > scores[item]:
                    order[j] = order[j - 1]
                    j -= 1
                order[j] = item
            for i in range(start, stop - 1):
                last[i] = scores[order[i]] != scores[order[i + 1]]
        start = stop
    return left[:n_left]


@kernel
def gather(values: NDArray[Any], order: NDArray[np.integer[Any]], out: NDArray[Any]) -> None:
    """Take values by their places."""
    for i in range(order.size):
        out[i] = values[np.uint64(order[i])]


@kernel
def number_runs(
    order: NDArray[np.int64], last: NDArray[np.bool_], codes: NDArray[np.uint32]
) -> None:
    """Give each item the number of its run of equal values."""
    number = 0
    for i in range(order.size):
        codes[order[i]] = number
        number += last[i]
