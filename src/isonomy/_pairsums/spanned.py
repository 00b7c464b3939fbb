r"""Sums of an analytic surrogate over the pairs of small segments, by one polynomial for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from isonomy._infra import run_all, segment_chunks
from isonomy._pairsums.kernels import spans as kernels
from isonomy._pairsums.kernels.spans import Spans
from isonomy._pairsums.layout import Members
from isonomy._pairsums.tables import MIN_WIDTH, span_degree, span_tables
from isonomy.surrogates import Analytic, Surrogate

__all__ = ["SpannedSum", "spans_serve"]

Array = NDArray[np.float64]

_CHUNK = 1 << 14
# Widths of spans, for which tables are kept: beyond the widest, degrees are too high.
_WIDTHS = np.array(
    [0.25, 0.5, 1.0, 1.5, *np.arange(2.0, 6.0, 0.5), 6.0, 7.0, 8.0, 10.0, 12.0, 16.0]
)


# What a polynomial may be wrong by: of the smallest value in its span, or in all.
_RELATIVE, _ABSOLUTE = 1e-12, 1e-14


@dataclass(frozen=True)
class SpannedSum:
    """Members at their scores; see `isonomy._pairsums.sums.Summation`."""

    members: Members
    scores: Array
    surrogate: Surrogate
    threads: int
    widths: Array
    spans: Spans
    meets_itself = True

    @classmethod
    def at(
        cls,
        members: Members,
        scores: Array,
        extent: tuple[Array, Array],
        surrogate: Surrogate,
        threads: int,
    ) -> SpannedSum:
        """Take scores whose lowest and highest by segment are `extent`."""
        lowest, highest = extent
        widths, table = np.unique(_span_widths(highest - lowest), return_inverse=True)
        degree = np.array([span_degree(surrogate, width) for width in widths.tolist()])
        spans = Spans(
            members.starts,
            0.5 * lowest + 0.5 * highest,
            (2.0 / widths)[table],
            degree[table],
            table,
        )
        return cls(members, scores, surrogate, threads, widths, spans)

    def values(self) -> Array:
        out, tables = np.empty(self.members.comparison.shape), self._tables(0)
        moments = self._moments

        def work(first: int, last: int) -> None:
            kernels.term_sums(first, last, self.spans, moments, tables, out)

        self._over_segments(work)
        return out

    def derivative(self, coefficient: Array, order: int) -> Array:
        return self._member_sums(self._moments, coefficient, order)

    def cross(self, coefficient: Array, direction: Array) -> Array:
        return self._member_sums(self._moments_of(self.members.weight * direction), coefficient, 2)

    @cached_property
    def _moments(self) -> Array:
        return self._moments_of(self.members.weight)

    def _moments_of(self, source: Array) -> Array:
        """Return the moments of both sides of the terms, (segments, terms, 2, degree)."""
        m = self.members
        out = np.empty((*m.comparison.shape, 2, int(self.spans.degree.max())))

        def work(first: int, last: int) -> None:
            kernels.side_moments(
                first, last, self.spans, self.scores, m.code, source, m.sides[0], out
            )

        self._over_segments(work)
        return out

    def _member_sums(self, moments: Array, coefficient: Array, order: int) -> Array:
        m, tables, sign = self.members, self._tables(order), (-1.0) ** order
        out = np.empty(self.scores.size)

        def work(first: int, last: int) -> None:
            kernels.member_sums(
                first, last, self.spans, self.scores, m.code, m.weight, m.sides[0], moments,
                tables, sign, coefficient, out,
            )  # fmt: skip

        self._over_segments(work)
        return out

    def _tables(self, order: int) -> Array:
        """Return the tables of all widths and their transposes, (widths, 2, degree, degree)."""
        size = int(self.spans.degree.max())
        out = np.zeros((self.widths.size, 2, size, size))
        for number, width in enumerate(self.widths.tolist()):
            table = span_tables(self.surrogate, width, order)
            out[number, 0, : len(table), : len(table)] = table
            out[number, 1, : len(table), : len(table)] = table.T
        return out

    def _over_segments(self, work: Callable[[int, int], None]) -> None:
        run_all(work, segment_chunks(self.members.starts, _CHUNK), self.threads)


def spans_serve(
    members: Members, extent: tuple[Array, Array], surrogate: Surrogate
) -> NDArray[np.bool_]:
    """Return which segments are narrow enough, and faster than by visiting all pairs."""
    sizes, spread = np.diff(members.starts), extent[1] - extent[0]
    if members.two_sided or not isinstance(surrogate.shape, Analytic):
        return np.zeros(sizes.size, bool)
    degrees = np.array([span_degree(surrogate, width) for width in _WIDTHS.tolist()])
    degree = degrees[np.minimum(np.searchsorted(_WIDTHS, spread), _WIDTHS.size - 1)]
    return np.asarray((spread <= _widest(surrogate)) & _faster(sizes, degree))


@lru_cache(maxsize=64)
def _widest(surrogate: Surrogate) -> float:
    """The widest span in which one polynomial tells the smallest margins' values, too.

    Its error is that of the largest value, at one end; where all pairs are ranked rightly the sum
    has none but values of the other end.
    """
    ends = np.abs([surrogate.value(-_WIDTHS), surrogate.value(_WIDTHS)])
    error, least = np.finfo(np.float64).eps * ends.max(axis=0), ends.min(axis=0)
    fine = (error <= _RELATIVE * least) | (error <= _ABSOLUTE)
    return float(_WIDTHS[: int(np.argmin(np.append(fine, False)))].max(initial=0.0))


def _faster(sizes: NDArray[np.int64], degree: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Measured, in nanoseconds: what pairs take, products with matrices, and polynomials."""
    return np.asarray(2.2 * sizes * sizes > 2.1 * degree * degree + 1.0 * degree * sizes)


def _span_widths(spread: Array) -> Array:
    """Return the width of the span for scores that spread so far; narrow ones are powers of two.

    Margins close to zero are then resolved to the same relative accuracy.
    """
    fine = 2.0 ** np.ceil(np.log2(np.maximum(spread, MIN_WIDTH)))
    usual = _WIDTHS[np.minimum(np.searchsorted(_WIDTHS, spread), _WIDTHS.size - 1)]
    return np.asarray(np.where(spread < _WIDTHS[0], fine, usual))
