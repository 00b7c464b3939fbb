"""Sums over the pairs of small segments, pair by pair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isonomy._kernels import direct
from isonomy._pairsums.members import Members
from isonomy._threads import run, segment_chunks
from isonomy.surrogates import Surrogate

__all__ = ["DirectSum"]

Array = NDArray[np.float64]
Index = NDArray[np.int32]
Bits = NDArray[np.int64]

# Pairs at a time: few enough to stay in the cache between the kernels.
_PAIRS = 1 << 15


@dataclass(frozen=True)
class DirectSum:
    """Members at their scores; see `isonomy._pairsums.sums.Summation`."""

    members: Members
    scores: Array
    surrogate: Surrogate
    threads: int
    above: Bits
    below: Bits

    @classmethod
    def at(cls, members: Members, scores: Array, surrogate: Surrogate, threads: int) -> DirectSum:
        above, below = _term_bits(members.table > 0.0), _term_bits(members.table < 0.0)
        return cls(members, scores, surrogate, threads, above[members.code], below[members.code])

    def values(self) -> Array:
        out = np.zeros(self.members.comparison.shape)
        m, segment = self.members, self._segment()

        def work(first: int, last: int) -> None:
            high, low, margin = self._pairs(first, last)
            phi = self.surrogate.value(margin)
            direct.pair_sums(segment, high, low, phi, m.code, m.weight, m.table, out)

        self._over_segments(work)
        return out

    def derivative(self, coefficient: Array, order: int) -> Array:
        return self._pull(self.members.weight, coefficient, order)

    def cross(self, coefficient: Array, direction: Array) -> Array:
        return self._pull(self.members.weight * direction, coefficient, 2)

    def _pull(self, source: Array, coefficient: Array, order: int) -> Array:
        out = np.zeros(self.scores.size)
        m, segment = self.members, self._segment()
        function = self.surrogate.derivative(order)
        sign = (-1.0) ** order

        def work(first: int, last: int) -> None:
            high, low, margin = self._pairs(first, last)
            phi = function(margin)
            direct.pull(segment, high, low, phi, m.code, source, m.table, sign, coefficient, out)

        self._over_segments(work)
        return out * m.weight

    def _segment(self) -> Index:
        """Return the segment of each member."""
        sizes = np.diff(self.members.starts)
        return np.repeat(np.arange(sizes.size, dtype=np.int32), sizes)

    def _pairs(self, first: int, last: int) -> tuple[Index, Index, Array]:
        """Return the members of each pair, the higher and the lower, and its margin."""
        m = self.members
        sizes = np.diff(m.starts[first : last + 1])
        high, low = np.empty((2, int(sizes @ sizes)), dtype=np.int32)
        n_pairs = direct.list_pairs(first, last, m.starts, self.above, self.below, high, low)
        high, low = high[:n_pairs], low[:n_pairs]
        return high, low, self.scores[high] - self.scores[low]

    def _over_segments(self, work: Callable[[int, int], None]) -> None:
        sizes = np.diff(self.members.starts)
        pairs = np.append(0, np.cumsum(sizes * sizes))
        for _ in run(work, segment_chunks(pairs, _PAIRS), self.threads):
            pass


def _term_bits(takes_part: NDArray[np.bool_]) -> Bits:
    """Return the terms that each pattern takes part in as bits.

    Terms 62 apart share a bit, so that members may be listed as a pair that no term compares;
    its cost is zero.
    """
    bits = np.zeros(takes_part.shape[0], dtype=np.int64)
    for r in range(takes_part.shape[1]):
        bits |= takes_part[:, r].astype(np.int64) << (r % 62)
    return bits
