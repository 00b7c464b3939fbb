"""How likely each level of the aggregated label is, point by point."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from isonomy._core import FloatArray, LabelAggregation, number_close, weights_for
from isonomy.theory._space import Space, pattern_bits

# A weighted sum of labels may take at most this many values.
MOST_LEVELS = 2**16
# Counts of positive labels are found for this many points at a time.
CHUNK = 512
# Levels closer than this, relative to the highest, differ by rounding alone.
SAME_LEVEL = 1e-12


def level_probabilities(eta: ArrayLike) -> FloatArray:
    """How many of K independent labels are positive: the Poisson-binomial distribution.

    P(Y_1 + ... + Y_K = n | x) for n = 0..K, by the recursion over the labels

        p_n <- p_n (1 - eta_k) + p_{n-1} eta_k

    whose terms are all >= 0, so that nothing cancels: each probability has a small
    *relative* error, in the tails too, for K = 10,000 as for K = 2.

    Parameters
    ----------
    eta : array-like of shape (m, K)
        P(Y_k = 1 | x), labels independent given x.

    Returns
    -------
    ndarray of shape (m, K + 1)
        Rows sum to 1.

    Examples
    --------
    >>> from isonomy.theory import level_probabilities
    >>> level_probabilities([[0.5, 0.5], [1.0, 0.25]])
    array([[0.25, 0.5 , 0.25],
           [0.  , 0.75, 0.25]])
    """
    return poisson_binomial(Space.from_input(eta).eta)


def poisson_binomial(eta: FloatArray) -> FloatArray:
    """`level_probabilities` of checked probabilities."""
    # Few points at a time stay in the processor's cache.
    parts = np.array_split(eta, -(-len(eta) // CHUNK))
    return np.concatenate([_poisson_binomial(part) for part in parts])


def _poisson_binomial(eta: FloatArray) -> FloatArray:
    m, n_labels = eta.shape
    p = np.zeros((n_labels + 1, m))
    p[0] = 1.0
    for k, yes in enumerate(np.ascontiguousarray(eta.T)):
        gained = p[: k + 1] * yes
        p[: k + 1] *= 1.0 - yes
        p[1 : k + 2] += gained
    return np.asarray((p / p.sum(axis=0)).T)


def level_distribution(
    space: Space, objective: LabelAggregation, *, occurring: bool = False
) -> tuple[FloatArray, FloatArray]:
    """The levels of the aggregate, ascending, and P(level | x).

    Rows sum to less than 1 where a pattern has no level (it joins no pair). With
    `occurring`, levels and patterns that have probability 0 at all points are left out:
    costs and a user's function need not know them.
    """
    if space.joint is None and not callable(objective.how):
        levels, probabilities = _independent(space, objective, objective.how)
    else:
        bits, joint = pattern_distribution(space, occurring=occurring)
        distinct, index = np.unique(objective.levels(space.labels(bits)), return_inverse=True)
        levels = distinct[~np.isnan(distinct)]
        probabilities = sum_columns(joint, index, levels.size)
    if not occurring:
        return levels, probabilities
    occurs = (probabilities > 0).any(axis=0)
    return levels[occurs], probabilities[:, occurs]


def pattern_distribution(space: Space, *, occurring: bool) -> tuple[FloatArray, FloatArray]:
    """All label patterns, or those that occur, and P(pattern | x)."""
    joint = space.pattern_probabilities()
    bits = pattern_bits(space.n_labels)
    if not occurring:
        return bits, joint
    occurs = (joint > 0).any(axis=0)
    return bits[occurs], joint[:, occurs]


def _independent(
    space: Space, objective: LabelAggregation, how: str
) -> tuple[FloatArray, FloatArray]:
    if how in ("mean", "sum"):
        weights = np.asarray(weights_for(objective.weights, space.no_labels()))
        return _weighted_sum(space.eta[:, weights > 0], weights[weights > 0])
    return np.array([0.0, 1.0]), _all_or_none(space.eta, how)


def sum_columns(table: FloatArray, index: NDArray[np.integer], size: int) -> FloatArray:
    """Add up the columns that have the same number; those numbered >= size are left out."""
    used = np.flatnonzero(index < size)
    ones = np.ones(used.size)
    member = sparse.csr_array((ones, (used, index[used])), shape=(index.size, size))
    return np.asarray(table @ member)


def _all_or_none(eta: FloatArray, how: str) -> FloatArray:
    """P(not all), P(all) for the product; P(none), P(not none) for any."""
    with np.errstate(divide="ignore"):
        if how == "product":
            return np.column_stack([-np.expm1(np.log(eta).sum(axis=1)), eta.prod(axis=1)])
        none = (1.0 - eta).prod(axis=1)
        return np.column_stack([none, -np.expm1(np.log1p(-eta).sum(axis=1))])


def _weighted_sum(eta: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Levels and probabilities of sum_k w_k Y_k for independent labels."""
    if (weights == weights[0]).all():
        return weights[0] * np.arange(weights.size + 1.0), poisson_binomial(eta)
    levels, probabilities = np.zeros(1), np.ones((len(eta), 1))
    for k, weight in enumerate(weights):
        yes = eta[:, k : k + 1]
        both = np.hstack([probabilities * (1.0 - yes), probabilities * yes])
        levels = np.concatenate([levels, levels + weight])
        index, levels = number_close(levels, absolute=SAME_LEVEL * weights.sum())
        if levels.size > MOST_LEVELS:
            raise ValueError(
                f"Parameter `weights` lets the sum of the labels take more than {MOST_LEVELS} "
                "values. Use whole numbers, or fewer labels."
            )
        probabilities = sum_columns(both, index, levels.size)
    return levels, probabilities
