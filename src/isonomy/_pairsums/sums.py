r"""Sums of a surrogate over all pairs, and their derivatives, without visiting the pairs.

.. math:: N_c(f) = \sum_{i, j \in c} w_i w_j A_{ic} B_{jc}\, \phi(f_i - f_j)

for every comparison c (a term inside a group). A loss is a function of the vector N; its
gradient is that of :math:`\sum_c a_c N_c` with :math:`a_c = \partial loss / \partial N_c`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from isonomy._pairsums.binned import BinnedSum
from isonomy._pairsums.direct import DirectSum
from isonomy._pairsums.members import Comparisons, Members
from isonomy._pairsums.ordered import OrderedSum
from isonomy._threads import default_threads
from isonomy.surrogates import Analytic, Surrogate

__all__ = ["PairSums", "Summation", "pair_sums"]

Array = NDArray[np.float64]

# Bins, and differences of scores, stay finite.
_MAX_SCORE = 1e300


class Summation(Protocol):
    r"""One way to sum over the pairs of members; arrays over segments, terms and members."""

    @property
    def members(self) -> Members:
        """The members summed over."""

    def values(self) -> Array:
        """Return N, (segments, terms)."""

    def derivative(self, coefficient: Array, order: int) -> Array:
        r"""Return :math:`\partial^{order} / \partial f_i^{order} \sum a N` at each member."""

    def cross(self, coefficient: Array, direction: Array) -> Array:
        r"""Return minus the off-diagonal Hessian of :math:`\sum a N` times d, at each member."""


@dataclass(frozen=True)
class PairSums:
    """The sums of all comparisons at given scores; made by `pair_sums`."""

    comparisons: Comparisons
    parts: tuple[Summation, ...]

    def values(self) -> Array:
        """Return N, one number per comparison."""
        out = np.zeros(self.comparisons.pairs.size)
        for part in self.parts:
            out[part.members.comparison] = part.values()
        return out

    def gradient(self, coefficient: Array) -> Array:
        r"""Return the gradient of :math:`\sum_c a_c N_c`, (n,), for coefficients a, (c,)."""
        return self._derivative(coefficient, 1)

    def hessian_diagonal(self, coefficient: Array) -> Array:
        r"""Return the diagonal of the Hessian of :math:`\sum_c a_c N_c`, (n,)."""
        return self._derivative(coefficient, 2)

    def hessian_product(self, coefficient: Array, diagonal: Array, direction: Array) -> Array:
        """Return the Hessian times `direction`, (n,), given its diagonal."""
        out = diagonal * direction
        for part in self.parts:
            a = coefficient[part.members.comparison]
            out -= self._over_items(part, part.cross(a, part.members.take(direction)))
        return out

    def _derivative(self, coefficient: Array, order: int) -> Array:
        out = None
        for part in self.parts:
            a = coefficient[part.members.comparison]
            felt = self._over_items(part, part.derivative(a, order))
            out = felt if out is None else out + felt
        return np.zeros(self.comparisons.n_items) if out is None else out

    def _over_items(self, part: Summation, values: Array) -> Array:
        """Return the sum of an array over members by item."""
        if part.members.item is None:
            return values
        return np.bincount(part.members.item, values, self.comparisons.n_items).astype(
            np.float64, copy=False
        )


def pair_sums(
    comparisons: Comparisons,
    scores: Array,
    surrogate: Surrogate,
    *,
    threads: int | None = None,
) -> PairSums:
    """Prepare the sums of `surrogate` over the pairs of `comparisons` at finite `scores`.

    Examples
    --------
    >>> from isonomy._pairsums.members import arrange
    >>> from isonomy.surrogates import SURROGATES
    >>> y = np.array([1, 0, 1])
    >>> comparisons = arrange(y, np.array([[False], [True]]), np.array([[True], [False]]))
    >>> sums = pair_sums(comparisons, np.array([2.0, 0.0, -1.0]), SURROGATES["hinge"])
    >>> sums.values() / comparisons.pairs
    array([1.])
    >>> sums.gradient(1.0 / comparisons.pairs)
    array([ 0. ,  0.5, -0.5])
    """
    if threads is None:
        threads = default_threads(comparisons.n_items)
    parts: list[Summation] = []
    for members, direct in ((comparisons.small, True), (comparisons.large, False)):
        if members.code.size:
            at = members.take(scores)
            extent = _extent(members, at, surrogate)
            if direct:
                parts.append(DirectSum.at(members, at, surrogate, threads))
            elif isinstance(surrogate.shape, Analytic):
                parts.append(BinnedSum.at(members, at, extent, surrogate, threads))
            else:
                parts.append(OrderedSum.at(members, at, surrogate.shape.power, threads))
    return PairSums(comparisons, tuple(parts))


def _extent(members: Members, scores: Array, surrogate: Surrogate) -> tuple[Array, Array]:
    """Return the lowest and the highest score of each segment; refuse those out of range."""
    if members.starts.size == 2:  # Several times faster.
        lowest, highest = scores.min(keepdims=True), scores.max(keepdims=True)
    else:
        lowest = np.minimum.reduceat(scores, members.starts[:-1])
        highest = np.maximum.reduceat(scores, members.starts[:-1])
    if not -_MAX_SCORE <= lowest.min() <= highest.max() <= _MAX_SCORE:
        raise ValueError(
            f"Scores should be finite and at most {_MAX_SCORE:g} in size. "
            f"Found scores from {lowest.min():g} to {highest.max():g}."
        )
    spread = float((highest - lowest).max())
    if spread > surrogate.max_range:
        raise ValueError(
            f"The {surrogate.name} surrogate overflows for scores that differ by more than "
            f"{surrogate.max_range:g}. Found a difference of {spread:g}. Scale the scores "
            "down or use the logistic surrogate."
        )
    return lowest, highest
