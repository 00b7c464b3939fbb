"""Several processes that boost together: what XGBoost's communicator can do, and no more."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from isonomy._core import FloatArray
from isonomy._pairsums import CellMoments
from isonomy.boosting._packed_groups import HALF, LOW

T = TypeVar("T")


@dataclass(frozen=True)
class World:
    """All processes of a training; each of them has to call the same methods in the same order."""

    collective: Any

    @classmethod
    def found(cls) -> World | None:
        """The communicator that this process is in, if there is one with others in it."""
        if "xgboost" not in sys.modules:
            return None
        from xgboost import collective

        if not collective.is_distributed() or collective.get_world_size() < 2:
            return None
        return cls(collective)

    def total(self, array: FloatArray) -> FloatArray:
        """The sum of everybody's."""
        return self._reduce(array, self.collective.Op.SUM)

    def lowest(self, value: float) -> float:
        """The smallest of everybody's."""
        return float(self._reduce(np.array([value]), self.collective.Op.MIN)[0])

    def highest(self, value: float) -> float:
        """The largest of everybody's."""
        return float(self._reduce(np.array([value]), self.collective.Op.MAX)[0])

    def any(self, flag: bool) -> bool:
        """Whether it is so for anybody."""
        return self.highest(float(flag)) > 0

    def gathered(self, array: FloatArray) -> FloatArray:
        """Everybody's numbers, one after another."""
        rank, size = self.collective.get_rank(), self.collective.get_world_size()
        lengths = np.zeros(size)
        lengths[rank] = array.size
        ends = np.cumsum(self.total(lengths)).astype(np.int64)
        if not ends[-1]:
            return np.empty(0)
        found = np.zeros(ends[-1])
        found[ends[rank] - array.size : ends[rank]] = array
        return self.total(found)

    def gathered_groups(self, numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Everybody's packed groups, one after another: as halves, which are sums without loss."""
        halves = numbers & LOW, numbers >> HALF
        low, high = (self.gathered(half.astype(np.float64)).astype(np.uint64) for half in halves)
        return low | (high << HALF)

    def cells(self, own: CellMoments) -> CellMoments:
        """The moments of everybody's items."""
        bins = np.unique(self.gathered(own.bins))
        dense = np.zeros((bins.size, *own.moments.shape[1:]))
        dense[np.searchsorted(bins, own.bins)] = own.moments
        return CellMoments(own.width, bins, self.total(dense), own.lowest, own.highest)

    def agreed(self, make: Callable[[], T]) -> T:
        """What is made here, if nobody failed: an error here is one everywhere, so nobody waits."""
        error: Exception | None = None
        try:
            made = make()
        except Exception as found:  # noqa: BLE001 (whatever it is, the others have to know)
            error = found
        if self.any(error is not None):
            if error is not None:
                raise error
            raise RuntimeError("Training stopped, because another worker failed: see its error.")
        return made

    def _reduce(self, array: FloatArray, op: Any) -> FloatArray:
        values = np.ascontiguousarray(array, dtype=np.float64)
        # The communicator may give back a flat array.
        return np.asarray(self.collective.allreduce(values, op)).reshape(values.shape)
