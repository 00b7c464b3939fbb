"""Costs that factor: the scale condition under which an optimal scorer has a closed form."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from isonomy._core import FloatArray, as_costs

# Each cost may miss the condition by this much of itself, and by the rounding of s_y - s_y'.
SLACK, ROUNDING = 1e-9, 1e-14


def scale_condition(costs: ArrayLike) -> tuple[FloatArray, FloatArray] | None:
    """Witnesses of the scale condition, if the costs meet it.

    c[y, y'] = w_y w_y' (s_y - s_y')   for all levels y > y', with w >= 0

    Under it the ranking by sum_y w_y s_y eta_y(x) / sum_y w_y eta_y(x) is optimal, with
    eta_y(x) the probability of level y. Three levels with c[2, 0] > 0 always meet it;
    uniform costs on more than three levels never do.

    Parameters
    ----------
    costs : array-like of shape (L, L)
        Indexed by level [high, low]; only entries with high > low are used.

    Returns
    -------
    (w, s) : two ndarrays of shape (L,), or None
        s is non-decreasing and starts at 0. Levels without costs have w = 0.

    Notes
    -----
    The condition says that the antisymmetric matrix c - c^T has rank 2 and that w lies
    in its row space. The first and the last level that have costs span that space, so

        w_y = (c[L-1, y] + c[y, 0]) / c[L-1, 0],   s_y = c[y, 0] / w_y

    are witnesses if there are any. Many others belong to the same costs; these have
    w = 1 at both ends.

    Examples
    --------
    >>> from isonomy.theory import scale_condition
    >>> w, s = scale_condition([[0, 0, 0], [1, 0, 0], [2, 1, 0]])
    >>> w, s
    (array([1., 1., 1.]), array([0., 1., 2.]))
    >>> scale_condition([[0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0]]) is None
    True
    """
    if isinstance(costs, str) or callable(costs):
        raise TypeError(
            "Parameter `costs` should be a square array indexed by level [high, low]. "
            f"Found {costs!r}."
        )
    return witnesses(np.tril(np.asarray(as_costs(costs), dtype=np.float64), -1))


def witnesses(costs: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """`scale_condition` of checked costs, 0 on and above the diagonal."""
    counted = np.flatnonzero(costs.any(axis=0) | costs.any(axis=1))
    low, high = counted[0], counted[-1]
    if costs[high, low] <= 0:
        return None
    w = np.zeros(len(costs))
    w[counted] = (costs[high] + costs[:, low])[counted] / costs[high, low]
    if (w[counted] <= 0).any():
        return None
    s = np.zeros(len(costs))
    s[counted] = costs[counted, low] / w[counted]
    s = np.maximum.accumulate(s)
    both = np.outer(w, w)
    met = np.tril(both * (s[:, None] - s), -1)
    allowed = SLACK * costs + ROUNDING * both * s[:, None]
    return (w, s) if (np.abs(met - costs) <= allowed).all() else None
