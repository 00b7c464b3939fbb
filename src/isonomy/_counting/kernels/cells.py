"""Cells of a table (score range, pattern, count) in order: made of rows, merged, put together.

Cells stand by the start of their range, the longest range first, then by pattern.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from isonomy._core import kernel

# Start, level, pattern and count of each.
Cells: TypeAlias = tuple[
    NDArray[np.uint64], NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]
]

__all__ = ["Cells", "gather_cells", "merge_cells", "packed_size", "tally_rows"]

_SIGN = np.uint64(1 << 63)
_SEVEN = np.uint64(7)
# Up to so many patterns are sorted by insertion.
_FEW = 24


@kernel
def _emit(
    found: NDArray[np.int64],
    n_found: int,
    sums: NDArray[np.int64],
    made: int,
    pattern: NDArray[np.int64],
    count: NDArray[np.int64],
) -> int:
    """Write the patterns that were found, in order, with their sums, which become 0 again."""
    if n_found > _FEW:
        found[:n_found].sort()
    else:
        for i in range(1, n_found):
            each, j = found[i], i
            while j > 0 and found[j - 1] > each:
                found[j] = found[j - 1]
                j -= 1
            found[j] = each
    for i in range(n_found):
        pattern[made + i] = found[i]
        count[made + i] = sums[found[i]]
        sums[found[i]] = 0
    return made + n_found


@kernel
def tally_rows(
    bits: NDArray[np.uint64],
    order: NDArray[np.int64],
    codes: NDArray[Any],
    counts: NDArray[np.int64],
    n_patterns: int,
    start: NDArray[np.uint64],
    pattern: NDArray[np.int64],
    count: NDArray[np.int64],
) -> int:
    """The exact cells of some rows.

    Parameters
    ----------
    bits : (n,) the bits of scores, of which none is -0.0
    order : (n,) rows in the order of their scores
    codes : (n,) the rows' patterns
    counts : (n,) items that each row stands for, or none: 1 each
    n_patterns : int
    start, pattern, count : (n,) output

    Returns
    -------
    int
        How many cells there are; none has count 0.
    """
    sums, found = np.zeros(n_patterns, np.int64), np.empty(n_patterns, np.int64)
    made = i = 0
    while i < order.size:
        row = order[i]
        bit = bits[row]
        key = ~bit if bit >= _SIGN else bit | _SIGN
        i += 1
        if i == order.size or bits[order[i]] != bit:
            own = counts[row] if counts.size else 1
            if own > 0:
                start[made], pattern[made], count[made] = (key, codes[row], own)
                made += 1
            continue
        n_found = 0
        i -= 1
        while i < order.size and bits[order[i]] == bit:
            row = order[i]
            own = counts[row] if counts.size else 1
            code = codes[row]
            if own > 0 and sums[code] == 0:
                found[n_found] = code
                n_found += 1
            sums[code] += own
            i += 1
        after = _emit(found, n_found, sums, made, pattern, count)
        start[made:after] = key
        made = after
    return made


@kernel
def merge_cells(a: Cells, b: Cells, out: Cells) -> int:
    """The cells of two tables; the counts of equal ones are added.

    Returns how many there are.
    """
    a_start, a_level, a_pattern, a_count = a
    b_start, b_level, b_pattern, b_count = b
    start, level, pattern, count = out
    i = j = made = 0
    while i < a_start.size and j < b_start.size:
        if a_start[i] != b_start[j]:
            first = a_start[i] < b_start[j]
            same = False
        elif a_level[i] != b_level[j]:
            first = a_level[i] > b_level[j]
            same = False
        else:
            first = a_pattern[i] <= b_pattern[j]
            same = a_pattern[i] == b_pattern[j]
        if first:
            start[made], level[made] = (a_start[i], a_level[i])
            pattern[made], count[made] = (a_pattern[i], a_count[i])
            i += 1
            if same:
                count[made] += b_count[j]
                j += 1
        else:
            start[made], level[made] = (b_start[j], b_level[j])
            pattern[made], count[made] = (b_pattern[j], b_count[j])
            j += 1
        made += 1
    while i < a_start.size:
        start[made], level[made] = (a_start[i], a_level[i])
        pattern[made], count[made] = (a_pattern[i], a_count[i])
        i += 1
        made += 1
    while j < b_start.size:
        start[made], level[made] = (b_start[j], b_level[j])
        pattern[made], count[made] = (b_pattern[j], b_count[j])
        j += 1
        made += 1
    return made


@kernel
def gather_cells(
    group: NDArray[np.int64],
    codes: NDArray[np.int64],
    counts: NDArray[np.int64],
    n_patterns: int,
    of_cell: NDArray[np.int64],
    pattern: NDArray[np.int64],
    count: NDArray[np.int64],
) -> int:
    """One cell for each pattern of a group of neighbours, in the order of the patterns.

    Parameters
    ----------
    group : (cells,) the group of each cell; ascends
    codes, counts : (cells,) their patterns and counts
    n_patterns : int
    of_cell, pattern, count : (cells,) output

    Returns
    -------
    int
        How many cells there are.
    """
    sums, found = np.zeros(n_patterns, np.int64), np.empty(n_patterns, np.int64)
    made = i = 0
    while i < group.size:
        here, n_found, end = group[i], 0, i + 1
        while end < group.size and group[end] == here and codes[end] > codes[end - 1]:
            end += 1
        if end == group.size or group[end] != here:
            # In order already, as a range is that stays as it was.
            for k in range(i, end):
                of_cell[made], pattern[made], count[made] = (here, codes[k], counts[k])
                made += 1
            i = end
            continue
        while i < group.size and group[i] == here:
            if sums[codes[i]] == 0:
                found[n_found] = codes[i]
                n_found += 1
            sums[codes[i]] += counts[i]
            i += 1
        after = _emit(found, n_found, sums, made, pattern, count)
        of_cell[made:after] = here
        made = after
    return made


@kernel
def packed_size(numbers: NDArray[Any]) -> int:
    """How many bytes whole numbers >= 0 take, seven bits a byte."""
    total = numbers.size
    for i in range(numbers.size):
        rest = np.uint64(numbers[i]) >> _SEVEN
        while rest > np.uint64(0):
            total += 1
            rest = rest >> _SEVEN
    return total
