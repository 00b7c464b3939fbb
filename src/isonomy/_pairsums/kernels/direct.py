r"""Pair by pair: for segments so small that visiting all pairs is the fastest way.

Members of a segment lie side by side by pattern, so that the pairs of two patterns are those of
two runs, all with one cost. The surrogate at a margin is a polynomial from a table, or its tail.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isonomy._core import fused_kernel

__all__ = ["Curve", "member_sums", "run_end", "term_sums"]

Array = NDArray[np.float64]
Index = NDArray[np.int32]
Starts = NDArray[np.int64]


class Curve(NamedTuple):
    r"""Tables of one function of a margin.

    Beyond the pieces, at a distance d from zero, it is :math:`\sum_k c_k d^k + q e^{-\lambda d}`.

    Attributes
    ----------
    per_unit : pieces in one unit of the margin
    pieces : (2 p + 1, 6) coefficients of the powers of the distance from the middle of each piece,
        -1/2 to 1/2; the middle one is zero
    tails : (2, 5) :math:`c_0, c_1, c_2, q, \lambda` on the left and on the right
    """

    per_unit: float
    pieces: Array
    tails: Array


@fused_kernel
def term_sums(
    first: int,
    last: int,
    starts: Starts,
    scores: Array,
    code: Index,
    weight: Array,
    sides: tuple[Array, ...],
    curve: Curve,
    out: Array,
) -> None:
    r"""Add :math:`\sum_{i \ne j} w_i w_j A_{ir} B_{jr} \phi_{ij}` to ``out[s, r]``.

    For the segments s from `first` to `last`; A is what is positive in `sides` 0, B
    what is negative in the last.
    """
    upper, lower = sides[0], sides[-1]
    for s in range(first, last):
        i = starts[s]
        while i < starts[s + 1]:
            i_end = run_end(i, starts[s + 1], code)
            j = starts[s]
            while j < starts[s + 1]:
                j_end = run_end(j, starts[s + 1], code)
                high, low = upper[code[i]], lower[code[j]]
                if _compared(high, low):
                    total = 0.0
                    for k in range(i, i_end):
                        # In its own run a member meets those before and those after it.
                        before, after = (k, k + 1) if i == j else (j_end, j_end)
                        total += weight[k] * _felt(
                            scores[k], scores[j:before], weight[j:before], curve
                        )
                        if after < j_end:
                            total += weight[k] * _felt(
                                scores[k], scores[after:j_end], weight[after:j_end], curve
                            )
                    for r in range(high.size):
                        out[s, r] += total * max(high[r], 0.0) * max(-low[r], 0.0)
                j = j_end
            i = i_end


@fused_kernel
def member_sums(
    first: int,
    last: int,
    starts: Starts,
    scores: Array,
    code: Index,
    source: Array,
    sides: tuple[Array, ...],
    curve: Curve,
    sign: float,
    coefficient: Array,
    out: Array,
) -> None:
    r"""Add :math:`v_j c_{ij} \phi_{ij}` to ``out[i]`` and sign times the same, with i and j
    exchanged in v, to ``out[j]``, j other than i, for v = `source` and
    :math:`c_{ij} = \sum_r a_r A_{ir} B_{jr}`.
    """
    upper, lower = sides[0], sides[-1]
    for s in range(first, last):
        i = starts[s]
        while i < starts[s + 1]:
            i_end = run_end(i, starts[s + 1], code)
            j = starts[s]
            while j < starts[s + 1]:
                j_end = run_end(j, starts[s + 1], code)
                high, low = upper[code[i]], lower[code[j]]
                cost = 0.0
                for r in range(high.size):
                    cost += coefficient[s, r] * max(high[r], 0.0) * max(-low[r], 0.0)
                if cost != 0.0:
                    for k in range(i, i_end):
                        before, after = (k, k + 1) if i == j else (j_end, j_end)
                        given = sign * cost * source[k]
                        out[k] += cost * _exchange(
                            scores[k],
                            given,
                            scores[j:before],
                            source[j:before],
                            curve,
                            out[j:before],
                        )
                        if after < j_end:
                            out[k] += cost * _exchange(
                                scores[k],
                                given,
                                scores[after:j_end],
                                source[after:j_end],
                                curve,
                                out[after:j_end],
                            )
                j = j_end
            i = i_end


@fused_kernel
def run_end(i: int, end: int, code: Index) -> int:
    """Return where the run of the pattern of member i ends."""
    k = i + 1
    while k < end and code[k] == code[i]:
        k += 1
    return k


@fused_kernel
def _compared(high: Array, low: Array) -> bool:
    """Return whether some term puts the first pattern above the second."""
    found = False
    for r in range(high.size):
        found |= high[r] > 0.0 and low[r] < 0.0
    return found


@fused_kernel
def _felt(score: float, others: Array, source: Array, curve: Curve) -> float:
    """Return what a member feels from others."""
    per_unit, pieces, tails = curve
    total = 0.0
    for j in range(others.size):
        total += source[j] * _at(score - others[j], per_unit, pieces, tails)
    return total


@fused_kernel
def _exchange(
    score: float, given: float, others: Array, source: Array, curve: Curve, out: Array
) -> float:
    """Return what a member feels from others, and add what they feel from it."""
    per_unit, pieces, tails = curve
    total = 0.0
    for j in range(others.size):
        phi = _at(score - others[j], per_unit, pieces, tails)
        total += source[j] * phi
        out[j] += given * phi
    return total


@fused_kernel
def _at(margin: float, per_unit: float, pieces: Array, tails: Array) -> float:
    """Return the function at a margin."""
    y = margin * per_unit
    middle = np.floor(y + 0.5)
    half = pieces.shape[0] // 2
    if abs(middle) > half:
        side, distance = int(margin > 0.0), abs(margin)
        rising = tails[side, 1] + distance * tails[side, 2]
        decay = np.exp(-distance * tails[side, 4])
        return float(tails[side, 0] + distance * rising + tails[side, 3] * decay)
    p = np.uintp(int(middle) + half)
    t = y - middle
    value = pieces[p, 5]
    for k in range(4, -1, -1):
        value = value * t + pieces[p, k]
    return float(value)
