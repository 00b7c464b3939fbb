r"""Bins on the score axis, and which items fall into them.

The axis is cut at the multiples of a power of two h, wherever the scores lie, so that moments of
parts, threads and machines refer to the same bins and add up. A *row* is a bin of one segment
(a group whose items are compared with each other only). Bins are floats, because a score of 1e300
has a bin too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isonomy._kernels._jit import kernel

__all__ = ["Cells", "assign_cells", "find_rows"]


class Cells(NamedTuple):
    """Rows (occupied bins) of segments, and the cells (a row and a label pattern) of the rows.

    Attributes
    ----------
    row_starts : (s + 1,) where segments start among the rows
    bins : (rows,) increasing within a segment
    cell_starts : (s + 1,) where segments start among the cells
    row, pattern : (cells,) of each cell
    """

    row_starts: NDArray[np.int64]
    bins: NDArray[np.float64]
    cell_starts: NDArray[np.int64]
    row: NDArray[np.int32]
    pattern: NDArray[np.int32]


# Multiplicative hashing of 32 bits; below 2**31, so that no product overflows an int64.
_SPREAD = 0x1E3779B1


@kernel
def assign_cells(
    begin: int,
    end: int,
    segment: int,
    scores: NDArray[np.float64],
    width: float,
    starts: NDArray[np.int64],
    first_bin: NDArray[np.float64],
    first_row: NDArray[np.int64],
    code: NDArray[np.int32],
    n_patterns: int,
    cell: NDArray[np.int32],
) -> None:
    """Number the cells of members from `begin`, which is in `segment`, to `end` by position.

    A segment has the cells of all patterns of all bins from its first on.
    """
    per_unit = 1.0 / width
    i, s = begin, segment
    while i < end:
        low, start = first_bin[s], first_row[s]
        for j in range(i, min(end, starts[s + 1])):
            row = start + int(np.floor(scores[j] * per_unit) - low)
            cell[j] = row * n_patterns + code[j]
        s += 1
        i = starts[s]


@kernel
def find_rows(
    scores: NDArray[np.float64],
    width: float,
    starts: NDArray[np.int64],
    slots: NDArray[np.int32],
    row: NDArray[np.int32],
    row_bin: NDArray[np.float64],
    row_starts: NDArray[np.int64],
) -> None:
    """Number the occupied rows by first appearance, however far apart they lie.

    A hash table with linear probing whose size, a power of two, exceeds the members of any
    segment. It is never cleared: an entry older than the segment counts as empty.

    Parameters
    ----------
    scores : (m,) members of a segment side by side
    width : of a bin
    starts : (s + 1,) where segments start among the members
    slots : the hash table of row numbers plus one, zeros to begin with
    row : (m,) output, row of each member
    row_bin : (m,) output, bin of each row
    row_starts : (s + 1,) output, where segments start among the rows
    """
    per_unit = 1.0 / width
    mask = slots.size - 1
    n_rows = 0
    number = np.empty(1)
    bits = number.view(np.int64)
    for s in range(starts.size - 1):
        start = n_rows
        row_starts[s] = start
        for i in range(starts[s], starts[s + 1]):
            number[0] = np.floor(scores[i] * per_unit) + 0.0  # -0.0 has other bits than 0.0
            key = (bits[0] ^ (bits[0] >> 32)) & 0xFFFFFFFF
            slot = ((key * _SPREAD) >> 20) & mask
            while slots[slot] > start and row_bin[slots[slot] - 1] != number[0]:
                slot = (slot + 1) & mask
            if slots[slot] <= start:
                row_bin[n_rows] = number[0]
                n_rows += 1
                slots[slot] = n_rows
            row[i] = slots[slot] - 1
    row_starts[starts.size - 1] = n_rows
