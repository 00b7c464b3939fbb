r"""Chebyshev moments of the items of a cell, and polynomials evaluated at items.

A *cell* is a row together with a label pattern. An item at score f lies at
:math:`t = 2 (f/h - \lfloor f/h \rfloor) - 1 \in [-1, 1)` of its bin, without rounding, because
the width h of a bin is a power of two.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._core import fused_kernel
from isonomy._pairsums.kernels.fours import LANES, add_moments, polynomials
from isonomy._pairsums.kernels.grid import Places

__all__ = ["NODES", "TO_NODES", "TO_POWERS", "TO_SERIES", "accumulate", "evaluate"]

# Members whose places are found before they are looked at: these stay in the fastest cache.
BATCH = 512

NODES = np.cos((2.0 * np.arange(8) + 1.0) * (np.pi / 16.0))

_AT_NODES = np.polynomial.chebyshev.chebvander(NODES, 7)
_NORM = np.where(np.arange(8) > 0, 0.25, 0.125)

# Row vectors times these: moments -> weights at nodes; values at nodes -> Chebyshev series;
# Chebyshev series -> powers of t.
TO_NODES = np.ascontiguousarray((_AT_NODES * _NORM).T)
TO_SERIES = np.ascontiguousarray(_AT_NODES * _NORM)
TO_POWERS = np.array(
    [
        np.pad(np.polynomial.chebyshev.cheb2poly(row), (0, 7 - k))
        for k, row in enumerate(np.eye(8)[k, : k + 1] for k in range(8))
    ]
)


@fused_kernel
def _locate(
    scores: NDArray[np.float64],
    code: NDArray[np.int32],
    per_unit: float,
    low: float,
    first: int,
    n_patterns: int,
    cell: NDArray[np.uint32],
    t: NDArray[np.float64],
) -> None:
    """Set the cells of some members, and where in their bins they lie."""
    start, step = np.int32(first), np.int32(n_patterns)
    if n_patterns == 0:
        # A bin may be beyond all integers.
        for i in range(scores.size):
            y = scores[i] * per_unit
            t[i] = 2.0 * (y - np.floor(y)) - 1.0
            cell[i] = start + code[i]
        return
    for i in range(scores.size):
        y = scores[i] * per_unit
        edge = np.floor(y)
        t[i] = 2.0 * (y - edge) - 1.0
        cell[i] = start + code[i] + np.int32(edge - low) * step


@fused_kernel
def accumulate(
    begin: int,
    end: int,
    segment: int,
    scores: NDArray[np.float64],
    width: float,
    weight: NDArray[np.float64],
    places: Places,
    cell: int,
    moments: NDArray[np.float64],
) -> None:
    r"""Add :math:`\sum_i w_i T_k(t_i)`, k = 0..7, to the moments of each member's cell.

    Parameters
    ----------
    begin, end : the members that count
    segment : that of the member `begin`
    scores, weight : (m,) arrays
    width : of a bin
    cell : the cell that row 0 of `moments` stands for
    moments : (cells, 8), changed in place
    """
    per_unit, n_patterns, code = 1.0 / width, places.n_patterns, places.code
    cells, t, w = np.zeros(BATCH, np.uint32), np.zeros(BATCH), np.zeros(BATCH)
    s = segment
    while begin < end:
        stop = min(end, places.starts[s + 1])
        low, first = places.first_bin[s], places.first_cell[s] - cell
        while begin < stop:
            n = min(BATCH, stop - begin)
            here = scores[begin : begin + n]
            _locate(here, code[begin : begin + n], per_unit, low, first, n_patterns, cells, t)
            w[:n] = weight[begin : begin + n]
            # The last ones may be fewer: what others left there weighs nothing.
            w[n : n + LANES] = 0.0
            for i in range(0, n, LANES):
                add_moments(moments, cells, t, w, np.uintp(i))
            begin += n
        s += 1


@fused_kernel
def evaluate(
    begin: int,
    end: int,
    segment: int,
    scores: NDArray[np.float64],
    width: float,
    weight: NDArray[np.float64],
    places: Places,
    polynomial: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    r"""Set ``out[i]`` to :math:`w_i \sum_k p_{ck} t_i^k`, the polynomial of the member's cell c."""
    per_unit, n_patterns, code = 1.0 / width, places.n_patterns, places.code
    cells, t, felt = np.zeros(BATCH, np.uint32), np.zeros(BATCH), np.zeros(BATCH)
    s = segment
    while begin < end:
        stop = min(end, places.starts[s + 1])
        low, first = places.first_bin[s], places.first_cell[s]
        while begin < stop:
            n = min(BATCH, stop - begin)
            here = scores[begin : begin + n]
            _locate(here, code[begin : begin + n], per_unit, low, first, n_patterns, cells, t)
            # Beyond the last member lie cells of others, which are there too.
            for i in range(0, n, LANES):
                polynomials(polynomial, cells, t, felt, np.uintp(i))
            w, found = weight[begin : begin + n], out[begin : begin + n]
            for i in range(n):
                found[i] = w[i] * felt[i]
            begin += n
        s += 1
