r"""Sums of a surrogate over all pairs, and their derivatives, without visiting the pairs.

.. math:: N_c(f) = \sum_{i \ne j \in c} w_i w_j A_{ic} B_{jc}\, \phi(f_i - f_j)

for every comparison c (a term inside a group). A loss is a function of the vector N; its
gradient is that of :math:`\sum_c a_c N_c` with :math:`a_c = \partial loss / \partial N_c`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from isonomy._core import extremes
from isonomy._infra import default_threads
from isonomy._pairsums.binned import BinnedSum
from isonomy._pairsums.direct import DirectSum
from isonomy._pairsums.layout import Members, PairLayout
from isonomy._pairsums.ordered import OrderedSum
from isonomy._pairsums.spanned import SpannedSum, spans_serve
from isonomy.surrogates import Analytic, Surrogate

__all__ = ["Summation", "SurrogateSums", "surrogate_sums"]

Array = NDArray[np.float64]

# Bins, and differences of scores, stay finite.
_MAX_SCORE = 1e300

# Measured: where visiting all pairs of a segment costs as much as its bins or its sorting.
DIRECT_BELOW = 200


class Summation(Protocol):
    r"""One way to sum over the pairs of members; arrays over segments, terms and members."""

    @property
    def members(self) -> Members:
        """The members summed over."""

    @property
    def meets_itself(self) -> bool:
        """Whether the sums count the pair of a member with itself, at a margin of 0."""

    def values(self) -> Array:
        """Return N, (segments, terms)."""

    def derivative(self, coefficient: Array, order: int) -> Array:
        r"""Return :math:`\partial^{order} / \partial f_i^{order} \sum a N` at each member."""

    def cross(self, coefficient: Array, direction: Array) -> Array:
        r"""Return minus the off-diagonal Hessian of :math:`\sum a N` times d, at each member."""


@dataclass(frozen=True)
class SurrogateSums:
    """The sums of all comparisons at given scores; made by `surrogate_sums`."""

    comparisons: PairLayout
    parts: tuple[Summation, ...]
    surrogate: Surrogate

    def values(self) -> Array:
        """Return N, one number per comparison."""
        out = np.zeros(self.comparisons.pairs.size)
        for part in self.parts:
            found = part.values()
            if part.members.two_sided:
                found += self._at_zero(0) * _tied_pairs(part)
            out[part.members.comparison] = found
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
            a, along = coefficient[part.members.comparison], part.members.take(direction)
            felt = part.cross(a, along)
            if part.members.two_sided and part.meets_itself:
                felt -= 2.0 * self._at_zero(2) * part.members.own_pairs(a) * along
            part.members.add_to(out, -felt)
        return out

    def _derivative(self, coefficient: Array, order: int) -> Array:
        whole = len(self.parts) == 1 and self.parts[0].members.item is None
        out = np.empty(0) if whole else np.zeros(self.comparisons.n_items)
        for part in self.parts:
            a = coefficient[part.members.comparison]
            found = part.derivative(a, order)
            if order == 2 and part.members.two_sided and part.meets_itself:
                # The slope by a score of a pair with itself is none already.
                found -= 2.0 * self._at_zero(2) * part.members.own_pairs(a)
            if whole:
                return found
            part.members.add_to(out, found)
        return out

    def _at_zero(self, order: int) -> float:
        """Return the surrogate's derivative at a margin of 0."""
        return float(self.surrogate.derivative(order)(np.zeros(1))[0])


def surrogate_sums(
    comparisons: PairLayout,
    scores: Array,
    surrogate: Surrogate,
    *,
    ends: tuple[float, float] | None = None,
    threads: int | None = None,
) -> SurrogateSums:
    """Prepare the sums of `surrogate` over the pairs of `comparisons` at finite `scores`.

    `ends`, the lowest and the highest score, are looked for where they are not given.

    Examples
    --------
    >>> from isonomy._pairsums.layout import arrange
    >>> from isonomy.surrogates import SURROGATES
    >>> y = np.array([1, 0, 1])
    >>> comparisons = arrange(y, np.array([[False], [True]]), np.array([[True], [False]]))
    >>> sums = surrogate_sums(comparisons, np.array([2.0, 0.0, -1.0]), SURROGATES["hinge"])
    >>> sums.values() / comparisons.pairs
    array([1.])
    >>> sums.gradient(1.0 / comparisons.pairs)
    array([ 0. ,  0.5, -0.5])
    """
    if threads is None:
        threads = default_threads(comparisons.n_items)
    parts: list[Summation] = []
    for small, blocks in ((True, comparisons.small), (False, comparisons.large)):
        for members in blocks:
            at = members.take(scores)
            whole = members.item is None and members.starts.size == 2
            extent = _extent(members, at, threads, ends if whole else None)
            if _spread(extent) > surrogate.max_range:
                at = _gathered(members, at, comparisons.pairs[members.comparison] > 0.0)
                extent = _extent(members, at, threads)
                _check_range(surrogate, _spread(extent))
            if small:
                parts += _small_sums(members, at, extent, surrogate, threads)
            else:
                parts.append(_large_sum(members, at, extent, surrogate, threads))
    return SurrogateSums(comparisons, tuple(parts), surrogate)


