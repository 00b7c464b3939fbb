"""Sums of an analytic surrogate over the pairs of small segments, pair by pair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isonomy._infra import run_all, segment_chunks
from isonomy._pairsums.kernels import direct
from isonomy._pairsums.layout import Members
from isonomy._pairsums.tables import curve_tables
from isonomy.surrogates import Surrogate

__all__ = ["DirectSum"]

Array = NDArray[np.float64]

# Pairs at a time: enough for a thread to be worth its while.
_PAIRS = 1 << 20


@dataclass(frozen=True)
class DirectSum:
    """Members at their scores; see `isonomy._pairsums.sums.Summation`."""

    members: Members
    scores: Array
    surrogate: Surrogate
    threads: int
    meets_itself = False

    @classmethod
    def at(
        cls,
        members: Members,
        scores: Array,
        extent: tuple[Array, Array],  # noqa: ARG003
        surrogate: Surrogate,
        threads: int,
    ) -> DirectSum:
        """Take any scores."""
        return cls(members, scores, surrogate, threads)

    def values(self) -> Array:
        m, curve = self.members, curve_tables(self.surrogate, 0)
        out = np.zeros(m.comparison.shape)

        def work(first: int, last: int) -> None:
            direct.term_sums(
                first, last, m.starts, self.scores, m.code, m.weight, m.sides, curve, out
            )

        self._over_segments(work)
        return out

    def derivative(self, coefficient: Array, order: int) -> Array:
        return self._member_sums(self.members.weight, coefficient, order)

    def cross(self, coefficient: Array, direction: Array) -> Array:
        return self._member_sums(self.members.weight * direction, coefficient, 2)

    def _member_sums(self, source: Array, coefficient: Array, order: int) -> Array:
        m, curve = self.members, curve_tables(self.surrogate, order)
        out = np.zeros(self.scores.size)
        sign = (-1.0) ** order

        def work(first: int, last: int) -> None:
            direct.member_sums(
                first, last, m.starts, self.scores, m.code, source, m.sides, curve, sign,
                coefficient, out,
            )  # fmt: skip

        self._over_segments(work)
        out *= m.weight
        return out

    def _over_segments(self, work: Callable[[int, int], None]) -> None:
        sizes = np.diff(self.members.starts)
        pairs = np.append(0, np.cumsum(sizes * sizes))
        run_all(work, segment_chunks(pairs, _PAIRS), self.threads)
