"""The number of an item's pattern among those of some terms only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isonomy._core import kernel

__all__ = ["block_codes", "find_states", "renumber", "word_codes", "word_states"]


@kernel
def find_states(
    above: NDArray[np.bool_], below: NDArray[np.bool_], occurs: NDArray[np.bool_]
) -> None:
    """Tick ``occurs[r, state]`` where some pattern is in that state in term r.

    States are 0 for neither side, 1 for above, 2 for below, 3 for both.
    """
    for p in range(above.shape[0]):
        for r in range(above.shape[1]):
            occurs[r, above[p, r] + 2 * below[p, r]] = True


@kernel
def block_codes(
    above: NDArray[np.bool_],
    below: NDArray[np.bool_],
    first: int,
    number: NDArray[np.int64],
    out: NDArray[np.int32],
) -> None:
    """Number patterns by their states in the terms from `first` on: sum of ``number[r, state]``."""
    for p in range(out.size):
        code = 0
        for r in range(number.shape[0]):
            code += number[r, above[p, first + r] + 2 * below[p, first + r]]
        out[p] = code


@kernel
def word_states(sides: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Bits of the columns in which some row is on neither side, above, below."""
    found = np.zeros(3, np.uint64)
    neither = yes = no = np.uint64(0)
    for i in range(sides.shape[0]):
        neither |= ~(sides[i, 0] | sides[i, 1])
        yes |= sides[i, 0]
        no |= sides[i, 1]
    found[0], found[1], found[2] = neither, yes, no
    return found


@kernel
def word_codes(
    sides: NDArray[np.uint64],
    first: int,
    lookup: NDArray[np.int32],
    out: NDArray[np.int32],
    n_patterns: int,
) -> NDArray[np.int64]:
    """Number rows by some of their bits, from `first` on; return four parts of how many have each.

    A number is what `lookup` has for the bits of the upper side, plus that for those of the lower.
    """
    shift, mask = np.uint64(first), np.uint64(lookup.shape[1] - 1)
    # Additions to one place wait for each other: four places take turns.
    counts = np.zeros((4, n_patterns), np.int64)
    for i in range(out.size):
        yes, no = (sides[i, 0] >> shift) & mask, (sides[i, 1] >> shift) & mask
        code = lookup[0, yes] + lookup[1, no]
        out[i] = code
        counts[i & 3, code] += 1
    return counts


@kernel
def renumber(
    codes: NDArray[np.integer[Any]],
    new: NDArray[np.int32],
    out: NDArray[np.int32],
    n_patterns: int,
) -> NDArray[np.int64]:
    """Write down new numbers for patterns; return four parts of how many items have each."""
    counts = np.zeros((4, n_patterns), np.int64)
    for i in range(codes.size):
        code = new[codes[i]]
        out[i] = code
        counts[i & 3, code] += 1
    return counts
