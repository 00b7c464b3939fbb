r"""Chebyshev moments of the items of a cell, and polynomials evaluated at items.

A *cell* is a row together with a label pattern. An item at score f lies at
:math:`t = 2 (f/h - \lfloor f/h \rfloor) - 1 \in [-1, 1)` of its bin, without rounding, because
the width h of a bin is a power of two.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._core import fused_kernel
from isonomy._pairsums.kernels.grid import Places

__all__ = ["NODES", "TO_NODES", "TO_POWERS", "TO_SERIES", "accumulate", "evaluate"]

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
    per_unit, n_patterns = 1.0 / width, places.n_patterns
    s = segment
    while begin < end:
        stop = min(end, places.starts[s + 1])
        low, first = places.first_bin[s], places.first_cell[s] - cell
        score, w, code = scores[begin:stop], weight[begin:stop], places.code[begin:stop]
        for i in range(score.size):
            y = score[i] * per_unit
            edge = np.floor(y)
            t = 2.0 * (y - edge) - 1.0
            c = np.uintp(first + code[i])
            if n_patterns > 0:
                c += np.uintp(int(edge - low) * n_patterns)
            before = w[i]
            term = before * t
            moments[c, 0] += before
            moments[c, 1] += term
            for k in range(2, 8):
                before, term = term, 2.0 * t * term - before
                moments[c, k] += term
        begin = stop
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
    per_unit, n_patterns = 1.0 / width, places.n_patterns
    s = segment
    while begin < end:
        stop = min(end, places.starts[s + 1])
        low, first = places.first_bin[s], places.first_cell[s]
        score, w, code = scores[begin:stop], weight[begin:stop], places.code[begin:stop]
        felt = out[begin:stop]
        for i in range(score.size):
            y = score[i] * per_unit
            edge = np.floor(y)
            t = 2.0 * (y - edge) - 1.0
            c = np.uintp(first + code[i])
            if n_patterns > 0:
                c += np.uintp(int(edge - low) * n_patterns)
            value = polynomial[c, 7]
            for k in range(6, -1, -1):
                value = value * t + polynomial[c, k]
            felt[i] = w[i] * value
        begin = stop
        s += 1
