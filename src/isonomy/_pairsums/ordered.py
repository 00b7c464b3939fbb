r"""Sums of :math:`\max(0, 1 - z)^p` over all pairs by sorting, exact, in O(m log m)."""

from __future__ import annotations

from dataclasses import dataclass
from math import perm

import numpy as np
from numpy.typing import NDArray

from isonomy._kernels import prefix
from isonomy._pairsums.members import Members
from isonomy._threads import run, segment_chunks

__all__ = ["OrderedSum"]

Array = NDArray[np.float64]

# Mirrored arrays are views with negative strides; kernels are compiled for contiguous ones only.
_packed = np.ascontiguousarray

_CHUNK = 1 << 16


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

    @classmethod
    def at(cls, members: Members, scores: Array, power: int, threads: int) -> OrderedSum:
        order = np.empty(scores.size, dtype=np.int64)
        starts = members.starts

        def sort(first: int, last: int) -> None:
            for s in range(first, last):
                a, b = starts[s], starts[s + 1]
                order[a:b] = a + np.argsort(-scores[a:b])

        list(run(sort, segment_chunks(starts, _CHUNK), threads))
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
        starts, table = self.members.starts, self.members.table
        share, felt = np.empty((2, self.scores.size))

        def work(begin: int, end: int) -> None:
            prefix.pair_sums(
                begin, end, starts, self.scores, self.code, self.weight, table, self.power,
                share, felt, out,
            )  # fmt: skip

        list(run(work, segment_chunks(starts, _CHUNK), self.threads))
        return out

    def derivative(self, coefficient: Array, order: int) -> Array:
        return self._pull(self.weight, coefficient, order)

    def cross(self, coefficient: Array, direction: Array) -> Array:
        return self._pull(self.weight * direction[self.order], coefficient, 2)

    def _pull(self, source: Array, coefficient: Array, order: int) -> Array:
        out = np.zeros(self.scores.size)
        if order > self.power:
            return out
        table, starts, power = self.members.table, self.members.starts, self.power - order
        scores, code, weight = self.scores, self.code, self.weight
        down = _pull(starts, scores, code, source, weight, table, power, coefficient, self.threads)
        # Items below feel those above as items above feel those below on the mirrored axis.
        up = _pull(
            starts[-1] - starts[::-1], -scores[::-1], code[::-1], source[::-1], weight[::-1],
            -table, power, coefficient[::-1], self.threads,
        )[::-1]  # fmt: skip
        out[self.order] = perm(self.power, order) * (up - down if order % 2 else up + down)
        return out


def _pull(
    starts: NDArray[np.int64],
    scores: Array,
    code: NDArray[np.int32],
    source: Array,
    weight: Array,
    table: Array,
    power: int,
    coefficient: Array,
    threads: int,
) -> Array:
    starts, scores, code = _packed(starts), _packed(scores), _packed(code)
    source, weight, coefficient = _packed(source), _packed(weight), _packed(coefficient)
    out = np.zeros(scores.size)
    share, felt = np.empty((2, scores.size))

    def work(begin: int, end: int) -> None:
        prefix.pull(
            begin, end, starts, scores, code, source, weight, table, power, coefficient,
            share, felt, out,
        )  # fmt: skip

    list(run(work, segment_chunks(starts, _CHUNK), threads))
    return out
