r"""Sums of :math:`\max(0, 1 - z)^p` over all pairs by sorting, exact, in O(m log m)."""

from __future__ import annotations

from dataclasses import dataclass
from math import perm

import numpy as np
from numpy.typing import NDArray

from isonomy._core import order_items
from isonomy._infra import chunks, run_all, segment_chunks
from isonomy._pairsums.kernels import prefix
from isonomy._pairsums.layout import Members

__all__ = ["OrderedSum"]

Array = NDArray[np.float64]

_CHUNK = 1 << 16

# From here on packing is worth its overhead.
_PACK_FROM = 1000


@dataclass(frozen=True)
class OrderedSum:
    """Members by decreasing score; see `isonomy._pairsums.sums.Summation`.

    Attributes
    ----------
    order : (m,) the members
    scores, code, weight : (m,) in that order
    edges : for items above, up to where others below are in reach; for items below, from where
    """

    members: Members
    power: int
    threads: int
    order: NDArray[np.int64]
    scores: Array
    code: NDArray[np.int32]
    weight: Array
    edges: tuple[NDArray[np.int32], NDArray[np.int32]]
    meets_itself = True

    @classmethod
    def at(cls, members: Members, scores: Array, power: int, threads: int) -> OrderedSum:
        n, starts = scores.size, members.starts
        order = _descending(scores, members)
        ordered, code = np.empty(n), np.empty(n, np.int32)
        edges = np.empty(n, np.int32), np.empty(n, np.int32)
        weight, even = members.weight, members.weight.strides == (0,)

        def gather(a: int, b: int) -> None:
            prefix.gather(order[a:b], scores, members.code, ordered[a:b], code[a:b])

        def reach(first: int, last: int) -> None:
            prefix.reach(first, last, starts, ordered, *edges)

        segments = segment_chunks(starts, _CHUNK)
        run_all(gather, chunks(n, _CHUNK), threads)
        run_all(reach, segments, threads)
        weight = weight if even else weight[order]
        return cls(members, power, threads, order, ordered, code, weight, edges)

    def values(self) -> Array:
        out = np.empty(self.members.comparison.shape)
        sides = self._sides()

        def work(begin: int, end: int, r: int) -> None:
            prefix.term_sums(
                begin, end, r, self.members.starts, self.scores, self.code, self.weight, sides,
                self.edges, self.power, out,
            )  # fmt: skip

        terms = range(len(sides))
        run_all(work, [(*each, r) for each in self._segments() for r in terms], self.threads)
        return out

    def derivative(self, coefficient: Array, order: int) -> Array:
        return self._member_sums(self.weight, coefficient, order)

    def cross(self, coefficient: Array, direction: Array) -> Array:
        return self._member_sums(self.weight * direction[self.order], coefficient, 2)

    def _member_sums(self, source: Array, coefficient: Array, order: int) -> Array:
        n = self.scores.size
        if order > self.power:
            return np.zeros(n)
        sides, coefficient = self._sides(), perm(self.power, order) * coefficient
        # Of items above and of items below, so that a thread can take each.
        felt, out = np.zeros((2, n)), np.empty(n)

        def work(begin: int, end: int, side: int) -> None:
            direction, sign = ((1, (-1.0) ** order), (-1, 1.0))[side]
            prefix.member_sums(
                begin, end, direction, self.members.starts, self.scores, self.code, source,
                self.weight, sides, self.edges, self.power - order, sign * coefficient,
                felt[side],
            )  # fmt: skip

        def scatter(a: int, b: int) -> None:
            prefix.scatter(self.order[a:b], felt[0][a:b], felt[1][a:b], out)

        run_all(work, [(*each, side) for each in self._segments() for side in (0, 1)], self.threads)
        run_all(scatter, chunks(out.size, _CHUNK), self.threads)
        return out

    def _sides(self) -> Array:
        """Return the sides by terms, (terms, 2, patterns)."""
        return np.stack([self.members.sides[0].T, self.members.sides[-1].T], axis=1)

    def _segments(self) -> list[tuple[int, int]]:
        return segment_chunks(self.members.starts, _CHUNK)


def _descending(scores: Array, members: Members) -> NDArray[np.int64]:
    """Return the members by decreasing score, segment by segment."""
    if scores.size < _PACK_FROM:
        return np.lexsort((-scores, members.segment))
    segment = None if members.starts.size == 2 else members.segment
    return order_items(-scores, segment, members.starts.size - 1).order
