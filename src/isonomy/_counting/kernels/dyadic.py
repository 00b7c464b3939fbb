"""Ranges of keys whose length is a power of two: which of them become one.

A range of level l holds 2**l keys from a multiple of 2**l on, so that two ranges are apart or
one holds the other, wherever they were made.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._core import kernel

__all__ = ["collapse", "restore_starts"]

_ONE = np.uint64(1)
_ALL = np.uint64(64)
# Each level of the recursion leaves one right half to be done later.
_DEPTH = 256


@kernel
def _bit_length(x: np.uint64) -> np.uint64:
    length = np.uint64(0)
    while x > np.uint64(0):
        x = x >> _ONE
        length = length + _ONE
    return length


@kernel
def _floor(key: np.uint64, level: np.uint64) -> np.uint64:
    """The start of the range of that level which holds the key."""
    if level >= _ALL:
        return np.uint64(0)
    return (key >> level) << level


@kernel
def collapse(
    start: NDArray[np.uint64],
    level: NDArray[np.uint64],
    upto: NDArray[np.float64],
    least: float,
    group: NDArray[np.int64],
    new_start: NDArray[np.uint64],
    new_level: NDArray[np.uint64],
) -> int:
    """Make one range of all ranges inside any that together weigh at most `least`.

    Parameters
    ----------
    start, level : (b,) ranges, by start and, from the same start, the longest first
    upto : (b + 1,) the weight of all ranges before each
    least : float
    group : (b,) output, the new range that each becomes a part of; ascends
    new_start, new_level : (b,) output, the new ranges

    Returns
    -------
    int
        How many there are.
    """
    first, last = np.empty(_DEPTH, np.int64), np.empty(_DEPTH, np.int64)
    depth = 0
    if start.size:
        first[0], last[0] = 0, start.size
        depth = 1
    made = 0
    while depth:
        depth -= 1
        a, b = first[depth], last[depth]
        top = _bit_length(start[a] ^ start[b - 1])
        if level[a] > top:
            top = level[a]
        node = _floor(start[a], top)
        if b - a == 1 or upto[b] - upto[a] <= least:
            # What is left inside a range that stayed apart may be all of it.
            if not (made and new_start[made - 1] == node and new_level[made - 1] == top):
                new_start[made], new_level[made] = (node, top)
                made += 1
            for i in range(a, b):
                group[i] = made - 1
        elif level[a] == top:
            # It holds all the others, which stay apart inside it.
            group[a] = made
            new_start[made], new_level[made] = (node, top)
            made += 1
            first[depth], last[depth] = a + 1, b
            depth += 1
        else:
            middle = node + (_ONE << (top - _ONE))
            low, high = a, b
            while low < high:
                half = (low + high) // 2
                if start[half] < middle:
                    low = half + 1
                else:
                    high = half
            first[depth], last[depth] = low, b
            first[depth + 1], last[depth + 1] = a, low
            depth += 2
    return made


@kernel
def restore_starts(
    level: NDArray[np.uint64], step: NDArray[np.uint64], start: NDArray[np.uint64]
) -> bool:
    """Starts from steps in units of each range's own length; False where they leave the keys."""
    before = np.uint64(0)
    for i in range(level.size):
        if level[i] >= _ALL:
            if step[i] != np.uint64(0) or before != np.uint64(0):
                return False
            start[i] = np.uint64(0)
            continue
        place = before >> level[i]
        if step[i] > (~np.uint64(0) >> level[i]) - place:
            return False
        start[i] = (place + step[i]) << level[i]
        before = start[i]
    return True
