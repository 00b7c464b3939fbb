"""Which label patterns an objective puts above which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isonomy._core import FloatArray, Mean, Objective, Pooled, check_count
from isonomy.theory._point_preferences import PointPreferences, point_preferences
from isonomy.theory._space import Space, pattern_bits

# Label patterns are drawn and listed up to this many labels.
MOST_LABELS = 6
# A gain that is smaller than this part of what speaks for and against it is rounding.
SAME_GAIN = 1e-12


@dataclass(frozen=True)
class Edge:
    """An arrow of the diagram.

    Attributes
    ----------
    low, high : tuple of int
        Label patterns; every best ranking puts `high` above `low`.
    takes_sides : bool
        Whether each of the two has a label that the other lacks, so that the objective
        prefers one label to another.

    Examples
    --------
    >>> from isonomy.theory import Edge
    >>> Edge(low=(1, 0), high=(0, 1), takes_sides=True).high
    (0, 1)
    """

    low: tuple[int, ...]
    high: tuple[int, ...]
    takes_sides: bool


@dataclass(frozen=True, eq=False)
class PartialOrder:
    """The order of label patterns that every best ranking respects.

    Attributes
    ----------
    patterns : tuple of tuple of int
        All 2^K label patterns; bit k of a pattern's number is label k.
    above : ndarray of bool, shape (2^K, 2^K)
        Whether pattern i stands above pattern j.

    Examples
    --------
    >>> import isonomy as iso
    >>> order = iso.theory.partial_order(iso.LabelAggregation())
    >>> order.patterns
    ((0, 0), (1, 0), (0, 1), (1, 1))
    >>> order.above[3].tolist()
    [True, True, True, False]
    """

    patterns: tuple[tuple[int, ...], ...]
    above: NDArray[np.bool_]

    @property
    def edges(self) -> tuple[Edge, ...]:
        """The arrows from which all others follow (the Hasse diagram)."""
        steps = self.above.astype(np.int64)
        direct = self.above & (steps @ steps == 0)
        return tuple(
            Edge(self.patterns[j], self.patterns[i], _takes_sides(i, j))
            for i, j in zip(*map(np.ndarray.tolist, np.nonzero(direct)), strict=True)
        )

    @property
    def heights(self) -> tuple[int, ...]:
        """The number of steps from the bottom to each pattern."""
        height = np.zeros(len(self.patterns), np.int64)
        for _ in self.patterns:
            height = np.where(self.above, height[None, :] + 1, 0).max(axis=1)
        return tuple(height.tolist())

    def contains(self, other: PartialOrder) -> bool:
        """Whether all that `other` puts in order stands in this order too."""
        return bool((self.above | ~other.above).all())


def partial_order(
    objective: Objective, *, n_labels: int = 2, priors: Sequence[float] | None = None
) -> PartialOrder:
    """The partial order that an objective induces on label patterns.

    Pattern y stands above y' if every best ranking of items with certain labels puts
    items with y above those with y': where the objective gains from it, directly or
    through other patterns. For loss aggregation it is the order of the scores
    sum_k a_k y_k / (pi_k (1 - pi_k)), for label aggregation that of the levels, except
    levels without a cost between them.

    Parameters
    ----------
    objective : Objective
        One that is a sum over pairs, whose gains do not run in circles.
    n_labels : int
        K, up to 6.
    priors : sequence of float, optional
        pi_k strictly between 0 and 1, which loss aggregation depends on. None: 1/2 each.

    Returns
    -------
    PartialOrder
        Its `edges` mark those arrows that prefer one label to another.

    Examples
    --------
    >>> import isonomy as iso
    >>> from isonomy.theory import partial_order
    >>> [edge for edge in partial_order(iso.LossAggregation(), priors=[0.4, 0.01]).edges
    ...  if edge.takes_sides]
    [Edge(low=(1, 0), high=(0, 1), takes_sides=True)]
    >>> any(edge.takes_sides for edge in partial_order(iso.LabelAggregation()).edges)
    False
    """
    check_count("n_labels", n_labels)
    if n_labels > MOST_LABELS:
        raise ValueError(f"Parameter `n_labels` should be at most {MOST_LABELS}. Found {n_labels}.")
    bits = pattern_bits(n_labels)
    totals = point_preferences(Space.from_input(bits, mu=_masses(bits, priors)), objective).totals()
    terms = point_preferences(Space.from_input(bits), objective)
    above = _closure(_gains(terms, totals, type(objective).__name__))
    if above.diagonal().any():
        raise ValueError(
            "Parameter `objective` should gain in no circle. Found patterns of which each should "
            "stand above the next and the last above the first: what the best rankings put above "
            f"what depends on the whole space. Use `search`. Found {objective!r}."
        )
    patterns = tuple(tuple(row) for row in bits.astype(int).tolist())
    return PartialOrder(patterns, above)


def _gains(terms: PointPreferences, totals: FloatArray, name: str) -> NDArray[np.bool_]:
    """Whether the objective is larger with pattern i above pattern j than below.

    The masses of two patterns do not matter to that, so `terms` has equal ones; those of
    all patterns together do, in the `totals` of the terms.
    """
    if isinstance(terms.mix, Pooled):
        worth = np.ones(terms.above.shape[1])
    elif isinstance(terms.mix, Mean):
        shares = terms.mix.slope(totals)
        worth = np.divide(shares, totals, out=np.zeros_like(totals), where=totals > 0)
    else:
        raise ValueError(
            f"Parameter `objective` should be a sum over pairs. `{name}` is none: what it puts "
            "above what depends on the whole space. Use `search`."
        )
    for_it = (terms.above * worth) @ terms.below.T
    return np.asarray(for_it - for_it.T > SAME_GAIN * (for_it + for_it.T))


def _closure(above: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Add what stands above through others (Warshall's algorithm)."""
    above = above.copy()
    for k in range(len(above)):
        above |= above[:, k : k + 1] & above[k]
    return above


def _masses(bits: NDArray[np.float64], priors: Sequence[float] | None) -> NDArray[np.float64]:
    """Masses of the patterns under which each label has its prior."""
    n_labels = bits.shape[1]
    pi = np.full(n_labels, 0.5) if priors is None else np.asarray(priors, dtype=np.float64)
    if pi.shape != (n_labels,) or not ((pi > 0) & (pi < 1)).all():
        raise ValueError(
            f"Parameter `priors` should hold {n_labels} numbers strictly between 0 and 1. "
            f"Found {pi.tolist()}."
        )
    return np.asarray(np.where(bits > 0, pi, 1.0 - pi).prod(axis=1))


def _takes_sides(i: int, j: int) -> bool:
    return bool(i & ~j) and bool(j & ~i)
