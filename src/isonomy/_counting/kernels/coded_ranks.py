"""Sums of ranks from sorted words: keys of scores with the items' codes in their lowest bits.

Words come in parts, as `isonomy._core.CodedWords` has them: each is sorted, and no run of equal
scores reaches beyond its part.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._core import kernel

ONE = np.uint64(1)
# Positions looked at together.
STRETCH = 1024
# A counter holds how often a code occurs, from this bit on, and below it the sum of its ranks
# from the first of so many positions.
HOW_MANY = np.uint64(44)
COUNTED = 1 << 18
RANKS = (ONE << HOW_MANY) - ONE
# Additions to one place wait for each other: up to so many codes, four places take turns.
TAKING_TURNS = 1024


@kernel
def coded_rank_sums(
    words: NDArray[np.uint64], starts: NDArray[np.int64], width: int, n_codes: int
) -> NDArray[np.int64]:
    """Twice the sum of the midranks of each code's items, and how many they are, in some parts.

    Ranks count from 1 at position 0.
    """
    found = np.zeros((2, n_codes), np.int64)
    if n_codes == 2:
        for p in range(starts.size - 1):
            ranks, ones = _ranks_of_ones(words, starts[p], starts[p + 1])
            found[0, 1] += ranks
            found[1, 1] += ones
        start, stop = np.int64(starts[0]), np.int64(starts[-1])
        found[0, 0] = stop * (stop + 1) - start * (start + 1) - found[0, 1]
        found[1, 0] = stop - start - found[1, 1]
        return found
    mask = (ONE << np.uint64(width)) - ONE
    turns = np.zeros((4 if n_codes <= TAKING_TURNS else 1, n_codes), np.uint64)
    last_turn = turns.shape[0] - 1
    first = i = starts[0]
    for p in range(starts.size - 1):
        stop = starts[p + 1]
        while i < stop:
            if i - first >= COUNTED:
                _take_stock(turns, first, found)
                first = i
            word = words[i]
            after = i + 1
            if after == stop or (words[after] ^ word) > mask:
                rank = np.uint64(2 * (i - first) + 2)
                turns[i & last_turn, word & mask] += (ONE << HOW_MANY) + rank
                i = after
                continue
            while after < stop and (words[after] ^ word) <= mask:
                after += 1
            for tied in range(i, after):
                found[0, words[tied] & mask] += i + after + 1
                found[1, words[tied] & mask] += 1
            i = after
    _take_stock(turns, first, found)
    return found


@kernel
def _take_stock(turns: NDArray[np.uint64], first: int, found: NDArray[np.int64]) -> None:
    """Add what the counters hold, with ranks from position `first` on, and begin them again."""
    for turn in range(turns.shape[0]):
        for c in range(turns.shape[1]):
            count = np.int64(turns[turn, c] >> HOW_MANY)
            found[0, c] += np.int64(turns[turn, c] & RANKS) + 2 * first * count
            found[1, c] += count
            turns[turn, c] = 0


@kernel
def _ranks_of_ones(words: NDArray[np.uint64], start: int, stop: int) -> tuple[np.int64, np.int64]:
    """The same for code 1 of two, in one part; stretches without ties, most of them, vectorise."""
    ranks = ones = np.int64(0)
    i = start
    while i < stop:
        end = min(i + STRETCH, stop)
        alone = True
        for k in range(i, min(end, stop - 1)):
            alone &= (words[k] ^ words[k + 1]) > ONE
        if alone:
            for k in range(i, end):
                one = np.int64(words[k] & ONE)
                ones += one
                ranks += -one & (2 * k + 2)
            i = end
        while i < end:
            after = i + 1
            while after < stop and (words[after] ^ words[i]) <= ONE:
                after += 1
            for k in range(i, after):
                one = np.int64(words[k] & ONE)
                ones += one
                ranks += one * (i + after + 1)
            i = after
    return ranks, ones
