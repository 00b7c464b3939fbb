r"""Sums of an analytic surrogate over all pairs by Chebyshev moments of bins, in O(m).

Moments of the members per bin and pattern (a cell) replace the members; the fields between bins
(`isonomy._kernels.fields`) give the sums, and one polynomial per cell the derivatives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isonomy._kernels import grid, moments, terms
from isonomy._kernels.grid import Cells
from isonomy._pairsums.members import Members
from isonomy._pairsums.tables import field_tables
from isonomy._threads import chunks, run, segment_chunks
from isonomy.surrogates import Analytic, Surrogate

__all__ = ["BinnedSum", "bin_width"]

Array = NDArray[np.float64]

_CHUNK = 1 << 17
_ROWS_PER_CHUNK = 1 << 10

_MIN_WIDTH = 2.0**-100


@dataclass(frozen=True)
class BinnedSum:
    """Moments of members at their scores; see `isonomy._pairsums.sums.Summation`."""

    members: Members
    scores: Array
    surrogate: Surrogate
    threads: int
    width: float
    cells: Cells
    cell: NDArray[np.int32]
    moments: Array

    @classmethod
    def at(
        cls,
        members: Members,
        scores: Array,
        extent: tuple[Array, Array],
        surrogate: Surrogate,
        threads: int,
    ) -> BinnedSum:
        """Gather the moments of scores whose lowest and highest by segment are `extent`."""
        shape = surrogate.shape
        assert isinstance(shape, Analytic)
        lowest, highest = extent
        largest = max(-float(lowest.min()), float(highest.max()))
        width = bin_width(shape.width, float((highest - lowest).max()), largest)
        cells, cell, assign = _find_cells(members, scores, width, extent)
        moments = _moments(members, scores, width, members.weight, cells, cell, threads, assign)
        return cls(members, scores, surrogate, threads, width, cells, cell, moments)

    def values(self) -> Array:
        out = np.empty(self.members.comparison.shape)
        phi = field_tables(self.surrogate, self.width, 0, False)

        def work(first: int, last: int) -> None:
            terms.pair_sums(first, last, self.cells, self.moments, self.members.table, phi, out)

        self._over_segments(work)
        return out

    def derivative(self, coefficient: Array, order: int) -> Array:
        return self._pull(self.moments, coefficient, order)

    def cross(self, coefficient: Array, direction: Array) -> Array:
        sources = _moments(
            self.members,
            self.scores,
            self.width,
            self.members.weight * direction,
            self.cells,
            self.cell,
            self.threads,
        )
        return self._pull(sources, coefficient, 2)

    def _pull(self, sources: Array, coefficient: Array, order: int) -> Array:
        """Return w times the given derivative of the field of `sources`, at each member."""
        table = self.members.table
        polynomial = np.empty_like(sources)
        below = field_tables(self.surrogate, self.width, order, False)
        above = field_tables(self.surrogate, self.width, order, True)
        out = np.empty(self.scores.size)

        def find(first: int, last: int) -> None:
            terms.pull(
                first, last, self.cells, sources, table, below, above, coefficient, polynomial
            )

        def evaluate(a: int, b: int) -> None:
            moments.evaluate(
                self.scores[a:b], self.width, self.members.weight[a:b], self.cell[a:b],
                polynomial, out[a:b],
            )  # fmt: skip

        self._over_segments(find)
        list(run(evaluate, chunks(out.size, _CHUNK), self.threads))
        return out

    def _over_segments(self, work: Callable[[int, int], None]) -> None:
        list(run(work, segment_chunks(self.cells.row_starts, _ROWS_PER_CHUNK), self.threads))


def bin_width(usual: float, spread: float, largest: float) -> float:
    """Return the width of bins for scores that spread over `spread` and reach `largest` in size.

    It is the usual one unless five narrower bins cover the scores: margins close to zero are then
    resolved to the same relative accuracy. Bins finer than the spacing of floating point numbers
    would have numbers too large for them.
    """
    fitted = 2.0 ** np.ceil(np.log2(max(spread / 5.0, largest * 2.0**-50, _MIN_WIDTH)))
    return min(usual, float(fitted))


def _moments(
    members: Members,
    scores: Array,
    width: float,
    weight: Array,
    cells: Cells,
    cell: NDArray[np.int32],
    threads: int,
    prepare: Callable[[int, int], None] | None = None,
) -> Array:
    """Return the moments of all cells, (cells, 8), each chunk of members prepared before."""
    total = np.zeros((cells.row.size, 8))

    def window(a: int, b: int) -> slice:
        first, last = np.searchsorted(members.starts, [a, b - 1], side="right")
        return slice(int(cells.cell_starts[first - 1]), int(cells.cell_starts[last]))

    def work(a: int, b: int) -> Array:
        if prepare is not None:
            prepare(a, b)
        touched = window(a, b)
        part = np.zeros((touched.stop - touched.start, 8))
        moments.accumulate(scores[a:b], width, weight[a:b], cell[a:b], touched.start, part)
        return part

    # A chunk must have many more members than the cells that it clears and adds.
    size = max(_CHUNK, 8 * int(np.diff(cells.cell_starts).max(initial=0)))
    bounds = chunks(scores.size, size)
    for (a, b), part in zip(bounds, run(work, bounds, threads), strict=True):
        total[window(a, b)] += part
    return total


def _find_cells(
    members: Members, scores: Array, width: float, extent: tuple[Array, Array]
) -> tuple[Cells, NDArray[np.int32], Callable[[int, int], None] | None]:
    """Return the cells, the cell of each member, and what fills in the latter, if not done yet.

    That is left to the pass over the members that follows, while they are in the cache.
    """
    starts, code, n_patterns = members.starts, members.code, members.table.shape[0]
    first = np.floor(extent[0] / width)
    span = np.floor(extent[1] / width) - first + 1.0
    # An empty row costs about as much as a hundred members, and gaps have no bound.
    gapless = span.sum() <= max(128 * span.size, scores.size // 1024)
    if gapless:
        row_starts = np.append(0, np.cumsum(span.astype(np.int64)))
        position = np.arange(row_starts[-1]) - np.repeat(row_starts[:-1], np.diff(row_starts))
        bins = np.repeat(first, np.diff(row_starts)) + position
        shared = bins.size * n_patterns <= scores.size
        cell = np.empty(scores.size, dtype=np.int32)
        within = code if shared else np.zeros_like(code)
        each = n_patterns if shared else 1

        def assign(a: int, b: int) -> None:
            s = int(np.searchsorted(starts, a, side="right")) - 1
            grid.assign_cells(a, b, s, scores, width, starts, first, row_starts, within, each, cell)

        if not shared:
            assign(0, scores.size)
    else:
        row_starts, bins, cell = _occupied_rows(scores, width, starts)
        shared = bins.size * n_patterns <= scores.size
        if shared:
            cell *= n_patterns
            cell += code
    if shared:
        row, pattern = np.divmod(np.arange(bins.size * n_patterns, dtype=np.int32), n_patterns)
        cells = Cells(row_starts, bins, row_starts * n_patterns, row, pattern)
        return cells, cell, assign if gapless else None
    # So many patterns that hardly two members would share a cell: each is its own.
    own = np.arange(cell.size, dtype=np.int32)
    return Cells(row_starts, bins, starts, cell, code), own, None


def _occupied_rows(
    scores: Array, width: float, starts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], Array, NDArray[np.int32]]:
    """Return where segments start among the occupied rows, their bins, and each member's row."""
    row = np.empty(scores.size, dtype=np.int32)
    slots = np.zeros(2 << int(np.diff(starts).max()).bit_length(), dtype=np.int32)
    bins, row_starts = np.empty(scores.size), np.empty(starts.size, dtype=np.int64)
    grid.find_rows(scores, width, starts, slots, row, bins, row_starts)
    bins = bins[: row_starts[-1]]
    segment = np.repeat(np.arange(starts.size - 1), np.diff(row_starts))
    order = np.lexsort((bins, segment))
    rank = np.empty(order.size, dtype=np.int32)
    rank[order] = np.arange(order.size, dtype=np.int32)
    return row_starts, bins[order], np.take(rank, row, out=row, mode="clip")
