r"""Sums of :math:`\max(0, 1 - z)^p` over all pairs by sorting, exact, in O(m log m)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import perm

import numpy as np
from numpy.typing import NDArray

from isonomy._core import sort_order
from isonomy._infra import run_all, segment_chunks
from isonomy._pairsums.kernels import prefix
from isonomy._pairsums.layout import Members

__all__ = ["OrderedSum"]

Array = NDArray[np.float64]

_CHUNK = 1 << 16

# Up to here insertion is faster than a call.
_INSERT = 64

# From here on packing is worth its overhead.
_PACK_FROM = 1000


@dataclass(frozen=True)
class OrderedSum:
    """Members by decreasing score; see `isonomy._pairsums.sums.Summation`."""

    members: Members
    power: int
    threads: int
    order: NDArray[np.int64]
    scores: Array
    code: NDArray[np.int32]
    weight: Array
    meets_itself = True

    @classmethod
    def at(cls, members: Members, scores: Array, power: int, threads: int) -> OrderedSum:
        order = np.empty(scores.size, dtype=np.int64)
        starts = members.starts
        large = np.flatnonzero(np.diff(starts) > _INSERT)

        def sort(first: int, last: int) -> None:
            prefix.insert(first, last, starts, scores, _INSERT, order)
            here = np.searchsorted(large, [first, last])
            for s in large[slice(*here)]:
                a, b = starts[s], starts[s + 1]
                order[a:b] = a + _ascending(scores[a:b])[::-1]

        run_all(sort, segment_chunks(starts, _CHUNK), threads)
        return cls(
            members,
            power,
            threads,
            order,
            scores[order],
            members.code[order],
            members.weight[order],
        )

    def values(self) -> Array:
        out = np.empty(self.members.comparison.shape)
        sides, scratch = self._sides(), np.zeros(self.scores.size)

        def work(begin: int, end: int) -> None:
            prefix.term_sums(
                begin, end, self.members.starts, self.scores, self.code, self.weight, sides,
                self.power, scratch, out,
            )  # fmt: skip

        self._over_segments(work)
        return out

    def derivative(self, coefficient: Array, order: int) -> Array:
        return self._member_sums(self.weight, coefficient, order)

    def cross(self, coefficient: Array, direction: Array) -> Array:
        return self._member_sums(self.weight * direction[self.order], coefficient, 2)

    def _member_sums(self, source: Array, coefficient: Array, order: int) -> Array:
        out = np.zeros(self.scores.size)
        if order > self.power:
            return out
        felt, sides, sign = np.zeros_like(out), self._sides(), (-1.0) ** order
        coefficient = perm(self.power, order) * coefficient

        def work(begin: int, end: int) -> None:
            prefix.member_sums(
                begin, end, self.members.starts, self.scores, self.code, source, self.weight,
                sides, self.power - order, sign, coefficient, felt,
            )  # fmt: skip

        self._over_segments(work)
        out[self.order] = felt
        return out

    def _sides(self) -> Array:
        """Return the sides by terms, (terms, 2, patterns)."""
        return np.stack([self.members.sides[0].T, self.members.sides[-1].T], axis=1)

    def _over_segments(self, work: Callable[[int, int], None]) -> None:
        run_all(work, segment_chunks(self.members.starts, _CHUNK), self.threads)


def _ascending(scores: Array) -> NDArray[np.int64]:
    return sort_order(scores) if scores.size >= _PACK_FROM else np.argsort(scores)
