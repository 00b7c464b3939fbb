"""Moments of bins that add up: a pair loss over rows that never come together.

Bins are anchored, so that the moments of parts refer to the same ones. Each part sends its
moments, which are summed; the sums over all pairs follow from them, and one polynomial per cell
tells each part what its own items feel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from isonomy._core import Codes, Mix
from isonomy._infra import chunks, default_threads, run_all
from isonomy._pairsums.binned import bin_width
from isonomy._pairsums.kernels import moments, terms
from isonomy._pairsums.kernels.grid import Cells, Places
from isonomy._pairsums.tables import field_tables
from isonomy._pairsums.term_blocks import signed_sides
from isonomy.surrogates import Analytic, Surrogate

__all__ = ["CellMoments", "CellPolynomials", "PooledTerms", "fitting_width", "usual_width"]

Array = NDArray[np.float64]

_CHUNK = 1 << 17
# What is left of a sum of pairs by rounding alone, relative to it.
_ROUNDING = 1e-14
# Bins that span no more than this are looked up in a table.
_SHORT = 4096


def usual_width(surrogate: Surrogate) -> float:
    """The width of bins of scores that are not all close together."""
    if not isinstance(surrogate.shape, Analytic):
        raise ValueError(
            f"Parameter `surrogate` should be smooth, so that its sums over parts add up: "
            f"'logistic', 'exponential' or 'square', with groups also 'squared_hinge'. Found "
            f"{surrogate.name!r}, which has a kink. Use 'logistic' in its place."
        )
    return surrogate.shape.width


@dataclass(frozen=True, eq=False)
class CellPolynomials:
    """What items feel, as one polynomial for each bin and pattern.

    Attributes
    ----------
    width : float
        Of a bin.
    bins : (b,) in order
    table : (b, patterns, 8) coefficients
    itself : (patterns,) or None
        What an item of weight 1 feels of itself according to the table, though it never meets
        itself: that is taken away again. None: nothing.
    """

    width: float
    bins: Array
    table: Array
    itself: Array | None = None

    def at(self, scores: Array, codes: Codes, weight: Array, along: Array | None = None) -> Array:
        """What items of these parts' scores and patterns feel, times their weights.

        `along` is what the weights of the sources were multiplied by; None: 1.
        """
        n, n_patterns = scores.size, self.table.shape[1]
        row = _rows(np.floor(scores / self.width), self.bins)
        places = _places(scores, (row * n_patterns + codes).astype(np.int32))
        polynomial, out = self.table.reshape(-1, 8), np.empty(n)

        def evaluate(a: int, b: int) -> None:
            moments.evaluate(a, b, 0, scores, self.width, weight, places, polynomial, out)

        run_all(evaluate, chunks(n, _CHUNK), default_threads(n))
        if self.itself is not None:
            own = self.itself[codes] * weight * weight
            out -= own if along is None else own * along
        return out


@dataclass(frozen=True, eq=False)
class CellMoments:
    """Chebyshev moments of some items, by bin and pattern.

    Attributes
    ----------
    width : float
        Of a bin.
    bins : (b,) occupied bins, in order
    moments : (b, patterns, 8)
    lowest, highest : float
        Of the scores; infinite, the other way round, where there are none.
    """

    width: float
    bins: Array
    moments: Array
    lowest: float
    highest: float

    @classmethod
    def of(
        cls, scores: Array, codes: Codes, weight: Array, n_patterns: int, width: float
    ) -> CellMoments:
        """Those of some items, which may be none."""
        if not scores.size:
            nothing = np.zeros((0, n_patterns, 8))
            return cls(width, np.empty(0), nothing, np.inf, -np.inf)
        bins, row = _occupied(np.floor(scores / width) + 0.0)
        places = _places(scores, (row * n_patterns + codes).astype(np.int32))

        def work(a: int, b: int) -> Array:
            part = np.zeros((bins.size * n_patterns, 8))
            moments.accumulate(a, b, 0, scores, width, weight, places, 0, part)
            return part

        size = max(_CHUNK, 8 * bins.size * n_patterns)
        total = np.zeros((bins.size * n_patterns, 8))
        for part in run_all(work, chunks(scores.size, size), default_threads(scores.size)):
            total += part
        found = total.reshape(bins.size, n_patterns, 8)
        return cls(width, bins, found, float(scores.min()), float(scores.max()))

    @classmethod
    def joined(cls, parts: Sequence[CellMoments]) -> CellMoments:
        """Those of all items of several parts."""
        bins = np.unique(np.concatenate([part.bins for part in parts]))
        total = np.zeros((bins.size, *parts[0].moments.shape[1:]))
        for part in parts:
            total[np.searchsorted(bins, part.bins)] += part.moments
        lowest, highest = min(p.lowest for p in parts), max(p.highest for p in parts)
        return cls(parts[0].width, bins, total, lowest, highest)

    @property
    def nbytes(self) -> int:
        """What is sent."""
        return self.moments.nbytes + self.bins.nbytes

    def sums(self, sides: terms.Sides, surrogate: Surrogate) -> Array:
        """N of each term, an item's pair with itself included; `sides` as kernels have them."""
        out = np.empty((1, sides[0].shape[1]))
        phi = field_tables(surrogate, self.width, 0, False)
        terms.term_sums(0, 1, self._cells(), self.moments.reshape(-1, 8), sides, phi, out)
        return np.asarray(out[0])

    def polynomials(
        self, sides: terms.Sides, surrogate: Surrogate, coefficient: Array, order: int
    ) -> CellPolynomials:
        """What these items make all items feel, by a derivative of the terms' weighted sum."""
        below = field_tables(surrogate, self.width, order, False)
        above = field_tables(surrogate, self.width, order, True)
        sources = self.moments.reshape(-1, 8)
        out = np.empty_like(sources)
        terms.cell_polynomials(
            0, 1, self._cells(), sources, sides, below, above, coefficient[None], out
        )
        itself = None
        if order == 2 and len(sides) > 1:
            # The slope by a score of a pair with itself is none already.
            curved = float(surrogate.derivative(order)(np.zeros(1))[0])
            itself = 2.0 * curved * (-sides[0] * sides[1]) @ coefficient
        return CellPolynomials(self.width, self.bins, out.reshape(self.moments.shape), itself)

    def _cells(self) -> Cells:
        n_bins, n_patterns = self.moments.shape[:2]
        row, pattern = np.divmod(np.arange(n_bins * n_patterns, dtype=np.int32), n_patterns)
        ends = np.array([0, n_bins]), np.array([0, n_bins * n_patterns])
        return Cells(ends[0], self.bins, ends[1], row, pattern)


