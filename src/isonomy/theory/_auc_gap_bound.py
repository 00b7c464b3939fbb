"""How much the simple sum of class probabilities can lose under uniform costs."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from isonomy._core import FloatArray, as_label_weights, check_choice
from isonomy.theory._space import Space

# Berry-Esseen's constant for summands of unequal distribution (Shevtsova, 2010).
BERRY_ESSEEN = 0.56
# Pairs of points are summed this many at a time.
CHUNK = 2**22


def auc_gap_bound(
    eta: ArrayLike,
    *,
    mu: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    constant: Literal["proved", "printed", "lyapunov"] = "proved",
) -> float:
    """A bound on what ranking by sum_k a_k eta_k loses under uniform costs.

    AUC(f*) - AUC(sum_k a_k eta_k) <= 2b / (1 - 2b),   b = 0.56 t

        t = E[ sum_k a_k^3 v_k(X, X') / (sum_k a_k^2 v_k(X, X'))^(3/2) ]
        v_k(x, x') = eta_k(x) (1 - eta_k(x)) + eta_k(x') (1 - eta_k(x'))

    for label aggregation of sum_k a_k Y_k with *uniform* costs and labels independent
    given x. It falls as 1 / sqrt(K).

    Parameters
    ----------
    eta, mu
        As in `population_aucs`.
    weights : array-like of shape (K,), optional
        a_k > 0. None: 1 each.
    constant : {"proved", "printed", "lyapunov"}
        All three hold. "proved": as above, with Berry-Esseen's constant 0.56.
        "printed": 2t / (1 - t), as the paper has it, looser wherever it is below 1.
        "lyapunov": b is 0.56 times the mean with exact third moments in place of v_k in
        the numerator of t, the tightest.

    Returns
    -------
    float
        Above 1 the bound says nothing. Infinity where the denominator reaches 0, or for
        points whose labels are all certain.

    Notes
    -----
    The error B(x, x') <= 0.56 ratio of the normal approximation is the same for both orders
    of a pair and H(z) + H(-z) = 1, so that a pair is lost by E[B] / 2 on either side: the
    loss is at most E[B], ties have probability at most 2 E[B], and the gap is their
    quotient 2 E[B] / (1 - 2 E[B]). The paper's 2t / (1 - t) is larger up to t = .786, and at
    least 1 from t = 1/3 on, so it holds for every t.

    Examples
    --------
    >>> import numpy as np
    >>> from isonomy.theory import auc_gap_bound
    >>> eta = np.tile([[0.4], [0.6]], 400)
    >>> round(auc_gap_bound(eta), 4)
    0.0879
    >>> auc_gap_bound(eta[:, :2])
    inf
    """
    check_choice("constant", constant, ("proved", "printed", "lyapunov"))
    space = Space.from_input(eta, mu=mu)
    a = _positive_weights(weights, space.n_labels)
    variance = space.eta * (1.0 - space.eta)
    third = variance
    if constant == "lyapunov":
        third = variance * (space.eta**2 + (1.0 - space.eta) ** 2)
    t = _mean_ratio(space.mu, third @ a**3, variance @ a**2)
    if constant == "printed":
        return 2 * t / (1 - t) if t < 1 else math.inf
    ties = 2 * BERRY_ESSEEN * t
    return ties / (1 - ties) if ties < 1 else math.inf


def _positive_weights(weights: ArrayLike | None, n_labels: int) -> FloatArray:
    values = as_label_weights(weights)
    if values is None:
        return np.ones(n_labels)
    if len(values) != n_labels:
        raise ValueError(
            f"Parameter `weights` should hold one number for each of the {n_labels} labels. "
            f"Found {len(values)}."
        )
    if min(values) <= 0:
        raise ValueError(
            f"Parameter `weights` should hold positive numbers. Found {min(values):g}. Drop the "
            "labels that should not count."
        )
    return np.asarray(values)


def _mean_ratio(mu: FloatArray, third: FloatArray, second: FloatArray) -> float:
    """E[(third + third') / (second + second')^(3/2)] over pairs; infinite where both are 0."""
    rows = max(1, CHUNK // mu.size)
    mean = 0.0
    for start in range(0, mu.size, rows):
        part = slice(start, start + rows)
        numerator = third[part, None] + third
        denominator = (second[part, None] + second) ** 1.5
        ratio = np.full_like(numerator, np.inf)
        np.divide(numerator, denominator, out=ratio, where=denominator > 0)
        mass = mu[part, None] * mu
        mean += float((ratio[mass > 0] * mass[mass > 0]).sum())
    return mean
