r"""Sums of an analytic surrogate over all pairs by Chebyshev moments of bins, in O(m).

Moments of the members per bin and pattern (a cell) replace the members; the fields between bins
(`isonomy._pairsums.kernels.fields`) give the sums, and one polynomial per cell the derivatives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isonomy._infra import chunks, run_all, segment_chunks
from isonomy._pairsums.kernels import grid, moments, terms
from isonomy._pairsums.kernels.grid import Cells, Places
from isonomy._pairsums.layout import Members
from isonomy._pairsums.tables import MIN_WIDTH, field_tables
from isonomy.surrogates import Analytic, Surrogate

__all__ = ["BinnedSum", "bin_width"]

Array = NDArray[np.float64]

_CHUNK = 1 << 17
_ROWS_PER_CHUNK = 1 << 10
# Places for rows that lie far from others, of which there are few.
_MOSTLY_ENOUGH = 1 << 12


@dataclass(frozen=True)
class BinnedSum:
    """Moments of members at their scores; see `isonomy._pairsums.sums.Summation`."""

    members: Members
    scores: Array
    surrogate: Surrogate
    threads: int
    width: float
    cells: Cells
    places: Places
    moments: Array
    meets_itself = True

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
        cells, places = _lay_out(members, scores, width, extent)
        moments = _moments(scores, width, members.weight, cells, places, threads)
        return cls(members, scores, surrogate, threads, width, cells, places, moments)

    def values(self) -> Array:
        out = np.empty(self.members.comparison.shape)
        phi = field_tables(self.surrogate, self.width, 0, False)

        def work(first: int, last: int) -> None:
            terms.term_sums(first, last, self.cells, self.moments, self.members.sides, phi, out)

        self._over_segments(work)
        return out

    def derivative(self, coefficient: Array, order: int) -> Array:
        return self._member_sums(self.moments, coefficient, order)

    def cross(self, coefficient: Array, direction: Array) -> Array:
        weight = self.members.weight * direction
        sources = _moments(self.scores, self.width, weight, self.cells, self.places, self.threads)
        return self._member_sums(sources, coefficient, 2)

    def _member_sums(self, sources: Array, coefficient: Array, order: int) -> Array:
        """Return w times the given derivative of the field of `sources`, at each member."""
        sides = self.members.sides
        polynomial = np.empty_like(sources)
        below = field_tables(self.surrogate, self.width, order, False)
        above = field_tables(self.surrogate, self.width, order, True)
        out = np.empty(self.scores.size)

        def find(first: int, last: int) -> None:
            terms.cell_polynomials(
                first, last, self.cells, sources, sides, below, above, coefficient, polynomial
            )

        def evaluate(a: int, b: int) -> None:
            s = _segment(self.places, a)
            moments.evaluate(
                a, b, s, self.scores, self.width, self.members.weight, self.places, polynomial, out
            )

        self._over_segments(find)
        run_all(evaluate, chunks(out.size, _CHUNK), self.threads)
        return out

    def _over_segments(self, work: Callable[[int, int], None]) -> None:
        run_all(work, segment_chunks(self.cells.row_starts, _ROWS_PER_CHUNK), self.threads)


def bin_width(usual: float, spread: float, largest: float) -> float:
    """Return the width of bins for scores that spread over `spread` and reach `largest` in size.

    It is the usual one unless five narrower bins cover the scores: margins close to zero are then
    resolved to the same relative accuracy. Bins finer than the spacing of floating point numbers
    would have numbers too large for them.
    """
    fitted = 2.0 ** np.ceil(np.log2(max(spread / 5.0, largest * 2.0**-50, MIN_WIDTH)))
    return min(usual, float(fitted))


def _moments(
    scores: Array, width: float, weight: Array, cells: Cells, places: Places, threads: int
) -> Array:
    """Return the moments of all cells, (cells, 8)."""
    total = np.zeros((cells.row.size, 8))

    def window(a: int, b: int) -> slice:
        """Return the cells of the segments that members from a to b are in."""
        first, last = np.searchsorted(places.starts, [a, b - 1], side="right")
        return slice(int(cells.cell_starts[first - 1]), int(cells.cell_starts[last]))

    def work(a: int, b: int) -> Array:
        touched = window(a, b)
        part = np.zeros((touched.stop - touched.start, 8))
        s = _segment(places, a)
        moments.accumulate(a, b, s, scores, width, weight, places, touched.start, part)
        return part

    # A chunk must have many more members than the cells that it clears and adds.
    size = max(_CHUNK, 8 * int(np.diff(cells.cell_starts).max(initial=0)))
    bounds = chunks(scores.size, size)
    for (a, b), part in zip(bounds, run_all(work, bounds, threads), strict=True):
        total[window(a, b)] += part
    return total


def _segment(places: Places, member: int) -> int:
    return int(np.searchsorted(places.starts, member, side="right")) - 1


def _lay_out(
    members: Members, scores: Array, width: float, extent: tuple[Array, Array]
) -> tuple[Cells, Places]:
    """Return the cells, and where those of the members are found."""
    starts, code, n_patterns = members.starts, members.code, members.n_patterns
    first = np.floor(extent[0] / width)
    span = np.floor(extent[1] / width) - first + 1.0
    # An empty row costs about as much as a hundred members, and gaps have no bound.
    gapless = span.sum() <= max(128 * span.size, scores.size // 1024)
    if gapless:
        row_starts = np.append(0, np.cumsum(span.astype(np.int64)))
        position = np.arange(row_starts[-1]) - np.repeat(row_starts[:-1], np.diff(row_starts))
        bins = np.repeat(first, np.diff(row_starts)) + position
    else:
        row_starts, bins, row = _occupied_rows(scores, width, starts)
    if bins.size * n_patterns <= scores.size:
        of_row, pattern = np.divmod(np.arange(bins.size * n_patterns, dtype=np.int32), n_patterns)
        cells = Cells(row_starts, bins, row_starts * n_patterns, of_row, pattern)
        if gapless:
            return cells, Places(starts, first, row_starts[:-1] * n_patterns, n_patterns, code)
        row *= n_patterns
        row += code
        return cells, _listed(starts, row)
    # So many patterns that hardly two members would share a cell: each is its own.
    if gapless:
        row = np.empty(scores.size, dtype=np.int32)
        places = Places(starts, first, row_starts[:-1], 1, np.zeros_like(code))
        grid.find_cells(scores, width, places, row)
    own = np.arange(row.size, dtype=np.int32)
    return Cells(row_starts, bins, starts, row, code), _listed(starts, own)


def _listed(starts: NDArray[np.int64], cell: NDArray[np.int32]) -> Places:
    """Return places that are listed member by member."""
    nothing = np.zeros_like(starts[1:])
    return Places(starts, nothing.astype(np.float64), nothing, 0, cell)


def _occupied_rows(
    scores: Array, width: float, starts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], Array, NDArray[np.int32]]:
    """Return where segments start among the occupied rows, their bins, and each member's row."""
    row = np.empty(scores.size, dtype=np.int32)
    row_starts = np.empty(starts.size, dtype=np.int64)
    enough = 2 << int(np.diff(starts).max()).bit_length()
    for n_slots in (min(enough, _MOSTLY_ENOUGH), enough):
        slots = np.zeros(n_slots, dtype=np.int32)
        bins = np.empty(min(scores.size, (starts.size - 1) * (grid.NEAR + n_slots // 2)))
        if grid.find_rows(scores, width, starts, slots, row, bins, row_starts):
            break
    bins = bins[: row_starts[-1]]
    segment = np.repeat(np.arange(starts.size - 1), np.diff(row_starts))
    order = np.lexsort((bins, segment))
    rank = np.empty(order.size, dtype=np.int32)
    rank[order] = np.arange(order.size, dtype=np.int32)
    grid.renumber(row, rank)
    return row_starts, bins[order], row