@dataclass(frozen=True, eq=False)
class PooledTerms:
    """The terms of a loss over all pairs of items that lie in parts.

    Attributes
    ----------
    above, below : (patterns, terms)
    mass : (patterns,) weight of all items of each pattern, in the units of their moments
    squared : (patterns,) the sum of their squared weights
    mix : Mix
    surrogate : Surrogate
    """

    above: Array
    below: Array
    mass: Array
    squared: Array
    mix: Mix
    surrogate: Surrogate

    @property
    def ratio(self) -> NDArray[np.int64]:
        """The ratio that each term belongs to."""
        n_terms = self.above.shape[1]
        return np.zeros(n_terms, np.int64) if self.mix.pooled else np.arange(n_terms)

    @cached_property
    def ratio_pairs(self) -> Array:
        """The weight of the pairs of each ratio; NaN where there are none."""
        pairs = (self.mass @ self.above) * (self.mass @ self.below)
        total = np.bincount(self.ratio, pairs - self._with_itself)
        some = total > _ROUNDING * np.bincount(self.ratio, pairs)
        return np.where(some, total, np.nan)

    @cached_property
    def _sides(self) -> terms.Sides:
        return signed_sides(self.above, self.below)

    @cached_property
    def _with_itself(self) -> Array:
        """The weight of the pairs of items with themselves, by term: they do not count."""
        return np.asarray(self.squared @ (self.above * self.below))

    def losses(self, moments: CellMoments) -> Array:
        """N / D of each ratio."""
        sums = moments.sums(self._sides, self.surrogate)
        sums -= float(self.surrogate.value(np.zeros(1))[0]) * self._with_itself
        return np.asarray(np.bincount(self.ratio, sums) / self.ratio_pairs)

    def felt(self, sources: CellMoments, weights: Array, order: int) -> CellPolynomials:
        """What sources make items feel, by a derivative of the ratios mixed by `weights`."""
        pairs = self.ratio_pairs
        share = np.divide(weights, pairs, out=np.zeros_like(pairs), where=pairs > 0)
        return sources.polynomials(self._sides, self.surrogate, share[self.ratio], order)


def fitting_width(surrogate: Surrogate, lowest: float, highest: float) -> float:
    """The width of bins for scores of this extent."""
    return bin_width(usual_width(surrogate), highest - lowest, max(-lowest, highest))


def _occupied(bins: Array) -> tuple[Array, NDArray[np.int64]]:
    """The bins that occur, in order, and which of them each item is in."""
    first = bins.min()
    span = bins.max() - first + 1.0
    if span > max(_SHORT, bins.size):
        found, row = np.unique(bins, return_inverse=True)
        return found, row
    place = (bins - first).astype(np.int64)
    occurs = np.zeros(int(span), np.bool_)
    occurs[place] = True
    return first + np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[place]


def _rows(wanted: Array, bins: Array) -> NDArray[np.int64]:
    """Where each of some bins stands in a list in order that has them all."""
    if not wanted.size or bins[-1] - bins[0] > max(_SHORT, wanted.size):
        return np.asarray(np.searchsorted(bins, wanted))
    where = np.zeros(int(bins[-1] - bins[0]) + 1, np.int64)
    where[(bins - bins[0]).astype(np.int64)] = np.arange(bins.size)
    return np.asarray(where[(wanted - bins[0]).astype(np.int64)])


def _places(scores: Array, cell: NDArray[np.int32]) -> Places:
    """Places that are listed item by item, all in one segment."""
    nothing = np.zeros(1, np.int64)
    return Places(np.array([0, scores.size]), np.zeros(1), nothing, 0, cell)
