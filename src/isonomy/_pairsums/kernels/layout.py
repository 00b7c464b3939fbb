r"""Members by group and pattern, and the weight of pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._core import kernel

__all__ = [
    "add_at",
    "both_sides_pair_weights",
    "pair_weights",
    "place",
    "place_inside",
]

Array = NDArray[np.float64]


@kernel
def place(
    keys: NDArray[np.integer],
    before: NDArray[np.int32],
    ends: NDArray[np.int64],
    order: NDArray[np.int32],
) -> None:
    """Write down members in the order of their keys, and of `before` where keys are equal.

    `ends`, a zero for each key and one more, becomes how many have a key up to each.
    """
    for i in range(keys.size):
        ends[keys[i] + 1] += 1
    for k in range(1, ends.size):
        ends[k] += ends[k - 1]
    for i in before:
        order[ends[keys[i]]] = i
        ends[keys[i]] += 1


@kernel
def place_inside(
    first: int,
    last: int,
    starts: NDArray[np.int64],
    code: NDArray[np.int32],
    n_patterns: int,
    order: NDArray[np.int32],
) -> None:
    """Write down the members of segments, which lie side by side, by pattern in each."""
    ends = np.empty(n_patterns + 1, np.int64)
    for s in range(first, last):
        ends[:] = 0
        for i in range(starts[s], starts[s + 1]):
            ends[code[i] + 1] += 1
        ends[0] = starts[s]
        for k in range(1, n_patterns + 1):
            ends[k] += ends[k - 1]
        for i in range(starts[s], starts[s + 1]):
            order[ends[code[i]]] = i
            ends[code[i]] += 1


@kernel
def add_at(values: Array, item: NDArray[np.int32], out: Array) -> None:
    """Add the value of member m to the item that it is."""
    for m in range(item.size):
        out[np.uintp(item[m])] += values[m]


@kernel
def pair_weights(
    starts: NDArray[np.int64],
    code: NDArray[np.int32],
    weight: Array,
    side: Array,
    out: Array,
) -> None:
    r"""Set ``out[s, r]`` to :math:`\sum_{ij} w_i w_j A_{ir} B_{jr}` over segment s.

    A is what is positive in `side` (patterns, terms), B what is negative.
    """
    n_patterns, n_terms = side.shape
    # Of four tables in turn, so that an addition need not wait for the one before it.
    mass = np.zeros((4, n_patterns))
    above, below = np.empty(n_terms), np.empty(n_terms)
    for s in range(starts.size - 1):
        for i in range(starts[s], starts[s + 1]):
            mass[i & 3, code[i]] += weight[i]
        above[:] = 0.0
        below[:] = 0.0
        size = starts[s + 1] - starts[s]
        for k in range(min(size, n_patterns)):
            p = code[starts[s] + k] if size < n_patterns else k
            found = (mass[0, p] + mass[1, p]) + (mass[2, p] + mass[3, p])
            if found > 0.0:  # Else it does not occur, or was counted already.
                mass[:, p] = 0.0
                for r in range(n_terms):
                    above[r] += found * max(side[p, r], 0.0)
                    below[r] += found * max(-side[p, r], 0.0)
        for r in range(n_terms):
            out[s, r] = above[r] * below[r]


@kernel
def both_sides_pair_weights(
    starts: NDArray[np.int64],
    code: NDArray[np.int32],
    weight: Array,
    sides: tuple[Array, ...],
    twins: Array,
    out: Array,
) -> None:
    r"""The same over pairs of different members, where members stand on both sides of a term.

    Each member meets those before it, so that nothing is taken away again: one member alone has
    exactly no pairs. Of its pairs with itself the share `twins` counts.
    """
    upper, lower = sides[0], sides[-1]
    n_terms = upper.shape[1]
    for s in range(starts.size - 1):
        for r in range(n_terms):
            above, below, total = 0.0, 0.0, 0.0
            for i in range(starts[s], starts[s + 1]):
                up = weight[i] * max(upper[code[i], r], 0.0)
                low = weight[i] * max(-lower[code[i], r], 0.0)
                total += up * (below + twins[i] * low) + low * above
                above += up
                below += low
            out[s, r] = total
