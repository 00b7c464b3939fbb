r"""Pair by pair: for segments so small that visiting all pairs is the fastest way.

`list_pairs` writes down the pairs of a run of segments, numpy evaluates the surrogate at their
margins, and the other kernels add up.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._kernels._jit import kernel

__all__ = ["list_pairs", "pair_sums", "pull"]

Array = NDArray[np.float64]
Index = NDArray[np.int32]
Bits = NDArray[np.int64]
Starts = NDArray[np.int64]


@kernel
def list_pairs(
    first: int, last: int, starts: Starts, above: Bits, below: Bits, high: Index, low: Index
) -> int:
    """List the pairs of the segments from `first` to `last`; return how many they are.

    Members i and j are a pair when ``above[i]`` and ``below[j]`` share a bit. Every two are
    written down, the next over those that are no pair: a branch that cannot be predicted would
    cost more.
    """
    k = 0
    for s in range(first, last):
        for i in range(starts[s], starts[s + 1]):
            bits = above[i]
            if bits == 0:
                continue
            for j in range(starts[s], starts[s + 1]):
                high[k] = i
                low[k] = j
                k += (bits & below[j]) != 0
    return k


@kernel
def pair_sums(
    segment: Index,
    high: Index,
    low: Index,
    phi: Array,
    code: Index,
    weight: Array,
    table: Array,
    out: Array,
) -> None:
    r"""Add :math:`w_i w_j A_{ir} B_{jr} \phi_{ij}` to ``out[s, r]``, pair (i, j) in segment s."""
    for k in range(high.size):
        i, j = high[k], low[k]
        share = weight[i] * weight[j] * phi[k]
        for r in range(table.shape[1]):
            if table[code[i], r] > 0.0 and table[code[j], r] < 0.0:
                out[segment[i], r] -= share * table[code[i], r] * table[code[j], r]


@kernel
def pull(
    segment: Index,
    high: Index,
    low: Index,
    phi: Array,
    code: Index,
    source: Array,
    table: Array,
    sign: float,
    coefficient: Array,
    out: Array,
) -> None:
    r"""Add :math:`v_j c_{ij} \phi_{ij}` to ``out[i]`` and sign times the same, with i and j
    exchanged in v, to ``out[j]``, for v = `source` and :math:`c_{ij} = \sum_r a_r A_{ir} B_{jr}`.
    """
    for k in range(high.size):
        i, j = high[k], low[k]
        cost = 0.0
        for r in range(table.shape[1]):
            if table[code[i], r] > 0.0 and table[code[j], r] < 0.0:
                cost -= coefficient[segment[i], r] * table[code[i], r] * table[code[j], r]
        out[i] += source[j] * cost * phi[k]
        out[j] += sign * source[i] * cost * phi[k]
