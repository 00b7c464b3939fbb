"""Exact search: every ranking with ties of a small space, and the best of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isonomy._core import FloatArray, Mean, Objective, Pooled, Worst
from isonomy.theory._point_preferences import PointPreferences, point_preferences
from isonomy.theory._space import Space

# There are 545,835 weak orders of 8 points and 7,087,261 of 9.
MOST_POINTS = 8
# Rankings whose values differ by less are equally good.
SAME_VALUE = 1e-12
# Rankings are valued this many at a time.
CHUNK = 20_000


@dataclass(frozen=True, eq=False)
class Optima:
    """The best rankings of a space.

    Attributes
    ----------
    value : float
        The objective's largest value.
    orders : ndarray of int, shape (rankings, m)
        Every ranking that attains it: each point's rank from 0 (lowest), equal for
        ties. Those with the fewest ranks come first.

    Examples
    --------
    >>> import isonomy as iso
    >>> best = iso.theory.search([[0.9, 0.8], [0.1, 0.2]], iso.WorstLabel())
    >>> round(best.value, 2), best.orders.tolist()
    (0.8, [[1, 0]])
    """

    value: float
    orders: NDArray[np.int8]


def weak_orders(m: int) -> NDArray[np.int8]:
    """All rankings of m points, with ties.

    Returns
    -------
    ndarray of int, shape (rankings, m)
        Each point's rank from 0 (lowest), equal for ties; read-only. There are 1, 3,
        13, 75, 541, 4683, 47293, 545835 rankings of 1, 2, ..., 8 points.

    Examples
    --------
    >>> from isonomy.theory import weak_orders
    >>> weak_orders(2)
    array([[0, 0],
           [0, 1],
           [1, 0]], dtype=int8)
    """
    if isinstance(m, bool) or not isinstance(m, int) or not 1 <= m <= MOST_POINTS:
        raise ValueError(f"Parameter `m` should lie in 1..{MOST_POINTS}. Found {m!r}.")
    return _weak_orders(m)


def search(
    eta: ArrayLike | None,
    objective: Objective,
    *,
    mu: ArrayLike | None = None,
    patterns: ArrayLike | None = None,
) -> Optima:
    """The best rankings of up to 8 points, found by trying all of them.

    Parameters
    ----------
    eta, mu, patterns
        As in `population_objective_auc`.
    objective : Objective
        Any objective, one's own among them.

    Returns
    -------
    Optima
        The largest value, and every ranking that attains it up to rounding (1e-12).

    Examples
    --------
    The largest smallest AUC ties the two points, whose labels disagree:

    >>> import isonomy as iso
    >>> best = iso.theory.search([[0.9, 0.1], [0.1, 0.9]], iso.WorstLabel())
    >>> best.value, best.orders
    (0.5, array([[0, 0]], dtype=int8))
    """
    space = Space.from_input(eta, mu=mu, patterns=patterns)
    if len(space) > MOST_POINTS:
        raise ValueError(
            f"Parameter `eta` should have at most {MOST_POINTS} points: there are too many "
            f"rankings of more. Found {len(space)}."
        )
    return search_space(space, objective)


def search_space(space: Space, objective: Objective) -> Optima:
    """`search` of a checked space."""
    orders = weak_orders(len(space))
    terms = point_preferences(space, objective)
    parts = np.array_split(orders, -(-len(orders) // CHUNK))
    values = np.concatenate([_values(terms, part) for part in parts])
    if np.isnan(values).any():
        raise ValueError(
            "Parameter `eta` leaves the objective undefined: a label has one class, or all points "
            "are on one level. No ranking is better than another."
        )
    best = orders[values >= values.max() - SAME_VALUE]
    return Optima(float(values.max()), best[np.argsort(best.max(axis=1), kind="stable")])


def _values(terms: PointPreferences, orders: NDArray[np.int8]) -> FloatArray:
    """The objective's value at each ranking."""
    difference = orders[:, :, None] - orders[:, None, :]
    step = 0.5 * (1.0 + np.sign(difference)).reshape(len(orders), -1)
    pairs = (terms.above[:, None, :] * terms.below[None, :, :]).reshape(step.shape[1], -1)
    ratios = terms.mixed(step @ pairs, terms.totals())
    if isinstance(terms.mix, Pooled):
        return ratios[:, 0]
    if isinstance(terms.mix, Worst):
        return np.asarray(ratios.min(axis=1))
    if isinstance(terms.mix, Mean):
        shares = terms.mix.slope(ratios[0])
        return np.asarray(ratios[:, shares > 0] @ shares[shares > 0])
    return np.array([terms.mix.value(row) for row in ratios])


@cache
def _weak_orders(m: int) -> NDArray[np.int8]:
    """Put a new point on a rank of its own, or on each rank there is."""
    if m == 1:
        orders = np.zeros((1, 1), np.int8)
    else:
        smaller = _weak_orders(m - 1)
        grown = []
        for rank in range(m):
            has = smaller[smaller.max(axis=1) >= rank]
            grown.append(np.column_stack([has, np.full(len(has), rank, np.int8)]))
            room = smaller[smaller.max(axis=1) >= rank - 1]
            moved = room + (room >= rank).astype(np.int8)
            grown.append(np.column_stack([moved, np.full(len(room), rank, np.int8)]))
        orders = np.vstack(grown)
        orders = orders[np.lexsort(orders.T[::-1])]
    orders.setflags(write=False)
    return orders
