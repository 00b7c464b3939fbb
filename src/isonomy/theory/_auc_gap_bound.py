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

    AUC(f*) - AUC(sum_k a_k eta_k) <= psi(C t),   psi(u) = 2u / (1 - u)

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
        "proved": C = 1.12, twice Berry-Esseen's constant 0.56. "printed": C = 1, as the
        paper has it, which is not proved. "lyapunov": 1.12 times the mean of the exact
        third moments in place of t, proved and tighter.

    Returns
    -------
    float
        Infinity where the bound says nothing (argument of psi >= 1, or points whose
        labels are all certain).

    Examples
    --------
    >>> import numpy as np
    >>> from isonomy.theory import auc_gap_bound
    >>> eta = np.tile([[0.4], [0.6]], 400)
    >>> round(auc_gap_bound(eta), 4)
    0.1759
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
    t *= 1.0 if constant == "printed" else 2 * BERRY_ESSEEN
    return 2 * t / (1 - t) if t < 1 else math.inf


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
