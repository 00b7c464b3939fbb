r"""One polynomial for the whole of a small segment.

Where the scores of a segment span no more than a few units, the surrogate of every margin in it is
a polynomial of moderate degree in both scores,
:math:`\phi(f_i - f_j) = \sum_{mn} C_{mn} T_m(x_i) T_n(x_j)`, with x from -1 to 1 over the span. So
Chebyshev moments of both sides of a term, and a product with the matrix C, sum over all pairs; a
product with that of :math:`\phi'` and one polynomial for each pattern tell what the members feel.

Members of a segment lie side by side by pattern. Degrees are multiples of four.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isonomy._core import fused_kernel, summing_kernel
from isonomy._pairsums.kernels.direct import run_end

__all__ = ["Spans", "member_sums", "side_moments", "term_sums"]

Array = NDArray[np.float64]
Index = NDArray[np.int32]

# Members at a time: the polynomials of so many stay in the cache.
_AT_ONCE = 128


class Spans(NamedTuple):
    """Where segments lie.

    Attributes
    ----------
    starts : (s + 1,) where segments start among the members
    centre, per_unit : (s,) a score f lies at (f - centre) * per_unit
    degree : (s,) how many coefficients its polynomials have
    table : (s,) which of the tables of the surrogate is that of its span
    """

    starts: NDArray[np.int64]
    centre: Array
    per_unit: Array
    degree: NDArray[np.int64]
    table: NDArray[np.int64]


@fused_kernel
def side_moments(
    first: int,
    last: int,
    spans: Spans,
    scores: Array,
    code: Index,
    source: Array,
    side: Array,
    out: Array,
) -> None:
    r"""Set ``out[s, r, 0]`` to the moments :math:`\sum_i v_i A_{ir} T_k(x_i)` of term r, and
    ``out[s, r, 1]`` to those with B for A, for v = `source`.

    A is what is positive in `side` (patterns, terms), B what is negative.
    """
    polynomials, moments = np.empty((out.shape[3], _AT_ONCE)), np.empty(out.shape[3])
    for s in range(first, last):
        degree = spans.degree[s]
        out[s] = 0.0
        begin = spans.starts[s]
        while begin < spans.starts[s + 1]:
            end = min(begin + _AT_ONCE, spans.starts[s + 1])
            _find_polynomials(s, begin, end, spans, scores, polynomials)
            i = begin
            while i < end:
                stop = run_end(i, end, code)
                _run_moments(i, stop, i - begin, degree, source, polynomials, moments)
                for r in range(side.shape[1]):
                    weight = side[code[i], r]
                    if weight != 0.0:
                        below = int(weight < 0.0)
                        for k in range(degree):
                            out[s, r, below, k] += abs(weight) * moments[k]
                i = stop
            begin = end


@fused_kernel
def term_sums(
    first: int, last: int, spans: Spans, moments: Array, tables: Array, out: Array
) -> None:
    r"""Set ``out[s, r]`` to :math:`\sum_{mn} \mu_m C_{mn} \nu_n`, of `moments` above and below."""
    felt = np.empty(moments.shape[3])
    for s in range(first, last):
        degree = spans.degree[s]
        for r in range(out.shape[1]):
            _multiply(degree, tables[spans.table[s], 1], moments[s, r, 1], felt)
            out[s, r] = _dot(degree, moments[s, r, 0], felt)


@fused_kernel
def member_sums(
    first: int,
    last: int,
    spans: Spans,
    scores: Array,
    code: Index,
    weight: Array,
    side: Array,
    moments: Array,
    tables: Array,
    sign: float,
    coefficient: Array,
    out: Array,
) -> None:
    r"""Set ``out[i]`` to :math:`w_i \sum_r a_{sr} (A_{ir} U_r + sign\, B_{ir} V_r)`.

    U is the polynomial of what members above feel of the `moments` below, V the other way round.
    """
    size = moments.shape[3]
    polynomials, felt = np.empty((size, _AT_ONCE)), np.empty((moments.shape[1], 2, size))
    total = np.empty(size)
    for s in range(first, last):
        degree = spans.degree[s]
        for r in range(moments.shape[1]):
            _multiply(degree, tables[spans.table[s], 1], moments[s, r, 1], felt[r, 0])
            _multiply(degree, tables[spans.table[s], 0], moments[s, r, 0], felt[r, 1])
        begin = spans.starts[s]
        while begin < spans.starts[s + 1]:
            end = min(begin + _AT_ONCE, spans.starts[s + 1])
            _find_polynomials(s, begin, end, spans, scores, polynomials)
            i = begin
            while i < end:
                stop = run_end(i, end, code)
                total[:degree] = 0.0
                for r in range(side.shape[1]):
                    share = coefficient[s, r] * abs(side[code[i], r])
                    if share != 0.0:
                        below = int(side[code[i], r] < 0.0)
                        share *= sign if below else 1.0
                        for k in range(degree):
                            total[k] += share * felt[r, below, k]
                _evaluate(i, stop, i - begin, degree, total, polynomials, weight, out)
                i = stop
            begin = end


@fused_kernel
def _find_polynomials(
    s: int, begin: int, end: int, spans: Spans, scores: Array, out: Array
) -> None:
    """Set ``out[k, i]`` to the Chebyshev polynomial k at member begin + i."""
    start, centre, per_unit = np.uintp(begin), spans.centre[s], spans.per_unit[s]
    for i in range(end - begin):
        out[0, i] = 1.0
        out[1, i] = (scores[start + np.uintp(i)] - centre) * per_unit
    for k in range(2, spans.degree[s]):
        for i in range(end - begin):
            out[k, i] = 2.0 * out[1, i] * out[k - 1, i] - out[k - 2, i]


@summing_kernel
def _run_moments(
    begin: int, end: int, offset: int, degree: int, source: Array, polynomials: Array, out: Array
) -> None:
    """Set ``out[k]`` to the sum of source times polynomial k over a run of members."""
    start, shift = np.uintp(begin), np.uintp(offset)
    for k in range(0, degree, 4):
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for i in range(end - begin):
            v, j = source[start + np.uintp(i)], shift + np.uintp(i)
            a += v * polynomials[k, j]
            b += v * polynomials[k + 1, j]
            c += v * polynomials[k + 2, j]
            d += v * polynomials[k + 3, j]
        out[k], out[k + 1], out[k + 2], out[k + 3] = a, b, c, d


@fused_kernel
def _multiply(degree: int, matrix: Array, vector: Array, out: Array) -> None:
    """Set `out` to the product of a row vector and the matrix."""
    out[:degree] = 0.0
    for n in range(0, degree, 4):
        a, b, c, d = vector[n], vector[n + 1], vector[n + 2], vector[n + 3]
        for k in range(degree):
            out[k] += (matrix[n, k] * a + matrix[n + 1, k] * b) + (
                matrix[n + 2, k] * c + matrix[n + 3, k] * d
            )


@summing_kernel
def _dot(degree: int, left: Array, right: Array) -> float:
    total = 0.0
    for k in range(degree):
        total += left[k] * right[k]
    return total


@fused_kernel
def _evaluate(
    begin: int,
    end: int,
    offset: int,
    degree: int,
    series: Array,
    polynomials: Array,
    weight: Array,
    out: Array,
) -> None:
    """Set ``out[i]`` to weight times the series, for a run of members."""
    start, shift = np.uintp(begin), np.uintp(offset)
    for i in range(end - begin):
        out[start + np.uintp(i)] = 0.0
    for k in range(0, degree, 4):
        a, b, c, d = series[k], series[k + 1], series[k + 2], series[k + 3]
        for i in range(end - begin):
            j = shift + np.uintp(i)
            out[start + np.uintp(i)] += (a * polynomials[k, j] + b * polynomials[k + 1, j]) + (
                c * polynomials[k + 2, j] + d * polynomials[k + 3, j]
            )
    for i in range(end - begin):
        out[start + np.uintp(i)] *= weight[start + np.uintp(i)]
