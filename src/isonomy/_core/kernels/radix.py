"""Sort words by their digits.

Two passes put a range in the order of the highest bits that its words differ in: twice 6 to 11
of them, so that few words, if any, still share all of these. Those that do stand side by side:
a few are settled by insertion, many are a range of their own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._core.jit import kernel

# Ranges up to this long are sorted by insertion.
SHORT = 24
# Digits have this many bits: their counters stay in the fastest cache.
LEAST_BITS, MOST_BITS = 6, 11


@kernel
def sort_parts(words: NDArray[np.uint64], starts: NDArray[np.int64]) -> None:
    """Sort words starts[p] to starts[p + 1], for each part p, in place."""
    longest = 0
    for part in range(starts.size - 1):
        longest = max(longest, starts[part + 1] - starts[part])
    other = np.empty(longest, np.uint64)
    low, high = np.empty(1 << MOST_BITS, np.int64), np.empty(1 << MOST_BITS, np.int64)
    # A range leaves at most one range in SHORT of its words for later.
    ranges = np.empty((longest // SHORT + 1, 2), np.int64)
    for part in range(starts.size - 1):
        ranges[0, 0], ranges[0, 1] = starts[part], starts[part + 1]
        n_ranges = 1
        while n_ranges:
            n_ranges -= 1
            here = words[ranges[n_ranges, 0] : ranges[n_ranges, 1]]
            if here.size <= SHORT:
                _insert(here)
                continue
            shift, least = _two_passes(here, other, low, high)
            if shift > 0:
                first = ranges[n_ranges, 0]
                n_ranges = _settle(here, np.uint64(shift), least, first, ranges, n_ranges)


@kernel
def _insert(words: NDArray[np.uint64]) -> None:
    for i in range(1, words.size):
        word = words[i]
        j = i
        while j > 0 and words[j - 1] > word:
            words[j] = words[j - 1]
            j -= 1
        words[j] = word


@kernel
def _two_passes(
    words: NDArray[np.uint64],
    other: NDArray[np.uint64],
    low: NDArray[np.int64],
    high: NDArray[np.int64],
) -> tuple[int, np.uint64]:
    """Sort by the highest bits; how many bits below them are left, and the smallest word."""
    least = most = words[0]
    for i in range(words.size):
        least = min(least, words[i])
        most = max(most, words[i])
    span = 0
    while span < 64 and (most - least) >> np.uint64(span) != np.uint64(0):
        span += 1
    # At random one word in 32, or fewer, shares the bits of another.
    n_bits = LEAST_BITS
    while n_bits < MOST_BITS and words.size >> (2 * n_bits - 4) > 0:
        n_bits += 1
    left = max(span - 2 * n_bits, 0)
    shift, bits, mask = np.uint64(left), np.uint64(n_bits), np.uint64((1 << n_bits) - 1)
    size = 1 << n_bits
    low[:size] = 0
    high[:size] = 0
    for i in range(words.size):
        digits = (words[i] - least) >> shift
        low[digits & mask] += 1
        high[digits >> bits] += 1
    lower = higher = 0
    for d in range(size):
        low[d], lower = lower, lower + low[d]
        high[d], higher = higher, higher + high[d]
    for i in range(words.size):
        digit = ((words[i] - least) >> shift) & mask
        other[low[digit]] = words[i]
        low[digit] += 1
    for i in range(words.size):
        digit = ((other[i] - least) >> shift) >> bits
        words[high[digit]] = other[i]
        high[digit] += 1
    return left, least


@kernel
def _settle(
    words: NDArray[np.uint64],
    shift: np.uint64,
    least: np.uint64,
    first: int,
    ranges: NDArray[np.int64],
    n_ranges: int,
) -> int:
    """Sort words that share their highest bits, or note their ranges; how many there are now."""
    i = 1
    while i < words.size:
        # In order, as nearly all are.
        if words[i] >= words[i - 1]:
            i += 1
            continue
        digits = (words[i] - least) >> shift
        start = i - 1
        while start > 0 and (words[start - 1] - least) >> shift == digits:
            start -= 1
        stop = i + 1
        while stop < words.size and (words[stop] - least) >> shift == digits:
            stop += 1
        if stop - start <= SHORT:
            _insert(words[start:stop])
        else:
            ranges[n_ranges, 0], ranges[n_ranges, 1] = first + start, first + stop
            n_ranges += 1
        i = stop
    return n_ranges
