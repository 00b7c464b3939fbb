"""The top of a ranking whose rows all count the same: patterns are counted, not rows summed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isonomy._core import Codes, FloatArray, Labels, count_codes

# Parts of a row below this come from rounding.
ROUNDING = 1e-9
# Rows looked at first for where a run of equal scores starts.
NEAR = 64


class PatternSums(NamedTuple):
    """Rows of a part of a ranking.

    Attributes
    ----------
    mass, squares : ndarray of shape (L,)
        By label pattern: the weight of rows, as far as they belong to the part, and the sum of
        those weights' squares.
    single : float
        The sum of the squared weights of all rows, as far as they belong to it.
    """

    mass: FloatArray
    squares: FloatArray
    single: float


@dataclass(frozen=True, eq=False)
class EvenRows:
    """Rows in ascending order of score, without weights, groups or clusters.

    Attributes
    ----------
    labels : Labels
        The labels' patterns.
    codes : ndarray of int, shape (n,)
        The rows' label patterns in that order.
    last : ndarray of bool, shape (n,)
        Whether each row ends a run of equal scores.
    """

    labels: Labels
    codes: Codes
    last: NDArray[np.bool_]

    @property
    def whole(self) -> float:
        """The weight of all rows."""
        return float(self.codes.size)

    @property
    def all_squares(self) -> float:
        """The sum of the squared weights of all rows."""
        return self.whole

    def sums(self, fraction: float) -> PatternSums:
        """The rows of the top."""
        n, start, stop, part = self.codes.size, 0, 0, 1.0
        if fraction < 1:
            start, stop = self._run_of(n - max(int(np.ceil(fraction * n)), 1))
            part = (fraction * n - (n - stop)) / (stop - start)
            part = 0.0 if part < ROUNDING else 1.0 if part > 1 - ROUNDING else part
        inside, cut = self._counts(stop, n), part * self._counts(start, stop)
        return PatternSums(
            inside + cut, inside + part * cut, float(n - stop + part * (stop - start))
        )

    def mass_between(self, most: float, least: float) -> FloatArray:
        """The weight by pattern of the rows in the top `most` that are not in the top `least`."""
        return self.sums(most).mass - self.sums(least).mass

    def _counts(self, start: int, stop: int) -> FloatArray:
        return count_codes(self.codes[start:stop], len(self.labels.patterns)).astype(np.float64)

    def _run_of(self, row: int) -> tuple[int, int]:
        """Where the run of equal scores that a row is in starts and stops."""
        stop = row + int(self.last[row:].argmax()) + 1
        width = NEAR
        while True:
            begin = max(row - width, 0)
            ends = np.flatnonzero(self.last[begin:row])
            if ends.size or begin == 0:
                return (begin + int(ends[-1]) + 1 if ends.size else 0), stop
            width *= 4
