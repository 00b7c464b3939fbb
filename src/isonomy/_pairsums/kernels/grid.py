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

from isonomy._core import kernel

__all__ = ["NEAR", "Cells", "Places", "find_cells", "find_rows", "renumber"]


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


class Places(NamedTuple):
    """Where the cell of a member is found.

    Member i of segment s at bin b is in cell
    ``first_cell[s] + (b - first_bin[s]) * n_patterns + code[i]``.

    Attributes
    ----------
    starts : (s + 1,) where segments start among the members
    first_bin : (s,) lowest bin
    first_cell : (s,) that of the lowest bin and pattern 0
    n_patterns : cells of a bin; 0 where `code` is the cell, whatever the bin
    code : (m,)
    """

    starts: NDArray[np.int64]
    first_bin: NDArray[np.float64]
    first_cell: NDArray[np.int64]
    n_patterns: int
    code: NDArray[np.int32]


# Multiplicative hashing of 32 bits; below 2**31, so that no product overflows an int64.
_SPREAD = 0x1E3779B1
# Bins around a typical score that have a place of their own.
NEAR = 4096


@kernel
def find_cells(
    scores: NDArray[np.float64], width: float, places: Places, cell: NDArray[np.int32]
) -> None:
    """Write down the cell of each member."""
    per_unit = 1.0 / width
    for s in range(places.first_bin.size):
        low, start = places.first_bin[s], places.first_cell[s]
        for i in range(places.starts[s], places.starts[s + 1]):
            bins = int(np.floor(scores[i] * per_unit) - low)
            cell[i] = start + bins * places.n_patterns + places.code[i]


@kernel
def find_rows(
    scores: NDArray[np.float64],
    width: float,
    starts: NDArray[np.int64],
    slots: NDArray[np.int32],
    row: NDArray[np.int32],
    row_bin: NDArray[np.float64],
    row_starts: NDArray[np.int64],
) -> bool:
    """Number the occupied rows by first appearance, however far apart they lie.

    Most bins lie near each other, and a table has a place for each of those. The others have a
    hash table with linear probing. Neither is ever cleared: an entry older than the segment counts
    as empty. Returns whether the hash table had room.

    Parameters
    ----------
    scores : (m,) members of a segment side by side
    width : of a bin
    starts : (s + 1,) where segments start among the members
    slots : the hash table of row numbers plus one, a power of two of zeros to begin with; half of
        it may be used, which is room for any scores if no segment has more members
    row : (m,) output, row of each member
    row_bin : (m,) output, bin of each row
    row_starts : (s + 1,) output, where segments start among the rows
    """
    per_unit = 1.0 / width
    mask = slots.size - 1
    near = np.zeros(NEAR, np.int32)
    n_rows = 0
    number = np.empty(1)
    bits = number.view(np.int64)
    for s in range(starts.size - 1):
        start = n_rows
        row_starts[s] = start
        n_free = slots.size // 2
        lowest = _lowest_near(scores[starts[s] : starts[s + 1]], per_unit)
        for i in range(starts[s], starts[s + 1]):
            place = np.floor(scores[i] * per_unit) + 0.0  # -0.0 has other bits than 0.0
            ahead = place - lowest
            if 0.0 <= ahead < NEAR:
                known = near[int(ahead)]
                if known <= start:
                    row_bin[n_rows] = place
                    n_rows += 1
                    near[int(ahead)] = known = n_rows
                row[i] = known - 1
                continue
            number[0] = place
            key = (bits[0] ^ (bits[0] >> 32)) & 0xFFFFFFFF
            slot = ((key * _SPREAD) >> 20) & mask
            while slots[slot] > start and row_bin[slots[slot] - 1] != place:
                slot = (slot + 1) & mask
            if slots[slot] <= start:
                if n_free == 0:
                    return False
                n_free -= 1
                row_bin[n_rows] = place
                n_rows += 1
                slots[slot] = n_rows
            row[i] = slots[slot] - 1
    row_starts[starts.size - 1] = n_rows
    return True


@kernel
def renumber(row: NDArray[np.int32], new: NDArray[np.int32]) -> None:
    """Put new numbers in place of the old ones."""
    for i in range(row.size):
        row[i] = new[row[i]]


@kernel
def _lowest_near(scores: NDArray[np.float64], per_unit: float) -> float:
    """Return the lowest bin near that of the middle one of three, of which one may be far off."""
    if scores.size == 0:
        return 0.0
    a, b, c = scores[0], scores[scores.size // 2], scores[-1]
    typical = float(max(min(a, b), min(max(a, b), c)))
    return float(np.floor(typical * per_unit) - NEAR // 2)
