"""How many items of each pattern have scores in each of many ranges: what a sketch remembers.

Scores become keys: whole numbers of 64 bits in the same order. A range of one key is a score,
and a table of such ranges is exact. Where it grows too long, neighbours become one longer range,
a power of two long and aligned to it, so that ranges which were made apart fit together.

Of two items in ranges that are apart the order is known. In one range, or in two of which one
holds the other, it is *in doubt*, unless the range is a single score: that is a tie.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isonomy._core import Codes, FloatArray, sort_order
from isonomy._counting.kernels.cells import Cells, gather_cells, merge_cells, tally_rows
from isonomy._counting.kernels.dyadic import collapse

_SIGN = np.uint64(1 << 63)
_ONE = np.uint64(1)
# Products of sums up to this are counted in int64.
_MOST_PAIRS = 2**62


class PairCounts(NamedTuple):
    """Pairs of an upper and a lower item: whole numbers of any size.

    Attributes
    ----------
    right, tied, doubtful, total : int
        Those surely in order, those surely tied, those of which it is not known, and all.
    """

    right: int
    tied: int
    doubtful: int
    total: int


@dataclass(frozen=True, eq=False)
class IntervalTable:
    """Cells (a range and a pattern) with their counts, by start, the longest range first, pattern.

    Attributes
    ----------
    start : ndarray of uint64, shape (cells,)
        The lowest key of each cell's range.
    level : ndarray of uint64, shape (cells,)
        The range holds 2**level keys; 0 for a single score.
    pattern, count : ndarray of int64, shape (cells,)
        No count is 0.
    """

    start: NDArray[np.uint64]
    level: NDArray[np.uint64]
    pattern: NDArray[np.int64]
    count: NDArray[np.int64]

    @classmethod
    def empty(cls) -> IntervalTable:
        """No item at all."""
        key, number = np.empty(0, np.uint64), np.empty(0, np.int64)
        return cls(key, key, number, number)

    @classmethod
    def of_scores(
        cls, scores: FloatArray, pattern: Codes, count: NDArray[np.int64] | None
    ) -> IntervalTable:
        """The exact table of some rows."""
        scores = scores + 0.0
        order, n = sort_order(scores), scores.size
        start, codes, counts = np.empty(n, np.uint64), np.empty(n, np.int64), np.empty(n, np.int64)
        given = np.empty(0, np.int64) if count is None else count
        n_patterns = int(pattern.max(initial=-1)) + 1
        made = tally_rows(
            scores.view(np.uint64), order, pattern, given, n_patterns, start, codes, counts
        )
        return cls(start[:made], np.zeros(made, np.uint64), codes[:made], counts[:made])

    @classmethod
    def joined(cls, tables: Sequence[IntervalTable]) -> IntervalTable:
        """All items of several tables."""
        left = list(tables)
        while len(left) > 1:
            # Neighbours by size, so that no table is gone through more often than it has to be.
            left.sort(key=len)
            left = [
                left[k]._merged(left[k + 1]) if k + 1 < len(left) else left[k]
                for k in range(0, len(left), 2)
            ]
        return left[0]

    def _merged(self, other: IntervalTable) -> IntervalTable:
        most = len(self) + len(other)
        start, level = np.empty(most, np.uint64), np.empty(most, np.uint64)
        pattern, count = np.empty(most, np.int64), np.empty(most, np.int64)
        made = merge_cells(self._cells, other._cells, (start, level, pattern, count))
        return IntervalTable(start[:made], level[:made], pattern[:made], count[:made])

    @property
    def _cells(self) -> Cells:
        return self.start, self.level, self.pattern, self.count

    def __len__(self) -> int:
        return self.start.size

    @cached_property
    def first_cell(self) -> NDArray[np.int64]:
        """Where the cells of each range begin."""
        new = np.ones(len(self), np.bool_)
        new[1:] = (self.start[1:] != self.start[:-1]) | (self.level[1:] != self.level[:-1])
        return np.flatnonzero(new)

    @cached_property
    def range_of_cell(self) -> NDArray[np.int64]:
        """Number of each cell's range."""
        return np.repeat(np.arange(self.first_cell.size), self.cells_of_range)

    @property
    def cells_of_range(self) -> NDArray[np.int64]:
        """How many cells each range has."""
        return np.diff(self.first_cell, append=len(self))

    @property
    def exact(self) -> bool:
        """Whether every range is a single score."""
        return not self.level.any()

    @property
    def n_items(self) -> int:
        """All items."""
        return int(self.count.sum())

    def renumbered(self, pattern: NDArray[np.int64]) -> IntervalTable:
        """The same with other numbers for the patterns, given by the old ones."""
        n_patterns = int(pattern.max(initial=-1)) + 1
        found = self._gathered(self.range_of_cell, pattern[self.pattern], n_patterns)
        return IntervalTable(self.start, self.level, *found[1:])

    def _gathered(
        self, group: NDArray[np.int64], pattern: NDArray[np.int64], n_patterns: int
    ) -> list[NDArray[np.int64]]:
        """One cell for each group of neighbours and pattern: their groups, patterns and counts."""
        out = [np.empty(len(self), np.int64) for _ in range(3)]
        made = gather_cells(group, pattern, self.count, n_patterns, *out)
        return [each[:made] for each in out]

    def collapsed(self, weight: FloatArray, least: float) -> IntervalTable:
        """A shorter table: neighbours that weigh at most `least` together are one range.

        `weight` is what an item of each pattern weighs.
        """
        first = self.first_cell
        mass = np.add.reduceat(weight[self.pattern] * self.count, first)
        start, level = self.start[first], self.level[first]
        group = np.empty(first.size, np.int64)
        new_start, new_level = np.empty_like(start), np.empty_like(level)
        upto = np.concatenate([[0.0], np.cumsum(mass)])
        collapse(start, level, upto, least, group, new_start, new_level)
        of_cell, pattern, count = self._gathered(
            group[self.range_of_cell], self.pattern, weight.size
        )
        return IntervalTable(new_start[of_cell], new_level[of_cell], pattern, count)

    @cached_property
    def _order(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Ranges by their ends; how many end before each starts; how many start by its end."""
        start, level = self.start[self.first_cell], self.level[self.first_cell]
        end = start | range_mask(level)
        by_end = np.argsort(end, kind="stable")
        before = np.searchsorted(end[by_end], start, side="left")
        upto = np.searchsorted(start, end, side="right")
        return by_end, before, upto

    def pairs(self, above: NDArray[np.bool_], below: NDArray[np.bool_]) -> PairCounts:
        """Pairs of an item of the patterns `above` and one of the patterns `below`."""
        upper, lower = (self.range_counts(side) for side in (above, below))
        total = int(upper.sum()) * int(lower.sum())
        if total > _MOST_PAIRS:
            upper, lower = upper.astype(object), lower.astype(object)
        by_end, before, upto = self._order
        nothing = lower[:0].sum(keepdims=True)
        ended = np.concatenate([nothing, np.cumsum(lower[by_end])])
        begun = np.concatenate([nothing, np.cumsum(lower)])
        right = int((upper * ended[before]).sum()) if upper.size else 0
        wrong = int((upper * (begun[-1] - begun[upto])).sum()) if upper.size else 0
        single = self.level[self.first_cell] == 0
        tied = int((upper[single] * lower[single]).sum()) if single.any() else 0
        return PairCounts(right, tied, total - right - wrong - tied, total)

    def range_counts(self, patterns: NDArray[np.bool_]) -> NDArray[Any]:
        """How many items of some patterns each range has."""
        counted = np.where(patterns[self.pattern], self.count, 0)
        return np.add.reduceat(counted, self.first_cell) if len(self) else counted

    @property
    def middle_scores(self) -> FloatArray:
        """A score from each cell's range; the score itself where it is one."""
        half = range_mask(self.level) >> _ONE
        return key_scores(np.clip(self.start + half, _LOWEST, _HIGHEST))


def score_keys(scores: FloatArray) -> NDArray[np.uint64]:
    """Whole numbers in the order of the scores; the same for both zeros.

    >>> score_keys(np.array([-np.inf, -0.0, 0.0, 1.0])).tolist()
    [4503599627370495, 9223372036854775808, 9223372036854775808, 13830554455654793216]
    """
    bits = (scores + 0.0).view(np.uint64)
    return np.where(bits >= _SIGN, ~bits, bits | _SIGN)


def key_scores(keys: NDArray[np.uint64]) -> FloatArray:
    """The scores that have these keys.

    >>> key_scores(score_keys(np.array([-1.5, 0.0, np.inf])))
    array([-1.5,  0. ,  inf])
    """
    return np.where(keys >= _SIGN, keys ^ _SIGN, ~keys).view(np.float64)


def range_mask(level: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """One less than the number of keys in a range."""
    whole = level >= np.uint64(64)
    mask = (_ONE << np.where(whole, np.uint64(0), level)) - _ONE
    return np.where(whole, ~np.uint64(0), mask)


_LOWEST, _HIGHEST = score_keys(np.array([-np.inf, np.inf]))