def _small_sums(
    members: Members,
    scores: Array,
    extent: tuple[Array, Array],
    surrogate: Surrogate,
    threads: int,
) -> Iterator[Summation]:
    """Yield the sums over segments that lie by pattern, each by the means that suits it."""
    spanned = spans_serve(members, extent, surrogate)
    # Of few members, pair by pair none meets itself, however much more than others it weighs.
    few = np.diff(members.starts) < DIRECT_BELOW
    hinged = not isinstance(surrogate.shape, Analytic) and not members.two_sided
    ways: tuple[tuple[NDArray[np.bool_], Callable[..., Summation]], ...] = (
        (spanned, SpannedSum.at),
        (~spanned & few & (not hinged), DirectSum.at),
        (~spanned & ~(few & (not hinged)), _large_sum),
    )
    sizes = np.diff(members.starts)
    for chosen, way in ways:
        if chosen.any():
            part = members.select(chosen)
            at = scores if part is members else scores[np.repeat(chosen, sizes)]
            yield way(part, at, (extent[0][chosen], extent[1][chosen]), surrogate, threads)


def _large_sum(
    members: Members,
    scores: Array,
    extent: tuple[Array, Array],
    surrogate: Surrogate,
    threads: int,
) -> Summation:
    """Return the sum over segments of any size."""
    if isinstance(surrogate.shape, Analytic):
        return BinnedSum.at(members, scores, extent, surrogate, threads)
    return OrderedSum.at(members, scores, surrogate.shape.power, threads)


def _tied_pairs(part: Summation) -> Array:
    """Return the weight of pairs of identical items, less what the part counts of pairs of a member
    with itself, (segments, terms).
    """
    members = part.members
    n_segments, n_terms = members.comparison.shape
    share = members.twins - 1.0 if part.meets_itself else members.twins
    out = np.zeros((n_segments, n_terms))
    for r in range(n_terms):
        only = np.zeros((n_segments, n_terms))
        only[:, r] = 1.0
        out[:, r] = np.bincount(members.segment, share * members.own_pairs(only), n_segments)
    return out


def _extent(
    members: Members, scores: Array, threads: int, ends: tuple[float, float] | None = None
) -> tuple[Array, Array]:
    """Return the lowest and the highest score of each segment; refuse those that are too large."""
    if members.starts.size == 2:  # Several times faster.
        lowest, highest = (np.array([each]) for each in ends or extremes(scores, threads))
    else:
        lowest = np.minimum.reduceat(scores, members.starts[:-1])
        highest = np.maximum.reduceat(scores, members.starts[:-1])
    if not -_MAX_SCORE <= lowest.min() <= highest.max() <= _MAX_SCORE:
        raise ValueError(
            f"Scores should be finite and at most {_MAX_SCORE:g} in size. "
            f"Found scores from {lowest.min():g} to {highest.max():g}."
        )
    return lowest, highest


def _spread(extent: tuple[Array, Array]) -> float:
    lowest, highest = extent
    return float((highest - lowest).max())


def _gathered(members: Members, scores: Array, has_pairs: NDArray[np.bool_]) -> Array:
    """Return the scores, those that matter to no pair moved among those of their segment.

    `has_pairs` tells which terms have pairs in each segment, (segments, terms).
    """
    segment = members.segment
    matters = np.zeros(scores.size, dtype=bool)
    for r in range(has_pairs.shape[1]):
        for side in members.sides:
            matters |= (side[members.code, r] != 0.0) & has_pairs[segment, r]
    matters &= members.weight > 0.0
    lowest = np.minimum.reduceat(np.where(matters, scores, np.inf), members.starts[:-1])
    highest = np.maximum.reduceat(np.where(matters, scores, -np.inf), members.starts[:-1])
    empty = lowest > highest
    lowest[empty] = highest[empty] = 0.0
    return np.clip(scores, lowest[segment], highest[segment])


def _check_range(surrogate: Surrogate, spread: float) -> None:
    if spread > surrogate.max_range:
        raise ValueError(
            f"The {surrogate.name} surrogate overflows for scores that differ by more than "
            f"{surrogate.max_range:g}. Found a difference of {spread:g}. Scale the scores "
            "down or use the logistic surrogate."
        )
